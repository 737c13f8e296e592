import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import { useSandbox } from '../../support/useSandbox';
import { usePlainService } from '../support/plainService';
import { naiveBestPrice } from '../../unit/rows/naiveBestPrice';
import { forJob, itemsOf, runNode, seedJob, TERM_PARAMETERS } from '../support/core';
import { items, said } from '../support/harness';
import { callTrigger, pollTrigger, runCalled } from '../support/trigger';
import { triggerScenario } from '../support/triggerSupport';

const service = usePlainService();
const sandbox = useSandbox({ autoFinish: false, jobDurationMs: 0 });

const VALUES = Array.from({ length: 8 }, (_, index) => `product ${index}`);
const PRODUCTS = { topic: 'product_and_offers', key: 'id' };
const ALL = { ignoreShops: [], includeShipping: true };

const bestOf = (row: IDataObject) =>
	Object.fromEntries(
		Object.entries(row).filter(([name]) => name.startsWith('best_') || name === 'priced_offers'),
	);

/** A job's contents, fetched from the service without the node. */
async function contentsOf(jobId: string): Promise<unknown[]> {
	const reply = await fetch(`${sandbox.url}/v2/jobs/${jobId}/download?token=${sandbox.apiKey}`);
	const { results } = (await reply.json()) as { results: Array<{ content: unknown }> };
	return results.map(({ content }) => content);
}

const TRAITS: Array<Partial<SandboxOptions>> = [
	{},
	{ offerTraits: ['ownShop', 'used', 'nullPrices', 'mixedCurrencies', 'unknownShipping'] },
	{ productContent: 'buyboxOnly' },
	{ productContent: 'priceOnly' },
	{ searchHits: 'clusters' },
	{ searchHits: 'offers', offerTraits: ['nullPrices', 'used'] },
];
const OPTIONS = [
	{},
	{ conditions: [] },
	{ conditions: ['any'] },
	{ conditions: ['new'] },
	{ ignoreShops: ['my own shop'], includeShipping: false },
	{ currency: 'eur', ignoreShops: ['my-own-shop.example'], conditions: ['new', 'used'] },
];

describe('the best price in rows', () => {
	// The options take turns: each meets every trait and both sources, but not every topic.
	test.each(TRAITS)('is that of the plain rule, for every topic and source: %j', async (traits) => {
		sandbox.setOptions(traits);
		let priced = 0;
		let turn = 0;
		for (const source of ['google_shopping', 'amazon']) {
			for (const topic of ['product_and_offers', 'search', 'bestsellers', 'reviews']) {
				const key = topic === 'search' ? 'term' : 'id';
				const jobId = await seedJob(sandbox, VALUES, { more: { topic, key, source } });
				const contents = await contentsOf(jobId);
				for (const bestPriceOptions of [
					OPTIONS[turn++ % OPTIONS.length] ?? {},
					OPTIONS[turn++ % OPTIONS.length] ?? {},
				]) {
					const wanted = { columns: 'all', bestPriceOptions };
					const rows = await itemsOf(sandbox, forJob('download', jobId, wanted));
					const options = { ...ALL, ...bestPriceOptions };
					expect(rows.map(bestOf)).toEqual(
						contents.map((content) => naiveBestPrice(content, options, { topic })),
					);
					priced += rows.filter(({ best_price }) => best_price !== null).length;
				}
			}
		}
		expect(priced).toBeGreaterThan(20);
	});

	test.each([[[]], [['any']], [['new']]])(
		'is that in the condition that the job asked for, unless conditions are chosen: %j',
		async (conditions) => {
			sandbox.setOptions({ offerTraits: ['used'], autoFinish: true });
			const options = { condition: 'used', includeInputFields: false };
			const asked = { ...TERM_PARAMETERS, operation: 'collect', values: VALUES.join('\n'), options };
			const wanted = { ...asked, output: 'results', columns: 'all', bestPriceOptions: { conditions } };
			const rows = await itemsOf(sandbox, wanted);
			const contents = await contentsOf(String(sandbox.jobs.at(-1)?.job_id));
			const about = { topic: 'search', condition: 'used' };
			expect(rows.map(bestOf)).toEqual(
				contents.map((content) => naiveBestPrice(content, { ...ALL, conditions }, about)),
			);
			const found = new Set(rows.map(({ best_condition }) => best_condition));
			expect(found.has('used')).toBe(conditions[0] !== 'new');
		},
	);

	test('is the same from XML', async () => {
		const jobId = await seedJob(sandbox, VALUES, { more: PRODUCTS });
		const rows = await itemsOf(sandbox, forJob('download', jobId));
		const fromXml = await itemsOf(sandbox, forJob('download', jobId, { options: { format: 'xml' } }));
		expect(fromXml.map(bestOf)).toEqual(rows.map(bestOf));
	});

	test('is told with what there is to know', async () => {
		sandbox.setOptions({ offerTraits: ['used'] });
		const jobId = await seedJob(sandbox, VALUES, { more: PRODUCTS });
		for (const operation of ['download', 'wait']) {
			const onlyBoxes = { bestPriceOptions: { conditions: ['open_box'] } };
			const rows = await itemsOf(sandbox, forJob(operation, jobId, onlyBoxes));
			const unpriced = rows.filter(({ best_price }) => best_price === null);
			expect(unpriced.length).toBeGreaterThan(0);
			for (const { reason } of unpriced) expect(reason).toMatch(/^no offer counts: \d+ \w/);
		}
	});
});

describe('Fields and Price Format', () => {
	const fields = ['best_price', 'value', 'price'];

	test('leave the chosen columns in their order, also from an expression that gives a list', async () => {
		const jobId = await seedJob(sandbox, ['a', 'b'], { more: PRODUCTS });
		const expression = `={{ ${JSON.stringify(fields)} }}`;
		for (const chosen of [fields, expression, fields.join(', ')]) {
			const options = { priceFormat: 'number' };
			const selected = { columns: 'selected', fields: chosen, options } as INodeParameters;
			const rows = await itemsOf(sandbox, forJob('download', jobId, selected));
			expect(rows.map((row) => Object.keys(row))).toEqual([fields, fields]);
			expect(rows.map(({ value, price }) => [value, typeof price])).toEqual([
				['a', 'number'],
				['b', 'number'],
			]);
		}
	});

	test('work in both triggers', async () => {
		const parameters: INodeParameters = {
			output: 'results',
			bestPriceOptions: { conditions: ['new'] },
			...{ columns: 'selected', fields },
			options: { priceFormat: 'number' },
		};
		const polling = triggerScenario(sandbox, new PriceCollectionPollingTrigger(), parameters);
		await pollTrigger(polling, 'Ends');
		const jobId = await seedJob(sandbox, ['a', 'b'], { more: PRODUCTS });
		const download = forJob('download', jobId, { ...parameters });
		const expected = await itemsOf(sandbox, download);
		expect(expected.map((row) => Object.keys(row))).toEqual([fields, fields]);
		const polled = await pollTrigger(polling, 'Ends');
		expect((polled?.[0] ?? []).map(({ json }) => json)).toEqual(expected);
		const webhook = triggerScenario(sandbox, new PriceCollectionTrigger(), parameters);
		const { reply } = await callTrigger(webhook, 'Ends', { body: { job_id: jobId } });
		expect(await runCalled(webhook, 'Ends', reply)).toEqual(expected);
	});
});

describe('a service with the names of the document', () => {
	const PEN = {
		title: 'Pen',
		offers: [
			{
				condition: 'used',
				seller: 'A',
				price: { amount: '5.00', currency: 'EUR' },
				shipping_cost: '1.00',
			},
			{
				condition: { name: 'New' },
				seller: { name: 'Mine' },
				price: { amount: '7.00', currency: 'EUR' },
			},
			{
				condition: 'new',
				seller: 'C',
				price: { amount: '9.00', currency: 'EUR' },
				total_price: '9.50',
			},
		],
	};
	const element = (name: string, fields: object): string =>
		`<${name}>${Object.entries(fields)
			.map(([field, value]: [string, unknown]) =>
				typeof value === 'object' && value !== null
					? element(field, value)
					: `<${field.replaceAll('_', '-')}>${String(value)}</${field.replaceAll('_', '-')}>`,
			)
			.join('')}</${name}>`;
	const xml = `<hash><job-id>j1</job-id><status>finished</status><results type="array"><result><query><topic>product_and_offers</topic><value>pen</value></query><success type="boolean">true</success><content><title>Pen</title><offers type="array">${PEN.offers.map((offer) => element('offer', offer)).join('')}</offers></content></result></results></hash>`;
	const query = { topic: 'product_and_offers', value: 'pen' };
	const json = { job_id: 'j1', status: 'finished', results: [{ query, success: true, content: PEN }] };
	const TYPES = { json: 'application/json', xml: 'application/xml' };

	test.each([
		['json', json],
		['xml', xml],
	] as const)('is read by meaning in %s: condition, shop, total, name and price', async (format, body) => {
		service.reset({
			'GET /v2/jobs/j1/download': { headers: { 'Content-Type': TYPES[format] }, body },
		});
		const wanted = { columns: 'main', options: { format } };
		const bestPriceOptions = { ignoreShops: ['mine'] };
		expect(await itemsOf(service, forJob('download', 'j1', { ...wanted, bestPriceOptions }))).toEqual([
			{
				...{ value: 'pen', found: true, name: 'Pen', best_price: 9, best_total: 9.5 },
				...{ best_currency: 'EUR', best_shop: 'C', best_availability: null, best_url: null },
				reason: null,
			},
		]);
		const entries = await itemsOf(service, forJob('download', 'j1', { ...wanted, output: 'entries' }));
		const row = { value: 'pen', found: true, name: 'Pen', currency: 'EUR', url: null, reason: null };
		expect(entries).toEqual([
			{ ...row, price: 5, price_with_shipping: null, shop_name: 'A', condition_text: 'used' },
			{ ...row, price: 7, price_with_shipping: null, shop_name: 'Mine', condition_text: 'New' },
			{ ...row, price: 9, price_with_shipping: 9.5, shop_name: 'C', condition_text: 'new' },
		]);
	});

	const given = async (
		prices: INodeParameters,
		bestPriceOptions: INodeParameters = {},
		columns = 'main',
	) => {
		service.reset({ 'GET /v2/jobs/j1/download': { body: json } });
		const run = await runNode(
			service,
			forJob('download', 'j1', { ...prices, columns, bestPriceOptions }),
		);
		const [row = {}] = items(run, 'Prices');
		const compared = Object.entries(row).filter(([name]) => /^(own|previous|price)_/.test(name));
		return { columns: Object.fromEntries(compared), hints: said(run) };
	};

	test('compares the own price with what the shopper pays, and the previous one with the price', async () => {
		// Two offers matter here: 7.00 with unknown shipping, and 9.00, which is 9.50 with shipping.
		const prices = { ownPrice: '9.20', previousPrice: '10' };
		expect((await given(prices, { ignoreShops: ['mine'] })).columns).toEqual({
			...{ price_gap: -0.3, price_gap_percent: -3.16, price_rank: 1 },
			...{ price_change: -1, price_change_percent: -10 },
		});
		expect((await given(prices, { ignoreShops: ['mine'], includeShipping: false })).columns).toEqual({
			...{ price_gap: 0.2, price_gap_percent: 2.22, price_rank: 2 },
			...{ price_change: -1, price_change_percent: -10 },
		});
		expect((await given({ ownPrice: 9.2 })).columns).toEqual({
			...{ price_gap: 2.2, price_gap_percent: 31.43, price_rank: 2 },
		});
	});

	test('compares no price with one in another currency, also by its sign, and says so', async () => {
		for (const price of ['$9.20', '¥920', '9,20 zł', '9.20 USD']) {
			const { columns, hints } = await given({ ownPrice: price, previousPrice: price });
			expect(columns).toEqual({
				...{ price_gap: null, price_gap_percent: null, price_rank: null },
				...{ price_change: null, price_change_percent: null },
			});
			for (const [field, what] of [
				['Own Price', 'gap'],
				['Previous Price', 'change'],
			])
				expect(hints).toContain(
					`In 1 row there is no ${what}: ${field} is missing or cannot be compared, such as "${price}". It must be an amount above 0 in the currency of the best price.`,
				);
		}
		expect((await given({ ownPrice: '9,20 €' })).columns).toMatchObject({
			price_gap: 2.2,
		});
		const all = await given({ ownPrice: '9,20 €', previousPrice: 10 }, {}, 'all');
		expect(all.columns).toMatchObject({ own_price: 9.2, previous_price: 10, price_gap: 2.2 });
	});

	test('leaves an offer out whose sign contradicts its currency, and says so', async () => {
		const offers = [
			{ price: '$5.00', currency: 'EUR', condition: 'new' },
			{ price: '¥600', condition: 'new' },
			{ price: '€7.00', condition: 'new' },
			{ price: '8,00 EUR', condition: 'new' },
		];
		const results = [{ query, success: true, content: { title: 'Pen', offers } }];
		service.reset({ 'GET /v2/jobs/j1/download': { body: { ...json, results } } });
		const run = await runNode(service, forJob('download', 'j1', { columns: 'all' }));
		expect(items(run, 'Prices')).toMatchObject([
			{
				...{ best_price: 7, best_currency: 'EUR', priced_offers: 3 },
				reason: 'price not readable: "$5.00" in EUR',
			},
		]);
		expect(said(run)[0]).toMatch(/^In 1 row something could not be read, and its reason says what/);
	});

	test('counts new offers and those that do not say, unless conditions are chosen', async () => {
		const bestWith = async (conditions: unknown) => {
			service.reset({ 'GET /v2/jobs/j1/download': { body: json } });
			const bestPriceOptions = { conditions, includeShipping: false } as INodeParameters;
			const rows = await itemsOf(
				service,
				forJob('download', 'j1', { columns: 'main', bestPriceOptions }),
			);
			return rows.map(({ best_price }) => best_price);
		};
		for (const empty of [[], '', [''], '={{ null }}', '={{ [] }}'])
			expect(await bestWith(empty)).toEqual([7]);
		for (const any of [['any'], 'any', ['new', 'Any'], '={{ ["any"] }}'])
			expect(await bestWith(any)).toEqual([5]);
		expect(await bestWith(['used'])).toEqual([5]);
		expect(await bestWith(['new'])).toEqual([7]);
	});

	test('says in the row which fields came where it has other names for the condition', async () => {
		const offers = [{ price: '5.00', grade: 'used', shipping: '0' }];
		const results = [{ query, success: true, content: { title: 'Pen', offers } }];
		service.reset({ 'GET /v2/jobs/j1/download': { body: { ...json, results } } });
		const rows = await itemsOf(service, forJob('download', 'j1', { columns: 'main' }));
		expect(rows.map(({ reason }) => reason)).toEqual([
			'no known field for the condition, shop, currency: grade (Field Names in the credential)',
		]);
	});
});
