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
	if (address.endpointName === 'cancel' && isRead(workflow, node.name)) {
		return 'other nodes read its output, and the new node adds the job ID to it';
	}
	const plan = nodeParameters(request);
	if ('obstacle' in plan) return plan.obstacle;
	replaceNode(node, plan.parameters, findings);
	return undefined;
}

/** The version 1 chain that begins with a request, if all its requests can be replaced. */
function chainOf(request: ServiceRequest, surroundings: Surroundings): Chain | undefined {
	const chain = readChain(request, surroundings);
	const others = chain?.between.flatMap(({ name }) => surroundings.requests.get(name) ?? []) ?? [];
	const isReplaceable =
		chain && [chain.create, ...others, chain.download].every((one) => obstacleOf(one) === undefined);
	// Version 2 requests to the retired address are not merged: the nodes after them already expect version 2.
	const isVersion1 = chain?.create.address.version === 1 && chain.download.address.version === 1;
	return isReplaceable && isVersion1 ? chain : undefined;
}

/** What became of the requests. */
export interface Replacement {
	/** Requests that HTTP Request nodes still send. */
	kept: ServiceRequest[];
	/** The new nodes, each with the request whose key it needs. */
	replaced: Array<{ node: WorkflowNode; request: ServiceRequest }>;
	/** Downloads outside replaced chains, each of which may need an adapter. */
	downloads: ServiceRequest[];
}

const isDownload = ({ address }: ServiceRequest): boolean => address.endpointName === 'download';

/**
 * Replaces requests with Price Collection nodes. Where possible, a whole chain becomes one Collect node, plus a Wait
 * operation if it suspended the execution.
 */
export function replaceRequests(
	workflow: Workflow,
	requests: readonly ServiceRequest[],
	kept: KeptWords,
	findings: Findings,
): Replacement {
	const surroundings = {
		workflow,
		requests: new Map(requests.map((request) => [request.node.name, request])),
	};
	const result: Replacement = { kept: [], replaced: [], downloads: [] };
	const chainNodes = new Set<WorkflowNode>();
	for (const request of requests) {
		const chain = chainOf(request, surroundings);
		const nodes = chain && replaceChain(workflow, chain, kept, findings);
		if (!chain || !nodes) continue;
		for (const node of [chain.create.node, ...chain.between, chain.download.node]) chainNodes.add(node);
		result.replaced.push(...nodes.map((node) => ({ node, request })));
	}
	const separate = requests.filter(({ node }) => !chainNodes.has(node));
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
