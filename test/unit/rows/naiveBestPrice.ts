/**
 * The rule of `docs/prices.md` a second time, written from its text and the contract's table of names, as plainly as
 * possible and without any code of the package. Amounts are whole millionths, and the best offer is the one left after
 * striking out all that another one beats.
 */

type Fields = Record<string, unknown>;

/** A field holds a text, nothing (undefined), or something unreadable, which is never the same as nothing. */
const UNREADABLE = Symbol('unreadable');
type Said = string | typeof UNREADABLE | undefined;

interface NaiveOptions {
	conditions?: readonly string[];
	currency?: string;
	ignoreShops: readonly string[];
	includeShipping: boolean;
}

interface About {
	topic: string;
	condition?: unknown;
}

interface Money {
	amount: bigint;
	currency: string | typeof UNREADABLE;
}

interface Offer {
	fields: Fields;
	price: bigint;
	total: bigint | undefined;
	hasUnreadableTotal: boolean;
	currency: string | typeof UNREADABLE;
}

/** The contract's table, as far as a best price needs it. */
export const NAMES_OF = {
	price: ['sale_price', 'price', 'min_price', 'low_price'],
	total: ['price_with_shipping', 'total_price', 'total'],
	shipping: ['shipping_costs', 'shipping_cost', 'shipping_price', 'shipping'],
	shippingDetails: ['shipping_details'],
	shippingRate: ['shipping_rate'],
	currency: ['currency', 'currency_code', 'price_currency'],
	condition: ['condition_code', 'condition_text', 'condition', 'item_condition'],
	shop: 'shop_name shop seller merchant store vendor retailer shop_domain shop_id'.split(' '),
	shopUrl: ['shop_url'],
	availability: ['availability_text', 'availability', 'stock', 'in_stock', 'delivery_info'],
	url: ['url', 'link'],
	name: ['name', 'title', 'product_name'],
	review: ['rating', 'stars', 'score', 'text', 'review_body', 'body', 'author', 'date', 'rank'],
	offers: ['offers'],
	hits: ['search_results', 'hits'],
	ranks: ['bestsellers', 'ranks'],
	reviews: ['reviews'],
	anyList: ['items', 'entries'],
	buybox: ['buybox'],
	product: ['product', 'item'],
	amount: ['amount', 'value', 'cost', 'price', 'text'],
	scale: ['divisor', 'precision', 'scale', 'exponent', 'units', 'nanos', 'cent_amount'],
	label: ['name', 'text', 'label', 'title', 'code'],
	code: ['code', 'name', 'text', 'label', 'title'],
};
export type Meaning = keyof typeof NAMES_OF;

const isFields = (value: unknown): value is Fields =>
	value !== null && typeof value === 'object' && !Array.isArray(value);
const letters = (name: string) =>
	[...name.toLowerCase()].filter((one) => one !== '_' && one !== '-').join('');

function fieldsOf(fields: Fields, meaning: Meaning): string[] {
	const own = Object.keys(fields);
	return NAMES_OF[meaning].flatMap((name) => own.filter((one) => letters(one) === letters(name)));
}

/** Whether a value is empty at any depth. False and 0 are not. */
function isNothing(value: unknown): boolean {
	if (value === null || value === undefined) return true;
	if (typeof value === 'string') return ['', 'null'].includes(value.trim());
	return typeof value === 'object' && Object.values(value).every(isNothing);
}

/** The only filled entry of a list; anything else as it is. */
function only(value: unknown): unknown {
	const filled: unknown[] = Array.isArray(value) ? value.filter((one) => !isNothing(one)) : [];
	return filled.length === 1 ? filled[0] : value;
}

/** What a value says; for an object, its first filled field that may be meant. */
function said(value: unknown, meant: 'amount' | 'label' | 'code'): Said {
	if (isNothing(value)) return undefined;
	const one = only(value);
	if (typeof one === 'string' || typeof one === 'number') return String(one);
	if (!isFields(one)) return UNREADABLE;
	if (meant === 'amount' && fieldsOf(one, 'scale').length > 0) return UNREADABLE;
	const inner = fieldsOf(one, meant).map((name) => one[name]);
	const first = inner.find((field) => !isNothing(field));
	if (typeof first === 'string' || typeof first === 'number') return String(first);
	const rest = Object.keys(one).filter((name) => !fieldsOf(one, 'currency').includes(name));
	const isEmptyMoney = meant === 'amount' && rest.every((name) => isNothing(one[name]));
	return isEmptyMoney ? undefined : UNREADABLE;
}

/** What the filled fields of a meaning say. */
const saidOf = (fields: Fields, meaning: Meaning, meant: 'label' | 'code' = 'label') =>
	fieldsOf(fields, meaning)
		.map((name) => said(fields[name], meant))
		.filter((one) => one !== undefined);

/** The first readable text of a meaning, or null. */
const text = (fields: Fields, meaning: Meaning) =>
	saidOf(fields, meaning).find((one) => typeof one === 'string') ?? null;

function currencyName(word: string): string {
	const name = word.trim().toUpperCase();
	return { '€': 'EUR', EURO: 'EUR', '£': 'GBP', '₹': 'INR', ZŁ: 'PLN', 'KR.': 'KR' }[name] ?? name;
}

/** The currencies that an object names. ISO's numbers cannot be read. */
const currenciesOf = (fields: Fields) =>
	saidOf(fields, 'currency', 'code').map((word) =>
		word === UNREADABLE || /^\d+$/.test(word) ? UNREADABLE : currencyName(word),
	);

/** Codes that tests use, and signs of several currencies. */
const CODES = ['EUR', 'USD', 'CAD', 'SEK', 'NOK', 'PLN', 'KWD', 'GBP', 'INR', 'JPY', 'CNY', 'TRY'];
const SHARED: Record<string, string[]> = { $: ['USD', 'CAD'], '¥': ['JPY', 'CNY'], KR: ['SEK', 'NOK'] };

/** The one currency that all words mean; blank if none is named, undefined if they contradict each other. */
function agreed(words: string[]): string | undefined {
	const codes = new Set(words.filter((one) => one !== '' && !SHARED[one]));
	const signs = new Set(words.filter((one) => SHARED[one]));
	if (codes.size > 1 || (codes.size === 0 && signs.size > 1)) return undefined;
	const [currency = ''] = [...codes, ...signs];
	return codes.size === 0 || [...signs].every((sign) => SHARED[sign]?.includes(currency))
		? currency
		: undefined;
}

/** An amount in millionths, with the currency in its text; undefined if it can be read in two ways. */
function readAmount(amount: string, currency: string): { amount: bigint; mark: string } | undefined {
	const start = amount.search(/[\d-]/);
	const end = amount.search(/\d\D*$/) + 1;
	if (start < 0 || end === 0) return undefined;
	const marks = [amount.slice(0, start), amount.slice(end)]
		.map((one) => currencyName(one))
		.filter((one) => one !== '');
	const mark = agreed(marks);
	if (!marks.every((one) => CODES.includes(one) || SHARED[one]) || mark === undefined) return undefined;
	const sign = amount[start] === '-' ? -1n : 1n;
	const digits = amount.slice(sign < 0n ? start + 1 : start, end);
	const separators = [...digits].filter((one) => !/\d/.test(one));
	if (digits.length - separators.length > 15) return undefined;
	const value = (whole: string, part = '') => ({
		amount: sign * BigInt(whole.replace(/\D/g, '') + part.padEnd(6, '0').slice(0, 6)),
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
		return last === '.' && (mark || currency) === 'KWD' ? value(whole, part) : undefined;
	}
	if (new Set(separators).size === 1) return groups(digits) ? value(digits) : undefined;
	const isClear = new Set(separators.slice(0, -1)).size === 1 && groups(whole) && /[.,]/.test(last);
	return isClear ? value(whole, part) : undefined;
}

/** An amount with its currency. Nothing may contradict the currency. */
function money(value: unknown, fields: Fields, usual: string): Money | typeof UNREADABLE | undefined {
	const amount = said(value, 'amount');
	if (amount === undefined || amount === UNREADABLE) return amount;
	const one = only(value);
	const named = [...(isFields(one) ? currenciesOf(one) : []), ...currenciesOf(fields)];
	const words = named.filter((word) => word !== UNREADABLE);
	const read = readAmount(amount, words[0] ?? usual);
	if (!read) return UNREADABLE;
	if (words.length < named.length) return { amount: read.amount, currency: UNREADABLE };
	const currency = agreed([...words, read.mark]);
	if (currency === undefined) return UNREADABLE;
	return { amount: read.amount, currency: agreed([currency, usual]) ?? currency };
}

/** The first filled price. 0 does not count, and a price below 0 is unreadable. */
function priceOf(fields: Fields, usual: string): Money | typeof UNREADABLE | undefined {
	const price = fieldsOf(fields, 'price')
		.map((name) => money(fields[name], fields, usual))
		.find((one) => one !== undefined && (one === UNREADABLE || one.amount !== 0n));
	return typeof price === 'object' && price.amount < 0n ? UNREADABLE : price;
}

const FREE = ['free', 'gratis', 'kostenlos'];

/** What an offer's first filled field for shipping or the total says, in the currency of its price. */
function besidePrice(
	values: unknown[],
	fields: Fields,
	price: Money,
): bigint | typeof UNREADABLE | undefined {
	const value = values.find((one) => !isNothing(one));
	const usual = price.currency === UNREADABLE ? '' : price.currency;
	const read = money(value, fields, usual);
	if (read === undefined || read === UNREADABLE) return read;
	if (read.currency === UNREADABLE || (read.currency === '') !== (usual === '')) return UNREADABLE;
	return agreed([read.currency, usual]) === undefined ? UNREADABLE : read.amount;
}

function shippingOf(fields: Fields, price: Money): bigint | typeof UNREADABLE | undefined {
	const values = fieldsOf(fields, 'shipping').map((name) => fields[name]);
	for (const name of fieldsOf(fields, 'shippingDetails')) {
		const details = fields[name];
		if (!isFields(details)) continue;
		values.push(...fieldsOf(details, 'shippingRate').map((rate) => details[rate]));
	}
	const word = said(
		values.find((one) => !isNothing(one)),
		'amount',
	);
	if (typeof word === 'string' && FREE.includes(word.trim().toLowerCase())) return 0n;
	const costs = besidePrice(values, fields, price);
	return typeof costs === 'bigint' && costs < 0n ? UNREADABLE : costs;
}

/** The stated total, unless it is below the price and so counts something else; otherwise the sum. */
function totalOf(fields: Fields, price: Money): bigint | typeof UNREADABLE | undefined {
	const values = fieldsOf(fields, 'total').map((name) => fields[name]);
	const stated = besidePrice(values, fields, price);
	if (stated === UNREADABLE || (stated !== undefined && stated >= price.amount)) return stated;
	const shipping = shippingOf(fields, price);
	return typeof shipping === 'bigint' ? price.amount + shipping : shipping;
}

const domain = (shop: string) => {
	const [, host = ''] = /^(?:https?:\/\/)?([^/]*)/.exec(shop.toLowerCase()) ?? [];
	return host.includes('.') && !host.includes(' ') ? host.replace('www.', '') : shop.toLowerCase();
};

const joined = (words: string) =>
	words
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean)
		.join(' ');

/** The condition that a word in the tests means: "new" only alone, the others as the first word. */
function kind(label: string): string {
	const words = joined(label.replace(/^https:\/\/schema\.org\/(\w+)Condition$/, '$1'));
	if (['new', 'brand new', 'neu'].includes(words)) return 'new';
	const [word = ''] = words.split(' ');
	if (['used', 'gebraucht'].includes(word)) return 'used';
	return ['refurbished', 'generalüberholt', 'renewed'].includes(word) ? 'refurbished' : '';
}

function hasCondition(fields: Fields, chosen: readonly string[], jobCondition: unknown): boolean {
	const conditions = saidOf(fields, 'condition');
	const texts = conditions.filter(
		(one) => typeof one === 'string' && joined(one) !== 'unknown',
	) as string[];
	const itsKind = texts.map(kind).find(Boolean) ?? '';
	const isUnreadable = itsKind === '' && conditions.includes(UNREADABLE);
	const names = [...texts.map(joined), itsKind].filter(Boolean);
	if (chosen.length > 0) {
		return chosen.includes('any') || chosen.some((wanted) => names.includes(joined(wanted)));
	}
	const asked = said(jobCondition, 'label');
	if (typeof asked !== 'string') {
		return !isUnreadable && (itsKind === 'new' || names.length === 0);
	}
	if (kind(asked) === '') return true;
	// An unreadable condition is not new, but may be anything else.
	return itsKind === '' ? !(isUnreadable && kind(asked) === 'new') : itsKind === kind(asked);
}

/** All texts and numbers in a value. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string' || typeof value === 'number') return [String(value)];
	return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

function mayBeIgnored(fields: Fields, ignored: readonly string[]): boolean {
	if (ignored.length === 0) return false;
	const names = [...fieldsOf(fields, 'shop'), ...fieldsOf(fields, 'shopUrl')];
	const known = names.flatMap((name) => textsIn(fields[name])).map(domain);
	if (ignored.some((shop) => known.includes(domain(shop)))) return true;
	const [shops, urls] = [saidOf(fields, 'shop'), saidOf(fields, 'shopUrl')];
	const said = shops.length > 0 ? shops : urls;
	return said.length > 0 && said.every((one) => one === UNREADABLE);
}

/** Whether this currency, or a sign that may be it, is the chosen one. */
const isCurrency = (currency: string, chosen: string) =>
	currency !== '' && agreed([currency, chosen.toUpperCase()]) !== undefined;

function counts({ fields, currency }: Offer, options: NaiveOptions, jobCondition: unknown): boolean {
	if (currency === UNREADABLE) return false;
	if (options.currency !== undefined && !isCurrency(currency, options.currency)) return false;
	if (!hasCondition(fields, options.conditions ?? [], jobCondition)) return false;
	return !mayBeIgnored(fields, options.ignoreShops);
}

const OF_TOPIC: Record<string, 'hits' | 'offers' | 'ranks' | 'reviews'> = {
	...{ search: 'hits', product_and_offers: 'offers', reviews: 'reviews', bestsellers: 'ranks' },
};

const KNOWN = Object.values(NAMES_OF).flat().map(letters);

/** Whether an entry has no known price field, but others that nothing reads: its price has another name. */
const hasPriceElsewhere = (fields: Fields) =>
	fieldsOf(fields, 'price').length === 0 &&
	Object.entries(fields).some(
		([name, value]) => !name.startsWith('@') && !KNOWN.includes(letters(name)) && !isNothing(value),
	);

const isListOfFields = (value: unknown) => Array.isArray(value) && value.some(isFields);

/**
 * The entries of a list, of one object in its place, of the list of the same name in such an object, or of an XML list
 * that does not declare itself.
 */
function entriesOf(value: unknown, name: string): unknown[] {
	if (Array.isArray(value)) return value;
	if (!isFields(value)) return [];
	const [[inner = '', held] = [], ...more] = Object.entries(value);
	const isWrapper = more.length === 0 && `${letters(inner)}s` === letters(name);
	if (isWrapper && (isFields(held) || Array.isArray(held))) return [held].flat();
	const same = Object.keys(value).find((one) => letters(one) === letters(name));
	if (same !== undefined) return entriesOf(value[same], same);
	const isGroups = fieldsOf(value, 'price').length === 0 && Object.values(value).some(isListOfFields);
	return isGroups ? [] : [value];
}

/** The entries that are searched for prices, as they came. */
interface Found {
	entries: Fields[];
	offers: Offer[];
	unreadable: Fields[];
}

function find(content: unknown, topic: string): Found {
	const root: Fields = isFields(content) ? content : {};
	const products = fieldsOf(root, 'product').map((name) => root[name]);
	const holders = [root, ...products.filter(isFields)];
	const currencyAround = (holder: Fields) => {
		const price = fieldsOf(holder, 'price')
			.map((name) => only(holder[name]))
			.find((one) => !isNothing(one));
		return [...currenciesOf(holder), ...(isFields(price) ? currenciesOf(price) : [])][0];
	};
	const around = holders.map(currencyAround).findLast((one) => one !== undefined) ?? '';
	const usual = around === UNREADABLE ? '' : around;
	const found: Found = { entries: [], offers: [], unreadable: [] };

	const offerOf = (fields: Fields): Offer | undefined => {
		const price = priceOf(fields, usual);
		if (price === UNREADABLE) found.unreadable.push(fields);
		if (price === undefined || price === UNREADABLE) return undefined;
		const currency = price.currency === '' ? around : price.currency;
		const total = totalOf(fields, price);
		const hasUnreadableTotal = total === UNREADABLE;
		const known = total === UNREADABLE ? undefined : total;
		return { fields, price: price.amount, total: known, hasUnreadableTotal, currency };
	};
	const saysSame = (one: Offer, other: Offer, meaning: Meaning) => {
		if (saidOf(one.fields, meaning).length === 0) return true;
		const words = text(one.fields, meaning)?.toLowerCase();
		return words !== undefined && words === text(other.fields, meaning)?.toLowerCase();
	};
	const isSame = (one: Offer, other: Offer) =>
		one.price === other.price &&
		one.currency !== UNREADABLE &&
		other.currency !== UNREADABLE &&
		!one.hasUnreadableTotal &&
		!other.hasUnreadableTotal &&
		agreed([one.currency, other.currency]) !== undefined &&
		(one.total === undefined || other.total === undefined || one.total === other.total) &&
		saysSame(one, other, 'shop') &&
		saysSame(one, other, 'condition');
	const take = (entries: unknown[], areRepeats = false) => {
		for (const entry of entries.filter(isFields)) {
			found.entries.push(entry);
			const offer = offerOf(entry);
			if (offer === undefined) continue;
			if (!areRepeats || !found.offers.some((one) => isSame(offer, one))) found.offers.push(offer);
		}
	};
	const isOpen = () => found.offers.length + found.unreadable.length === 0;

	if (Array.isArray(content)) take(content);
	/** The values in the place of lists, with their names. */
	const inPlace: Array<[string, unknown]> = [];
	const own = OF_TOPIC[topic];
	for (const meaning of new Set([own ?? 'offers', 'offers', 'hits', 'ranks'] as const)) {
		for (const holder of holders) {
			const names = fieldsOf(holder, meaning);
			if (meaning === own) names.push(...fieldsOf(holder, 'anyList'));
			for (const name of names) {
				inPlace.push([name, holder[name]]);
				if (isOpen()) take(entriesOf(holder[name], name));
			}
		}
	}
	for (const holder of holders) {
		for (const name of fieldsOf(holder, 'buybox')) {
			const boxes = entriesOf(holder[name], name).filter(isFields);
			take(
				boxes.map((box) => ({ ...box, url: text(box, 'url') ?? text(holder, 'url') })),
				true,
			);
		}
	}
	const isList = ([name, value]: [string, unknown]): boolean => {
		if (value === null || Array.isArray(value)) return true;
		if (!isFields(value)) return false;
		const same = Object.keys(value).find((one) => letters(one) === letters(name));
		if (same !== undefined && isList([same, value[same]])) return true;
		return isNothing(value) || entriesOf(value, name).length > 0;
	};
	// Filled, but not readable as a list: offers in groups.
	const isUnread = !inPlace.some(isList) && inPlace.some(([, value]) => !isNothing(value));
	const isOwnPrice = isOpen() && !isUnread && !found.entries.some(hasPriceElsewhere);
	for (const holder of isOwnPrice ? holders : []) if (isOpen()) take([holder]);
	return found;
}

/** Whether a price among the offers cannot be read. */
export const hasUnreadablePrice = (content: unknown, { topic }: About) =>
	find(content, topic).unreadable.length > 0;

/** The best of the offers that count, in the currency of most of them. */
function bestOf(all: Offer[], options: NaiveOptions): Offer | undefined {
	const chosen = options.currency?.toUpperCase();
	const among = all
		.map((one) => (chosen === undefined ? one : { ...one, currency: chosen }))
		.filter(({ currency }, _, offers) => currency !== '' || offers.every((one) => one.currency === ''));
	const size = (currency: Offer['currency']) => among.filter((one) => one.currency === currency).length;
	const largest = [...new Set(among.map(({ currency }) => currency))].filter((currency) =>
		among.every((one) => size(one.currency) <= size(currency)),
	);
	if (largest.length !== 1) return undefined;
	const group = among.filter(({ currency }) => currency === largest[0]);
	const cost = ({ price, total }: Offer) => (options.includeShipping ? (total ?? price) : price);
	const isBeaten = (one: Offer) =>
		group.some((other) => {
			if (cost(other) !== cost(one)) return cost(other) < cost(one);
			if (options.includeShipping && (other.total === undefined) !== (one.total === undefined)) {
				return one.total === undefined;
			}
			return group.indexOf(other) < group.indexOf(one);
		});
	return group.find((one) => !isBeaten(one));
}

const counting = (content: unknown, options: NaiveOptions, { topic, condition }: About) =>
	find(content, topic).offers.filter((one) => counts(one, options, condition));

const number = (amount: bigint | undefined) => (amount === undefined ? null : Number(amount) / 1e6);

/** The columns for a content, by the rule's text. */
export function naiveBestPrice(content: unknown, options: NaiveOptions, about: About): Fields {
	const all = counting(content, options, about);
	const best = bestOf(all, options);
	const { fields = {} } = best ?? {};
	const available = fieldsOf(fields, 'availability')
		.map((name) => fields[name])
		.map((value) => (typeof value === 'boolean' ? String(value) : said(value, 'label')))
		.find((one) => typeof one === 'string');
	return {
		best_price: number(best?.price),
		best_total: number(best?.total),
		best_currency: best?.currency || null,
		best_shop: text(fields, 'shop'),
		best_condition: text(fields, 'condition'),
		best_availability: available ?? null,
		best_url: text(fields, 'url'),
		priced_offers: all.length,
	};
}

/** The best offer's columns that are null because their filled fields cannot be read. */
export function unreadOfBest(content: unknown, options: NaiveOptions, about: About): string[] {
	const best = bestOf(counting(content, options, about), options);
	if (best === undefined) return [];
	const unread = (['shop', 'condition'] as const).filter(
		(part) => text(best.fields, part) === null && saidOf(best.fields, part).includes(UNREADABLE),
	);
	return best.hasUnreadableTotal ? [...unread, 'shipping|total'] : unread;
}
