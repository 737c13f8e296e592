import type { WorkflowNode } from './workflowJson';

/** Where a text stands in a node's parameters. Only good during the call that gets it. */
export interface TextPath {
	toString: () => string;
}

export type ChangeText = (text: string, path: TextPath) => string;

/** Changes every text in a value; a part in which none changed comes back as the same object. */
export function mapTexts(value: unknown, change: ChangeText): unknown {
	const steps: Array<string | number> = [];
	const written = (step: string | number, index: number): string => {
		if (typeof step === 'number') return `[${step}]`;
		return index === 0 ? step : `.${step}`;
	};
	const path: TextPath = { toString: () => steps.map(written).join('') };
	return mapAt(value, change, steps, path);
}

function mapAt(value: unknown, change: ChangeText, steps: Array<string | number>, path: TextPath): unknown {
	if (typeof value === 'string') return change(value, path);
	if (typeof value !== 'object' || value === null) return value;
	const names = Array.isArray(value) ? value.keys() : Object.keys(value);
	let mapped: Record<string | number, unknown> | undefined;
	for (const name of names) {
		const before = (value as Record<string | number, unknown>)[name];
		steps.push(name);
		const after = mapAt(before, change, steps, path);
		steps.pop();
		if (after === before) continue;
		mapped ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
		mapped[name] = after;
	}
	return mapped ?? value;
}

/** Changes every piece of code between `{{` and `}}`; some nodes resolve them without a leading `=` too. */
export function mapCode(text: string, change: (code: string) => string): string {
	let result = '';
	let at = 0;
	for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
		const close = text.indexOf('}}', open + 2);
		if (close < 0) break;
		result += text.slice(at, open + 2) + change(text.slice(open + 2, close));
		at = close;
	}
	return result + text.slice(at);
}

const CODE = new Set(['code', 'function', 'functionItem'].map((name) => `n8n-nodes-base.${name}`));

/** The parameter that holds a Code node's program, if the node is one. */
export function codeParameter(node: WorkflowNode): string | undefined {
	if (!CODE.has(node.type)) return undefined;
	return ['jsCode', 'functionCode', 'pythonCode'].find((name) => typeof node.parameters[name] === 'string');
}
