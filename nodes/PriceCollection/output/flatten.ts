import type { IDataObject } from 'n8n-workflow';

import { echoedKey, echoedValue } from '../service/echo';
import { isObject, type Result } from '../service/types';
import { CONTEXT_COLUMNS, inOrder, namesProduct } from './columns';
import { contentListOf, isBlank, isFound, namesFor } from './contentList';

/** The job that a row comes from; null where nothing was sent. */
export interface RowJob {
	job_id: string | null;
	status: string | null;
}

/** What was asked for, where the run knows it (`collect`). */
export interface Asked {
	/** As the input item spells it, so that a row can be matched to its sheet. */
	value: string;
	/** The wire parameters of the planned job; they fill what the service does not echo. */
	parameters?: IDataObject;
}

/** The topic of a result, as echoed or else as asked. */
export function topicOf(result: Result, asked?: Asked): string | undefined {
	const topic = result.query?.topic ?? asked?.parameters?.topic;
	return typeof topic === 'string' ? topic : undefined;
}

/** The columns that every flat row has. */
export function contextOf(
	job: RowJob,
	result: Result,
	asked?: Asked,
): Record<(typeof CONTEXT_COLUMNS)[number], IDataObject[string]> {
	const query: IDataObject = result.query ?? {};
	const echoed = (name: string) => query[name] ?? asked?.parameters?.[name] ?? null;
	const key = echoedKey(result.query);
	const topic = topicOf(result, asked);
	const odd = result.success_as_given;
	return {
		job_id: job.job_id,
		topic: topic ?? null,
		source: echoed('source'),
		country: echoed('country'),
		key: echoed('key') ?? key ?? null,
		value: asked?.value ?? echoedValue(result.query, key) ?? null,
		success: result.success,
		found: isFound(result, topic),
		reason: result.reason ?? null,
		from_cache: result.metadata?.from_cache ?? null,
		collected_at: result.metadata?.updated_at ?? null,
		// A word for success that nobody knows is shown, since `success` is only what can be made of it.
		...(odd !== undefined && { success_as_given: odd }),
	};
}

/**
 * One flat row for a result: the context, the further columns (such as those of the best price), and the fields of its
 * content as they are. A content that has no fields is put under `content`.
 */
export function flattenResult(context: IDataObject, content: unknown, further: object = {}): IDataObject {
	const row = withFields({ ...context, ...further }, content, 'content');
	return inOrder(withProduct(row), ['name', ...Object.keys(further)]);
}

/** What comes first in the row of an entry: its price stands where that of a result has the best price. */
const FIRST_OF_ENTRY: readonly string[] = ['name', 'price', 'min_price'];

/**
 * One flat row for each entry of the content's list: the context, the fields of the entry, then the content's
 * own scalar fields beside the list. Without entries there is one row: where the list is empty it has everything that
 * stands beside it, and where no list is recognised all of the content.
 */
export function flattenEntries(context: IDataObject, content: unknown, contentList?: string): IDataObject[] {
	const topic = typeof context.topic === 'string' ? context.topic : undefined;
	const list = contentListOf(content, topic, contentList);
	if (!list || list.entries.length === 0) {
		const row = withFields(context, list ? without(content, list.name) : content, 'content');
		return [inOrder(withProduct(row), FIRST_OF_ENTRY)];
	}
	// A list that was only found because no other has entries may be the wrong one: then nothing beside it is left out.
	const isNamed = Boolean(contentList) || list.name === undefined || namesFor(topic).includes(list.name);
	const beside = fieldsBeside(content, list.name, isNamed);
	return list.entries.map((entry) => {
		const row = withFields(context, entry, 'entry');
		return inOrder(withProduct({ ...row, ...freeFields(row, beside) }), FIRST_OF_ENTRY);
	});
}

/** The row with the column of the product's name, also where it has none: so that it has the same place in every row. */
function withProduct(row: IDataObject): IDataObject {
	const { topic } = row;
	return namesProduct(typeof topic === 'string' ? topic : undefined) && !Object.hasOwn(row, 'name')
		? { ...row, name: null }
		: row;
}

/** A content without one of its fields; nothing remains of a content that is the list itself. */
function without(content: unknown, name: string | undefined): unknown {
	if (!isObject(content) || name === undefined) return undefined;
	return Object.fromEntries(Object.entries(content).filter(([field]) => field !== name));
}

/**
 * A row with the fields of an object added, or whatever else is there under one name. No field is lost. Where no
 * name is taken the two are spread: V8 turns an object that gets many fields one by one into a hash table, which
 * takes four times the memory.
 */
function withFields(row: IDataObject, value: unknown, nameOfOther: string): IDataObject {
	if (!isObject(value)) {
		return isBlank(value) ? { ...row } : { ...row, [nameOfOther]: value as IDataObject[string] };
	}
	const names = Object.keys(value);
	if (!names.some((name) => isTaken(row, name))) return { ...row, ...value };
	const filled = { ...row };
	for (const name of names) {
		let column = name;
		while (isTaken(filled, column)) column = `content_${column}`;
		filled[column] = value[name];
	}
	return filled;
}

/** The content's own fields that displace neither the context nor the entry: under a second name, or not at all. */
function freeFields(row: IDataObject, beside: ReadonlyArray<[string, IDataObject[string]]>): IDataObject {
	const free = new Map<string, IDataObject[string]>();
	const isUsed = (column: string) => isTaken(row, column) || free.has(column);
	for (const [name, value] of beside) {
		const column = isUsed(name) ? `content_${name}` : name;
		if (!isUsed(column)) free.set(column, value);
	}
	return Object.fromEntries(free);
}

/** Writing to `__proto__` would give the row another prototype instead of a column. */
function isTaken(row: IDataObject, column: string): boolean {
	return Object.hasOwn(row, column) || column === '__proto__';
}

/** Null counts as a scalar, so that the rows of a sheet have the same columns. */
function fieldsBeside(
	content: unknown,
	listName: string | undefined,
	onlyScalars: boolean,
): Array<[string, IDataObject[string]]> {
	if (!isObject(content)) return [];
	return Object.entries(content).filter(
		([name, value]) => name !== listName && (!onlyScalars || value === null || typeof value !== 'object'),
	);
}
