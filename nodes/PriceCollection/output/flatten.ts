import type { IDataObject } from 'n8n-workflow';

import { echoedKey, echoedValue } from '../service/echo';
import { topicTraits } from '../service/topics';
import { isObject, type Result } from '../service/types';
import { blankRow, CONTEXT_COLUMNS, inOrder } from './columns';
import { isBlank, isFound, type ContentList } from './contentList';

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
 * What a row is made of: the context, the further columns such as those of the best price, the entry, the content. Of
 * fields of one name the first one has it.
 */
export type RowParts = readonly IDataObject[];

/** The fields of a value; under a name what has none. */
function fieldsOf(value: unknown, nameOfOther: string): IDataObject {
	if (isObject(value)) return value;
	return isBlank(value) ? {} : { [nameOfOther]: value as IDataObject[string] };
}

/** What the row of a result is made of. */
export function partsOfResult(context: IDataObject, content: unknown, further: IDataObject): RowParts {
	return [context, further, fieldsOf(content, 'content')];
}

/**
 * What the rows of the entries of the content's list are made of: the context, the fields of the entry, then the content's
 * own fields beside the list. Without entries there is one row: where the list is empty it has everything that
 * stands beside it, and where no list is recognised all of the content.
 *
 * @param isCertain whether the list is certainly that of the entries; otherwise nothing beside it is left out
 */
export function partsOfEntries(
	context: IDataObject,
	content: unknown,
	list: ContentList | undefined,
	isCertain: boolean,
): RowParts[] {
	if (!list || list.entries.length === 0) {
		return [[context, list ? fieldsBeside(content, list.name, false) : fieldsOf(content, 'content')]];
	}
	const beside = fieldsBeside(content, list.name, isCertain);
	return list.entries.map((entry) => [context, fieldsOf(entry, 'entry'), beside]);
}

/** What comes first in the row of an entry: its price stands where that of a result has the best price. */
export const FIRST_OF_ENTRY: readonly string[] = ['name', 'price', 'min_price'];

/**
 * One flat row with all columns. No field is lost: one whose name is taken becomes `content_<name>`. The column of the
 * product's name is there also where it has none, so that it has the same place in every row.
 */
export function flatRow(parts: RowParts, first: readonly string[]): IDataObject {
	const fields = new Map<string, IDataObject[string]>();
	for (const part of parts) {
		for (const [name, value] of Object.entries(part)) {
			let column = name;
			// Writing to `__proto__` would give the row another prototype instead of a column.
			while (fields.has(column) || column === '__proto__') column = `content_${column}`;
			fields.set(column, value);
		}
	}
	const topic = fields.get('topic');
	const { content } = topicTraits(typeof topic === 'string' ? topic : undefined);
	if (content.includes('name') && !fields.has('name')) fields.set('name', null);
	return inOrder(fields, first);
}

/** These columns of a row, without lists and objects, null where it has none. */
export function plainRow(parts: RowParts, columns: readonly string[]): IDataObject {
	const row = blankRow(columns);
	for (const name of columns) {
		const value = parts.find((part) => Object.hasOwn(part, name))?.[name];
		if (typeof value !== 'object' && value !== undefined) row[name] = value;
	}
	return row;
}

/**
 * The fields of a content beside its list; with `withoutLists` those that hold no further list, because each entry's row
 * repeats them. Null counts as a field, so that the rows of a sheet have the same columns.
 */
function fieldsBeside(content: unknown, listName: string | undefined, withoutLists: boolean): IDataObject {
	if (!isObject(content) || listName === undefined) return {};
	const isBeside = ([name, value]: [string, unknown]) =>
		name !== listName && !(withoutLists && holdsList(value));
	return Object.fromEntries(Object.entries(content).filter(isBeside));
}

function holdsList(value: unknown): boolean {
	return Array.isArray(value) || (isObject(value) && Object.values(value).some(holdsList));
}
