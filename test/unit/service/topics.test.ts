import {
	eachTopic,
	offersOption,
	TOPICS,
	topicsWith,
	topicTraits,
} from '../../../nodes/PriceCollection/service/topics';

test('the topics are those of the document, and Custom', () => {
	expect(Object.keys(TOPICS).sort()).toEqual([
		'bestsellers',
		'custom',
		'product_and_offers',
		'reviews',
		'search',
	]);
});

test('an option knows its topics, and an unknown topic offers all', () => {
	expect(topicsWith('condition')).toEqual(['product_and_offers', 'search', 'custom']);
	expect(offersOption('bestsellers', 'condition')).toBe(false);
	expect(offersOption('custom', 'condition')).toBe(true);
	expect(offersOption('something else', 'condition')).toBe(true);
});

test('a topic is known under its other names too, and an unknown one has the traits of Custom', () => {
	expect(topicTraits('search_results')).toBe(TOPICS.search);
	for (const other of ['offers', 'constructor', '', undefined])
		expect(topicTraits(other)).toBe(TOPICS.custom);
});

test('the default key of a topic is one that it offers', () => {
	expect(eachTopic((topic, { keys }) => `${topic}: ${keys[0]}`)).toEqual([
		'bestsellers: id',
		'product_and_offers: gtin',
		'reviews: id',
		'search: term',
		'custom: id',
	]);
});
