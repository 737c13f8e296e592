import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { PriceCollectionApi } from '../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';

/**
 * Internal names and defaults are stored in users' workflows: a change here breaks them. Display names are free.
 */
const action = new PriceCollection().description;
const trigger = new PriceCollectionTrigger().description;
const polling = new PriceCollectionPollingTrigger().description;

type Shown = Record<string, unknown>;

/** Whether a field is shown for these values of the fields it depends on. */
function isShown(field: INodeProperties, values: Shown): boolean {
	const { show = {}, hide = {} } = field.displayOptions ?? {};
	const holds = ([name, listed]: [string, unknown]) => (listed as unknown[]).includes(values[name]);
	return (
		Object.entries(show).every((condition) => !(condition[0] in values) || holds(condition)) &&
		!Object.entries(hide).some(holds)
	);
}

function fields(values: Shown): INodeProperties[] {
	return action.properties.filter((field) => isShown(field, values));
}

function names(list: ReadonlyArray<{ name: string }>): string[] {
	return list.map(({ name }) => name);
}

function field(values: Shown, name: string): INodeProperties {
	const found = fields(values).filter((candidate) => candidate.name === name);
	expect(found).toHaveLength(1);
	return found[0]!;
}

function choices(of: INodeProperties): unknown[] {
	return ((of.options ?? []) as INodePropertyOptions[]).map(({ value }) => value);
}

function optionsOf(of: INodeProperties): INodeProperties[] {
	return (of.options ?? []) as INodeProperties[];
}

const job = (operation: string, more: Shown = {}): Shown => ({
	resource: 'job',
	operation,
	'@tool': false,
	...more,
});
const collecting = {
	topic: 'product_and_offers',
	useTestSource: false,
	lookupKey: 'gtin',
	output: 'results',
};

describe('the node priceCollection', () => {
	test('has its type name, version and credential', () => {
		expect([action.name, action.version, action.usableAsTool]).toEqual(['priceCollection', 1, true]);
		expect(action.credentials).toEqual([
			{
				name: 'priceCollectionApi',
				required: true,
				testedBy: 'priceCollectionApiTest',
				displayOptions: { show: { resource: ['job', 'usage'] } },
			},
		]);
	});

	test('has three resources with their operations', () => {
		const resource = action.properties.find(({ name }) => name === 'resource')!;
		expect([resource.name, resource.default, choices(resource)]).toEqual([
			'resource',
			'job',
			['job', 'migration', 'usage'],
		]);
		const operations = (name: string) =>
			choices(
				action.properties.find(
					(one) => one.name === 'operation' && isShown(one, { resource: name }),
				)!,
			);
		expect(operations('job').sort()).toEqual([
			'cancel',
			'collect',
			'create',
			'download',
			'get',
			'getAll',
			'wait',
		]);
		expect(operations('usage').sort()).toEqual(['getMonth', 'getToday']);
		expect(operations('migration').sort()).toEqual(['convertParameters', 'convertWorkflow']);
	});

	test.each(['create', 'collect'])('%s has the fields of what to collect', (operation) => {
		const values = job(operation, collecting);
		const shown = names(fields(values));
		for (const name of [
			'topic',
			'useTestSource',
			'source',
			'country',
			'lookupKey',
			'values',
			'options',
		]) {
			expect(shown.filter((one) => one === name)).toHaveLength(1);
		}
		expect(field(values, 'topic').default).toBe('product_and_offers');
		expect(choices(field(values, 'topic'))).toEqual([
			'bestsellers',
			'custom',
			'product_and_offers',
			'reviews',
			'search',
		]);
		expect(field(values, 'useTestSource').default).toBe(false);
		expect(field(values, 'source').modes?.map(({ name }) => name)).toEqual(['list', 'name']);
		expect(field(values, 'source').default).toEqual({ mode: 'name', value: '' });
		expect(field(values, 'country').modes?.map(({ name }) => name)).toEqual(['list', 'code']);
		expect(field(values, 'country').default).toEqual({ mode: 'code', value: '' });
		expect(field(values, 'values').default).toBe('');
		expect(names(fields({ ...values, topic: 'custom' }))).toContain('customTopic');
		expect(names(fields({ ...values, lookupKey: 'custom' }))).toContain('customKey');
		expect(names(fields({ ...values, useTestSource: true }))).not.toContain('source');
	});

	test('every topic offers its lookup keys and has one of them as default', () => {
		const keyOf = (topic: string) => field(job('create', { ...collecting, topic }), 'lookupKey');
		expect(
			['bestsellers', 'custom', 'product_and_offers', 'reviews', 'search'].map((topic) => [
				topic,
				keyOf(topic).default,
				choices(keyOf(topic)),
			]),
		).toEqual([
			['bestsellers', 'id', ['id', 'term', 'custom']],
			// Blank is the usual key of the topic that is meant.
			['custom', '', ['', 'gtin', 'id', 'term', 'custom']],
			['product_and_offers', 'gtin', ['gtin', 'id', 'term', 'custom']],
			['reviews', 'id', ['gtin', 'id', 'custom']],
			['search', 'term', ['gtin', 'term', 'custom']],
		]);
	});

	test('create and collect have their options', () => {
		const create = [
			'additionalParameters',
			'condition',
			'grouping',
			'maxAge',
			'maxCredits',
			'maxPages',
			'maxValues',
			'maxValuesPerJob',
			'requestTimeout',
			'shipping',
			'sortBy',
			'timeout',
			'validateValues',
			'webhookUrl',
		];
		const results = [
			'binaryPropertyName',
			'contentList',
			'fields',
			'fileName',
			'format',
			'includeNotFound',
			'maxCharacters',
			'onFailedResult',
			'priceFormat',
		];
		const of = (operation: string) => optionsOf(field(job(operation, collecting), 'options'));
		expect(names(of('create')).sort()).toEqual(create);
		expect(names(of('collect')).sort()).toEqual([...create, ...results].sort());
		expect(names(of('download')).sort()).toEqual([...results, 'requestTimeout'].sort());
		expect(names(of('wait')).sort()).toEqual([...results, 'requestTimeout'].sort());
		expect(of('create').find(({ name }) => name === 'maxValuesPerJob')?.default).toBe(1000);
		const grouping = of('create').find(({ name }) => name === 'grouping')!;
		expect([grouping.default, choices(grouping)]).toEqual(['combine', ['combine', 'perItem']]);
		expect(of('create').find(({ name }) => name === 'validateValues')?.default).toBe(true);
		expect(of('download').find(({ name }) => name === 'binaryPropertyName')?.default).toBe('data');
		const parameters = of('create').find(({ name }) => name === 'additionalParameters');
		const group = (parameters?.options ?? [])[0] as INodePropertyCollection;
		expect([group.name, names(group.values)]).toEqual(['parameter', ['name', 'value']]);
	});

	test('collect and wait have the fields of waiting', () => {
		const mode = (operation: string) => field(job(operation, collecting), 'waitMode');
		expect([mode('collect').default, choices(mode('collect'))]).toEqual([
			'poll',
			['poll', 'durable', 'webhook'],
		]);
		expect([mode('wait').default, choices(mode('wait'))]).toEqual(['poll', ['poll', 'durable']]);
		const wait = optionsOf(field(job('wait', collecting), 'waitOptions'));
		expect([...new Set(names(wait))].sort()).toEqual(['maxWait', 'onDeadline', 'onStop', 'pollInterval']);
		const added = (values: Shown) =>
			['maxWait', 'pollInterval'].map((name) =>
				wait.filter((one) => one.name === name && isShown(one, values)).map((one) => one.default),
			);
		const inMode = (waitMode: string) => added({ '/waitMode': waitMode, '@tool': false });
		expect(['poll', 'durable', 'webhook'].map(inMode)).toEqual([
			[[10], [30]],
			[[1440], [65]],
			[[1440], [900]],
		]);
		// A tool has no Wait Mode: n8n hides the field, and whatever depends on it.
		expect(added({ '/waitMode': undefined, '@tool': true })).toEqual([[1], [5]]);
		const choice = (name: string) => wait.find((option) => option.name === name)!;
		expect([choice('onDeadline').default, choices(choice('onDeadline')).sort()]).toEqual([
			'stillRunning',
			['cancel', 'error', 'stillRunning'],
		]);
		expect([choice('onStop').default, choices(choice('onStop')).sort()]).toEqual([
			'leave',
			['cancel', 'leave'],
		]);
	});

	test('collect, download and wait have the fields of results', () => {
		const outputs = ['entries', 'file', 'job', 'results'];
		expect(choices(field(job('download', collecting), 'output')).sort()).toEqual(outputs);
		for (const operation of ['collect', 'wait']) {
			expect(choices(field(job(operation, collecting), 'output')).sort()).toEqual([
				...outputs,
				'status',
			]);
		}
		for (const operation of ['collect', 'download', 'wait']) {
			const values = job(operation, collecting);
			expect(['output', 'simplify'].map((name) => field(values, name).default)).toEqual([
				'results',
				true,
			]);
			const options = new Map(
				optionsOf(field(values, 'options')).map((option) => [option.name, option]),
			);
			const onFailedResult = options.get('onFailedResult')!;
			expect([onFailedResult.default, options.get('includeNotFound')?.default]).toEqual([
				'include',
				true,
			]);
			expect(choices(onFailedResult).sort()).toEqual(['error', 'include', 'skip']);
		}
	});

	test.each([
		['collect', action, job('collect', { ...collecting, simplify: true, bestPrice: true })],
		['download', action, job('download', { ...collecting, simplify: true, bestPrice: true })],
		['wait', action, job('wait', { ...collecting, simplify: true, bestPrice: true })],
		['the webhook trigger', trigger, { output: 'results', simplify: true, bestPrice: true }],
		['the polling trigger', polling, { output: 'results', simplify: true, bestPrice: true }],
	])('%s has the best price, and columns to choose', (_name, { properties }, values) => {
		const shown = (more: Shown) => properties.filter((one) => isShown(one, { ...values, ...more }));
		const find = (name: string, more: Shown = {}) => shown(more).find((one) => one.name === name);
		expect([find('bestPrice')?.default, find('bestPriceOptions')?.default]).toEqual([true, {}]);
		const options = optionsOf(find('bestPriceOptions')!);
		expect(options.map(({ name, default: value }) => [name, value])).toEqual([
			['conditions', []],
			['currency', ''],
			['ignoreShops', []],
			['includeShipping', true],
		]);
		for (const more of [{ output: 'entries' }, { simplify: false }]) {
			expect([find('bestPrice', more), find('bestPriceOptions', more)]).toEqual([undefined, undefined]);
		}
		expect(find('bestPriceOptions', { bestPrice: false })).toBeUndefined();
		const more = new Map(optionsOf(find('options')!).map((option) => [option.name, option]));
		expect([more.get('fields')?.type, more.get('fields')?.default]).toEqual(['multiOptions', []]);
		expect(choices(more.get('fields')!)).toEqual(
			expect.arrayContaining(['value', 'name', 'best_price', 'offers', 'rank', 'search_results']),
		);
		expect([more.get('priceFormat')?.default, choices(more.get('priceFormat')!)]).toEqual([
			'text',
			['number', 'text'],
		]);
	});

	test('the columns offered in collect follow the topic', () => {
		const options = new Map(
			optionsOf(field(job('collect', collecting), 'options')).map((option) => [option.name, option]),
		);
		const offered = (topic: string) =>
			(options.get('fields')!.options as INodePropertyOptions[]).flatMap(({ value, displayOptions }) =>
				(displayOptions?.show?.['/topic'] as unknown[]).includes(topic) ? [String(value)] : [],
			);
		expect(offered('bestsellers')).toEqual(expect.arrayContaining(['best_price', 'rank', 'bestsellers']));
		expect(offered('bestsellers')).not.toContain('offers');
		expect(offered('product_and_offers')).toContain('offers');
		expect(offered('custom')).toEqual(expect.arrayContaining(['offers', 'rank', 'reviews']));
	});

	test.each(['cancel', 'download', 'get', 'wait'])('%s names its job by jobId', (operation) => {
		const jobId = field(job(operation, collecting), 'jobId');
		expect([jobId.type, jobId.modes?.map(({ name }) => name)]).toEqual([
			'resourceLocator',
			['list', 'id'],
		]);
	});

	test('get, getAll and cancel have their fields', () => {
		expect(names(optionsOf(field(job('get'), 'options')))).toContain('format');
		expect(field(job('getAll', { returnAll: false }), 'limit').default).toBe(50);
		expect(field(job('getAll'), 'returnAll').default).toBe(false);
		const list = optionsOf(field(job('getAll'), 'options'));
		expect(Object.fromEntries(list.map(({ name, default: value }) => [name, value]))).toEqual({
			cursorParameter: 'cursor',
			firstPage: 1,
			pageParameter: 'page',
			pageSizeParameter: 'per_page',
			pagination: 'pageNumber',
			queryParameters: {},
		});
		expect(names(optionsOf(field(job('cancel'), 'options')))).toEqual(['ignoreEnded']);
	});

	test('migration has its fields', () => {
		const of = (operation: string) => fields({ resource: 'migration', operation });
		expect(names(of('convertParameters'))).toEqual(expect.arrayContaining(['parameters', 'topic']));
		expect(names(of('convertWorkflow'))).toEqual(
			expect.arrayContaining(['workflow', 'conversion', 'baseUrl', 'legacyBaseUrl']),
		);
		const conversion = of('convertWorkflow').find(({ name }) => name === 'conversion')!;
		expect([conversion.default, choices(conversion).sort()]).toEqual([
			'replaceNodes',
			['replaceNodes', 'updateRequests'],
		]);
	});
});

describe('the triggers', () => {
	const top = (description: typeof trigger, name: string) =>
		description.properties.find((property) => property.name === name)!;

	test.each([
		['priceCollectionTrigger', trigger, ['entries', 'job', 'notification', 'results']],
		['priceCollectionPollingTrigger', polling, ['entries', 'job', 'results']],
	])('%s has its name, events and outputs', (name, description, outputs) => {
		expect([description.name, description.version]).toEqual([name, 1]);
		expect(top(description, 'events').default).toEqual(['finished']);
		expect(choices(top(description, 'events')).sort()).toEqual(['any', 'cancelled', 'finished']);
		expect(top(description, 'output').default).toBe('job');
		expect(choices(top(description, 'output')).sort()).toEqual(outputs);
		expect(names(description.properties)).toEqual(expect.arrayContaining(['simplify', 'options']));
	});

	test('the webhook trigger has its method and options', () => {
		const method = top(trigger, 'httpMethod');
		expect([method.default, choices(method).sort()]).toEqual(['POST', ['GET', 'POST', 'PUT']]);
		const options = new Map(optionsOf(top(trigger, 'options')).map((option) => [option.name, option]));
		expect(options.get('verifyJob')?.default).toBe(true);
		expect(options.get('ignoreDuplicates')?.default).toBe(true);
		expect(options.get('onUnrecognized')?.default).toBe('reject');
		expect(choices(options.get('onUnrecognized')!).sort()).toEqual(['passThrough', 'reject']);
	});

	test('the polling trigger has its option', () => {
		expect(polling.polling).toBe(true);
		const options = new Map(optionsOf(top(polling, 'options')).map((option) => [option.name, option]));
		expect(options.get('emitExisting')?.default).toBe(false);
	});
});

test('the credential priceCollectionApi has its fields and defaults', () => {
	const credential = new PriceCollectionApi();
	expect(credential.name).toBe('priceCollectionApi');
	expect(
		Object.fromEntries(credential.properties.map(({ name, default: value }) => [name, value])),
	).toEqual({
		baseUrl: '',
		authentication: 'queryParameter',
		parameterName: 'token',
		headerName: 'X-API-Key',
		apiKey: '',
		username: '',
		password: '',
		webhookSecret: '',
		previousWebhookSecret: '',
		customizeService: false,
		allowInsecureHttp: false,
		requestBody: 'json',
		formatSelection: 'acceptHeader',
		formatParameter: 'format',
		lookupValues: 'automatic',
		testSource: 'test',
		webhookUrlParameter: 'webhook_url',
		legacyBaseUrl: '',
	});
});
