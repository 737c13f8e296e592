import { AT_WORK_MS, findLostJob, JobListSearch } from '../../../nodes/PriceCollection/creation/lost';
import type { Recovery } from '../../../nodes/PriceCollection/creation/lost';
import type { LostCreation } from '../../../nodes/PriceCollection/creation/proof';
import { PROOF_INTERVAL_MS } from '../../../nodes/PriceCollection/service/meaning/jobState';
import { ENDPOINTS, type Job } from '../../../nodes/PriceCollection/service/types';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import { fakeClient } from '../fakeClient';
import { iso, job, LOST, MINUTE, REQUEST, SENT_AT, SHOWN, UNDATED } from './lostCreation';

describe('looking for the job of a lost creation', () => {
	const { client } = fakeClient({});
	const READ_AT = SENT_AT + 2 * MINUTE;
	const listOf = (jobs: Job[], complete = true) => ({
		...{ jobs, complete, invalid: 0, saysMore: false, repeats: false },
	});
	const LIMIT = 100;
	const found = (jobs: Job[], complete = true, lost = LOST, asking = client) =>
		findLostJob(asking, { readAt: READ_AT, limit: LIMIT, list: success(listOf(jobs, complete)) }, lost);
	/** Older than any local time of a job created now. */
	const old = (index: number) =>
		job({ job_id: `old ${index}`, created_at: iso(-MINUTE * (1_440 + index)) });
	const looked = 'The job list was searched';

	test('finds it, whatever stands around it', () => {
		const others = [job({ job_id: 'a' }), job({ job_id: 'b', ...UNDATED }), old(0)];
		expect(found([...others, job(SHOWN)], false)).toEqual({ kind: 'ours', job: job(SHOWN) });
	});

	test.each<[string, Job[]]>([
		['the only one that may be it', [job()]],
		['two that prove to be it', [job(SHOWN), job({ job_id: 'second', ...SHOWN })]],
		['one without a time', [job({ ...SHOWN, ...UNDATED }), job({ job_id: 'other' })]],
	])('takes nothing for want of contradiction: it names %s', (_name, jobs) => {
		const named = jobs.map(({ job_id }) => job_id).join(', ');
		const detail = `${looked} (${jobs.length + 1} jobs); one of these may be this job: ${named}.`;
		expect(found([...jobs, old(0)])).toEqual({ kind: 'unclear', detail, isFinal: true });
	});

	test('names twenty at the most', () => {
		const jobs = Array.from({ length: 22 }, (_, index) => job({ job_id: `j${index}` }));
		expect(found(jobs)).toMatchObject({ detail: expect.stringMatching(/ j19 and 2 more\.$/) as string });
		const twenty = { detail: expect.stringMatching(/ j19\.$/) as string };
		expect(found(jobs.slice(0, 20))).toMatchObject(twenty);
	});

	const another = (minutes: number) => job({ values: ['77'], created_at: iso(minutes * MINUTE) });
	const many = Array.from({ length: LIMIT }, () => another(0));
	test.each<[string, Job[], boolean, string, string]>([
		['an empty list', [], true, 'absent', `${looked} (0 jobs); none of them can be this job.`],
		['a whole list', [old(3), old(1)], true, 'absent', `${looked} (2 jobs); none of them`],
		['one that is sorted', [old(1), old(3)], false, 'absent', `${looked} (its first 2 jobs); none of`],
		['one with jobs of the same time', [old(3), old(3)], false, 'absent', 'none of them can be'],
		['one that goes back in the end', [another(0), another(-4), old(3)], false, 'absent', 'none of them'],
		[
			'one that is not',
			[old(3), old(1)],
			false,
			'unclear',
			'none of them can be this job, but the list may',
		],
		['one that is too short', [], false, 'unclear', `${looked} (its first 0 jobs); none of them`],
		['one of which a job has no time', [job({ ...old(1), ...UNDATED })], false, 'unclear', 'old 1.'],
		['one that is too late', [another(0), another(-4)], false, 'unclear', 'may not reach back to the'],
		['one as long as what is looked at', many, true, 'unclear', `${looked} (its first 100 jobs)`],
	])('knows of its absence by %s: %#', (_name, jobs, complete, kind, detail) => {
		const said = { kind, detail: expect.stringContaining(detail) as string };
		expect(found(jobs, complete)).toMatchObject(said);
	});

	const reviews = job({ ...SHOWN, topic: 'reviews' });
	const known = (more: Partial<Job>) => job({ job_id: 'known', ...more });
	test.each<[string, Job[], string]>([
		['nowhere', [reviews], 'unclear'],
		['by no other job', [reviews, known({ source: 'google_shopping' })], 'unclear'],
		['by another job, in any spelling', [reviews, known({ topic: 'SEARCH' })], 'absent'],
	])('takes another topic for proof where the list shows ours as we spell it: %s', (_name, jobs, kind) => {
		expect(found(jobs).kind).toBe(kind);
	});

	test('takes another topic for no proof where a job without one was asked for', () => {
		const request = { ...REQUEST, parameters: { ...REQUEST.parameters, topic: '' } };
		const listed = [reviews, known({ topic: 'search' })];
		expect(found(listed, true, { ...LOST, request }).kind).toBe('unclear');
	});

	const used = job({ ...SHOWN, condition: 'used' });
	const two = new Map([...LOST.known, ['second', 0]]);
	test.each<[string, Job[], string]>([
		['no known job', [used], 'unclear'],
		['a known job', [used, known({ condition: 'used' })], 'ours'],
		['a known job, in another spelling', [used, known({ condition: ' USED' })], 'ours'],
		['a known job that shows another', [used, known({ condition: 'new' })], 'unclear'],
		['a known job that shows none', [used, known({})], 'unclear'],
		[
			...(['one of two known jobs'] as const),
			[used, known({ condition: 'used' }), job({ job_id: 'second' })],
			'unclear',
		],
		[
			...(['a known job, but not by a foreign one'] as const),
			[used, known({ condition: 'used' }), job({ job_id: 'foreign', values: ['77'] })],
			'ours',
		],
		['a known job that shows none, where it is blank', [{ ...used, condition: ' ' }, known({})], 'ours'],
	])(
		'takes what was not sent for a default of the service where it is shown by %s',
		(_name, jobs, kind) => {
			expect(found(jobs, true, { ...LOST, known: two }).kind).toBe(kind);
		},
	);

	test('knows of no absence by a list with entries that are no jobs', () => {
		const list = success({ ...listOf([]), invalid: 1 });
		const detail = `${looked} (its first 0 jobs); none of them can be this job, but the list may not reach back to the time of this request.`;
		const recovery = findLostJob(client, { readAt: READ_AT, limit: LIMIT, list }, LOST);
		expect(recovery).toEqual({ kind: 'unclear', detail });
	});

	test.each([
		['not told: 10 s before it was sent', undefined, -10_000, 'ours'],
		['not told: more', undefined, -10_001, 'unclear'],
		['not told: 10 s after its reply was lost', undefined, 12_000, 'ours'],
		['not told: more, after', undefined, 12_001, 'unclear'],
		['told: what the cut to seconds takes', 3_600_000, 3_600_000 - 2_000, 'ours'],
		['told: more, before', 3_600_000, 3_600_000 - 2_001, 'unclear'],
		['told: what the cut to seconds takes, after', 3_600_000, 3_600_000 + 4_000, 'ours'],
		['told: more, after', 3_600_000, 3_600_000 + 4_001, 'unclear'],
		['told: long before, which may be by local time', 3_600_000, -59 * MINUTE, 'unclear'],
		['told: long before', 3_600_000, -65 * MINUTE, 'absent'],
	])('goes by the clock of the service, %s', (_name, clockAheadMs, created, kind) => {
		const only = job({ ...SHOWN, created_at: iso(created) });
		expect(found([only], true, LOST, fakeClient({ clockAheadMs }).client).kind).toBe(kind);
	});

	test('says when the list cannot be read', () => {
		const problem = failure({ kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' });
		const unclear = { kind: 'unclear', detail: 'The job list could not be read to find out.' };
		expect(findLostJob(client, { readAt: READ_AT, limit: LIMIT, list: problem }, LOST)).toEqual(unclear);
	});

	test('takes a list of which a page could not be read for no proof, however far back it goes', () => {
		const problem = { kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' } as const;
		const reading = (jobs: Job[]) => {
			const list = success({ ...listOf(jobs, false), unread: { page: 2, problem } });
			return findLostJob(client, { readAt: READ_AT, limit: LIMIT, list }, LOST);
		};
		const why = 'page 2 of the list could not be read: The service is temporarily unavailable';
		const detail = `${looked} (its first 2 jobs); none of them can be this job, but ${why}.`;
		expect(reading([old(1), old(3)])).toEqual({ kind: 'unclear', detail });
		expect(reading([old(1), old(3), job(SHOWN)]).kind).toBe('ours');
	});

	const others = [another(0), another(-30)];
	test.each<[string, number, LostCreation['from'], boolean, string]>([
		['sent with the lost one', SENT_AT + 1, SENT_AT, true, 'unclear'],
		['sent within the hour, if since is unknown', READ_AT - 60 * MINUTE + 1, undefined, true, 'unclear'],
		['sent just 30 s ago, which may be listed late', READ_AT - 30_000, SENT_AT, true, 'absent'],
		['sent a little longer ago', READ_AT - 30_001, SENT_AT, true, 'unclear'],
		['sent before the lost one', SENT_AT - 1, SENT_AT, true, 'unclear'],
		['sent before it, in a list that is not whole', SENT_AT - 1, SENT_AT, false, 'absent'],
		['sent more than an hour ago', READ_AT - 60 * MINUTE, undefined, true, 'absent'],
		['of a round whose time is not known', 0, undefined, true, 'absent'],
		['sent then, in a list that is not whole', SENT_AT + 1, SENT_AT, false, 'unclear'],
	])('believes no list that lacks a job %s', (_name, sentAt, from, complete, kind) => {
		const made = new Map([['made', sentAt]]);
		const none = /none of them can be this job\.$/;
		const lacks = /none of them can be this job, but job made, which exists, is missing\.$/;
		const detail = expect.stringMatching(kind === 'absent' ? none : lacks) as string;
		expect(found(others, complete, { ...LOST, from, known: made })).toMatchObject({ kind, detail });
		const listed = found([...others, job({ job_id: 'made' })], true, { ...LOST, from, known: made });
		expect(listed.kind).toBe('absent');
	});
});

describe('a search of the job list', () => {
	const REFUSED = failure({ kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' });
	const OURS = job(SHOWN);
	const EARLIER = { job_id: 'earlier', status: 'new', created_at: iso(-1_500 * MINUTE) };
	const LOST_AT = LOST.to;

	/** Searches with these lists, repeating the last one, and begins this long after the reply was lost. */
	function searching(lists: Array<Job[] | typeof REFUSED>, beginsMs: number) {
		let now = LOST_AT + beginsMs;
		const stop = new AbortController();
		const readAt: number[] = [];
		const { client, asked } = fakeClient({
			now: () => now,
			pause: async (pause) => void (now += Math.max(0, pause)),
			list: ({ page }) => {
				if (page !== undefined) return success([]);
				readAt.push(now - LOST_AT);
				const list = lists[Math.min(readAt.length, lists.length) - 1] ?? [];
				return Array.isArray(list) ? success(list) : list;
			},
		});
		const search = new JobListSearch(client, { planned: 0, stop: stop.signal });
		const wait = (ms: number) => void (now += ms);
		return { search, stop, readAt, asked, wait };
	}
	const unsaid = [{ job_id: 'unsaid', status: 'new', created_at: iso(0) }];
	/** Right after the loss, the job is looked for three times; a later try waits until a slow service has it. */
	const SOON = [0, 1_500, 5_500];
	const LATE = [AT_WORK_MS + 1, AT_WORK_MS + 1 + PROOF_INTERVAL_MS, AT_WORK_MS + 1 + 2 * PROOF_INTERVAL_MS];
	const [FIRST = 0, SECOND = 0, THIRD = 0] = LATE;
	test.each<[string, Array<Job[] | typeof REFUSED>, Recovery['kind'], number[], number]>([
		['is found at once', [[OURS]], 'ours', SOON, 1],
		['is found late', [[EARLIER], REFUSED, [OURS]], 'ours', SOON, 3],
		['may be there', [[EARLIER], unsaid, [OURS]], 'unclear', SOON, 2],
		['is not there, which proves nothing yet', [[EARLIER]], 'unclear', SOON, 3],
		['cannot be looked for', [REFUSED], 'unclear', SOON, 3],
		['is found later', [[OURS]], 'ours', LATE, 1],
		['is not there twice, 30 s apart', [[EARLIER]], 'absent', LATE, 2],
		['is found the second time', [[EARLIER], [OURS]], 'ours', LATE, 2],
		['may be there the second time', [[EARLIER], unsaid], 'unclear', LATE, 2],
		['is not there after a failure', [REFUSED, [EARLIER]], 'absent', LATE, 3],
		['is not there around a failure', [[EARLIER], REFUSED, [EARLIER]], 'absent', LATE, 3],
		['is not there before failures', [[EARLIER], REFUSED], 'unclear', LATE, 3],
	])('looks for it in turn: the job %s', async (_name, lists, kind, times, looks) => {
		const { search, readAt } = searching(lists, 0);
		expect((await search.find(LOST, times === LATE)).kind).toBe(kind);
		expect(readAt).toEqual(times.slice(0, looks));
	});

	test('does not wait for what is long past, and shares readings', async () => {
		const { search, readAt } = searching([[EARLIER]], 60 * MINUTE);
		const other = { ...LOST, request: { ...REQUEST, values: ['3'] } };
		for (const lost of [LOST, other]) expect((await search.find(lost, true)).kind).toBe('absent');
		expect(readAt).toEqual([60 * MINUTE, 60 * MINUTE + PROOF_INTERVAL_MS]);
	});

	test('takes no reading for a proof from before a slow service had the job', async () => {
		const { search, readAt } = searching([[EARLIER]], 0);
		await search.find(LOST, true);
		const later = { ...LOST, to: LOST_AT + FIRST };
		expect((await search.find(later, true)).kind).toBe('absent');
		// The second reading came a millisecond too early.
		expect(readAt).toEqual([FIRST, SECOND, SECOND + 1, THIRD + 1]);
	});

	const OTHER: LostCreation = { ...LOST, request: { ...REQUEST, values: ['3'] } };

	test('shares the latest reading for less than ten seconds', async () => {
		const { search, readAt, wait } = searching([[EARLIER]], 0);
		await search.find(LOST, false);
		wait(9_999);
		// Each search continues with new readings, because the first one does not show the job.
		await search.find(OTHER, false);
		expect(readAt).toEqual([...SOON, 5_500 + 9_999 + 1_500, 5_500 + 9_999 + 5_500]);
		wait(10_000);
		await search.find(LOST, false);
		expect(readAt.slice(5)).toEqual([30_999, 32_499, 36_499]);
	});

	test('shares no reading that failed', async () => {
		const { search, readAt } = searching([REFUSED, REFUSED, REFUSED, [OURS]], 0);
		expect((await search.find(LOST, false)).kind).toBe('unclear');
		expect((await search.find(LOST, false)).kind).toBe('ours');
		expect(readAt).toEqual([...SOON, 5_500]);
	});

	test('shares no reading that began when the creation was still under way', async () => {
		const { search, readAt } = searching([[EARLIER], [EARLIER], [EARLIER], [OURS]], 0);
		await search.find(LOST, false);
		const later = { ...LOST, to: LOST_AT + 5_500 };
		expect((await search.find(later, false)).kind).toBe('ours');
		expect(readAt).toEqual([...SOON, 5_500]);
	});

	test('reads the list once at one time', async () => {
		const { client, asked } = fakeClient({ now: () => LOST_AT + 1, list: () => success([]) });
		await new JobListSearch(client, { planned: 0 }).find(LOST, false);
		expect(asked).toEqual([{ list: { per_page: 100 } }]);
	});

	test('right after a lost reply proves no absence, even by earlier readings', async () => {
		const { search, readAt } = searching([[EARLIER]], 0);
		expect((await search.find(LOST, true)).kind).toBe('absent');
		expect((await search.find(OTHER, false)).kind).toBe('unclear');
		expect(readAt).toEqual([FIRST, SECOND, SECOND + 1_500, SECOND + 5_500]);
	});

	test('proves an absence by the first and the last of its readings', async () => {
		const { search, readAt, wait } = searching([[EARLIER]], FIRST);
		await search.find(OTHER, false);
		wait(PROOF_INTERVAL_MS - 5_501);
		// This reading is 29 999 ms after the first one.
		await search.find({ ...OTHER, to: LOST_AT + FIRST + 29_998 }, false);
		expect(readAt.map((time) => time - FIRST)).toEqual([0, 1_500, 5_500, 29_999, 31_499, 35_499]);
		// The four latest readings are kept, but they are too close together for a proof.
		expect((await search.find(LOST, true)).kind).toBe('absent');
		expect(readAt.slice(6).map((time) => time - FIRST)).toEqual([35_499 + PROOF_INTERVAL_MS]);
	});

	test('proves nothing by a reading from the last moment at which a slow service may be at work', async () => {
		const { search, readAt, wait } = searching([[EARLIER]], AT_WORK_MS);
		await search.find(OTHER, false);
		wait(PROOF_INTERVAL_MS - 5_500);
		expect((await search.find(LOST, true)).kind).toBe('absent');
		expect(readAt.map((time) => time - AT_WORK_MS)).toEqual([0, 1_500, 5_500, 30_000, 60_000]);
	});

	test('waits no longer than usual where the clock was set back, and then proves nothing', async () => {
		const { search, readAt } = searching([[EARLIER]], -60_000);
		expect((await search.find(LOST, true)).kind).toBe('unclear');
		expect(readAt).toEqual([-29_999, 1, AT_WORK_MS + 1]);
	});

	test('ends when the execution is stopped', async () => {
		const { search, stop, readAt } = searching([[OURS]], 0);
		stop.abort();
		const detail = 'The execution was stopped before this was clear.';
		expect(await search.find(LOST, false)).toEqual({ kind: 'unclear', detail });
		expect(readAt).toEqual([]);
	});

	test.each([
		['a thousand jobs', 0, 10],
		['two more for each job of the run', 100, 12],
	])('reads at most %s', async (_name, planned, pages) => {
		const hundred = (page: unknown) =>
			Array.from({ length: 100 }, (_, n) => job({ job_id: `${page}-${n}`, values: ['77'] }));
		// The list holds our job, so it is read once.
		const list = ({ page = 1 }: { page?: unknown }) =>
			success(page === 1 ? [OURS, ...hundred(1).slice(1)] : hundred(page));
		const { client, asked } = fakeClient({ list });
		const { kind } = await new JobListSearch(client, { planned }).find(LOST, false);
		// The first page is also requested by its number, because pages may count from 0.
		const asPages = Array.from({ length: pages }, (_, n) => ({ list: { per_page: 100, page: n + 1 } }));
		expect([kind, ...asked]).toEqual(['ours', { list: { per_page: 100 } }, ...asPages]);
	});
});
