import {
	freeName,
	isRecord,
	mentions,
	redirect,
	targetsOf,
	type Workflow,
	type WorkflowNode,
} from '../json/workflowJson';

/** Datasources and lookup keys that the workflow's version 1 creations already spell as in version 2. */
export interface KeptWords {
	sources: readonly string[];
	keys: readonly string[];
}

/** Version 1 names of lookup keys by version 2 name. */
const OLD_KEYS: Readonly<Record<string, string>> = { id: 'source_id', term: 'keyword' };

/**
 * A JavaScript expression that converts a version 2 download to version 1: `products` with flat fields in place of
 * `results`. Data without results (an error, a pinned version 1 reply) passes unchanged. The code contains no `}}`, which
 * would end the n8n expression.
 *
 * @param root code that returns the download
 */
function asVersion1(root: string, kept: KeptWords): string {
	const keys = Object.entries(OLD_KEYS).filter(([name]) => !kept.keys.includes(name));
	const oldKeys = keys.map(([name, old]) => `${name}: '${old}'`).join(', ');
	const keptSources = JSON.stringify(kept.sources);
	const source =
		kept.sources.length === 0
			? "source?.replaceAll('_', '-')"
			: `${keptSources}.includes(source) ? source : source?.replaceAll('_', '-')`;
	const product = [
		`source: ((source) => ${source})(result.query.source)`,
		'country: result.query.country',
		`key: ({ ${oldKeys} })[result.query.key] ?? result.query.key`,
		'value: result.query.value',
		'success: result.success',
		'reason: result.reason ?? null',
		'...result.content',
	].join(', ');
	return [
		'((root) => !Array.isArray(root?.results) ? root : Object.fromEntries(Object.entries(root).map((field) =>',
		`field[0] !== 'results' ? field : ['products', field[1].map((result) => ({ ${product} }))])))(${root})`,
	].join(' ');
}

/**
 * Parameters of the Edit Fields node that restores version 1.
 *
 * @param prefix the field that holds the body in a full response; otherwise empty
 */
function adapterParameters(prefix: readonly string[], kept: KeptWords): WorkflowNode['parameters'] {
	const [field] = prefix;
	const code = asVersion1(field === undefined ? '$json' : `$json.${field}`, kept);
	const json = field === undefined ? code : `{ ...$json, ${field}: ${code} }`;
	return { mode: 'raw', jsonOutput: `={{ ${json} }}`, options: {} };
}

const NOTE = 'Returns the results in the shape of version 1, so that the nodes after it work unchanged.';

/** Whether the workflow returns its last node's output to its caller. */
const answersCaller = ({ nodes }: Workflow): boolean =>
	nodes.some(
		({ type, parameters }) =>
			/\.(executeWorkflowTrigger|chatTrigger)$/.test(type) || parameters.responseMode === 'lastNode',
	);

/** Whether anything reads a node's output: by connection, by name, or possibly as the workflow's reply. */
export const isRead = (workflow: Workflow, name: string): boolean =>
	targetsOf(workflow, name).length > 0 ||
	answersCaller(workflow) ||
	workflow.nodes.some((node) => node.name !== name && mentions(JSON.stringify(node.parameters), name));

function adapterNode(
	node: Partial<WorkflowNode> & { name: string },
	parameters: WorkflowNode['parameters'],
): WorkflowNode {
	return { notes: NOTE, ...node, type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters };
}

/**
 * Adds an adapter after a download. The adapter takes the node's name, and the request becomes "<name> (version 2)".
 * Pinned data stays with the request; pinned version 1 data passes the adapter unchanged.
 */
export function adaptDownload(
	workflow: Workflow,
	node: WorkflowNode,
	prefix: readonly string[],
	kept: KeptWords,
): void {
	const { name, id, position } = node;
	const adapterPosition = Array.isArray(position)
		? position.map((coordinate, axis) => Number(coordinate) + (axis === 0 ? 100 : 140))
		: position;
	const renamed = freeName(workflow, `${name} (version 2)`);
	const identity = id === undefined ? {} : { id: `${id}-version-1` };
	const adapter = adapterNode(
		{ ...identity, name, position: adapterPosition },
		adapterParameters(prefix, kept),
	);
	redirect(workflow, name, renamed);
	node.name = renamed;
	workflow.nodes.splice(workflow.nodes.indexOf(node) + 1, 0, adapter);
	const [first = [], ...more] = workflow.connections[name]?.main ?? [];
	workflow.connections[renamed] = { main: [[{ node: name, type: 'main', index: 0 }], ...more] };
	workflow.connections[name] = { main: [first] };
	const pins = workflow.pinData;
	if (!isRecord(pins) || !(name in pins)) return;
	pins[renamed] = pins[name];
	delete pins[name];
}

/** Turns a download node that is no longer needed into an adapter for the Collect node's output. */
export function becomeAdapter(node: WorkflowNode, kept: KeptWords): void {
	const { id, name, position, notes, notesInFlow, alwaysOutputData } = node;
	const keptFields = { id, name, position, notes: notes ?? NOTE, notesInFlow, alwaysOutputData };
	const settings = Object.fromEntries(
		Object.entries(keptFields).filter(([, value]) => value !== undefined),
	);
	for (const key of Object.keys(node)) delete node[key];
	Object.assign(node, adapterNode({ ...settings, name }, adapterParameters([], kept)));
}
