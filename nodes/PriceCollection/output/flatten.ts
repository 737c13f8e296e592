import type { IDataObject } from 'n8n-workflow';
import { echoedValue } from '../collection/values';
import type { Result } from '../service/types';
import { contentListOf, isBlank, isFound, isObject } from './contentList';

/** The job that a row comes from. */
export interface RowJob {
	job_id: string;
	status: string;
}

/** What was asked for, where the run knows it (`collect`). */
export interface Asked {
	/** As the input item spells it, so that a row can be matched to its sheet. */
	value: string;
	/** The wire parameters of the planned job; they fill what the service does not echo. */
	parameters?: IDataObject;
}

type Columns =
	| 'job_id'
	| 'topic'
	| 'source'
	| 'country'
	| 'key'
	| 'value'
	| 'success'
	| 'found'
	| 'reason'
	| 'from_cache'
	| 'collected_at';

/** The topic of a result, as echoed or else as asked. */
export function topicOf(result: Result, asked?: Asked): string | undefined {
	const topic = result.query?.topic ?? asked?.parameters?.topic;
	return typeof topic === 'string' ? topic : undefined;
}

/** The columns that every flat row begins with, in this order. */
export function contextOf(job: RowJob, result: Result, asked?: Asked): Record<Columns, IDataObject[string]> {
	const query: IDataObject = result.query ?? {};
	const echoed = (name: string) => query[name] ?? asked?.parameters?.[name] ?? null;
	const topic = topicOf(result, asked);
	return {
		job_id: job.job_id,
		topic: topic ?? null,
		source: echoed('source'),
		country: echoed('country'),
		key: echoed('key'),
		value: asked?.value ?? echoedValue(result.query) ?? null,
		success: result.success,
		found: isFound(result, topic),
		reason: result.reason ?? null,
		from_cache: result.metadata?.from_cache ?? null,
		collected_at: result.metadata?.updated_at ?? null,
	};
}

/**
 * One flat row for a result: the context, then the fields of its content as they are. A content that has no
 * fields is put under `content`.
 */
export function flattenResult(context: IDataObject, content: unknown): IDataObject {
	const row = { ...context };
	addFields(row, content, 'content');
	return row;
}

/**
 * One flat row for each entry of the content's list: the context, the fields of the entry, then the content's
 * own scalar fields beside the list. Without entries there is one row, without an entry's fields.
 */
export function flattenEntries(context: IDataObject, content: unknown, contentList?: string): IDataObject[] {
	const topic = typeof context.topic === 'string' ? context.topic : undefined;
	const list = contentListOf(content, topic, contentList);
	const beside = scalarsBeside(content, list?.name);
	const entries = list && list.entries.length > 0 ? list.entries : [undefined];
	return entries.map((entry) => {
		const row = { ...context };
		addFields(row, entry, 'entry');
		for (const [name, value] of beside) addIfFree(row, name, value);
		return row;
	});
}

/** Adds the fields of an object, or whatever else is there under one name. No field is lost. */
function addFields(row: IDataObject, value: unknown, nameOfOther: string): void {
	if (!isObject(value)) {
		if (!isBlank(value)) row[nameOfOther] = value as IDataObject[string];
		return;
	}
	for (const name of Object.keys(value)) {
		let column = name;
		while (isTaken(row, column)) column = `content_${column}`;
		row[column] = value[name];
	}
}

/** A field of the content never displaces the context or the entry: under its second name, or not at all. */
function addIfFree(row: IDataObject, name: string, value: IDataObject[string]): void {
	const column = isTaken(row, name) ? `content_${name}` : name;
	if (!isTaken(row, column)) row[column] = value;
}

/** Writing to `__proto__` would give the row another prototype instead of a column. */
function isTaken(row: IDataObject, column: string): boolean {
	return Object.hasOwn(row, column) || column === '__proto__';
}

/** Null counts as a scalar, so that the rows of a sheet have the same columns. */
function scalarsBeside(content: unknown, listName: string | undefined): Array<[string, IDataObject[string]]> {
	if (!isObject(content)) return [];
	return Object.entries(content).filter(
		([name, value]) => name !== listName && (value === null || typeof value !== 'object'),
	);
}
