import type { Endpoint } from './endpoints';
import type { Chain, Surroundings } from './chain';
import { readChain } from './chain';
import { readsOfNodes } from './namedReads';
import { pinnedRows } from './pinData';
import { replaceChain } from './replaceChain';
import { nodeParameters, replaceNode } from './replaceNode';
import type { Report } from './report';
import type { ServiceRequest } from './request';
import { replacementObstacles } from './request';
import type { Shape } from './shapes';
import { isSplitOut, shape, splitField, splitsPlainly } from './shapes';
import type { WorkflowJson, WorkflowNode } from './workflowJson';
import { isRecord, mainOutputs, mainSources } from './workflowJson';

/** What the nodes that stay requests, or give the service's own structure, put out. */
export function originOf({ address, response }: ServiceRequest): Shape | undefined {
	if (address.version !== 1 || !response.isJson || (address.format ?? 'json') !== 'json') return undefined;
	if (address.endpoint === 'get') return shape('status', response.prefix);
	return address.endpoint === 'download' ? shape('root', response.prefix) : undefined;
}

/** The Split Out nodes behind a version 1 download, when nothing else reads what it gives. */
function soleSplits(workflow: WorkflowJson, request: ServiceRequest): WorkflowNode[] | undefined {
	const { name, disabled, onError } = request.node;
	if (request.address.version !== 1 || disabled === true || onError === 'continueErrorOutput')
		return undefined;
	const [targets = [], ...more] = mainOutputs(workflow.connections, name);
	if (targets.length === 0 || more.some((output) => output.length > 0)) return undefined;
	const splits = targets.map((target) => workflow.nodes.find((node) => node.name === target.node));
	const fitting = splits.filter(
		(node): node is WorkflowNode =>
			node !== undefined &&
			node.disabled !== true &&
			isSplitOut(node) &&
			splitField(node) === 'products' &&
			splitsPlainly(node) &&
			mainSources(workflow.connections, node.name).length === 1,
	);
	const others = workflow.nodes.filter((node) => node !== request.node);
	if (fitting.length < splits.length) return undefined;
	const fields = readsOfNodes(others, [name]).get(name) ?? [];
	return fields.every((field) => field === 'job_id') ? fitting : undefined;
}

/** The rows come split already; the node stays, because others may read it by its name. */
function passThrough(splits: readonly WorkflowNode[], report: Report): void {
	for (const node of splits) {
		Object.assign(node, { type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} });
		report.changes.push({
			node: node.name,
			message: 'It has nothing left to split and passes the rows on (No Operation). You may remove it.',
		});
	}
}

const DROPPED_OPTIONS = ['batching', 'batchSize', 'batchInterval'];

function noteDroppedOptions({ node }: ServiceRequest, report: Report): void {
	const { options } = node.parameters;
	const dropped = DROPPED_OPTIONS.filter((name) => isRecord(options) && name in options);
	if (dropped.length === 0) return;
	const message = `"${dropped.join('", "')}" dropped: the node keeps to the limits of the service by itself.`;
	report.changes.push({ node: node.name, parameter: 'options', message });
}

const isRead = (workflow: WorkflowJson, name: string): boolean =>
	mainOutputs(workflow.connections, name).flat().length > 0 ||
	(readsOfNodes(workflow.nodes, [name]).get(name) ?? []).length > 0;

/** Replaces one request; returns what it gives, or why it stays a request. */
function replaceRequest(
	workflow: WorkflowJson,
	request: ServiceRequest,
	report: Report,
): { obstacle: string } | { origin?: Shape } {
	const { node, address } = request;
	const [obstacle] = replacementObstacles(request);
	if (obstacle !== undefined) return { obstacle };
	if (address.endpoint === 'list' && isRead(workflow, node.name)) {
		return { obstacle: 'other nodes read the list as one item, and the new node gives one item per job' };
	}
	const parameters = nodeParameters(request);
	if ('obstacle' in parameters) return { obstacle: String(parameters.obstacle) };
	noteDroppedOptions(request, report);
	const splits = address.endpoint === 'download' ? soleSplits(workflow, request) : undefined;
	if (!splits) {
		replaceNode(node, parameters, report);
		return { origin: originOf(request) };
	}
	replaceNode(node, { ...parameters, output: 'results', simplify: true }, report);
	passThrough(splits, report);
	const pinned = workflow.pinData?.[node.name];
	if (workflow.pinData && pinned !== undefined) workflow.pinData[node.name] = pinnedRows(pinned);
	return {};
}

function chainOf(request: ServiceRequest, around: Surroundings): Chain | undefined {
	const chain = readChain(request, around);
	const members = chain && [chain.create, ...chain.others.map(({ name }) => around.requests.get(name))];
	const free = members?.every((one) => one === undefined || replacementObstacles(one).length === 0);
	return free ? chain : undefined;
}

/** Where both ends of a chain stay, one node might still do: a person can tell. */
function offerCollect(separate: readonly ServiceRequest[], report: Report): void {
	const named = (endpoint: Endpoint) =>
		separate.find(({ node, address }) => address.endpoint === endpoint && node.disabled !== true)?.node
			.name;
	const [create, download] = [named('create'), named('download')];
	if (create === undefined || download === undefined) return;
	report.warnings.push({
		node: create,
		message: `"${create}" and "${download}" stay separate nodes: the steps between them are none of the usual ones.`,
		suggestion: 'One node with the operation Collect creates, waits and downloads by itself.',
	});
}

/** What was replaced: the shapes that nodes give now, and the requests that stay requests. */
export interface Replacement {
	origins: Map<string, Shape>;
	kept: ServiceRequest[];
	replaced: WorkflowNode[];
}

/** Puts Price Collection nodes in the place of requests, and one node in that of a whole chain. */
export function replaceRequests(
	workflow: WorkflowJson,
	requests: readonly ServiceRequest[],
	report: Report,
): Replacement {
	const around: Surroundings = {
		nodes: new Map(workflow.nodes.map((node) => [node.name, node])),
		requests: new Map(requests.map((request) => [request.node.name, request])),
		connections: workflow.connections,
	};
	const result: Replacement = { origins: new Map(), kept: [], replaced: [] };
	const done = new Set<WorkflowNode>();
	for (const request of requests) {
		const chain = chainOf(request, around);
		const splits = chain && soleSplits(workflow, chain.download);
		if (!chain || !replaceChain(workflow, chain, splits !== undefined, report)) continue;
		for (const node of [chain.create.node, ...chain.others]) done.add(node);
		result.replaced.push(request.node);
		const origin = splits ? undefined : originOf(chain.download);
		if (splits) passThrough(splits, report);
		if (origin) result.origins.set(request.node.name, origin);
	}
	const separate = requests.filter(({ node }) => !done.has(node));
	for (const request of separate) {
		const outcome = replaceRequest(workflow, request, report);
		if ('obstacle' in outcome) {
			result.kept.push(request);
			const message = `It stays an HTTP Request node, because ${outcome.obstacle}.`;
			report.warnings.push({ node: request.node.name, message });
			continue;
		}
		result.replaced.push(request.node);
		if (outcome.origin) result.origins.set(request.node.name, outcome.origin);
	}
	offerCollect(separate, report);
	return result;
}
