import type {
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

/** The n8n contexts that requests are sent from. */
export type RequestContext =
	IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

export interface Endpoint {
	method: 'GET' | 'POST';
	/** The path below the base address, with the placeholder `{job_id}`. */
	path: string;
	ofJob: boolean;
	/** Whether it changes something: repeating the request could then do so twice. */
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

/** What a request may have done if it was sent but not properly answered. Reads change nothing. */
export const effectOf = ({ changes }: Endpoint) => (changes ? 'unknown' : 'none');

/** A job as the service describes it. Fields that are not listed here are kept unchanged. */
export interface Job extends IDataObject {
	job_id: string;
	/** As the service writes it; `statusMeaning` interprets it. Blank while unknown. */
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
	/** Depends on the topic; null or an empty list if nothing was found. */
	content?: IDataObject[string];
}

/** The reason of a failed result that gives none, and whose `success` is missing or neither yes nor no. */
export const SUCCESS_UNKNOWN = 'the service does not say whether it succeeded';

/** A downloaded job: the root object, validated. */
export type JobResults = Job & { results: Result[] };

/** A result's lookup value as its query echoes it; undefined if it does not. */
export const echoedValue = (query: ResultQuery = {}) => query.value || undefined;

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that begins with this many blanks counts as blank. */
const LONGEST_BLANKS = 1_000;

export function isTextOrNumber(value: unknown): value is number | string {
	return typeof value === 'string' || typeof value === 'number';
}

/** Whether a value contains anything, at any depth: a number, `true`, or a text that is neither blank nor "null". */
export function isFilled(value: unknown): boolean {
	if (typeof value === 'string') return !['', 'null'].includes(value.slice(0, LONGEST_BLANKS).trim());
	if (typeof value === 'object' && value !== null) return Object.values(value).some(isFilled);
	return typeof value === 'number' || value === true;
}

/**
 * A text, number or flag as a lower-case word for comparisons, at most 100 characters. An object's word comes from its
 * field `text`, which holds the text of an XML element with attributes. Anything else is blank.
 */
export function wordOf(value: unknown): string {
	if (isObject(value)) return typeof value.text === 'object' ? '' : wordOf(value.text);
	if (typeof value === 'object') return '';
	return String(value ?? '')
		.slice(0, 100)
		.trim()
		.toLowerCase();
}

/** A field name for comparisons, the same for all usual spellings: `page-token`, `pageToken`, `page_token`. */
export function bareName(name: string): string {
	return name.slice(0, 200).toLowerCase().replace(/[_-]/g, '');
}

export function flagOf(value: unknown): boolean | undefined {
	if (/^(true|yes|1)$/.test(wordOf(value))) return true;
	return /^(false|no|0)$/.test(wordOf(value)) ? false : undefined;
}

/** A number, also from text. Undefined for anything else, including blank text, which `Number` would read as 0. */
export function figureOf(value: unknown): number | undefined {
	const isNumericText = typeof value === 'string' && /^\s*[-+]?\d+(\.\d+)?\s*$/.test(value);
	return isNumericText || Number.isFinite(value) ? Number(value) : undefined;
}

/** A non-negative whole number; undefined for anything else. */
export function countOf(value: unknown): number | undefined {
	const figure = figureOf(value) ?? -1;
	return Number.isSafeInteger(figure) && figure >= 0 ? figure : undefined;
}

/** Sets a field whose name comes from outside: assigning to `__proto__` would replace the prototype. */
export function setField<T>(object: Record<string, T>, name: string, value: T): void {
	if (name !== '__proto__') object[name] = value;
	else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Builds an object from names and values. A name that occurs more than once gets the list of its values. */
export function objectFrom<T>(names: readonly string[], values: readonly T[]): Record<string, T | T[]> {
	const fields: Record<string, T | T[]> = {};
	names.forEach((name, index) => setField(fields, name, values[index] as T));
	if (Object.keys(fields).length === names.length) return fields;
	const valuesByName = new Map<string, T[]>(names.map((name) => [name, []]));
	names.forEach((name, index) => valuesByName.get(name)?.push(values[index] as T));
	for (const [name, repeated] of valuesByName) if (repeated.length > 1) setField(fields, name, repeated);
	return fields;
}
