import { isObject } from '../service/types';

/** What a call says about a job. None of it is proven. */
export interface Notification {
	jobId: string;
	/** As the call has it; absent when it names none. */
	status?: string;
	/** The object in which the job was named. */
	job: Readonly<Record<string, unknown>>;
}

export interface CallToRead {
	/** As n8n parsed it: JSON, form, XML by xml2js, or text. */
	body: unknown;
	query: Readonly<Record<string, unknown>>;
	/** The Content-Type header: an XML document has a root element of any name. */
	contentType?: string;
}

/** What a callback may be at the most. Notifications are far smaller; services of this kind send no results with them. */
export const LARGEST_CALL = {
	/** Bytes of the body as it arrived. */
	bytes: 1024 * 1024,
	/** Names and elements in body or query, all levels together. */
	fields: 5_000,
	/** Levels of nesting. */
	depth: 40,
} as const;

/**
 * Whether parsed data is small enough to be looked into. Whoever calls may be anybody, so this comes before anything
 * else is done with a body: it stops at the limit, and needs no stack however deep the nesting is.
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
			open.push({ value: (value as Record<string, unknown>)[name], depth: depth + 1 });
		}
	}
	return true;
}

type Fields = Readonly<Record<string, unknown>>;

const ENVELOPES = ['job', 'data', 'payload'];
const ID_NAMES = ['jobid', 'job'];
const URL_NAMES = ['downloadurl', 'jobdownloadurl'];
/** Nothing that a request path cannot safely be built from: spaces, separators, encodings, control characters, dots only. */
const JOB_ID = /^(?!\.+$)[^\s/\\?#%\p{C}]{1,200}$/u;
const STATUS = /^[\w -]{1,50}$/;
/** The ID inside a download address. Only that is taken from it: nothing is ever fetched from there. */
const ID_IN_ADDRESS =
	/^https?:\/\/[^?#]*\/jobs\/(?!\.+\/)([^\s/\\?#%\p{C}]{1,200})\/download(?:\.\w+)?(?:[?#]|$)/u;
const LONGEST_NAME = 50;
const LONGEST_VALUE = 4_000;
/** An object that a form spells as one text. */
const LONGEST_OBJECT = 100_000;

/** How a form may spell a field of an envelope. */
const IN_ENVELOPE = /^(?:job|data|payload)\[([\w-]+)\]$/;

/** `job-id`, `job_id` and `jobId` are one name. */
function plain(name: string): string {
	return name.length > LONGEST_NAME ? '' : name.replace(/[-_]/g, '').toLowerCase();
}

/** The text of a value, also as xml2js gives an element with attributes, or a list of one. */
function textIn(value: unknown): string | undefined {
	if (typeof value === 'string') return value.length > LONGEST_VALUE ? undefined : value.trim();
	if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
	if (Array.isArray(value)) return value.length === 1 ? textIn(value[0]) : undefined;
	return isObject(value) && Object.hasOwn(value, '_') ? textIn(value._) : undefined;
}

/** The first field of one of these names whose text fits; of the text the pattern's group, if it has one. */
function fieldOf(fields: Fields, names: readonly string[], pattern: RegExp): string | undefined {
	for (const [name, value] of Object.entries(fields)) {
		const found = names.includes(plain(name)) ? pattern.exec(textIn(value) ?? '') : null;
		if (found !== null) return found[1] ?? found[0];
	}
	return undefined;
}

/** The job that one object names; `id` alone counts only where the object is certainly a job. */
function jobIn(fields: Fields, isEnvelope: boolean): Notification | undefined {
	const status = fieldOf(fields, ['status'], STATUS);
	const jobId =
		fieldOf(fields, ID_NAMES, JOB_ID) ??
		(isEnvelope || status !== undefined ? fieldOf(fields, ['id'], JOB_ID) : undefined) ??
		fieldOf(fields, URL_NAMES, ID_IN_ADDRESS);
	return jobId === undefined ? undefined : { jobId, status, job: fields };
}

/** The object that a value is, also as JSON in a text, or in a list of one. */
function asFields(value: unknown): Fields | undefined {
	if (Array.isArray(value)) return value.length === 1 ? asFields(value[0]) : undefined;
	if (typeof value !== 'string') return isObject(value) ? value : undefined;
	if (value.length > LONGEST_OBJECT || !value.trimStart().startsWith('{')) return undefined;
	try {
		const data = JSON.parse(value) as Fields;
		return isWithinBounds(data) ? data : undefined;
	} catch {
		return undefined;
	}
}

/** The job that an object names, or one a level down, which a form spells `job[job_id]=…`. */
function jobInOrBelow(fields: Fields): Notification | undefined {
	const entries = Object.entries(fields).filter(([name]) => name.length <= LONGEST_NAME);
	const spelled = entries.map(([name, value]) => [IN_ENVELOPE.exec(name)?.[1] ?? '', value]);
	const envelopes = entries.filter(([name]) => ENVELOPES.includes(plain(name)));
	const below = [...envelopes.map(([, value]) => asFields(value)), asFields(Object.fromEntries(spelled))];
	const jobs = below.map((one) => one && jobIn(one, true));
	return jobIn(fields, false) ?? jobs.find((job) => job !== undefined);
}

/** The root element of an XML document, which may have any name. */
function xmlRoot(fields: Fields, contentType = ''): Fields | undefined {
	const [only, ...more] = Object.entries(fields);
	if (only === undefined || more.length > 0 || !/[/+]xml\b/i.test(contentType)) return undefined;
	return only[0] === '__proto__' ? undefined : asFields(only[1]);
}

/**
 * Finds the job that a call is about: in the body (JSON, form, XML, text that holds JSON) or in the query, at the
 * root or one level down. Field names are not documented, so all that were seen are understood. Time and memory grow no
 * faster than what was sent, and end at the bounds of {@link isWithinBounds}.
 *
 * @returns undefined when the call names no job, names it by something that cannot be a job ID, or is out of bounds
 */
export function readNotification({ body, query, contentType }: CallToRead): Notification | undefined {
	if (!isWithinBounds(body) || !isWithinBounds(query)) return undefined;
	const fields = asFields(body);
	const candidates = [fields, fields && xmlRoot(fields, contentType), query];
	return candidates.map((one) => one && jobInOrBelow(one)).find((job) => job !== undefined);
}
