import { fieldsRead } from './code/names';
import type { Finding, Findings } from './json/findings';
import type { SetField } from './json/setNode';
import { codeParameter, mapCode, mapTexts } from './json/texts';
import type { Workflow, WorkflowNode } from './json/workflowJson';
import { isRecord } from './json/workflowJson';
import type { Keys } from './request/keys';

/** What stands where a key stood in a text that is kept. */
const REMOVED = 'REMOVED_KEY';

/** A node other than the one that holds a field, whose expressions or code may read that field. */
function otherReader(workflow: Workflow, field: SetField): string | undefined {
	const named = new RegExp(`(?<![\\w$])${field.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`);
	return workflow.nodes.find((node) => {
		let isReader = false;
		const look = (code: string, isExpression: boolean): string => {
			if (!named.test(code)) return code;
			const fields = isExpression ? fieldsRead(code, node.name, workflow) : undefined;
			isReader ||= fields?.every((one) => one.node !== field.node) !== true;
			return code;
		};
		const codeIn = codeParameter(node);
		mapTexts(node.parameters, (text, path) =>
			path.toString() === codeIn ? look(text, false) : mapCode(text, (code) => look(code, true)),
		);
		return isReader && node.name !== field.node;
	})?.name;
}

/** Empties the fields of Set nodes that held a key which converted requests read, unless others read them too. */
export function emptyKeyFields(workflow: Workflow, keys: Keys, findings: Findings): void {
	const fields = new Map(keys.fields.map((field) => [JSON.stringify([field.node, field.name]), field]));
	for (const field of fields.values()) {
		const { node, name, value } = field;
		const reader = otherReader(workflow, field);
		if (reader !== undefined) {
			const message = `The field "${name}" still holds the key, because "${reader}" may read it too.`;
			findings.warnings.push({
				node,
				parameter: name,
				message,
				suggestion: 'Empty it when nothing needs it.',
			});
			continue;
		}
		if (value === '') continue;
		if (value.length >= 8) keys.values.add(value);
		field.set('');
		const message = `The key in the field "${name}" was removed; the credential holds it now.`;
		findings.changes.push({ node, parameter: name, message });
	}
}

const redactText = (text: string, keys: Keys): string =>
	[...keys.values].reduce((all, key) => all.split(key).join(REMOVED), text);

/** The value with every known key in its texts replaced; `found` is called when there was one. */
function redact(value: unknown, keys: Keys, found?: () => void): unknown {
	if (typeof value === 'string') {
		const redacted = redactText(value, keys);
		if (redacted !== value) found?.();
		return redacted;
	}
	if (Array.isArray(value)) return value.map((one) => redact(one, keys, found));
	if (!isRecord(value)) return value;
	const entries = Object.entries(value).map(([name, one]) => [
		redactText(name, keys),
		redact(one, keys, found),
	]);
	return Object.fromEntries(entries);
}

const redactAll = (findings: readonly Finding[], keys: Keys): Finding[] =>
	findings.map((finding) => redact(finding, keys) as Finding);

/**
 * Replaces known keys everywhere in the workflow and in the report itself.
 * @param foreign nodes that send to other services: they keep every byte, and it is told where one has the same key
 */
export function redactWorkflow(
	workflow: Workflow,
	keys: Keys,
	foreign: ReadonlySet<WorkflowNode>,
	findings: Findings,
): void {
	if (keys.values.size === 0) return;
	for (const node of workflow.nodes) {
		const isForeign = foreign.has(node);
		for (const [parameter, value] of Object.entries(node.parameters)) {
			let holdsKey = false;
			const redacted = redact(value, keys, () => (holdsKey = true));
			if (!holdsKey) continue;
			const about = { node: node.name, parameter };
			if (isForeign) {
				const message = 'The key of the service stands here too, and goes to another host.';
				findings.warnings.push({
					...about,
					message,
					suggestion: 'Remove it when that host has a key of its own.',
				});
			} else {
				node.parameters[parameter] = redacted as (typeof node.parameters)[string];
				findings.changes.push({
					...about,
					message: `A key in "${parameter}" was replaced by ${REMOVED}.`,
				});
			}
		}
		if (typeof node.notes === 'string') node.notes = redactText(node.notes, keys);
	}
	for (const part of ['pinData', 'staticData', 'meta'] as const) {
		const found = () =>
			findings.changes.push({ message: `A key in "${part}" was replaced by ${REMOVED}.` });
		if (workflow[part] !== undefined) workflow[part] = redact(workflow[part], keys, found) as undefined;
	}
	findings.changes = redactAll(findings.changes, keys);
	findings.warnings = redactAll(findings.warnings, keys);
}
