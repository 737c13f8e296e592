import { notPart, ok } from './http.ts';
import type { Question, Reply } from './http.ts';

/** A product of the shop. Prices are texts; the shop refuses numbers. */
export interface Product {
	id: number;
	name: string;
	sku: string;
	regular_price: string;
	sale_price?: string;
	/** What a customer pays; computed from the other two. */
	price?: string;
	[more: string]: unknown;
}

const PRODUCTS = '/wp-json/wc/v3/products';

/** The query parameters that have an effect here. Requests with others are refused. */
const UNDERSTOOD = ['sku', 'page', 'per_page'];

const refuse = (status: number, code: string, message: string, more: object = {}): Reply => ({
	status,
	body: { code, message, data: { status, ...more } },
});

const shown = (product: Product): Product => ({
	...product,
	price: product.sale_price || product.regular_price,
});

function update(product: Product, changes: Record<string, unknown>): Reply {
	const wrong = ['regular_price', 'sale_price'].filter(
		(name) => name in changes && typeof changes[name] !== 'string',
	);
	if (wrong.length > 0) {
		const params = Object.fromEntries(wrong.map((name) => [name, `${name} is not of type string.`]));
		const message = `Invalid parameter(s): ${wrong.join(', ')}`;
		return refuse(400, 'rest_invalid_param', message, { params });
	}
	return ok(shown(Object.assign(product, changes)));
}

/** One page, with the next one's address in the Link header, which n8n follows. Without that header n8n fails. */
function list(products: Product[], { origin, searchParams }: URL): Reply {
	const skus = searchParams.get('sku')?.split(',');
	const found = products.filter(({ sku }) => skus?.includes(sku) ?? true);
	const [page, size] = [Number(searchParams.get('page') ?? 1), Number(searchParams.get('per_page') ?? 10)];
	const links = [`<${origin}/wp-json/>; rel="https://api.w.org/"`];
	const next = new URLSearchParams({ ...Object.fromEntries(searchParams), page: String(page + 1) });
	if (found.length > page * size) links.push(`<${origin}${PRODUCTS}?${next}>; rel="next"`);
	return ok(found.slice((page - 1) * size, page * size).map(shown), { link: links.join(', ') });
}

/** Answers as WooCommerce's REST API (v3) does for a shop with these products. */
export function answerShop(products: Product[], question: Question): Reply {
	const { method, url, body } = question;
	const isUnderstood = [...url.searchParams.keys()].every((name) => UNDERSTOOD.includes(name));
	if (!url.pathname.startsWith(PRODUCTS) || !isUnderstood) return notPart(question);
	const [, id] = /^\/(\d+)$/.exec(url.pathname.slice(PRODUCTS.length)) ?? [];
	const product = products.find((one) => String(one.id) === id);
	if (id !== undefined && product === undefined)
		return refuse(404, 'woocommerce_rest_product_invalid_id', 'Invalid ID.');
	if (method === 'PUT' && product) return update(product, body as Record<string, unknown>);
	if (method === 'GET' && product) return ok(shown(product));
	return method === 'GET' && url.pathname === PRODUCTS ? list(products, url) : notPart(question);
}
