import type { IDataObject, IExecuteFunctions, INodeParameters, NodeExecutionHint } from 'n8n-workflow';

/** The parts of n8n that a test sets. */
export interface FakeNode {
	parameters?: INodeParameters;
	/** The fields of the input items. Default: one item without fields. */
	items?: IDataObject[];
	/** What expressions return, by their text. A parameter without an entry returns itself. */
	expressions?: Record<string, (item: number) => unknown>;
	type?: string;
	/** Further members of the context. */
	more?: Partial<Record<keyof IExecuteFunctions, unknown>>;
}

/** Resolves the expressions in a stored parameter, at any depth, as n8n does. */
function resolved(stored: unknown, item: number, expressions: FakeNode['expressions'] = {}): unknown {
	if (typeof stored === 'string') return stored in expressions ? expressions[stored]?.(item) : stored;
	if (typeof stored !== 'object' || stored === null) return stored;
	if (Array.isArray(stored)) return stored.map((one) => resolved(one, item, expressions));
	const entries = Object.entries(stored).map(([name, one]) => [name, resolved(one, item, expressions)]);
	return Object.fromEntries(entries) as IDataObject;
}

/** The part of n8n's context that a node reads. It records evaluations, hints and log messages. */
export function nodeContext({
	parameters = {},
	items = [{}],
	expressions,
	type = 'x.prices',
	more,
}: FakeNode) {
	const reads: string[] = [];
	const hints: NodeExecutionHint[] = [];
	const logged: string[] = [];
	const node = { id: '1', name: 'Prices', type, typeVersion: 1, position: [0, 0], parameters };
	const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
		getNode: () => node,
		getInputData: () => items.map((json) => ({ json })),
		getWorkflowSettings: () => ({}),
		continueOnFail: () => false,
		getExecutionCancelSignal: () => undefined,
		getNodeParameter: (path: string, item: number, fallback?: unknown) => {
			reads.push(path);
			const [name = '', ...inner] = path.split('.');
			const value = inner.reduce<unknown>(
				(outer, field) => (outer as IDataObject | undefined)?.[field],
				resolved(parameters[name], item, expressions),
			);
			return value === undefined ? fallback : value;
		},
		evaluateExpression: (expression: string, item: number) =>
			resolved(`=${expression}`, item, expressions),
		logger: { info: (text: string) => void logged.push(text), warn: () => undefined },
		addExecutionHints: (...said: NodeExecutionHint[]) => void hints.push(...said),
		...more,
	};
	return { context: context as unknown as IExecuteFunctions, reads, hints, logged };
}
