import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { JobRequest } from '../../../nodes/PriceCollection/run/lookup/record';
import {
	findLostJob,
	readRecentJobs,
	verdictOn,
	type LostCreation,
} from '../../../nodes/PriceCollection/run/recover';
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
	creation: { sentAt: SENT_AT, lostAt: SENT_AT + 2_000, executionId: '7', nonce: 'mine' },
	request: REQUEST,
	known: new Set(['known']),
	hasGaps: false,
};
const job = (more: IDataObject = {}): Job => ({
	...{ job_id: 'new', status: 'new', created_at: iso(1_000) },
	...more,
});
const callback = (nonce: string) =>
	`https://n8n.example.test/webhook/x?pc_expires=1&pc_nonce=${nonce}&pc_signature=ab`;
const VALUES = { values: ['1', '2'] };
const UNDATED = { created_at: undefined };
const FRANCE: Partial<JobRequest> = { parameters: { ...REQUEST.parameters, country: 'France' } };
const KETTLE: Partial<JobRequest> = { key: 'term', values: ['kettle'] };
const WORDS: Partial<JobRequest> = { key: 'term', values: ['Café crème', 'Straße 15'] };

describe('a job of the list', () => {
	test.each<[string, string, IDataObject, Partial<JobRequest>?]>([
		['ours', 'whose callback URL has our mark', { callback_url: callback('mine') }],
		[
			'ours',
			'with our mark one level down',
			{ parameters: { hook: callback('mine') }, topic: 'reviews' },
		],
		['ours', 'that shows all values and was created meanwhile', VALUES],
		['ours', 'that shows them in another order and one level down', { query: { values: '2\n1' } }],
		['ours', 'whose GTINs have other leading zeros', { values: ['00000000000001', '02'] }],
		[
			'ours',
			'that agrees in any case',
			{ ...VALUES, topic: 'Search', source: 'Google_Shopping', country: 'GB' },
		],
		['ours', 'that leaves a parameter open, or says more', { ...VALUES, topic: null, merchant: 'x' }],
		['ours', 'that somebody has downloaded since', { ...VALUES, downloaded_at: iso(2_000) }],
		['unclear', 'whose time is a number', { ...VALUES, created_at: SENT_AT + 1000 }],
		['unclear', 'that says nothing but its time', {}],
		['unclear', 'that tells nothing at all', UNDATED],
		['unclear', 'that shows all values but no time', { ...VALUES, ...UNDATED }],
		['unclear', 'whose time cannot be read', { ...VALUES, created_at: 'yesterday' }],
		['unclear', 'of which nobody knows in which zone', { ...VALUES, created_at: '2026-10-01 14:00:01' }],
		['unclear', 'by a clock four minutes slow', { ...VALUES, created_at: iso(-4 * MINUTE) }],
		['unclear', 'by a clock minutes fast', { ...VALUES, created_at: iso(9 * MINUTE) }],
		['unclear', 'whose fields agree but which shows no values', { topic: 'search', requested: 2 }],
		['unclear', 'that shows one value less', { values: '1' }],
		['unclear', 'that shows one value more', { values: '1\n2\n3' }],
		['unclear', 'that shows one twice instead', { values: ['1', '01'] }],
		['unclear', 'that joins its values', { values: '1, 2' }],
		['unclear', 'that cuts its values', { term: 'straß…' }, WORDS],
		['unclear', 'that shows them without accents', { keywords: 'CAFE CREME;strasse 15' }, WORDS],
		['unclear', 'that names the country by its name', { ...VALUES, country: 'United Kingdom' }],
		['unclear', 'that names the country by another code', { ...VALUES, country: 'uk' }],
		['unclear', 'that names the source in short', { ...VALUES, source: 'Google' }],
		['unclear', 'that describes the source', { ...VALUES, source: { name: 'idealo' } }],
		['unclear', 'whose country was asked for by its name', { ...VALUES, country: 'de' }, FRANCE],
		['unclear', 'that shows a part of two letters', { value: 'ke' }, KETTLE],
		['another', 'that shows a part of one letter', { value: 'k' }, KETTLE],
		['unclear', 'whose own ID is no value', { id: '99' }, { key: 'id', values: ['17'] }],
		['another', 'whose value by ID is another', { query: { id: '99' } }, { key: 'id', values: ['17'] }],
		['another', 'whose value by its key is another', { asin: '99' }, { key: 'asin', values: ['17'] }],
		['unclear', 'downloaded in an unknown zone', { ...UNDATED, downloaded_at: '2026-10-01T11:54:00' }],
		['unclear', 'that may be five minutes old', { ...VALUES, created_at: iso(-5 * MINUTE) }],
		['another', 'that is accounted for', { ...VALUES, job_id: 'known' }],
		['another', 'whose callback URL has the mark of another', { ...VALUES, hook: callback('theirs') }],
		['another', 'that was there before', { ...VALUES, created_at: iso(-5 * MINUTE - 1) }],
		['unclear', 'that was there before in every zone', { created_at: '2026-09-30T21:54:59' }],
		['another', 'that was downloaded before', { ...UNDATED, downloaded_at: iso(-6 * MINUTE) }],
		['another', 'of another topic', { ...VALUES, topic: 'reviews' }],
		['another', 'of another source', { ...VALUES, source: 'idealo' }],
		['another', 'of another country, one level down', { ...VALUES, query: { country: 'fr' } }],
		['another', 'all of whose values are others', { values: ['7', '8'] }],
		['another', 'all of whose values are others, joined', { gtins: '7|8' }],
		['another', 'all of whose words are others', { value: 'kettle' }, WORDS],
	])('is %s: one %s', (verdict, _name, more, asked = {}) => {
		expect(verdictOn(job(more), { ...LOST, request: { ...REQUEST, ...asked } }, PROOF)).toBe(verdict);
	});

	test.each(['values', 'value', 'term', 'terms', 'keyword', 'keywords', 'gtin', 'gtins'])(
		'shows its values by %s, whatever it was asked for by',
		(name) => {
			const request = { ...REQUEST, key: 'asin', values: ['17'] };
			expect(verdictOn(job({ [name]: '99' }), { ...LOST, request }, PROOF)).toBe('another');
			expect(verdictOn(job({ [name]: '17' }), { ...LOST, request }, PROOF)).toBe('ours');
		},
	);

	test('says nothing by a field called __proto__', () => {
		const text = '{"__proto__":{"topic":"reviews","created_at":"2020-01-01T00:00:00Z"}}';
		expect(verdictOn({ ...(JSON.parse(text) as Job), ...job(VALUES) }, LOST, PROOF)).toBe('ours');
	});

	test('may bear any mark where that of the creation is not known for certain, and say what was not asked', () => {
		const marked = job({ ...VALUES, webhook_url: callback('theirs'), country: 'fr' });
		const lost = { ...LOST, request: { ...REQUEST, parameters: { topic: 'search' } } };
		expect(verdictOn(marked, { ...lost, hasGaps: true }, PROOF)).toBe('ours');
		const creation = { ...LOST.creation, nonce: undefined };
		expect(verdictOn(marked, { ...lost, creation }, PROOF)).toBe('ours');
	});
});

describe('looking for the job of a lost creation', () => {
	const { client } = fakeClient({});
	const found = (jobs: Job[], complete = true, lost = LOST, asking = client) =>
		findLostJob(asking, success({ jobs, invalid: 0, complete, saysMore: false, repeats: false }), lost);
	const old = (index: number) => job({ job_id: `old ${index}`, created_at: iso(-MINUTE * (10 + index)) });
	const looked = 'The job list was searched';

	test('finds it, whatever stands around it', () => {
		const others = [job({ job_id: 'a' }), job({ job_id: 'b', ...UNDATED }), old(0)];
		expect(found([...others, job(VALUES)], false)).toEqual({ kind: 'ours', job: job(VALUES) });
	});

	test.each<[string, Job[]]>([
		['the only one that may be it', [job()]],
		['two that prove to be it', [job(VALUES), job({ job_id: 'second', ...VALUES })]],
		['one without a time', [job({ ...VALUES, ...UNDATED })]],
	])('takes nothing for want of contradiction: it names %s', (_name, jobs) => {
		const named = jobs.map(({ job_id }) => job_id).join(', ');
		const detail = `${looked} (${jobs.length + 1} jobs); one of these jobs may be this one: ${named}.`;
		expect(found([...jobs, old(0)])).toEqual({ kind: 'unclear', detail });
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
		['one that is not', [old(3), old(1)], false, 'unclear', 'no job in it can be this one, but it does'],
		['one that is too short', [], false, 'unclear', `${looked} (its first 0 jobs); no job in it`],
		['one of which a job has no time', [job({ ...old(1), ...UNDATED })], false, 'unclear', 'old 1.'],
		[
			'one that is too late',
			[another(0), another(-4)],
			false,
			'unclear',
			'does not show whether it goes back to',
		],
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
		const only = job({ ...VALUES, created_at: iso(created) });
		expect(found([only], true, LOST, fakeClient({ clockAheadMs }).client).kind).toBe(kind);
	});

	test('says when the list cannot be read, and reads a thousand jobs at the most', async () => {
		const problem = failure({ kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' });
		const detail = 'The job list could not be read to find out.';
		expect(findLostJob(client, problem, LOST)).toEqual({ kind: 'unclear', detail });
		const hundred = (page: unknown) =>
			Array.from({ length: 100 }, (_, n) => job({ job_id: `${page}-${n}` }));
		const endless = fakeClient({ list: ({ page }) => success(hundred(page)) });
		const read = await readRecentJobs(endless.client);
		expect([read.ok && read.value.jobs.length, endless.asked.length]).toEqual([1_000, 10]);
	});

	test('takes a list of which a page could not be read for no proof, however far back it goes', () => {
		const problem = { kind: 'unavailable', endpoint: ENDPOINTS.list, effect: 'none' } as const;
		const list = {
			jobs: [old(1), old(3)],
			invalid: 0,
			complete: false,
			saysMore: false,
			repeats: false,
		};
		const unread = { page: 2, problem };
		const why = 'page 2 of it could not be read: The service is temporarily unavailable';
		expect(findLostJob(client, success({ ...list, unread }), LOST)).toEqual({
			kind: 'unclear',
			detail: `${looked} (its first 2 jobs); no job in it can be this one, but ${why}.`,
		});
		const all = [...list.jobs, job(VALUES)];
		expect(findLostJob(client, success({ ...list, jobs: all, unread }), LOST).kind).toBe('ours');
	});

	test('asks as the credential says, and takes an empty first page for an empty list', async () => {
		const kinds = [];
		for (const fields of [{}, { firstPage: '1' }, { pagination: 'offset' }] as const) {
			const { client: asking, asked } = fakeClient({ fields, pages: [] });
			kinds.push([findLostJob(asking, await readRecentJobs(asking), LOST).kind, asked[0]?.list]);
		}
		expect(kinds).toEqual([
			['absent', { per_page: 100 }],
			['absent', { page: 1, per_page: 100 }],
			['absent', { offset: 0, per_page: 100 }],
		]);
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

	test('is never judged to be that of another', () => {
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
				expect(verdictOn(seen, lost, PROOF)).not.toBe('another');
			}),
			{ numRuns: runs(2_000) },
		);
	});
});
