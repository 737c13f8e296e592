import type { IDataObject } from 'n8n-workflow';

import {
	CONTENT_NAMES,
	isSameNames,
	words,
	type ContentMeaning,
	type ListMeaning,
	LISTS,
} from '../service/names';
import { BEST_OFFER, eachTopic, topicTraits, type TopicChoice } from '../service/topics';
import { PRODUCT_DETAILS } from './contentList';
import { ContentReader, located, type Located } from './contentReader';
import { amountOf } from './amounts';
import { NO_PRICE } from './offers';
import { amountIn, readText, Unreadable } from './values';

/** The job columns, which every flat row has, before sorting. */
const JOB_COLUMNS = words(
	'job_id topic source country key value success found reason from_cache collected_at',
);

/** The comparison's columns, in order. */
export const COMPARISON = [
	...(['own_price', 'price_gap', 'price_gap_percent', 'price_rank'] as const),
	...(['previous_price', 'price_change', 'price_change_percent'] as const),
];

export type ComparisonColumn = (typeof COMPARISON)[number];

/** The job columns that follow the content's columns. */
const TRAILING_JOB_COLUMNS: ReadonlySet<string> = new Set(
	JOB_COLUMNS.filter((name) => name !== 'value' && name !== 'found'),
);

/** Columns that repeat the input item's prices. Main rows leave them out; beside input fields they begin with `result_`. */
export const INPUT_PRICE_COLUMNS: ReadonlySet<string> = new Set(['own_price', 'previous_price']);

/** Columns that the node fills itself: `mainRow` does not take them for fields of a content. */
const NODE_COLUMNS: ReadonlySet<string> = new Set([
	...JOB_COLUMNS,
	...Object.keys(NO_PRICE),
	...COMPARISON,
	'name',
]);

/** Fields that hold lists or objects. Their columns come last, even if they are null. */
const NESTED: ReadonlySet<string> = new Set([
	...PRODUCT_DETAILS,
	...LISTS.flatMap((meaning) => CONTENT_NAMES[meaning]),
	...words('buybox delivery_info dimensions eans flags gtins mpns'),
]);

/** Returns the column for a field. The first field with a name keeps it; later ones get the prefix `content_`. */
function freeColumn(name: string, taken: { has(column: string): boolean }): string {
	let column = name;
	// Writing to `__proto__` would set the prototype instead of a column.
	while (taken.has(column) || column === '__proto__') column = `content_${column}`;
	return column;
}

/** Whether a column holds a list or an object. If it is null, its name decides. */
function isNested(name: string, value: unknown): boolean {
	return value === null ? NESTED.has(name.replace(/^(?:content_)+/, '')) : typeof value === 'object';
}

/**
 * Creates a row with all its columns, to be filled in. If columns were added one by one, V8 would turn the row into a hash
 * table that takes four times the memory.
 */
export const blankRow = (names: readonly string[]): IDataObject =>
	Object.fromEntries(names.map((name) => [name, null]));

/** Reduces a row to these columns, in this order. Missing columns become null. */
export function withColumns(row: IDataObject, names: readonly string[]): IDataObject {
	return Object.fromEntries(names.map((name) => [name, Object.hasOwn(row, name) ? row[name] : null]));
}

/**
 * Creates a flat row with all columns in the best order for a table: value and found, the name and prices, plain fields,
 * the rest of the job columns, and finally lists and objects. No field is lost: if its name is taken, its column is called
 * `content_<name>`. Rows of products always have a name column, so that its position is the same in every row.
 *
 * @param parts fields of earlier parts keep their names
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
	const { content } = topicTraits(topicOf(parts.jobColumns));
	const hasName = content.includes('name');
	const first = parts.prices ? Object.keys(parts.prices) : CONTENT_NAMES.price;
	if (!isLayoutOf(layout, names, values, hasName, first)) layout = layOut(names, values, hasName, first);
	const { blank, columns, isNameAdded } = layout;
	const row = { ...blank };
	columns.forEach((column, index) => (row[column] = values[index] ?? null));
	if (isNameAdded) row.name = nameIn(parts);
	return row;
}

/** How fields map to the columns of a row, see `flatRow`. */
interface Layout {
	/** The fields' names, in the order of the parts. */
	names: readonly string[];
	/** Per field: whether its column is nested, and whether it would be if the field were null. */
	nested: readonly boolean[];
	nestedIfNull: readonly boolean[];
	/** The other inputs: whether there is always a name column, and which columns come first. */
	hasName: boolean;
	first: readonly string[];
	/** Each field's column, and a row with all columns in order. */
	columns: readonly string[];
	blank: IDataObject;
	/** Whether the name column was added because no field has it. */
	isNameAdded: boolean;
}

/**
 * The previous row's layout. Most rows of a list have the same fields, and the layout takes most of a row's time. Only this
 * one is kept, so rows whose fields all differ pay that time for each row.
 */
let layout = layOut([], [], false, []);

/** Whether a layout applies to these fields. */
function isLayoutOf(
	{ names, nested, nestedIfNull, ...known }: Layout,
	fieldNames: readonly string[],
	values: readonly unknown[],
	hasName: boolean,
	first: readonly string[],
): boolean {
	const hasSameNesting = (value: unknown, index: number) =>
		nested[index] === (value === null ? nestedIfNull[index] : typeof value === 'object');
	return (
		known.hasName === hasName &&
		isSameNames(fieldNames, names) &&
		isSameNames(first, known.first) &&
		values.every(hasSameNesting)
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
	const nestedColumns = new Set(columns.filter((_column, index) => nested[index]));
	const plain = [...taken].filter((name) => !TRAILING_JOB_COLUMNS.has(name) && !nestedColumns.has(name));
	const trailing = [...taken].filter((name) => TRAILING_JOB_COLUMNS.has(name));
	const leading = ['value', 'found', ...['name', ...first].filter((name) => taken.has(name))];
	const blank = blankRow([...new Set([...leading, ...plain, ...trailing, ...nestedColumns])]);
	return { names, nested, nestedIfNull, hasName, first, columns, blank, isNameAdded };
}

/** Returns the topic in a row's job columns. */
export function topicOf({ topic }: IDataObject): string | undefined {
	return typeof topic === 'string' ? topic : undefined;
}

const OFFER_COLUMNS = words('price price_with_shipping currency shop_name condition_text url');
/** The main columns of entries, by kind of list. */
export const MAIN_OF_ENTRIES: Readonly<Record<ListMeaning, readonly string[]>> = {
	hits: OFFER_COLUMNS,
	offers: OFFER_COLUMNS,
	ranks: words('rank price currency review_rating review_count url'),
	reviews: words('rating title text author_name created_at id'),
};

/** Main columns that have a meaning under another name. The others are named after their meaning, or have none. */
const MEANING_OF_COLUMN: Readonly<Record<string, ContentMeaning>> = {
	price_with_shipping: 'total',
	shop_name: 'shop',
	condition_text: 'condition',
	author_name: 'author',
	created_at: 'date',
};

/** Returns a main column's meaning; undefined if it only stands for the field of the same name. */
export const columnMeaning = (column: string): ContentMeaning | undefined =>
	MEANING_OF_COLUMN[column] ??
	(Object.hasOwn(CONTENT_NAMES, column) ? (column as ContentMeaning) : undefined);

/** Reads a column's value: a text or a number, for prices and totals only the amount. Undefined if it is unreadable. */
function cellValue(value: unknown, meaning?: ContentMeaning): string | number | undefined {
	const isMoney = meaning === 'price' || meaning === 'total';
	const plain = isMoney ? amountIn(value).amount : readText(value);
	return plain instanceof Unreadable ? undefined : plain;
}

/**
 * Returns a main column's value from the first object that has one: from the user's field names if there are any, otherwise
 * from the field of the same name, or else from one with the same meaning. `price` is always read by meaning, because what
 * the buyer pays may be in another field, such as `sale_price`. An unreadable currency is not the one of the objects around.
 */
function plainColumn(all: readonly Located[], column: string, reader: ContentReader): IDataObject[string] {
	const meaning = columnMeaning(column);
	for (const one of all) {
		if (column === 'currency') {
			const { amount, currency } = amountIn(reader.first(one, 'price'));
			const code = readText(reader.first(one, 'currency') ?? currency, 'code');
			if (code instanceof Unreadable) return null;
			const found = code ?? amountOf(amount)?.currency;
			if (found !== undefined) return found;
			continue;
		}
		const readsByMeaning = meaning !== undefined && (meaning === 'price' || reader.hasOwn(meaning));
		const valueByName = readsByMeaning ? undefined : cellValue(one.object[column], meaning);
		if (valueByName !== undefined) return valueByName;
		const valueByMeaning = meaning && cellValue(reader.first(one, meaning), meaning);
		if (valueByMeaning !== undefined) return valueByMeaning;
	}
	return null;
}

/**
 * Returns the name of the entry, or of the product around it. A review has a title, but its row shows the product's name.
 */
function nameIn({ entry, meaning, beside, reader }: RowParts): IDataObject[string] {
	const entries = entry === undefined || meaning === 'reviews' ? [] : [entry];
	return plainColumn([...entries, ...beside], 'name', reader);
}

/** The number of plain fields in the main columns of an unknown topic. */
const PLAIN_FIELDS = 6;

/** What a row is made from. */
export interface RowParts {
	jobColumns: IDataObject;
	/** The best price and the comparison; absent for entries. */
	prices?: IDataObject;
	/** The entry of a list; absent if the row is about the whole content. */
	entry?: Located;
	/** The kind of the entry's list. */
	meaning?: ListMeaning;
	/** The content's fields; for an entry, the fields of the objects around its list, nearest first. */
	around: readonly IDataObject[];
	/** Objects that may hold the product's name: those around an entry, nearest first, then the content and its product. */
	beside: readonly Located[];
	reader: ContentReader;
}

const partsInOrder = ({ jobColumns, prices, entry, around }: RowParts) =>
	[jobColumns, prices, entry?.object, ...around].filter((part) => part !== undefined);

/**
 * Creates a row of the most important columns: those of the topic or list, of the best price, or else the first plain fields.
 * None of them is nested, so that the row is one line of a table.
 */
export function mainRow(parts: RowParts): IDataObject {
	const { jobColumns, prices, entry, meaning, beside, reader } = parts;
	const compared = COMPARISON.filter((name) => prices && name in prices && !INPUT_PRICE_COLUMNS.has(name));
	const resultColumns =
		topicTraits(topicOf(jobColumns)).main ?? (prices?.priced_offers ? BEST_OFFER : undefined);
	const main = prices ? resultColumns : meaning && MAIN_OF_ENTRIES[meaning];
	const known: IDataObject = main === undefined ? flatRow(parts) : { ...jobColumns, ...prices };
	const isField = (name: string) => !NODE_COLUMNS.has(name) && !isNested(name, known[name]);
	const mainColumns = main ?? Object.keys(known).filter(isField).slice(0, PLAIN_FIELDS);
	// A product's price or address does not apply to its offers. Only its name and currency do.
	const nearest = entry === undefined ? beside : [entry];
	const columnOf = (name: string) => {
		if (name === 'name') return nameIn(parts);
		if (Object.hasOwn(known, name)) return known[name];
		return plainColumn(name === 'currency' ? [...nearest, ...beside] : nearest, name, reader);
	};
	const names = new Set(['value', 'found', 'name', ...mainColumns, ...compared, 'reason']);
	return Object.fromEntries([...names].map((name) => [name, columnOf(name)]));
}

/** Returns every known column with the topics that have it, as far as their fields were observed in practice. */
export function columnsByTopics(): Map<string, TopicChoice[]> {
	const found = new Map<string, TopicChoice[]>();
	eachTopic((topic, { content, entry, lists }) => {
		const jobColumns = { ...blankRow(JOB_COLUMNS), topic };
		const around = [blankRow([...content, ...lists.slice(0, 1).map((list) => CONTENT_NAMES[list][0])])];
		const common = { jobColumns, around, beside: [], reader: new ContentReader() };
		const resultRow = flatRow({ ...common, prices: NO_PRICE });
		const entryRow = flatRow({ ...common, entry: located(blankRow(entry)) });
		for (const name of new Set([resultRow, entryRow].flatMap(Object.keys).concat(COMPARISON)))
			found.set(name, [...(found.get(name) ?? []), topic]);
	});
	// A topic named by the user may have any column.
	for (const topics of found.values()) if (!topics.includes('custom')) topics.push('custom');
	return found;
}
