import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { ContentReader } from '../../../nodes/PriceCollection/rows/contentReader';
import { rowsOf as rowsInSteps, type RowChoice } from '../../../nodes/PriceCollection/rows/rows';
import { parseXml } from '../../../nodes/PriceCollection/service/http/decode/xml';
import { readFieldNames } from '../../../nodes/PriceCollection/service/fieldNames';
import type { Result } from '../../../nodes/PriceCollection/service/types';
import { runs } from '../../support/runs';
import { atOnce } from '../../unit/atOnce';
import {
	arbitraryOwnService,
	contentOf,
	EXTRAS,
	fieldNamesOf,
	LISTS,
	MEANINGS,
	NAMES,
	SPELLINGS,
	topicOf,
	WAYS,
	type OwnService,
	type Truth,
} from './ownShapes';
import {
	expectedOf,
	ignoredShops,
	judge,
	problemWithEntries,
	type EntryRow,
	type Expected,
	type Row,
} from './ownShapes.oracle';

const rowsOf = atOnce(rowsInSteps);
const JOB = { job_id: 'job1', status: 'finished' };

function rowsFor(
	truth: Truth,
	{ shape, settings, told }: OwnService,
	more: Pick<RowChoice, 'columns' | 'output'>,
	given: unknown = contentOf(truth, shape),
): IDataObject[] {
	const names = readFieldNames([fieldNamesOf(shape, told)]);
	if (!names.ok) throw new Error(names.problem);
	const { conditions, currency, includeShipping } = settings;
	const content = given as Result['content'];
	const result: Result = { query: { topic: topicOf(shape), value: '7' }, success: true, content };
	const choice: RowChoice = {
		...({ priceFormat: 'number', includeNotFound: true, onFailedResult: 'include', ...more } as const),
		bestPrice: { conditions, currency, includeShipping, ignoreShops: ignoredShops(settings, shape) },
	};
	return rowsOf(JOB, result, choice, { reader: new ContentReader(names.value) });
}

/** What a failure prints: everything needed to see whether the node or the oracle is wrong. */
const shown = (truth: Truth, service: OwnService, rows: unknown) =>
	JSON.stringify({
		content: contentOf(truth, service.shape),
		fieldNames: fieldNamesOf(service.shape, service.told),
		settings: { ...service.settings, ignoreShops: ignoredShops(service.settings, service.shape) },
		rows,
	});

/** Under unknown names, a single offer is an object like any other. A price of the product itself then is the best. */
const isHidden = ({ offers }: Truth, { told }: OwnService) => told === 'none' && offers.length === 1;

test('each result of a service that nobody has seen gives the right row, or one that says what is missing', () => {
	fc.assert(
		fc.property(arbitraryOwnService(), (service) => {
			for (const truth of service.truths) {
				if (service.shape.list === 'byShopSingles' && isHidden(truth, service)) continue;
				const rows = rowsFor(truth, service, { output: 'results', columns: 'all' });
				expect(rows).toHaveLength(1);
				const expected = expectedOf(truth, service);
				const { verdict } = judge(rows[0] as unknown as Row, expected);
				if (verdict !== 'right' && verdict !== 'said')
					throw new Error(
						`${verdict}: ${shown(truth, service, rows)}, expected ${JSON.stringify({ ...expected, doubts: [...expected.doubts] })}`,
					);
			}
		}),
		{ numRuns: runs(2000) },
	);
});

test('each entry of such a result gives the right row, or one that says what is missing', () => {
	fc.assert(
		fc.property(arbitraryOwnService(), (service) => {
			// A bare list under an unknown topic does not say what its entries are.
			fc.pre(service.shape.list !== 'bareList' || service.shape.topic === 'usual');
			for (const truth of service.truths) {
				const rows = rowsFor(truth, service, { output: 'entries', columns: 'main' });
				const problem = problemWithEntries(rows as unknown as EntryRow[], truth, service);
				if (problem !== undefined) throw new Error(`${problem}: ${shown(truth, service, rows)}`);
			}
		}),
		{ numRuns: runs(2000) },
	);
});

const isEntry = (value: unknown) => typeof value === 'object' && value !== null && 'id' in value;

/** XML without types: `<offers><offer>…`, or each entry under the name of the list. */
function xmlOf(name: string, value: unknown, style: 'each' | 'within'): string {
	const element = (inner: string) => (inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`);
	if (Array.isArray(value)) {
		const isWithin = style === 'within' && /s$/i.test(name) && isEntry(value[0]);
		const all = value.map((one) => xmlOf(isWithin ? name.slice(0, -1) : name, one, style)).join('');
		return isWithin || value.length === 0 ? element(all) : all;
	}
	if (typeof value === 'object' && value !== null)
		return element(
			Object.entries(value)
				.map(([field, inner]) => xmlOf(field, inner, style))
				.join(''),
		);
	return element(String(value ?? '').replaceAll('&', '&amp;'));
}

test.each(['each', 'within'] as const)('the same in XML without types, %s', async (style) => {
	// An empty list becomes an empty text, so nothing shows that a product with a `name` has lists.
	const services = arbitraryOwnService().filter(
		({ shape: { fields, list } }) =>
			!['bareList', 'schemaOffers'].includes(list) &&
			fields.shop?.way !== 'schemaOrg' &&
			fields.shop?.name !== 'name',
	);
	await fc.assert(
		fc.asyncProperty(services, async (service) => {
			for (const truth of service.truths) {
				if (isHidden(truth, service)) continue;
				const text = xmlOf('content', contentOf(truth, service.shape), style);
				const parsed = await parseXml([text], async () => {});
				if (!parsed.ok) throw new Error(parsed.detail);
				const rows = rowsFor(truth, service, { output: 'results', columns: 'all' }, parsed.value);
				expect(rows).toHaveLength(1);
				const expected = expectedOf(truth, service);
				const { verdict } = judge(rows[0] as unknown as Row, expected);
				if (verdict !== 'right' && verdict !== 'said')
					throw new Error(
						`${verdict}: ${text} ${shown(truth, service, rows)}, expected ${JSON.stringify({ ...expected, doubts: [...expected.doubts] })}`,
					);
			}
		}),
		{ numRuns: runs(1000) },
	);
});

test('every place, name and way of writing comes up, told and not told', () => {
	const seen = new Set<string>();
	for (const { shape, told } of fc.sample(arbitraryOwnService(1), 3000)) {
		seen.add(`${shape.list} ${told}`).add(shape.spelling);
		for (const extra of shape.extras) seen.add(extra);
		for (const meaning of MEANINGS) {
			const field = shape.fields[meaning];
			if (field !== undefined) seen.add(field.name).add(`${meaning} ${field.way}`).add(field.place);
		}
	}
	const all = [
		...LISTS.flatMap((list) => ['all', 'lists', 'price', 'none'].map((told) => `${list} ${told}`)),
		...MEANINGS.flatMap((meaning) => [...NAMES[meaning].table, ...NAMES[meaning].own]),
		...MEANINGS.flatMap((meaning) => Object.keys(WAYS[meaning]).map((way) => `${meaning} ${way}`)),
		...['entry', 'inner', 'outer', 'around'],
		...Object.keys(SPELLINGS),
		...Object.keys(EXTRAS),
	];
	// A reader cannot know that `variants` are offers, so the user always names them.
	expect(all.filter((one) => !seen.has(one))).toEqual(['detailList none']);
});

describe('the oracle', () => {
	const offer = { shipping: 0, currency: 'EUR', condition: 'new', shop: 0, isAvailable: true } as const;
	const cheap = { ...offer, price: 900, condition: 'used', shop: 1 } as const;
	const truth: Truth = { name: 'Tea', ownPrice: null, offers: [{ ...offer, price: 1290 }, cheap] };
	const field = (name: string, way: string, isOwn = false) => ({
		name,
		way,
		isOwn,
		place: 'entry' as const,
	});
	const fields = {
		price: field('price', 'text'),
		shipping: field('shipping', 'text'),
		currency: field('currency', 'code'),
		condition: field('condition', 'code'),
		shop: field('shop', 'name'),
	};
	const service = (changed: Partial<OwnService['shape']['fields']> = {}): OwnService => ({
		shape: {
			...({ list: 'offers', spelling: 'snake', toldSpelling: 'snake', topic: 'usual' } as const),
			...{
				fields: { ...fields, ...changed },
				extras: [],
				paths: 'near',
				nulls: false,
				noPrice: 'empty',
				ownPrice: 'usual',
				hasRegularPrice: false,
			},
		},
		...{ truths: [truth], told: 'none' },
		settings: { conditions: [], ignored: [], includeShipping: true },
	});
	const right: Row = {
		...{ best_price: 12.9, best_total: 12.9, best_currency: 'EUR', best_shop: 'Teehaus Müller' },
		...{ best_condition: 'new', reason: null },
	};
	const used: Row = { ...right, best_price: 9, best_total: 9, best_shop: 'Kettle & Co' };
	const nothing: Row = {
		...right,
		best_price: null,
		best_total: null,
		best_currency: null,
		best_shop: null,
	};
	const hidden = { condition: field('zustand', 'code', true) };
	const unreadable = { condition: field('condition', 'id') };
	const said = 'no known field for the condition: zustand (Field Names in the credential)';

	test.each<[string, Row, Partial<OwnService['shape']['fields']>, string]>([
		['the right price', right, {}, 'right'],
		['a used offer', used, {}, 'wrong though readable'],
		['a used offer, which is said', { ...used, reason: said }, {}, 'wrong though readable'],
		['another currency', { ...right, best_currency: 'USD' }, {}, 'wrong though readable'],
		['a price with another shop', { ...right, best_shop: 'ALFA' }, {}, 'shop without a word'],
		['nothing', nothing, {}, 'wrong though readable'],
		['a used offer where the condition has an own name', used, hidden, 'silently wrong'],
		['it with a word', { ...used, reason: said }, hidden, 'said'],
		['it with a word about something else', { ...used, reason: 'no shop' }, hidden, 'wrong though said'],
		['nothing without a word', nothing, unreadable, 'empty without a word'],
		[
			'nothing with a word',
			{ ...nothing, reason: 'condition not readable: {"id":1000}' },
			unreadable,
			'said',
		],
		[
			'an offer whose condition cannot be read',
			{ ...used, reason: 'condition not readable: {"id":3000}' },
			unreadable,
			'wrong though said',
		],
		[
			'no total where shipping has an own name',
			{ ...right, best_total: null },
			{ shipping: field('freight', 'text', true) },
			'total without a word',
		],
	])('judges %s', (_what, row, changed, verdict) => {
		expect(judge(row, expectedOf(truth, service(changed))).verdict).toBe(verdict);
	});

	test.each([
		['under a name of its own', 'waehrung', true, 'right'],
		['which is read', 'currency', false, 'wrong though readable'],
	])('judges the sign of a price, beside a code %s', (_what, name, isOwn, verdict) => {
		const inDollars = service({
			price: field('price', 'withSign'),
			currency: field(name, 'code', isOwn),
		});
		const dollars: Truth = { ...truth, offers: [{ ...offer, price: 1290, currency: 'USD' }] };
		expect(judge({ ...right, best_currency: '$' }, expectedOf(dollars, inDollars)).verdict).toBe(verdict);
	});

	test('knows what a content is told to be', () => {
		const own = service({ ...hidden, price: field('amount_gross', 'current', true) });
		own.shape.list = 'byShop';
		expect(contentOf(truth, own.shape)).toEqual({
			product: {
				name: 'Tea',
				competitors: [
					{
						price_points: [
							{
								...{
									id: 'o1',
									amount_gross: { current: 12.9, previous: 17.9 },
									shipping: '0.00',
								},
								...{ currency: 'EUR', zustand: 'new', shop: 'Teehaus Müller' },
							},
						],
					},
					{
						price_points: [
							{
								...{ id: 'o2', amount_gross: { current: 9, previous: 14 }, shipping: '0.00' },
								...{ currency: 'EUR', zustand: 'used', shop: 'Kettle & Co' },
							},
						],
					},
				],
			},
		});
		expect(fieldNamesOf(own.shape, 'all')).toBe(
			'offers: product.competitors.price_points\nprice: amount_gross.current\ncondition: zustand',
		);
		const untold: Expected = expectedOf(truth, own);
		expect(untold).toMatchObject({ readable: [], doubts: new Set(['offers']) });
		expect(expectedOf(truth, { ...own, told: 'all' })).toEqual({
			...{ right: untold.right, readable: untold.right, mayBeNone: false },
			...{ doubts: new Set(), causes: new Set() },
		});
	});
});
