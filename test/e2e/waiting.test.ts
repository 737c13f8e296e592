import type { IConnections, IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandboxProcess } from '../../tools/sandbox.cjs';
import { connect, node } from '../engine/workflow';
import { collect, linked, locator, rowsOf } from './harness/collecting';
import { NODE_TYPE, createCredential, runWorkflow } from './harness/e2e';
import type { Outcome } from './harness/e2e';

/** As many jobs as end together, and how often a minute their service may be asked for a status. */
const JOBS = 40;
const STATUS_CALLS = 60;
const JOB_DURATION_MS = 45_000;
/** The longest of the waits below has two of n8n's timers in it. */
const LONGEST_MS = 290_000;

const INPUT: IDataObject[] = Array.from({ length: JOBS }, (_, index) => ({
	id: `id-${index}`,
	term: `term ${index}`,
}));
const ROWS = INPUT.map(({ id, term }) => `${String(id)} ${String(term)} true`);

/** A Wait node behind Still Running that is wired to itself. */
const WAIT = node('Wait', NODE_TYPE, {
	resource: 'job',
	operation: 'wait',
	jobId: locator('id', '={{ $json.job_id }}'),
	waitMode: 'durable',
});
const ALONE = connect({ Start: ['Collect'], Collect: ['Linked'] });
const IN_LOOP = connect({ Start: ['Collect'], Collect: ['Linked', 'Wait'], Wait: ['Linked', 'Wait'] });

/** A workflow run against a service of its own, and what that service was asked. */
interface Waited {
	outcome: Outcome;
	/** The rows of all rounds of the node `Linked`, as texts, in the order of the items. */
	rows: string[];
	/** How often the service was asked for what, and refused. */
	calls: { created: number; downloaded: number; tooManyRequests: number };
}

interface LoggedCall {
	method: string;
	path: string;
	replyStatus: number | null;
}

async function callsOf(url: string): Promise<Waited['calls']> {
	const log = (await (await fetch(`${url}/_sandbox/requests`)).json()) as LoggedCall[];
	const count = (is: (call: LoggedCall) => boolean) => log.filter(is).length;
	return {
		created: count(({ method, path }) => method === 'POST' && path === '/v2/jobs'),
		downloaded: count(({ path }) => path.endsWith('/download')),
		tooManyRequests: count(({ replyStatus }) => replyStatus === 429),
	};
}

const stops: Array<() => void> = [];

/** Collects one value per job in a wait mode, where all jobs end at the same time. */
async function waitFor(
	parameters: INodeParameters,
	connections: IConnections,
	service: string[] = [],
): Promise<Waited> {
	const limits = [
		'--status-rate-limit',
		String(STATUS_CALLS),
		'--job-duration-ms',
		String(JOB_DURATION_MS),
	];
	const { url, stop } = await startSandboxProcess([...limits, ...service]);
	stops.push(stop);
	const credential = await createCredential({ baseUrl: url });
	const nodes = [collect({ options: { maxValuesPerJob: 1 }, ...parameters }), linked];
	if (connections === IN_LOOP) nodes.push(WAIT);
	const run = { credential, mode: 'production', input: INPUT, timeoutMs: LONGEST_MS } as const;
	const outcome = await runWorkflow(nodes, connections, run);
	const rounds = Array.from({ length: outcome.rounds('Linked') }, (_, round) =>
		rowsOf(outcome, round),
	).flat();
	const rows = rounds.sort((a, b) => ROWS.indexOf(a) - ROWS.indexOf(b));
	return { outcome, rows, calls: await callsOf(url) };
}

/** All side by side in one n8n: most of the time goes by in waiting. */
const waits: Record<string, Promise<Waited>> = {};

beforeAll(() => {
	const interval = { waitOptions: { pollInterval: 65 } };
	waits.poll = waitFor({ waitMode: 'poll' }, ALONE);
	waits.durable = waitFor({ waitMode: 'durable', ...interval }, IN_LOOP);
	waits.webhook = waitFor({ waitMode: 'webhook' }, ALONE);
	const lossy = ['--webhook-loss-every', '3'];
	waits.lossy = waitFor({ waitMode: 'webhook', ...interval }, IN_LOOP, lossy);
	// Looked at later; until then nobody hears of a failure.
	for (const wait of Object.values(waits)) wait.catch(() => undefined);
});

afterAll(() => {
	for (const stop of stops) stop();
});

describe(`${JOBS} jobs that end together, at ${STATUS_CALLS} status calls a minute`, () => {
	it.each([
		['polling', 'poll'],
		['suspended on a timer', 'durable'],
		['suspended until the webhook, all callbacks at once', 'webhook'],
		['suspended until the webhook, every third callback lost', 'lossy'],
	])(
		'are given out completely: %s',
		async (_name, mode) => {
			const { outcome, rows, calls } = (await waits[mode]) as Waited;
			expect([outcome.status, outcome.error]).toEqual(['success', undefined]);
			expect(rows).toEqual(ROWS);
			expect(calls).toEqual({ created: JOBS, downloaded: JOBS, tooManyRequests: 0 });
		},
		LONGEST_MS,
	);
});
