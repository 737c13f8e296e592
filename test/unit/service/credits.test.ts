import { estimatedCredits } from '../../../nodes/PriceCollection/service/credits';

const RULES = { testSource: 'test', webhookUrlParameter: 'callback' };

describe('the estimate of credits', () => {
	const base = { topic: 'product_and_offers', source: 'shop', country: 'de', key: 'gtin' };

	it.each([
		['one for each value', {}, 7, 7],
		['each page', { max_pages: 3 }, 7, 21],
		['pages as a text', { max_pages: '3' }, 7, 21],
		['fresh data, doubled', { max_age: 0 }, 7, 14],
		['another condition, doubled', { condition: 'new' }, 1, 2],
		[
			'another order, doubled once only',
			{ sort_by: 'price_ascending', shipping: 'free', max_pages: 2 },
			3,
			12,
		],
		['a parameter that nobody knows, doubled', { region: 'north' }, 2, 4],
		['the usual defaults', { max_age: 1200, condition: 'any', shipping: 'any' }, 5, 5],
		['the usual defaults as texts', { max_age: '1200' }, 5, 5],
		[
			'what does not concern the data',
			{ timeout: 30, callback: 'https://x', webhook_method: 'PUT' },
			5,
			5,
		],
		['the test source', { source: 'test', max_pages: 9, condition: 'new' }, 5, 0],
		['pages that are no number', { max_pages: 'all' }, 5, undefined],
		['no pages', { max_pages: 0 }, 5, undefined],
	])('counts %s', (_, more, values, credits) => {
		expect(estimatedCredits({ ...base, ...more }, values, RULES)).toBe(credits);
	});
});
