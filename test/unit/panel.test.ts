import { NodeHelpers } from 'n8n-workflow';
import type { INode, INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';

const { description } = new PriceCollection();

/** What the panel of the node shows for these parameters, by n8n's own rules. */
function shown(parameters: INodeParameters): { fields: INodeProperties[]; values: INodeParameters } {
	const node = {
		...{ id: '1', name: 'Prices', type: description.name, typeVersion: 1, position: [0, 0] },
		parameters,
	} as INode;
	const { properties } = description;
	const values =
		NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description) ?? {};
	const isShown = (field: INodeProperties) =>
		NodeHelpers.displayParameter(values, field, node, description);
	return { fields: properties.filter(isShown), values };
}

const collecting = (more: INodeParameters = {}) => shown({ resource: 'job', operation: 'collect', ...more });

const names = (parameters?: INodeParameters) => collecting(parameters).fields.map(({ name }) => name);

/** What Add Option offers in one of the node's collections, with all its choices. */
function offered(collection: string, parameters: INodeParameters): INodeProperties[] {
	const { fields, values } = collecting(parameters);
	const options = fields.find(({ name }) => name === collection)?.options as INodeProperties[];
	const node = { parameters: values, typeVersion: 1 };
	return options.filter((option) =>
		NodeHelpers.displayParameterPath(values, option, collection, node, description),
	);
}

/** Fields by the names that the interface contract promises, in groups that stand together. */
const WHAT = ['topic', 'useTestSource', 'source', 'country', 'lookupKey', 'values'];
const RESULTS = ['output', 'columns', 'bestPriceOptions'];
const WAITING = ['waitMode', 'waitOptions'];
const COLLECT = ['resource', 'operation', ...WHAT, ...RESULTS, ...WAITING, 'options'];

const PAGES = ['maxAge', 'maxPages'];
const OFFERS = ['condition', ...PAGES, 'shipping', 'sortBy'];

describe('the panel of Collect', () => {
	test('has 14 fields before Options are opened: what, where, which, what comes out, how to wait', () => {
		expect(names()).toEqual(COLLECT);
	});

	test.each([
		['product_and_offers', 'gtin', ['gtin', 'id', 'term', 'custom'], OFFERS],
		['search', 'term', ['gtin', 'term', 'custom'], OFFERS],
		['bestsellers', 'id', ['id', 'term', 'custom'], PAGES],
		['reviews', 'id', ['gtin', 'id', 'custom'], [...PAGES, 'sortBy']],
		['custom', '', ['', 'gtin', 'id', 'term', 'custom'], OFFERS],
	])('offers for the topic %s its own keys and options', (topic, key, keys, options) => {
		const { fields, values } = collecting({ topic });
		const shownKey = fields.find(({ name }) => name === 'lookupKey');
		const choices = (shownKey?.options ?? []) as INodePropertyOptions[];
		expect([values.lookupKey, choices.map(({ value }) => value)]).toEqual([key, keys]);
		const all = offered('options', { topic }).map(({ name }) => name);
		expect(all.filter((name) => OFFERS.includes(name)).sort()).toEqual(options);
		expect(all).toEqual(expect.arrayContaining(['format', 'grouping', 'maxCredits', 'webhookUrl']));
	});

	test.each<[INodeParameters, string[]]>([
		[{ topic: 'custom' }, ['customTopic']],
		[{ lookupKey: 'custom' }, ['customKey']],
		[{ useTestSource: true }, ['source']],
		[{ output: 'entries' }, ['bestPriceOptions']],
		[{ output: 'file' }, ['columns', 'bestPriceOptions']],
		[{ output: 'job' }, ['columns', 'bestPriceOptions']],
		[{ output: 'status' }, ['columns', 'bestPriceOptions']],
		[{ columns: 'selected' }, ['fields']],
		[{ columns: 'raw' }, ['bestPriceOptions']],
	])('with %j differs by %j', (parameters, changed) => {
		const now = names(parameters);
		const differing = [...now, ...COLLECT].filter(
			(name) => now.includes(name) !== COLLECT.includes(name),
		);
		expect(differing).toEqual(changed);
	});

	test.each([
		['job', 'create', [...WHAT, 'options']],
		['job', 'wait', ['jobId', ...RESULTS, ...WAITING, 'options']],
		['job', 'download', ['jobId', ...RESULTS, 'options']],
		['job', 'cancel', ['jobId', 'options']],
		['job', 'get', ['jobId', 'options']],
		['job', 'getAll', ['returnAll', 'limit', 'options']],
		['migration', 'convertWorkflow', ['workflow', 'conversion', 'baseUrl', 'legacyBaseUrl']],
		['migration', 'convertParameters', ['parameters', 'topic']],
		['usage', 'getToday', []],
		['usage', 'getMonth', []],
	])('has for %s: %s', (resource, operation, fields) => {
		const all = shown({ resource, operation }).fields.map(({ name }) => name);
		expect(all).toEqual(['resource', 'operation', ...fields]);
	});

	test('says what the output Still Running needs only where the execution is suspended', () => {
		const notices = (waitMode: string) =>
			collecting({ waitMode }).fields.flatMap(({ type, displayName }) =>
				type === 'notice' ? [displayName] : [],
			);
		expect(notices('poll')).toEqual([]);
		expect(notices('durable')).toEqual([expect.stringContaining('Still Running')]);
		expect(notices('webhook')).toEqual([expect.stringContaining('Still Running')]);
	});

	test('another topic changes the words of Values with its key, and keeps the values', () => {
		const values = (topic: string, lookupKey?: string) => {
			const { fields, values: all } = collecting({
				...{ topic, values: '={{ $json.gtin }}' },
				...(lookupKey !== undefined && { lookupKey }),
			});
			expect(all.values).toBe('={{ $json.gtin }}');
			return fields
				.filter(({ name }) => name === 'values')
				.map(({ displayName, placeholder }) => `${displayName}: ${placeholder}`);
		};
		expect(values('product_and_offers')).toEqual(['GTINs: e.g. {{ $json.gtin }}']);
		expect(values('reviews')).toEqual(['IDs: e.g. {{ $json.id }}']);
		expect(values('search')).toEqual(['Search Terms: e.g. {{ $json.name }}']);
		expect(values('search', 'custom')).toEqual(['Values: e.g. {{ $json.asin }}']);
		expect(values('search', 'asin')).toEqual(['Values: e.g. {{ $json.asin }}']);
	});

	test('offers CSV and XLSX only as a file', () => {
		const formats = (output: string) => {
			const format = offered('options', { output }).find(({ name }) => name === 'format');
			const { values } = collecting({ output });
			return (format?.options as INodePropertyOptions[])
				.filter((choice) =>
					NodeHelpers.displayParameter(values, choice, { typeVersion: 1 }, description),
				)
				.map(({ value }) => value);
		};
		expect(formats('results')).toEqual(['json', 'xml']);
		expect(formats('file')).toEqual(['csv', 'json', 'xlsx', 'xml']);
	});

	test('fills in the defaults of the chosen wait mode', () => {
		const defaults = (waitMode: string) =>
			offered('waitOptions', { waitMode }).flatMap(({ name, default: value }) =>
				name === 'maxWait' || name === 'pollInterval' ? [[name, value]] : [],
			);
		expect(defaults('poll')).toEqual([
			['maxWait', 10],
			['pollInterval', 30],
		]);
		expect(defaults('durable')).toEqual([
			['maxWait', 1440],
			['pollInterval', 65],
		]);
		expect(defaults('webhook')).toEqual([
			['maxWait', 1440],
			['pollInterval', 900],
		]);
	});
});
