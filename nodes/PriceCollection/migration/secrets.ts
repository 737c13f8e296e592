import { isKeyName } from './parameters';
import { flattenTemplate } from './template';
import type { Report } from './report';
import { setFields } from './setNode';
import type { WorkflowJson } from './workflowJson';
import { isRecord } from './workflowJson';

/** What stands where a key stood in a text that is kept. */
const REMOVED = 'REMOVED_KEY';

/** Shorter texts are not searched for elsewhere: they could be ordinary words. */
const SHORTEST = 8;

/** Keys of the service that were met, by value and by the name of the field that held them. */
export interface Keys {
	values: Set<string>;
	fields: Set<string>;
}

export const noKeys = (): Keys => ({ values: new Set(), fields: new Set() });

/** Notes a key that stood in a parameter: its text, or the field that its expression reads. */
export function noteKey(keys: Keys, value: unknown): void {
	if (typeof value !== 'string') return;
	for (const part of flattenTemplate(value)) {
		if ('text' in part) {
			const key = part.text.trim().replace(/^(bearer|basic|token)\s+/i, '');
			if (key.length >= SHORTEST) keys.values.add(key);
			continue;
		}
		const field = /(?:\.json\.|\["json"\]\.|json\[["'])([\w$-]+)(?:["']\])?$/.exec(part.code)?.[1];
		if (field) keys.fields.add(field);
		for (const [, literal = ''] of part.code.matchAll(/["'`]([^"'`\s]{16,})["'`]/g))
			keys.values.add(literal);
	}
}

/** A key in code or in an address: the service's keys are long runs of capital letters. */
const KEY_IN_TEXT = /\btoken["']?\s*[=:]\s*["'`]?([A-Z]{16,})\b/g;

/** Finds keys in texts that name one of the service's hosts; other services' keys are not ours to touch. */
export function collectKeysInTexts(value: unknown, hosts: readonly string[], keys: Keys): void {
	if (typeof value === 'string') {
		if (!value.includes('token') || !hosts.some((host) => value.toLowerCase().includes(host))) return;
		for (const [, key = ''] of value.matchAll(KEY_IN_TEXT)) keys.values.add(key);
	} else if (Array.isArray(value)) {
		for (const one of value) collectKeysInTexts(one, hosts, keys);
	} else if (isRecord(value)) {
		for (const one of Object.values(value)) collectKeysInTexts(one, hosts, keys);
	}
}

/** Empties the fields of Set nodes that held a key which requests read from there. */
export function emptyKeyFields(workflow: WorkflowJson, keys: Keys, report: Report): void {
	for (const node of workflow.nodes) {
		for (const field of setFields(node)) {
			const held =
				keys.fields.has(field.name) || (isKeyName(field.name) && keys.values.has(field.value));
			if (!held || field.value === '') continue;
			if (field.value.length >= SHORTEST) keys.values.add(field.value);
			field.set('');
			report.changes.push({
				node: node.name,
				parameter: field.name,
				message: `The key in the field "${field.name}" was removed; the credential holds it now.`,
			});
		}
	}
}

const redactText = (text: string, keys: Keys): string =>
	[...keys.values].reduce((all, key) => all.split(key).join(REMOVED), text);

/** The value with every known key in its texts replaced; `found` is called when there was one. */
export function redact(value: unknown, keys: Keys, found?: () => void): unknown {
	if (keys.values.size === 0) return value;
	if (typeof value === 'string') {
		const redacted = redactText(value, keys);
		if (redacted !== value) found?.();
		return redacted;
	}
	if (Array.isArray(value)) return value.map((one) => redact(one, keys, found));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [redactText(name, keys), redact(one, keys, found)]),
	);
}

/** Replaces known keys everywhere in the workflow and in the report itself. */
export function redactWorkflow(workflow: WorkflowJson, keys: Keys, report: Report): void {
	for (const node of workflow.nodes) {
		for (const [parameter, value] of Object.entries(node.parameters)) {
			const found = () => {
				const message = `A key in "${parameter}" was replaced by ${REMOVED}.`;
				report.changes.push({ node: node.name, parameter, message });
			};
			node.parameters[parameter] = redact(value, keys, found) as (typeof node.parameters)[string];
		}
		if (typeof node.notes === 'string') node.notes = redactText(node.notes, keys);
	}
	for (const part of ['pinData', 'staticData', 'meta'] as const) {
		const found = () =>
			report.changes.push({ message: `A key in "${part}" was replaced by ${REMOVED}.` });
		if (workflow[part] !== undefined) workflow[part] = redact(workflow[part], keys, found) as undefined;
	}
	report.changes = redact(report.changes, keys) as Report['changes'];
	report.warnings = redact(report.warnings, keys) as Report['warnings'];
}
