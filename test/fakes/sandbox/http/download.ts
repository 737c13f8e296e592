import { Readable } from 'node:stream';
import { writeJson } from '../content/exactNumber.ts';
import type { Job } from '../job.ts';
import { statusOf } from '../job.ts';
import { spelledName } from '../naming.ts';
import { fillBytesOf } from '../outcome.ts';
import { resultOf } from '../results.ts';
import type { Result } from '../results.ts';
import { resultValues, shapedResult } from '../resultShape.ts';
import type { Service } from '../service.ts';
import type { Format } from './format.ts';
import { enveloped, typeOf } from './reply.ts';
import type { Fields, Reply } from './reply.ts';
import { xmlBytes, xmlDocument, xmlElement } from './xml.ts';

/** Size of the pieces in which a large download is written. */
const PIECE_CHARACTERS = 64 * 1024;

/** The last record of a ZIP file, which shows that the file is complete. */
const WORKBOOK_END = `PK\u0005\u0006${'\0'.repeat(18)}`;

/** Placeholder for the results in a document. */
const PLACE = '\uE0F0';

/** The fields beside a download's results. */
export function rootOf(service: Service, job: Job): Fields {
	const status = statusOf(job, service.clock.now(), service.options);
	return { job_id: job.id, status, free_credits: job.shown, paid_credits: 0 };
}

/** Repeats a result under numbered values until `bytes` are written. */
function* repeated(text: string, value: string, bytes: number): Generator<string> {
	let written = Buffer.byteLength(text);
	for (let number = 1; written < bytes; number++) {
		const copy = text.replaceAll(value, `${value}#${number}`);
		written += copy.length;
		yield copy;
	}
}

/** A download's document in pieces, so that a large one is never in memory as a whole. */
function* textsOf(service: Service, job: Job, xml: boolean): Generator<string> {
	const { options, clock } = service;
	const element = spelledName('result', options);
	const write = (result: unknown) => (xml ? xmlElement(element, result, options) : writeJson(result));
	const values = resultValues(job, clock.now(), options);
	const list = values.length === 0 ? [] : [PLACE];
	const body = enveloped('job', { ...rootOf(service, job), results: list }, options);
	// A document with `results` at its root has no room for an envelope.
	const document =
		options.xmlRoot === 'results'
			? xmlDocument(spelledName('results', options), list, options)
			: undefined;
	const whole = xml ? (document ?? xmlDocument('hash', body, options)) : writeJson(body);
	const place = write(PLACE).trim();
	const [head = '', tail = ''] = whole.split(place);
	yield head;
	let glue = '';
	for (const [index, value] of values.entries()) {
		const text = write(shapedResult(resultOf(job, value, options), index, options));
		for (const one of [text, ...repeated(text, value, fillBytesOf(value))]) {
			yield glue + one;
			glue = xml ? '' : ',';
		}
	}
	yield tail;
}

/** Joins small texts, so that a large file is not sent in a million writes. */
function* pieces(texts: Generator<string>, encode: (text: string) => Buffer): Generator<Buffer> {
	let piece = '';
	for (const text of texts) {
		piece += text;
		if (piece.length < PIECE_CHARACTERS) continue;
		yield encode(piece);
		piece = '';
	}
	yield encode(piece);
}

/** A line for each result. Only the other formats have the nested fields of its content. */
function tableOf(results: Result[]): string {
	const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`;
	const lines = results.map(({ query, success, reason, content }) => {
		const fields = Object.values((content ?? {}) as Fields).filter((field) => typeof field !== 'object');
		return [query.key, query.value, success, reason, ...fields].map(cell).join(',');
	});
	return ['key,value,success,reason,content', ...lines].map((line) => `${line}\r\n`).join('');
}

/** A job's results as a file. Only the start and the end of a workbook are real: no test opens it. */
export function downloadReply(service: Service, job: Job, format: Format): Reply {
	const { options, clock } = service;
	const reply = (body: Buffer | Readable): Reply => ({
		status: 200,
		headers: typeOf(format, options),
		body,
	});
	if (format === 'csv' || format === 'xlsx') {
		const results = resultValues(job, clock.now(), options).map((value) => resultOf(job, value, options));
		const table = tableOf(results);
		return reply(Buffer.from(format === 'csv' ? table : `PK\u0003\u0004${table}${WORKBOOK_END}`));
	}
	const xml = format === 'xml';
	const encode = (text: string) => (xml ? xmlBytes(text, options.xmlEncoding) : Buffer.from(text));
	const body = pieces(textsOf(service, job, xml), encode);
	const large = job.request.values.some((value) => fillBytesOf(value) > 0);
	return reply(large ? Readable.from(body, { objectMode: false }) : Buffer.concat([...body]));
}
