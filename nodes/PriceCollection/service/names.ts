import type { IDataObject } from 'n8n-workflow';

import { bareName, isFilled, isObject, isPlain } from './types';

/** Splits a text into names, which is easier to read than a list of literals. */
export const words = (text: string) => text.split(' ');

/** Whether two lists have the same names in the same order. */
export function isSameList(one: readonly string[], other: readonly string[]): boolean {
	return one.length === other.length && one.every((name, index) => name === other[index]);
}

/** Meanings that have just their own name. */
function alone<T extends string>(...names: T[]): Readonly<Record<T, readonly [string]>> {
	const table = {} as Record<T, readonly [string]>;
	for (const name of names) table[name] = [name];
	return table;
}

/**
 * The only table of names: under which a meaning is read, in this order. What the document or a recording shows
 * comes first. Each name counts in any case, with `_`, with `-` or in camelCase. Fields with other names are
 * passed on as they came.
 */
export const NAMES = {
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
	condition: words('condition_code condition_text condition'),
	/** Of a product, an offer, a hit, a rank or a review. */
	name: words('name title'),
	price: words('price min_price'),
	total: words('price_with_shipping total_price total'),
	shipping: words('shipping_costs shipping_cost shipping_price shipping'),
	currency: words('currency currency_code price_currency'),
	shop: words('shop_name shop seller merchant store vendor shop_domain shop_id'),
	/** Every name by which a user may leave a shop out. */
	anyShop: words('shop_name shop seller merchant store vendor shop_domain shop_id shop_url'),
	availability: words('availability_text availability stock in_stock delivery_info'),
	author: words('author_name author user'),
	date: words('created_at date published_at'),
	rating: words('rating stars score'),
	/** Recorded names of main columns, which are read in any spelling. */
	...alone('rank', 'text', 'url', 'review_rating', 'review_count', 'category_name'),
	/** Lists of a content, the objects around them, and the offer that a marketplace puts first beside them. */
	...alone('offers', 'reviews', 'buybox'),
	hits: words('search_results hits'),
	ranks: words('bestsellers ranks'),
	product: words('product item'),
	/** In an object that stands for a text or a number, such as `{ amount, currency }`. */
	plain: words('amount value cost price name text'),
	/** What a reply to a creation says was booked or reserved. */
	booked: words('credits_reserved credits_booked'),
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Meaning = keyof typeof NAMES;

const MEANINGS = Object.keys(NAMES) as Meaning[];

/** The fields of an object by their meanings, as the object spells them, in the table's order. */
export type Shape = Readonly<Record<Meaning, readonly string[]>>;

/**
 * Shapes by the names of all fields. A run has few shapes of objects, and thousands of objects of each. Objects that all
 * have different fields gain nothing here: a row of them costs about eight times as much. Both limits keep such objects
 * from filling the memory: about 5 MB at the most.
 */
const shapes = new Map<string, { fields: readonly string[]; shape: Shape }>();
const MOST_SHAPES = 500;
/** Characters in the names of all fields. Objects with more are rare, and their shapes are not kept. */
const LONGEST_KEY = 10_000;

/** The fields of an object by meaning, for readers of thousands of objects; `reading` is enough for others. */
export function shapeOf(object: object): Shape {
	const fields = Object.keys(object);
	const key = fields.join('\n');
	const known = shapes.get(key);
	// A name with a line break makes the key of other fields.
	if (known !== undefined && isSameList(fields, known.fields)) return known.shape;
	const spelled = new Map<string, string[]>();
	for (const field of fields)
		spelled.set(bareName(field), [...(spelled.get(bareName(field)) ?? []), field]);
	const shape = Object.fromEntries(
		MEANINGS.map((meaning) => [
			meaning,
			NAMES[meaning].flatMap((name) => spelled.get(bareName(name)) ?? []),
		]),
	) as unknown as Shape;
	if (key.length > LONGEST_KEY) return shape;
	if (shapes.size >= MOST_SHAPES) shapes.clear();
	shapes.set(key, { fields, shape });
	return shape;
}

/** The fields of an object that have a meaning, as it spells them, in the table's order; also empty ones. */
export function fieldsNamed(object: object, meaning: Meaning): readonly string[] {
	return shapeOf(object)[meaning];
}

/** All values of a meaning in these objects; also empty ones. */
export const valuesNamed = (meaning: Meaning, ...objects: IDataObject[]): unknown[] =>
	objects.flatMap((object) => fieldsNamed(object, meaning).map((name) => object[name]));

/** Whether a field says something; `false` does, as in `in_stock`. */
const isGiven = (value: unknown) => value === false || isFilled(value);

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
	if (isPlain(value)) return value;
	if (!isObject(value)) return undefined;
	for (const field of shapeOf(value).plain) {
		const inner: unknown = value[field];
		if (isPlain(inner) && isFilled(inner)) return inner;
	}
	return undefined;
}

/** The first text or number of a meaning, also in an object; undefined when there is none. */
export function plainField(
	object: IDataObject,
	meaning: Meaning,
	shape = shapeOf(object),
): string | number | undefined {
	for (const field of shape[meaning]) {
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
