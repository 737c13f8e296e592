import {
	estimatedCredits,
	offersOption,
	TOPICS,
	topicTraits,
} from '../../../nodes/PriceCollection/service/topics';

test('an unknown topic has the traits of Custom, which offers every option', () => {
	for (const other of ['offers', 'constructor', '', undefined])
		expect(topicTraits(other)).toBe(TOPICS.custom);
	expect(
		['bestsellers', 'custom', 'something else'].map((topic) => offersOption(topic, 'condition')),
	).toEqual([...[false, true, true]]);
});

const RULES = { testSource: 'test', webhookUrlParameter: 'callback' };

describe('the estimate of credits', () => {
	const base = { topic: 'product_and_offers', source: 'shop', country: 'de', key: 'gtin' };

	it.each<[object, number, number | undefined]>([
		[{}, 7, 7],
		[{ max_pages: 3 }, 7, 21],
		[{ max_pages: '3' }, 7, 21],
		// Values other than the service's defaults double the price, once.
		[{ max_age: 0 }, 7, 14],
		[{ sort_by: 'price_ascending', shipping: 'free', max_pages: 2 }, 3, 12],
		[{ region: 'north' }, 2, 4],
		[{ max_age: 1200, condition: 'any', shipping: 'any' }, 5, 5],
		[{ max_age: '1200' }, 5, 5],
		[{ timeout: 30, callback: 'https://x', webhook_method: 'PUT' }, 5, 5],
		[{ source: 'test', max_pages: 9, condition: 'new' }, 5, 0],
		[{ max_pages: 'all' }, 5, undefined],
		[{ max_pages: 0 }, 5, undefined],
	])('with %j of %i values is %j', (more, values, credits) => {
		expect(estimatedCredits({ ...base, ...more }, values, RULES)).toBe(credits);
	});
});
