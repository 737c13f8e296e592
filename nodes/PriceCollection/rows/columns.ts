import type { IDataObject } from 'n8n-workflow';

import { CONTENT_NAMES, isSameNames, words, type ContentMeaning } from '../service/names';
import { BEST_OFFER, eachTopic, type ListMeaning, topicTraits, type TopicChoice } from '../service/topics';
import { PRODUCT_DETAILS } from './contentList';
import { ContentReader, placed, type Placed } from './contentReader';
import { amountOf } from './amounts';
import { NO_PRICE } from './offers';
import { amountIn, readText, Unreadable } from './values';

/** The columns of every flat row, before sorting. */
const CONTEXT_COLUMNS = words(
	'job_id topic source country key value success found reason from_cache collected_at',
);

/** The columns of a comparison, in order. */
export const COMPARISON = [
	...(['own_price', 'price_gap', 'price_gap_percent', 'price_rank'] as const),
	...(['previous_price', 'price_change', 'price_change_percent'] as const),
];

/** A column of a comparison. */
export type ComparisonColumn = (typeof COMPARISON)[number];

/** The columns after those of the content. */
const REST_OF_CONTEXT: ReadonlySet<string> = new Set(
	CONTEXT_COLUMNS.filter((name) => name !== 'value' && name !== 'found'),
);

/** Columns that repeat what the item itself says: only in All. */
export const GIVEN: ReadonlySet<string> = new Set(['own_price', 'previous_price']);

/** Columns that are never fields of a content. */
const OWN: ReadonlySet<string> = new Set([
	...CONTEXT_COLUMNS,
	...Object.keys(NO_PRICE),
	...COMPARISON,
	'name',
]);

/** Fields with lists or objects: their columns come last, even if null. */
const NESTED: ReadonlySet<string> = new Set([
	...PRODUCT_DETAILS,
	...[CONTENT_NAMES.offers, CONTENT_NAMES.hits, CONTENT_NAMES.reviews, CONTENT_NAMES.ranks].flat(),
	...words('buybox delivery_info dimensions eans flags gtins mpns'),
]);

/** The column of a field: of fields with the same name, the first one keeps it. */
function freeColumn(name: string, taken: { has(column: string): boolean }): string {
	let column = name;
	// Writing to `__proto__` would set the prototype instead of a column.
	while (taken.has(column) || column === '__proto__') column = `content_${column}`;
	return column;
}

/** Whether a column belongs to the nested ones, even if null. */
function isNested(name: string, value: unknown): boolean {
	return value === null ? NESTED.has(name.replace(/^(?:content_)+/, '')) : typeof value === 'object';
}

/**
 * A row with all its columns, to be filled. If fields were added one by one, V8 would turn the row into a
 * hash table that takes four times the memory.
 */
export const blankRow = (names: readonly string[]): IDataObject =>
	Object.fromEntries(names.map((name) => [name, null]));

/** A row reduced to these columns in this order, null where a column is missing. */
export function withColumns(row: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(names.map((name) => [name, Object.hasOwn(row, name) ? row[name] : null]));
}

/**
 * A flat row with all columns in the best order for a table: value and found, the name and prices, plain fields,
 * the rest of the context, and finally lists and objects. No field is lost: a name that is taken becomes
 * `content_<name>`. The name column of a product always exists, so that it has the same position in every row.
 *
 * @param parts earlier ones keep their names
 */
export function flatRow(parts: RowParts): IDataObject {
	const names: string[] = [];
	const values: Array<IDataObject[string]> = [];
	for (const part of partsInOrder(parts)) {
		for (const name of Object.keys(part)) {
			names.push(name);
			values.push(part[name]);
		}
	}
	const { content } = topicTraits(topicOf(parts.context));
	const hasName = content.includes('name');
	const first = parts.prices ? Object.keys(parts.prices) : CONTENT_NAMES.price;
	if (!isLaidOut(layout, names, values, hasName, first)) layout = layOut(names, values, hasName, first);
	const { blank, columns, isNameAdded } = layout;
	const row = { ...blank };
	columns.forEach((column, index) => (row[column] = values[index] ?? null));
	if (isNameAdded) row.name = nameIn(parts);
	return row;
}

/** How fields become the columns of a row, see `flatRow`. */
interface Layout {
	/** Of all fields, in the order of the parts; whether they have lists or objects, and whether null counts as such. */
	names: readonly string[];
	nested: readonly boolean[];
	nestedIfNull: readonly boolean[];
	/** What else decides: whether there is always a name, and which columns come first. */
	hasName: boolean;
	first: readonly string[];
	/** The column of each field, and a row with all columns in their order. */
	columns: readonly string[];
	blank: IDataObject;
	isNameAdded: boolean;
}

/**
 * That of the row before, and no other one: the rows of a list mostly have the same fields, and laying them out takes most
 * of their time, which rows that all have different fields pay for each.
 */
let layout = layOut([], [], false, []);

function isLaidOut(
	{ names, nested, nestedIfNull, ...known }: Layout,
	given: readonly string[],
	values: readonly unknown[],
	hasName: boolean,
	first: readonly string[],
): boolean {
	const isAsNested = (value: unknown, index: number) =>
		nested[index] === (value === null ? nestedIfNull[index] : typeof value === 'object');
	return (
		known.hasName === hasName &&
		isSameNames(given, names) &&
		isSameNames(first, known.first) &&
		values.every(isAsNested)
	);
}

function layOut(
	names: readonly string[],
	values: readonly unknown[],
	hasName: boolean,
	first: readonly string[],
): Layout {
	const taken = new Set<string>();
	const columns = names.map((name) => {
		const column = freeColumn(name, taken);
		taken.add(column);
		return column;
	});
	const nested = columns.map((column, index) => isNested(column, values[index]));
	const nestedIfNull = columns.map((column) => isNested(column, null));
	const isNameAdded = hasName && !taken.has('name');
	if (isNameAdded) taken.add('name');
	const last = new Set(columns.filter((_column, index) => nested[index]));
	const plain = [...taken].filter((name) => !REST_OF_CONTEXT.has(name) && !last.has(name));
	const rest = [...taken].filter((name) => REST_OF_CONTEXT.has(name));
	const begin = ['value', 'found', ...['name', ...first].filter((name) => taken.has(name))];
	const blank = blankRow([...new Set([...begin, ...plain, ...rest, ...last])]);
	return { names, nested, nestedIfNull, hasName, first, columns, blank, isNameAdded };
}

/** The topic in a row's context. */
export function topicOf({ topic }: IDataObject): string | undefined {
	return typeof topic === 'string' ? topic : undefined;
}

/** The main columns of entries, by what they are. */
const OFFER = words('price price_with_shipping currency shop_name condition_text url');
export const MAIN_OF_ENTRIES: Readonly<Record<ListMeaning, readonly string[]>> = {
	hits: OFFER,
	offers: OFFER,
	ranks: words('rank price currency review_rating review_count url'),
	reviews: words('rating title text author_name created_at id'),
};

/** The meanings of main columns; the others are a meaning themselves or have just their own name. */
const MEANT: Readonly<Record<string, ContentMeaning>> = {
	price_with_shipping: 'total',
	shop_name: 'shop',
	condition_text: 'condition',
	author_name: 'author',
	created_at: 'date',
};

/** What a main column means; undefined for a recorded name, which means itself. */
export const columnMeaning = (column: string): ContentMeaning | undefined =>
	MEANT[column] ?? (Object.hasOwn(CONTENT_NAMES, column) ? (column as ContentMeaning) : undefined);

/** What a value is in a column: its text or number, or the amount of a price. */
function plainIn(value: unknown, meaning?: ContentMeaning): string | number | undefined {
	const isMoney = meaning === 'price' || meaning === 'total';
	const read = isMoney ? amountIn(value).amount : readText(value);
	return read instanceof Unreadable ? undefined : read;
}

/**
 * A main column of the first object that has it: under the user's names, the field of its own name, or else one of its
 * meaning. What one pays is a price whatever the field is called.
 */
function plainColumn(all: readonly Placed[], column: string, reader: ContentReader): IDataObject[string] {
	const meaning = columnMeaning(column);
	for (const one of all) {
		if (column === 'currency') {
			const { amount, currency } = amountIn(reader.first(one, 'price'));
			const said = readText(reader.first(one, 'currency') ?? currency, 'code');
			if (said instanceof Unreadable) continue;
			const named = said ?? amountOf(amount)?.currency;
			if (named !== undefined) return named;
			continue;
		}
		const isNamed = meaning !== undefined && (meaning === 'price' || reader.hasOwn(meaning));
		const own = isNamed ? undefined : plainIn(one.object[column], meaning);
		if (own !== undefined) return own;
		const meant = meaning && plainIn(reader.first(one, meaning), meaning);
		if (meant !== undefined) return meant;
	}
	return null;
}

/**
 * The name of what a row is about: of the entry, or of the product around it. A review has a title, but the name is the
 * product's.
 */
function nameIn({ entry, meaning, beside, reader }: RowParts): IDataObject[string] {
	const entries = entry === undefined || meaning === 'reviews' ? [] : [entry];
	return plainColumn([...entries, ...beside], 'name', reader);
}

/** Number of plain fields in the main columns of an unknown topic. */
const PLAIN_FIELDS = 6;
/** The parts of a row. */
export interface RowParts {
	context: IDataObject;
	/** The best price and the comparison; absent for entries. */
	prices?: IDataObject;
	/** The entry of a list; absent where a row is about the whole content. */
	entry?: Placed;
	/** What the list of the entry is. */
	meaning?: ListMeaning;
	/** The fields of the content; of an entry those beside its list, the nearest first. */
	around: readonly IDataObject[];
	/** What has the name of the product: what an entry lies in, the nearest first, then the content and its product. */
	beside: readonly Placed[];
	reader: ContentReader;
}

const partsInOrder = ({ context, prices, entry, around }: RowParts) =>
	[context, prices, entry?.object, ...around].filter((part) => part !== undefined);

/**
 * The most important columns, none of them nested, so that a row is one line of a table: those of the topic,
 * of the best price, or else the first plain ones.
 */
export function mainRow(parts: RowParts): IDataObject {
	const { context, prices, entry, meaning, beside, reader } = parts;
	const compared = COMPARISON.filter((name) => prices && name in prices && !GIVEN.has(name));
	const ofResult = topicTraits(topicOf(context)).main ?? (prices?.priced_offers ? BEST_OFFER : undefined);
	const main = prices ? ofResult : meaning && MAIN_OF_ENTRIES[meaning];
	const known: IDataObject = main === undefined ? flatRow(parts) : { ...context, ...prices };
	const isField = (name: string) => !OWN.has(name) && !isNested(name, known[name]);
	const own = main ?? Object.keys(known).filter(isField).slice(0, PLAIN_FIELDS);
	// A product's price or address is not that of its offers.
	const nearest = entry === undefined ? beside : [entry];
	const columnOf = (name: string) => {
		if (name === 'name') return nameIn(parts);
		if (Object.hasOwn(known, name)) return known[name];
		return plainColumn(name === 'currency' ? [...nearest, ...beside] : nearest, name, reader);
	};
	const names = new Set(['value', 'found', 'name', ...own, ...compared, 'reason']);
	return Object.fromEntries([...names].map((name) => [name, columnOf(name)]));
}

/** Every known column, with the topics that have it, as far as their fields were observed in practice. */
export function columnsByTopics(): Map<string, TopicChoice[]> {
	const found = new Map<string, TopicChoice[]>();
	eachTopic((topic, { content, entry, lists }) => {
		const context = { ...blankRow(CONTEXT_COLUMNS), topic };
		const around = [blankRow([...content, ...lists.slice(0, 1).map((list) => CONTENT_NAMES[list][0])])];
		const common = { context, around, beside: [], reader: new ContentReader() };
		const result = flatRow({ ...common, prices: NO_PRICE });
		const ofEntry = flatRow({ ...common, entry: placed(blankRow(entry)) });
		for (const name of new Set([result, ofEntry].flatMap(Object.keys).concat(COMPARISON)))
			found.set(name, [...(found.get(name) ?? []), topic]);
	});
	// A topic named by the user may have any column.
	for (const topics of found.values()) if (!topics.includes('custom')) topics.push('custom');
	return found;
}
