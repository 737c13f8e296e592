import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { writeJson } from '../content/exactNumber.ts';
import type { SandboxOptions } from '../options.ts';
import type { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { formatOf, MEDIA_TYPES } from './format.ts';
import type { Format } from './format.ts';
import type { LoggedRequest } from './requestLog.ts';
import { enveloped } from './envelope.ts';
import type { ReplyKind } from './envelope.ts';
import { shapedRefusal } from './refusalShapes.ts';
import { xmlBytes, xmlContentType, xmlDocument } from './xmlBytes.ts';

/** What is known about a request before its handler runs. */
export interface RequestNotes {
	entry: LoggedRequest;
	suffix: Format | null;
}

const notes = new WeakMap<IncomingMessage, RequestNotes>();

export function noteRequest(raw: IncomingMessage, note: RequestNotes): void {
	notes.set(raw, note);
}

export function notesOf(raw: IncomingMessage): RequestNotes | undefined {
	return notes.get(raw);
}

export function askedFormat(service: Service, request: FastifyRequest): Format {
	return formatOf(request, notesOf(request.raw)?.suffix ?? null, service.options);
}

/** Sets the content type, or the lie that is switched on. */
export function setContentType(reply: FastifyReply, format: Format, options: SandboxOptions): void {
	const truth = format === 'xml' ? xmlContentType(options) : MEDIA_TYPES[format];
	reply.header('content-type', options.contentType || truth);
}

/** For `contentType: none`: the server itself would name a type, so it is taken off at the end. */
export function dropContentType(reply: FastifyReply, options: SandboxOptions): void {
	if (options.contentType === 'none') reply.removeHeader('content-type');
}

/**
 * Sends a good reply as JSON or XML, whichever is asked for, in the envelope that is switched on. `root` names the
 * XML root of a list.
 */
export function sendBody(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	kind: ReplyKind,
	body: unknown,
	root = 'hash',
): FastifyReply {
	const format = askedFormat(service, request);
	return sendAs(service, reply, enveloped(kind, body, service.options), format, root);
}

function sendAs(
	service: Service,
	reply: FastifyReply,
	body: unknown,
	format: Format,
	root: string,
): FastifyReply {
	const { options } = service;
	const xml = format === 'xml';
	setContentType(reply, xml ? 'xml' : 'json', options);
	// A buffer, because the server would add a content type of its own to a string.
	return reply.send(
		xml ? xmlBytes(xmlDocument(root, body, options), options.xmlEncoding) : Buffer.from(writeJson(body)),
	);
}

/** Sends a refusal in the shape that is switched on, with the status that belongs to its reason, or as HTTP 200. */
export function sendRefusal(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	refusal: Refusal,
): FastifyReply {
	const { options } = service;
	const asked =
		refusal.body.parameter === options.formatParameter
			? options.defaultFormat
			: askedFormat(service, request);
	const status = options.refusalStyle === 'ok' ? 200 : refusal.status(options.refusalStatuses);
	const { body, root, only, contentType } = shapedRefusal(refusal.body, status, options.refusalShape);
	reply.code(status).headers(refusal.headers);
	const sent = sendAs(service, reply, body, only ?? asked, root);
	return contentType === undefined || options.contentType !== ''
		? sent
		: sent.header('content-type', contentType);
}
