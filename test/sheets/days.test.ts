import fc from 'fast-check';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INode, INodeParameters, INodeType } from 'n8n-workflow';

import { PriceCollectionApi } from '../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { errorText, errorOf, runWorkflow } from '../engine/harness';
import { locator, TYPE } from '../engine/support';
import { connect, node } from '../engine/workflow';
import { runs } from '../runs';
import { Spreadsheet, useSpreadsheet, type Cell } from './spreadsheet';

const SHEETS = 'n8n-nodes-base.googleSheets';
const NODES = '../n8n/node_modules/n8n-nodes-base/dist/nodes';

/** n8n's own node, as it ships it. */
function googleSheets(): INodeType {
	const { GoogleSheets } = jest.requireActual<{
		GoogleSheets: new () => { getNodeType(version?: number): INodeType };
	}>(`${NODES}/Google/Sheet/GoogleSheets.node.js`);
	return new GoogleSheets().getNodeType();
}

/** What the service says of a product on one day. */
type Outcome =
	| { kind: 'price'; price: number; shipping?: number; others: number[] }
	| { kind: 'soldOut' | 'notFound' | 'failed' };
type Day = ReadonlyMap<string, Outcome>;

const bare = (gtin: string) => gtin.replace(/^0+/, '');

/** A service that answers each GTIN as the day wants it. */
class Shop {
	day: Day = new Map();
	url = '';
	private readonly asked: string[][] = [];

	private readonly server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { pathname } = new URL(request.url ?? '/', 'http://shop');
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(this.answer(pathname, Buffer.concat(chunks).toString())));
		});
	});

	private answer(path: string, body: string): object {
		const [, id = '', download] = /^\/v2\/jobs\/(\d+)(\/download)?$/.exec(path) ?? [];
		if (id === '') {
			const { values, value } = JSON.parse(body) as { values?: string; value?: string };
			this.asked.push(String(values ?? value).split('\n'));
			return { job_id: String(this.asked.length - 1), status: 'new' };
		}
		const job = { job_id: id, status: 'finished' };
		return download === undefined
			? job
			: { ...job, results: (this.asked[Number(id)] ?? []).map((value) => this.resultOf(value)) };
	}

	private resultOf(value: string): object {
		const query = { topic: 'product_and_offers', source: 'shop', country: 'de', key: 'gtin', value };
		const outcome = this.day.get(bare(value)) ?? { kind: 'notFound' };
		if (outcome.kind === 'failed') return { query, success: false, reason: 'collection failed' };
		if (outcome.kind === 'notFound') return { query, success: true, content: null };
		const offer = (price: number, shipping?: number) => ({
			...{
				price: price.toFixed(2),
				currency: 'EUR',
				condition_code: 'new',
				shop_name: `Shop ${price}`,
			},
			...(shipping !== undefined && {
				shipping_costs: shipping.toFixed(2),
				price_with_shipping: (price + shipping).toFixed(2),
			}),
		});
		const offers =
			outcome.kind === 'price'
				? [offer(outcome.price, outcome.shipping), ...outcome.others.map((price) => offer(price))]
				: [];
		return { query, success: true, content: { name: `Product ${bare(value)}`, offers } };
	}

	async open(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

const shop = new Shop();
const sheet = useSpreadsheet();
let types: Record<string, INodeType>;

beforeAll(async () => {
	await shop.open();
	types = { [SHEETS]: googleSheets(), [TYPE]: new PriceCollection() };
});
afterAll(async () => await shop.close());

const where = {
	authentication: 'oAuth2',
	resource: 'sheet',
	documentId: locator('id', 'spreadsheet'),
	sheetName: locator('name', 'Products'),
	options: {},
};
const rows = (name: string, parameters: INodeParameters): INode =>
	node(
		name,
		SHEETS,
		{ ...where, ...parameters },
		{
			typeVersion: 4.7,
			credentials: { googleSheetsOAuth2Api: { id: '2', name: 'Google' } },
		},
	);

/** The README's workflow: the sheet's rows, their prices, and back to the same rows. */
async function runDay(write: INodeParameters, day: Day): Promise<void> {
	shop.day = day;
	const run = await runWorkflow({
		nodeTypes: types,
		nodes: [
			node('Every morning', 'n8n-nodes-base.manualTrigger'),
			rows('Get rows', { operation: 'read' }),
			node(
				'Prices',
				TYPE,
				{
					...{
						resource: 'job',
						operation: 'collect',
						topic: 'product_and_offers',
						lookupKey: 'gtin',
					},
					...{ source: locator('name', 'shop'), country: locator('code', 'de') },
					...{ values: '={{ $json.gtin }}', ownPrice: '={{ $json.price }}' },
					options: { emptyValues: 'emptyText' },
				},
				{ credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } } },
			),
			rows('Update rows', write),
		],
		connections: connect({
			'Every morning': ['Get rows'],
			'Get rows': ['Prices'],
			Prices: ['Update rows'],
		}),
		credentialTypes: {
			priceCollectionApi: new PriceCollectionApi(),
			googleSheetsOAuth2Api: Object.assign(new PriceCollectionApi(), {
				name: 'googleSheetsOAuth2Api',
				authenticate: undefined,
			}),
		},
		credentials: {
			priceCollectionApi: { baseUrl: shop.url, apiKey: 'THEKEYOFTHESHOP' },
			googleSheetsOAuth2Api: {
				clientId: 'client',
				clientSecret: 'secret',
				accessTokenUrl: 'https://oauth2.googleapis.com/token',
				oauthTokenData: { access_token: 'token', token_type: 'Bearer' } as unknown as string,
			},
		},
	});
	if (errorOf(run)) throw new Error(errorText(run));
}

const OWN = ['sku', 'name', 'gtin', 'price'] as const;
const ANSWERS = [
	...['result_value', 'found', 'result_name', 'best_price', 'best_total', 'best_currency', 'best_shop'],
	...['best_availability', 'best_url'],
	...['own_price', 'price_gap', 'price_gap_percent', 'price_rank', 'reason'],
];

/** GTINs with a right check digit, among them one whose zeros a sheet drops. */
const GTINS = ['4006381333931', '0012345678905', '9780201379624', '5012345678900', '40170725'];

/** As people have them in sheets: text or number, with and without zeros, twice, blank, mistyped. */
const gtinCell = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.constantFrom(...GTINS.flatMap((gtin): Cell[] => [gtin, Number(gtin), bare(gtin)])),
	},
	{ weight: 1, arbitrary: fc.constantFrom<Cell>('', 'abc', '4006381333932') },
);
const money = fc.integer({ min: 100, max: 9_999 }).map((cents) => cents / 100);
const ownPrice = fc.oneof({ weight: 4, arbitrary: money }, { weight: 1, arbitrary: fc.constant<Cell>('') });
const row = fc.record({
	name: fc.constantFrom<Cell>('Pen', '', 'Kettle, red'),
	gtin: gtinCell,
	price: ownPrice,
});
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant('price' as const),
			price: money,
			shipping: fc.option(money, { nil: undefined }),
			others: fc.array(money, { maxLength: 3 }),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.constantFrom<Outcome>({ kind: 'soldOut' }, { kind: 'notFound' }, { kind: 'failed' }),
	},
);
const day = fc
	.tuple(...GTINS.map(() => outcome))
	.map((outcomes): Day => new Map(GTINS.map((gtin, n) => [bare(gtin), outcomes[n] ?? { kind: 'failed' }])));

/** What a shopper pays for the cheapest offer, and its price; undefined without one. */
function cheapest(said: Outcome | undefined): { cost: number; price: number } | undefined {
	if (said?.kind !== 'price') return undefined;
	const { price, shipping, others } = said;
	const offers = [
		{ price, cost: price + (shipping ?? 0), isKnown: shipping !== undefined },
		...others.map((one) => ({ price: one, cost: one, isKnown: false })),
	];
	return offers.toSorted((a, b) => a.cost - b.cost || Number(b.isKnown) - Number(a.isKnown))[0];
}

const cents = (value: Cell) => (typeof value === 'number' ? Math.round(value * 100) : value);

function expectTrue(held: Spreadsheet, own: readonly Cell[][], today: Day): void {
	for (const [n, cells] of own.entries()) {
		const at = (column: string) => held.at(n + 1, column);
		expect(OWN.map(at)).toEqual(cells);
		const gtin = bare(String(cells[2]));
		const said = GTINS.some((one) => bare(one) === gtin) ? today.get(gtin) : undefined;
		const best = cheapest(said);
		expect([at('found'), cents(at('best_price'))]).toEqual([
			said?.kind === 'price' || said?.kind === 'soldOut',
			best === undefined ? '' : cents(best.price),
		]);
		expect(at('best_currency')).toBe(best === undefined ? '' : 'EUR');
		expect(at('reason') === '').toBe(said !== undefined && said.kind !== 'failed');
		expect(at('result_name')).toBe(
			said?.kind === 'price' || said?.kind === 'soldOut' ? `Product ${gtin}` : '',
		);
		const [gap, rank] = [at('price_gap'), at('price_rank')];
		if (best === undefined || typeof cells[3] !== 'number') expect([gap, rank]).toEqual(['', '']);
		else {
			expect(cents(gap)).toBe(Math.round(cells[3] * 100) - Math.round(best.cost * 100));
			expect(rank === 1).toBe(Number(gap) <= 0);
		}
	}
}

const UPDATE = { mappingMode: 'autoMapInputData', value: null, schema: [] };
const WAYS: Array<[string, INodeParameters]> = [
	['Update Row', { operation: 'update', columns: { ...UPDATE, matchingColumns: ['row_number'] } }],
	[
		'Append or Update Row',
		{ operation: 'appendOrUpdate', columns: { ...UPDATE, matchingColumns: ['sku'] } },
	],
];

it.each(WAYS)(
	'a sheet holds the answers of today and nothing else, day after day: %s',
	async (_name, write) => {
		const sheets = fc.array(row, { minLength: 1, maxLength: 6 });
		const days = fc.array(day, { minLength: 4, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(sheets, days, async (products, all) => {
				const own = products.map(({ name, gtin, price }, n): Cell[] => [`S${n}`, name, gtin, price]);
				sheet.current = new Spreadsheet([[...OWN], ...own.map((cells) => [...cells])]);
				let columns: Cell[] | undefined;
				for (const today of all) {
					await runDay(write, today);
					columns ??= [...(sheet.current.cells[0] ?? [])];
					expect(sheet.current.cells[0]).toEqual(columns);
					expect(sheet.current.cells).toHaveLength(own.length + 1);
					expectTrue(sheet.current, own, today);
				}
				expect(columns).toEqual([...OWN, ...ANSWERS]);
			}),
			{ numRuns: runs(60) },
		);
	},
);
