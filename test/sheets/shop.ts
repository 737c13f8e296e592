import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the service says of a product on one day. */
export type Outcome =
	| { kind: 'price'; price: number; shipping?: number; others: number[] }
	| { kind: 'soldOut' | 'notFound' | 'failed' };
export type Day = ReadonlyMap<string, Outcome>;

/** A GTIN without its zeros, which sheets drop. */
export const bare = (gtin: string) => gtin.replace(/^0+/, '');

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

/** A shop that is open until the end of the tests. */
export function useShop(): Shop {
	const shop = new Shop();
	beforeAll(async () => await shop.open());
	afterAll(async () => await shop.close());
	return shop;
}
