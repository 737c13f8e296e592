import { fieldsBehind, type SetField } from '../json/setNode';
import { sourcesOf, type Workflow } from '../json/workflowJson';
import { readPath } from './parse';

/** The fields of Set nodes that an expression of the node `reader` reads; undefined when that cannot be told. */
export function fieldsRead(code: string, reader: string, workflow: Workflow): SetField[] | undefined {
	const path = readPath(code);
	if (!path || path.variable !== undefined) return undefined;
	const [name, deeper] = path.fields;
	const from = path.node === undefined ? sourcesOf(workflow, reader) : [path.node];
	if (typeof name !== 'string' || deeper !== undefined || from.length === 0) return undefined;
	return fieldsBehind(workflow, from, name);
}
