import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { ownershipOf, type Listed, type LostCreation } from '../../../nodes/PriceCollection/creation/proof';
import { without, type JobRequest } from '../../../nodes/PriceCollection/run/record';
import type { Job } from '../../../nodes/PriceCollection/service/types';
import { runs } from '../../support/runs';
import { iso, job, LOST, MINUTE, REQUEST, SENT_AT, SHOWN, UNDATED } from './lostCreation';

/** A list dated by our clock and spelt like ours, without a known job of this run. */
const LISTED: Listed = {
	spells: () => true,
	isDefault: () => false,
	isTooOld: (time) => time < SENT_AT - 5 * MINUTE,
	isInTime: (time) => time >= SENT_AT && time <= SENT_AT + MINUTE,
};
const callback = (nonce: string) =>
	`https://n8n.example.test/webhook/x?pc_expires=1&pc_nonce=${nonce}&pc_signature=ab`;
const FRANCE: Partial<JobRequest> = { parameters: { ...REQUEST.parameters, country: 'France' } };
const keyed = (key: string): Partial<JobRequest> => ({
	...{ key, values: ['1', '2'], parameters: { ...REQUEST.parameters, key } },
});
const AGED: Partial<JobRequest> = { parameters: { ...REQUEST.parameters, max_age: 5 } };
const KETTLE: Partial<JobRequest> = { key: 'term', values: ['kettle'] };
/** A value that leaves nothing to compare. */
const ACCENT: Partial<JobRequest> = { key: 'term', values: ['\u0301'] };
const TERM_TOPIC: Partial<JobRequest> = { parameters: { ...REQUEST.parameters, topic: 'term' } };
const WORDS: Partial<JobRequest> = { key: 'term', values: ['Café crème', 'Straße 15'] };

const NAMES = { webhookUrlParameter: 'webhook_url', labelParameter: '', requestNames: {} };
const judged = (one: Job, lost: LostCreation, listed: Partial<Listed> = {}, names = {}) =>
	ownershipOf(one, lost, { ...LISTED, ...listed }, { ...NAMES, ...names });

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
		['ours', 'that says more', { ...SHOWN, merchant: 'x', max_age: null }],
		['ours', 'that writes its source in one word', { ...SHOWN, source: 'GoogleShopping' }],
		['ours', 'whose mark ends its address', { hook: 'https://x.test/?pc_nonce=mine', merchant: 'x' }],
		['unclear', 'with our mark in a list, which is not looked into', { hooks: [callback('mine')] }],
		['ours', 'with a text under a blank name, which is no label', { ...SHOWN, '': 'theirs' }],
		['unclear', 'that names what was sent elsewhere', { ...without(SHOWN, 'topic'), search: 'x' }],
		['unclear', 'that names another key than the one it shows', { ...SHOWN, key: 'ean', gtin: '1\n2' }],
		['another', 'whose topic is named like an older key', { ...SHOWN, topic: 'keyword' }, TERM_TOPIC],
		['unclear', 'that shows 1440 of something else than minutes', { ...SHOWN, max_pages: 1440 }],
		['unclear', 'that names the source at length', { ...SHOWN, source: 'Google Shopping UK' }],
		['unclear', 'that shows its value at length', { value: 'Kettle 2 l' }, KETTLE],
		['another', 'that shows nothing between two values', { value: 'pot||pan' }, ACCENT],
		['unclear', 'in time for a zone that nobody knows', { ...SHOWN, created_at: '2026-10-01 12:00:01' }],
		['unclear', 'that shows a parameter that was not sent', { ...SHOWN, max_age: 7 }],
		['unclear', 'that shows one more in its query', { ...SHOWN, query: { max_pages: 5 } }],
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
		expect(judged(job(SHOWN), lost, {}, { webhookUrlParameter: 'callback' })).toBe('unclear');
		expect(judged(job(SHOWN), { ...LOST, from: undefined })).toBe('unclear');
	});

	test('may bear any mark where that of the creation is not known for certain', () => {
		const marked = job({ ...SHOWN, webhook_url: callback('theirs') });
		const lost = { ...LOST, request: { ...REQUEST } };
		expect(judged(marked, { ...lost, hasGaps: true })).toBe('ours');
		expect(judged(marked, { ...lost, nonce: undefined })).toBe('ours');
		expect(judged(marked, lost)).toBe('another');
	});

	test.each(['topic', 'source', 'country'])(
		'is another one for another %s only where the list shows ours as we spell it',
		(name) => {
			const other = { ...SHOWN, [name]: name === 'country' ? 'fr' : 'zzz' };
			const numbers = { ...SHOWN, [name]: 17 };
			for (const shown of [other, numbers]) {
				expect(judged(job(shown), LOST, { spells: () => false })).toBe('unclear');
				expect(judged(job(shown), LOST, { spells: (field) => field === name })).toBe('another');
			}
		},
	);

	test('may show what was not sent where the known jobs of this run show the same', () => {
		const shown = job({ ...SHOWN, max_pages: 1, condition: 'any' });
		expect(judged(shown, LOST, { isDefault: (name) => name === 'max_pages' })).toBe('unclear');
		expect(judged(shown, LOST, { isDefault: (_name, value) => value === 1 || value === 'any' })).toBe(
			'ours',
		);
	});

	test.each([
		...['topic', 'source', 'country', 'key', 'max_pages', 'max_age', 'sort_by', 'condition', 'shipping'],
		'timeout',
	])('is not proven to be ours where it shows a %s that was not sent', (name) => {
		const lost = { ...LOST, request: { ...REQUEST, parameters: without(REQUEST.parameters, name) } };
		expect(judged(job(without(SHOWN, name)), lost)).toBe('ours');
		expect(judged(job({ ...SHOWN, [name]: 'other' }), lost)).toBe('unclear');
	});

	test('is never ours without a creation time, whatever the time is compared with', () => {
		const isInTime = () => true;
		expect(judged(job({ ...SHOWN, ...UNDATED }), LOST, { isInTime })).toBe('unclear');
		expect(judged(job(SHOWN), LOST, { isInTime })).toBe('ours');
	});

	test('may show the documented time limit although none was sent', () => {
		expect(judged(job({ ...SHOWN, timeout: 1440 }), LOST)).toBe('ours');
		expect(judged(job({ ...SHOWN, timeout: 60 }), LOST)).toBe('unclear');
	});

	test('is compared by the names that the credential gives', () => {
		const requestNames = { source: 'marketplace', values: 'codes', gtin: 'ean', condition: 'state' };
		const shown = {
			topic: 'search',
			marketplace: 'google_shopping',
			country: 'gb',
			key: 'ean',
			codes: '1\n2',
		};
		expect(judged(job(shown), LOST, {}, { requestNames })).toBe('ours');
		expect(judged(job({ ...shown, state: 'used' }), LOST, {}, { requestNames })).toBe('unclear');
		expect(judged(job({ ...shown, marketplace: 'ebay' }), LOST, {}, { requestNames })).toBe('another');
		expect(judged(job({ ...shown, codes: '3' }), LOST, {}, { requestNames })).toBe('another');
	});

	test('is told by its label, where the service keeps one', () => {
		const marks = { labelParameter: 'tag' };
		expect(judged(job({ tag: 'mine' }), LOST, {}, marks)).toBe('ours');
		expect(judged(job({ ...SHOWN, tag: 'theirs' }), LOST, {}, marks)).toBe('another');
		expect(judged(job({ ...SHOWN, tag: 'theirs' }), { ...LOST, hasGaps: true }, {}, marks)).toBe('ours');
		expect(judged(job(SHOWN), LOST, {}, marks)).toBe('ours');
		expect(judged(job({ ...SHOWN, tag: 'theirs' }), LOST)).toBe('ours');
		for (const tag of ['', 17]) expect(judged(job({ ...SHOWN, tag }), LOST, {}, marks)).toBe('ours');
		// One of two marks may be ours, cut short.
		const both = job({ url: callback('min'), tag: 'theirs' });
		expect(judged(both, LOST, {}, marks)).toBe('unclear');
	});

	test.each([{ tag: 'MINE' }, { tag: 'min' }, { url: callback('min') }, { url: callback('MINE') }])(
		'may be ours where the list shows our mark in its own way: %j',
		(mark) => {
			const marks = { labelParameter: 'tag' };
			expect(judged(job(mark), LOST, {}, marks)).toBe('unclear');
			expect(judged(job({ ...SHOWN, ...mark }), LOST, {}, marks)).toBe('ours');
		},
	);

	test("is not told by a label of the user's own, which is no mark", () => {
		const parameters = { ...REQUEST.parameters, tag: 'daily' };
		const labelled = { ...LOST, request: { ...REQUEST, parameters } };
		expect(judged(job({ ...SHOWN, tag: 'daily' }), labelled, {}, { labelParameter: 'tag' })).toBe('ours');
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
				// Its clock may be minutes off, which `dating` judges.
				const isTooOld = () => false;
				const spells = (name: string, value: unknown) => own[name] === value;
				expect(judged(seen, lost, { isTooOld, spells })).toMatch(verdict);
			}),
			{ numRuns: runs(2_000) },
		);
	});
});
