import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { comparePrices, type BestPriceOptions } from '../../../nodes/PriceCollection/output/bestPrice';

const DOCUMENT = readFileSync(join(__dirname, '../../../docs/best-price.md'), 'utf8');

type Json = Record<string, unknown>;

/** The rows of the document's tables whose content and answer are JSON. */
const ROWS = DOCUMENT.split('\n').flatMap((line) => {
	const [, name = '', content = '', options = '', answer = ''] = line.split('|').map((cell) => cell.trim());
	const parsed = (cell: string) => JSON.parse(cell.replaceAll('`', '')) as Json;
	if (!answer.startsWith('`{')) return [];
	return [{ name, content: parsed(content), options: parsed(options || '{}'), answer: parsed(answer) }];
});

describe('docs/best-price.md', () => {
	test('has its cases', () => {
		expect(ROWS.length).toBe(DOCUMENT.match(/^\| (?!case|---)/gm)?.length);
		expect(ROWS.length).toBeGreaterThan(40);
	});

	test.each(ROWS)('$name', ({ content, options: { job, ...chosen }, answer }) => {
		const options: BestPriceOptions = {
			ignoreShops: [],
			includeShipping: true,
			...(chosen as Partial<BestPriceOptions>),
		};
		const { best } = comparePrices(content, options, { topic: 'product_and_offers', condition: job });
		const { priced_offers: offers, ...columns } = best;
		const short = Object.entries(columns).map(([name, value]) => [name.replace('best_', ''), value]);
		expect({ ...Object.fromEntries(short), offers }).toMatchObject(answer);
	});
});

describe('what a user should know about a best price', () => {
	const options: BestPriceOptions = { conditions: [], ignoreShops: [], includeShipping: true };
	const compare = (offers: Json[], more: Partial<BestPriceOptions> = {}) =>
		comparePrices({ offers }, { ...options, ...more });
	const eur = { price: '9.00', currency: 'EUR', condition_code: 'new' };
	const usd = { price: '5.00', currency: 'USD', condition_code: 'new' };
	const used = { price: '4.00', currency: 'EUR', condition_code: 'used' };

	test('are the currencies that cannot be chosen among', () => {
		expect(compare([usd, eur])).toMatchObject({ undecided: ['EUR', 'USD'], otherCurrencies: false });
		expect(compare([usd, eur, eur])).toMatchObject({ undecided: [], otherCurrencies: true });
		expect(compare([eur])).toMatchObject({ undecided: [], otherCurrencies: false, otherConditions: [] });
	});

	test('is that only offers in conditions that do not count have a price', () => {
		const unsaid = { price: '4.00', currency: 'EUR' };
		expect(compare([eur, used], { conditions: undefined }).otherConditions).toEqual([]);
		expect(compare([used], { conditions: undefined }).otherConditions).toEqual(['used']);
		expect(compare([used, unsaid], { conditions: ['new'] }).otherConditions).toEqual([
			'used',
			'not said',
		]);
		expect(compare([used]).otherConditions).toEqual([]);
		const elsewhere = { conditions: undefined, currency: 'USD' };
		expect(compare([used], elsewhere).otherConditions).toEqual([]);
	});
});
