import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { writeJson } from '../content/exactNumber.ts';
import { namedJobs, namedRefusal } from '../naming.ts';
import type { SandboxOptions } from '../options.ts';
import type { Refusal } from '../refusals.ts';
import { formatOf, MEDIA_TYPES } from './format.ts';
import type { Format } from './format.ts';
import { xmlBytes, xmlContentType, xmlDocument } from './xml.ts';

export type Fields = Record<string, unknown>;

/** A request as the service reads it. */
export interface Asked {
	method: string;
	/** Without the format suffix. */
	path: string;
	/** The format of the path suffix. */
	suffix: Format | null;
	/** The address as it came, with suffix and query. */
	url: URL;
	/** Of several parameters with a name the last; `values[]` is the list `values`. */
	query: Fields;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Reply {
	status: number;
	headers: Record<string, string>;
	body: Buffer | Readable;
}

type Options = SandboxOptions;

/** Kinds of replies. A list has its own shapes and takes only the flag; a usage is never wrapped as a job. */
type ReplyKind = 'job' | 'list' | 'usage';

const FLAGS: Record<Options['envelopeFlag'], Fields> = {
	none: {},
	error0: { error: 0 },
	successTrue: { success: true },
	successText: { success: 'true' },
	successOne: { success: 1 },
};

/** A successful reply with the names and the envelope that are switched on. A bare job list stays bare. */
export function enveloped(kind: ReplyKind, whole: unknown, options: Options): unknown {
	const { envelope, envelopeFlag } = options;
	const body = kind === 'usage' ? whole : namedJobs(whole, options);
	const flag = FLAGS[envelopeFlag];
	if (kind === 'list' || envelope === 'none' || (envelope === 'job' && kind === 'usage'))
		return Array.isArray(body) ? body : { ...flag, ...(body as Fields) };
	if (envelope === 'request') return { id: 'req-7', status: 'success', ...flag, data: body };
	return { ...flag, [envelope]: body };
}

/** The Content-Type header for a format: the true type, or the false one that is switched on. */
export function typeOf(format: Format, options: Options): Record<string, string> {
	const truth = format === 'xml' ? xmlContentType(options) : MEDIA_TYPES[format];
	return { 'content-type': options.contentType || truth };
}

function written(body: unknown, format: Format, root: string, options: Options): Buffer {
	return format === 'xml'
		? xmlBytes(xmlDocument(root, body, options), options.xmlEncoding)
		: Buffer.from(writeJson(body));
}

/** A reply whose body is sent as it is. */
export function plainReply(status: number, body = '', headers: Record<string, string> = {}): Reply {
	return { status, headers, body: Buffer.from(body) };
}

/** A successful reply as JSON or XML, as requested, in the envelope that is switched on. `root` names the XML root. */
export function goodReply(
	asked: Asked,
	kind: ReplyKind,
	body: unknown,
	options: Options,
	{ root = 'hash', status = 200 } = {},
): Reply {
	const format = formatOf(asked, options) === 'xml' ? 'xml' : 'json';
	const packed = enveloped(kind, body, options);
	return { status, headers: typeOf(format, options), body: written(packed, format, root, options) };
}

/** A refusal with the status of its reason, or as HTTP 200. */
export function refusalReply(asked: Asked, refusal: Refusal, options: Options): Reply {
	const isAboutFormat = refusal.body.parameter === options.formatParameter;
	const format = isAboutFormat ? options.defaultFormat : formatOf(asked, options);
	const status = options.refusalStyle === 'ok' ? 200 : refusal.status(options.refusalStatuses);
	const sent = format === 'xml' ? 'xml' : 'json';
	const headers = { ...typeOf(sent, options), ...refusal.headers };
	const body = namedRefusal(refusal.body, options);
	return { status, headers, body: written(body, sent, 'hash', options) };
}
