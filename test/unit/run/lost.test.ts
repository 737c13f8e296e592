import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { AT_WORK_MS, findLostJob, JobListSearch, verdictOn } from '../../../nodes/PriceCollection/run/lost';
import type { LostCreation, Recovery } from '../../../nodes/PriceCollection/run/lost';
import { TWICE_MS } from '../../../nodes/PriceCollection/service/jobState';
import { without, type JobRequest } from '../../../nodes/PriceCollection/run/record';
import { ENDPOINTS, type Job } from '../../../nodes/PriceCollection/service/types';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import { runs } from '../../runs';
import { fakeClient } from '../fakeClient';

const SENT_AT = Date.parse('2026-10-01T12:00:00Z');
const MINUTE = 60_000;
const PROOF = { from: SENT_AT, to: SENT_AT + MINUTE };
const iso = (afterMs: number) => new Date(SENT_AT + afterMs).toISOString();

const REQUEST: JobRequest = {
	parameters: { topic: 'search', source: 'google_shopping', country: 'gb', key: 'gtin' },
	key: 'gtin',
	values: ['0001', '2'],
};
const LOST: LostCreation = {
	...{ from: SENT_AT, to: SENT_AT + 2_000, nonce: 'mine', hasGaps: false },
	...{ request: REQUEST, known: new Map([['known', 0]]) },
};
const job = (more: IDataObject = {}): Job => ({
	...{ job_id: 'new', status: 'new', created_at: iso(1_000) },
	...more,
});
const callback = (nonce: string) =>
	`https://n8n.example.test/webhook/x?pc_expires=1&pc_nonce=${nonce}&pc_signature=ab`;
/** A job that shows all that we sent. */
const SHOWN = { ...REQUEST.parameters, values: ['1', '2'] };
const UNDATED = { created_at: undefined };
const FRANCE: Partial<JobRequest> = { parameters: { ...REQUEST.parameters, country: 'France' } };
const keyed = (key: string): Partial<JobRequest> => ({
	...{ key, values: ['1', '2'], parameters: { ...REQUEST.parameters, key } },
});
const AGED: Partial<JobRequest> = { parameters: { ...REQUEST.parameters, max_age: 5 } };
const KETTLE: Partial<JobRequest> = { key: 'term', values: ['kettle'] };
const WORDS: Partial<JobRequest> = { key: 'term', values: ['Café crème', 'Straße 15'] };

const judged = (one: Job, lost: LostCreation, proof = PROOF) => verdictOn(one, lost, proof, 'webhook_url');

describe('a job of the list', () => {
	test.each<[string, string, IDataObject, Partial<JobRequest>?]>([
		['ours', 'whose callback URL has our mark', { callback_url: callback('mine') }],
		['ours', 'with our mark one level down', { topic: 'x', parameters: { hook: callback('mine') } }],
		['ours', 'that shows all that we sent and was created meanwhile', SHOWN],
		['ours', 'that shows it one level down, in another order', { query: { ...SHOWN, values: '2\n1' } }],
		['ours', 'that shows it at two places', { query: { values: '1\n2' }, params: REQUEST.parameters }],
		['ours', 'whose GTINs have other leading zeros', { ...SHOWN, values: ['00000000000001', '02'] }],
		['ours', 'whose values stand under their key', { ...without(SHOWN, 'key', 'values'), gtin: '1\n2' }],
		['ours', 'that names its key as version 1 did', { ...SHOWN, key: 'keyword' }, keyed('term')],
		['ours', 'that names its key as version 1 did', { ...SHOWN, key: 'source_id' }, keyed('id')],
		['ours', 'that writes a number as text', { ...SHOWN, max_age: '5' }, AGED],
		['ours', 'that agrees in any case', { ...SHOWN, topic: 'Search', source: 'GOOGLE_Shopping' }],
		['ours', 'that agrees in the case of its country', { ...SHOWN, country: 'GB' }],
		['ours', 'that says more', { ...SHOWN, merchant: 'x', max_age: 7 }],
		['unclear', 'that shows another number', { ...SHOWN, max_age: 6 }, AGED],
		['unclear', 'that names another key', { ...SHOWN, key: 'ean' }],
		['ours', 'that somebody has downloaded since', { ...SHOWN, downloaded_at: iso(2_000) }],
		['unclear', 'whose time is a number', { ...SHOWN, created_at: SENT_AT + 1000 }],
		['unclear', 'that says nothing but its time', {}],
		['unclear', 'that tells nothing at all', UNDATED],
		['unclear', 'that shows all values but no time', { ...SHOWN, ...UNDATED }],
		['unclear', 'whose time cannot be read', { ...SHOWN, created_at: 'yesterday' }],
		['unclear', 'of which nobody knows in which zone', { ...SHOWN, created_at: '2026-10-01 14:00:01' }],
		['unclear', 'by a clock four minutes slow', { ...SHOWN, created_at: iso(-4 * MINUTE) }],
		['unclear', 'by a clock minutes fast', { ...SHOWN, created_at: iso(9 * MINUTE) }],
		['unclear', 'whose fields agree but which shows no values', { ...REQUEST.parameters, requested: 2 }],
		['unclear', 'that shows one value less', { ...SHOWN, values: '1' }],
		['unclear', 'that shows one value more', { ...SHOWN, values: '1\n2\n3' }],
		['unclear', 'that shows one twice instead', { ...SHOWN, values: ['1', '01'] }],
		['unclear', 'that joins its values', { ...SHOWN, values: '1, 2' }],
		['unclear', 'that cuts its values', { term: 'straß…' }, WORDS],
		['unclear', 'that shows them without accents', { keywords: 'CAFE CREME;strasse 15' }, WORDS],
		['unclear', 'that names the country by its name', { ...SHOWN, country: 'United Kingdom' }],
		['unclear', 'that names the country by another code', { ...SHOWN, country: 'uk' }],
		['unclear', 'that names the source in short', { ...SHOWN, source: 'Google' }],
		['unclear', 'whose country was asked for by its name', { ...SHOWN, country: 'de' }, FRANCE],
		['unclear', 'that shows a part of two letters', { value: 'ke' }, KETTLE],
		['another', 'that shows a part of one letter', { value: 'k' }, KETTLE],
		['unclear', 'whose own ID is no value', { id: '99' }, { key: 'id', values: ['17'] }],
		['another', 'whose value by ID is another', { query: { id: '99' } }, { key: 'id', values: ['17'] }],
		['another', 'whose value by its key is another', { asin: '99' }, { key: 'asin', values: ['17'] }],
		['unclear', 'downloaded in an unknown zone', { ...UNDATED, downloaded_at: '2026-10-01T11:54:00' }],
		['unclear', 'that may be five minutes old', { ...SHOWN, created_at: iso(-5 * MINUTE) }],
		['another', 'that is accounted for', { ...SHOWN, job_id: 'known' }],
		['another', 'whose callback URL has the mark of another', { ...SHOWN, hook: callback('theirs') }],
		['another', 'that was there before', { ...SHOWN, created_at: iso(-5 * MINUTE - 1) }],
		['unclear', 'that was there before in every zone', { created_at: '2026-09-30T21:54:59' }],
		['another', 'that was downloaded before', { ...UNDATED, downloaded_at: iso(-6 * MINUTE) }],
		['another', 'of another topic', { ...SHOWN, topic: 'reviews' }],
		['another', 'of another source', { ...SHOWN, source: 'idealo' }],
		['another', 'of another country, one level down', { query: { country: 'fr' } }],
		['another', 'all of whose values are others', { values: ['7', '8'] }],
		['another', 'all of whose values are others, joined', { gtins: '7|8' }],
		['another', 'all of whose words are others', { value: 'kettle' }, WORDS],
		...Object.keys(REQUEST.parameters).flatMap((name): Array<[string, string, IDataObject]> => [
			['unclear', `that hides its ${name}`, without(SHOWN, name)],
			['unclear', `whose ${name} is blank`, { ...SHOWN, [name]: '' }],
			['unclear', `whose ${name} is null`, { ...SHOWN, [name]: null }],
			['unclear', `whose ${name} is an object`, { ...SHOWN, [name]: { name: 'x' } }],
		]),
	])('is %s: one %s', (verdict, _name, more, asked = {}) => {
		expect(judged(job(more), { ...LOST, request: { ...REQUEST, ...asked } })).toBe(verdict);
	});

	test.each(['values', 'value', 'term', 'terms', 'keyword', 'keywords', 'gtin', 'gtins'])(
		'shows its values by %s, whatever it was asked for by',
		(name) => {
			const lost = { ...LOST, request: { ...REQUEST, ...keyed('asin'), values: ['17'] } };
			const shown = { ...lost.request.parameters, [name]: '17' };
			expect(judged(job({ ...shown, [name]: '99' }), lost)).toBe('another');
			expect(judged(job(shown), lost)).toBe('ours');
		},
	);

	test('says nothing by a field called __proto__', () => {
		const text = '{"__proto__":{"topic":"reviews","created_at":"2020-01-01T00:00:00Z"}}';
		expect(judged({ ...(JSON.parse(text) as Job), ...job(SHOWN) }, LOST)).toBe('ours');
	});

	test('need not show the callback URL as it was sent, and is never ours where it is unknown since when', () => {
		const parameters = { ...REQUEST.parameters, webhook_url: 'https://n8n.example.test' };
		const lost = { ...LOST, request: { ...REQUEST, parameters } };
		expect(judged(job(SHOWN), lost)).toBe('ours');
		expect(verdictOn(job(SHOWN), lost, PROOF, 'callback')).toBe('unclear');
		expect(verdictOn(job(SHOWN), LOST, { to: PROOF.to }, 'webhook_url')).toBe('unclear');
	});

	test('may bear any mark where that of the creation is not known for certain, and say what was not asked', () => {
		const marked = job({ ...SHOWN, webhook_url: callback('theirs'), country: 'fr' });
		const lost = { ...LOST, request: { ...REQUEST, parameters: { topic: 'search' } } };
		expect(judged(marked, { ...lost, hasGaps: true })).toBe('ours');
		expect(judged(marked, { ...lost, nonce: undefined })).toBe('ours');
		expect(judged(marked, lost)).toBe('another');
	});
});

describe('looking for the job of a lost creation', () => {
	const { client } = fakeClient({});
	const READ_AT = SENT_AT + 2 * MINUTE;
	const listOf = (jobs: Job[], complete = true) => ({
		...{ jobs, complete, invalid: 0, saysMore: false, repeats: false },
	});
	const found = (jobs: Job[], complete = true, lost = LOST, asking = client) =>
		findLostJob(asking, { at: READ_AT, list: success(listOf(jobs, complete)) }, lost);
	const old = (index: number) => job({ job_id: `old ${index}`, created_at: iso(-MINUTE * (10 + index)) });
	const looked = 'The job list was searched';

	test('finds it, whatever stands around it', () => {
		const others = [job({ job_id: 'a' }), job({ job_id: 'b', ...UNDATED }), old(0)];
		expect(found([...others, job(SHOWN)], false)).toEqual({ kind: 'ours', job: job(SHOWN) });
	});

	test.each<[string, Job[]]>([
		['the only one that may be it', [job()]],
		['two that prove to be it', [job(SHOWN), job({ job_id: 'second', ...SHOWN })]],
		['one without a time', [job({ ...SHOWN, ...UNDATED })]],
	])('takes nothing for want of contradiction: it names %s', (_name, jobs) => {
		const named = jobs.map(({ job_id }) => job_id).join(', ');
		const detail = `${looked} (${jobs.length + 1} jobs); one of these jobs may be this one: ${named}.`;
		expect(found([...jobs, old(0)])).toEqual({ kind: 'unclear', detail, candidates: true });
	});

	test('names twenty at the most', () => {
		const jobs = Array.from({ length: 22 }, (_, index) => job({ job_id: `j${index}` }));
		expect(found(jobs)).toMatchObject({ detail: expect.stringMatching(/ j19 and 2 more\.$/) as string });
		const twenty = { detail: expect.stringMatching(/ j19\.$/) as string };
		expect(found(jobs.slice(0, 20))).toMatchObject(twenty);
	});

	const another = (minutes: number) => job({ topic: 'reviews', created_at: iso(minutes * MINUTE) });
	const many = Array.from({ length: 1_000 }, () => another(0));
	test.each<[string, Job[], boolean, string, string]>([
		['an empty list', [], true, 'absent', `${looked} (0 jobs); none of them can be this one.`],
		['a whole list', [old(3), old(1)], true, 'absent', `${looked} (2 jobs); none of them`],
		['one that is sorted', [old(1), old(3)], false, 'absent', `${looked} (its first 2 jobs); none of`],
		['one with jobs of the same time', [old(3), old(3)], false, 'absent', 'none of them can be'],
		['one that goes back in the end', [another(0), another(-4), old(3)], false, 'absent', 'none of them'],
		['one that is not', [old(3), old(1)], false, 'unclear', 'no job in it can be this one, but it may'],
		['one that is too short', [], false, 'unclear', `${looked} (its first 0 jobs); no job in it`],
		['one of which a job has no time', [job({ ...old(1), ...UNDATED })], false, 'unclear', 'old 1.'],
		['one that is too late', [another(0), another(-4)], false, 'unclear', 'may not reach back to the'],
		['one as long as what is looked at', many, true, 'unclear', `${looked} (its first 1000 jobs)`],
	])('knows of its absence by %s: %#', (_name, jobs, complete, kind, detail) => {
		const said = { kind, detail: expect.stringContaining(detail) as string };
		expect(found(jobs, complete)).toMatchObject(said);
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
		['told: long before', 3_600_000, 3_600_000 - 2_001 - 5 * MINUTE, 'absent'],
	])('goes by the clock of the service, %s', (_name, clockAheadMs, created, kind) => {
		const only = job({ ...SHOWN, created_at: iso(created) });
		expect(found([only], true, LOST, fakeClient({ clockAheadMs }).client).kind).toBe(kind);
	});

	test('says when the list cannot be read', () => {
		const problem = failure({ kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' });
		const unclear = { kind: 'unclear', detail: 'The job list could not be read to find out.' };
		expect(findLostJob(client, { at: READ_AT, list: problem }, LOST)).toEqual(unclear);
	});

	test('takes a list of which a page could not be read for no proof, however far back it goes', () => {
		const problem = { kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' } as const;
		const reading = (jobs: Job[]) => {
			const list = success({ ...listOf(jobs, false), unread: { page: 2, problem } });
			return findLostJob(client, { at: READ_AT, list }, LOST);
		};
		const why = 'page 2 of it could not be read: The service is temporarily unavailable';
		const detail = `${looked} (its first 2 jobs); no job in it can be this one, but ${why}.`;
		expect(reading([old(1), old(3)])).toEqual({ kind: 'unclear', detail });
		expect(reading([old(1), old(3), job(SHOWN)]).kind).toBe('ours');
	});

	const others = [another(-20), another(-30)];
	test.each<[string, number, LostCreation['from'], boolean, string]>([
		['sent with the lost one', SENT_AT + 1, SENT_AT, true, 'unclear'],
		['sent within the hour, if since is unknown', READ_AT - 60 * MINUTE + 1, undefined, true, 'unclear'],
		['sent just 30 s ago, which may be listed late', READ_AT - 30_000, SENT_AT, true, 'absent'],
		['sent a little longer ago', READ_AT - 30_001, SENT_AT, true, 'unclear'],
		['sent before the lost one', SENT_AT, SENT_AT, true, 'absent'],
		['sent more than an hour ago', READ_AT - 60 * MINUTE, undefined, true, 'absent'],
		['of a round whose time is not known', 0, undefined, true, 'absent'],
		['sent then, in a list that is not whole', SENT_AT + 1, SENT_AT, false, 'unclear'],
	])('believes no list that lacks a job %s', (_name, sentAt, from, complete, kind) => {
		const known = new Map([['made', sentAt]]);
		const none = /none of them can be this one\.$/;
		const lacks = /no job in it can be this one, but it lacks job made, which exists\.$/;
		const detail = expect.stringMatching(kind === 'absent' ? none : lacks) as string;
		expect(found(others, complete, { ...LOST, from, known })).toMatchObject({ kind, detail });
		const listed = found([...others, job({ job_id: 'made' })], true, { ...LOST, from, known });
		expect(listed.kind).toBe('absent');
	});
});

describe('a search of the job list', () => {
	const REFUSED = failure({ kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' });
	const OURS = job(SHOWN);
	const EARLIER = { job_id: 'earlier', status: 'new', created_at: iso(-60 * MINUTE) };
	const LOST_AT = LOST.to;

	/** Searches with these lists, the last one for ever, beginning so long after the reply was lost. */
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
		return { search: new JobListSearch(client, stop.signal), stop, readAt, asked };
	}
	const unsaid = [{ job_id: 'unsaid', status: 'new' }];
	/** Right after the reply was lost it is looked for three times; a later try waits until a slow service has it. */
	const SOON = [0, 1_500, 5_500];
	const LATE = [AT_WORK_MS + 1, AT_WORK_MS + 1 + TWICE_MS, AT_WORK_MS + 1 + 2 * TWICE_MS];
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
		expect(readAt).toEqual([60 * MINUTE, 60 * MINUTE + TWICE_MS]);
	});

	test('takes no reading for a proof from before a slow service had the job', async () => {
		const { search, readAt } = searching([[EARLIER]], 0);
		await search.find(LOST, true);
		const later = { ...LOST, to: LOST_AT + FIRST };
		expect((await search.find(later, true)).kind).toBe('absent');
		// The second reading came a millisecond too early.
		expect(readAt).toEqual([FIRST, SECOND, SECOND + 1, THIRD + 1]);
	});

	test('ends when the execution is stopped', async () => {
		const { search, stop, readAt } = searching([[OURS]], 0);
		stop.abort();
		const detail = 'The execution was stopped before that was known.';
		expect(await search.find(LOST, false)).toEqual({ kind: 'unclear', detail });
		expect(readAt).toEqual([]);
	});

	test('reads a thousand jobs at the most', async () => {
		const hundred = (page: unknown) =>
			Array.from({ length: 100 }, (_, n) => job({ job_id: `${page}-${n}`, topic: 'reviews' }));
		const endless = fakeClient({ list: ({ page }) => success(hundred(page)) });
		await new JobListSearch(endless.client).find(LOST, false);
		const asked = new Set(endless.asked.map(({ list }) => JSON.stringify(list)));
		expect([asked.size, endless.asked[0]]).toEqual([10, { list: { per_page: 100 } }]);
	});
});

describe('the own job of any request', () => {
	const word = fc.stringMatching(/^[A-Za-zäÉßñ0-9]{1,8}$/);
	const value = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
	const respelt = fc.constantFrom<(text: string) => string>(
		(text) => text.toUpperCase(),
		(text) => ` ${text.toLowerCase()} `,
		(text) => text.normalize('NFD').replace(/\p{M}/gu, ''),
		(text) => text.replace(/[ _]/g, '-'),
	);
	const request = fc.record({
		key: fc.constantFrom('gtin', 'id', 'term', 'asin'),
		values: fc.uniqueArray(value, { minLength: 1, maxLength: 5 }),
		topic: fc.constantFrom('search', 'product_and_offers'),
		source: fc.constantFrom('google_shopping', 'idealo'),
		country: fc.constantFrom('gb' as const, 'de' as const),
	});
	/** How a service may show it. */
	const spelling = fc.record({
		by: respelt,
		join: fc.constantFrom<(texts: string[]) => IDataObject[string]>(
			(texts) => texts,
			(texts) => texts[0],
			...['\n', ', ', ';', ' | ', '\t'].map((line) => (texts: string[]) => texts.join(line)),
		),
		order: fc.boolean(),
		field: fc.constantFrom('values', 'value', 'keywords', 'gtins', 'by its key'),
		place: fc.constantFrom('', 'query', 'request', 'params'),
		shown: fc.subarray(['topic', 'source', 'country', 'values', 'created_at', 'nonce']),
		clockMs: fc.integer({ min: -5 * MINUTE, max: 5 * MINUTE }),
		time: fc.constantFrom<(time: number) => IDataObject[string]>(
			(time) => new Date(time).toISOString(),
			(time) => new Date(time).toISOString().slice(0, 19).replace('T', ' '),
			(time) => String(Math.floor(time / 1000)),
			() => 'just now',
		),
		countries: fc.constantFrom({ gb: 'UK', de: 'DE' }, { gb: 'United Kingdom', de: 'Germany' }),
	});

	test('is never judged to be that of another, and is ours where it shows our mark', () => {
		fc.assert(
			fc.property(request, spelling, ({ key, values, ...parameters }, how) => {
				const texts = values.map(how.by);
				const fields: IDataObject = {
					topic: how.by(parameters.topic),
					source: how.by(parameters.source),
					country: how.countries[parameters.country],
					values: how.join(how.order ? texts : texts.toReversed()),
					created_at: how.time(SENT_AT + 1_000 + how.clockMs),
					nonce: callback('mine'),
				};
				const own: IDataObject = {};
				for (const name of how.shown) {
					const shownAs = how.field === 'by its key' ? key : how.field;
					own[name === 'values' ? shownAs : name] = fields[name];
				}
				const shown = { job_id: 'new', status: 'new' };
				const seen = how.place === '' ? { ...own, ...shown } : { ...shown, [how.place]: own };
				const lost = { ...LOST, request: { parameters: { ...parameters, key }, key, values } };
				const verdict = how.shown.includes('nonce') ? 'ours' : /^(ours|unclear)$/;
				expect(judged(seen, lost)).toMatch(verdict);
			}),
			{ numRuns: runs(2_000) },
		);
	});
});
