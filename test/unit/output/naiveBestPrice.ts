/**
 * The rule of `docs/prices.md` once more, written from its text and the table of names in the contract, as plainly as
 * can be and without any code of the package: amounts are whole millionths, and the best offer is what is left when all
 * that something beats are struck out.
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

/** The contract's table, for what a best price needs. */
export const NAMES_OF = {
	price: ['price', 'min_price'],
	total: ['price_with_shipping', 'total_price', 'total'],
	shipping: ['shipping_costs', 'shipping_cost', 'shipping_price', 'shipping'],
	currency: ['currency', 'currency_code', 'price_currency'],
	condition: ['condition_code', 'condition_text', 'condition'],
	shop: ['shop_name', 'shop', 'seller', 'merchant', 'store', 'vendor', 'shop_domain', 'shop_id'],
	shopUrl: ['shop_url'],
	availability: ['availability_text', 'availability', 'stock', 'in_stock', 'delivery_info'],
	url: ['url'],
	offers: ['offers'],
	hits: ['search_results', 'hits'],
	ranks: ['bestsellers', 'ranks'],
	reviews: ['reviews'],
	product: ['product', 'item'],
	meant: ['amount', 'value', 'cost', 'price', 'name', 'text'],
};
type Meaning = keyof typeof NAMES_OF;

const isFields = (value: unknown): value is Fields =>
	value !== null && typeof value === 'object' && !Array.isArray(value);
const isText = (value: unknown) => typeof value === 'string' || typeof value === 'number';
const letters = (name: string) =>
	[...name.toLowerCase()].filter((one) => one !== '_' && one !== '-').join('');

function fieldsOf(fields: Fields, meaning: Meaning): string[] {
	const own = Object.keys(fields);
	return NAMES_OF[meaning].flatMap((name) => own.filter((one) => letters(one) === letters(name)));
}

/** The text of a value, or of what is meant in an object; blank where there is none. */
function plain(value: unknown): string {
	if (isText(value)) return ['', 'null'].includes(String(value).trim()) ? '' : String(value);
	if (!isFields(value)) return '';
	const inner = fieldsOf(value, 'meant').map((name) => value[name]);
	return inner.map((one) => (isText(one) ? plain(one) : '')).find((one) => one !== '') ?? '';
}

const first = (fields: Fields, meaning: Meaning) =>
	fieldsOf(fields, meaning)
		.map((name) => (typeof fields[name] === 'boolean' ? String(fields[name]) : plain(fields[name])))
		.find((one) => one !== '') ?? '';

function currencyName(text: string): string {
	const word = text.trim().toUpperCase();
	return { '€': 'EUR', '£': 'GBP', '₹': 'INR', ZŁ: 'PLN', 'KR.': 'KR' }[word] ?? word;
}

/** Signs of several currencies, with those that tests use. */
const SHARED: Record<string, string[]> = { $: ['USD', 'CAD'], '¥': ['JPY', 'CNY'], KR: ['SEK', 'NOK'] };

/** The one currency that all mean, blank where none is named; undefined where they contradict each other. */
function agreed(said: string[]): string | undefined {
	const codes = new Set(said.filter((one) => one !== '' && !SHARED[one]));
	const signs = new Set(said.filter((one) => SHARED[one]));
	if (codes.size > 1 || (codes.size === 0 && signs.size > 1)) return undefined;
	const [currency = ''] = [...codes, ...signs];
	return codes.size === 0 || [...signs].every((sign) => SHARED[sign]?.includes(currency))
		? currency
		: undefined;
}

/** A number of millionths, with the currency in its text; undefined where it can be read in two ways. */
function readAmount(text: string, currency: string): { amount: bigint; mark: string } | undefined {
	const isMark = (word: string) =>
		/^[A-Z]{3}$/.test(word) || /^\p{Sc}$/u.test(word) || ['zł', 'kr', 'kr.'].includes(word);
	const start = text.search(/[\d-]/);
	const end = text.search(/\d\D*$/) + 1;
	if (start < 0 || end === 0) return undefined;
	const marks = [text.slice(0, start), text.slice(end)]
		.map((one) => one.trim())
		.filter((one) => one !== '');
	const mark = agreed(marks.map(currencyName));
	if (!marks.every(isMark) || mark === undefined) return undefined;
	const digits = text.slice(start, end);
	const separators = [...digits].filter((one) => !/\d/.test(one));
	const value = (whole: string, part = '') => ({
		amount: BigInt(whole.replace(/\D/g, '') + part.padEnd(6, '0').slice(0, 6)),
		mark,
	});
	if (separators.length === 0) return value(digits);
	if (separators.some((one) => !['.', ',', ' ', "'", '’'].includes(one))) return undefined;
	const last = separators.at(-1) ?? '';
	const [whole = '', part = ''] = [
		digits.slice(0, digits.lastIndexOf(last)),
		digits.slice(digits.lastIndexOf(last) + 1),
	];
	const groups = (all: string) => {
		const [head = '', ...rest] = all.split(/\D/);
		return /^[1-9]\d{0,2}$/.test(head) && rest.every((one) => one.length === 3);
	};
	if (separators.length === 1) {
		const isDecimal = last === '.' || last === ',';
		if (!groups(digits)) return isDecimal ? value(whole, part) : undefined;
		if (!isDecimal) return value(digits);
		const hasThree = ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].includes(mark || currency);
		return last === '.' && hasThree ? value(whole, part) : undefined;
	}
	if (new Set(separators).size === 1) return groups(digits) ? value(digits) : undefined;
	const isClear = new Set(separators.slice(0, -1)).size === 1 && groups(whole) && /[.,]/.test(last);
	return isClear ? value(whole, part) : undefined;
}

/** An amount with its currency, which nothing may contradict. */
function money(fields: Fields, name: string, usual: string) {
	const value = fields[name];
	const own = currencyName(first(fields, 'currency'));
	const inside = isFields(value) ? currencyName(first(value, 'currency')) : '';
	const beside = currencyName(plain(fields[`${name}_currency`]));
	const read = readAmount(plain(value), inside || beside || own || usual);
	if (!read) return undefined;
	const said = agreed([own, inside, beside, read.mark]);
	if (said === undefined) return undefined;
	return { amount: read.amount, currency: agreed([said, usual]) ?? said };
}

function candidate(fields: unknown, usual: string): Candidate | undefined {
	if (!isFields(fields)) return undefined;
	const price = fieldsOf(fields, 'price')
		.map((name) => money(fields, name, usual))
		.find((one) => one !== undefined && one.amount > 0n);
	if (!price) return undefined;
	const beside = (meaning: Meaning) => {
		const name = fieldsOf(fields, meaning).find((one) => plain(fields[one]) !== '');
		const read = name === undefined ? undefined : money(fields, name, price.currency);
		if (!read || (read.currency === '') !== (price.currency === '')) return undefined;
		return agreed([read.currency, price.currency]) === undefined ? undefined : read.amount;
	};
	const stated = beside('total');
	const shipping = beside('shipping');
	const summed = shipping !== undefined && shipping >= 0n ? price.amount + shipping : undefined;
	const total = stated !== undefined && stated >= price.amount ? stated : summed;
	return { fields, price: price.amount, total, currency: price.currency };
}

const domain = (shop: string) => {
	const [, host = ''] = /^(?:https?:\/\/)?([^/]*)/.exec(shop.toLowerCase()) ?? [];
	return host.includes('.') && !host.includes(' ') ? host.replace('www.', '') : shop.toLowerCase();
};

const joined = (text: string) =>
	text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean)
		.join(' ');

/** What a word stands for, of those in tests: "new" only alone, the others as the first word. */
function kind(text: string): string {
	const words = joined(text);
	if (['new', 'brand new', 'neu'].includes(words)) return 'new';
	const [word = ''] = words.split(' ');
	if (['used', 'gebraucht'].includes(word)) return 'used';
	return ['refurbished', 'generalüberholt', 'renewed'].includes(word) ? 'refurbished' : '';
}

function counts({ fields, currency }: Candidate, options: NaiveOptions, jobCondition: unknown): boolean {
	if (options.currency !== undefined && currency !== options.currency.toUpperCase()) return false;
	const texts = fieldsOf(fields, 'condition').map((name) => plain(fields[name]));
	const itsKind = texts.map(kind).find(Boolean) ?? '';
	const names = [...texts.map(joined), itsKind].filter(Boolean);
	const asked = plain(jobCondition);
	if (options.conditions !== undefined && options.conditions.length > 0) {
		const isAny = options.conditions.includes('any');
		if (!isAny && !options.conditions.some((wanted) => names.includes(joined(wanted)))) return false;
	} else if (asked !== '') {
		if (kind(asked) && itsKind && itsKind !== kind(asked)) return false;
	} else if (itsKind !== 'new' && names.length > 0) {
		return false;
	}
	const shops = [...fieldsOf(fields, 'shop'), ...fieldsOf(fields, 'shopUrl')];
	const known = shops.map((name) => domain(plain(fields[name]))).filter(Boolean);
	return !options.ignoreShops.some((shop) => known.includes(domain(shop)));
}

const OF_TOPIC: Record<string, Meaning> = {
	...{ search: 'hits', product_and_offers: 'offers', reviews: 'reviews', bestsellers: 'ranks' },
};

function candidates(content: unknown, topic: string): Candidate[] {
	const root: Fields = isFields(content) ? content : {};
	const products = fieldsOf(root, 'product').map((name) => root[name]);
	const holders = [root, ...products.filter(isFields)];
	const currencyOf = (holder: Fields) => {
		const price = fieldsOf(holder, 'price')
			.map((name) => holder[name])
			.find((one) => plain(one) !== '' || (isFields(one) && first(one, 'currency') !== ''));
		return currencyName(first(holder, 'currency') || (isFields(price) ? first(price, 'currency') : ''));
	};
	const usual = holders.map(currencyOf).findLast((one) => one !== '') ?? '';
	const meanings = [OF_TOPIC[topic] ?? 'offers', 'offers', 'hits', 'ranks'] as Meaning[];
	const named = meanings.flatMap((meaning) =>
		holders.flatMap((holder) => fieldsOf(holder, meaning).map((name) => holder[name])),
	);
	let listed: Candidate[] = [];
	for (const list of Array.isArray(content) ? [content] : named) {
		if (listed.length > 0 || !Array.isArray(list)) continue;
		listed = list.map((entry) => candidate(entry, usual)).filter((one) => one !== undefined);
	}
	for (const holder of holders) {
		const url = isFields(holder.buybox) ? (holder.buybox.url ?? (first(holder, 'url') || null)) : null;
		const box = isFields(holder.buybox) ? candidate({ ...holder.buybox, url }, usual) : undefined;
		const isListed = listed.some(
			({ fields, price, currency }) =>
				box !== undefined &&
				price === box.price &&
				agreed([currency, box.currency]) !== undefined &&
				(!first(box.fields, 'shop') ||
					first(fields, 'shop').toLowerCase() === first(box.fields, 'shop').toLowerCase()),
		);
		if (box && !isListed) listed = [...listed, box];
	}
	if (listed.length > 0) return listed;
	return holders
		.map((holder) => candidate(holder, usual))
		.filter((one) => one !== undefined)
		.slice(0, 1);
}

const number = (amount: bigint | undefined) => (amount === undefined ? null : Number(amount) / 1e6);

/** The columns for a content, by the rule's text. */
export function naiveBestPrice(
	content: unknown,
	options: NaiveOptions,
	{ topic, condition }: { topic: string; condition?: unknown },
): Fields {
	const all = candidates(content, topic).filter((one) => counts(one, options, condition));
	const columns = ['price', 'total', 'currency', 'shop', 'condition', 'availability', 'url'];
	const none = columns.map((name) => [`best_${name}`, null]);
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
		best_shop: first(best.fields, 'shop') || null,
		best_condition: first(best.fields, 'condition') || null,
		best_availability: first(best.fields, 'availability') || null,
		best_url: first(best.fields, 'url') || null,
		priced_offers: all.length,
	};
}
