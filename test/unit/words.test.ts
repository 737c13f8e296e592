import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { PriceCollectionApi } from '../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';

/** The words that a user meets: what n8n offers, in which order, and what it finds. */
const node = new PriceCollection().description;
const trigger = new PriceCollectionTrigger().description;
const polling = new PriceCollectionPollingTrigger().description;

const choicesOf = ({ options }: INodeProperties) => (options ?? []) as INodePropertyOptions[];
const named = (properties: readonly INodeProperties[], name: string) =>
	properties.filter((property) => property.name === name);

function fieldOf(properties: readonly INodeProperties[], name: string): INodeProperties {
	const [field] = named(properties, name);
	if (field === undefined) throw new Error(`There is no field ${name}`);
	return field;
}

describe('what n8n offers when the node is added', () => {
	const operations = named(node.properties, 'operation').flatMap(choicesOf);

	test('every action begins with the name of its operation, and what most come for is the first', () => {
		expect(operations.map(({ name, action }) => [name, action])).toEqual([
			['Collect', 'Collect prices and product data'],
			['Cancel', 'Cancel job'],
			['Create', 'Create job'],
			['Download', 'Download results of job'],
			['Get', 'Get job'],
			['Get Many', 'Get many jobs'],
			['Wait', 'Wait for job'],
			['Convert Workflow', 'Convert workflow of version 1'],
			['Convert Parameters', 'Convert parameters of version 1'],
			['Get Today', "Get today's usage"],
			['Get Month', "Get month's usage"],
		]);
		for (const { name, action = '' } of operations) {
			expect(action.toLowerCase().startsWith(name.toLowerCase())).toBe(true);
		}
	});

	test.each([trigger, polling])('the ends of jobs: $displayName', ({ properties }) => {
		expect(choicesOf(fieldOf(properties, 'events')).map(({ name }) => name)).toEqual([
			'Job Finished',
			'Job Cancelled',
			'Any Job End',
		]);
	});

	test("the trigger's text covers the node, because n8n shows it for both; the node's is true of a tool", () => {
		expect(node.description).toBe(
			'Look up prices, offers, search hits, reviews and bestsellers of products',
		);
		expect(trigger.description).toBe(`${node.description}, or start a workflow when a job ends`);
	});

	test.each(['PriceCollection', 'PriceCollectionTrigger', 'PriceCollectionPollingTrigger'])(
		'%s is found by the words that people type',
		(name) => {
			const file = path.resolve(__dirname, `../../nodes/PriceCollection/${name}.node.json`);
			const { alias } = JSON.parse(readFileSync(file, 'utf8')) as { alias: string[] };
			const typed = [
				'lookup',
				'shopping',
				'compare',
				'competitor',
				'price monitoring',
				'price tracking',
			];
			expect(alias).toEqual(expect.arrayContaining(typed));
			expect(new Set(alias).size).toBe(alias.length);
		},
	);
});

describe('what is needed is marked', () => {
	test('API Key, and User Name where that is the key', () => {
		const required = new PriceCollectionApi().properties.filter(
			({ required: marked }) => marked === true,
		);
		expect(required.map(({ name }) => name)).toEqual(['baseUrl', 'apiKey', 'username']);
	});

	test.each([
		['source', 'Most services need it. From List: the sources of your recent jobs, or else usual ones'],
		['country', 'Most services need it, e.g. de, gb or us'],
	])('%s, which only most services need, by a hint', (name, hint) => {
		for (const field of named(node.properties, name))
			expect([field.hint, field.required]).toEqual([hint, undefined]);
	});
});

test('an ID is that of what the topic is about', () => {
	const ofTopic = (topic: string) =>
		named(node.properties, 'lookupKey')
			.filter(({ displayOptions }) => displayOptions?.show?.topic?.includes(topic))
			.flatMap(choicesOf)
			.find(({ value }) => value === 'id')?.description;
	expect(ofTopic('product_and_offers')).toBe("The source's own ID of a product");
	expect(ofTopic('bestsellers')).toBe("The source's own ID of a category");
});

describe('Job is the job as Get gives it', () => {
	test('the whole job with its results is called otherwise', () => {
		const names = named(node.properties, 'output').flatMap(choicesOf);
		for (const { value, name } of names) if (value === 'job') expect(name).toBe('Job With Results');
	});

	test.each([trigger, polling])('$displayName says where prices are', ({ properties }) => {
		const output = fieldOf(properties, 'output');
		expect(choicesOf(output).find(({ value }) => value === 'job')).toEqual({
			name: 'Job',
			value: 'job',
			description: 'The job as Get gives it: status, counts and times, no results',
		});
		expect(output.hint).toBe(
			'Prices are in Results and Entries; the other outputs only say which job has ended',
		);
	});
});

test('hints are short enough to be read', () => {
	const hints = [node, trigger, polling].flatMap(({ properties }) =>
		properties.map(({ hint }) => hint ?? ''),
	);
	expect(hints.filter((hint) => hint.length > 120)).toEqual([]);
});
