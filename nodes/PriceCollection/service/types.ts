import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

/** Every n8n context from which requests are sent. */
export type RequestContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/** A job in the service's own words. Fields that are not listed here are kept unmodified. */
export interface Job extends IDataObject {
	job_id: string;
	/** As the service writes it; `service/status.ts` interprets it. */
	status: string;
}

/** The parameters of a result, as the service echoes them. */
export type ResultQuery = IDataObject & { [name in (typeof QUERY_TEXTS)[number]]?: string | null };

/** The text fields of an echoed query. */
export const QUERY_TEXTS = ['source', 'country', 'topic', 'key', 'value'] as const;

/** One element of `results`: the outcome for one value. */
export interface Result extends IDataObject {
	query: ResultQuery;
	success: boolean;
	/** Filled when `success` is false. */
	reason?: string | null;
	metadata?: IDataObject | null;
	/** Topic-dependent; null or an empty list when nothing was found. */
	content?: IDataObject[string];
}

/** A downloaded job: the root object, checked. */
export interface JobResults extends Job {
	results: Result[];
}

/** Whether a value is an object and not a list. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Longer runs of blanks are not examined. */
export const LONGEST_BLANKS = 1_000;

/** Whether a value contains anything: a number, true or a text other than null, at any depth. */
export function isFilled(value: unknown): boolean {
	if (typeof value === 'string') return !['', 'null'].includes(value.slice(0, LONGEST_BLANKS).trim());
	if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled);
	return typeof value === 'number' || value === true;
}

/** A text, number or flag as a lower-case word to compare, at most 100 characters; blank for objects. */
export function wordOf(value: unknown): string {
	return typeof value === 'object'
		? ''
		: String(value ?? '')
				.slice(0, 100)
				.trim()
				.toLowerCase();
}

/** Sets a field with an external name: assigning to `__proto__` would replace the prototype instead. */
export function setField<T>(object: Record<string, T>, name: string, value: T): void {
	if (name !== '__proto__') object[name] = value;
	else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** A number, also from text; undefined for anything else, including blank text, which `Number` reads as 0. */
export function figureOf(value: unknown): number | undefined {
	const isWritten = typeof value === 'string' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
	return isWritten || Number.isFinite(value) ? Number(value) : undefined;
}

/** A non-negative whole number; undefined for anything else. */
export function countOf(value: unknown): number | undefined {
	const figure = figureOf(value) ?? -1;
	return Number.isSafeInteger(figure) && figure >= 0 ? figure : undefined;
}
