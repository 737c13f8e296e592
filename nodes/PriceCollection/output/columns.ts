import type { IDataObject } from 'n8n-workflow';

import { RecentMap } from '../service/types';
import { eachTopic, topicTraits, type TopicChoice } from '../service/topics';
import { PRODUCT_DETAILS } from './contentList';

/** The columns of every flat row, before sorting. */
export const CONTEXT_COLUMNS = [
	'job_id',
	'topic',
	'source',
	'country',
	'key',
	'value',
	'success',
	'found',
	'reason',
	'from_cache',
	'collected_at',
] as const;

/** The columns of the best price; null if there is none. */
export interface BestPrice {
	best_price: number | null;
	/** With shipping; null if unknown. */
	best_total: number | null;
	best_currency: string | null;
	best_shop: string | null;
	/** The service's code, or else its text. */
	best_condition: string | null;
	best_url: string | null;
	/** How many counting offers have a price, in any currency. */
	priced_offers: number;
}

/** The columns of a result without a price. */
export const NO_PRICE: BestPrice = {
	best_price: null,
	best_total: null,
	best_currency: null,
	best_shop: null,
	best_condition: null,
	best_url: null,
	priced_offers: 0,
};

/** The columns of a comparison without amounts, in order. */
export const NO_OWN_PRICE = { own_price: null, price_gap: null, price_gap_percent: null, price_rank: null };
export const NO_PREVIOUS_PRICE = { previous_price: null, price_change: null, price_change_percent: null };
export const NO_COMPARISON = { ...NO_OWN_PRICE, ...NO_PREVIOUS_PRICE };

/** The columns after those of the content. */
const REST_OF_CONTEXT: ReadonlySet<string> = new Set([
	...CONTEXT_COLUMNS.filter((name) => name !== 'value' && name !== 'found'),
	'success_as_given',
]);

/** Fields with lists or objects: their columns come last, even if null. */
const NESTED: ReadonlySet<string> = new Set([
	...PRODUCT_DETAILS,
	...eachTopic((_topic, { lists }) => lists).flat(),
	...['buybox', 'delivery_info', 'dimensions', 'eans', 'flags', 'gtins', 'mpns'],
]);

/** The column of a field: of fields with the same name, the first one keeps it. */
export function freeColumn(name: string, taken: { has(column: string): boolean }): string {
	let column = name;
	// Writing to `__proto__` would set the prototype instead of a column.
	while (taken.has(column) || column === '__proto__') column = `content_${column}`;
	return column;
}

/** Whether a column belongs to the nested ones, even if null. */
function isNested(name: string, value: unknown): boolean {
	return value === null ? NESTED.has(name.replace(/^(?:content_)+/, '')) : typeof value === 'object';
}

/** Empty rows, by their columns. */
const blankRows = new RecentMap<string, IDataObject>(100);

/**
 * A row with all its columns, to be filled. If fields were added one by one, V8 would turn the row into a
 * hash table that takes four times the memory.
 */
export function blankRow(names: readonly string[]): IDataObject {
	const key = JSON.stringify(names);
	let blank = blankRows.get(key);
	if (blank === undefined) {
		const fields = names.map((name) => `${JSON.stringify(name)}:null`);
		blank = JSON.parse(`{${fields.join()}}`) as IDataObject;
		blankRows.set(key, blank);
	}
	return { ...blank };
}

/** A row reduced to these columns in this order, null where a column is missing. */
export function withColumns(row: IDataObject, names: readonly string[]): IDataObject {
	const filled = blankRow(names);
	for (const name of names) if (Object.hasOwn(row, name)) filled[name] = row[name];
	return filled;
}

/**
 * A row with its columns in the best order for a table: value and found, the `first` ones, plain fields, the
 * rest of the context, and finally lists and objects.
 */
export function inOrder(
	fields: ReadonlyMap<string, IDataObject[string]>,
	first: readonly string[],
): IDataObject {
	const ordered = new Set(['value', 'found', ...first.filter((name) => fields.has(name))]);
	const rest: string[] = [];
	const nested: string[] = [];
	for (const [name, value] of fields) {
		if (REST_OF_CONTEXT.has(name)) rest.push(name);
		else if (isNested(name, value)) nested.push(name);
		else ordered.add(name);
	}
	for (const name of [...rest, ...nested]) ordered.add(name);
	const row = blankRow([...ordered]);
	for (const name of ordered) row[name] = fields.get(name) ?? null;
	return row;
}

/** Number of plain fields in the main columns of an unknown topic. */
const PLAIN_FIELDS = 6;

/** The first plain columns of an unknown content: not nested, and none of these names. */
export function plainFields(row: IDataObject, besides: object): string[] {
	const isField = (name: string) =>
		!['value', 'found', 'name'].includes(name) &&
		!REST_OF_CONTEXT.has(name) &&
		!Object.hasOwn(besides, name) &&
		!isNested(name, row[name]);
	return Object.keys(row).filter(isField).slice(0, PLAIN_FIELDS);
}

/** Every known column, with the topics that have it. */
export function columnsByTopics(): Map<string, TopicChoice[]> {
	const found = new Map<string, TopicChoice[]>();
	for (const { topic, columns } of eachTopic((topic) => ({ topic, columns: columnsOf(topic) }))) {
		for (const name of columns) found.set(name, [...(found.get(name) ?? []), topic]);
	}
	// A topic named by the user may have any column.
	for (const topics of found.values()) if (!topics.includes('custom')) topics.push('custom');
	return found;
}

/** The columns of a topic's flat rows, as far as its fields were observed in practice. */
function columnsOf(topic: TopicChoice): Set<string> {
	const { content, entry, lists } = topicTraits(topic);
	return new Set([
		...named([...CONTEXT_COLUMNS, ...Object.keys(NO_PRICE), ...content, ...lists.slice(0, 1)]),
		...named([...CONTEXT_COLUMNS, ...entry, ...content]),
		...Object.keys(NO_COMPARISON),
	]);
}

/** The columns of these fields. */
function named(fields: readonly string[]): Set<string> {
	const columns = new Set<string>();
	for (const name of fields) columns.add(freeColumn(name, columns));
	return columns;
}
