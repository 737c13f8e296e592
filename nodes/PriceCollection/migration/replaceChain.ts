import type { Chain } from './chain';
import { readsOfNodes, renameReads } from './namedReads';
import { pinnedRows } from './pinData';
import { creationParameters, replaceNode } from './replaceNode';
import type { Report } from './report';
import type { WorkflowJson, WorkflowNode } from './workflowJson';

/** In minutes: the service ends a job after this time at the latest. */
const LONGEST_JOB = 1440;

const onlyReads = (fields: ReadonlyArray<string | undefined>, allowed: readonly string[]): boolean =>
	fields.every((field) => field !== undefined && allowed.includes(field));

/** Why a chain has to stay as separate nodes; undefined when one node can take its place. */
function obstacle(workflow: WorkflowJson, chain: Chain, asRows: boolean): string | undefined {
	const parameters = creationParameters(chain.create);
	if ('obstacle' in parameters) return String(parameters.obstacle);
	const { create, download, others } = chain;
	const members = [create.node, ...others];
	const outside = workflow.nodes.filter((node) => !members.includes(node));
	const allowed = asRows ? ['job_id'] : ['job_id', 'status'];
	const reads = readsOfNodes(
		outside,
		members.map(({ name }) => name),
	);
	for (const [name, fields] of reads) {
		const isDownload = name === download.node.name && !asRows;
		const fine = isDownload ? !fields.includes(undefined) : onlyReads(fields, allowed);
		if (!fine) return `other nodes read "${name}"`;
	}
	return undefined;
}

function switchOffRetry(node: WorkflowNode, report: Report): void {
	if (node.retryOnFail !== true) return;
	delete node.retryOnFail;
	const message = 'Retry On Fail was switched off: it would create the job, and pay for it, again.';
	report.changes.push({ node: node.name, message });
}

function movePins(workflow: WorkflowJson, chain: Chain, asRows: boolean): void {
	if (!workflow.pinData) return;
	const pins = { ...workflow.pinData };
	const results = pins[chain.download.node.name];
	for (const { name } of [chain.create.node, ...chain.others]) delete pins[name];
	if (results !== undefined) pins[chain.create.node.name] = asRows ? pinnedRows(results) : results;
	workflow.pinData = pins;
}

/**
 * Puts one `collect` node in the place of a chain: it keeps id, name and position of the node that
 * created the job, and goes on where the download went on.
 * @param asRows whether it gives rows as version 1 had them, else the downloaded object
 * @returns whether it was done; if not, the report says why
 */
export function replaceChain(workflow: WorkflowJson, chain: Chain, asRows: boolean, report: Report): boolean {
	const { create, download, others } = chain;
	const { node } = create;
	const names = others.map(({ name }) => name);
	const reason = obstacle(workflow, chain, asRows);
	if (reason !== undefined) {
		report.warnings.push({
			node: node.name,
			message: `"${[node.name, ...names].join('", "')}" stay separate nodes, because ${reason}.`,
			suggestion: 'One node with the operation Collect creates, waits and downloads by itself.',
		});
		return false;
	}
	const after = workflow.connections[download.node.name]?.main?.[0] ?? [];
	movePins(workflow, chain, asRows);
	workflow.nodes = workflow.nodes.filter((one) => !others.includes(one));
	for (const name of names) delete workflow.connections[name];
	renameReads(workflow.nodes, names, node.name);
	workflow.connections[node.name] = { main: [after] };
	const { grouping, ...creation } = { ...creationParameters(create) } as Record<string, never>;
	replaceNode(
		node,
		{
			resource: 'job',
			operation: 'collect',
			...creation,
			grouping: asRows ? 'combine' : grouping,
			waitMode: 'poll',
			waitOptions: { maxWait: LONGEST_JOB, onDeadline: 'error' },
			...(asRows ? { output: 'results', simplify: true } : { output: 'job' }),
		},
		report,
	);
	switchOffRetry(node, report);
	report.changes.push({
		node: node.name,
		message: `It collects by itself now; "${names.join('", "')}" were removed. It waits up to ${LONGEST_JOB} minutes, then fails.`,
	});
	return true;
}
