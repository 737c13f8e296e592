import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { contentListOf, isFound } from '../../../nodes/PriceCollection/output/contentList';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import {
	estimatedCredits,
	offersOption,
	type TopicChoice,
	TOPICS,
	topicTraits,
} from '../../../nodes/PriceCollection/service/topics';

const { properties } = new PriceCollection().description;
const OPERATIONS = ['collect', 'create'];

/** The fields that the editor shows for an operation on jobs, all of them or those of one topic. */
function fieldsOf(operation: string, topic?: string): INodeProperties[] {
	return properties.filter(({ displayOptions: { show } = {} }) => {
		const belongs = show?.resource?.includes('job') === true && show.operation?.includes(operation);
		return belongs === true && (topic === undefined || show?.topic?.includes(topic) === true);
	});
}

const valuesOf = (field: INodeProperties | undefined) =>
	(field?.options as INodePropertyOptions[] | undefined)?.map(({ value }) => value) ?? [];

describe.each(Object.keys(TOPICS) as TopicChoice[])('the topic %s', (topic) => {
	const { name, description, keys, options, lists, listIsAll, aliases = [] } = topicTraits(topic);

	test.each(OPERATIONS)('is offered by %s, with its keys and options', (operation) => {
		const field = fieldsOf(operation).find((one) => one.name === 'topic');
		expect(field?.options).toContainEqual({ name, value: topic, description });
		const [key, ...others] = fieldsOf(operation, topic).filter((one) => one.name === 'lookupKey');
		expect(others).toEqual([]);
		const usual = topic === 'custom' ? [''] : [];
		expect(valuesOf(key).sort()).toEqual([...usual, ...keys, 'custom'].sort());
		expect(key?.default).toBe([...usual, ...keys][0]);
		const collection = fieldsOf(operation).find((one) => one.name === 'options');
		const optional = (collection?.options ?? []) as INodeProperties[];
		const offered = optional.filter(({ displayOptions }) => {
			// n8n reads a path that begins with a slash from the node itself.
			const shown = displayOptions?.show?.['/topic'] ?? displayOptions?.show?.topic;
			return shown?.includes(topic);
		});
		expect([...new Set(offered.map((one) => one.name))].sort()).toEqual([...options].sort());
	});

	test.each([topic, ...aliases])('has its lists found in contents of "%s"', (echoed) => {
		if (topic === 'custom') return;
		for (const list of [...lists, echoed]) {
			const content = { [list]: [{ a: 1 }], other: [{ b: 1 }] };
			expect(contentListOf(content, echoed)).toEqual({ name: list, entries: [{ a: 1 }] });
		}
	});

	test('is found with an empty list only where the list is not the whole find', () => {
		const [list] = lists;
		if (list === undefined) return;
		const result = (entries: unknown[]) => ({
			query: { topic },
			success: true,
			content: { name: 'described', [list]: entries },
		});
		expect([isFound(result([])), isFound(result([{ a: 1 }]))]).toEqual([listIsAll !== true, true]);
	});
});

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
		// What differs from the service's own default doubles the price, once.
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
