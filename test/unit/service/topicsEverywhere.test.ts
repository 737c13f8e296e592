import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { contentListOf, isFound } from '../../../nodes/PriceCollection/output/contentList';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { offersOption, TOPICS, topicTraits } from '../../../nodes/PriceCollection/service/topics';
import type { TopicChoice } from '../../../nodes/PriceCollection/service/topics';

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
