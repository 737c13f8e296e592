import { discard, limitSilence, peek, readBytes, textOf } from './body';
import type { DownloadFormat } from './dialect';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem } from './problems';
import { classifyText, tooEarly } from './reply';
import { patienceFor, sendRequest, type RequestScope, type WireReply, type WireRequest } from './wire';

/** A download that has begun, or is there as a whole, and looks like what was asked for. */
export interface OpenDownload {
	body: NodeJS.ReadableStream | Buffer;
}

/** So much of a download is looked at, to tell it from a refusal, a web page or another format. */
const HEAD_BYTES = 4 * 1024;
/** A refusal or web page is smaller than this. */
const SMALL_BODY_BYTES = 64 * 1024;

/** How each format begins, after blanks. CSV has no mark of its own. */
const BEGINNING: Readonly<Record<DownloadFormat, RegExp>> = {
	json: /^[[{]/,
	xml: /^</,
	csv: /^(?!PK\x03\x04)[^<{]/,
	xlsx: /^PK\x03\x04/,
};
const WEB_PAGE = /^<(!doctype html|html)/i;
/** A refusal says so at the root, before anything nested; further down it is about a single result. */
const REFUSAL =
	/^\{[^{[]*"success"\s*:\s*false|^(<\?xml[^>]*>\s*)?<\w+>\s*(<(?!results?\b)[^>]*>[^<]*<\/[^>]*>\s*)*<success\b/;

interface Head {
	bytes: Buffer;
	/** Whether these are all there is. */
	ended: boolean;
	/** The same as text without leading blanks and byte order mark; binary formats stay recognisable. */
	start: string;
}

async function headOf(scope: RequestScope, request: WireRequest, reply: WireReply): Promise<Head> {
	const { head, ended } = await peek(reply.body, HEAD_BYTES, patienceFor(scope, request));
	return { bytes: head, ended, start: head.toString('latin1').replace(/^(\xef\xbb\xbf)?\s*/, '') };
}

/** Whether a download could be something else than the file: the exact look is taken at these only. */
function isSuspicious({ start, ended }: Head, status: number, format: DownloadFormat): boolean {
	const isText = format === 'json' || format === 'xml';
	return (
		status >= 300 ||
		!BEGINNING[format].test(start) ||
		WEB_PAGE.test(start) ||
		REFUSAL.test(start) ||
		(ended && isText)
	);
}

/** Whether a problem is what it seems, and not another format that the decoders cannot read. */
function isCertain({ kind, reason }: Problem, status: number): boolean {
	return status >= 300 || reason !== undefined || kind === 'htmlBody' || kind === 'emptyBody';
}

/** What is wrong with a suspicious download, if anything is. */
async function problemWith(
	scope: RequestScope,
	request: WireRequest,
	reply: WireReply,
	head: Head,
	bytes: Buffer,
	format: DownloadFormat,
): Promise<Problem | undefined> {
	const { endpoint } = request;
	const text = textOf(bytes, reply.headers['content-type']);
	const judged = await classifyText(scope, request, reply, text);
	if (judged.ok && tooEarly(endpoint, judged.value.value)) {
		return { kind: 'notFinished', endpoint, effect: 'none' };
	}
	if (!judged.ok && isCertain(judged.problem, reply.status)) return judged.problem;
	if (!BEGINNING[format].test(head.start)) {
		const detail = `Asked for ${format.toUpperCase()}, but something else came`;
		return { kind: 'formatRefused', endpoint, status: reply.status, detail, effect: 'none' };
	}
	return judged.ok ? undefined : judged.problem;
}

/** Hands a download on; tells a connection that broke from a place to store it that failed. */
async function handOn<T>(
	scope: RequestScope,
	request: WireRequest,
	body: NodeJS.ReadableStream | Buffer,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<T>> {
	const broken: unknown[] = [];
	if (!Buffer.isBuffer(body)) {
		body.on('error', (error) => broken.push(error));
		limitSilence(body, patienceFor(scope, request));
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

/** One attempt at a file: its body is handed on untouched unless it is not the file. */
export async function fetchFile<T>(
	scope: RequestScope,
	request: WireRequest,
	format: DownloadFormat,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<T>> {
	const exchanged = await sendRequest(scope, request);
	if (!exchanged.ok) return exchanged;
	const reply = exchanged.value;
	const { body, status } = reply;
	let head: Head;
	let bytes: Buffer;
	try {
		head = await headOf(scope, request, reply);
		const suspicious = isSuspicious(head, status, format);
		if (!suspicious) return await handOn(scope, request, head.ended ? head.bytes : body, store);
		if (!head.ended) limitSilence(body, patienceFor(scope, request));
		// What is larger cannot be a refusal: its beginning says enough.
		bytes = head.ended ? head.bytes : ((await readBytes(body, SMALL_BODY_BYTES)) ?? head.bytes);
	} catch (error) {
		discard(body);
		return failure({ ...networkProblem(error, request, scope.dialect, true), status });
	}
	const problem = await problemWith(scope, request, reply, head, bytes, format);
	return problem === undefined ? await handOn(scope, request, bytes, store) : failure(problem);
}
