import { REPLY_NAMES } from '../service/names';
import { isObject } from '../service/types';

/** A caller's unverified claim about a job. */
export interface Notification {
	jobId: string;
	status?: string;
	/** The object that names the job. */
	job: Readonly<Record<string, unknown>>;
}

export interface CallToRead {
	/** As n8n parsed it: JSON, a form, XML (by xml2js) or text. */
	body: unknown;
	query: Readonly<Record<string, unknown>>;
	/** The Content-Type header. Identifies XML, whose root element may have any name. */
	contentType?: string;
}

/** Limits for a callback. Notifications are far smaller: services of this kind do not include results. */
export const LARGEST_CALL = {
	bytes: 1024 * 1024,
	/** Fields and list elements at all levels of the body or the query. */
	fields: 5_000,
	depth: 40,
} as const;

/**
 * Whether parsed data is small enough to examine. Must run before any other use of a body, because anyone
 * can call. It stops at the limit, and deep nesting cannot overflow the stack.
 */
export function isWithinBounds(data: unknown): boolean {
	const pending: Array<{ value: unknown; depth: number }> = [{ value: data, depth: 0 }];
	let fields = 0;
	for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
		const { value, depth } = next;
		if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) continue;
		if (depth >= LARGEST_CALL.depth) return false;
		for (const name in value) {
			if (++fields > LARGEST_CALL.fields) return false;
			const inner = (value as Record<string, unknown>)[name];
			if (typeof inner === 'object') pending.push({ value: inner, depth: depth + 1 });
		}
	}
	return true;
}

type Fields = Readonly<Record<string, unknown>>;

const ENVELOPES = ['job', 'data', 'payload'];
const ID_NAMES = ['jobid', 'job'];
const URL_NAMES = ['downloadurl', 'jobdownloadurl'];
/** IDs that are safe in a request path: no whitespace, separators, percent-encoding or control characters. */
const JOB_ID = /^(?!\.+$)[^\s/\\?#%\p{C}]{1,200}$/u;
const STATUS = /^[\w -]{1,50}$/;
/** Captures the job ID in a download URL. The rest of the URL is ignored, and nothing is fetched from it. */
const ID_IN_ADDRESS =
	/^https?:\/\/[^?#]*\/jobs\/(?!\.+\/)([^\s/\\?#%\p{C}]{1,200})\/download(?:\.\w+)?(?:[?#]|$)/u;
const LONGEST_FIELD_NAME = 50;
const LONGEST_VALUE = 4_000;
/** Limit for JSON in a text, such as a form field. */
const LONGEST_JSON_TEXT = 100_000;

/** An envelope field in form encoding, such as `job[job_id]`. */
const FORM_ENVELOPE_FIELD = /^(?:job|data|payload)\[([\w-]+)\]$/;

/** `job-id`, `job_id` and `jobId` are the same name. Blank for names that are too long. */
function normalizedName(name: string): string {
	return name.length > LONGEST_FIELD_NAME ? '' : name.replace(/[-_]/g, '').toLowerCase();
}

/** The text of a value, including an xml2js element with attributes and a list with one element. */
function plainText(value: unknown): string | undefined {
	if (typeof value === 'string') return value.length > LONGEST_VALUE ? undefined : value.trim();
	if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
	if (Array.isArray(value)) return value.length === 1 ? plainText(value[0]) : undefined;
	return isObject(value) && Object.hasOwn(value, '_') ? plainText(value._) : undefined;
}

/** The first matching text in a field with one of these names, or the pattern's group if it has one. */
function textUnder(fields: Fields, names: readonly string[], pattern: RegExp): string | undefined {
	for (const [name, value] of Object.entries(fields)) {
		const match = names.includes(normalizedName(name)) ? pattern.exec(plainText(value) ?? '') : null;
		if (match !== null) return match[1] ?? match[0];
	}
	return undefined;
}

/** How to find a job ID in an object, most reliable first. An `id` counts only in an envelope or beside a status. */
type JobIdReader = (fields: Fields, isEnvelope: boolean) => string | undefined;
const JOB_ID_READERS: readonly JobIdReader[] = [
	(fields) => textUnder(fields, ID_NAMES, JOB_ID),
	(fields) => textUnder(fields, URL_NAMES, ID_IN_ADDRESS),
	(fields, isEnvelope) =>
		isEnvelope || statusUnder(fields) !== undefined ? textUnder(fields, ['id'], JOB_ID) : undefined,
];

const statusUnder = (fields: Fields) => textUnder(fields, REPLY_NAMES.status, STATUS);

/** A value as an object, including JSON in a text and a list with one element. */
function parsedFields(value: unknown): Fields | undefined {
	if (Array.isArray(value)) return value.length === 1 ? parsedFields(value[0]) : undefined;
	if (typeof value !== 'string') return isObject(value) ? value : undefined;
	if (value.length > LONGEST_JSON_TEXT || !value.trimStart().startsWith('{')) return undefined;
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

/** An object and its envelopes, including those that a form writes as `job[job_id]=…`. */
function candidatesIn(fields: Fields): JobCandidate[] {
	const entries = Object.entries(fields).filter(([name]) => name.length <= LONGEST_FIELD_NAME);
	const formFields = entries.map(([name, value]) => [FORM_ENVELOPE_FIELD.exec(name)?.[1] ?? '', value]);
	const envelopes = entries.filter(([name]) => ENVELOPES.includes(normalizedName(name)));
	const nested = [
		...envelopes.map(([, value]) => parsedFields(value)),
		parsedFields(Object.fromEntries(formFields)),
	];
	const inner = nested.flatMap((one) => (one === undefined ? [] : [{ fields: one, isEnvelope: true }]));
	return [{ fields, isEnvelope: false }, ...inner];
}

/** The root element of an XML document, which may have any name. */
function xmlRoot(fields: Fields, contentType = ''): Fields | undefined {
	const [root, ...others] = Object.entries(fields);
	if (root === undefined || others.length > 0 || !/[/+]xml\b/i.test(contentType)) return undefined;
	return root[0] === '__proto__' ? undefined : parsedFields(root[1]);
}

/**
 * Finds the job that a call is about, in the body (JSON, form, XML, text with JSON) or in the query, at the root
 * or one level down. A `job_id` anywhere takes precedence over any `id`, which may identify the event. The field
 * names are undocumented, so all observed ones are accepted. Time and memory are linear in the data and limited
 * by {@link isWithinBounds}. Undefined if the call contains no valid job ID.
 */
export function readNotification({ body, query, contentType }: CallToRead): Notification | undefined {
	if (!isWithinBounds(body) || !isWithinBounds(query)) return undefined;
	const fields = parsedFields(body);
	const roots = [fields, fields && xmlRoot(fields, contentType), query];
	const candidates = roots.flatMap((one) => (one === undefined ? [] : candidatesIn(one)));
	for (const readJobId of JOB_ID_READERS)
		for (const { fields: job, isEnvelope } of candidates) {
			const jobId = readJobId(job, isEnvelope);
			if (jobId !== undefined) return { jobId, status: statusUnder(job), job };
		}
	return undefined;
}
