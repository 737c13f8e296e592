import { parseTemplate } from './code/template';
import type { Findings } from './json/findings';
import { fieldsRead, type SetField } from './json/setNode';
import { literal, PROGRAMS, textsWithPaths } from './json/texts';
import type { Workflow, WorkflowNode } from './json/workflowJson';
import { type Keys, SHORTEST_KEY } from './request/keys';

/** Replaces a key in a text that stays. */
const REMOVED = 'REMOVED_KEY';

/** Name of another node whose expressions or code may read a field; undefined if there is none. */
function otherReader(workflow: Workflow, field: SetField): string | undefined {
	const fieldPattern = new RegExp(`(?<![\\w$])(?:${literal(field.name).source})(?![\\w$])`);
	const mayRead = (code: string, reader: string): boolean => {
		const fields = fieldPattern.test(code) ? fieldsRead(code, reader, workflow) : [];
		return fields?.every(({ node }) => node !== field.node) !== true;
	};
	const reads = ({ name, parameters }: WorkflowNode): boolean =>
		textsWithPaths(parameters).some(({ text, path }) =>
			PROGRAMS.has(path)
				? fieldPattern.test(text)
				: parseTemplate(`=${text}`).some((part) => 'code' in part && mayRead(part.code, name)),
		);
	return workflow.nodes.find((node) => node.name !== field.node && reads(node))?.name;
}

/** Empties the Set node fields that hold converted requests' keys, unless another node may read them too. */
export function emptyKeyFields(workflow: Workflow, keys: Keys, findings: Findings): void {
	const fields = new Map(keys.fields.map((field) => [JSON.stringify([field.node, field.name]), field]));
	for (const field of fields.values()) {
		const { node, name, value } = field;
		const reader = otherReader(workflow, field);
		if (reader !== undefined) {
			const message = `The field "${name}" still holds the key, because "${reader}" may read it too.`;
			const suggestion = 'Clear it once nothing needs it.';
			findings.warnings.push({ node, parameter: name, message, suggestion });
		} else if (value !== '') {
			if (value.length >= SHORTEST_KEY) keys.values.add(value);
			field.set('');
			const message = `The key in the field "${name}" was removed; the credential now holds it.`;
			findings.changes.push({ node, parameter: name, message });
		}
	}
}

/** A copy with every known key replaced; the same value if it contains none. */
function redacted<T>(value: T, keys: Keys): T {
	const text = JSON.stringify(value) ?? '';
	const escapedKeys = [...keys.values].map((key) => JSON.stringify(key).slice(1, -1));
	const clean = escapedKeys.reduce((result, key) => result.split(key).join(REMOVED), text);
	return clean === text ? value : (JSON.parse(clean) as T);
}

/**
 * Replaces known keys in the nodes' notes and parameters, in pinned and static data, in `meta`, and in the findings.
 *
 * @param foreign nodes that call other services; their parameters stay, with a warning if one holds the same key
 */
export function redactWorkflow(
	workflow: Workflow,
	keys: Keys,
	foreign: ReadonlySet<WorkflowNode>,
	findings: Findings,
): void {
	if (keys.values.size === 0) return;
	for (const node of workflow.nodes) {
		if (typeof node.notes === 'string') node.notes = redacted(node.notes, keys);
		if (redacted(node.parameters, keys) === node.parameters) continue;
		for (const [parameter, value] of Object.entries(node.parameters)) {
			const clean = redacted(value, keys);
			if (clean === value) continue;
			const location = { node: node.name, parameter };
			if (foreign.has(node)) {
				const message = 'This parameter sends the key of the service to another host.';
				const suggestion = 'Remove it if that host has its own key.';
				findings.warnings.push({ ...location, message, suggestion });
			} else {
				node.parameters[parameter] = clean;
				const message = `A key in "${parameter}" was replaced by ${REMOVED}.`;
				findings.changes.push({ ...location, message });
			}
		}
	}
	for (const part of ['pinData', 'staticData', 'meta']) {
		const clean = redacted(workflow[part], keys);
		if (clean === workflow[part]) continue;
		workflow[part] = clean;
		findings.changes.push({ message: `A key in "${part}" was replaced by ${REMOVED}.` });
	}
	Object.assign(findings, redacted(findings, keys));
}
