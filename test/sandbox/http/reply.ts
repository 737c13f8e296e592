import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { SandboxOptions } from '../options.ts';
import type { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';
import { formatOf, MEDIA_TYPES } from './format.ts';
import type { Format } from './format.ts';
import type { LoggedRequest } from './requestLog.ts';
import { xmlDocument } from './xml.ts';
import type { XmlStyle } from './xml.ts';

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

export function xmlStyle(options: SandboxOptions): XmlStyle {
	return { indent: options.xmlIndent, symbols: options.statusSymbol };
}

export function askedFormat(service: Service, request: FastifyRequest): Format {
	return formatOf(request, notesOf(request.raw)?.suffix ?? null, service.options);
}

/** Sets the content type, or the lie that is switched on. */
export function setContentType(reply: FastifyReply, format: Format, options: SandboxOptions): void {
	reply.header('content-type', options.contentType || MEDIA_TYPES[format]);
}

/** For `contentType: none`: the server itself would name a type, so it is taken off at the end. */
export function dropContentType(reply: FastifyReply, options: SandboxOptions): void {
	if (options.contentType === 'none') reply.removeHeader('content-type');
}

/** Sends `body` as JSON or XML, whichever is asked for. `root` names the XML root of a list. */
export function sendBody(
	service: Service,
	request: FastifyRequest,
	reply: FastifyReply,
	body: unknown,
	root = 'hash',
): FastifyReply {
	return sendAs(service, reply, body, askedFormat(service, request), root);
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
	return reply.send(Buffer.from(xml ? xmlDocument(root, body, xmlStyle(options)) : JSON.stringify(body)));
}

/** Sends a refusal with the status that belongs to its reason, or as HTTP 200. */
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
	reply.code(status).headers(refusal.headers);
	return sendAs(service, reply, refusal.body, asked, 'hash');
}
