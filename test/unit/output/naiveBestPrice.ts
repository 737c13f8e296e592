/**
 * The rule of `docs/best-price.md` once more, written from its text alone and as plainly as can be: every reading of a
 * number is tried, amounts are whole millionths, and the best offer is what is left when all that something beats are
 * struck out. It shares no code with the package.
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

const MILLION = 1_000_000n;
const isFields = (value: unknown): value is Fields =>
	value !== null && typeof value === 'object' && !Array.isArray(value);

/** Every number that a text can be read as, in millionths. */
function readings(text: string): bigint[] {
	const found = new Set<bigint>();
	for (const group of ['', '.', ',', ' ', '\u00a0', '\u202f', "'", '’']) {
		for (const mark of ['.', ',']) {
			if (group === mark) continue;
			const parts = text.split(mark);
			if (parts.length > 2) continue;
			const [whole = '', fraction] = parts;
			if (fraction !== undefined && !/^\d{1,6}$/.test(fraction)) continue;
			const groups = group === '' ? [whole] : whole.split(group);
			if (!groups.every((one) => /^\d+$/.test(one))) continue;
			if (groups.length > 1) {
				const [first = '', ...rest] = groups;
				if (first.startsWith('0') || first.length > 3 || rest.some((one) => one.length !== 3))
					continue;
			}
			found.add(BigInt(groups.join('')) * MILLION + BigInt((fraction ?? '').padEnd(6, '0') || '0'));
		}
	}
	return [...found];
}

function currencyName(value: unknown): string {
	const name = typeof value === 'string' ? value.trim().toUpperCase() : '';
	return name === '€' ? 'EUR' : name === '£' ? 'GBP' : name;
}

/** One amount in millionths and the currency in its text. */
function money(value: unknown, currency: string): { amount: bigint; currency: string } | undefined {
	if (typeof value === 'number') {
		return Number.isFinite(value) ? { amount: BigInt(Math.round(value * 1e6)), currency: '' } : undefined;
	}
	if (typeof value !== 'string') return undefined;
	const words = value.trim().match(/[A-Z]{3}|[€£$]|[^A-Z€£$]+/g) ?? [];
	const numbers = words.map((word) => word.trim()).filter((word) => /^[\d., \u00a0\u202f'’]+$/.test(word));
	const names = words.filter((word) => /^([A-Z]{3}|[€£$])$/.test(word));
	if (numbers.length !== 1 || numbers.length + names.length !== words.filter((word) => word.trim()).length)
		return undefined;
	const named = [...new Set(names.filter((name) => name !== '$').map(currencyName))];
	if (named.length > 1) return undefined;
	const text = numbers[0] ?? '';
	const all = readings(text);
	const isKuwaiti = (named[0] ?? currency) === 'KWD';
	if (all.length === 2 && isKuwaiti && text.includes('.')) {
		return { amount: all[0]! < all[1]! ? all[0]! : all[1]!, currency: named[0] ?? '' };
	}
	return all.length === 1 ? { amount: all[0]!, currency: named[0] ?? '' } : undefined;
}

function fieldMoney(
	fields: Fields,
	name: string,
	usual: string,
): { amount: bigint; currency: string } | undefined {
	const own = currencyName(fields.currency);
	const beside = currencyName(fields[`${name}_currency`]);
	const read = money(fields[name], beside || own || usual);
	if (!read) return undefined;
	const said = [own, beside, read.currency].filter((one) => one !== '');
	if (said.some((one) => one !== said[0])) return undefined;
	return { amount: read.amount, currency: said[0] ?? usual };
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
const NEW = ['new', 'neu'];
const kind = (value: unknown): string => {
	const words = plain(value)
		.split(/[^\p{L}]+/u)
		.filter(Boolean);
	if (words.length === 1 && NEW.includes(words[0] ?? '')) return 'new';
	if (words[0] === 'used') return 'used';
	return words[0] === 'refurbished' || words[0] === 'generalüberholt' ? 'refurbished' : '';
};
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
	const nothing = {
		best_price: null,
		best_total: null,
		best_currency: null,
		best_shop: null,
		best_condition: null,
		best_url: null,
		priced_offers: all.length,
	};
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
