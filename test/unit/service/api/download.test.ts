import {
	requestResults,
	unproven,
	type DownloadReply,
} from '../../../../nodes/PriceCollection/service/api/download';
import type { DownloadFormat } from '../../../../nodes/PriceCollection/service/formats';
import {
	failure,
	success,
	type Outcome,
	type Problem,
} from '../../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../../fakeClient';
import { DENIED, EMPTY_LIST, FULL, kindOf, LATE, NONE, problem, THERE } from './sampleDownloads';

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
	/** The job's answer. If it is absent, the job must not be asked. */
	job?: Outcome<Job>;
	isKnownOver?: boolean;
	isFile?: boolean;
	format?: DownloadFormat;
	fields?: Parameters<typeof dialectOf>[0];
}

/** What the replies mean, and what was requested, in order. */
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
		// There are no results, and the job says why.
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
		// A body that cannot be read may hold the results that the job has.
		...['canceled', 'failed', 'finished'].map((status): [string, string, Scene] => [
			'notYet: unreadableBody',
			'download, job',
			{ download: fails('unreadableBody', { status: 200 }), job: job(status) },
		]),
		[
			'of the job',
			'download, job, results in the job',
			{ download: NOT_FOUND, job: job('failed', RESULTS) },
		],
		['denied: jobNotFound', 'download, job', { download: EMPTY, job: GONE }],
		// The download is refused, and the job says what that means.
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
		// Replies that say nothing about the job.
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

test('what is not proven means "not yet"', () => {
	for (const download of [THERE, LATE, FULL]) expect(unproven(download)).toBe(download);
	expect(unproven(DENIED)).toEqual({ kind: 'notYet', why: problem('jobNotFound') });
	expect(unproven(NONE)).toEqual({ kind: 'notYet', why: problem('jobFailed') });
	expect(unproven(EMPTY_LIST)).toEqual({ kind: 'notYet', why: problem('notReady') });
});
