import { offersOption, TOPICS, topicsWith, TRAITS } from '../../../nodes/PriceCollection/service/topics';

test('the topics are those of the document', () => {
	expect([...TOPICS].sort()).toEqual(['bestsellers', 'product_and_offers', 'reviews', 'search']);
});

test.each([
	['bestsellers', ['id', 'term'], ['maxAge', 'maxPages']],
	['product_and_offers', ['gtin', 'id', 'term'], ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy']],
	['reviews', ['id', 'gtin'], ['maxAge', 'maxPages', 'sortBy']],
	['search', ['term', 'gtin'], ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy']],
	['custom', ['id', 'gtin', 'term'], ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy']],
] as const)('%s offers the keys %j and the options %j', (topic, keys, options) => {
	expect(TRAITS[topic]).toEqual({ keys, options });
});

test('an option knows its topics, and an unknown topic offers all', () => {
	expect(topicsWith('condition')).toEqual(['product_and_offers', 'search', 'custom']);
	expect(offersOption('bestsellers', 'condition')).toBe(false);
	expect(offersOption('custom', 'condition')).toBe(true);
	expect(offersOption('something else', 'condition')).toBe(true);
});
