import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The service's answer for a product on one day. */
export type Outcome =
	| { kind: 'price'; price: number; shipping?: number; others: number[] }
	| { kind: 'soldOut' | 'notFound' | 'failed' };
export type Day = ReadonlyMap<string, Outcome>;

/** GTINs with a right check digit, among them one whose zeros a sheet drops. */
export const GTINS = ['4006381333931', '0012345678905', '9780201379624', '5012345678900', '40170725'];

/** A GTIN without its zeros, which sheets drop. */
export const bare = (gtin: string) => gtin.replace(/^0+/, '');

/** The test source's answers on any day. */
const INVENTED: Outcome[] = [
	{ kind: 'price', price: 31.5, shipping: 2.25, others: [40] },
	{ kind: 'price', price: 12, others: [] },
	{ kind: 'soldOut' },
	{ kind: 'notFound' },
];
export const MADE_UP: Day = new Map(
	GTINS.map((gtin, n) => [bare(gtin), INVENTED[n % INVENTED.length] ?? { kind: 'failed' }]),
);

/** A service that answers each GTIN as `day` says, and its test source always in the same way. */
class Shop {
	day: Day = new Map();
	url = '';
	/** How many requests it got. */
	requests = 0;
	private readonly jobs: Array<{ source: string; values: string[] }> = [];

	private readonly server = createServer((request, response) => {
		this.requests++;
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
			const { source, values, value } = JSON.parse(body) as Record<string, string>;
			this.jobs.push({ source: String(source), values: String(values ?? value).split('\n') });
			return { job_id: String(this.jobs.length - 1), status: 'new' };
		}
		const job = { job_id: id, status: 'finished' };
		if (download === undefined) return job;
		const { source, values } = this.jobs[Number(id)] ?? { source: '', values: [] };
		return { ...job, results: values.map((value) => this.resultOf(source, value)) };
	}

	private resultOf(source: string, value: string): object {
		const query = { topic: 'product_and_offers', source, country: 'de', key: 'gtin', value };
		const day = source === 'test' ? MADE_UP : this.day;
		const outcome = day.get(bare(value)) ?? { kind: 'notFound' };
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
