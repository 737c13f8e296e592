import { amountOf, currencyOf } from '../../../nodes/PriceCollection/output/amounts';
import { conditionClass } from '../../../nodes/PriceCollection/output/bestPrice';

/**
 * The rule of `docs/best-price.md` once more, written from its text alone and as plainly as can be: amounts are whole
 * millionths, and the best offer is what is left when all that something beats are struck out. With the package it shares
 * only how a single amount or condition is read, which tables of their own hold.
 */

type Fields = Record<string, unknown>;

interface NaiveOptions {
	conditions?: readonly string[];
	currency?: string;
	ignoreShops: readonly string[];
	includeShipping: boolean;
}

interface Candidate {
	fields: Fields;
	price: bigint;
	total: bigint | undefined;
	currency: string;
}

const isFields = (value: unknown): value is Fields =>
	value !== null && typeof value === 'object' && !Array.isArray(value);
const currencyName = (value: unknown) => currencyOf(value) ?? '';

/** An amount in millionths with its currency, which nothing may contradict. */
function fieldMoney(fields: Fields, name: string, usual: string) {
	const own = currencyName(fields.currency);
	const beside = currencyName(fields[`${name}_currency`]);
	const read = amountOf(fields[name], beside || own || usual || undefined);
	if (!read) return undefined;
	const said = [own, beside, read.currency ?? ''].filter((one) => one !== '');
	if (said.some((one) => one !== said[0])) return undefined;
	return { amount: BigInt(Math.round(read.value * 1e6)), currency: said[0] ?? usual };
}

function candidate(fields: unknown, product: Fields): Candidate | undefined {
	if (!isFields(fields)) return undefined;
	const usual = currencyName(product.currency);
	const price = [fieldMoney(fields, 'price', usual), fieldMoney(fields, 'min_price', usual)].find(
		(one) => one !== undefined && one.amount > 0n,
	);
	if (!price) return undefined;
	const beside = (name: string) => {
		const read = fieldMoney(fields, name, price.currency);
		return read?.currency === price.currency ? read.amount : undefined;
	};
	const stated = beside('price_with_shipping');
	const shipping = beside('shipping_costs');
	const summed = shipping !== undefined && shipping >= 0n ? price.amount + shipping : undefined;
	const total = stated !== undefined && stated > 0n ? stated : summed;
	return { fields, price: price.amount, total, currency: price.currency };
}

const text = (value: unknown) =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const plain = (value: unknown) => text(value).toLowerCase();
const domain = (value: unknown) => {
	const [, host = ''] = /^(?:https?:\/\/)?([^/]*)/.exec(plain(value)) ?? [];
	return host.includes('.') && !host.includes(' ') ? host.replace('www.', '') : plain(value);
};
const kind = (value: unknown) => conditionClass(value) ?? '';
const joined = (value: unknown) =>
	plain(value)
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean)
		.join(' ');

function counts({ fields, currency }: Candidate, options: NaiveOptions, jobCondition: unknown): boolean {
	if (options.currency !== undefined && currency !== options.currency.toUpperCase()) return false;
	const itsKind = kind(fields.condition_code) || kind(fields.condition_text);
	const names = [joined(fields.condition_code), joined(fields.condition_text), itsKind].filter(Boolean);
	if (options.conditions !== undefined) {
		const isAny = options.conditions.length === 0;
		if (!isAny && !options.conditions.some((wanted) => names.includes(joined(wanted)))) return false;
	} else if (jobCondition !== undefined) {
		if (kind(jobCondition) && itsKind && itsKind !== kind(jobCondition)) return false;
	} else if (itsKind !== 'new' && names.length > 0) {
		return false;
	}
	const { shop_name: name, shop_id: id, shop_domain: its, shop_url: url } = fields;
	const known = [name, id, its, url].map(domain).filter((one) => one !== '');
	return !options.ignoreShops.some((shop) => known.includes(domain(shop)));
}

const LISTS: Record<string, string[]> = {
	search: ['search_results', 'results', 'offers', 'bestsellers'],
	product_and_offers: ['offers', 'search_results', 'bestsellers'],
	reviews: ['reviews', 'offers', 'search_results', 'bestsellers'],
	bestsellers: ['bestsellers', 'products', 'results', 'offers', 'search_results'],
};

function candidates(content: unknown, topic: string): Candidate[] {
	const product: Fields = isFields(content) ? content : {};
	const lists = Array.isArray(content) ? [content] : (LISTS[topic] ?? []).map((name) => product[name]);
	let listed: Candidate[] = [];
	for (const list of lists) {
		const flat = isFields(list)
			? Object.values(list).flatMap((one) => (Array.isArray(one) ? one : []))
			: list;
		if (listed.length > 0 || !Array.isArray(flat)) continue;
		listed = flat.map((entry) => candidate(entry, product)).filter((one) => one !== undefined);
	}
	const box = isFields(product.buybox) ? candidate(product.buybox, product) : undefined;
	const isListed = listed.some(
		({ fields, price, currency }) =>
			box !== undefined &&
			price === box.price &&
			(!currency || !box.currency || currency === box.currency) &&
			(!text(box.fields.shop_name) || plain(fields.shop_name) === plain(box.fields.shop_name)),
	);
	if (box && !isListed) {
		const url = text(box.fields.url) || text(product.url) || null;
		listed = [...listed, { ...box, fields: { ...box.fields, url } }];
	}
	if (listed.length > 0) return listed;
	const own = candidate(product, product);
	return own ? [own] : [];
}

const number = (amount: bigint | undefined) => (amount === undefined ? null : Number(amount) / 1e6);
const first = (fields: Fields, names: string[]) =>
	names.map((name) => text(fields[name])).find(Boolean) ?? null;

/** The seven columns for a content, by the rule's text. */
export function naiveBestPrice(
	content: unknown,
	options: NaiveOptions,
	{ topic, condition }: { topic: string; condition?: unknown },
): Fields {
	const all = candidates(content, topic).filter((one) => counts(one, options, condition));
	const none = ['price', 'total', 'currency', 'shop', 'condition', 'url'].map((name) => [
		`best_${name}`,
		null,
	]);
	const nothing = { ...(Object.fromEntries(none) as Fields), priced_offers: all.length };
	const named = all.filter(({ currency }) => currency !== '');
	const amongs = named.length > 0 ? named : all;
	const size = (currency: string) => amongs.filter((one) => one.currency === currency).length;
	const largest = [...new Set(amongs.map(({ currency }) => currency))].filter((currency) =>
		amongs.every((one) => size(one.currency) <= size(currency)),
	);
	if (largest.length !== 1) return nothing;
	const group = amongs.filter(({ currency }) => currency === largest[0]);
	const cost = ({ price, total }: Candidate) => (options.includeShipping ? (total ?? price) : price);
	const isBeaten = (one: Candidate) =>
		group.some((other) => {
			if (cost(other) !== cost(one)) return cost(other) < cost(one);
			if (options.includeShipping && (other.total === undefined) !== (one.total === undefined)) {
				return one.total === undefined;
			}
			return group.indexOf(other) < group.indexOf(one);
		});
	const best = group.find((one) => !isBeaten(one));
	if (!best) return nothing;
	return {
		best_price: number(best.price),
		best_total: number(best.total),
		best_currency: best.currency || null,
		best_shop: first(best.fields, ['shop_name', 'shop_domain', 'shop_id']),
		best_condition: first(best.fields, ['condition_code', 'condition_text']),
		best_url: first(best.fields, ['url']),
		priced_offers: all.length,
	};
}
