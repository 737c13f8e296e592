import type { IDataObject } from 'n8n-workflow';

import { ChatModel } from '../harness/chatModel';
import { sandbox } from '../harness/collecting';
import { createCredential, n8n, type CredentialReference } from '../harness/e2e';
import { importExample, playDays, runFrom, SHEET, type Market } from '../harness/examples';
import { dayOf, office, officeCredentials, sheetRows } from '../harness/office';
import { MUG, PEN } from '../harness/products';

/** The examples about reviews and bestsellers, on three days. */

describe('what-buyers-complain-about', () => {
	const LAMP = '4000000000013';
	const BAG = '4000000000020';
	const PRODUCTS = [
		['sku', 'gtin', 'complaints', 'complaints_reason'],
		['A-1', Number(PEN), '', ''],
		['A-2', MUG, 'handle breaks', ''],
		['A-3', LAMP, 'too dark', ''],
		['A-4', BAG, 'zip sticks', ''],
		['B-1', PEN, '', ''],
		['B-2', '', 'of another product', ''],
	];
	const product = (...reviews: object[]) => ({ name: 'Product', reviews });
	const DAYS: Market[] = [
		{
			[PEN]: product(
				{ rating: 1, title: 'Leaks', text: 'Ink {everywhere}' },
				{ rating: 5, title: null, text: 'Fine' },
			),
			[MUG]: null,
			[LAMP]: 'collection failed',
			[BAG]: product(),
		},
		{
			[PEN]: 'collection failed',
			[MUG]: product({ rating: 2, title: 'Small', text: 'Holds nothing' }),
			[LAMP]: product({ rating: 4, title: 'Bright', text: 'Bright' }),
			[BAG]: null,
		},
		{
			[PEN]: product({ rating: 3, title: 'Dry', text: 'Dry by now' }),
			[MUG]: product(),
			[LAMP]: null,
			[BAG]: product(),
		},
	];

	/** What is beside the products after each day, and what the model was asked on that day, sorted. */
	async function play(days: readonly Market[], openAiApi: CredentialReference, asked: string[] = []) {
		const own = { ...(await officeCredentials()), priceCollectionApi: await createCredential() };
		const { id } = await importExample('what-buyers-complain-about', {
			credentials: { ...own, openAiApi },
		});
		const seen = [];
		for (const market of days) {
			await sandbox('POST', 'options', { market });
			expect((await runFrom(id, 'Every month')).error).toBeUndefined();
			const rows = await sheetRows(SHEET, 'Products');
			const texts = rows.map(({ sku, complaints, complaints_reason: reason }) => [
				sku,
				complaints,
				reason,
			]);
			seen.push([asked.splice(0).sort(), ...texts]);
		}
		return seen;
	}

	let model: ChatModel;
	beforeAll(async () => {
		model = await ChatModel.start();
	});
	afterAll(async () => {
		model.close();
		await sandbox('POST', 'options', { market: {} });
	});

	it('asks the model about each product with reviews, and leaves no old text beside the others', async () => {
		const asked: string[] = [];
		model.says((_, { messages: [, user] }) => {
			asked.push(String(user?.content));
			return ` Says "${String(user?.content)}"\n`;
		});
		await office({ documents: { [SHEET]: { Products: PRODUCTS } } });
		const seen = await play(DAYS, await model.credential(), asked);
		const [task] = model.last.messages;
		expect(String(task?.content)).toMatch(/^Each line is a buyer's review of one product/);
		const missing = ['', 'test data; not found'];
		const none = ['', 'test data; no reviews'];
		const failed = ['', 'test data; collection failed'];
		const blank = ['B-2', '', 'test data; not looked up: no GTIN in this row'];
		const leaks = '1 | Leaks | Ink {everywhere}\n5 | Fine';
		const small = '2 | Small | Holds nothing';
		const bright = '4 | Bright | Bright';
		const dry = '3 | Dry | Dry by now';
		const says = (text: string) => [`Says "${text}"`, 'test data'];
		expect(seen).toEqual([
			[
				[leaks, leaks],
				['A-1', ...says(leaks)],
				['A-2', ...missing],
				['A-3', ...failed],
				['A-4', ...none],
				['B-1', ...says(leaks)],
				blank,
			],
			[
				[small, bright],
				['A-1', ...failed],
				['A-2', ...says(small)],
				['A-3', ...says(bright)],
				['A-4', ...missing],
				['B-1', ...failed],
				blank,
			],
			[
				[dry, dry],
				['A-1', ...says(dry)],
				['A-2', ...none],
				['A-3', ...missing],
				['A-4', ...none],
				['B-1', ...says(dry)],
				blank,
			],
		]);
	});

	it('says beside the product why the model has not answered', async () => {
		const closed = await ChatModel.start();
		closed.close();
		await office({ documents: { [SHEET]: { Products: PRODUCTS.slice(0, 3) } } });
		const day = { [PEN]: product({ rating: 1, text: 'Leaks' }), [MUG]: null };
		expect(await play([day], await closed.credential())).toEqual([
			[[], ['A-1', '', 'Connection error.'], ['A-2', '', 'test data; not found']],
		]);
	});
});

describe('bestseller-rank-watch', () => {
	const CATEGORY = 'ID-OF-THE-CATEGORY';
	const bestseller = (rank: number, id: number | string, name: string, price: string | null) => ({
		...{ rank, id, name, price, currency: 'EUR' },
		url: `https://shop.example/${id}`,
	});
	const list = (...bestsellers: object[]) => ({ category_name: 'Pens', bestsellers });
	const DAYS: Market[] = [
		{
			[CATEGORY]: list(
				bestseller(1, 'OTHER', 'Another shop’s', '9.00'),
				bestseller(2, 'ID-OF-A-PRODUCT', 'Pen', '2.40'),
				bestseller(3, 4711, 'Name of another product', null),
				bestseller(4, 'ID-OF-A-PRODUCT-2', 'Name of another product, larger', '3.00'),
			),
		},
		{ [CATEGORY]: 'collection failed' },
		{ [CATEGORY]: list(bestseller(1, 'ID-OF-A-PRODUCT', 'Pen, blue', '2.20')) },
	];
	const COLUMNS = { day: 'string', category: 'string', rank: 'number', product_id: 'string' };
	const ALL = { ...COLUMNS, name: 'string', price: 'number', currency: 'string' };

	it('keeps a line for each of my products that is in the list of the day', async () => {
		const { id: project } = await n8n().call('GET', '/rest/projects/personal');
		const columns = Object.entries(ALL).map(([name, type]) => ({ name, type }));
		const tables = `/rest/projects/${project}/data-tables`;
		const { id } = await n8n().call('POST', tables, { name: 'Rank watch', columns });
		const look = async () => {
			const { data } = await n8n().call('GET', `${tables}/${id}/rows?sortBy=id:asc`);
			return (data as IDataObject[]).map((row) => Object.keys(ALL).map((column) => row[column]));
		};
		const days: string[] = [];
		const seen = await playDays('bestseller-rank-watch', DAYS, async (outcome) => {
			days.push(dayOf(outcome, 'Collect bestsellers'));
			return await look();
		});
		const first = [
			[days[0], CATEGORY, 2, 'ID-OF-A-PRODUCT', 'Pen', 2.4, 'EUR'],
			[days[0], CATEGORY, 3, '4711', 'Name of another product', null, 'EUR'],
		];
		const last = [...first, [days[2], CATEGORY, 1, 'ID-OF-A-PRODUCT', 'Pen, blue', 2.2, 'EUR']];
		expect(seen).toEqual([first, first, last]);
	});
});
