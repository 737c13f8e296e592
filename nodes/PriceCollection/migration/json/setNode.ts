import { readPath } from '../code/parse';
import { isRecord, sourcesOf, type Workflow, type WorkflowNode } from './workflowJson';

/** A field that a Set (Edit Fields) node sets to a fixed text. */
export interface SetField {
	node: string;
	name: string;
	value: string;
	set: (value: string) => void;
}

const assignmentRows = (node: WorkflowNode): Array<Record<string, unknown>> => {
	const { assignments, fields, values } = node.parameters;
	const lists = [
		isRecord(assignments) ? assignments.assignments : undefined,
		isRecord(fields) ? fields.values : undefined,
		...(isRecord(values) ? Object.values(values) : []),
	];
	return lists.flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []));
};

/** Whether a Set node of any version writes a field, and the field if its text is fixed. */
function written(node: WorkflowNode, name: string): { isWritten: boolean; field?: SetField } {
	const row = assignmentRows(node).findLast((one) => one.name === name);
	if (!row) return { isWritten: node.parameters.mode === 'raw' };
	const key = typeof row.stringValue === 'string' ? 'stringValue' : 'value';
	const value = row[key];
	if (typeof value !== 'string' || value.startsWith('=')) return { isWritten: true };
	const set = (text: string) => {
		row[key] = text;
	};
	return { isWritten: true, field: { node: node.name, name, value, set } };
}

/** Whether the output of a Set node still has the fields of its input. */
export function keepsInput({ parameters, typeVersion }: WorkflowNode): boolean {
	if (typeVersion < 3) return parameters.keepOnlySet !== true;
	const include = parameters.include ?? 'all';
	if (typeVersion < 3.3) return include === 'all';
	return parameters.includeOtherFields === true && include === 'all';
}

/** n8n's own nodes that pass items on unchanged. */
const PASSING = new Set(
	'if switch filter noOp wait limit sort removeDuplicates splitInBatches'
		.split(' ')
		.map((name) => `n8n-nodes-base.${name}`),
);

/**
 * The fields of Set nodes that a field of a node's output comes from; undefined when any path leads to
 * another source, so that the value is unknown.
 * @param names nodes whose output is read
 */
function fieldsBehind(
	workflow: Workflow,
	names: readonly string[],
	name: string,
	seen = new Set<string>(),
): SetField[] | undefined {
	const found: SetField[] = [];
	for (const node of names.map((one) => workflow.nodes.find((candidate) => candidate.name === one))) {
		if (!node) return undefined;
		if (seen.has(node.name)) continue;
		seen.add(node.name);
		const isSet = node.type === 'n8n-nodes-base.set' && node.disabled !== true;
		const { isWritten, field } = isSet ? written(node, name) : { isWritten: false };
		const isAppend =
			node.type === 'n8n-nodes-base.merge' && (node.parameters.mode ?? 'append') === 'append';
		const passes =
			node.disabled === true || PASSING.has(node.type) || isAppend || (isSet && keepsInput(node));
		const sources = sourcesOf(workflow, node.name);
		const behind = isWritten
			? field && [field]
			: passes && sources.length > 0
				? fieldsBehind(workflow, sources, name, seen)
				: undefined;
		if (!behind) return undefined;
		found.push(...behind);
	}
	return found;
}

/** The fields of Set nodes that an expression of the node `reader` reads; undefined if unknown. */
export function fieldsRead(code: string, reader: string, workflow: Workflow): SetField[] | undefined {
	const path = readPath(code);
	if (!path || path.variable !== undefined) return undefined;
	const [name, deeper] = path.fields;
	const from = path.node === undefined ? sourcesOf(workflow, reader) : [path.node];
	if (typeof name !== 'string' || deeper !== undefined || from.length === 0) return undefined;
	return fieldsBehind(workflow, from, name);
}
