import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

/** Every place of a node from which the service is spoken to. */
export type RequestContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

/** The service's own words for a job. Everything that is not listed here is kept as it came. */
export interface Job extends IDataObject {
	job_id: string;
	/** As the service writes it; `service/status.ts` says what it means. */
	status: string;
}

/** The parameters that a result was produced for, as the service echoes them. */
export type ResultQuery = IDataObject & { [name in (typeof QUERY_TEXTS)[number]]?: string | null };

/** The fields of an echoed query that are texts. */
export const QUERY_TEXTS = ['source', 'country', 'topic', 'key', 'value'] as const;

/** One element of `results`: what one value gave. */
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

/** Whether decoded data is an object, not a list, so that it has fields by name. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Blanks of that number are not looked behind. */
export const LONGEST_BLANKS = 1_000;

/** Whether there is anything in a value: a number, true, a text that says more than null, or what holds one of these. */
export function isFilled(value: unknown): boolean {
	if (typeof value === 'string') return !['', 'null'].includes(value.slice(0, LONGEST_BLANKS).trim());
	if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled);
	return typeof value === 'number' || value === true;
}

/** A text, a number or a flag as one word to compare; blank for anything else. No word is longer than what is looked at. */
export function wordOf(value: unknown): string {
	return typeof value === 'object'
		? ''
		: String(value ?? '')
				.slice(0, 100)
				.trim()
				.toLowerCase();
}

/** Sets a field whose name came from outside: an assignment to `__proto__` would replace the prototype instead. */
export function setField<T>(object: Record<string, T>, name: string, value: T): void {
	if (name !== '__proto__') object[name] = value;
	else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** A number, also as a text; undefined for anything else, blank text included, which is 0 to `Number`. */
export function figureOf(value: unknown): number | undefined {
	const isWritten = typeof value === 'string' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
	return isWritten || Number.isFinite(value) ? Number(value) : undefined;
}

/** How many of something there are; undefined for what is no count. */
export function countOf(value: unknown): number | undefined {
	const figure = figureOf(value) ?? -1;
	return Number.isSafeInteger(figure) && figure >= 0 ? figure : undefined;
}
