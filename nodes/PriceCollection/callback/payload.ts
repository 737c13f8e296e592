import { REPLY_NAMES } from '../service/names';
import { isObject } from '../service/types';

/** What a call says about a job. Nothing of it is verified. */
export interface Notification {
	jobId: string;
	status?: string;
	/** The object that named the job. */
	job: Readonly<Record<string, unknown>>;
}

export interface CallToRead {
	/** As parsed by n8n: JSON, form, XML by xml2js, or text. */
	body: unknown;
	query: Readonly<Record<string, unknown>>;
	/** The Content-Type header: needed because the root element of XML may have any name. */
	contentType?: string;
}

/** Limits of a callback. Notifications are far smaller: services of this kind include no results. */
export const LARGEST_CALL = {
	bytes: 1024 * 1024,
	/** Names and elements in body or query, over all levels. */
	fields: 5_000,
	depth: 40,
} as const;

/**
 * Whether parsed data is small enough to be examined. Must come before any other use of a body, because
 * anyone can call: it stops at the limit, and deep nesting does not use up the stack.
 */
export function isWithinBounds(data: unknown): boolean {
	const open: Array<{ value: unknown; depth: number }> = [{ value: data, depth: 0 }];
	let fields = 0;
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { value, depth } = next;
		if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) continue;
		if (depth >= LARGEST_CALL.depth) return false;
		for (const name in value) {
			if (++fields > LARGEST_CALL.fields) return false;
			const inner = (value as Record<string, unknown>)[name];
			if (typeof inner === 'object') open.push({ value: inner, depth: depth + 1 });
		}
	}
	return true;
}

type Fields = Readonly<Record<string, unknown>>;

const ENVELOPES = ['job', 'data', 'payload'];
const ID_NAMES = ['jobid', 'job'];
const URL_NAMES = ['downloadurl', 'jobdownloadurl'];
/** IDs that are safe in a request path: no spaces, separators, encodings or control characters. */
const JOB_ID = /^(?!\.+$)[^\s/\\?#%\p{C}]{1,200}$/u;
const STATUS = /^[\w -]{1,50}$/;
/** The ID in a download address. Nothing else of the address is used, and nothing is fetched from it. */
const ID_IN_ADDRESS =
	/^https?:\/\/[^?#]*\/jobs\/(?!\.+\/)([^\s/\\?#%\p{C}]{1,200})\/download(?:\.\w+)?(?:[?#]|$)/u;
const LONGEST_FIELD_NAME = 50;
const LONGEST_VALUE = 4_000;
/** Limit for an object that a form contains as one text. */
const LONGEST_OBJECT = 100_000;

/** A field of an envelope in form encoding. */
const IN_ENVELOPE = /^(?:job|data|payload)\[([\w-]+)\]$/;

/** `job-id`, `job_id` and `jobId` are the same name. */
function normalizedName(name: string): string {
	return name.length > LONGEST_FIELD_NAME ? '' : name.replace(/[-_]/g, '').toLowerCase();
}

/** The text of a value, also of xml2js's element with attributes, or of a list with one element. */
function plainText(value: unknown): string | undefined {
	if (typeof value === 'string') return value.length > LONGEST_VALUE ? undefined : value.trim();
	if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
	if (Array.isArray(value)) return value.length === 1 ? plainText(value[0]) : undefined;
	return isObject(value) && Object.hasOwn(value, '_') ? plainText(value._) : undefined;
}

/** The first field of these names whose text matches: the pattern's group, if it has one. */
function textUnder(fields: Fields, names: readonly string[], pattern: RegExp): string | undefined {
	for (const [name, value] of Object.entries(fields)) {
		const found = names.includes(normalizedName(name)) ? pattern.exec(plainText(value) ?? '') : null;
		if (found !== null) return found[1] ?? found[0];
	}
	return undefined;
}

/** How an object can name a job, the most certain way first. An `id` counts in an envelope and beside a status. */
type NameOfJob = (fields: Fields, isEnvelope: boolean) => string | undefined;
const NAMES_OF_JOB: readonly NameOfJob[] = [
	(fields) => textUnder(fields, ID_NAMES, JOB_ID),
	(fields) => textUnder(fields, URL_NAMES, ID_IN_ADDRESS),
	(fields, isEnvelope) =>
		isEnvelope || statusUnder(fields) !== undefined ? textUnder(fields, ['id'], JOB_ID) : undefined,
];

const statusUnder = (fields: Fields) => textUnder(fields, REPLY_NAMES.status, STATUS);

/** A value as object, including JSON in a text and lists with one element. */
function parsedFields(value: unknown): Fields | undefined {
	if (Array.isArray(value)) return value.length === 1 ? parsedFields(value[0]) : undefined;
	if (typeof value !== 'string') return isObject(value) ? value : undefined;
	if (value.length > LONGEST_OBJECT || !value.trimStart().startsWith('{')) return undefined;
	try {
		const data = JSON.parse(value) as Fields;
		return isWithinBounds(data) ? data : undefined;
	} catch {
		return undefined;
	}
}

/** An object that may name a job. */
interface JobCandidate {
	fields: Fields;
	isEnvelope: boolean;
}

/** An object and its envelopes; in forms an envelope is spelled `job[job_id]=…`. */
function placesIn(fields: Fields): JobCandidate[] {
	const entries = Object.entries(fields).filter(([name]) => name.length <= LONGEST_FIELD_NAME);
	const spelled = entries.map(([name, value]) => [IN_ENVELOPE.exec(name)?.[1] ?? '', value]);
	const envelopes = entries.filter(([name]) => ENVELOPES.includes(normalizedName(name)));
	const below = [
		...envelopes.map(([, value]) => parsedFields(value)),
		parsedFields(Object.fromEntries(spelled)),
	];
	const inside = below.flatMap((one) => (one === undefined ? [] : [{ fields: one, isEnvelope: true }]));
	return [{ fields, isEnvelope: false }, ...inside];
}

/** The root element of an XML document, which may have any name. */
function xmlRoot(fields: Fields, contentType = ''): Fields | undefined {
	const [only, ...more] = Object.entries(fields);
	if (only === undefined || more.length > 0 || !/[/+]xml\b/i.test(contentType)) return undefined;
	return only[0] === '__proto__' ? undefined : parsedFields(only[1]);
}

/**
 * Finds the job of a call: in the body (JSON, form, XML, text with JSON) or in the query, at the root or one
 * level down. A `job_id` anywhere comes before any `id`, which may be that of the event. The field names are not
 * documented, so all that were observed are accepted. Time and memory are linear in the data and limited by
 * {@link isWithinBounds}. Undefined when the call names no valid job ID.
 */
export function readNotification({ body, query, contentType }: CallToRead): Notification | undefined {
	if (!isWithinBounds(body) || !isWithinBounds(query)) return undefined;
	const fields = parsedFields(body);
	const candidates = [fields, fields && xmlRoot(fields, contentType), query];
	const places = candidates.flatMap((one) => (one === undefined ? [] : placesIn(one)));
	for (const nameOf of NAMES_OF_JOB)
		for (const { fields: job, isEnvelope } of places) {
			const jobId = nameOf(job, isEnvelope);
			if (jobId !== undefined) return { jobId, status: statusUnder(job), job };
		}
	return undefined;
}
