import type { IDataObject } from 'n8n-workflow';

import { codeOf, isExpression } from '../code/template';
import type { Findings } from '../json/findings';
import { isRecord, mentions, type Target, type Workflow, type WorkflowNode } from '../json/workflowJson';
import { becomeAdapter, isRead, type KeptWords } from '../results/adapter';
import { type Chain, settingsObstacle } from './chain';
import { creationParameters, locator } from './nodeParameters';
import { replaceNode } from './replaceNode';

/** The service's default job timeout, in minutes. */
const DEFAULT_TIMEOUT = 1440;
/** How long a timed-out job may take to deliver its results so far, in minutes. */
const GRACE = 10;
/** A Wait node suspends the execution if it waits at least this many seconds. */
const SHORTEST_SUSPENSION = 65;

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };

/** How long a Wait node waits, in seconds. A value that is unknown until run time counts as just long enough to suspend. */
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

/** Matches code that reads a node by a name that is not a quoted text. */
const DYNAMIC_READ = /\$(?:node\[|\(|items\()\s*[^\s'"`)\\]/;

/** Why a chain must stay: another node names one of its members, or reads a node by a name built at run time. */
function readersObstacle(
	others: readonly WorkflowNode[],
	members: readonly WorkflowNode[],
): string | undefined {
	for (const node of others) {
		const text = JSON.stringify(node.parameters);
		const named = members.find(({ name }) => mentions(text, name));
		if (named) return `"${node.name}" refers to "${named.name}"`;
		if (DYNAMIC_READ.test(text)) return `"${node.name}" reads a node whose name is built at run time`;
	}
	return undefined;
}

/** Drops the retry settings, because Collect retries by itself, and merges notes and pinned data. */
function mergeSettings(workflow: Workflow, { create, download, between }: Chain, findings: Findings): void {
	const { node } = create;
	const message = 'Retry On Fail was switched off: Collect itself repeats the requests that it can repeat.';
	for (const { name } of [node, ...between, download.node].filter((one) => one.retryOnFail === true))
		findings.changes.push({ node: name, message });
	for (const setting of ['retryOnFail', 'maxTries', 'waitBetweenTries']) delete node[setting];
	const notes = [node, ...between]
		.map((one) => one.notes)
		.filter((text) => typeof text === 'string' && text !== '');
	if (notes.length > 0) node.notes = notes.join('\n');
	const pins = workflow.pinData;
	if (!isRecord(pins)) return;
	const pinned = [node, ...between].filter(({ name }) => name in pins).map(({ name }) => name);
	for (const name of pinned) delete pins[name];
	if (download.node.name in pins) pins[node.name] = pins[download.node.name];
	delete pins[download.node.name];
	if (pinned.length === 0) return;
	const dropped = `The pinned data of "${pinned.join('", "')}" was removed: the node now outputs the results.`;
	findings.changes.push({ node: node.name, message: dropped });
}

/**
 * Replaces a chain with one `collect` node, which keeps the creation node's ID, name and position. If the chain
 * suspended the execution, its Wait node becomes a node with the Wait operation, connected to the Still Running output.
 * If anything reads the download, its node becomes the adapter.
 *
 * @returns the new Price Collection nodes; undefined if the chain stays, for the reason in the report
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
			suggestion: 'A single node with the operation Collect can create, wait and download.',
		});
		return undefined;
	}
	const waitSeconds = between.filter(({ type }) => type === 'n8n-nodes-base.wait').map(waitedSeconds);
	const longestSeconds = Math.max(0, ...waitSeconds);
	const suspendingWait = longestSeconds >= SHORTEST_SUSPENSION ? wait : undefined;
	const needsAdapter = isRead(workflow, download.node.name);
	const followers = workflow.connections[download.node.name]?.main?.[0] ?? [];
	mergeSettings(workflow, chain, findings);
	const removed = [
		...between.filter((one) => one !== suspendingWait),
		...(needsAdapter ? [] : [download.node]),
	];
	workflow.nodes = workflow.nodes.filter((one) => !removed.includes(one));
	for (const { name } of members) delete workflow.connections[name];
	const inputOf = (name: string): Target[] => [{ node: name, type: 'main', index: 0 }];
	for (const { name } of suspendingWait ? [node, suspendingWait] : [node]) {
		workflow.connections[name] = {
			main: [
				needsAdapter ? inputOf(download.node.name) : followers,
				...(suspendingWait ? [inputOf(suspendingWait.name)] : []),
			],
		};
	}
	if (needsAdapter) workflow.connections[download.node.name] = { main: [followers] };
	const { parameters } = creation;
	const deadlineOptions = {
		onDeadline: 'error',
		...(longestSeconds > SHORTEST_SUSPENSION ? { pollInterval: longestSeconds } : {}),
	};
	const base = { resource: 'job', waitMode: suspendingWait ? 'durable' : 'poll', output: 'job' };
	const maxWait = longestWait(parameters.options);
	replaceNode(
		node,
		{ ...base, operation: 'collect', ...parameters, waitOptions: { maxWait, ...deadlineOptions } },
		findings,
	);
	if (suspendingWait) {
		const jobId = locator('id', '={{ $json.job_id }}');
		replaceNode(
			suspendingWait,
			{ ...base, operation: 'wait', jobId, waitOptions: deadlineOptions, options: {} },
			findings,
		);
	}
	if (needsAdapter) {
		becomeAdapter(download.node, kept);
		const message =
			'It outputs the results in the shape of version 1, so the nodes after it need no change.';
		findings.changes.push({ node: download.node.name, message });
	}
	const removedText =
		removed.length > 0 ? ` Removed: "${removed.map(({ name }) => name).join('", "')}".` : '';
	const message = `It now creates the job, waits for it and downloads the results.${removedText} It waits ${GRACE} minutes longer than the timeout of the job, then fails.`;
	findings.changes.push({ node: node.name, message });
	return suspendingWait ? [node, suspendingWait] : [node];
}
