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

export interface Endpoint {
	method: 'GET' | 'POST';
	/** Path below the base address, with `{job_id}` for the job. */
	path: string;
	ofJob: boolean;
	/** Whether it changes something, so that a repeated request could do that twice. */
	changes: boolean;
	text: string;
}

const endpoint = (method: Endpoint['method'], path: string): Endpoint => ({
	method,
	path,
	ofJob: path.includes('{job_id}'),
	changes: method === 'POST',
	text: `${method} ${path}`,
});

export const ENDPOINTS = {
	create: endpoint('POST', '/v2/jobs'),
	list: endpoint('GET', '/v2/jobs'),
	get: endpoint('GET', '/v2/jobs/{job_id}'),
	download: endpoint('GET', '/v2/jobs/{job_id}/download'),
	cancel: endpoint('POST', '/v2/jobs/{job_id}/cancel'),
	usageToday: endpoint('GET', '/v2/me/usage_today'),
	usageMonth: endpoint('GET', '/v2/me/usage_month'),
};

/** What a request may have done that was sent but not properly answered; reads change nothing. */
export const effectOf = ({ changes }: Endpoint) => (changes ? 'unknown' : 'none');

/** A job in the service's own words. Fields that are not listed here are kept unmodified. */
export interface Job extends IDataObject {
	job_id: string;
	/** As the service writes it; the table in `statuses` says what it means. Blank while unknown. */
	status: string;
}

export const QUERY_TEXTS = ['source', 'country', 'topic', 'key', 'value'] as const;

/** The parameters of a result, as the service echoes them. */
export type ResultQuery = IDataObject & { [name in (typeof QUERY_TEXTS)[number]]?: string | null };

/** One element of `results`: the outcome for one value. */
export interface Result extends IDataObject {
	query: ResultQuery;
	success: boolean;
	reason?: string | null;
	metadata?: IDataObject | null;
	/** Topic-dependent; null or an empty list when nothing was found. */
	content?: IDataObject[string];
}

/** The reason of a result that neither says whether it succeeded nor has content or a reason. */
export const SUCCESS_UNKNOWN = 'the service does not say whether it succeeded';

/** A downloaded job: the root object, checked. */
export type JobResults = Job & { results: Result[] };

/** The value of a result as its query echoes it. */
export const echoedValue = (query: ResultQuery = {}) => query.value || undefined;

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Longer runs of blanks are not examined. */
const LONGEST_BLANKS = 1_000;

export function isTextOrNumber(value: unknown): value is number | string {
	return typeof value === 'string' || typeof value === 'number';
}

/** Whether a value contains anything: a number, true or a text other than null, at any depth. */
export function isFilled(value: unknown): boolean {
	if (typeof value === 'string') return !['', 'null'].includes(value.slice(0, LONGEST_BLANKS).trim());
	if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled);
	return typeof value === 'number' || value === true;
}

/**
 * A text, number or flag as a lower-case word to compare, at most 100 characters. Of an object it is the field `text`,
 * which holds the text of an XML element that has attributes; blank for other objects.
 */
export function wordOf(value: unknown): string {
	if (isObject(value)) return typeof value.text === 'object' ? '' : wordOf(value.text);
	if (typeof value === 'object') return '';
	return String(value ?? '')
		.slice(0, 100)
		.trim()
		.toLowerCase();
}

/** A field's name to compare, in any of the usual spellings: `page-token`, `pageToken`, `page_token`. */
export function bareName(name: string): string {
	return name.slice(0, 200).toLowerCase().replace(/[_-]/g, '');
}

export function flagOf(value: unknown): boolean | undefined {
	if (/^(true|yes|1)$/.test(wordOf(value))) return true;
	return /^(false|no|0)$/.test(wordOf(value)) ? false : undefined;
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

/** Sets a field with an external name: assigning to `__proto__` would replace the prototype instead. */
export function setField<T>(object: Record<string, T>, name: string, value: T): void {
	if (name !== '__proto__') object[name] = value;
	else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** An object of these fields. A name that occurs more than once has the list of its values, so that nothing is lost. */
export function objectFrom<T>(names: readonly string[], values: readonly T[]): Record<string, T | T[]> {
	const fields: Record<string, T | T[]> = {};
	names.forEach((name, index) => setField(fields, name, values[index] as T));
	if (Object.keys(fields).length === names.length) return fields;
	const all = new Map<string, T[]>(names.map((name) => [name, []]));
	names.forEach((name, index) => all.get(name)?.push(values[index] as T));
	for (const [name, some] of all) if (some.length > 1) setField(fields, name, some);
	return fields;
}
