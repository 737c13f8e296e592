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
	/** Below the prefix, without format suffix. */
	path: string;
	/** The format that the end of the path asks for. */
	suffix: Format | null;
	/** The address as it came: prefix, suffix and query included. */
	url: URL;
	/** The last of several parameters of a name; `values[]` is the list `values`. */
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

/** Which reply a body belongs to: a list has its own shapes and takes only the flag, a usage is never called a job. */
type ReplyKind = 'job' | 'list' | 'usage';

const FLAGS: Record<Options['envelopeFlag'], Fields> = {
	none: {},
	error0: { error: 0 },
	successTrue: { success: true },
	successText: { success: 'true' },
	successOne: { success: 1 },
};

/** A good reply with its jobs' own names, in the envelope that is switched on. A bare list stays bare. */
export function enveloped(kind: ReplyKind, whole: unknown, options: Options): unknown {
	const { envelope, envelopeFlag } = options;
	const body = kind === 'usage' ? whole : namedJobs(whole, options);
	const flag = FLAGS[envelopeFlag];
	if (kind === 'list' || envelope === 'none' || (envelope === 'job' && kind === 'usage'))
		return Array.isArray(body) ? body : { ...flag, ...(body as Fields) };
	if (envelope === 'request') return { id: 'req-7', status: 'success', ...flag, data: body };
	return { ...flag, [envelope]: body };
}

/** Headers of a body in a format: its type, or the lie that is switched on. */
export function typeOf(format: Format, options: Options): Record<string, string> {
	const truth = format === 'xml' ? xmlContentType(options) : MEDIA_TYPES[format];
	return { 'content-type': options.contentType || truth };
}

function written(body: unknown, format: Format, root: string, options: Options): Buffer {
	return format === 'xml'
		? xmlBytes(xmlDocument(root, body, options), options.xmlEncoding)
		: Buffer.from(writeJson(body));
}

/** Any body that is sent as it is. */
export function plainReply(status: number, body = '', headers: Record<string, string> = {}): Reply {
	return { status, headers, body: Buffer.from(body) };
}

/**
 * A good reply as JSON or XML, whichever is asked for, in the envelope that is switched on. `root` names the XML root of a
 * list.
 */
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

/** A refusal with the status that belongs to its reason, or as HTTP 200. */
export function refusalReply(asked: Asked, refusal: Refusal, options: Options): Reply {
	const isAboutFormat = refusal.body.parameter === options.formatParameter;
	const format = isAboutFormat ? options.defaultFormat : formatOf(asked, options);
	const status = options.refusalStyle === 'ok' ? 200 : refusal.status(options.refusalStatuses);
	const sent = format === 'xml' ? 'xml' : 'json';
	const headers = { ...typeOf(sent, options), ...refusal.headers };
	const body = namedRefusal(refusal.body, options);
	return { status, headers, body: written(body, sent, 'hash', options) };
}
