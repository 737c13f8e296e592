import type { Findings } from '../json/findings';
import type { Workflow, WorkflowNode } from '../json/workflowJson';
import { obstacleOf, type ServiceRequest } from '../request/request';
import { isRead, type KeptWords } from '../results/adapter';
import { type Chain, readChain, type Surroundings } from './chain';
import { nodeParameters } from './nodeParameters';
import { replaceChain } from './replaceChain';
import { replaceNode } from './replaceNode';

/** Replaces one request, or returns the reason why it stays. */
function replaceRequest(workflow: Workflow, request: ServiceRequest, findings: Findings): string | undefined {
	const { node, address } = request;
	const obstacle = obstacleOf(request);
	if (obstacle !== undefined) return obstacle;
	if (address.endpoint === 'cancel' && isRead(workflow, node.name)) {
		return 'other nodes read its output, and the new node adds the job ID to it';
	}
	const planned = nodeParameters(request);
	if ('obstacle' in planned) return planned.obstacle;
	replaceNode(node, planned.parameters, findings);
	return undefined;
}

/** The chain that begins with a request, if all its requests can be replaced. */
function chainOf(request: ServiceRequest, around: Surroundings): Chain | undefined {
	const chain = readChain(request, around);
	const others = chain?.between.flatMap(({ name }) => around.requests.get(name) ?? []) ?? [];
	const isFree =
		chain && [chain.create, ...others, chain.download].every((one) => obstacleOf(one) === undefined);
	// Version 2 requests to the retired address are not merged: their readers already expect version 2.
	const isOld = chain?.create.address.version === 1 && chain.download.address.version === 1;
	return isFree && isOld ? chain : undefined;
}

/** The result of the replacement. */
export interface Replacement {
	/** Requests that HTTP Request nodes still send. */
	kept: ServiceRequest[];
	/** The new nodes, with the request whose key each needs. */
	replaced: Array<{ node: WorkflowNode; request: ServiceRequest }>;
	/** Downloads of separate nodes, each of which needs its own adapter. */
	downloads: ServiceRequest[];
}

const isDownload = ({ address }: ServiceRequest): boolean => address.endpoint === 'download';

/** Replaces requests with Price Collection nodes, and each whole chain with one node. */
export function replaceRequests(
	workflow: Workflow,
	requests: readonly ServiceRequest[],
	kept: KeptWords,
	findings: Findings,
): Replacement {
	const around = { workflow, requests: new Map(requests.map((request) => [request.node.name, request])) };
	const result: Replacement = { kept: [], replaced: [], downloads: [] };
	const done = new Set<WorkflowNode>();
	for (const request of requests) {
		const chain = chainOf(request, around);
		const nodes = chain && replaceChain(workflow, chain, kept, findings);
		if (!chain || !nodes) continue;
		for (const node of [chain.create.node, ...chain.between, chain.download.node]) done.add(node);
		result.replaced.push(...nodes.map((node) => ({ node, request })));
	}
	const separate = requests.filter(({ node }) => !done.has(node));
	for (const request of separate) {
		const reason = replaceRequest(workflow, request, findings);
		if (reason === undefined) result.replaced.push({ node: request.node, request });
		else {
			result.kept.push(request);
			const message = `It stays an HTTP Request node, because ${reason}.`;
			findings.warnings.push({ node: request.node.name, message });
		}
	}
	result.downloads = separate.filter(isDownload);
	return result;
}

/** Keeps all requests as HTTP Request nodes. */
export const keepRequests = (requests: readonly ServiceRequest[]): Replacement => ({
	kept: [...requests],
	replaced: [],
	downloads: requests.filter(isDownload),
});
