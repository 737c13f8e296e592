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

function isNested(column: string, value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return true;
	return value === null && NESTED.has(column.replace(/^(?:content_)+/, ''));
}

/**
 * The same row with its columns as a table shows them best: the value and whether it was found, the `first` ones, plain
 * fields, the rest of the context, and at the end what holds lists or objects.
 */
export function inOrder(row: IDataObject, first: readonly string[]): IDataObject {
	const names = Object.keys(row);
	const ordered = new Set(['value', 'found', ...first.filter((name) => Object.hasOwn(row, name))]);
	for (const name of names) {
		if (!REST_OF_CONTEXT.has(name) && !isNested(name, row[name])) ordered.add(name);
	}
	for (const name of names) if (REST_OF_CONTEXT.has(name)) ordered.add(name);
	for (const name of names) ordered.add(name);
	return withColumns(row, [...ordered]);
}

/** Rows without values, by their columns. The results of a topic differ little in theirs. */
const blankRows = new RecentMap<string, IDataObject>(200);

/**
 * The columns of a row in this order, null where it has none. Filled into a copy of a row that has all of them already:
 * V8 turns an object that gets many fields one by one into a hash table, which takes four times the memory.
 */
export function withColumns(row: IDataObject, names: readonly string[]): IDataObject {
	const key = JSON.stringify(names);
	let blank = blankRows.get(key);
	if (blank === undefined) {
		blank = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`).join()}}`) as IDataObject;
		blankRows.set(key, blank);
	}
	const filled = { ...blank };
	for (const name of names) filled[name] = Object.hasOwn(row, name) ? row[name] : null;
	return filled;
}

/** Whether the results of a topic name a product beside their list. */
export function namesProduct(topic: string | undefined): boolean {
	return topicTraits(topic).content.includes('name');
}
