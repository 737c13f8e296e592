import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { writeJson } from '../content/exactNumber.ts';
import type { Job } from '../job.ts';
import { statusOf } from '../job.ts';
import { resultValues, trueResults } from '../jobResults.ts';
import { fillBytesOf } from '../outcome.ts';
import { resultOf } from '../results.ts';
import { shapedResult } from '../resultShape.ts';
import type { Service } from '../service.ts';
import { flagOf, wrapperOf } from './envelope.ts';
import type { Format } from './format.ts';
import { setContentType } from './reply.ts';
import { csvText, tableOf } from './table.ts';
import { elementName, listAttribute, rootAttributes, xmlElement } from './xml.ts';
import { xmlBytes, xmlHead } from './xmlBytes.ts';
import { xlsxFile } from './xlsx.ts';

/** Size of the pieces in which a large download is written. */
const PIECE_CHARACTERS = 64 * 1024;

/** How one format writes the frame, a result, and what stands between two of them. */
interface Writer {
	head: string;
	result: (result: unknown) => string;
	glue: string;
	tail: string;
	encode: (text: string) => Buffer;
}

/** What stands beside the results of a download. */
export function rootOf(service: Service, job: Job): Record<string, unknown> {
	const status = statusOf(job, service.clock.now(), service.options);
	return { job_id: job.id, status, free_credits: job.shown.free, paid_credits: job.shown.paid };
}

function jsonWriter(service: Service, job: Job): Writer {
	const { options } = service;
	const wrapper = wrapperOf('download', options);
	const flag = JSON.stringify(flagOf(options, wrapper)).slice(0, -1);
	const root = JSON.stringify(rootOf(service, job)).slice(1, -1);
	const comma = flag === '{' ? '' : ',';
	return {
		head: `${flag}${comma}${wrapper === undefined ? '' : `"${wrapper}":{`}${root},"results":[`,
		result: writeJson,
		glue: ',',
		tail: `]}${wrapper === undefined ? '' : '}'}`,
		encode: (text) => Buffer.from(text),
	};
}

/** A document with `results` at its root has no room for an envelope. */
function xmlWriter(service: Service, job: Job): Writer {
	const { options } = service;
	const break_ = options.xmlIndent ? '\n' : '';
	const fieldsOf = (fields: object) =>
		Object.entries(fields)
			.map(([name, value]) => xmlElement(name, value, options))
			.join('');
	const hash = options.xmlRoot === 'hash';
	const wrapper = wrapperOf('download', options);
	const around = hash ? ['hash', ...(wrapper === undefined ? [] : [wrapper])] : [];
	const names = [...around, 'results'].map((name) => elementName(name, options));
	const open = names.map((name, index) => {
		const attributes = index === 0 ? rootAttributes(options) : '';
		const last = index === names.length - 1;
		const before = last && hash ? fieldsOf(rootOf(service, job)) : '';
		const flag = index === 0 && hash ? fieldsOf(flagOf(options, wrapper)) : '';
		return `${before}<${name}${attributes}${last ? listAttribute('results', options) : ''}>${break_}${flag}`;
	});
	const close = names.toReversed().map((name) => `</${name}>${break_}`);
	return {
		head: xmlHead(options) + open.join(''),
		result: (result) => xmlElement('result', result, options),
		glue: '',
		tail: close.join(''),
		encode: (text) => xmlBytes(text, options.xmlEncoding),
	};
}

/** The same result again under numbered values, until `bytes` are written. */
function* repeated(text: string, value: string, bytes: number, glue: string): Generator<string> {
	let written = Buffer.byteLength(text);
	for (let number = 1; written < bytes; number++) {
		const copy = glue + text.replaceAll(value, `${value}#${number}`);
		written += copy.length;
		yield copy;
	}
}

function* resultTexts(service: Service, job: Job, writer: Writer): Generator<string> {
	let glue = '';
	const { options, clock } = service;
	const values = resultValues(job, clock.now(), options);
	for (const [index, value] of values.entries()) {
		const text = writer.result(shapedResult(resultOf(job, value, options), index, options));
		yield glue + text;
		glue = writer.glue;
		const extra = index === values.length - 1 ? options.downloadMegabytes * 1_000_000 : 0;
		yield* repeated(text, value, Math.max(extra, fillBytesOf(value)), glue);
	}
}

/** Small texts put together, so that a large file is not sent in a million writes. */
function* pieces(writer: Writer, texts: Generator<string>): Generator<Buffer> {
	let piece = writer.head;
	for (const text of texts) {
		piece += text;
		if (piece.length < PIECE_CHARACTERS) continue;
		yield writer.encode(piece);
		piece = '';
	}
	yield writer.encode(piece + writer.tail);
}

function tableBody(service: Service, job: Job, format: 'csv' | 'xlsx'): Buffer {
	const table = tableOf(job.id, trueResults(job, service.clock.now(), service.options));
	return format === 'csv' ? Buffer.from(csvText(table)) : xlsxFile(table);
}

/** Sends the results of a job; a filled-up one as a stream that never stands in memory as a whole. */
export function sendDownload(service: Service, reply: FastifyReply, job: Job, format: Format): FastifyReply {
	setContentType(reply, format, service.options);
	if (format === 'csv' || format === 'xlsx') return reply.send(tableBody(service, job, format));
	const writer = format === 'xml' ? xmlWriter(service, job) : jsonWriter(service, job);
	const body = pieces(writer, resultTexts(service, job, writer));
	const large =
		service.options.downloadMegabytes > 0 || job.request.values.some((value) => fillBytesOf(value) > 0);
	return reply.send(large ? Readable.from(body, { objectMode: false }) : Buffer.concat([...body]));
}
