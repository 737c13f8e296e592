import type { DownloadFormat } from '../../../../nodes/PriceCollection/service/connection';
import {
	afterDownload,
	requestResults,
	downloadOne,
	downloads,
	unproven,
	type Download,
	type DownloadReply,
} from '../../../../nodes/PriceCollection/service/api/download';
import {
	failure,
	success,
	type Outcome,
	type Problem,
} from '../../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS, type Job } from '../../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../../fakeClient';

const START = 1_800_000_000_000;
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.download, effect: 'none' },
	...more,
});
const fails = (kind: Problem['kind'], more: Partial<Problem> = {}) => failure(problem(kind, more));
const body = (value: string, more: Partial<DownloadReply<string>> = {}): Outcome<DownloadReply<string>> =>
	success({ value, isEmpty: false, status: 200, ...more });
const job = (status: string, more: Partial<Job> = {}): Outcome<Job> =>
	success({ job_id: 'a', status, ...more });

const ROWS = body('rows', { word: 'finished' });
const BARE = body('rows');
const EMPTY = body('none', { isEmpty: true, word: 'finished' });
const PARTIAL = body('so far', { word: 'working' });
const NOT_FOUND = fails('nothingThere', { status: 404, reason: 'no Route matched' });
const GONE = fails('jobNotFound', { status: 404, reason: 'job not found', about: 'job' });
const RESULTS = { results: [{ query: { value: 'v' } }] };

interface Scene {
	download: Outcome<DownloadReply<string>>;
	/** What the job answers; never asked where it is absent. */
	job?: Outcome<Job>;
	isKnownOver?: boolean;
	isFile?: boolean;
	format?: DownloadFormat;
	fields?: Parameters<typeof dialectOf>[0];
}

/** What the replies mean, and what was asked for, in order. */
async function meaning({ download, job, isKnownOver = true, isFile, format = 'json', fields }: Scene) {
	const asked: string[] = [];
	const note = async <T>(what: string, reply: T | undefined): Promise<T> => {
		asked.push(what);
		if (reply === undefined) throw new Error(`${what} is not part of this test`);
		return reply;
	};
	const said = await requestResults({
		...{ isKnownOver, isFile, format, customStatuses: dialectOf(fields) },
		download: async () => await note('download', download),
		job: async () => await note('job', job),
		fromJob: async () => await note('results in the job', body('of the job')),
	});
	return { said, asked: asked.join(', ') };
}

const kindOf = (download: Download<string>) => {
	if (download.kind === 'results') return download.isEmpty ? 'empty' : download.value;
	return download.kind === 'none' ? `none: ${download.reason}` : `${download.kind}: ${download.why.kind}`;
};

describe('what a download means', () => {
	test.each<[string, string, Scene]>([
		// Results only count for a job that is over.
		['rows', 'download', { download: ROWS }],
		['rows', 'download', { download: BARE }],
		['rows', 'download', { download: body('rows', { word: 'ok' }) }],
		['rows', 'download', { download: ROWS, isKnownOver: false }],
		['rows', 'download, job', { download: BARE, isKnownOver: false, job: job('finished') }],
		['notYet: notFinished', 'download, job', { download: BARE, isKnownOver: false, job: job('working') }],
		['notYet: notFinished', 'download, job', { download: BARE, isKnownOver: false, job: job('halfway') }],
		[
			'notYet: unavailable',
			'download, job',
			{ download: BARE, isKnownOver: false, job: fails('unavailable') },
		],
		['notYet: jobNotFound', 'download, job', { download: BARE, isKnownOver: false, job: GONE }],
		['notYet: notFinished', 'download, job', { download: PARTIAL, job: job('working', RESULTS) }],
		['notYet: notReady', 'download, job', { download: PARTIAL, job: job('finished') }],
		[
			'of the job',
			'download, job, results in the job',
			{ download: PARTIAL, job: job('finished', RESULTS) },
		],
		[
			'notYet: notReady',
			'download, job',
			{ download: body('rows', { status: 202 }), job: job('finished') },
		],
		// An unread file does not say whether its job is over.
		['rows', 'job, download', { download: BARE, isFile: true, isKnownOver: false, job: job('finished') }],
		['notYet: notFinished', 'job', { download: BARE, isFile: true, isKnownOver: false, job: job('new') }],
		['denied: jobNotFound', 'job', { download: BARE, isFile: true, isKnownOver: false, job: GONE }],
		['rows', 'download', { download: BARE, isFile: true }],
		// No results, and the job says why.
		['empty', 'download, job', { download: EMPTY, job: job('finished') }],
		['notYet: notFinished', 'download, job', { download: EMPTY, job: job('working') }],
		[
			'of the job',
			'download, job, results in the job',
			{ download: EMPTY, job: job('finished', RESULTS) },
		],
		[
			'none: the job failed: why',
			'download, job',
			{ download: EMPTY, job: job('failed', { reason: 'why' }) },
		],
		['none: the job was cancelled', 'download, job', { download: NOT_FOUND, job: job('canceled') }],
		[
			'of the job',
			'download, job, results in the job',
			{ download: NOT_FOUND, job: job('failed', RESULTS) },
		],
		['denied: jobNotFound', 'download, job', { download: EMPTY, job: GONE }],
		// A refusal, and the job says what it means.
		['notYet: notReady', 'download, job', { download: NOT_FOUND, job: job('finished') }],
		['notYet: notReady', 'download, job', { download: GONE, job: job('finished') }],
		['notYet: notFinished', 'download, job', { download: GONE, job: job('working', RESULTS) }],
		['denied: jobNotFound', 'download, job', { download: NOT_FOUND, job: GONE }],
		[
			'notYet: nothingThere',
			'download, job',
			{ download: GONE, job: fails('nothingThere', { status: 404 }) },
		],
		[
			'notYet: notReady',
			'download, job',
			{ download: fails('notFinished', { status: 409 }), job: job('done') },
		],
		[
			'notYet: notReady',
			'download, job',
			{ download: fails('emptyBody', { status: 204 }), job: job('done') },
		],
		['notYet: unexpectedBody', 'download, job', { download: fails('unexpectedBody'), job: job('done') }],
		[
			'notYet: refused',
			'download, job',
			{ download: fails('refused', { status: 422 }), job: job('done') },
		],
		[
			'notYet: forbidden',
			'download, job',
			{ download: fails('forbidden', { status: 403 }), job: job('done') },
		],
		[
			'denied: forbidden',
			'download, job',
			{ download: fails('forbidden', { status: 403, about: 'job' }), job: job('done') },
		],
		['denied: formatRefused', 'download, job', { download: NOT_FOUND, job: job('done'), format: 'csv' }],
		['denied: formatRefused', 'download, job', { download: fails('formatRefused'), job: job('done') }],
		['notYet: notFinished', 'download, job', { download: fails('formatRefused'), job: job('working') }],
		// What says nothing about the job.
		['notYet: unavailable', 'download', { download: fails('unavailable', { status: 503 }) }],
		['notYet: htmlBody', 'download', { download: fails('htmlBody', { status: 200 }) }],
		['notYet: connectionLost', 'download', { download: fails('connectionLost') }],
		['notYet: rateLimited', 'download', { download: fails('rateLimited', { status: 429 }) }],
		['notYet: unauthorized', 'download', { download: fails('unauthorized', { status: 401 }) }],
		[
			'denied: unauthorized',
			'download',
			{ download: fails('unauthorized', { status: 401, about: 'key' }) },
		],
		['impossible: tooLarge', 'download', { download: fails('tooLarge', { status: 200 }) }],
		['impossible: notStored', 'download', { download: fails('notStored', { status: 200 }) }],
		['impossible: stopped', 'download', { download: fails('stopped') }],
		['impossible: tooLarge', 'download, job', { download: NOT_FOUND, job: fails('tooLarge') }],
	])('%s after %s: %j', async (kind, asked, scene) => {
		const outcome = await meaning(scene);
		expect([kindOf(outcome.said), outcome.asked]).toEqual([kind, asked]);
	});

	test('follows the words of the credential', async () => {
		const fields = { finishedStatuses: 'archived', cancelledStatuses: 'withdrawn' };
		const archived = body('rows', { word: 'archived' });
		const { said } = await meaning({ download: archived, isKnownOver: false, fields });
		expect(kindOf(said)).toBe('rows');
		const withdrawn = await meaning({ download: NOT_FOUND, job: job('withdrawn'), fields });
		expect(kindOf(withdrawn.said)).toBe('none: the job was cancelled');
	});

	test('keeps the words of the refusal beside those of the job', async () => {
		const download = fails('nothingThere', { status: 410, reason: 'no', comment: 'really' });
		const { said } = await meaning({
			download,
			job: job('failed', { failure: { detail: 'source down' } }),
		});
		expect(said).toEqual({
			...{ kind: 'none', end: 'failed', reason: 'the job failed: source down' },
			why: problem('jobFailed', { status: 410, reason: 'no', comment: 'source down' }),
		});
		const running = await meaning({ download, job: job('working') });
		expect(running.said).toEqual({
			kind: 'notYet',
			why: problem('notFinished', {
				...download.problem,
				kind: 'notFinished',
				detail: 'Its status is "working"',
			}),
		});
	});
});

const EMPTY_LIST: Download<string> = { kind: 'results', value: 'none', isEmpty: true };
const THERE: Download<string> = { kind: 'results', value: 'rows', isEmpty: false };
const DENIED: Download<string> = { kind: 'denied', why: problem('jobNotFound') };
const NONE: Download<string> = { kind: 'none', end: 'failed', reason: 'x', why: problem('jobFailed') };
const LATE: Download<string> = { kind: 'notYet', why: problem('unavailable') };
const RUNS: Download<string> = { kind: 'notYet', why: problem('notFinished') };
const FULL: Download<string> = { kind: 'impossible', why: problem('notStored') };

test.each<[string, Download<string>, number | undefined, object]>([
	['results', THERE, undefined, { next: 'take' }],
	['an obstacle here', FULL, undefined, { next: 'take' }],
	['nothing proven', LATE, 70_000, { next: 'again', deniedSince: 70_000 }],
	['a job that runs', RUNS, 70_000, { next: 'again', deniedSince: undefined }],
	['a first denial', DENIED, undefined, { next: 'again', deniedSince: 100_000 }],
	['a second one too soon', DENIED, 70_001, { next: 'again', deniedSince: 70_001 }],
	['a second one', DENIED, 70_000, { next: 'take', deniedSince: 70_000 }],
	['a second empty list', EMPTY_LIST, 70_000, { next: 'take', deniedSince: 70_000 }],
	['a job that failed twice', NONE, 70_000, { next: 'take', deniedSince: 70_000 }],
])('what follows %s', (_name, download, deniedSince, expected) => {
	expect(afterDownload(download, { deniedSince }, 100_000)).toEqual(expected);
});

test('what is not proven means "not yet"', () => {
	for (const download of [THERE, LATE, FULL]) expect(unproven(download)).toBe(download);
	expect(unproven(DENIED)).toEqual({ kind: 'notYet', why: problem('jobNotFound') });
	expect(unproven(NONE)).toEqual({ kind: 'notYet', why: problem('jobFailed') });
	expect(unproven(EMPTY_LIST)).toEqual({ kind: 'notYet', why: problem('notReady') });
});

describe('downloads are repeated', () => {
	/** The log of a run: when each job was asked, and what it came to. The last reply of a job goes on for ever. */
	async function log(
		replies: Record<string, Array<Download<string>>>,
		{
			untilMs = 0,
			lasts = 0,
			isOutOfTime = (): boolean => false,
			signal = undefined as AbortSignal | undefined,
		} = {},
	) {
		let now = START;
		const lines: string[] = [];
		const counts: Record<string, number> = {};
		const clock = {
			now: () => now,
			elapsed: () => now,
			pause: async (pause: number) => void (now += pause),
		};
		const ask = async (name: string) => {
			lines.push(`${(now - START) / 1_000} ${name}`);
			now += lasts;
			const all = replies[name] ?? [];
			counts[name] = (counts[name] ?? 0) + 1;
			return all[Math.min(counts[name], all.length) - 1] ?? LATE;
		};
		const until = () => START + untilMs;
		for await (const [name, said] of downloads(
			Object.keys(replies),
			{ ask, retryUntil: until, sizeOf: () => 1 },
			{
				...{ clock, isOutOfTime, signal },
			},
		))
			lines.push(`${name}: ${kindOf(said)}`);
		return lines;
	}

	test.each<[string, Array<Download<string>>, number, string[]]>([
		['until they are there', [LATE, RUNS, THERE], 0, ['0 a', '1 a', '4 a', 'a: rows']],
		[
			'for 45 seconds at least',
			[LATE],
			0,
			['0 a', '1 a', '4 a', '13 a', '40 a', '45 a', 'a: notYet: unavailable'],
		],
		[
			'until the deadline, with pauses of half a minute at most',
			[LATE],
			100_000,
			['0 a', '1 a', '4 a', '13 a', '40 a', '70 a', '100 a', 'a: notYet: unavailable'],
		],
		[
			'until a denial is repeated',
			[DENIED],
			0,
			['0 a', '1 a', '4 a', '13 a', '30 a', 'a: denied: jobNotFound'],
		],
		[
			'until an empty list is repeated',
			[EMPTY_LIST],
			900_000,
			['0 a', '1 a', '4 a', '13 a', '30 a', 'a: empty'],
		],
		[
			'anew after a job that runs',
			[EMPTY_LIST, LATE, RUNS, DENIED],
			0,
			['0 a', '1 a', '4 a', '13 a', '40 a', '43 a', 'a: denied: jobNotFound'],
		],
		['never for an obstacle here', [FULL], 900_000, ['0 a', 'a: impossible: notStored']],
	])('%s', async (_name, replies, untilMs, lines) => {
		expect(await log({ a: replies }, { untilMs })).toEqual(lines);
	});

	test('first of each job once, so that what is late delays no other, and many denials take as long as one', async () => {
		expect(await log({ a: [LATE, THERE], b: [THERE], c: [DENIED], d: [DENIED] })).toEqual([
			...['0 a', '0 b', 'b: rows', '0 c', '0 d', '1 a', '1 c', '1 d', 'a: rows', '4 c', '4 d'],
			...['13 c', '13 d', '30 c', '30 d', 'c: denied: jobNotFound', 'd: denied: jobNotFound'],
		]);
	});

	test('no more once time is up or the execution is stopped: what is not proven is not there yet', async () => {
		expect(await log({ a: [EMPTY_LIST] }, { isOutOfTime: () => true })).toEqual([
			...['0 a', 'a: notYet: notReady'],
		]);
		expect(await log({ a: [DENIED] }, { signal: AbortSignal.abort(), untilMs: 900_000 })).toEqual([
			...['0 a', 'a: notYet: jobNotFound'],
		]);
	});

	test('also for a single one', async () => {
		let now = START;
		const clock = {
			now: () => now,
			elapsed: () => now,
			pause: async (pause: number) => void (now += pause),
		};
		const waiting = { clock, isOutOfTime: () => false };
		expect(await downloadOne(async () => (now > START ? THERE : LATE), 0, waiting)).toBe(THERE);
	});
});
