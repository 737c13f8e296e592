import type { Result } from '../sandbox/results';
import { leavesOf } from './leaves';
import type { Fields } from './operations';
import type { GeneratedService } from './service';

/** Computes from the true offers which one has the best price, and what the main columns contain. */

const fieldsIn = (value: unknown): Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsIn) : []);
const numberIn = (value: unknown): number | undefined =>
	typeof value === 'string' || typeof value === 'number' ? Number(value) : undefined;

/** An offer, a hit, a buybox or a product that has a price. */
interface Priced {
	fields: Fields;
	price: number;
	total?: number;
}

function pricedIn(fields: Fields): Priced[] {
	const price = numberIn(fields.price) ?? numberIn(fields.min_price);
	if (price === undefined || !(price > 0)) return [];
	return [{ fields, price, total: numberIn(fields.price_with_shipping) }];
}

/** Everything for sale: the entries of the list and the buybox, or else the product itself. */
function allPriced(content: Fields): Priced[] {
	const listed = [...listIn(content.offers), ...listIn(content.search_results)].flatMap(pricedIn);
	const box = pricedIn(fieldsIn(content.buybox));
	const isListed = ({ price, fields }: Priced) =>
		listed.some(
			(one) =>
				one.price === price &&
				one.fields.currency === fields.currency &&
				[null, one.fields.shop_name].includes(fields.shop_name as null),
		);
	const sold = [...listed, ...box.filter((one) => !isListed(one))];
	return sold.length > 0 ? sold : pricedIn(content);
}

/** New offers count, and offers without a condition. */
function counts({ fields: { condition_code: code, condition_text: text } }: Priced): boolean {
	const said = code ?? text ?? 'new';
	return said === 'new' || said === 'New';
}

/** The best offers: one, several that cost the same, or none if no price can be compared. */
function bestOf(content: Fields): Priced[] {
	const counting = allPriced(content).filter(counts);
	const currencies = counting.flatMap(({ fields: { currency } }) => currency ?? []);
	const often = (currency: unknown) => currencies.filter((one) => one === currency).length;
	const most = Math.max(0, ...currencies.map(often));
	const leading = [...new Set(currencies.filter((currency) => often(currency) === most))];
	if (leading.length > 1) return [];
	const [currency] = leading;
	const compared = counting.filter((one) => (one.fields.currency ?? undefined) === currency);
	const cost = ({ price, total }: Priced) => total ?? price;
	const least = Math.min(...compared.map(cost));
	return compared.filter((one) => cost(one) === least);
}

const shopsOf = ({ shop_name: name, shop_domain: domain, shop_id: id }: Fields) =>
	name ?? domain ?? id ?? null;

/** Whether the columns of the best price describe this offer. */
function isBest({ fields, price, total }: Priced, row: Fields, content: Fields): boolean {
	const { condition_code: code, condition_text: text } = fields;
	const { availability_text: available = null } = fields;
	// The main columns do not have the condition.
	const conditions = [...(code || text ? [code, text] : [null]), undefined];
	return (
		row.best_price === price &&
		row.best_total === (total ?? null) &&
		row.best_currency === (fields.currency ?? null) &&
		row.best_shop === shopsOf(fields) &&
		conditions.some((condition) => row.best_condition === condition) &&
		(row.best_availability === available || available === null) &&
		row.best_url === (fields.url ?? content.url ?? null)
	);
}

const BEST = [
	...['best_price', 'best_total', 'best_currency', 'best_shop'],
	...['best_condition', 'best_availability', 'best_url'],
];

/** What is wrong with the best price in a row of this result, as a sentence; undefined if right or explained. */
export function problemWithBest(
	service: GeneratedService,
	{ content: given, success }: Result,
	topic: string,
	row: Fields,
	hints: string[],
): string | undefined {
	if (!['product_and_offers', 'search'].includes(topic)) return undefined;
	const isRead = ['content', 'Content'].includes(service.options.resultContent);
	const { list, ...rest } = success && isRead ? fieldsIn(given) : {};
	const isHidden = service.options.contentShape === 'listInObject' && list !== undefined;
	const content = isHidden ? { ...rest, offers: fieldsIn(list).entries } : { ...rest, list };
	const best = bestOf(content);
	if (best.length === 0 && (row.best_price ?? null) === null) {
		return allPriced(content).length > 0 && hints.length === 0
			? 'there is no best price, and nothing says why'
			: undefined;
	}
	if (best.some((one) => isBest(one, row, content))) return undefined;
	const [first] = best;
	return `the best price is ${JSON.stringify(BEST.map((name) => row[name]))} in place of ${JSON.stringify(first ?? null)}`;
}

/** Main columns of entries, with the fields that may fill them. */
const ENTRY: Record<string, Record<string, string[]>> = {
	product_and_offers: {
		price: ['price', 'min_price'],
		price_with_shipping: ['price_with_shipping'],
		currency: ['currency'],
		shop_name: ['shop_name', 'shop_domain', 'shop_id'],
		condition_text: ['condition_text', 'condition_code'],
		url: ['url'],
	},
	reviews: { rating: ['rating'], author_name: ['author_name'], created_at: ['created_at'], text: ['text'] },
	bestsellers: { rank: ['rank'], name: ['name'], price: ['price'], currency: ['currency'], url: ['url'] },
};

/** What is wrong with the main columns of an entry, as a sentence; undefined if they are right. */
export function problemWithEntry(
	service: GeneratedService,
	entry: Fields,
	topic: string,
	row: Fields,
): string | undefined {
	// Without a topic in the query, nothing says what the entries are.
	const isTold = service.options.resultQuery === 'object';
	const columns = isTold ? (ENTRY[topic === 'search' ? 'product_and_offers' : topic] ?? {}) : {};
	const same = (value: unknown, actual: unknown) =>
		String(value).replace(/\s+/g, ' ').trim() === String(actual).replace(/\s+/g, ' ').trim() ||
		(actual !== null && Number(value) === Number(actual));
	for (const [column, fields] of Object.entries(columns)) {
		const filled = fields.map((field) => entry[field]).filter((value) => leavesOf(value).length > 0);
		const actual = row[column] ?? null;
		if (filled.length === 0 ? leavesOf(actual).length === 0 : filled.some((value) => same(value, actual)))
			continue;
		// The currency may be part of the price, which this entry lacks.
		if (column === 'currency' && leavesOf(entry.price).length === 0 && actual === null) continue;
		return `${column} is ${JSON.stringify(actual)} in place of ${JSON.stringify(filled[0] ?? null)}`;
	}
	return undefined;
}
