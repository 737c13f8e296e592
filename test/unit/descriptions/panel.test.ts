import fc from 'fast-check';
import { NodeHelpers } from 'n8n-workflow';
import type { INode, INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { TOPICS } from '../../../nodes/PriceCollection/service/topics';
import { runs } from '../../support/runs';

const { description } = new PriceCollection();

/** What the node's panel shows for these parameters, by n8n's own rules. */
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

/** Fields by the names that the interface contract promises, in groups that belong together. */
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
		[{ useTestSource: true }, []],
		[{ output: 'file' }, []],
		[{ columns: 'selected' }, ['fields']],
		[{ topic: 'search' }, []],
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
			['jobId', ...PRICES, ...RESULTS, 'waitMode', 'bestPriceOptions', 'waitOptions', 'options'],
		],
		['job', 'download', ['jobId', ...PRICES, ...RESULTS, 'bestPriceOptions', 'options']],
		['job', 'cancel', ['jobId', 'options']],
		['job', 'get', ['jobId', 'options']],
		['job', 'getAll', ['returnAll', 'limit', 'options']],
		[
			'migration',
			'convertWorkflow',
			['pastedNotice', 'workflow', 'conversion', 'baseUrl', 'legacyBaseUrl'],
		],
		['migration', 'convertParameters', ['parameters', 'topic']],
		['usage', 'getToday', []],
		['usage', 'getMonth', []],
	])('has for %s: %s', (resource, operation, fields) => {
		const all = shown({ resource, operation }).fields.map(({ name }) => name);
		expect(all).toEqual(['resource', 'operation', ...fields]);
	});

	test.each<[INodeParameters, string[]]>([
		[{}, []],
		[{ useTestSource: true }, ['source']],
		[{ topic: 'search' }, [...PRICES, 'bestPriceOptions']],
		[{ topic: 'search', output: 'results' }, []],
		[{ output: 'entries' }, [...PRICES, 'bestPriceOptions']],
		[{ output: 'file' }, [...PRICES, 'columns', 'bestPriceOptions']],
		[{ operation: 'wait', output: 'status' }, [...PRICES, 'columns', 'bestPriceOptions']],
		[{ operation: 'download', output: 'job' }, [...PRICES, 'columns', 'bestPriceOptions']],
	])('with %j says of %j that they are not used', (parameters, unused) => {
		const { fields } = collecting(parameters);
		const named = (isSaid: (field: INodeProperties) => boolean) =>
			fields.filter(isSaid).map(({ name }) => name);
		expect(named(({ displayName }) => displayName.endsWith(' (Not Used)'))).toEqual(unused);
		expect(named(({ hint = '' }) => /^(Not|Only) used/.test(hint))).toEqual(unused);
	});

	test('shows each field once, whatever is chosen', () => {
		for (const operation of ['collect', 'create', 'wait', 'download'])
			for (const topic of ['product_and_offers', 'search', 'custom'])
				for (const output of ['', 'results', 'entries', 'file', 'job', 'fields', 'status'])
					for (const useTestSource of [true, false]) {
						const all = names({ operation, topic, output, useTestSource, columns: 'selected' });
						expect(all).toEqual([...new Set(all)]);
					}
	});

	test('offers CSV and XLSX only as a file', () => {
		const formats = (output: string) => {
			const format = offered('options', { output }).filter(({ name }) => name === 'format');
			return format.map(({ displayName, options }) => [
				displayName,
				(options as INodePropertyOptions[]).map(({ value }) => value),
			]);
		};
		expect(formats('results')).toEqual([['Format', ['json', 'xml']]]);
		expect(formats('file')).toEqual([['File Format', ['csv', 'json', 'xlsx', 'xml']]]);
	});

	test.each(['product_and_offers', 'search', 'custom', '={{ $json.topic }}'])(
		'lets the topic %s decide the output, unless one is chosen',
		(topic) => {
			expect(collecting({ topic }).values.output).toBe('');
			expect(collecting({ topic, output: 'file' }).values.output).toBe('file');
		},
	);

	test.each<[INodeParameters, boolean]>([
		[{}, true],
		[{ output: 'entries' }, true],
		[{ operation: 'wait' }, true],
		[{ options: { includeInputFields: true } }, true],
		[{ options: { includeInputFields: false } }, true],
		[{ columns: 'raw' }, true],
		[{ output: 'job' }, true],
		[{ operation: 'download' }, false],
	])('offers with %j what stands in empty columns beside input fields: %s', (parameters, isOffered) => {
		const all = offered('options', parameters).map(({ name }) => name);
		expect(all.includes('emptyValues')).toBe(isOffered);
	});

	/**
	 * What the node stores after a change in the panel: the editor drops defaults and hidden fields, then fills in
	 * defaults.
	 */
	function changed(parameters: INodeParameters, change: INodeParameters): INodeParameters {
		const node = { parameters, typeVersion: 1 } as INode;
		const { properties } = description;
		const own = NodeHelpers.getNodeParameters(properties, parameters, false, false, node, description);
		return shown({ ...own, ...change }).values;
	}

	const TYPED: INodeParameters = {
		...{ source: { __rl: true, mode: 'name', value: 'amazon' }, values: '={{ $json.gtin }}' },
		...{ ownPrice: '={{ $json.price }}', previousPrice: '={{ $json.best_price }}' },
		...{ output: 'entries', columns: 'all', maxCredits: 5, bestPriceOptions: { currency: 'EUR' } },
		waitOptions: { maxWait: 20, onDeadline: 'error' },
		options: { emptyValues: 'emptyText', inputFields: ['row_number'], fileName: 'x', maxPages: 3 },
	};
	const LOOKS: INodeParameters[] = [
		...['search', 'reviews', 'bestsellers', 'custom'].map((topic) => ({ topic })),
		...['', 'results', 'file', 'job', 'fields', 'status'].map((output) => ({ output })),
		...['main', 'raw', 'selected'].map((columns) => ({ columns })),
		...['durable', 'webhook'].map((waitMode) => ({ waitMode })),
		...[{ useTestSource: true }, { lookupKey: 'custom' }],
	];

	// A hidden field loses its value.
	test('keeps what was typed by somebody who looks at other choices in between, several of them in a row', () => {
		const typed = Object.entries(TYPED).reduce<INodeParameters>(
			(so, [name, value]) => changed(so, { [name]: value }),
			collecting().values,
		);
		fc.assert(
			fc.property(fc.shuffledSubarray(LOOKS, { minLength: 1, maxLength: 4 }), (looks) => {
				const away = looks.reduce(changed, typed);
				const back = looks.reduceRight<INodeParameters>((so, look) => {
					const [name = ''] = Object.keys(look);
					return changed(so, { [name]: typed[name] });
				}, away);
				expect(back).toEqual(typed);
			}),
			{ numRuns: runs(300) },
		);
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
