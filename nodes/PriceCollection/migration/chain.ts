import { findReferences } from './references';
import type { ServiceRequest } from './request';
import { readStatusTest } from './statusTest';
import { parseTemplate } from './template';
import type { Connections, WorkflowNode } from './workflowJson';
import { mainOutputs, mainSources } from './workflowJson';

/** Create, Wait, status, IF and download nodes that together do what one `collect` node does. */
export interface Chain {
	create: ServiceRequest;
	download: ServiceRequest;
	/** All nodes of the chain but the first. */
	others: WorkflowNode[];
}

/** What the recognition looks at; by node name. */
export interface Surroundings {
	nodes: ReadonlyMap<string, WorkflowNode>;
	requests: ReadonlyMap<string, ServiceRequest>;
	connections: Connections;
}

/** The nodes that an output feeds; outputs to other inputs than `main` do not count. */
const targets = ({ connections }: Surroundings, name: string, output = 0): string[] =>
	(mainOutputs(connections, name)[output] ?? []).map(({ node }) => node);

/** The one node that a node with one used output feeds. */
function next(name: string, around: Surroundings): string | undefined {
	const outputs = mainOutputs(around.connections, name).filter((output) => output.length > 0);
	const [only, more] = targets(around, name);
	return outputs.length === 1 && more === undefined ? only : undefined;
}

function isWait(name: string | undefined, { nodes }: Surroundings): name is string {
	const node = name === undefined ? undefined : nodes.get(name);
	if (node?.type !== 'n8n-nodes-base.wait') return false;
	return (node.parameters.resume ?? 'timeInterval') === 'timeInterval';
}

/** Whether a request is about the job of the item it gets, or that one of these nodes gave. */
function isAboutJob(request: ServiceRequest, names: readonly string[]): boolean {
	const [part, more] = parseTemplate(request.address.jobId ?? '');
	if (!part || more || !('code' in part)) return false;
	const [reference, second] = findReferences(part.code);
	if (!reference || second || reference.method !== undefined) return false;
	if (reference.start !== 0 || reference.end !== part.code.length) return false;
	if (reference.node !== undefined && !names.includes(reference.node)) return false;
	return reference.segments.length === 1 && reference.segments[0]?.name === 'job_id';
}

interface Loop {
	download: string | undefined;
	members: string[];
}

/** From a status request over the IF node: where it goes on, and which nodes the way back has. */
function readLoop(status: string, waited: string | undefined, around: Surroundings): Loop | undefined {
	const test = next(status, around);
	const node = test === undefined ? undefined : around.nodes.get(test);
	const polarity = node && readStatusTest(node, status);
	if (test === undefined || polarity === undefined) return undefined;
	const [finished, unfinished] = polarity ? [0, 1] : [1, 0];
	const [download, more] = targets(around, test, finished);
	const [back, second] = targets(around, test, unfinished);
	if (more !== undefined || second !== undefined) return undefined;
	if (back === undefined || back === waited || back === status) return { download, members: [test] };
	if (!isWait(back, around) || next(back, around) !== status) return undefined;
	return { download, members: [test, back] };
}

/** Whether a node is an ordinary step: enabled, without an error output of its own. */
const isPlain = (node: WorkflowNode | undefined): node is WorkflowNode =>
	node !== undefined && node.disabled !== true && node.onError !== 'continueErrorOutput';

/** Whether nothing but the chain itself leads into its nodes after the first. */
function isClosed(first: string, others: readonly string[], { connections }: Surroundings): boolean {
	const inside = new Set([first, ...others]);
	return others.every((name) => mainSources(connections, name).every((source) => inside.has(source.node)));
}

const onlyMain = (name: string, { connections }: Surroundings): boolean =>
	Object.keys(connections[name] ?? {}).every((kind) => kind === 'main');

/** The chain that begins with a creation; undefined when the nodes behind it are something else. */
export function readChain(create: ServiceRequest, around: Surroundings): Chain | undefined {
	const first = create.node.name;
	if (create.address.endpoint !== 'create') return undefined;
	const step = next(first, around);
	const waited = isWait(step, around) ? step : undefined;
	const then = waited === undefined ? step : next(waited, around);
	const request = then === undefined ? undefined : around.requests.get(then);
	if (then === undefined || !request) return undefined;
	const isStatus = request.address.endpoint === 'get';
	const loop = isStatus ? readLoop(then, waited, around) : { download: then, members: [] };
	const download = loop?.download === undefined ? undefined : around.requests.get(loop.download);
	if (!loop || !download || download.address.endpoint !== 'download') return undefined;
	if (!isStatus && waited === undefined) return undefined;
	const names = [waited, isStatus ? then : undefined, ...loop.members, download.node.name].filter(
		(name) => name !== undefined,
	);
	const others = names.map((name) => around.nodes.get(name));
	const jobs = [request, download].every((one) => isAboutJob(one, [first, ...names]));
	const plain = others.every(isPlain) && isPlain(create.node);
	const closed =
		isClosed(first, names, around) && [first, ...names].every((name) => onlyMain(name, around));
	return jobs && plain && closed ? { create, download, others: others.filter(isPlain) } : undefined;
}
