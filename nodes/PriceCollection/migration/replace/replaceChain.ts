import type { IDataObject } from 'n8n-workflow';

import { codeOf, isExpression } from '../code/template';
import type { Findings } from '../json/findings';
import { isRecord, mentions, type Target, type Workflow, type WorkflowNode } from '../json/workflowJson';
import { becomeAdapter, isRead, type KeptWords } from '../results/adapter';
import { type Chain, settingsObstacle } from './chain';
import { creationParameters, locator } from './nodeParameters';
import { replaceNode } from './replaceNode';

/** The service's default timeout of a job, in minutes. */
const DEFAULT_TIMEOUT = 1440;
/** Time in which a job that ran into its timeout delivers what it has, in minutes. */
const GRACE = 10;
/** n8n suspends executions at Wait nodes of at least this many seconds. */
const SHORTEST_SUSPENSION = 65;

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** How long a Wait node waits, in seconds; a value that is unknown until run time counts as suspension. */
function waitedSeconds({ parameters, typeVersion }: WorkflowNode): number {
	const [amount, unit] = typeVersion < 1.1 ? [1, 'hours'] : [5, 'seconds'];
	const seconds = Number(parameters.amount ?? amount) * (SECONDS[String(parameters.unit ?? unit)] ?? NaN);
	return Number.isFinite(seconds) ? seconds : SHORTEST_SUSPENSION;
}

/** How long to wait for a job, in minutes: slightly longer than its timeout. */
function longestWait(options: unknown): IDataObject[string] {
	const timeout = isRecord(options) ? options.timeout : undefined;
	if (isExpression(timeout)) return `={{ Number(${codeOf(timeout)}) + ${GRACE} }}`;
	return Number(timeout ?? DEFAULT_TIMEOUT) + GRACE;
}

/** Code that reads a node without a quoted name. */
const DYNAMIC_READ = /\$(?:node\[|\(|items\()\s*[^\s'"`)\\]/;

/** Why other nodes need the nodes to remove: they name them, or build a name that may be theirs. */
function readersObstacle(
	outside: readonly WorkflowNode[],
	gone: readonly WorkflowNode[],
): string | undefined {
	for (const node of outside) {
		const text = JSON.stringify(node.parameters);
		const named = gone.find(({ name }) => mentions(text, name));
		if (named) return `"${node.name}" names "${named.name}"`;
		if (DYNAMIC_READ.test(text)) return `"${node.name}" reads a node by a name that is put together`;
	}
	return undefined;
}

/** Drops settings that mean nothing for one node, and merges notes and pinned data. */
function mergeSettings(workflow: Workflow, { create, download, between }: Chain, findings: Findings): void {
	const { node } = create;
	const message = 'Retry On Fail was switched off: Collect repeats by itself what can be repeated.';
	for (const { name } of [node, ...between, download.node].filter((one) => one.retryOnFail === true))
		findings.changes.push({ node: name, message });
	for (const setting of ['retryOnFail', 'maxTries', 'waitBetweenTries']) delete node[setting];
	const notes = [node, ...between]
		.map((one) => one.notes)
		.filter((text) => typeof text === 'string' && text !== '');
	if (notes.length > 0) node.notes = notes.join('\n');
	const pins = workflow.pinData;
	if (!isRecord(pins)) return;
	const lost = [node, ...between].filter(({ name }) => name in pins).map(({ name }) => name);
	for (const name of lost) delete pins[name];
	if (download.node.name in pins) pins[node.name] = pins[download.node.name];
	delete pins[download.node.name];
	if (lost.length === 0) return;
	const dropped = `The pinned data of "${lost.join('", "')}" was dropped: the node now gives the results.`;
	findings.changes.push({ node: node.name, message: dropped });
}

/**
 * Replaces a chain with one `collect` node, which keeps id, name and position of the creating node. If the
 * chain suspended the execution, its Wait node becomes the Wait operation behind Still Running. The download
 * becomes the adapter, if anything reads it.
 * @returns the nodes that replace the chain; undefined when it stays, for the reason in the report
 */
export function replaceChain(
	workflow: Workflow,
	chain: Chain,
	kept: KeptWords,
	findings: Findings,
): WorkflowNode[] | undefined {
	const { create, download, between, wait } = chain;
	const { node } = create;
	const creation = creationParameters(create);
	const members = [node, ...between, download.node];
	const outside = workflow.nodes.filter((one) => !members.includes(one));
	const obstacle =
		'obstacle' in creation
			? creation.obstacle
			: (settingsObstacle(chain) ?? readersObstacle(outside, [node, ...between]));
	if ('obstacle' in creation || obstacle !== undefined) {
		findings.warnings.push({
			node: node.name,
			message: `"${members.map(({ name }) => name).join('", "')}" stay separate nodes, because ${obstacle}.`,
			suggestion: 'One node with the operation Collect creates, waits and downloads by itself.',
		});
		return undefined;
	}
	const waits = between.filter(({ type }) => type === 'n8n-nodes-base.wait').map(waitedSeconds);
	const longest = Math.max(0, ...waits);
	const loop = longest >= SHORTEST_SUSPENSION ? wait : undefined;
	const isNeeded = isRead(workflow, download.node.name);
	const after = workflow.connections[download.node.name]?.main?.[0] ?? [];
	mergeSettings(workflow, chain, findings);
	const removed = [...between.filter((one) => one !== loop), ...(isNeeded ? [] : [download.node])];
	workflow.nodes = workflow.nodes.filter((one) => !removed.includes(one));
	for (const { name } of members) delete workflow.connections[name];
	const to = (name: string): Target[] => [{ node: name, type: 'main', index: 0 }];
	for (const { name } of loop ? [node, loop] : [node]) {
		workflow.connections[name] = {
			main: [isNeeded ? to(download.node.name) : after, ...(loop ? [to(loop.name)] : [])],
		};
	}
	if (isNeeded) workflow.connections[download.node.name] = { main: [after] };
	const { parameters } = creation;
	const end = { onDeadline: 'error', ...(longest > SHORTEST_SUSPENSION ? { pollInterval: longest } : {}) };
	const job = { resource: 'job', waitMode: loop ? 'durable' : 'poll', output: 'job' };
	const maxWait = longestWait(parameters.options);
	replaceNode(
		node,
		{ ...job, operation: 'collect', ...parameters, waitOptions: { maxWait, ...end } },
		findings,
	);
	if (loop) {
		const jobId = locator('id', '={{ $json.job_id }}');
		replaceNode(loop, { ...job, operation: 'wait', jobId, waitOptions: end, options: {} }, findings);
	}
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
