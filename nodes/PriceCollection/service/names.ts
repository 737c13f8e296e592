import type { IDataObject } from 'n8n-workflow';

import { bareName, isFilled, isObject, isTextOrNumber } from './types';

/** Splits a text into names: easier to read than a list of literals. */
export const words = (text: string) => text.split(' ');

/** Whether two lists contain the same names in the same order. */
export function isSameNames(left: readonly string[], right: readonly string[]): boolean {
	return left.length === right.length && left.every((name, index) => name === right[index]);
}

/** Meanings whose only name is the meaning itself. */
function selfNamed<T extends string>(...names: T[]): Readonly<Record<T, readonly [string]>> {
	const table = {} as Record<T, readonly [string]>;
	for (const name of names) table[name] = [name];
	return table;
}

/**
 * The field names for each meaning in a result's content, in the order in which they are tried: first the names from the
 * service's document and from recordings, then those of the vocabularies that shops publish in, schema.org and Google's
 * product data. A dot leads into an object.
 */
export const CONTENT_NAMES = {
	/** The name of a product, an offer, a hit, a rank or a review. */
	name: words('name title product_name'),
	/** `sale_price` comes first: if there is a `price` too, the buyer pays `sale_price`. */
	price: words('sale_price price min_price low_price'),
	total: words('price_with_shipping total_price total'),
	shipping: words('shipping_costs shipping_cost shipping_price shipping shipping_details.shipping_rate'),
	currency: words('currency currency_code price_currency'),
	condition: words('condition_code condition_text condition item_condition'),
	shop: words('shop_name shop seller merchant store vendor retailer shop_domain shop_id'),
	/** Every field by which a user can exclude a shop. */
	anyShop: words('shop_name shop seller merchant store vendor retailer shop_domain shop_id shop_url'),
	availability: words('availability_text availability stock in_stock delivery_info'),
	url: words('url link'),
	author: words('author_name author user'),
	date: words('created_at date published_at date_published'),
	rating: words('rating stars score review_rating.rating_value'),
	text: words('text review_body body'),
	rank: ['rank'],
	/** The lists in a content. */
	offers: ['offers'],
	hits: words('search_results hits'),
	reviews: ['reviews'],
	ranks: words('bestsellers ranks'),
	/** Generic names of a list, for topics with only one kind of list. */
	entries: words('items entries'),
	/** The offer that a marketplace features beside its list of offers. */
	buybox: ['buybox'],
	/** Objects around the lists. */
	product: words('product item'),
	/** In an object instead of a plain value: the field with the amount, the text, or the currency code. */
	amount: words('amount value cost price text'),
	label: words('name text label title code'),
	code: words('code name text label title'),
	/** Fields showing that an object's amount is not in the currency's main unit. */
	scale: words('divisor precision scale exponent units nanos cent_amount'),
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ContentMeaning = keyof typeof CONTENT_NAMES;

/** The lists that a content can have, by meaning, and whether their entries have prices. */
const HAS_PRICES = { offers: true, hits: true, reviews: false, ranks: true } as const satisfies Readonly<
	Partial<Record<ContentMeaning, boolean>>
>;

export type ListMeaning = keyof typeof HAS_PRICES;

export const LISTS = Object.keys(HAS_PRICES) as ListMeaning[];
export const PRICED_LISTS = LISTS.filter((meaning) => HAS_PRICES[meaning]);

/**
 * The field names for each meaning in a reply, in the order in which they are tried. Here and in `CONTENT_NAMES`, a name
 * matches in any case and with `_`, with `-` or in camelCase. Fields with other names are passed on unchanged.
 */
export const REPLY_NAMES = {
	/** In a result, as documented. */
	...selfNamed('query', 'success', 'metadata', 'content'),
	fromCache: ['from_cache'],
	updatedAt: ['updated_at'],
	/** In a job. An `id` is not always the job's: see `jobIn` in `meaning/schemas.ts`. */
	jobId: ['job_id'],
	...selfNamed('id', 'results'),
	status: words('status state'),
	jobs: words('jobs data results items'),
	/** Beside a list of jobs: what to send for the next page (null on the last one), and whether there is a next page. */
	cursor: words('next_cursor cursor'),
	hasMore: ['has_more'],
	jobCount: ['total'],
	reason: words('reason error message errors detail comment failure'),
	error: words('error errors'),
	/** Objects around the data in a reply. */
	envelope: words('job data result response'),
	/** Objects beside the data that report the outcome of the request, and the status code in them. */
	head: words('meta head status'),
	code: words('code status'),
	/** The parameters of the request, in a query or a job. */
	...selfNamed('topic', 'source', 'country', 'key', 'value', 'values'),
	/** In an object instead of a plain value: the field with the text or number. */
	plain: words('amount value cost price name text'),
	/** In the reply to a creation: the credits booked or reserved. */
	booked: words('credits_reserved credits_booked'),
	/** In the reply to a creation: the parameters that the service ignored. */
	ignored: ['ignored_parameters'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Meaning = keyof typeof REPLY_NAMES;

/** An object's field names by meaning, spelled as in the object, in the table's order. */
export type Shape<M extends string> = Readonly<Record<M, readonly string[]>>;

/** Limits of the cache in {@link cachedByFields}: about 5 MB at most. Few objects have a longer key. */
const [MOST_SHAPES, LONGEST_KEY] = [500, 10_000];

/** An object's field names, grouped by bare name. */
export function spelledFields(object: object): ReadonlyMap<string, readonly string[]> {
	const spelled = new Map<string, string[]>();
	for (const field of Object.keys(object)) {
		const spellings = spelled.get(bareName(field));
		if (spellings === undefined) spelled.set(bareName(field), [field]);
		else spellings.push(field);
	}
	return spelled;
}

/**
 * Returns a cached version of `make`, whose result must depend only on the object's field names. A run has few shapes of
 * objects, and thousands of objects of each. If all objects have different fields, the cache gains nothing: a row then
 * costs about eight times as much.
 */
export function cachedByFields<T>(make: (object: object) => T): (object: object) => T {
	const cache = new Map<string, { count: number; made: T }>();
	return (object) => {
		const fields = Object.keys(object);
		const count = fields.length;
		const key = fields.join('\n');
		const entry = cache.get(key);
		// A name with a line break looks like two names in the key: hence the count. Such objects are never cached.
		if (entry?.count === count) return entry.made;
		const made = make(object);
		if (key.length > LONGEST_KEY || fields.some((name) => name.includes('\n'))) return made;
		if (cache.size >= MOST_SHAPES) cache.clear();
		cache.set(key, { count, made });
		return made;
	};
}

/** Returns a function that finds a table's meanings in an object, fast enough for thousands of objects. */
export function shapesOf<M extends string>(
	table: Readonly<Record<M, readonly string[]>>,
): (object: object) => Shape<M> {
	const names = Object.entries<readonly string[]>(table).map(
		([meaning, fieldNames]) => [meaning, fieldNames.map(bareName)] as const,
	);
	return cachedByFields((object) => {
		const spelled = spelledFields(object);
		const fields = names.map(([meaning, bareNames]) => [
			meaning,
			bareNames.flatMap((name) => spelled.get(name) ?? []),
		]);
		return Object.fromEntries(fields) as Shape<M>;
	});
}

const shapeOf = shapesOf(REPLY_NAMES);

/** The field names of an object in a content, by meaning. */
export const contentShape = shapesOf(CONTENT_NAMES);

/** The names of an object's fields with a meaning, also of empty ones, in the table's order. */
export function fieldsNamed(object: object, meaning: Meaning): readonly string[] {
	return shapeOf(object)[meaning];
}

/** All values with a meaning in these objects, also empty ones. */
export const valuesNamed = (meaning: Meaning, ...objects: IDataObject[]): unknown[] =>
	objects.flatMap((object) => fieldsNamed(object, meaning).map((name) => object[name]));

/** Whether a value contains information, at any depth. Unlike in {@link isFilled}, `false` does, as in `in_stock`. */
export function isGiven(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).some(isGiven);
	return value === false || isFilled(value);
}

/** Returns a function that reads an object by meaning: the first value that is not empty, or undefined. */
export function reading(object: IDataObject): (meaning: Meaning) => unknown {
	const shape = shapeOf(object);
	return (meaning) => {
		for (const field of shape[meaning]) if (isGiven(object[field])) return object[field];
		return undefined;
	};
}

/** The first value with a meaning that is not empty; undefined if there is none. */
export const fieldOf = (object: IDataObject, meaning: Meaning) => reading(object)(meaning);

/** A text or number, or the first one under a known name in an object; undefined for anything else. */
export function plainOf(value: unknown): string | number | undefined {
	if (isTextOrNumber(value)) return value;
	if (!isObject(value)) return undefined;
	for (const field of shapeOf(value).plain) {
		const inner: unknown = value[field];
		if (isTextOrNumber(inner) && isFilled(inner)) return inner;
	}
	return undefined;
}

/** The first text or number with a meaning, also inside an object; undefined if there is none. */
export function plainField(object: IDataObject, meaning: Meaning): string | number | undefined {
	for (const field of fieldsNamed(object, meaning)) {
		const plain = plainOf(object[field]);
		if (plain !== undefined && isFilled(plain)) return plain;
	}
	return undefined;
}

/** The objects in a reply that may hold its data: the known envelopes, innermost first, then the root. */
export function partsOf(value: unknown, levels = 2): IDataObject[] {
	if (!isObject(value)) return [];
	const names = levels === 0 ? [] : fieldsNamed(value, 'envelope');
	return [...names.flatMap((name) => partsOf(value[name], levels - 1)), value];
}
