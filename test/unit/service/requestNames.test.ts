import type { IDataObject } from 'n8n-workflow';

import {
	documentedNames,
	inServiceNames,
	markUnrenamed,
	readRequestNames,
	type RequestNames,
} from '../../../nodes/PriceCollection/service/requestNames';

const read = (...given: unknown[]) => readRequestNames(given);
const collection = (...names: unknown[]) => ({ names });

describe('Request Names', () => {
	it.each<[unknown, RequestNames]>([
		[undefined, {}],
		[null, {}],
		['', {}],
		[' \n ', {}],
		[{}, {}],
		[collection(), {}],
		['gtin: ean', { gtin: 'ean' }],
		[' gtin :ean \r\n\r\nmax_pages:  pages:deep', { gtin: 'ean', max_pages: 'pages:deep' }],
		['maxAge: a\nSort-By: b\nGTIN: c', { max_age: 'a', sort_by: 'b', gtin: 'c' }],
		// A blank name: not sent.
		['timeout:', { timeout: '' }],
		[collection({ meaning: 'gtin', fields: ' ean ' }), { gtin: 'ean' }],
		[collection({ meaning: 'timeout', fields: '' }, { meaning: 'source' }), { timeout: '', source: '' }],
		// A row in the dialog that was left empty.
		[collection({ meaning: '', fields: '' }, {}, { meaning: 'id', fields: 7 }), { id: '7' }],
		// A job has only one of the two.
		['value: ids\nvalues: ids', { value: 'ids', values: 'ids' }],
		['source: country\ncountry: source', { source: 'country', country: 'source' }],
		['topic:\nsource: topic', { topic: '', source: 'topic' }],
		['gtin: code\nid: code', { gtin: 'code', id: 'code' }],
	])('%j are %j', (given, value) => {
		expect(read(given)).toEqual({ ok: true, value });
	});

	it('are read from both fields of the credential', () => {
		const given = [collection({ meaning: 'gtin', fields: 'ean' }), 'country: market'];
		expect(read(...given)).toEqual({ ok: true, value: { gtin: 'ean', country: 'market' } });
	});

	const LIST =
		'topic, source, country, key, value, values, max_age, max_pages, sort_by, condition, shipping, timeout, gtin, id, term';
	const FORM = 'Request Names must be a list of names, or a text with a line such as gtin: ean for each.';
	it.each<[unknown[], string]>([
		[['gtin ean'], 'The line "gtin ean" of Request Names has no colon. Write it like this: gtin: ean'],
		[
			['a'.repeat(99)],
			`The line "${'a'.repeat(80)}" of Request Names has no colon. Write it like this: gtin: ean`,
		],
		[
			['gtin: ean\ncolour: farbe'],
			`The line "colour: farbe" of Request Names must begin with one of these: ${LIST}.`,
		],
		[
			[collection({ meaning: '', fields: 'ean' })],
			`The line ": ean" of Request Names must begin with one of these: ${LIST}.`,
		],
		[
			['gtin: ean\nid: asin\nGTIN: upc'],
			'The line "GTIN: upc" of Request Names names gtin a second time. Remove one of the two.',
		],
		[
			[collection({ meaning: 'id', fields: 'asin' }), 'id: sku'],
			'The line "id: sku" of Request Names names id a second time. Remove one of the two.',
		],
		[
			['gtin: ean, upc'],
			'The line "gtin: ean, upc" of Request Names has more than one name. Only one can be sent.',
		],
		[['source: country'], 'Request Names gives source and country the same name, "country".'],
		[['topic: x\nvalue: x'], 'Request Names gives topic and value the same name, "x".'],
		[['key: x\nvalue: x\nvalues: x'], 'Request Names gives key and value the same name, "x".'],
		[[17], FORM],
		[[true], FORM],
		[[['gtin: ean']], FORM],
		[[{ names: 'gtin: ean' }], FORM],
		[[collection({ meaning: 'gtin', fields: { a: 1 } })], FORM],
	])('%j are refused in one sentence that names the line: %s', (given, problem) => {
		expect(read(...given)).toEqual({ ok: false, problem });
	});
});

const SENT = { topic: 'search', source: 'amazon', country: 'de', key: 'gtin', value: '0123' };

describe('what is sent', () => {
	it.each<[RequestNames, IDataObject, IDataObject]>([
		[{}, SENT, SENT],
		[{ gtin: 'ean' }, SENT, { ...SENT, key: 'ean' }],
		[{ gtin: 'ean' }, { ...SENT, key: 'id' }, { ...SENT, key: 'id' }],
		[
			{ key: 'kind', gtin: 'ean' },
			{ key: 'gtin', value: '1' },
			{ kind: 'ean', value: '1' },
		],
		[
			{ source: 'country', country: 'market' },
			SENT,
			{ topic: 'search', country: 'amazon', market: 'de', key: 'gtin', value: '0123' },
		],
		[
			{ value: 'ids', values: 'ids' },
			{ key: 'id', values: ['a', 'b'] },
			{ key: 'id', ids: ['a', 'b'] },
		],
		// A blank name: the parameter is not sent, and neither is key with this word.
		[{ key: '', gtin: 'ean' }, { key: 'gtin', value: '1' }, { value: '1' }],
		[{ gtin: '' }, { key: 'gtin', value: '1' }, { value: '1' }],
		[{ max_age: '', sort_by: 'order' }, { max_age: 5, sort_by: 'x' }, { order: 'x' }],
		// Words apply only to key; parameters with other names are the user's.
		[
			{ term: 'words', topic: 'kind' },
			{ topic: 'term', term: 'x' },
			{ kind: 'term', term: 'x' },
		],
		[{ topic: 'kind' }, { key: 'topic', webhook_url: 'x' }, { key: 'topic', webhook_url: 'x' }],
		// Additional Parameters in the service's own words win.
		[{ country: 'market' }, { country: 'de', market: 'fr' }, { market: 'fr' }],
	])('with %j of %j is %j', (requestNames, body, expected) => {
		const before = structuredClone(body);
		expect(inServiceNames(body, { requestNames })).toEqual(expected);
		expect(body).toEqual(before);
	});

	it('as given keeps its name and its word, also in copies', () => {
		const own = { requestNames: { country: 'market', key: 'kind', gtin: 'ean' } };
		const marked = markUnrenamed({ ...SENT }, { country: 'de', key: 'gtin', min_price: 1 }, own);
		expect(inServiceNames({ ...marked, min_price: 1 }, own)).toEqual({ ...SENT, min_price: 1 });
		expect(JSON.stringify(marked)).toBe(JSON.stringify(SENT));
	});

	it('has no mark where nothing has another name', () => {
		expect(markUnrenamed({ ...SENT }, { country: 'de' }, { requestNames: {} })).toEqual(SENT);
		const own = { requestNames: { gtin: 'ean' } };
		expect(markUnrenamed({ ...SENT }, { min_price: 1 }, own)).toEqual(SENT);
	});
});

describe('the fields of a job in documented names', () => {
	it.each<[RequestNames, IDataObject, IDataObject]>([
		[{}, { market: 'de' }, { market: 'de' }],
		[{ country: 'market' }, { market: 'de', tag: 1 }, { country: 'de', tag: 1 }],
		// In any spelling.
		[{ country: 'market_code' }, { marketCode: 'de' }, { country: 'de' }],
		[{ key: 'kind', gtin: 'ean' }, { kind: 'EAN' }, { key: 'gtin' }],
		[{ gtin: 'ean' }, { key: 'id' }, { key: 'id' }],
		[{ gtin: 'ean' }, { key: null }, { key: null }],
		[
			{ source: 'country', country: 'source' },
			{ source: 'de', country: 'amazon' },
			{ source: 'amazon', country: 'de' },
		],
		[{ value: 'ids', values: 'ids' }, { ids: 'a' }, { values: 'a' }],
		// Values under the name of the key.
		[{ gtin: 'ean' }, { ean: '1' }, { gtin: '1' }],
		[{ gtin: 'ean', value: 'ean' }, { ean: '1' }, { value: '1' }],
		// The service's own field wins, unless it is empty.
		[{ country: 'market' }, { country: 'Germany', market: 'de' }, { country: 'de' }],
		[{ country: 'market' }, { country: 'de', market: null }, { country: 'de' }],
		[{ country: 'market' }, { market: null }, { country: null }],
		[{ timeout: '' }, { timeout: 5, '': 1 }, { timeout: 5, '': 1 }],
		// The job's ID is not a value, and no value replaces it.
		[{ value: 'id' }, { job_id: 'j', id: 'j' }, { job_id: 'j', id: 'j' }],
		[{ value: 'id' }, { id: 'B00' }, { value: 'B00' }],
		[{ id: 'sku' }, { job_id: 'j', id: 'j', sku: 'x' }, { job_id: 'j', id: 'j', sku: 'x' }],
		[{ id: 'sku' }, { sku: 'x' }, { id: 'x' }],
	])('with %j of %j are %j', (requestNames, fields, expected) => {
		expect(documentedNames(fields, { requestNames })).toEqual(expected);
	});

	it('are those that were sent', () => {
		const own = {
			requestNames: { topic: 'kind', source: 'country', country: 'market', key: 'by', gtin: 'ean' },
		};
		expect(documentedNames(inServiceNames(SENT, own), own)).toEqual(SENT);
	});
});
