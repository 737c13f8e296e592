import { unwrapped, type Code, fixedText, parseExpression, expressionPath } from '../code/parse';
import { soleCode } from '../code/template';
import {
	goesOn,
	isRecord,
	connectedInputs,
	sourcesOf,
	within,
	type Workflow,
	type WorkflowNode,
} from '../json/workflowJson';
import type { ServiceRequest } from '../request/request';

/** Create, Wait, status, IF and download nodes that together do what a single `collect` node does. */
export interface Chain {
	create: ServiceRequest;
	download: ServiceRequest;
	/** All nodes of the chain between the two. */
	between: WorkflowNode[];
	/** The first Wait node among them. */
	wait?: WorkflowNode;
}

/** The input of the recognition. */
export interface Surroundings {
	workflow: Workflow;
	requests: ReadonlyMap<string, ServiceRequest>;
}

const nodeOf = ({ workflow }: Surroundings, name: string | undefined): WorkflowNode | undefined =>
	workflow.nodes.find((node) => node.name === name);

/** The nodes that an output leads to, by `main` connections only. */
const targets = ({ workflow }: Surroundings, name: string, output: number): string[] =>
	(connectedInputs(workflow, name)[output] ?? []).map(({ node }) => node);

/** The only node behind a node with a single used output. */
function followingNode(name: string, around: Surroundings): string | undefined {
	const outputs = connectedInputs(around.workflow, name).filter((output) => output.length > 0);
	const [only, more] = targets(around, name, 0);
	return outputs.length === 1 && more === undefined ? only : undefined;
}

function isWait(name: string | undefined, around: Surroundings): name is string {
	const node = nodeOf(around, name);
	return (
		node?.type === 'n8n-nodes-base.wait' && (node.parameters.resume ?? 'timeInterval') === 'timeInterval'
	);
}

/** Whether code only reads this field, of the item or of one of these nodes. */
function readsField(code: Code | undefined, field: string, names: readonly string[]): boolean {
	const { variable, node, fields = [] } = expressionPath(code) ?? {};
	const isTheirs = variable === undefined && (node === undefined || names.includes(node));
	return isTheirs && fields.length === 1 && fields[0] === field;
}

/** Whether an operation tests for equality (true) or inequality (false), in all versions of the IF node. */
const EQUAL: Readonly<Record<string, boolean>> = {
	equal: true,
	equals: true,
	true: true,
	notEqual: false,
	notEquals: false,
	false: false,
};

/**
 * Whether the first output of an IF node gets the finished jobs (true) or the others (false); undefined when
 * the node is not an IF or tests something else.
 */
function readStatusTest({ type, parameters }: WorkflowNode, statusNode: string): boolean | undefined {
	const { conditions } = parameters;
	if (type !== 'n8n-nodes-base.if' || !isRecord(conditions)) return undefined;
	const listed = conditions.conditions;
	const [row, more] = (Array.isArray(listed) ? listed : Object.values(conditions).flat()).filter(isRecord);
	const operation = String(within(row, 'operator', 'operation') ?? row?.operation ?? 'equal');
	const equal = EQUAL[operation];
	const code = parseExpression(soleCode(row?.leftValue ?? row?.value1) ?? '');
	if (!row || more || !code || equal === undefined) return undefined;
	const isTruth = operation === 'true' || operation === 'false';
	const right = isTruth ? true : (row.rightValue ?? row.value2 ?? false);
	if (right === 'finished' && readsField(code, 'status', [statusNode])) return equal;
	const inner = unwrapped(code);
	if (inner.type !== 'BinaryExpression' || !/^[=!]==?$/.test(inner.operator)) return undefined;
	if (!readsField(inner.left, 'status', [statusNode]) || fixedText(inner.right) !== 'finished')
		return undefined;
	const asked = String(right).replace(/[={}\s]/g, '');
	if (asked !== 'true' && asked !== 'false') return undefined;
	return (inner.operator.startsWith('=') === equal) === (asked === 'true');
}

interface Loop {
	download: string | undefined;
	members: string[];
}

/** The loop from a status request over the IF node: its exit, and the nodes of the way back. */
function readLoop(status: string, waited: string | undefined, around: Surroundings): Loop | undefined {
	const test = followingNode(status, around);
	const node = nodeOf(around, test);
	const polarity = node && readStatusTest(node, status);
	if (test === undefined || polarity === undefined) return undefined;
	const [finished, unfinished] = polarity ? [0, 1] : [1, 0];
	const [download, more] = targets(around, test, finished);
	const [back, second] = targets(around, test, unfinished);
	if (more !== undefined || second !== undefined) return undefined;
	if (back === undefined || back === waited || back === status) return { download, members: [test] };
	if (!isWait(back, around) || followingNode(back, around) !== status) return undefined;
	return { download, members: [test, back] };
}

/** The chain that begins with a creation; undefined when other nodes follow it. */
export function readChain(create: ServiceRequest, around: Surroundings): Chain | undefined {
	const first = create.node.name;
	if (create.address.endpoint !== 'create') return undefined;
	const step = followingNode(first, around);
	const waited = isWait(step, around) ? step : undefined;
	const then = waited === undefined ? step : followingNode(waited, around);
	const request = then === undefined ? undefined : around.requests.get(then);
	if (then === undefined || !request) return undefined;
	const isStatus = request.address.endpoint === 'get';
	const loop = isStatus ? readLoop(then, waited, around) : { download: then, members: [] };
	const download = loop?.download === undefined ? undefined : around.requests.get(loop.download);
	if (!loop || download?.address.endpoint !== 'download' || (!isStatus && waited === undefined))
		return undefined;
	const names = [waited, isStatus ? then : undefined, ...loop.members].filter((name) => name !== undefined);
	const all = [first, ...names, download.node.name];
	const isClosed = all
		.slice(1)
		.every((name) => sourcesOf(around.workflow, name).every((one) => all.includes(one)));
	const onlyMain = all.every((name) =>
		Object.keys(around.workflow.connections[name] ?? {}).every((kind) => kind === 'main'),
	);
	const jobs = [request, download].map(({ address }) => parseExpression(soleCode(address.jobId) ?? ''));
	const isOne = jobs.every((job) => readsField(job, 'job_id', all));
	if (!isClosed || !onlyMain || !isOne || new Set(all).size < all.length) return undefined;
	const between = names.flatMap((name) => nodeOf(around, name) ?? []);
	const wait = between.find(({ name }) => isWait(name, around));
	return { create, download, between, ...(wait ? { wait } : {}) };
}

/** Why a chain's settings cannot apply to a single node; undefined when they can. */
export function settingsObstacle({ create, download, between }: Chain): string | undefined {
	for (const node of [create.node, ...between, download.node]) {
		const isFirst = node === create.node;
		if (node.disabled === true) return `"${node.name}" is disabled`;
		if (node.onError === 'continueErrorOutput') return `"${node.name}" has an error output`;
		if (!isFirst && goesOn(node)) return `"${node.name}" continues after an error`;
		if (!isFirst && node.executeOnce === true) return `"${node.name}" executes once`;
		if (node !== download.node && node.alwaysOutputData === true)
			return `"${node.name}" always outputs data`;
	}
	return undefined;
}
