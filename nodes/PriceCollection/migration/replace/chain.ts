import { unwrapped, type Code, fixedText, parseExpression, expressionPath } from '../code/parse';
import { soleCode } from '../code/template';
import {
	continuesOnError,
	isRecord,
	connectedInputs,
	sourcesOf,
	within,
	type Workflow,
	type WorkflowNode,
} from '../json/workflowJson';
import type { ServiceRequest } from '../request/request';

/** Create, Wait, status, IF and download nodes that together do what one `collect` node does. */
export interface Chain {
	create: ServiceRequest;
	download: ServiceRequest;
	/** All nodes of the chain between the two requests. */
	between: WorkflowNode[];
	/** The first Wait node in `between`. */
	wait?: WorkflowNode;
}

/** A workflow and its service requests by node name. */
export interface Surroundings {
	workflow: Workflow;
	requests: ReadonlyMap<string, ServiceRequest>;
}

const nodeOf = ({ workflow }: Surroundings, name: string | undefined): WorkflowNode | undefined =>
	workflow.nodes.find((node) => node.name === name);

/** Names of the nodes that one of a node's `main` outputs leads to. */
const targets = ({ workflow }: Surroundings, name: string, output: number): string[] =>
	(connectedInputs(workflow, name)[output] ?? []).map(({ node }) => node);

/** Name of the only node that follows; undefined if there are several, or if an output other than the first is used. */
function followingNode(name: string, surroundings: Surroundings): string | undefined {
	const outputs = connectedInputs(surroundings.workflow, name).filter((output) => output.length > 0);
	const [follower, more] = targets(surroundings, name, 0);
	return outputs.length === 1 && more === undefined ? follower : undefined;
}

function isWait(name: string | undefined, surroundings: Surroundings): name is string {
	const node = nodeOf(surroundings, name);
	return (
		node?.type === 'n8n-nodes-base.wait' && (node.parameters.resume ?? 'timeInterval') === 'timeInterval'
	);
}

/** Whether code just reads this field, from its input item or from one of these nodes. */
function readsField(code: Code | undefined, field: string, names: readonly string[]): boolean {
	const { variable, node, fields = [] } = expressionPath(code) ?? {};
	const isAllowedSource = variable === undefined && (node === undefined || names.includes(node));
	return isAllowedSource && fields.length === 1 && fields[0] === field;
}

/** IF node operations of all versions: do they test for equality (true) or inequality (false)? */
const IS_EQUALITY: Readonly<Record<string, boolean>> = {
	equal: true,
	equals: true,
	true: true,
	notEqual: false,
	notEquals: false,
	false: false,
};

/**
 * Whether an IF node's first output gets the finished jobs (true) or the others (false). Undefined if the node is not an
 * IF or tests anything else.
 */
function readStatusTest({ type, parameters }: WorkflowNode, statusNode: string): boolean | undefined {
	const { conditions } = parameters;
	if (type !== 'n8n-nodes-base.if' || !isRecord(conditions)) return undefined;
	const list = conditions.conditions;
	const [row, more] = (Array.isArray(list) ? list : Object.values(conditions).flat()).filter(isRecord);
	const operation = String(within(row, 'operator', 'operation') ?? row?.operation ?? 'equal');
	const isEqual = IS_EQUALITY[operation];
	const code = parseExpression(soleCode(row?.leftValue ?? row?.value1) ?? '');
	if (!row || more || !code || isEqual === undefined) return undefined;
	const testsBoolean = operation === 'true' || operation === 'false';
	const right = testsBoolean ? true : (row.rightValue ?? row.value2 ?? false);
	if (right === 'finished' && readsField(code, 'status', [statusNode])) return isEqual;
	const inner = unwrapped(code);
	if (inner.type !== 'BinaryExpression' || !/^[=!]==?$/.test(inner.operator)) return undefined;
	if (!readsField(inner.left, 'status', [statusNode]) || fixedText(inner.right) !== 'finished')
		return undefined;
	const expected = String(right).replace(/[={}\s]/g, '');
	if (expected !== 'true' && expected !== 'false') return undefined;
	return (inner.operator.startsWith('=') === isEqual) === (expected === 'true');
}

interface Loop {
	/** Name of the node after the exit. */
	download: string | undefined;
	/** Names of the IF node and of the Wait node, if any, that leads back. */
	members: string[];
}

/**
 * Reads the loop from a status request through the IF node and back, directly or through a Wait node. The way back may
 * also be unconnected. Undefined if the nodes do not form a loop like this.
 *
 * @param waitNode name of the Wait node before the status request, if any
 */
function readLoop(
	statusNode: string,
	waitNode: string | undefined,
	surroundings: Surroundings,
): Loop | undefined {
	const ifNode = followingNode(statusNode, surroundings);
	const node = nodeOf(surroundings, ifNode);
	const isFinishedFirst = node && readStatusTest(node, statusNode);
	if (ifNode === undefined || isFinishedFirst === undefined) return undefined;
	const [finished, unfinished] = isFinishedFirst ? [0, 1] : [1, 0];
	const [download, more] = targets(surroundings, ifNode, finished);
	const [back, second] = targets(surroundings, ifNode, unfinished);
	if (more !== undefined || second !== undefined) return undefined;
	if (back === undefined || back === waitNode || back === statusNode)
		return { download, members: [ifNode] };
	if (!isWait(back, surroundings) || followingNode(back, surroundings) !== statusNode) return undefined;
	return { download, members: [ifNode, back] };
}

/** Reads the chain that begins with a creation; undefined if the nodes that follow do not form one. */
export function readChain(create: ServiceRequest, surroundings: Surroundings): Chain | undefined {
	const first = create.node.name;
	if (create.address.endpointName !== 'create') return undefined;
	const next = followingNode(first, surroundings);
	const waitNode = isWait(next, surroundings) ? next : undefined;
	const requestNode = waitNode === undefined ? next : followingNode(waitNode, surroundings);
	const request = requestNode === undefined ? undefined : surroundings.requests.get(requestNode);
	if (requestNode === undefined || !request) return undefined;
	const isStatus = request.address.endpointName === 'get';
	const loop = isStatus
		? readLoop(requestNode, waitNode, surroundings)
		: { download: requestNode, members: [] };
	const download = loop?.download === undefined ? undefined : surroundings.requests.get(loop.download);
	if (!loop || download?.address.endpointName !== 'download' || (!isStatus && waitNode === undefined))
		return undefined;
	const names = [waitNode, isStatus ? requestNode : undefined, ...loop.members].filter(
		(name) => name !== undefined,
	);
	const members = [first, ...names, download.node.name];
	const isClosed = members
		.slice(1)
		.every((name) => sourcesOf(surroundings.workflow, name).every((one) => members.includes(one)));
	const onlyMain = members.every((name) =>
		Object.keys(surroundings.workflow.connections[name] ?? {}).every((kind) => kind === 'main'),
	);
	const jobs = [request, download].map(({ address }) => parseExpression(soleCode(address.jobId) ?? ''));
	const isSameJob = jobs.every((job) => readsField(job, 'job_id', members));
	if (!isClosed || !onlyMain || !isSameJob || new Set(members).size < members.length) return undefined;
	const between = names.flatMap((name) => nodeOf(surroundings, name) ?? []);
	const wait = between.find(({ name }) => isWait(name, surroundings));
	return { create, download, between, ...(wait ? { wait } : {}) };
}

/** Why a chain's settings cannot apply to a single node; undefined if they can. */
export function settingsObstacle({ create, download, between }: Chain): string | undefined {
	for (const node of [create.node, ...between, download.node]) {
		const isFirst = node === create.node;
		if (node.disabled === true) return `"${node.name}" is disabled`;
		if (node.onError === 'continueErrorOutput') return `"${node.name}" has an error output`;
		if (!isFirst && continuesOnError(node)) return `"${node.name}" continues after an error`;
		if (!isFirst && node.executeOnce === true) return `"${node.name}" executes once`;
		if (node !== download.node && node.alwaysOutputData === true)
			return `"${node.name}" always outputs data`;
	}
	return undefined;
}
