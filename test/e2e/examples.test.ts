import type { IDataObject } from 'n8n-workflow';

import { finishJob, sandbox } from './harness/collecting';
import { createCredential, n8n, Outcome, TRIGGER_TYPE } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { importExample, readExample, runExample, runFrom, withProducts } from './harness/examples';
import type { Choices } from './harness/examples';
import { untilKnown } from './harness/triggers';

/** The examples, imported as they are, run in the real n8n as their notes say. `e2e/agent` and `e2e/migration` have two more. */

/**
 * GTINs by what the sandbox's test source knows of them. A used offer, a shop's own and a buybox of unknown condition
 * are cheaper than the best new offer where the name says so.
 */
const GTIN = {
	notFound: '2404000000011',
	fails: '2500000000010',
	usedOnly: '4006381340113',
	manyOffers: '4006381340120',
	torch: '4006381340014',
};

let credentials: Record<string, CredentialReference>;
beforeAll(async () => {
	credentials = { priceCollectionApi: await createCredential() };
});

async function run(name: string, choices: Partial<Choices> = {}): Promise<Outcome> {
	const outcome = await runExample(name, { credentials, ...choices });
	expect(outcome.error).toBeUndefined();
	return outcome;
}

const listing = (products: IDataObject[]) => ({ edits: withProducts(products) });

/** The text of a file that a node made, without the byte order mark. */
async function fileOf(outcome: Outcome, node: string): Promise<{ name?: string; lines: string[] }> {
	const { id = '', fileName } = outcome.outputItems(node)[0]?.binary?.data ?? {};
	const text = (await n8n().binary(id)).toString();
	return {
		name: fileName,
		lines: text
			.replace(/^\uFEFF/, '')
			.trimEnd()
			.split(/\r?\n/),
	};
}

/** The columns that matter to a test, in their order. */
const columns = (rows: IDataObject[], names: string[]) => rows.map((row) => names.map((name) => row[name]));

const MAIN =
	'result_value,found,result_name,best_price,best_total,best_currency,best_shop,best_availability,best_url,reason'.split(
		',',
	);

const OUR_PRICES = [
	['A-100', '4006381333931', 40.79, 'BuyMore "24"'],
	['A-101', '5901234123457', 858.85, 'BuyMore "24"'],
	['A-102', '9780201379624', 116.85, 'Müller & Söhne'],
	['B-200', '4006381333931', 40.79, 'BuyMore "24"'],
];

test('first-prices ends with a file of the list and, beside each row, what the product costs', async () => {
	const outcome = await run('first-prices');
	const { name, lines } = await fileOf(outcome, 'Prices as a file');
	expect(name).toBe('prices.csv');
	expect(lines[0]).toBe(['sku', 'gtin', ...MAIN].join());
	expect(lines).toHaveLength(5);
	expect(columns(outcome.items('Collect prices'), ['sku', 'gtin', 'best_price', 'best_shop'])).toEqual(
		OUR_PRICES,
	);
});

test('prices-into-sheet gives the sheet its own rows back, with the answer behind them', async () => {
	const SHEET: IDataObject[] = [
		{ row_number: 2, sku: 'A-100', gtin: 4006381333931, price: '45,00 €', best_price: '' },
		{ row_number: 3, sku: 'A-101', gtin: '5901234123457', price: 799, best_price: 900 },
		{ row_number: 4, sku: 'A-102', gtin: '', price: 12, best_price: '' },
	];
	const pinned = { 'Get row(s) in sheet': SHEET, 'Update row in sheet': [] };
	const rows = (await run('prices-into-sheet', { pinned })).items('Collect prices');
	const COMPARED =
		'own_price,price_gap,price_gap_percent,price_rank,previous_price,price_change,price_change_percent';
	const rest = MAIN.filter((name) => name !== 'best_price' && name !== 'reason');
	const header = [...Object.keys(SHEET[0] ?? {}), ...rest, ...COMPARED.split(','), 'reason'];
	for (const row of rows) expect(Object.keys(row)).toEqual(header);
	const SHOWN = 'sku,gtin,price,found,best_price,price_gap,price_change,reason'.split(',');
	const blank = 'not looked up: no GTIN in this row';
	expect(columns(rows, SHOWN)).toEqual([
		['A-100', 4006381333931, '45,00 €', true, 40.79, 4.21, '', ''],
		['A-101', '5901234123457', 799, true, 858.85, -67.42, -41.15, ''],
		['A-102', '', 12, false, '', '', '', blank],
	]);
});

test('prices-in-data-table keeps the prices, and compares with them the next time', async () => {
	const COLUMNS = ['sku', 'price', 'best_price', 'price_gap', 'previous_price', 'price_change'];
	const [first, second] = [await run('prices-in-data-table'), await run('prices-in-data-table')].map(
		(outcome) => columns(outcome.items('Collect prices'), COLUMNS),
	);
	expect(first).toEqual([
		['A-100', 45, 40.79, 4.21, null, null],
		['A-101', 799, 858.85, -67.42, null, null],
		['A-102', 116.85, 116.85, -3.77, null, null],
	]);
	expect(second).toEqual(first?.map((row) => [...row.slice(0, 4), row[2], 0]));
});

describe('price-watch-to-sheet', () => {
	const watch = async (products: IDataObject[]) =>
		await run('price-watch-to-sheet', { ...listing(products), pinned: { 'Send message': [] } });

	/** The names and prices that the data table of the example holds for these products. */
	async function storedPrices(skus: string[]): Promise<unknown[][]> {
		const { data: tables } = await n8n().call('GET', '/rest/data-tables-global');
		const { id, projectId } = tables.find(({ name }: IDataObject) => name === 'Price watch');
		const { data } = await n8n().call(
			'GET',
			`/rest/projects/${projectId}/data-tables/${id}/rows?take=250`,
		);
		return columns(
			(data as IDataObject[]).filter(({ sku }) => skus.includes(String(sku))),
			['sku', 'name', 'best_price', 'best_shop'],
		);
	}

	/** The sandbox's prices never change: so the products do, under the same SKU. */
	const days = [
		['falls', '4006381340083', '4006381333931'],
		['rises', '4006381340304', GTIN.torch],
		['is lost', '4006381340038', GTIN.notFound],
		['fails', '4006381340267', GTIN.fails],
		['is used only', '4006381340397', GTIN.usedOnly],
	];
	const skus = days.map(([sku = '']) => sku);
	let first: Outcome;
	let second: Outcome;
	beforeAll(async () => {
		first = await watch(days.map(([sku, gtin]) => ({ sku, gtin })));
		second = await watch(days.map(([sku, , gtin]) => ({ sku, gtin })));
	});

	it('has nothing to compare with at first', () => {
		expect(first.rounds('Message')).toBe(0);
		expect(first.items('Collect prices').map(({ price_change }) => price_change)).toEqual(
			skus.map(() => null),
		);
	});

	it('sends a message about what has dropped', () => {
		expect(second.items('Message')).toEqual([
			{
				text: expect.stringMatching(
					/^ACME "Pro" Coffee grinder <compact> \(falls\): 40\.79 EUR instead of \d+(\.\d+)?, -\d+(\.\d+)? %, BuyMore "24", https:/,
				),
			},
		]);
	});

	it('stores the new prices, and keeps the old one where there is none, saying why', async () => {
		const before = new Map(first.items('Collect prices').map((row) => [row.sku, row]));
		const kept = (sku: string) => {
			const { result_name: name, best_price, best_shop } = before.get(sku) ?? {};
			expect([name, best_price, best_shop]).toEqual([
				expect.stringMatching(/./),
				expect.any(Number),
				expect.stringMatching(/./),
			]);
			return [sku, name, best_price, best_shop];
		};
		expect(await storedPrices(skus)).toEqual([
			['falls', 'ACME "Pro" Coffee grinder <compact>', 40.79, 'BuyMore "24"'],
			['rises', 'Ørsted Crème-brûlée torch, Ø 8 mm', 173.68, 'Les Étoiles'],
			...['is lost', 'fails', 'is used only'].map(kept),
		]);
		expect(second.items('Without a price')).toEqual([
			{ sku: 'is lost', gtin: GTIN.notFound, why: 'not found' },
			{ sku: 'fails', gtin: GTIN.fails, why: 'failed to access source' },
			{ sku: 'is used only', gtin: GTIN.usedOnly, why: 'no new offer has a price' },
		]);
	});
});

describe('beside the offers of one’s own shop', () => {
	const PRODUCTS = [
		{ sku: 'dearer', gtin: GTIN.manyOffers, price: 400, cost: 100 },
		{ sku: 'as cheap', gtin: '4006381340175', price: 189.67, cost: 180 },
		{ sku: 'lost', gtin: GTIN.notFound, price: 10, cost: 1 },
		{ sku: 'used only', gtin: GTIN.usedOnly, price: 10, cost: 1 },
		{ sku: 'fails', gtin: GTIN.fails, price: 10, cost: 1 },
		{ sku: 'no price of ours', gtin: GTIN.torch, price: '', cost: 1 },
	];
	/** The second offer of each list is of the shop that the examples leave out, new, for 0.50. */
	beforeAll(async () => await sandbox('POST', 'options', { offerTraits: ['ownShop'] }));
	afterAll(async () => await sandbox('POST', 'options', { offerTraits: [] }));

	test('competitor-gap gives the gap to the best of the others, in per cent, and the rank', async () => {
		const outcome = await run('competitor-gap', listing(PRODUCTS));
		const COLUMNS = ['sku', 'own_price', 'best_price', 'price_gap', 'price_gap_percent', 'price_rank'];
		expect(columns(outcome.items('Collect competitors'), [...COLUMNS, 'best_shop', 'reason'])).toEqual([
			['dearer', 400, 353.88, 46.12, 13.03, 4, 'BuyMore "24"', null],
			['as cheap', 189.67, 189.67, 0, 0, 1, 'ElectroŻak', null],
			['lost', 10, null, null, null, null, null, null],
			['used only', 10, null, null, null, null, null, null],
			['fails', 10, null, null, null, null, null, 'failed to access source'],
			['no price of ours', null, 828.54, null, null, null, 'Tech’s Corner', null],
		]);
		expect(columns(outcome.items('Dearer than the best'), ['sku'])).toEqual([['dearer']]);
	});

	test('repricing-input undercuts by a cent, never goes below the floor, and says what to leave alone', async () => {
		const outcome = await run('repricing-input', listing(PRODUCTS));
		expect(await fileOf(outcome, 'Input file')).toEqual({
			name: 'repricing-input.csv',
			lines: [
				'sku,gtin,price,floor,new_price,best_price,best_shop,price_gap,price_rank',
				`dearer,${GTIN.manyOffers},400,110,353.87,353.88,"BuyMore ""24""",46.12,4`,
				'as cheap,4006381340175,189.67,198,198,189.67,ElectroŻak,0,1',
				`no price of ours,${GTIN.torch},,1.1,828.53,828.54,Tech’s Corner,,`,
			],
		});
		expect(outcome.items('Leave as they are')).toEqual([
			{ sku: 'lost', gtin: GTIN.notFound, why: 'not found' },
			{ sku: 'used only', gtin: GTIN.usedOnly, why: 'no new offer has a price' },
			{ sku: 'fails', gtin: GTIN.fails, why: 'failed to access source' },
		]);
	});

	test('weekly-report-by-mail makes a table with a row for each product, its names and links escaped', async () => {
		const products = [...PRODUCTS.slice(1, 3), { sku: '<b>', gtin: '4006381333931', price: 30 }];
		const pinned = { 'Send report': [] };
		const outcome = await run('weekly-report-by-mail', { ...listing(products), pinned });
		const rows = String(outcome.items('HTML table')[0]?.table).match(/<tr.*?<\/tr>/g) ?? [];
		const cells = (row: string) =>
			[...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell);
		const offer = (address: string, shop: string) =>
			`<a href="https://${address}?ref=test&#38;c=de">${shop}</a>`;
		const grinder = 'ACME &#34;Pro&#34; Coffee grinder &#60;compact&#62;';
		expect(rows.map(cells)).toEqual([
			['SKU', 'Product', 'Our price', 'Best price', 'Difference', 'Shop'],
			[
				...['as cheap', 'Łucznik Żelazko parowe „Para”', '189.67', '189.67 EUR', '0.00 %'],
				offer('electrozak.example/o/4', 'ElectroŻak'),
			],
			['lost', GTIN.notFound, '10.00', '–', '–', 'not found'],
			[
				...['&#60;b&#62;', grinder, '30.00', '40.79 EUR', '-26.45 %'],
				offer('buymore24.example/o/6', 'BuyMore &#34;24&#34;'),
			],
		]);
	});
});

describe('workflows for jobs that take hours', () => {
	/** Looked at last: it waits for a timer of n8n. */
	let durable: Promise<Outcome>;
	beforeAll(() => {
		durable = run('durable-polling-loop');
		// Until then nobody hears of a failure.
		durable.catch(() => undefined);
	});

	/** What the test source knows of the products in the examples; it repeats GTINs with 14 digits, which the rows have without the filling zero. */
	const BEST_PRICES = [
		['4006381333931', 40.79, 'BuyMore "24"'],
		['5901234123457', 858.85, 'BuyMore "24"'],
		['9780201379624', 116.85, 'Müller & Söhne'],
	];
	const bestPrices = (outcome: Outcome) =>
		columns(outcome.items('Your own steps'), ['value', 'best_price', 'best_shop']);
	const ourPrices = (outcome: Outcome) =>
		columns(outcome.items('Your own steps'), ['sku', 'result_value', 'best_price', 'best_shop']);

	/** The address of the webhook trigger in an example. */
	const urlOf = (name: string) => {
		const trigger = readExample(name).nodes.find(({ type }) => type === TRIGGER_TYPE);
		return `${n8n().baseUrl}/webhook/${trigger?.webhookId}/price-collection`;
	};
	/** The same, pasted where an example asks for it. */
	const pasted = (name: string) => ({ 'Create job': { options: { webhookUrl: urlOf(name) } } });

	/** Imports and activates an example, so that it can be called. */
	async function activated(name: string, edits: Choices['edits'] = {}): Promise<string> {
		const { id } = await importExample(name, { credentials, edits });
		await n8n().activate(id);
		await untilKnown(urlOf(name));
		return id;
	}

	/** Creates jobs that call the trigger of an example back, and gives the run that the callback started. */
	async function calledBack(name: string): Promise<Outcome> {
		const id = await activated(name);
		await run('create-jobs', { edits: pasted(name) });
		const [executionId = ''] = await n8n().waitForExecutions(id);
		const outcome = new Outcome(id, await n8n().waitForExecution(executionId));
		expect(outcome.error).toBeUndefined();
		await n8n().deactivate(id);
		return outcome;
	}

	test('suspend-until-webhook gives every product its price', async () => {
		expect(ourPrices(await run('suspend-until-webhook'))).toEqual(OUR_PRICES);
	});

	test('create-jobs and handle-finished-jobs: jobs of one workflow start the other', async () => {
		const outcome = await calledBack('handle-finished-jobs');
		expect(outcome.items('Job ended')).toMatchObject([{ status: 'finished' }]);
		expect(outcome.items('Your own steps')).toEqual(
			BEST_PRICES.map(([gtin, best_price, best_shop]) => ({
				...{ gtin, found: true, best_price, best_shop, reason: null },
			})),
		);
	});

	test('webhook-and-polling-together: an end that is called back is handled once', async () => {
		const outcome = await calledBack('webhook-and-polling-together');
		expect(outcome.items('Each job once')).toHaveLength(1);
		expect(bestPrices(outcome)).toEqual(BEST_PRICES);
	});

	test('nightly-batch-with-alert: the batch of the night gives its prices, and one message about what is below its limit or fails', async () => {
		const name = 'nightly-batch-with-alert';
		const skus = {
			'A-100': '4006381333931',
			'A-101': '5901234123457',
			lost: GTIN.notFound,
			fails: GTIN.fails,
		};
		const products = Object.entries(skus).map(([sku, gtin]) => ({ sku, gtin }));
		const id = await activated(name, { ...pasted(name), ...withProducts(products) });
		expect((await runFrom(id, 'Every night')).error).toBeUndefined();
		const runs = await n8n().waitForExecutions(id, { count: 2 });
		const outcomes = await Promise.all(
			runs.map(async (executionId) => new Outcome(id, await n8n().waitForExecution(executionId))),
		);
		const ended = outcomes.find((outcome) => outcome.rounds('Batch ended') > 0);
		expect(ended?.error).toBeUndefined();
		expect(columns(ended?.items('Best price') ?? [], ['gtin', 'best_price', 'limit', 'reason'])).toEqual([
			['4006381333931', 40.79, 45, ''],
			['5901234123457', 858.85, 800, ''],
			[GTIN.notFound, null, null, ''],
			[GTIN.fails, null, null, 'failed to access source'],
		]);
		expect(ended?.items('Send message')).toEqual([
			{ text: `4006381333931: 40.79, below 45\n${GTIN.fails}: failed to access source` },
		]);
		await n8n().deactivate(id);
	});

	test('polling-behind-a-firewall: a test run of the trigger shows the latest job with its results', async () => {
		const { id } = await importExample('polling-behind-a-firewall', { credentials });
		const created = await runFrom(id, 'When clicking ‘Execute workflow’');
		const [job] = created.items('Create job');
		await finishJob(job?.job_id);
		const outcome = await runFrom(id, 'Job ended');
		expect(outcome.error).toBeUndefined();
		expect(outcome.items('Job ended')).toMatchObject([{ job_id: job?.job_id, status: 'finished' }]);
		expect(bestPrices(outcome)).toEqual(BEST_PRICES);
	});

	test('durable-polling-loop gives every product its price', async () => {
		expect(ourPrices(await durable)).toEqual(OUR_PRICES);
	}, 420_000);
});
