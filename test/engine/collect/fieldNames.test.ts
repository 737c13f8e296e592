import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CredentialTestContext } from 'n8n-core';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import MARKETPLACE from '../../fixtures/contents/marketplace.json';
import { forJob } from '../support/core';
import { errorOf, items, runWorkflow, said } from '../support/harness';
import { usePlainService } from '../support/plainService';
import { credentialFor, scenario } from '../support/common';
import { callTrigger, pollTrigger, runCalled } from '../support/trigger';
import { triggerScenario } from '../support/triggerSupport';

/* Services with unusual field names: without Field Names a row reports it, with them the row is right. */

const service = usePlainService();

/* A marketplace: one offer up front, the others in a list, an object for each meaning, prices as shops write them. */
const MARKETPLACE_NAMES = [
	'offers: featured_offer, other_offers',
	'price: price.current',
	'shop: seller.username',
	'condition: state',
	'shipping: delivery',
];

/** The shape of an enterprise tool: competitors, each with its prices. */
const ENTERPRISE = {
	product: {
		product_name: 'Kettle',
		competitors: [
			{
				name: 'Shop A',
				price_points: [
					{ promo_price: '45.9000', item_condition: 'https://schema.org/NewCondition' },
					{ promo_price: '39.9000', item_condition: 'https://schema.org/UsedCondition' },
				],
			},
			{
				name: 'Shop B',
				price_points: [{ promo_price: '44.5000', item_condition: 'https://schema.org/NewCondition' }],
			},
		],
		currency: 'EUR',
	},
};
const ENTERPRISE_NAMES = [
	'offers: product.competitors.price_points',
	'price: promo_price',
	'shop: competitors.name',
];

/** A value as an XML element in the document's style. Lists declare their type; untyped, only `results` does. */
function element(name: string, value: unknown, isTyped: boolean): string {
	const tag = name.replaceAll('_', '-');
	const inner = (fields: object) =>
		Object.entries(fields)
			.map(([field, one]) => element(field, one, isTyped))
			.join('');
	if (Array.isArray(value)) {
		const entries = value.map((one) => element(name.replace(/s$/, ''), one, isTyped)).join('');
		const isSaid = isTyped || name === 'results';
		return `<${tag}${isSaid ? ' type="array"' : ''}>${entries}</${tag}>`;
	}
	if (typeof value === 'object' && value !== null) return `<${tag}>${inner(value)}</${tag}>`;
	const type =
		typeof value === 'number' ? ' type="integer"' : typeof value === 'boolean' ? ' type="boolean"' : '';
	return `<${tag}${type}>${String(value)}</${tag}>`;
}

const bodyOf = (content: object) => ({
	...{ job_id: 'j1', status: 'finished' },
	results: [
		{ query: { topic: 'product_and_offers', source: 'shop', value: 'kettle' }, success: true, content },
	],
});

/** The node's rows for this content in one format. */
async function rowsOf(content: object, format: string, names: string[], parameters: INodeParameters = {}) {
	const body =
		format === 'json'
			? JSON.stringify(bodyOf(content))
			: element('hash', bodyOf(content), format === 'typed XML');
	const type = format === 'json' ? 'application/json' : 'application/xml';
	service.reset({ 'GET /v2/jobs/j1/download': { headers: { 'Content-Type': type }, body } });
	const credential = credentialFor(service, { customizeService: true, fieldNamesText: names.join('\n') });
	const options = { format: format === 'json' ? 'json' : 'xml' };
	const chosen = { columns: 'main', ...parameters, options } as INodeParameters;
	const run = await runWorkflow(scenario(credential, forJob('download', 'j1', chosen)));
	expect(errorOf(run)).toBeUndefined();
	return { rows: items(run, 'Prices'), hints: said(run) };
}

const FORMATS = ['json', 'typed XML', 'untyped XML'];
const ANY = { bestPriceOptions: { conditions: ['any'] } };

describe.each(FORMATS)('in %s', (format) => {
	test('a marketplace says in the row what cannot be read, and is read with Field Names', async () => {
		const without = await rowsOf(MARKETPLACE, format, []);
		expect(without.rows).toMatchObject([
			{
				best_price: null,
				reason: 'no known field for the offers: featured_offer, other_offers (Field Names in the credential)',
			},
		]);
		expect(without.hints).toContainEqual(
			expect.stringContaining('Output: Field Report shows all fields'),
		);
		const { rows, hints } = await rowsOf(MARKETPLACE, format, MARKETPLACE_NAMES);
		expect(rows).toEqual([
			{
				...{ value: 'kettle', found: true, name: 'Kettle', best_price: 47, best_total: 47 },
				...{ best_currency: 'EUR', best_shop: 'pots4you', best_availability: null, best_url: null },
				reason: null,
			},
		]);
		expect(hints).toEqual(['1 job, 1 value: 1 found, 0 not found, 0 failed.']);
		const any = await rowsOf(MARKETPLACE, format, MARKETPLACE_NAMES, ANY);
		expect(any.rows).toMatchObject([{ best_price: 44.5, best_shop: 'second-life', reason: null }]);
	});

	test('its entries have what the user named in the main columns', async () => {
		const { rows } = await rowsOf(MARKETPLACE, format, MARKETPLACE_NAMES, { output: 'entries' });
		const shown = ({ price, currency, shop_name, condition_text, reason }: IDataObject) => [
			...[price, currency, shop_name, condition_text, reason],
		];
		expect(rows.map(shown)).toEqual([
			[45.9, 'EUR', 'kettle-king', 'Brand new', null],
			[44.5, 'EUR', 'second-life', 'Used', null],
			[47, 'EUR', 'pots4you', 'Brand new', null],
		]);
	});

	test('lists in lists are read with what they lie in', async () => {
		const without = await rowsOf(ENTERPRISE, format, []);
		expect(without.rows).toMatchObject([
			{
				...{ best_price: null, name: 'Kettle' },
				reason: expect.stringMatching(
					/^no known field for the offers: product\.competitors/,
				) as string,
			},
		]);
		const { rows } = await rowsOf(ENTERPRISE, format, ENTERPRISE_NAMES);
		expect(rows).toMatchObject([
			{ ...{ best_price: 44.5, best_currency: 'EUR', best_shop: 'Shop B' }, reason: null },
		]);
		const entries = await rowsOf(ENTERPRISE, format, ENTERPRISE_NAMES, { output: 'entries' });
		expect(
			entries.rows.map(({ price, shop_name, currency, name }) => [price, shop_name, currency, name]),
		).toEqual([
			[45.9, 'Shop A', 'EUR', 'Kettle'],
			[39.9, 'Shop A', 'EUR', 'Kettle'],
			[44.5, 'Shop B', 'EUR', 'Kettle'],
		]);
	});

	test('Field Report shows each field once, with an example and what it is read as', async () => {
		const report = async (content: object, names: string[]) => {
			const { rows } = await rowsOf(content, format, names, { output: 'fields' });
			return rows.map(({ path, example, results, read_as }) =>
				[path, example, results, read_as].join(' | '),
			);
		};
		expect(await report(MARKETPLACE, [])).toEqual([
			'title | Kettle | 1 | name',
			'featured_offer.price.current | 45,90 € | 1 | ',
			'featured_offer.seller.username | kettle-king | 1 | ',
			'featured_offer.state.id | 1000 | 1 | ',
			'featured_offer.state.label | Brand new | 1 | ',
			'featured_offer.delivery.cost | 4,95 € | 1 | ',
			'other_offers | list of 2 | 1 | ',
			'other_offers.price.current | 44,50 € | 1 | ',
			'other_offers.seller.username | second-life | 1 | ',
			'other_offers.state.id | 3000 | 1 | ',
			'other_offers.state.label | Used | 1 | ',
			'other_offers.delivery.cost | free | 1 | ',
		]);
		const named = await report(MARKETPLACE, MARKETPLACE_NAMES);
		expect(named.filter((line) => !line.endsWith('| '))).toEqual([
			'title | Kettle | 1 | name',
			'featured_offer.price.current | 45,90 € | 1 | price',
			'featured_offer.seller.username | kettle-king | 1 | shop',
			'featured_offer.state.label | Brand new | 1 | condition',
			'featured_offer.delivery.cost | 4,95 € | 1 | shipping',
			'other_offers | list of 2 | 1 | offers',
			'other_offers.price.current | 44,50 € | 1 | price',
			'other_offers.seller.username | second-life | 1 | shop',
			'other_offers.state.label | Used | 1 | condition',
			'other_offers.delivery.cost | free | 1 | shipping',
		]);
		const nested = await report(ENTERPRISE, ENTERPRISE_NAMES);
		expect(nested.filter((line) => !line.endsWith('| '))).toEqual([
			'product.product_name | Kettle | 1 | name',
			'product.competitors.name | Shop A | 1 | shop',
			'product.competitors.price_points | list of 2 | 1 | offers',
			'product.competitors.price_points.promo_price | 45.9000 | 1 | price',
			'product.competitors.price_points.item_condition | https://schema.org/NewCondition | 1 | condition',
			'product.currency | EUR | 1 | currency',
		]);
	});
});

test('both triggers read with Field Names', async () => {
	const list = { jobs: [{ job_id: 'j1', status: 'finished' }] };
	const credential: IDataObject = { customizeService: true, fieldNamesText: ENTERPRISE_NAMES.join('\n') };
	const parameters: INodeParameters = {
		output: 'results',
		columns: 'main',
		options: { emitExisting: true },
	};
	const replies = {
		'GET /v2/jobs': { body: list },
		'GET /v2/jobs/j1': { body: { job_id: 'j1', status: 'finished' } },
		'GET /v2/jobs/j1/download': { body: bodyOf(ENTERPRISE) },
	};
	service.reset(replies);
	const expected = { best_price: 44.5, best_shop: 'Shop B', reason: null };
	const polling = triggerScenario(service, new PriceCollectionPollingTrigger(), parameters, credential);
	const polled = await pollTrigger(polling, 'Ends');
	expect((polled?.[0] ?? []).map(({ json }) => json)).toMatchObject([expected]);
	service.reset(replies);
	const webhook = triggerScenario(
		service,
		new PriceCollectionTrigger(),
		{ ...parameters, options: {} },
		credential,
	);
	const { reply } = await callTrigger(webhook, 'Ends', { body: { job_id: 'j1' } });
	expect(await runCalled(webhook, 'Ends', reply)).toMatchObject([expected]);
});

test.each([
	['prize: amount', 'The line "prize: amount" of Field Names must begin with one of these: price, total, '],
	['price', 'The line "price" of Field Names has no colon. Write it like this: price: sale.amount, price'],
	[
		'price: sale..amount',
		'The line "price: sale..amount" of Field Names lacks a name. Write names or paths with commas',
	],
	['shop: name,', 'The line "shop: name," of Field Names lacks a name.'],
	['shop:', 'The line "shop:" of Field Names lacks a name.'],
	[
		'shop: a\nshop: b',
		'The line "shop: b" of Field Names names shop a second time. Remove one of the two.',
	],
])('the line %j of Field Names fails the credential test and the node', async (text, message) => {
	service.reset({ 'GET /v2/me/usage_today': { body: { credits: 3 } } });
	const data = credentialFor(service, { customizeService: true, fieldNamesText: text });
	const credential = { id: '1', name: 'Test', type: 'priceCollectionApi', data } as never;
	const tested = await new PriceCollection().methods.credentialTest.priceCollectionApiTest.call(
		new CredentialTestContext() as never,
		credential,
	);
	expect(tested.status).toBe('Error');
	expect(tested.message).toContain(message);
	const run = await runWorkflow(scenario(data, forJob('download', 'j1')));
	expect(errorOf(run)?.message).toContain(message);
	expect(service.requests).toEqual([]);
});
