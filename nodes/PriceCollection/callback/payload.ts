import { parseUrl } from '../service/address';
import { isObject } from '../service/types';
import { isWithinBounds } from './bounds';

/** What a call says about a job. None of it is proven. */
export interface Notification {
	jobId: string;
	/** As it stands in the call; absent when it names none. */
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

type Fields = Readonly<Record<string, unknown>>;

/** Where a job is described one level down. */
const ENVELOPES: ReadonlySet<string> = new Set(['job', 'data', 'payload']);
const ID_NAMES = ['jobid', 'job'];
const URL_NAMES = ['downloadurl', 'jobdownloadurl'];
/** What no request path can be built from safely: spaces, separators, encodings, control characters. */
const JOB_ID = /^[^\s/\\?#%\p{C}]{1,200}$/u;
const STATUS = /^[\w -]{1,50}$/;
const LONGEST_NAME = 50;
/** An ID, a status or an address. */
const LONGEST_VALUE = 4_000;
/** An object that a form spells as one text. */
const LONGEST_TEXT = 100_000;

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

function fieldOf(fields: Fields, names: readonly string[], pattern: RegExp): string | undefined {
	for (const [name, value] of Object.entries(fields)) {
		const text = names.includes(plain(name)) ? textIn(value) : undefined;
		if (text !== undefined && pattern.test(text) && !/^\.+$/.test(text)) return text;
	}
	return undefined;
}

/** The ID inside a download address. Only that is taken from it: nothing is ever fetched from there. */
function idInAddress(fields: Fields): string | undefined {
	for (const [name, value] of Object.entries(fields)) {
		if (!URL_NAMES.includes(plain(name))) continue;
		const path = parseUrl(textIn(value) ?? '')?.pathname ?? '';
		const id = /\/jobs\/([^/]+)\/download(\.\w+)?$/.exec(path)?.[1];
		if (id !== undefined && JOB_ID.test(id)) return id;
	}
	return undefined;
}

/** The job that one object names; `id` alone counts only where the object is certainly a job. */
function jobIn(fields: Fields, isEnvelope: boolean): Notification | undefined {
	const status = fieldOf(fields, ['status'], STATUS);
	const jobId =
		fieldOf(fields, ID_NAMES, JOB_ID) ??
		(isEnvelope || status !== undefined ? fieldOf(fields, ['id'], JOB_ID) : undefined) ??
		idInAddress(fields);
	return jobId === undefined ? undefined : { jobId, status, job: fields };
}

/** The object that a text spells, such as the `payload` field of a form. */
function parsed(text: string): unknown {
	if (text.length > LONGEST_TEXT || !text.trimStart().startsWith('{')) return undefined;
	try {
		const data = JSON.parse(text) as unknown;
		return isWithinBounds(data) ? data : undefined;
	} catch {
		return undefined;
	}
}

function asFields(value: unknown): Fields | undefined {
	const data = typeof value === 'string' ? parsed(value) : value;
	if (Array.isArray(data)) return data.length === 1 ? asFields(data[0]) : undefined;
	return isObject(data) ? data : undefined;
}

/** The objects one level down, also those that a form spells `job[job_id]=…`. */
function envelopesOf(fields: Fields): Fields[] {
	const spelled = new Map<string, Record<string, unknown>>();
	const found: Fields[] = [];
	for (const [name, value] of Object.entries(fields)) {
		const inner = ENVELOPES.has(plain(name)) ? asFields(value) : undefined;
		if (inner !== undefined) found.push(inner);
		if (name.length > LONGEST_NAME) continue;
		const [, envelope = '', field = ''] = /^(\w+)\[([\w-]+)\]$/.exec(name) ?? [];
		if (!ENVELOPES.has(envelope) || field === '__proto__') continue;
		const object = spelled.get(envelope) ?? {};
		object[field] = value;
		spelled.set(envelope, object);
	}
	return [...found, ...spelled.values()];
}

function jobInOrBelow(fields: Fields): Notification | undefined {
	const root = jobIn(fields, false);
	if (root !== undefined) return root;
	for (const envelope of envelopesOf(fields)) {
		const inner = jobIn(envelope, true);
		if (inner !== undefined) return inner;
	}
	return undefined;
}

/** The root element of an XML document, which may have any name. */
function xmlRoot(fields: Fields, contentType: string | undefined): Fields | undefined {
	const [only, ...more] = Object.entries(fields);
	if (only === undefined || more.length > 0 || !/[/+]xml\b/i.test(contentType ?? '')) return undefined;
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
	const root = fields === undefined ? undefined : xmlRoot(fields, contentType);
	for (const candidate of [fields, root, query]) {
		const found = candidate === undefined ? undefined : jobInOrBelow(candidate);
		if (found !== undefined) return found;
	}
	return undefined;
}
