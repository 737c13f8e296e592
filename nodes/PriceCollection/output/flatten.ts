import type { IDataObject } from 'n8n-workflow';

import { echoedKey, echoedValue, isObject, type Result } from '../service/types';
import { topicTraits } from '../service/topics';
import { blankRow, CONTEXT_COLUMNS, freeColumn, inOrder } from './columns';
import { isBlank, isFound, type ContentList } from './contentList';

/** The job of a row; null if nothing was sent. */
export interface RowJob {
	job_id: string | null;
	status: string | null;
}

/** The requested value, if the run knows it (`collect`). */
export interface RequestedValue {
	/** As spelt in the input item, so that rows can be matched to its sheet. */
	value: string;
	/** The wire parameters of the planned job, for values that the service does not echo. */
	parameters?: IDataObject;
}

/** The topic of a result, echoed or else as requested. */
export function topicOf(result: Result, asked?: RequestedValue): string | undefined {
	const topic = result.query?.topic ?? asked?.parameters?.topic;
	return typeof topic === 'string' ? topic : undefined;
}

/** The columns of every flat row; `asked` supplies the value and what the service does not echo. */
export function contextOf(
	job: RowJob,
	result: Result,
	asked?: RequestedValue,
): Record<(typeof CONTEXT_COLUMNS)[number], IDataObject[string]> {
	const query: IDataObject = result.query ?? {};
	const echoed = (name: string) => query[name] ?? asked?.parameters?.[name] ?? null;
	const key = echoedKey(result.query);
	const topic = topicOf(result, asked);
	const asGiven = result.success_as_given;
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
		// Shown for an unknown word for success, because `success` is then only derived.
		...(asGiven !== undefined && { success_as_given: asGiven }),
	};
}

/**
 * The parts of a row: context, further columns such as the best price, entry, content. If names repeat, the
 * first part keeps the name.
 */
export type RowParts = readonly IDataObject[];

/** The fields of an object; other values become a field of the given name. */
function fieldsOf(value: unknown, nameOfOther: string): IDataObject {
	if (isObject(value)) return value;
	return isBlank(value) ? {} : { [nameOfOther]: value as IDataObject[string] };
}

/** The parts of the row of a result. */
export function partsOfResult(context: IDataObject, content: unknown, further: IDataObject): RowParts {
	return [context, further, fieldsOf(content, 'content')];
}

/**
 * The parts of one row per entry of the content's list: context, the entry's fields, then the content's own
 * fields beside the list. Without entries there is a single row, with everything beside an empty list, or
 * with the whole content if no list was recognised.
 *
 * @param isCertain whether the list is certainly the right one; otherwise all fields beside it are kept
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

/** First columns of an entry's row: its price is where a result has the best price. */
export const FIRST_OF_ENTRY: readonly string[] = ['name', 'price', 'min_price'];

/**
 * A flat row with all columns. No field is lost: a name that is taken becomes `content_<name>`. The name
 * column of a product always exists, so that it has the same position in every row.
 */
export function flatRow(parts: RowParts, first: readonly string[]): IDataObject {
	const fields = new Map<string, IDataObject[string]>();
	for (const part of parts) {
		for (const [name, value] of Object.entries(part)) fields.set(freeColumn(name, fields), value);
	}
	const topic = fields.get('topic');
	const { content } = topicTraits(typeof topic === 'string' ? topic : undefined);
	if (content.includes('name') && !fields.has('name')) fields.set('name', null);
	return inOrder(fields, first);
}

/** A row with only these columns: null where one is missing or nested. */
export function plainRow(parts: RowParts, columns: readonly string[]): IDataObject {
	const row = blankRow(columns);
	for (const name of columns) {
		const value = parts.find((part) => Object.hasOwn(part, name))?.[name];
		if (typeof value !== 'object' && value !== undefined) row[name] = value;
	}
	return row;
}

/**
 * The fields of a content beside its list; with `withoutLists` only those without lists, because every row
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
