import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { Dice } from '../content/random.ts';
import type { Job } from '../job.ts';
import { answeredValues, statusOf } from '../job.ts';
import { fillBytesOf } from '../outcome.ts';
import { resultOf } from '../results.ts';
import type { Service } from '../service.ts';
import type { Format } from './format.ts';
import { setContentType, xmlStyle } from './reply.ts';
import { csvText, tableOf } from './table.ts';
import { XML_DECLARATION, xmlElement } from './xml.ts';
import { xlsxFile } from './xlsx.ts';

/** Size of the pieces in which a large download is written. */
const PIECE_CHARACTERS = 64 * 1024;

/** How one format writes the frame, a result, and what stands between two of them. */
interface Writer {
	head: string;
	result: (result: unknown) => string;
	glue: string;
	tail: string;
}

export function answeredInOrder(service: Service, job: Job): string[] {
	const values = answeredValues(job, service.clock.now());
	if (service.options.resultsOrder === 'reversed') return values.reverse();
	if (service.options.resultsOrder === 'asAsked') return values;
	const dice = new Dice(job.id);
	const ranked = values.map((value) => ({ value, rank: dice.number(0, 1_000_000) }));
	return ranked.sort((a, b) => a.rank - b.rank).map(({ value }) => value);
}

export function rootOf(service: Service, job: Job): Record<string, unknown> {
	const status = statusOf(job, service.clock.now(), service.options);
	return { job_id: job.id, status, free_credits: job.shown.free, paid_credits: job.shown.paid };
}

function jsonWriter(service: Service, job: Job): Writer {
	const root = JSON.stringify(rootOf(service, job));
	return {
		head: `${root.slice(0, -1)},"results":[`,
		result: (result) => JSON.stringify(result),
		glue: ',',
		tail: ']}',
	};
}

function xmlWriter(service: Service, job: Job): Writer {
	const style = xmlStyle(service.options);
	const break_ = style.indent ? '\n' : '';
	const fields = Object.entries(rootOf(service, job)).map(([name, value]) =>
		xmlElement(name, value, style),
	);
	const hash = service.options.xmlRoot === 'hash';
	return {
		head: `${XML_DECLARATION}${hash ? `<hash>${break_}${fields.join('')}` : ''}<results type="array">${break_}`,
		result: (result) => xmlElement('result', result, style),
		glue: '',
		tail: `</results>${hash ? `${break_}</hash>` : ''}${break_}`,
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
	const values = answeredInOrder(service, job);
	for (const [index, value] of values.entries()) {
		const text = writer.result(resultOf(job, value, service.options));
		yield glue + text;
		glue = writer.glue;
		const extra = index === values.length - 1 ? service.options.downloadMegabytes * 1_000_000 : 0;
		yield* repeated(text, value, Math.max(extra, fillBytesOf(value)), glue);
	}
}

/** Small texts put together, so that a large file is not sent in a million writes. */
function* pieces(writer: Writer, texts: Generator<string>): Generator<Buffer> {
	let piece = writer.head;
	for (const text of texts) {
		piece += text;
		if (piece.length < PIECE_CHARACTERS) continue;
		yield Buffer.from(piece);
		piece = '';
	}
	yield Buffer.from(piece + writer.tail);
}

function tableBody(service: Service, job: Job, format: 'csv' | 'xlsx'): Buffer {
	const results = answeredInOrder(service, job).map((value) => resultOf(job, value, service.options));
	const table = tableOf(job.id, results);
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
