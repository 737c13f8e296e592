import type { IDataObject } from 'n8n-workflow';

import type { WaitSettings } from '../../../nodes/PriceCollection/settings/waitSettings';
import { deliver } from '../../../nodes/PriceCollection/delivery/deliver';
import {
	newRecord,
	type UnsentRequest,
	type JobRecord,
	type Run,
} from '../../../nodes/PriceCollection/run/record';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/api/client';
import type { Download } from '../../../nodes/PriceCollection/service/api/download';
import { failure, success, type Problem } from '../../../nodes/PriceCollection/service/problems';
import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { ENDPOINTS, type JobResults, type Result } from '../../../nodes/PriceCollection/service/types';
import { connect } from '../../engine/support/workflow';
import { fakeClient } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.download, effect: 'none' },
	...more,
});
type Said = Exclude<Download<JobResults>, { kind: 'results' }>;
const UNAVAILABLE: Said = { kind: 'notYet', why: problem('unavailable') };
const FORBIDDEN: Said = { kind: 'denied', why: problem('forbidden', { about: 'job' }) };
const NONE: Said = { kind: 'none', end: 'failed', reason: 'the job failed', why: problem('jobFailed') };
const PASSES = 'The service is temporarily unavailable';
const result = (value: string, more: Partial<Result> = {}): Result => ({
	...{ query: { value, topic: 'search' }, success: true, content: { name: value } },
	...more,
});
const failed = (value: string, reason?: string) => result(value, { success: false, reason, content: null });

/** A job of one value, asked for by this item, that ended like this or still runs. */
function job(jobId: string, item: number, end?: End, more: Partial<JobRecord> = {}): JobRecord {
	const request = { parameters: { topic: 'search' }, key: 'term', values: [jobId] };
	const record = newRecord(jobId, [{ item, lookups: [[0, jobId]] }], request);
	record.job.status = end === undefined ? 'working' : 'finished';
	return { ...record, end, checkedAt: NOW, deadline: NOW + HOUR, ...more };
}

interface Scene {
	downloads?: Record<string, Result[] | Said>;
	/** How the node waits; null if it does not. */
	wait?: Partial<WaitSettings> | null;
	/** What is connected to Still Running. */
	behind?: 'Done' | 'Wait' | null;
	choice?: IDataObject;
	more?: Parameters<typeof nodeContext>[0]['more'];
	unsent?: UnsentRequest[];
	isOutOfTime?: boolean;
	/** The status of a cancelled job. */
	status?: string;
	/** Why the service refuses to cancel. */
	refusal?: Problem;
}

/** What becomes of jobs: the rows, the tickets, and every request to the service. */
async function delivered(records: JobRecord[], scene: Scene = {}) {
	const { downloads = {}, wait = {}, behind = 'Wait', choice, unsent = [], more, isOutOfTime } = scene;
	const { status = 'cancelled', refusal } = scene;
	let now = NOW;
	const asked: string[] = [];
	const fake = fakeClient({ now: () => now, pause: async (pause) => void (now += pause), isOutOfTime });
	const client: ServiceClient = {
		...fake.client,
		download: async ({ jobId: job_id }) => {
			asked.push(`download ${job_id} ${(now - NOW) / 1_000}`);
			const results = downloads[job_id] ?? [result(job_id)];
			if (!Array.isArray(results)) return results;
			const value = { job_id, status: 'finished', results };
			return { kind: 'results', value, isEmpty: results.length === 0 };
		},
		cancelJob: async (jobId) => (
			asked.push(`cancel ${jobId}`),
			refusal === undefined ? success({}) : failure(refusal)
		),
		getJob: async (job_id) => (asked.push(`get ${job_id}`), success({ job_id, status })),
	};
	const { context, hints } = nodeContext({
		items: [{}, {}, {}],
		more: { getContext: () => ({}), ...more },
	});
	const parameters = { operation: 'wait' };
	const getNode = (name: string) => ({ name, type: name === 'Wait' ? 'x.prices' : 'x.noOp', parameters });
	const wires = connect({ Prices: behind === null ? ['Done'] : ['Done', behind] });
	Object.assign(context, { workflow: { connectionsBySourceNode: wires, getNode } });
	const onUnanswered = jest.fn();
	const first = {
		...{
			output: 'results',
			format: 'json',
			columns: 'all',
			includeNotFound: true,
			includeInputFields: false,
		},
		...{ onFailedResult: 'include', bestPrice: { ignoreShops: [], includeShipping: true }, ...choice },
	};
	const settings = { mode: 'durable', intervalMs: 65_000, onDeadline: 'stillRunning', ...wait };
	const run = {
		...{ context, client, records, unsent, choices: { first }, onUnanswered },
		...(wait !== null && { wait: settings }),
	} as unknown as Run;
	const outcome = await deliver(run).catch((error: Error & { description?: string }) => error);
	const [finished = [], tickets = []] = outcome instanceof Error ? [] : outcome.outputs;
	return {
		...{ asked, tickets: tickets.map(({ json }) => json), hints: hints.map(({ message }) => message) },
		reasons: finished.map(({ json }) => json.reason),
		rows: finished.map(({ json }) => json.value ?? json.error),
		error: outcome instanceof Error ? outcome : undefined,
		unanswered: onUnanswered.mock.calls.flat() as string[],
	};
}

test('the rows of all jobs stand at their items, and the run is summed up', async () => {
	const unsent: UnsentRequest = { item: 1, position: 0, row: { query: { value: 'bad' }, reason: 'x' } };
	const wrong: UnsentRequest = { item: 0, position: 0, error: { error: 'wrong' } };
	const records = [job('b', 2, 'results', { unsent: [wrong] }), job('a', 0, 'results')];
	const { rows, asked, hints } = await delivered(records, { unsent: [unsent] });
	expect(rows).toEqual(['wrong', 'a', 'bad', 'b']);
	expect(asked).toEqual(['download b 0', 'download a 0']);
	expect(hints.at(-1)).toMatch(/^2 jobs, 2 values: 2 found/);
});

describe('a job whose results cannot be had', () => {
	const ended = () => [job('a', 0, 'results'), job('b', 1, 'results')];

	test('stays open where another node waits for it, and the others are given out', async () => {
		const { rows, tickets } = await delivered(ended(), { downloads: { a: UNAVAILABLE } });
		const note = 'The latest request about this job failed: The service is temporarily unavailable.';
		expect(rows).toEqual(['b']);
		expect(tickets).toMatchObject([{ job_id: 'a', note, ticket: { timedOutNodes: [] } }]);
	});

	test.each<[string, Scene, JobRecord[], string]>([
		['is denied in words', { downloads: { a: FORBIDDEN } }, ended(), 'The key has no access to this'],
		['is waited for by polling', { wait: { mode: 'poll', onDeadline: 'error' } }, ended(), PASSES],
		['is not waited for', { wait: null }, ended(), PASSES],
		['leads nowhere', { behind: null }, ended(), PASSES],
		[
			'is given up for the second time',
			{},
			[job('a', 0, 'results', { deadline: NOW, timedOutNodes: ['Prices'] })],
			PASSES,
		],
	])('stops the node where it %s', async (_name, scene, records, message) => {
		const { error } = await delivered(records, { downloads: { a: UNAVAILABLE }, ...scene });
		expect(error?.message).toContain(message);
		const isGone = message.startsWith('The key');
		expect(error?.description).toContain(
			isGone ? 'Job without results: a.' : 'Nothing is lost: Wait and Download get the results',
		);
	});

	test('is an error item with Continue', async () => {
		const more = { continueOnFail: () => true };
		const scene = { wait: null, downloads: { a: UNAVAILABLE }, more };
		expect((await delivered(ended(), scene)).rows).toEqual([PASSES, 'b']);
	});

	const timeoutProblem: Scene = { wait: { onDeadline: 'error' }, behind: 'Done', isOutOfTime: true };
	test.each<[string, Scene]>([
		['at its deadline', { wait: { mode: 'poll' } }],
		['once the time of all requests is up', timeoutProblem],
	])('is given up without an error %s', async (_name, scene) => {
		const downloads = { a: UNAVAILABLE };
		const { tickets } = await delivered([job('a', 0, 'results')], { ...scene, downloads });
		expect(tickets).toMatchObject([{ job_id: 'a', ticket: { timedOutNodes: ['Prices'] } }]);
	});

	test('has no output to leave by where the node keeps checking: the others are given out all the same', async () => {
		const wait = { mode: 'poll', onDeadline: 'rows' } as const;
		const scene: Scene = { wait, downloads: { a: UNAVAILABLE }, isOutOfTime: true };
		const begun = ended().map((record) => ({ ...record, since: NOW }));
		const { rows, tickets, reasons, unanswered } = await delivered(begun, scene);
		const reason =
			'results not available after 60 minutes: job a. The latest request about this job failed:';
		expect([rows, tickets, unanswered]).toEqual([['a', 'b'], [], []]);
		expect(reasons[0]).toContain(reason);
		const [alone] = ended();
		expect((await delivered([alone!], scene)).error?.message).toContain(PASSES);
	});

	test.each<[string, Scene['wait'], number, number]>([
		['for 45 seconds where another node waits for it', {}, HOUR, 45],
		['until its deadline where it polls', { mode: 'poll' }, 100_000, 100],
		['for 45 seconds past that', { mode: 'poll' }, 0, 45],
		['for 45 seconds where it does not wait', null, HOUR, 45],
	])('is asked for again %s', async (_name, wait, deadlineMs, lastAt) => {
		const records = [job('a', 0, 'results', { deadline: NOW + deadlineMs })];
		const { asked } = await delivered(records, { wait, downloads: { a: UNAVAILABLE } });
		expect(asked.at(-1)).toBe(`download a ${lastAt}`);
	});

	test('is asked for again after the others have come', async () => {
		const { asked } = await delivered(ended(), { wait: null, downloads: { a: UNAVAILABLE } });
		expect(asked.slice(0, 3)).toEqual(['download a 0', 'download b 0', 'download a 1']);
	});

	test('has a row that says why, where it failed; a download alone fails', async () => {
		const { reasons } = await delivered([job('a', 0, 'failed')], { downloads: { a: NONE } });
		expect(reasons).toEqual(['the job failed']);
		const alone = await delivered([job('a', 0)], { downloads: { a: NONE }, wait: null });
		expect(alone.error?.message).toBe('The job failed, so it has no results');
	});

	test('sends a key once that the service refuses, where it does not wait', async () => {
		const refused: Said = { kind: 'denied', why: problem('unauthorized', { about: 'key' }) };
		const { asked, error } = await delivered(ended(), { wait: null, downloads: { a: refused } });
		expect([asked, error?.message]).toEqual([['download a 0'], 'The service did not accept the key']);
		const waiting = await delivered(ended(), { downloads: { a: refused } });
		expect(waiting.asked.at(-1)).toBe('download a 30');
	});

	test('is not asked for where it is proven to be gone', async () => {
		const gone = problem('jobNotFound', { about: 'job' });
		const { asked, error } = await delivered([job('a', 0, undefined, { problem: gone })]);
		expect([asked, error?.description]).toEqual([[], expect.stringContaining('Job without results: a.')]);
	});
});

describe('a job that still runs', () => {
	const running = job('a', 0);

	test('goes to Still Running, given up by this node', async () => {
		const { rows, tickets, asked } = await delivered([running, job('b', 1, 'results')]);
		expect([rows, asked]).toEqual([['b'], ['download b 0']]);
		const ticket = { timedOutNodes: ['Prices'], wasUnsentOutput: true };
		expect(tickets).toMatchObject([{ job_id: 'a', ticket }]);
	});

	const unseen = { job: { job_id: 'a', status: '' } };
	test.each<[string, Scene, Partial<JobRecord>, string]>([
		['by choice', { wait: { onDeadline: 'error' } }, {}, 'Job a is still running after'],
		['in a loop', {}, { timedOutNodes: ['Prices'] }, 'Job a is still running after'],
		['that leads nowhere', { behind: null }, {}, 'Job a is still running, and nothing is connected'],
		['of an unknown status', { behind: null }, unseen, 'The status of job a is unknown'],
	])('is an error %s', async (_name, scene, more, message) => {
		const { error } = await delivered([{ ...running, ...more }], scene);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain('It keeps running at the service.');
	});

	test('is taken for cancelled where the service accepts that, and its status does not show it yet', async () => {
		const doubt = 'the cancellation of job a was accepted, but its status does not show it yet';
		for (const a of [[], UNAVAILABLE, NONE]) {
			const scene: Scene = { wait: { onDeadline: 'cancel' }, downloads: { a }, status: 'working' };
			const { hints, reasons, asked } = await delivered([job('a', 0)], scene);
			expect(hints[0]).toMatch(
				/^The service accepted the cancellation of job a, but its status does not/,
			);
			expect([reasons, asked.at(-1)]).toEqual([[doubt], 'download a 4']);
		}
	});

	test('is cancelled by choice, after all other jobs, and never where these stop the node', async () => {
		const records = () => [job('a', 0), job('b', 1, 'results')];
		const wait = { onDeadline: 'cancel' } as const;
		const [cancelled, ended] = records();
		const { rows, asked } = await delivered([cancelled!, ended!], { wait, downloads: { a: [] } });
		expect(asked).toEqual(['download b 0', 'cancel a', 'get a', 'download a 0']);
		expect(rows).toEqual(['a', 'b']);
		expect(cancelled?.job.status).toBe('cancelled');
		const scene: Scene = {
			wait,
			choice: { onFailedResult: 'error' },
			downloads: { b: [failed('b', 'no')] },
		};
		const stopped = await delivered(records(), scene);
		expect(stopped.asked).toEqual(['download b 0']);
		expect(stopped.error).toBeDefined();
	});

	test('is over in the way that its status shows after the cancellation', async () => {
		const wait = { onDeadline: 'cancel' } as const;
		const ends = async (status: string) => {
			const record = job('a', 0);
			const { hints, reasons, asked } = await delivered([record], {
				wait,
				status,
				downloads: { a: [] },
			});
			return [asked.length, reasons, hints.length, record.end, record.isCancelledHere];
		};
		expect(await ends('cancelled')).toEqual([3, ['the job was cancelled'], 1, 'cancelled', true]);
		// It has ended by then, so the node asks for results until the service says twice that there are none.
		expect(await ends('finished')).toEqual([
			7,
			['not answered: the job ended without a result for this value'],
			1,
			'results',
			false,
		]);
	});

	test('fails its item where the service does not cancel it', async () => {
		const refusal = problem('forbidden', { endpoint: ENDPOINTS.cancel, about: 'job' });
		const scene: Scene = { wait: { onDeadline: 'cancel' }, status: 'working', refusal };
		const { asked, error } = await delivered([job('a', 0)], scene);
		expect(asked).toEqual(['cancel a', 'get a']);
		expect(error?.message).toContain('access');
	});

	test('of a status in no table is remarked on', async () => {
		const odd = { ...running, job: { job_id: 'a', status: 'pondering' } };
		const { hints } = await delivered([odd]);
		expect(hints.join()).toContain(
			'This node does not know the status "pondering", so it counts as running.',
		);
	});
});

test.each<[string, Result[], string[]]>([
	['every value failed', [failed('a', 'failed to access source'), failed('a')], ['a']],
	['nothing came, which proves nothing', [], []],
	['one value has an answer', [failed('a'), result('a')], []],
	['a value was not found, which costs as well', [failed('a'), failed('a', 'not found')], []],
	['a value was notfound', [failed('a', 'NotFound')], []],
])('whether a job answered anything is said: %s', async (_what, results, unanswered) => {
	const scene = { downloads: { a: results }, wait: null };
	expect((await delivered([job('a', 0, 'failed')], scene)).unanswered).toEqual(unanswered);
});
