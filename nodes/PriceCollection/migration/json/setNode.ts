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

/** Whether a Set node of any version writes a field (in raw mode: may write it), and the field if its text is fixed. */
function assignedField(node: WorkflowNode, name: string): { isWritten: boolean; field?: SetField } {
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

/** Whether a Set node's output keeps its input's fields. */
export function keepsInput({ parameters, typeVersion }: WorkflowNode): boolean {
	if (typeVersion < 3) return parameters.keepOnlySet !== true;
	const include = parameters.include ?? 'all';
	if (typeVersion < 3.3) return include === 'all';
	return parameters.includeOtherFields === true && include === 'all';
}

/** Built-in n8n nodes that pass items on unchanged. */
const PASS_THROUGH_TYPES = new Set(
	'if switch filter noOp wait limit sort removeDuplicates splitInBatches'
		.split(' ')
		.map((name) => `n8n-nodes-base.${name}`),
);

/**
 * Finds the Set node fields that a field comes from. Undefined if any path leads to another source, because the value
 * is then unknown.
 *
 * @param nodeNames the nodes whose output contains the field
 * @param seen nodes already visited, to stop at loops
 */
function originFields(
	workflow: Workflow,
	nodeNames: readonly string[],
	fieldName: string,
	seen = new Set<string>(),
): SetField[] | undefined {
	const found: SetField[] = [];
	for (const node of nodeNames.map((one) => workflow.nodes.find((candidate) => candidate.name === one))) {
		if (!node) return undefined;
		if (seen.has(node.name)) continue;
		seen.add(node.name);
		const isSet = node.type === 'n8n-nodes-base.set' && node.disabled !== true;
		const { isWritten, field } = isSet ? assignedField(node, fieldName) : { isWritten: false };
		const isAppend =
			node.type === 'n8n-nodes-base.merge' && (node.parameters.mode ?? 'append') === 'append';
		const passes =
			node.disabled === true ||
			PASS_THROUGH_TYPES.has(node.type) ||
			isAppend ||
			(isSet && keepsInput(node));
		const sources = sourcesOf(workflow, node.name);
		const origins = isWritten
			? field && [field]
			: passes && sources.length > 0
				? originFields(workflow, sources, fieldName, seen)
				: undefined;
		if (!origins) return undefined;
		found.push(...origins);
	}
	return found;
}

/** The Set node fields that the node `reader`'s expression reads; undefined if unknown. */
export function fieldsRead(code: string, reader: string, workflow: Workflow): SetField[] | undefined {
	const path = readPath(code);
	if (!path || path.variable !== undefined) return undefined;
	const [fieldName, subfield] = path.fields;
	const sources = path.node === undefined ? sourcesOf(workflow, reader) : [path.node];
	if (typeof fieldName !== 'string' || subfield !== undefined || sources.length === 0) return undefined;
	return originFields(workflow, sources, fieldName);
}
