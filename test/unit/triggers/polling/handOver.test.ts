import { failure, type ProblemKind } from '../../../../nodes/PriceCollection/service/problems';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/api/client';
import type { Download } from '../../../../nodes/PriceCollection/service/api/download';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import type { Job, JobResults, Result } from '../../../../nodes/PriceCollection/service/types';
import { dropUnwanted, handOver } from '../../../../nodes/PriceCollection/triggers/polling/handOver';
import type { PollState, Tries } from '../../../../nodes/PriceCollection/triggers/polling/pollingState';
import type { TriggerSettings } from '../../../../nodes/PriceCollection/triggers/settings';
import { fakeClient } from '../../fakeClient';
import { ended, HOUR, knows, MINUTE, NOW, queueOf, settingsOf, stateOf } from './polls';

type Said = Exclude<Download<JobResults>, { kind: 'results' }>;
const ids = (jobs: readonly Job[]) => jobs.map(({ job_id }) => job_id);
const problem = (kind: ProblemKind, reason?: string) =>
	failure({ kind, reason, endpoint: ENDPOINTS.list, effect: 'none' });

interface Scene {
	/** Failures of earlier polls. */
	failures?: Record<string, Tries>;
	state?: PollState;
	downloads?: Record<string, Result[] | Said>;
	settings?: TriggerSettings;
	until?: number;
	/** How long a download takes. */
	lastsMs?: number;
}
const ROWS = settingsOf({ output: 'results', timeoutMs: 7_000 }, { columns: 'all' });
const said = (kind: Said['kind'], why: ProblemKind) =>
	({ kind, why: problem(why).problem, end: 'failed', reason: 'the job failed' }) as Said;
const SLOW: Partial<Scene> = { downloads: { b: said('notYet', 'rateLimited') } };

/** What one poll of these ends does if the service gives these results, or has these problems. */
async function emit(ends: Job[], scene: Scene = {}) {
	const { state = stateOf(), downloads = {}, failures = {}, settings = ROWS, until = Infinity } = scene;
	let now = NOW;
	state.queue = queueOf(ends, failures);
	const asked: unknown[] = [];
	const client: ServiceClient = {
		...fakeClient({ now: () => now }).client,
		download: async ({ jobId }, options) => {
			asked.push([jobId, options?.timeoutMs]);
			now += scene.lastsMs ?? 0;
			const results = downloads[jobId] ?? found(jobId);
			if (!Array.isArray(results)) return results;
			const value: JobResults = { job_id: jobId, status: 'finished', results };
			return { kind: 'results', value, isEmpty: results.length === 0 };
		},
	};
	dropUnwanted(client, settings, state);
	const { rows, handedOver } = await handOver(client, settings, state, { now: NOW, until });
	const left = Object.fromEntries([...state.queue].map(([jobId, { tries }]) => [jobId, tries]));
	return { rows, handedOver: ids(handedOver), asked, known: knows(state, ...'abc'), left };
}
const [a, b, c] = [ended('a', 3 * HOUR), ended('b', 2 * HOUR), ended('c', HOUR)];
const failing = { failingSince: NOW - HOUR, tryAt: NOW };
const found = (value: string, count = 1): Result[] =>
	Array.from({ length: count }, () => ({ query: { value }, success: true, content: { name: value } }));

it('gives their rows in order and remembers them', async () => {
	const downloads = { a: found('x', 2), b: found('y') };
	const { rows, ...others } = await emit([a, b], { downloads });
	const given = rows.map(({ job_id, value }) => `${String(job_id)} ${String(value)}`);
	expect(given).toEqual(['a x', 'a x', 'b y']);
	const asked = ['a', 'b'].map((jobId) => [jobId, 7_000]);
	expect(others).toEqual({ handedOver: ['a', 'b'], known: ['a', 'b'], left: {}, asked });
});

it('remembers an end that the trigger does not listen for, and gives nothing', async () => {
	const settings = settingsOf({}, { events: ['finished'] });
	const state = stateOf([], { a: {} });
	expect(await emit([{ ...a, status: 'cancelled' }], { state, settings })).toEqual({
		...{ rows: [], handedOver: [], known: ['a'], left: {}, asked: [] },
	});
});

it('leaves the rest to the next poll once there are more than 50,000 rows', async () => {
	const downloads = { a: found('x', 50_000), b: found('y'), c: found('z') };
	const { handedOver, rows } = await emit([a, b, c], { downloads });
	expect([handedOver, rows.length]).toEqual([['a', 'b'], 50_001]);
});

const [LATE, GONE] = [said('notYet', 'unavailable'), said('denied', 'jobNotFound')];
const RUNS = said('notYet', 'notFinished');
const denied = { a: { failingSince: NOW, deniedSince: NOW - HOUR } };
const later = { failingSince: NOW - MINUTE, tryAt: NOW + 1 };
const again = { failingSince: NOW, tryAt: NOW + MINUTE - 1_000 };
it.each<[string, Record<string, Tries>, Partial<Scene>, string, string, Record<string, Tries>]>([
	['once the time is up', { b: failing }, { until: 0 }, 'a', 'a', { b: failing, c: {} }],
	['that cannot be had', {}, { downloads: { a: LATE } }, 'abc', 'bc', { a: again }],
	[
		'that are denied once',
		{},
		{ downloads: { a: GONE } },
		'abc',
		'bc',
		{ a: { ...again, deniedSince: NOW } },
	],
	['that run again', denied, { downloads: { a: RUNS } }, 'abc', 'bc', { a: again }],
	['before their time', { a: later }, {}, 'bc', 'bc', { a: later }],
	['where all would meet the same', { b: failing }, SLOW, 'ab', 'a', { b: failing, c: {} }],
])(
	'leaves those to another poll %s, and gives the others',
	async (_name, failures, scene, asked, given, left) => {
		const outcome = await emit([a, b, c], { failures, ...scene });
		expect(outcome.asked).toEqual([...asked].map((jobId) => [jobId, 7_000]));
		expect(outcome).toMatchObject({ handedOver: [...given], known: [...given], left });
	},
);

it.each<[string, Said | [], Tries, boolean, unknown?]>([
	['more than n8n takes', said('impossible', 'tooLarge'), {}, true],
	['not there once', LATE, {}, false],
	['not there for a day', LATE, { failingSince: NOW - 24 * HOUR }, false],
	['not there for as long as results are kept', LATE, { failingSince: NOW - 71 * HOUR }, true],
	['denied once', GONE, {}, false],
	['denied twice, too soon', GONE, { failingSince: NOW - HOUR, deniedSince: NOW - 29_999 }, false],
	['denied twice', GONE, { failingSince: NOW - HOUR, deniedSince: NOW - 30_000 }, true],
	['empty after it was not there', [], { failingSince: NOW - HOUR }, false],
	['empty twice', [], { deniedSince: NOW - 30_000 }, true, 'the job has no results'],
	['of a job that failed, said once', said('none', 'jobFailed'), {}, false],
	[
		'of a job that failed, said twice',
		said('none', 'jobFailed'),
		{ deniedSince: 1 },
		true,
		'the job failed',
	],
])(
	'gives out the end with the reason where it is %s',
	async (_name, download, failures, isLost, why = expect.stringMatching(/^[A-Z].*\. [A-Z]/)) => {
		const { rows, handedOver, known } = await emit([a], {
			downloads: { a: download },
			failures: { a: failures },
		});
		const reason = why as string;
		const item = { job_id: 'a', status: 'finished', success: false, found: false, reason };
		expect([rows, handedOver, known]).toEqual(isLost ? [[item], ['a'], ['a']] : [[], [], []]);
	},
);

it('counts a denial from its reply on, not from the beginning of the poll', async () => {
	const { left } = await emit([a, b], { downloads: { a: LATE, b: GONE }, lastsMs: 20_000 });
	expect(left).toMatchObject({ b: { deniedSince: NOW + 40_000 } });
	expect(left.a).not.toHaveProperty('deniedSince');
});

it('gives jobs without downloads however late it is', async () => {
	const outcome = await emit([a, b, c], { settings: settingsOf(), until: 0 });
	expect(outcome).toMatchObject({ rows: [a, b, c], handedOver: ['a', 'b', 'c'], left: {}, asked: [] });
});
