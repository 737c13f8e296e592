import type { IDataObject } from 'n8n-workflow';

import { RecentMap } from '../service/recentMap';
import { eachTopic, topicTraits } from '../service/topics';
import { PRODUCT_DETAILS } from './contentList';

/** The columns that every flat row has, before they are put in order. */
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

/** The columns that follow those of the content. */
const REST_OF_CONTEXT: ReadonlySet<string> = new Set([
	...CONTEXT_COLUMNS.filter((name) => name !== 'value' && name !== 'found'),
	'success_as_given',
]);

/** Fields that hold lists or objects: their columns come last, also in a row where they are null. */
const NESTED: ReadonlySet<string> = new Set([
	...PRODUCT_DETAILS,
	...eachTopic((_topic, { lists }) => lists).flat(),
	...['buybox', 'delivery_info', 'dimensions', 'eans', 'flags', 'gtins', 'mpns'],
]);

/** Whether a column belongs with the nested ones although it is null. */
function isNestedWhenNull(column: string): boolean {
	return NESTED.has(column.replace(/^(?:content_)+/, ''));
}

function isNested(value: unknown, whenNull: boolean): boolean {
	return value === null ? whenNull : typeof value === 'object';
}

/** The order of the columns of a row, which the next row has as well, more often than not. */
interface Order {
	first: readonly string[];
	/** The columns as the row had them, with what is to be known of each. */
	columns: ReadonlyArray<{ name: string; nested: boolean; whenNull: boolean }>;
	ordered: readonly string[];
	/** A row with these columns in order, without values. */
	blank: IDataObject;
}

/** The latest order for each number of columns. */
const orders = new RecentMap<number, Order>(100);

function orderOf(row: IDataObject, names: readonly string[], first: readonly string[]): Order {
	const columns = names.map((name) => {
		const whenNull = isNestedWhenNull(name);
		return { name, whenNull, nested: isNested(row[name], whenNull) };
	});
	const ordered = new Set(['value', 'found', ...first.filter((name) => Object.hasOwn(row, name))]);
	for (const { name, nested } of columns) if (!REST_OF_CONTEXT.has(name) && !nested) ordered.add(name);
	for (const name of names) if (REST_OF_CONTEXT.has(name)) ordered.add(name);
	for (const name of names) ordered.add(name);
	return { first, columns, ordered: [...ordered], blank: blankRow([...ordered]) };
}

/** Whether a row has the same columns in the same places, and the same of them are nested. */
function isOrderOf(
	order: Order,
	row: IDataObject,
	names: readonly string[],
	first: readonly string[],
): boolean {
	return (
		first.length === order.first.length &&
		first.every((name, index) => name === order.first[index]) &&
		order.columns.every(
			({ name, nested, whenNull }, index) =>
				name === names[index] && nested === isNested(row[name], whenNull),
		)
	);
}

/**
 * The same row with its columns as a table shows them best: the value and whether it was found, the `first` ones, plain
 * fields, the rest of the context, and at the end what holds lists or objects.
 */
export function inOrder(row: IDataObject, first: readonly string[]): IDataObject {
	const names = Object.keys(row);
	let order = orders.get(names.length);
	if (order === undefined || !isOrderOf(order, row, names, first)) {
		order = orderOf(row, names, first);
		orders.set(names.length, order);
	}
	const filled = { ...order.blank };
	for (const name of order.ordered) filled[name] = row[name];
	return filled;
}

/**
 * A row with all its columns, to be copied and filled: V8 turns an object that gets many fields one by one into a hash
 * table, which takes four times the memory.
 */
function blankRow(names: readonly string[]): IDataObject {
	return JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as IDataObject;
}

/** Rows without values, by the columns that were chosen. */
const blankRows = new RecentMap<readonly string[], IDataObject>(10);

/**
 * The chosen columns of a row in their order, null where it has none.
 *
 * @param names the same list for all rows of a choice
 */
export function withColumns(row: IDataObject, names: readonly string[]): IDataObject {
	let blank = blankRows.get(names);
	if (blank === undefined) {
		blank = blankRow(names);
		blankRows.set(names, blank);
	}
	const filled = { ...blank };
	for (const name of names) filled[name] = Object.hasOwn(row, name) ? row[name] : null;
	return filled;
}

/** Whether the results of a topic name a product beside their list. */
export function namesProduct(topic: string | undefined): boolean {
	return topicTraits(topic).content.includes('name');
}
