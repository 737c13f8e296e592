import type { IDataObject } from 'n8n-workflow';

import { bareName, isFilled, isObject, isTextOrNumber } from './types';

/** Splits a text into names, which is easier to read than a list of literals. */
export const words = (text: string) => text.split(' ');

/** Whether two lists have the same names in the same order. */
export function isSameNames(one: readonly string[], other: readonly string[]): boolean {
	return one.length === other.length && one.every((name, index) => name === other[index]);
}

/** Meanings that have just their own name. */
function alone<T extends string>(...names: T[]): Readonly<Record<T, readonly [string]>> {
	const table = {} as Record<T, readonly [string]>;
	for (const name of names) table[name] = [name];
	return table;
}

/**
 * Under which names the meanings of a content are read, in this order: the names of the document and of recordings, then
 * those of the vocabularies in which shops publish, schema.org and Google's product data. A dot leads into an object.
 */
export const CONTENT_NAMES = {
	/** Of a product, an offer, a hit, a rank or a review. */
	name: words('name title product_name'),
	/** Beside a price, `sale_price` is what one pays. */
	price: words('sale_price price min_price low_price'),
	total: words('price_with_shipping total_price total'),
	shipping: words('shipping_costs shipping_cost shipping_price shipping shipping_details.shipping_rate'),
	currency: words('currency currency_code price_currency'),
	condition: words('condition_code condition_text condition item_condition'),
	shop: words('shop_name shop seller merchant store vendor retailer shop_domain shop_id'),
	/** Every name by which a user may leave a shop out. */
	anyShop: words('shop_name shop seller merchant store vendor retailer shop_domain shop_id shop_url'),
	availability: words('availability_text availability stock in_stock delivery_info'),
	url: words('url link'),
	author: words('author_name author user'),
	date: words('created_at date published_at date_published'),
	rating: words('rating stars score review_rating.rating_value'),
	text: words('text review_body body'),
	rank: ['rank'],
	/** Lists of a content, the objects around them, and the offer that a marketplace puts first beside them. */
	offers: ['offers'],
	hits: words('search_results hits'),
	reviews: ['reviews'],
	ranks: words('bestsellers ranks'),
	/** Lists of whatever a topic lists, where that is one kind. */
	entries: words('items entries'),
	buybox: ['buybox'],
	product: words('product item'),
	/** In an object that stands for an amount or for a text, and where the code of a currency stands in one. */
	amount: words('amount value cost price text'),
	label: words('name text label title code'),
	code: words('code name text label title'),
	/** In an object whose amount is not in the currency's own unit. */
	scale: words('divisor precision scale exponent units nanos cent_amount'),
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ContentMeaning = keyof typeof CONTENT_NAMES;

/**
 * Under which names the meanings of a reply are read, in this order. Each name counts in any case, with `_`, with `-` or
 * in camelCase, here and in `CONTENT_NAMES`: the two are the only table of names. Fields with other names are passed on as
 * they came.
 */
export const REPLY_NAMES = {
	/** Of a result, as the document has them. */
	...alone('query', 'success', 'metadata', 'content'),
	fromCache: ['from_cache'],
	updatedAt: ['updated_at'],
	/** Of a job; an `id` is only the job's where nothing in the reply speaks of an error. */
	jobId: ['job_id'],
	...alone('id', 'results'),
	status: words('status state'),
	jobs: words('jobs data results items'),
	/** Beside a list of jobs: what is sent for the next page, or null on the last one, and how it goes on. */
	cursor: words('next_cursor cursor'),
	hasMore: ['has_more'],
	jobCount: ['total'],
	reason: words('reason error message errors detail comment failure'),
	error: words('error errors'),
	/** Objects around the data of a reply. */
	envelope: words('job data result response'),
	/** Objects beside the data that say how the request went, and the code in them. */
	head: words('meta head status'),
	code: words('code status'),
	/** What was asked for, in a query or a job. */
	...alone('topic', 'source', 'country', 'key', 'value', 'values'),
	/** In an object that stands for a text or a number. */
	plain: words('amount value cost price name text'),
	/** What a reply to a creation says was booked or reserved. */
	booked: words('credits_reserved credits_booked'),
	/** What it says the service took no notice of. */
	ignored: ['ignored_parameters'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Meaning = keyof typeof REPLY_NAMES;

/** The fields of an object by their meanings, as the object spells them, in the table's order. */
export type Shape<M extends string> = Readonly<Record<M, readonly string[]>>;

/** Limits of what is kept of shapes: about 5 MB at the most. Objects with longer names in all are rare. */
const [MOST_SHAPES, LONGEST_KEY] = [500, 10_000];

/** The fields of an object by their bare names. */
export function spelledFields(object: object): ReadonlyMap<string, readonly string[]> {
	const spelled = new Map<string, string[]>();
	for (const field of Object.keys(object)) {
		const same = spelled.get(bareName(field));
		if (same === undefined) spelled.set(bareName(field), [field]);
		else same.push(field);
	}
	return spelled;
}

/**
 * Returns a function that gives something of an object that only depends on the names of its fields, and keeps it. A run
 * has few shapes of objects, and thousands of objects of each. Objects that all have different fields gain nothing: a row
 * of them costs about eight times as much.
 */
export function keptByFields<T>(make: (object: object) => T): (object: object) => T {
	const kept = new Map<string, { count: number; made: T }>();
	return (object) => {
		const fields = Object.keys(object);
		const count = fields.length;
		const key = fields.join('\n');
		const known = kept.get(key);
		// A name with a line break makes the key of more fields, and is never kept.
		if (known?.count === count) return known.made;
		const made = make(object);
		if (key.length > LONGEST_KEY || fields.some((name) => name.includes('\n'))) return made;
		if (kept.size >= MOST_SHAPES) kept.clear();
		kept.set(key, { count, made });
		return made;
	};
}

/** Returns a function that finds the meanings of a table in objects, for readers of thousands of them. */
export function shapesOf<M extends string>(
	table: Readonly<Record<M, readonly string[]>>,
): (object: object) => Shape<M> {
	const names = Object.entries<readonly string[]>(table).map(
		([meaning, all]) => [meaning, all.map(bareName)] as const,
	);
	return keptByFields((object) => {
		const spelled = spelledFields(object);
		const fields = names.map(([meaning, all]) => [
			meaning,
			all.flatMap((name) => spelled.get(name) ?? []),
		]);
		return Object.fromEntries(fields) as Shape<M>;
	});
}

const shapeOf = shapesOf(REPLY_NAMES);

/** The fields of an object in a content by their meanings. */
export const contentShape = shapesOf(CONTENT_NAMES);

/** The fields of an object that have a meaning, as it spells them, in the table's order; also empty ones. */
export function fieldsNamed(object: object, meaning: Meaning): readonly string[] {
	return shapeOf(object)[meaning];
}

/** All values of a meaning in these objects; also empty ones. */
export const valuesNamed = (meaning: Meaning, ...objects: IDataObject[]): unknown[] =>
	objects.flatMap((object) => fieldsNamed(object, meaning).map((name) => object[name]));

/** Whether a field says something; `false` does, as in `in_stock`, also inside of an object or a list. */
export function isGiven(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).some(isGiven);
	return value === false || isFilled(value);
}

/** Returns a function that reads an object by meaning: the first field that is not empty, or undefined. */
export function reading(object: IDataObject): (meaning: Meaning) => unknown {
	const shape = shapeOf(object);
	return (meaning) => {
		for (const field of shape[meaning]) if (isGiven(object[field])) return object[field];
		return undefined;
	};
}

/** The first field of a meaning that is not empty; undefined when there is none. */
export const fieldOf = (object: IDataObject, meaning: Meaning) => reading(object)(meaning);

/** The text or number that a value is, or that is meant in an object; undefined for anything else. */
export function plainOf(value: unknown): string | number | undefined {
	if (isTextOrNumber(value)) return value;
	if (!isObject(value)) return undefined;
	for (const field of shapeOf(value).plain) {
		const inner: unknown = value[field];
		if (isTextOrNumber(inner) && isFilled(inner)) return inner;
	}
	return undefined;
}

/** The first text or number of a meaning, also in an object; undefined when there is none. */
export function plainField(object: IDataObject, meaning: Meaning): string | number | undefined {
	for (const field of fieldsNamed(object, meaning)) {
		const plain = plainOf(object[field]);
		if (plain !== undefined && isFilled(plain)) return plain;
	}
	return undefined;
}

/** The objects of a reply that may hold its data: the known envelopes, the innermost first, then the root. */
export function partsOf(value: unknown, levels = 2): IDataObject[] {
	if (!isObject(value)) return [];
	const names = levels === 0 ? [] : fieldsNamed(value, 'envelope');
	return [...names.flatMap((name) => partsOf(value[name], levels - 1)), value];
}
