import type { IDataObject } from 'n8n-workflow';

import { readObstacle, renameReads } from '../code/names';
import { codeOf, isExpression } from '../code/template';
import type { Findings } from '../json/findings';
import type { Target, Workflow, WorkflowNode } from '../json/workflowJson';
import { isRecord } from '../json/workflowJson';
import type { KeptWords } from '../results/adapter';
import { becomeAdapter, isRead } from '../results/adapter';
import type { Chain } from './chain';
import { settingsObstacle } from './chain';
import { creationParameters } from './nodeParameters';
import { replaceNode } from './replaceNode';

/** In minutes: after this time the service ends a job that names none. */
const DEFAULT_TIMEOUT = 1440;
/** In minutes: what a job that ran into its timeout needs to hand in what it has. */
const GRACE = 10;

/** n8n suspends an execution whose Wait node waits this long or longer, in seconds. */
const SHORTEST_SUSPENSION = 65;

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** How long a Wait node waits, in seconds; undefined when that is decided at run time. */
function waitedSeconds({ parameters, typeVersion }: WorkflowNode): number | undefined {
	const [amount, unit] = typeVersion < 1.1 ? [1, 'hours'] : [5, 'seconds'];
	const seconds = Number(parameters.amount ?? amount) * (SECONDS[String(parameters.unit ?? unit)] ?? NaN);
	return Number.isFinite(seconds) ? seconds : undefined;
}

/** How long to wait for a job, in minutes: as long as the job itself may run, and a little longer. */
function longestWait(timeout: unknown): unknown {
	if (isExpression(timeout)) return `={{ Number(${codeOf(timeout)}) + ${GRACE} }}`;
	return Number(timeout ?? DEFAULT_TIMEOUT) + GRACE;
}

/** Why a chain has to stay as separate nodes, or the parameters of the node that takes its place. */
function plan(workflow: Workflow, chain: Chain): { obstacle: string } | { parameters: IDataObject } {
	const { create, download, between } = chain;
	const creation = creationParameters(create);
	if ('obstacle' in creation) return creation;
	const members = [create.node, ...between, download.node];
	const outside = workflow.nodes.filter((node) => !members.includes(node));
	const allowed = new Map([create.node, ...between].map(({ name }) => [name, ['job_id']] as const));
	const obstacle = settingsObstacle(chain) ?? readObstacle(outside, allowed);
	return obstacle === undefined ? creation : { obstacle };
}

/** Settings that have no meaning for one node, or would cost money, and the notes of removed nodes. */
function mergeSettings(workflow: Workflow, { create, download, between }: Chain, findings: Findings): void {
	const { node } = create;
	const retrying = [node, ...between, download.node].filter(({ retryOnFail }) => retryOnFail === true);
	for (const { name } of retrying) {
		const reason =
			name === node.name
				? 'it would create the job, and pay for it, again'
				: 'Collect asks again by itself';
		findings.changes.push({ node: name, message: `Retry On Fail was switched off: ${reason}.` });
	}
	for (const setting of ['retryOnFail', 'maxTries', 'waitBetweenTries']) delete node[setting];
	const notes = [node, ...between].flatMap((one) =>
		typeof one.notes === 'string' && one.notes !== '' ? [one.notes] : [],
	);
	if (notes.length > 0) node.notes = notes.join('\n');
	const pins = workflow.pinData;
	if (!isRecord(pins)) return;
	const lost = [node, ...between].filter(({ name }) => name in pins).map(({ name }) => name);
	for (const name of lost) delete pins[name];
	if (download.node.name in pins) pins[node.name] = pins[download.node.name];
	delete pins[download.node.name];
	if (lost.length === 0) return;
	const message = `The pinned data of "${lost.join('", "')}" was dropped: the node now gives the results.`;
	findings.changes.push({ node: node.name, message });
}

/** What a suspended job needs: a Wait operation that is fed by Still Running, its own included. */
function becomeWait(node: WorkflowNode, pollInterval: IDataObject, findings: Findings): void {
	const parameters = {
		resource: 'job',
		operation: 'wait',
		jobId: { __rl: true, mode: 'id', value: '={{ $json.job_id }}' },
		waitMode: 'durable',
		waitOptions: { ...pollInterval, onDeadline: 'error' },
		output: 'job',
		options: {},
	};
	replaceNode(node, parameters, findings);
}

/**
 * Puts one `collect` node in the place of a chain: it keeps id, name and position of the node that created the job.
 * Where the chain suspended the execution, its Wait node becomes the Wait operation that suspends. The download
 * becomes the adapter, if anything reads it.
 * @returns the nodes that took the chain's place; undefined when it stays, and the report says why
 */
export function replaceChain(
	workflow: Workflow,
	chain: Chain,
	kept: KeptWords,
	findings: Findings,
): WorkflowNode[] | undefined {
	const { create, download, between, wait } = chain;
	const { node } = create;
	const names = [...between, download.node].map(({ name }) => name);
	const planned = plan(workflow, chain);
	if ('obstacle' in planned) {
		findings.warnings.push({
			node: node.name,
			message: `"${[node.name, ...names].join('", "')}" stay separate nodes, because ${planned.obstacle}.`,
			suggestion: 'One node with the operation Collect creates, waits and downloads by itself.',
		});
		return undefined;
	}
	const waits = between.filter(({ type }) => type === 'n8n-nodes-base.wait').map(waitedSeconds);
	const longest = Math.max(0, ...waits.map((seconds) => seconds ?? SHORTEST_SUSPENSION));
	const loop = longest >= SHORTEST_SUSPENSION ? wait : undefined;
	const readsFrom = [...(loop ? [node] : []), ...between].map(({ name }) => name);
	const outside = workflow.nodes.filter(
		(one) => one !== node && !between.includes(one) && one !== download.node,
	);
	const isNeeded =
		isRead(workflow, download.node.name) ||
		outside.some(({ parameters }) => names.some((name) => JSON.stringify(parameters).includes(name)));
	const after = workflow.connections[download.node.name]?.main?.[0] ?? [];
	mergeSettings(workflow, chain, findings);
	renameReads(outside, readsFrom, download.node.name);
	for (const name of names) delete workflow.connections[name];
	const removed = [...between.filter((one) => one !== loop), ...(isNeeded ? [] : [download.node])];
	workflow.nodes = workflow.nodes.filter((one) => !removed.includes(one));
	const to = (name: string): Target[] => [{ node: name, type: 'main', index: 0 }];
	const finished = isNeeded ? to(download.node.name) : after;
	workflow.connections[node.name] = { main: loop ? [finished, to(loop.name)] : [finished] };
	if (loop) workflow.connections[loop.name] = { main: [finished, to(loop.name)] };
	if (isNeeded) workflow.connections[download.node.name] = { main: [after] };
	const pollInterval: IDataObject = loop && longest > SHORTEST_SUSPENSION ? { pollInterval: longest } : {};
	const { options } = planned.parameters;
	const timeout = isRecord(options) ? options.timeout : undefined;
	const maxWait = longestWait(timeout) as number;
	const parameters = {
		resource: 'job',
		operation: 'collect',
		...planned.parameters,
		waitMode: loop ? 'durable' : 'poll',
		waitOptions: { maxWait, onDeadline: 'error', ...pollInterval },
		output: 'job',
	};
	replaceNode(node, parameters, findings);
	if (loop) becomeWait(loop, pollInterval, findings);
	if (isNeeded) {
		becomeAdapter(download.node, kept);
		const message =
			'It gives the results in the shape of version 1, so that nothing behind it has to change.';
		findings.changes.push({ node: download.node.name, message });
	}
	const gone = removed.length > 0 ? ` Removed: "${removed.map(({ name }) => name).join('", "')}".` : '';
	const message = `It collects by itself now.${gone} It waits until the timeout of the job and ${GRACE} minutes more, then fails.`;
	findings.changes.push({ node: node.name, message });
	return loop ? [node, loop] : [node];
}
