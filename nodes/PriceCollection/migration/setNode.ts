import { isExpression } from './template';
import type { WorkflowNode } from './workflowJson';
import { isRecord } from './workflowJson';

/** A field that a Set (Edit Fields) node gives a fixed text to. */
export interface SetField {
	name: string;
	value: string;
	set: (value: string) => void;
}

const rowsOf = (node: WorkflowNode): Array<Record<string, unknown>> => {
	const { assignments, fields, values } = node.parameters;
	const lists = [
		isRecord(assignments) ? assignments.assignments : undefined,
		isRecord(fields) ? fields.values : undefined,
		...(isRecord(values) ? Object.values(values) : []),
	];
	return lists.flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
};

export const isSet = (node: WorkflowNode): boolean => node.type === 'n8n-nodes-base.set';

/** Names of all fields that a Set node writes, in all its versions. */
export const writtenNames = (node: WorkflowNode): string[] =>
	rowsOf(node).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));

/** The fixed texts of a Set node, in all its versions. */
export function setFields(node: WorkflowNode): SetField[] {
	if (!isSet(node)) return [];
	return rowsOf(node).flatMap((row) => {
		const key = typeof row.stringValue === 'string' ? 'stringValue' : 'value';
		const { name } = row;
		const value = row[key];
		if (typeof name !== 'string' || typeof value !== 'string' || isExpression(value)) return [];
		const set = (text: string) => {
			row[key] = text;
		};
		return [{ name, value, set }];
	});
}

/** Whether the items that a Set node gives still hold the fields of those it got. */
export function keepsInput(node: WorkflowNode): boolean {
	const { parameters, typeVersion } = node;
	if (typeVersion < 3) return parameters.keepOnlySet !== true;
	const include = parameters.include ?? 'all';
	if (typeVersion < 3.3) return include !== 'none';
	return parameters.includeOtherFields === true && include !== 'none';
}
