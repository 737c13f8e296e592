import { discard, limitSilence, peek, readBytes } from './body';
import { encodingOf } from './decode/bytes';
import { decodeBody } from './decode/body';
import { Outline } from './decode/outline';
import type { DownloadFormat } from './dialect';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { bodyProblem, cleanExcerpt, problemWith, tooEarly, wholeOf } from './reply';
import { hasResults, isForeignList } from './schemas';
import { patienceFor, sendRequest, type RequestScope, type WireReply, type WireRequest } from './wire';

/** A download that has begun, or is there as a whole, and looks like what was asked for. */
export interface OpenDownload {
	body: NodeJS.ReadableStream | Buffer;
}

/** A body up to this size is judged as a whole before it is stored; a larger one on its way. */
const HEAD_BYTES = 1024 * 1024;
/** How much is looked at of its beginning, to tell a file from a web page. */
const START_BYTES = 64 * 1024;
/** How much is read of a body that is not the file, to say what it is. */
const REFUSAL_BYTES = 64 * 1024;
/** How much of its end is kept of a file that ends with a mark. */
const TAIL_BYTES = 66 * 1024;

/** How each format begins, after blanks. CSV has no mark of its own. */
const BEGINNING: Readonly<Record<DownloadFormat, RegExp>> = {
	json: /^[[{]/,
	xml: /^</,
	csv: /^(?!PK\x03\x04)[^<{]/,
	xlsx: /^PK\x03\x04/,
};
/** What stands in the last part of every XLSX: the end of its directory. */
const XLSX_END = 'PK\x05\x06';

interface Head {
	bytes: Buffer;
	/** Whether these are all there is. */
	ended: boolean;
	/** How it begins as text, without leading blanks and byte order mark; binary formats stay recognisable. */
	start: string;
}

async function headOf(scope: RequestScope, request: WireRequest, reply: WireReply): Promise<Head> {
	const { head, ended } = await peek(reply.body, HEAD_BYTES, patienceFor(scope, request));
	const first = head.subarray(0, START_BYTES);
	const encoding = encodingOf(first, reply.headers['content-type']);
	const isWide = encoding.toLowerCase().startsWith('utf-16');
	const start = isWide ? new TextDecoder(encoding).decode(first) : first.toString('latin1');
	return { bytes: head, ended, start: start.replace(/^(\xef\xbb\xbf|\uFEFF)?\s*/, '') };
}

function formatProblem(request: WireRequest, status: number, format: DownloadFormat): Problem {
	const detail = `Asked for ${format.toUpperCase()}, but something else came`;
	return { kind: 'formatRefused', endpoint: request.endpoint, status, detail, effect: 'none' };
}

/** What the file holds, as far as it can be told without reading it as data. */
export interface StoredFile<T> {
	stored: T;
	/** Whether it certainly holds no result: they may stand elsewhere. Undefined for formats that do not tell. */
	isWithoutResults?: boolean;
}

/** A body that is no file in the format that was asked for: what it is instead. */
async function refusalIn(
	scope: RequestScope,
	request: WireRequest,
	reply: WireReply,
	bytes: Buffer,
	format: DownloadFormat,
): Promise<Problem> {
	const { clock } = scope;
	const body = await decodeBody(wholeOf(bytes), reply.headers['content-type'], clock.yieldToEventLoop);
	const problem = problemWith(scope, request, reply, body);
	const early = body.ok ? tooEarly(request, body.value) : undefined;
	const isCertain =
		problem !== undefined &&
		(reply.status >= 300 || problem.reason !== undefined || /^(htmlBody|emptyBody)$/.test(problem.kind));
	if (isCertain) return problem;
	return early ?? formatProblem(request, reply.status, format);
}

/** What is wrong with a body that has the right format. */
async function faultOf(
	scope: RequestScope,
	request: WireRequest,
	reply: WireReply,
	outline: Outline,
): Promise<Problem | undefined> {
	const { endpoint } = request;
	const { status } = reply;
	const body = await outline.finish();
	const problem = problemWith(scope, request, reply, body);
	if (problem !== undefined || !body.ok) return problem;
	if (!isForeignList(body.value)) return tooEarly(request, body.value);
	const excerpt = cleanExcerpt(body.head, scope.dialect.secrets);
	const detail = `Expected results, but it is a list of something else. It begins with: ${excerpt}`;
	return { kind: 'unexpectedBody', endpoint, status, detail, effect: 'none' };
}

function isBroken(format: DownloadFormat, tail: Buffer): boolean {
	return format === 'xlsx' && !tail.includes(XLSX_END);
}

function truncated(request: WireRequest, status: number): Problem {
	return { kind: 'truncatedBody', endpoint: request.endpoint, status, effect: 'none' };
}

/** Looks at a file while somebody else reads it. */
class Inspection {
	readonly outline: Outline | undefined;
	private tail = Buffer.alloc(0);

	constructor(
		private readonly format: DownloadFormat,
		contentType: string | undefined,
	) {
		this.outline = format === 'json' || format === 'xml' ? new Outline(format, contentType) : undefined;
	}

	see(bytes: Buffer): void {
		this.outline?.push(bytes);
		if (this.format === 'xlsx') {
			this.tail = Buffer.concat([this.tail, bytes]);
			if (this.tail.length > 2 * TAIL_BYTES) this.tail = Buffer.from(this.tail.subarray(-TAIL_BYTES));
		}
	}

	/** What is wrong with all that was seen. */
	async problem(scope: RequestScope, request: WireRequest, reply: WireReply): Promise<Problem | undefined> {
		if (this.outline !== undefined) return await faultOf(scope, request, reply, this.outline);
		return isBroken(this.format, this.tail) ? truncated(request, reply.status) : undefined;
	}

	async isWithoutResults(): Promise<boolean | undefined> {
		const body = await this.outline?.finish();
		return body?.ok === true ? !hasResults(body.value) : undefined;
	}
}

/** Hands a download on; tells a connection that broke from a place to store it that failed. */
async function handOn<T>(
	scope: RequestScope,
	request: WireRequest,
	body: NodeJS.ReadableStream | Buffer,
	store: (download: OpenDownload) => Promise<T>,
	see: (bytes: Buffer) => void,
): Promise<Outcome<T>> {
	const broken: unknown[] = [];
	if (!Buffer.isBuffer(body)) {
		body.on('error', (error) => broken.push(error));
		limitSilence(body, patienceFor(scope, request));
		body.on('data', (chunk: Buffer | string) => see(Buffer.from(chunk)));
	}
	try {
		return success(await store({ body }));
	} catch (error) {
		if (!Buffer.isBuffer(body)) discard(body);
		const [cause = error] = broken;
		const problem = networkProblem(cause, request, scope.dialect, true);
		return failure(broken.length > 0 ? problem : { ...problem, kind: 'notStored' });
	}
}

/** Stores a body that has the right format, and says afterwards what is wrong with it, if anything is. */
async function storeInspected<T>(
	scope: RequestScope,
	request: WireRequest,
	reply: WireReply,
	head: Head,
	format: DownloadFormat,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<StoredFile<T>>> {
	const inspection = new Inspection(format, reply.headers['content-type']);
	if (head.ended) {
		inspection.see(head.bytes);
		const problem = await inspection.problem(scope, request, reply);
		if (problem !== undefined) return failure(problem);
	}
	const body = head.ended ? head.bytes : reply.body;
	const stored = await handOn(scope, request, body, store, (bytes) => inspection.see(bytes));
	if (!stored.ok) return stored;
	const problem = head.ended ? undefined : await inspection.problem(scope, request, reply);
	if (problem !== undefined) return failure(problem);
	return success({ stored: stored.value, isWithoutResults: await inspection.isWithoutResults() });
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
	const exchanged = await sendRequest(scope, { ...request, uncompressed: true });
	if (!exchanged.ok) return exchanged;
	const reply = exchanged.value;
	const { body, status } = reply;
	let head: Head;
	let bytes: Buffer;
	try {
		head = await headOf(scope, request, reply);
		const isFile = status < 300 && BEGINNING[format].test(head.start) && !isWebPage(head.start);
		if (isFile) return await storeInspected(scope, request, reply, head, format, store);
		if (!head.ended) limitSilence(body, patienceFor(scope, request));
		// What is larger cannot be a refusal: its beginning says enough.
		bytes = head.ended ? head.bytes : ((await readBytes(body, REFUSAL_BYTES)) ?? head.bytes);
	} catch (error) {
		discard(body);
		return failure(bodyProblem(scope, request, status, error));
	}
	return failure(await refusalIn(scope, request, reply, bytes, format));
}

/** Whether markup is that of a page, after declarations and comments. */
function isWebPage(start: string): boolean {
	return /^(\s|<\?[^>]*>|<!--[\s\S]*?-->)*<(!doctype\s+html|html[\s>])/i.test(start);
}
