import { discard, limitSilence, peek } from './body';
import { decodeText } from './decode/bytes';
import { decodeBody, isHtml, type Decoded } from './decode/body';
import { JsonScan } from './decode/json';
import type { DownloadFormat } from './dialect';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { bodyProblem, cleanExcerpt, problemWith, tooEarly, type Exchange } from './reply';
import { hasResults, isForeignList } from './schemas';
import { patienceFor, sendRequest, type RequestScope, type WireRequest } from './wire';

/** A download that has begun, or is there as a whole, and looks like what was asked for. */
export interface OpenDownload {
	body: NodeJS.ReadableStream | Buffer;
}

/** What the file holds, as far as it can be told without reading it as data. */
export interface StoredFile<T> {
	stored: T;
	/** Whether it certainly holds no result: they may stand elsewhere. Undefined for formats that do not tell. */
	isWithoutResults?: boolean;
}

/** A body up to this size is judged as a whole before it is stored; a larger one on its way. */
const HEAD_BYTES = 1024 * 1024;
/** How much is looked at of its beginning, to tell a file from a web page. */
const START_BYTES = 64 * 1024;
/** How much of its end is kept of a file that ends with a mark. */
const TAIL_BYTES = 66 * 1024;

/** How every XLSX begins, as every ZIP archive does. */
const XLSX_BEGINNING = 'PK\x03\x04';

/** Whether a body can be of the format, by its first characters after blanks. CSV has no mark of its own. */
const BEGINS_LIKE: Readonly<Record<DownloadFormat, (start: string) => boolean>> = {
	json: (start) => /^[[{]/.test(start),
	xml: (start) => start.startsWith('<'),
	csv: (start) => /^[^<{]/.test(start) && !start.startsWith(XLSX_BEGINNING),
	xlsx: (start) => start.startsWith(XLSX_BEGINNING),
};

/** What stands in the last part of every XLSX: the end of its directory. */
const XLSX_END = 'PK\x05\x06';

/** How a body begins as text, without leading blanks and byte order mark; binary formats stay recognisable. */
function startOf(head: Buffer, contentType: string | undefined): string {
	const first = head.subarray(0, START_BYTES);
	const isWide = first.subarray(0, 4).includes(0);
	const text = isWide ? decodeText(first, contentType).text : first.toString('latin1');
	return text.replace(/^(\xef\xbb\xbf|\uFEFF)?\s*/, '');
}

/** A body that is no file in the format that was asked for: what it is instead, as far as its beginning tells. */
async function refusalIn(exchange: Exchange, head: Buffer, format: DownloadFormat): Promise<Problem> {
	const { scope, request, reply } = exchange;
	const { headers, status } = reply;
	const body = await decodeBody([head], headers['content-type'], scope.clock.yieldToEventLoop);
	const problem = problemWith(exchange, body);
	const isCertain =
		status >= 300 || problem?.reason !== undefined || /^(htmlBody|emptyBody)$/.test(problem?.kind ?? '');
	if (problem !== undefined && isCertain) return problem;
	const early = body.ok ? tooEarly(request.endpoint, body.value) : undefined;
	const detail = `Asked for ${format.toUpperCase()}, but something else came`;
	return early ?? { kind: 'formatRefused', endpoint: request.endpoint, status, detail, effect: 'none' };
}

/** Looks at a file of the right format while somebody else reads it, to tell whether its end is there. */
class Inspection {
	private readonly scan = new JsonScan();
	private tail = Buffer.alloc(0);

	constructor(
		private readonly format: DownloadFormat,
		private readonly head: Buffer,
	) {}

	see(bytes: Buffer): void {
		if (this.format === 'json') this.scan.read(bytes);
		this.tail = Buffer.concat([this.tail, bytes]);
		if (this.tail.length > 2 * TAIL_BYTES) this.tail = Buffer.from(this.tail.subarray(-TAIL_BYTES));
	}

	get isWhole(): boolean {
		const plain = (bytes: Buffer) => bytes.toString('latin1').replaceAll('\0', '');
		if (this.format === 'json') return this.head.subarray(0, 4).includes(0) || !this.scan.isOpen;
		if (this.format === 'xlsx') return this.tail.includes(XLSX_END);
		if (this.format === 'csv') return true;
		const [, root = ''] = /<([\p{L}_][^\s/>]*)/u.exec(plain(this.head)) ?? [];
		const tail = plain(this.tail).trimEnd();
		return tail.endsWith('>') && tail.startsWith(root, tail.lastIndexOf('</') + 2);
	}
}

/** What is wrong with a file that is decoded, or its beginning; else whether it holds no result. */
function verdictOn(exchange: Exchange, body: Decoded): Outcome<boolean> {
	const { scope, request, reply } = exchange;
	const value = body.ok ? body.value : undefined;
	const problem = problemWith(exchange, body) ?? tooEarly(request.endpoint, value);
	if (problem !== undefined) return failure(problem);
	if (!isForeignList(value)) return success(!hasResults(value));
	const excerpt = cleanExcerpt(body.head, scope.dialect.secrets);
	const detail = `Expected results, but it is a list of something else. It begins with: ${excerpt}`;
	return failure({
		kind: 'unexpectedBody',
		endpoint: request.endpoint,
		status: reply.status,
		effect: 'none',
		detail,
	});
}

/** Hands a download on; tells a connection that broke from a place to store it that failed. */
async function handOn<T>(
	{ scope, request }: Exchange,
	body: NodeJS.ReadableStream | Buffer,
	store: (download: OpenDownload) => Promise<T>,
	inspection: Inspection,
): Promise<Outcome<T>> {
	const broken: unknown[] = [];
	if (!Buffer.isBuffer(body)) {
		body.on('error', (error) => broken.push(error));
		limitSilence(body, patienceFor(scope, request));
		body.on('data', (chunk: Buffer | string) => inspection.see(Buffer.from(chunk)));
	}
	try {
		return success(await store({ body }));
	} catch (error) {
		if (!Buffer.isBuffer(body)) discard(body);
		const [cause = error] = broken;
		const problem = networkProblem(cause, request.endpoint, scope.dialect, true);
		return failure(broken.length > 0 ? problem : { ...problem, kind: 'notStored' });
	}
}

/**
 * One attempt at a file: its body is handed on untouched, and it is the file, whole: a page, a refusal, a job that still
 * runs or a body that ends too soon is a problem, although a large one may have been stored by then.
 */
export async function fetchFile<T>(
	scope: RequestScope,
	request: WireRequest,
	format: DownloadFormat,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<StoredFile<T>>> {
	const sent = await sendRequest(scope, { ...request, uncompressed: true });
	if (!sent.ok) return sent;
	const reply = sent.value;
	const exchange = { scope, request, reply };
	try {
		const { head, ended } = await peek(reply.body, HEAD_BYTES, patienceFor(scope, request));
		const start = startOf(head, reply.headers['content-type']);
		if (reply.status >= 300 || !BEGINS_LIKE[format](start) || isHtml(start)) {
			if (!ended) discard(reply.body);
			return failure(await refusalIn(exchange, head, format));
		}
		const isDocument = format === 'json' || format === 'xml';
		const contentType = reply.headers['content-type'];
		const { yieldToEventLoop } = scope.clock;
		const verdict = isDocument
			? verdictOn(exchange, await decodeBody([head], contentType, yieldToEventLoop, !ended))
			: undefined;
		if (verdict?.ok === false) {
			if (!ended) discard(reply.body);
			return verdict;
		}
		const inspection = new Inspection(format, head);
		if (ended) inspection.see(head);
		const stored = await handOn(exchange, ended ? head : reply.body, store, inspection);
		if (!stored.ok) return stored;
		const { endpoint } = request;
		if (!inspection.isWhole)
			return failure({ kind: 'truncatedBody', endpoint, status: reply.status, effect: 'none' });
		const isWithoutResults = ended ? verdict?.value : undefined;
		return success({ stored: stored.value, isWithoutResults });
	} catch (error) {
		discard(reply.body);
		return failure(bodyProblem(exchange, error));
	}
}
