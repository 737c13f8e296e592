import type { IDataObject, INode } from 'n8n-workflow';

import { connect, node } from '../../engine/support/workflow';
import { IDS, QUEUED_TWICE, WIRINGS, type Wiring } from '../../engine/support/wirings';
import type { InspectedJob } from '../../fakes/sandbox/inspection';
import { collect, finishJob, linked, locator, sandbox, WAIT, type Mode } from './harness/collecting';
import {
	createCredential,
	n8n,
	runWorkflow,
	unique,
	type CredentialReference,
	type Outcome,
} from './harness/e2e';

/**
 * Nodes that n8n queues a second time before their first execution sleeps, and sub-workflows that sleep, among n8n's
 * own nodes. `engine/money/queuedTwice` plays them with each setting. All run at the same time, because each of n8n's
 * timers takes a minute.
 */

/** A run has up to seven timers, and each takes up to 130 s. */
const LONGEST_MS = 7 * 130_000;
/** How long the job of a slow term runs. No Collect waits that long without sleeping. */
const SLOW_MS = 15_000;
/** Terms whose jobs end at once, so that some rows come before others. */
const QUICK = ['b', 'd'];

let credential: CredentialReference;
let finishing: NodeJS.Timeout;

async function finishSlow(): Promise<void> {
	const jobs = await sandbox<InspectedJob[]>('GET', 'jobs');
	for (const { job_id, values, endedAt, createdAt } of jobs) {
		const isDue = Date.now() - new Date(createdAt).getTime() > SLOW_MS;
		if (endedAt === null && isDue && values.some((value) => value.startsWith('slow')))
			await finishJob(job_id);
	}
}

beforeAll(async () => {
	credential = await createCredential({ customizeService: true, maxValuesPerJob: 1 });
	finishing = setInterval(() => void finishSlow(), 2_000);
});
afterAll(() => clearInterval(finishing));

/** Items whose terms no other run asks for, and the rows that they get. */
function asking(): { input: IDataObject[]; rows: (times?: number) => string[] } {
	const name = unique('lamp');
	const termOf = (id: string) => (QUICK.includes(id) ? `${name} ${id}` : `slow ${name} ${id}`);
	return {
		input: IDS.map((id) => ({ id, term: termOf(id) })),
		rows: (times = 1) =>
			IDS.flatMap((id) =>
				Array.from({ length: times }, () => `${id} ${termOf(id)} ${QUICK.includes(id)}`),
			),
	};
}

const named = (name: string, like: INode): INode => ({ ...like, name, id: `id-${name}` });
const waitNode = (name: string): INode => named(name, WAIT);

/** The rows of all rounds, or of the last one if that has all rows so far. */
function rowsOf(outcome: Outcome, isCumulative = false): string[] {
	const rows = isCumulative
		? outcome.items('Linked', 0, outcome.rounds('Linked') - 1)
		: outcome.allItems('Linked');
	return rows.map((row) => `${row.linked} ${row.value} ${row.found}`).sort();
}

async function play(name: string, waitMode: Mode, executionOrder: 'v0' | 'v1'): Promise<void> {
	const { input, rows } = asking();
	const wiring = WIRINGS[name]?.({
		...{ start: 'Start', rows: 'Linked', wait: waitNode },
		collect: (collecting) => named(collecting, collect({ waitMode })),
	}) as Wiring;
	const nodes = [...wiring.nodes, linked];
	const settings = { executionOrder };
	const options = { credential, input, settings, mode: 'production', timeoutMs: LONGEST_MS } as const;
	const ended = await runWorkflow(nodes, wiring.connections, options);
	expect([name, executionOrder, ended.error?.message, rowsOf(ended, wiring.isCumulative)]).toEqual([
		...[name, executionOrder, undefined, rows(wiring.times).sort()],
	]);
}

const PLAYED: Array<[string, Mode, 'v0' | 'v1']> = [
	[QUEUED_TWICE, 'durable', 'v1'],
	['Loop Over Items around Collect and Wait', 'durable', 'v1'],
	['two Collects into one Wait', 'durable', 'v0'],
	[QUEUED_TWICE, 'webhook', 'v1'],
];

it.concurrent.each(PLAYED)('%s, %s, %s: no row is lost or doubled', play, LONGEST_MS);

/** The node `Linked`, for a workflow that starts with the node of this name. */
const linkedTo = (start: string): INode => {
	const text = JSON.stringify(linked.parameters).replaceAll("$('Start')", `$('${start}')`);
	return { ...linked, parameters: JSON.parse(text) as INode['parameters'] };
};

it.concurrent(
	'a sub-workflow that sleeps gives its caller all rows, although some come before others',
	async () => {
		const { input, rows } = asking();
		const called = node(
			'Called',
			'n8n-nodes-base.executeWorkflowTrigger',
			{ inputSource: 'passthrough' },
			{ typeVersion: 1.1 },
		);
		const ours = [collect({ waitMode: 'durable' }), waitNode('Wait')];
		const { id } = await n8n().createWorkflow({
			name: unique('sub'),
			nodes: [
				...[called, linkedTo('Called')],
				...ours.map((one) => ({ ...one, credentials: { priceCollectionApi: credential } })),
			],
			connections: connect({
				Called: ['Collect'],
				Collect: ['Linked', 'Wait'],
				Wait: ['Linked', 'Wait'],
			}),
		});
		await n8n().activate(id);
		const parameters = { source: 'database', workflowId: locator('id', id), mode: 'once', options: {} };
		const call = node('Call', 'n8n-nodes-base.executeWorkflow', parameters, { typeVersion: 1.2 });
		const ended = await runWorkflow(
			[call, node('Linked', 'n8n-nodes-base.noOp')],
			connect({ Start: ['Call'], Call: ['Linked'] }),
			{ input, mode: 'production', timeoutMs: LONGEST_MS },
		);
		expect([ended.error?.message, rowsOf(ended)]).toEqual([undefined, rows().sort()]);
	},
	LONGEST_MS,
);
