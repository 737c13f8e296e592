import type { IDataObject } from 'n8n-workflow';

import { RecentMap } from '../service/recentMap';
import { eachTopic } from '../service/topics';
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

/** Whether a column belongs with the nested ones, also where it is null. */
function isNested(name: string, value: unknown): boolean {
	return value === null ? NESTED.has(name.replace(/^(?:content_)+/, '')) : typeof value === 'object';
}

/** Rows without values, by their columns. */
const blankRows = new RecentMap<string, IDataObject>(100);

/**
 * A row with all its columns, to be filled: V8 turns an object that gets many fields one by one into a hash table, which
 * takes four times the memory.
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

/** These columns of a row in this order, null where it has none. */
export function withColumns(row: IDataObject, names: readonly string[]): IDataObject {
	const filled = blankRow(names);
	for (const name of names) if (Object.hasOwn(row, name)) filled[name] = row[name];
	return filled;
}

/**
 * A row with its columns as a table shows them best: the value and whether it was found, the `first` ones, plain fields,
 * the rest of the context, and at the end what holds lists or objects.
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

/** So many plain fields stand in the main columns of a content that no topic knows. */
const PLAIN_FIELDS = 6;

/** The columns of a flat row that are neither nested nor of these names: the first plain fields of an unknown content. */
export function plainFields(row: IDataObject, besides: object): string[] {
	const isField = (name: string) =>
		!['value', 'found', 'name'].includes(name) &&
		!REST_OF_CONTEXT.has(name) &&
		!Object.hasOwn(besides, name) &&
		!isNested(name, row[name]);
	return Object.keys(row).filter(isField).slice(0, PLAIN_FIELDS);
}
