import type { IDataObject } from 'n8n-workflow';

import { connect, node } from '../engine/workflow';
import { sandbox } from './harness/collecting';
import { createCredential, n8n, Outcome } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { readExample, runExample, withCredentials, withProducts } from './harness/examples';
import type { Edits } from './harness/examples';
import { MailServer } from './harness/mailServer';

/** Examples that look prices up and go on with them, imported as they are and run in the real n8n. */

/**
 * GTINs by what the sandbox's test source knows of them. A used offer, a shop's own and a buybox of unknown condition
 * are cheaper than the best new offer where the name says so.
 */
const GTIN = {
	notFound: '2404000000011',
	fails: '2500000000010',
	usedOnly: '4006381340113',
	usedIsCheaper: '4006381340076',
	manyOffers: '4006381340120',
	torch: '4006381340014',
	grinder: '4006381340052',
};

let credentials: Record<string, CredentialReference>;
beforeAll(async () => {
	credentials = { priceCollectionApi: await createCredential() };
});

async function run(name: string, edits: Edits = {}): Promise<Outcome> {
	const outcome = await runExample(name, credentials, edits);
	expect(outcome.error).toBeUndefined();
	return outcome;
}

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

describe('first-prices', () => {
	const HEADER = 'value,found,name,best_price,best_currency,best_shop,best_url';

	it('ends with a file of one row for each product: name, best price, shop and link', async () => {
		const outcome = await run('first-prices');
		expect(await fileOf(outcome, 'Prices as a file')).toEqual({
			name: 'prices.csv',
			lines: [
				HEADER,
				'4006381333931,TRUE,"ACME ""Pro"" Coffee grinder <compact>",40.79,EUR,"BuyMore ""24""",https://buymore24.example/o/6?ref=test&c=de',
				'5901234123457,TRUE,Bosch Łyżka stołowa 0012,858.85,EUR,"BuyMore ""24""",https://buymore24.example/o/0?ref=test&c=de',
				'9780201379624,TRUE,象印 Hand mixer & bowl,116.85,EUR,Müller & Söhne,https://mueller-soehne.example/o/1?ref=test&c=de',
				'4006381333931,TRUE,"ACME ""Pro"" Coffee grinder <compact>",40.79,EUR,"BuyMore ""24""",https://buymore24.example/o/6?ref=test&c=de',
			],
		});
	});

	it('leaves the price of a product without offers, and of one that is not found, empty', async () => {
		const outcome = await run('first-prices', {
			...withProducts([{ gtin: 'nulls-7' }, { gtin: 'notfound-kettle' }, { gtin: 'kettle' }]),
			'Collect prices': { lookupKey: 'term' },
		});
		expect((await fileOf(outcome, 'Prices as a file')).lines).toEqual([
			HEADER,
			'nulls-7,TRUE,Łucznik USB-C cable 2 m / 6′,,,,',
			'notfound-kettle,FALSE,,,,,',
			'kettle,TRUE,"Ørsted Crème-brûlée torch, Ø 8 mm",422.47,EUR,Tech’s Corner,https://techs-corner.example/o/0?ref=test&c=de',
		]);
	});
});

describe('price-watch-to-sheet', () => {
	const STORED = ['sku', 'gtin', 'name', 'price', 'lowest_price', 'shop', 'url'];

	/** The rows that the data table of the example holds for these products. */
	async function storedRows(skus: string[]): Promise<unknown[][]> {
		const { data: tables } = await n8n().call('GET', '/rest/data-tables-global');
		const { id, projectId } = tables.find(({ name }: IDataObject) => name === 'Price watch');
		const { data } = await n8n().call(
			'GET',
			`/rest/projects/${projectId}/data-tables/${id}/rows?take=250`,
		);
		return columns(
			(data as IDataObject[]).filter(({ sku }) => skus.includes(String(sku))),
			STORED,
		);
	}

	it('keeps what the products cost now, and has nothing to compare it with at first', async () => {
		const outcome = await run('price-watch-to-sheet');
		expect(outcome.items('Without a price')).toEqual([]);
		expect(outcome.rounds('Message')).toBe(0);
		expect(await storedRows(['A-100', 'A-101', 'A-102'])).toEqual([
			[
				'A-100',
				'4006381333931',
				'ACME "Pro" Coffee grinder <compact>',
				40.79,
				40.79,
				'BuyMore "24"',
				'https://buymore24.example/o/6?ref=test&c=de',
			],
			[
				'A-101',
				'5901234123457',
				'Bosch Łyżka stołowa 0012',
				858.85,
				858.85,
				'BuyMore "24"',
				'https://buymore24.example/o/0?ref=test&c=de',
			],
			[
				'A-102',
				'9780201379624',
				'象印 Hand mixer & bowl',
				116.85,
				116.85,
				'Müller & Söhne',
				'https://mueller-soehne.example/o/1?ref=test&c=de',
			],
		]);
	});

	describe('on the second day', () => {
		/** The sandbox's prices never change: so the products do, under the same SKU. */
		const days = [
			['falls', '4006381340083', '4006381333931'],
			['rises', '4006381340304', GTIN.torch],
			['rises by 3 %', GTIN.grinder, GTIN.usedIsCheaper],
			['falls by 3 %', GTIN.usedIsCheaper, GTIN.grinder],
			['is lost', '4006381340038', GTIN.notFound],
			['fails', '4006381340267', GTIN.fails],
			['is used only', '4006381340397', GTIN.usedOnly],
		];
		const skus = days.map(([sku = '']) => sku);
		let second: Outcome;
		beforeAll(async () => {
			await run('price-watch-to-sheet', withProducts(days.map(([sku, gtin]) => ({ sku, gtin }))));
			second = await run(
				'price-watch-to-sheet',
				withProducts(days.map(([sku, , gtin]) => ({ sku, gtin }))),
			);
		});

		it('tells the change of each price, absolute and in per cent, and whether it is a new low', () => {
			const CHANGE = ['sku', 'price', 'previous_price', 'change', 'change_percent', 'new_low'];
			expect(columns(second.items('Change'), CHANGE)).toEqual([
				['falls', 40.79, 180, -139.21, -77.34, true],
				['rises', 173.68, 47.69, 125.99, 264.19, false],
				['rises by 3 %', 587.2, 570.17, 17.03, 2.99, false],
				['falls by 3 %', 570.17, 587.2, -17.03, -2.9, true],
			]);
		});

		it('sends one message, about changes from the threshold on in both directions and about new lows', () => {
			expect(second.items('Send message')).toEqual([
				{
					subject: '3 prices have changed',
					text: [
						'ACME "Pro" Coffee grinder <compact> (falls): 40.79 instead of 180, -77.34 %, lower than ever, BuyMore "24", https://buymore24.example/o/6?ref=test&c=de',
						'Ørsted Crème-brûlée torch, Ø 8 mm (rises): 173.68 instead of 47.69, +264.19 %, Les Étoiles, https://les-etoiles.example/o/1?ref=test&c=de',
						'Kärcher Coffee grinder <compact> (falls by 3 %): 570.17 instead of 587.2, -2.9 %, lower than ever, ElectroŻak, https://electrozak.example/o/0?ref=test&c=de',
					].join('\n'),
				},
			]);
		});

		it('says of a product that is not found, fails or has no price in the condition why, and sends none of them to the table', () => {
			expect(second.items('Without a price')).toEqual([
				{ sku: 'is lost', gtin: GTIN.notFound, why: 'not found' },
				{ sku: 'fails', gtin: GTIN.fails, why: 'failed to access source' },
				{ sku: 'is used only', gtin: GTIN.usedOnly, why: 'no price in this condition and currency' },
			]);
			expect(second.items('Write table').map(({ sku }) => sku)).toEqual(skus.slice(0, 4));
		});

		it('has stored the new prices, the lowest ones ever, and the old price where there is no new one', async () => {
			const PRICES = 3;
			expect((await storedRows(skus)).map((row) => [row[0], ...row.slice(PRICES, PRICES + 2)])).toEqual(
				[
					['falls', 40.79, 40.79],
					['rises', 173.68, 47.69],
					['rises by 3 %', 587.2, 570.17],
					['falls by 3 %', 570.17, 570.17],
					['is lost', 883.38, 883.38],
					['fails', 408.15, 408.15],
					['is used only', 195.96, 195.96],
				],
			);
		});

		it('goes by the threshold of the settings', async () => {
			const settings = {
				assignments: [
					{ id: '1', name: 'alert_percent', type: 'number', value: 300 },
					{ id: '2', name: 'condition', type: 'string', value: 'new' },
					{ id: '3', name: 'currency', type: 'string', value: 'EUR' },
				],
			};
			const outcome = await run('price-watch-to-sheet', {
				...withProducts([
					{ sku: 'falls', gtin: GTIN.torch },
					{ sku: 'rises', gtin: GTIN.grinder },
				]),
				Settings: { assignments: settings },
			});
			expect(columns(outcome.items('Change'), ['sku', 'change_percent'])).toEqual([
				['falls', 325.79],
				['rises', 228.29],
			]);
			expect(columns(outcome.items('All alerts')[0]?.data as IDataObject[], ['sku'])).toEqual([
				['falls'],
			]);
		});
	});
});

test('price-watch-to-sheet goes on when nodes of Google Sheets take the place of its table, as its notes say', async () => {
	const { nodes, connections } = readExample('price-watch-to-sheet');
	const replaced = ['Make table', 'Products', 'One item per product', 'Read table', 'Write table'];
	const sheet = (name: string) => node(name, 'n8n-nodes-base.googleSheets', {}, { typeVersion: 4.7 });
	const kept = Object.entries(connections).filter(([name]) => !replaced.includes(name));
	const workflow = {
		nodes: [
			...withCredentials(
				nodes.filter(({ name }) => !replaced.includes(name)),
				credentials,
			),
			sheet('Get row(s) in sheet'),
			sheet('Update row in sheet'),
		],
		connections: {
			...Object.fromEntries(kept),
			...connect({
				Settings: ['Get row(s) in sheet'],
				'Get row(s) in sheet': ['Watched products'],
				'New prices': ['Update row in sheet'],
			}),
		},
	};
	// Nobody can log in to Google here: pinned rows stand in for the sheet, cells as the node gives them.
	const rows: IDataObject[] = [
		{ row_number: 2, sku: 'A-100', gtin: 4006381333931, price: 50, lowest_price: 45 },
		{ row_number: 3, sku: 'A-101', gtin: '5901234123457', price: '', lowest_price: '' },
	];
	const pinData = { 'Get row(s) in sheet': rows.map((json) => ({ json })), 'Update row in sheet': [] };
	const { id } = await n8n().createWorkflow({ ...workflow, pinData });
	const execution = await n8n().waitForExecution(await n8n().startManually(id, 'Every morning'));
	const outcome = new Outcome(id, execution);
	expect(outcome.error).toBeUndefined();
	expect(
		columns(outcome.items('Change'), [
			'sku',
			'price',
			'previous_price',
			'change',
			'change_percent',
			'new_low',
		]),
	).toEqual([
		['A-100', 40.79, 50, -9.21, -18.42, true],
		['A-101', 858.85, null, null, null, false],
	]);
	expect(columns(outcome.items('New prices'), ['sku', 'price', 'lowest_price'])).toEqual([
		['A-100', 40.79, 40.79],
		['A-101', 858.85, 858.85],
	]);
});

describe('beside the offers of one’s own shop', () => {
	const PRODUCTS = [
		{ sku: 'dearer', gtin: GTIN.manyOffers, own_price: 400 },
		{ sku: 'as cheap', gtin: '4006381340175', own_price: 189.67 },
		{ sku: 'lost', gtin: GTIN.notFound, own_price: 10 },
		{ sku: 'used only', gtin: GTIN.usedOnly, own_price: 10 },
		{ sku: 'fails', gtin: GTIN.fails, own_price: 10 },
		{ sku: 'no price of ours', gtin: GTIN.torch, own_price: '' },
	];
	/** The second offer of each list is of the shop that the examples leave out, new, for 0.50. */
	beforeAll(async () => await sandbox('POST', 'options', { offerTraits: ['ownShop'] }));
	afterAll(async () => await sandbox('POST', 'options', { offerTraits: [] }));

	test('competitor-gap gives the gap to the best of the others, in per cent, and the rank', async () => {
		const outcome = await run('competitor-gap', withProducts(PRODUCTS));
		expect(outcome.items('Collect competitors')[0]?.offers).toContainEqual(
			expect.objectContaining({ shop_name: 'My Own Shop', price: '0.50', condition_code: 'new' }),
		);
		const COLUMNS = [
			'sku',
			'own_price',
			'competitor_price',
			'gap',
			'gap_percent',
			'rank',
			'competing_offers',
			'competitor_shop',
			'why',
		];
		expect(columns(outcome.items('Gap and rank'), COLUMNS)).toEqual([
			['dearer', 400, 353.88, 46.12, 13.03, 4, 6, 'BuyMore "24"', null],
			['as cheap', 189.67, 189.67, 0, 0, 1, 5, 'ElectroŻak', null],
			['lost', 10, null, null, null, null, 0, null, 'not found'],
			['used only', 10, null, null, null, null, 0, null, 'no price in this condition and currency'],
			['fails', 10, null, null, null, null, 0, null, 'failed to access source'],
			['no price of ours', null, 828.54, null, null, null, 1, 'Tech’s Corner', null],
		]);
	});

	test('repricing-input gives a file of what has a new offer of others, and says what to leave alone', async () => {
		const outcome = await run('repricing-input', withProducts(PRODUCTS));
		expect(await fileOf(outcome, 'Input file')).toEqual({
			name: 'repricing-input.csv',
			lines: [
				'sku,gtin,condition,competitor_price,competitor_total,currency,competitor_shop,competing_offers',
				`dearer,${GTIN.manyOffers},new,353.88,361.55,EUR,"BuyMore ""24""",6`,
				'as cheap,4006381340175,new,189.67,198.28,EUR,ElectroŻak,5',
				`no price of ours,${GTIN.torch},new,828.54,828.54,EUR,Tech’s Corner,1`,
			],
		});
		expect(outcome.items('Leave as they are')).toEqual([
			{ sku: 'lost', gtin: GTIN.notFound, why: 'not found' },
			{ sku: 'used only', gtin: GTIN.usedOnly, why: 'no price in this condition and currency' },
			{ sku: 'fails', gtin: GTIN.fails, why: 'failed to access source' },
		]);
	});

	test('weekly-report-by-mail sends a table with a row for each product, its names and links escaped', async () => {
		const server = await MailServer.start();
		try {
			credentials = { ...credentials, smtp: await server.credential() };
			await run(
				'weekly-report-by-mail',
				withProducts([...PRODUCTS, { sku: '<b>', gtin: '4006381333931', own_price: 30 }]),
			);
		} finally {
			await server.close();
		}
		expect(server.mails).toHaveLength(1);
		const [mail] = server.mails;
		expect(mail?.headers).toMatchObject({
			from: 'prices@example.com',
			to: 'owner@example.com',
			subject: expect.stringMatching(/^Prices of \d{4}-\d\d-\d\d$/),
			'content-type': 'text/html; charset=utf-8',
		});
		const cells = (row: string) =>
			[...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell);
		expect(mail?.body.match(/<tr.*?<\/tr>/g)?.map(cells)).toEqual([
			['SKU', 'Product', 'Our price', 'Best price', 'Difference', 'Shop'],
			[
				'dearer',
				'Ørsted Łyżka stołowa 0012',
				'400.00',
				'353.88 EUR',
				'+13.0 %',
				'<a href="https://buymore24.example/o/5?ref=test&#38;c=de">BuyMore &#34;24&#34;</a>',
			],
			[
				'as cheap',
				'Łucznik Żelazko parowe „Para”',
				'189.67',
				'189.67 EUR',
				'0.0 %',
				'<a href="https://electrozak.example/o/4?ref=test&#38;c=de">ElectroŻak</a>',
			],
			['lost', GTIN.notFound, '10.00', '–', '–', 'not found'],
			[
				'used only',
				'De’Longhi 電気ケトル 1.2 L',
				'10.00',
				'–',
				'–',
				'no price in this condition and currency',
			],
			['fails', GTIN.fails, '10.00', '–', '–', 'failed to access source'],
			[
				'no price of ours',
				'Ørsted Crème-brûlée torch, Ø 8 mm',
				'–',
				'828.54 EUR',
				'–',
				'<a href="https://techs-corner.example/o/0?ref=test&#38;c=de">Tech’s Corner</a>',
			],
			[
				'&#60;b&#62;',
				'ACME &#34;Pro&#34; Coffee grinder &#60;compact&#62;',
				'30.00',
				'40.79 EUR',
				'-26.5 %',
				'<a href="https://buymore24.example/o/6?ref=test&#38;c=de">BuyMore &#34;24&#34;</a>',
			],
		]);
	});
});
