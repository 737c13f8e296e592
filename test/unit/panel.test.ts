import { NodeHelpers } from 'n8n-workflow';
import type { INode, INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { TOPICS } from '../../nodes/PriceCollection/service/topics';

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
const PRICES = ['ownPrice', 'previousPrice'];
const RESULTS = ['output', 'columns'];
const GROUPS = ['bestPriceOptions', 'waitOptions', 'options'];
const COLLECT = [
	...['resource', 'operation', ...WHAT, ...PRICES, ...RESULTS, 'maxCredits', 'waitMode'],
	...GROUPS,
];

const PAGES = ['maxAge', 'maxPages'];
const OFFERS = ['condition', ...PAGES, 'shipping', 'sortBy'];

describe('the panel of Collect', () => {
	test('has 14 fields before its groups of options: what, where, which, own prices, what comes out, its limit, how to wait', () => {
		expect(names()).toEqual(COLLECT);
		expect(COLLECT.indexOf('bestPriceOptions')).toBe(14);
		const [topics] = collecting().fields.filter(({ name }) => name === 'topic');
		const values = (topics?.options as INodePropertyOptions[]).map(({ value }) => value);
		expect([...values].sort()).toEqual(Object.keys(TOPICS).sort());
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
		expect(all).toEqual(expect.arrayContaining(['format', 'grouping', 'maxValues', 'webhookUrl']));
	});

	test.each<[INodeParameters, string[]]>([
		[{ topic: 'custom' }, ['customTopic']],
		[{ lookupKey: 'custom' }, ['customKey']],
		[{ useTestSource: true }, ['source']],
		[{ output: 'file' }, [...PRICES, 'columns', 'bestPriceOptions']],
		[{ output: 'job' }, [...PRICES, 'columns', 'bestPriceOptions']],
		[{ output: 'status' }, [...PRICES, 'columns', 'bestPriceOptions']],
		[{ columns: 'selected' }, ['fields']],
		[{ topic: 'search' }, [...PRICES, 'bestPriceOptions']],
		[{ topic: 'search', output: 'results' }, []],
	])('with %j differs by %j', (parameters, changed) => {
		const now = names(parameters);
		const others = [...now, ...COLLECT].filter((name) => now.includes(name) !== COLLECT.includes(name));
		expect(others).toEqual(changed);
	});

	test.each([
		['job', 'create', [...WHAT, 'maxCredits', 'options']],
		[
			'job',
			'wait',
			['jobId', ...RESULTS, ...PRICES, 'bestPriceOptions', 'waitMode', 'waitOptions', 'options'],
		],
		['job', 'download', ['jobId', ...RESULTS, ...PRICES, 'bestPriceOptions', 'options']],
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

	test('offers at most 12 options, and the technical ones together behind them', () => {
		const all = offered('options', {}).map(({ displayName }) => displayName);
		const usual = all.filter((name) => !name.startsWith('Technical: '));
		expect(usual).toHaveLength(12);
		expect(all.slice(0, 12)).toEqual(usual);
	});

	// As the editor does it: a field that is hidden loses what it holds.
	test('keeps the own prices of somebody who looks at offers or at raw results in between', () => {
		const given = { ownPrice: '={{ $json.price }}', previousPrice: '={{ $json.best_price }}' };
		const chosen = { ...given, bestPriceOptions: { currency: 'EUR' } };
		for (const detour of [{ output: 'entries' }, { columns: 'raw' }]) {
			const { values } = collecting({ ...chosen, ...detour });
			expect(collecting({ ...values, output: 'results' }).values).toMatchObject(chosen);
		}
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

	test.each([
		['product_and_offers', 'results'],
		['search', 'entries'],
		['reviews', 'entries'],
		['bestsellers', 'entries'],
		['custom', 'results'],
		['={{ $json.topic }}', 'results'],
	])('has for the topic %s the output %s, unless another is chosen', (topic, output) => {
		expect(collecting({ topic }).values.output).toBe(output);
		expect(collecting({ topic, output: 'file' }).values.output).toBe('file');
	});

	test.each<[INodeParameters, boolean]>([
		[{}, true],
		[{ output: 'entries' }, true],
		[{ operation: 'wait' }, true],
		[{ options: { includeInputFields: true } }, true],
		[{ options: { includeInputFields: false } }, false],
		[{ columns: 'raw' }, false],
		[{ output: 'job' }, false],
		[{ operation: 'download' }, false],
	])('offers with %j what stands in empty columns beside input fields: %s', (parameters, isOffered) => {
		const all = offered('options', parameters).map(({ name }) => name);
		expect(all.includes('emptyValues')).toBe(isOffered);
	});

	test.each([
		['poll', 10, 30, 'rows'],
		['durable', 1440, 65, 'stillRunning'],
		['webhook', 1440, 900, 'stillRunning'],
	])('fills in the defaults of the wait mode %s', (waitMode, maxWait, pollInterval, onDeadline) => {
		const defaults = Object.fromEntries(
			offered('waitOptions', { waitMode }).map(({ name, default: value }) => [name, value]),
		);
		expect(defaults).toMatchObject({ maxWait, pollInterval, onDeadline });
	});
});
