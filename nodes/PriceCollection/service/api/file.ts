import { READABLE_FORMATS, type DownloadFormat } from '../formats';
import { decodeBody, isHtml } from '../http/decode/body';
import { networkProblem } from '../http/network';
import { failure, success, type Outcome } from '../problems';
import type { DownloadReply } from './download';
import { brokenReply, judge, unexpected, type Exchange } from '../meaning/reply';
import { hasResults, readResults, statusIn } from '../meaning/schemas';
import { discard, limitTime, readHead, sendRequest, type RequestScope, type WireRequest } from '../http/wire';

/** A download, streaming or complete, that looks like the requested format. */
export interface OpenDownload {
	body: NodeJS.ReadableStream | Buffer;
}

/**
 * Bodies up to `HEAD_BYTES` are checked before they are stored, larger ones by their beginning and end. In an XLSX
 * file, a comment may follow the directory at the end.
 */
const [HEAD_BYTES, START_BYTES, TAIL_BYTES] = [1024 * 1024, 64 * 1024, 66 * 1024];

const [ZIP, ZIP_DIRECTORY] = ['PK\x03\x04', 'PK\x05\x06'];

type Mark = (text: string) => boolean;

/** How a body of each format begins, ignoring whitespace, and how a complete one ends. CSV has no end mark. */
const FORMAT_MARKS: Readonly<Record<DownloadFormat, readonly [begins: Mark, ends: Mark]>> = {
	json: [(start) => /^[[{]/.test(start), (end) => /[\]}]$/.test(end)],
	xml: [(start) => start.startsWith('<'), (end) => end.endsWith('>')],
	csv: [(start) => !start.startsWith(ZIP) && /^(?!(?:null|true|false)$)[^<[{]/.test(start), () => true],
	xlsx: [(start) => start.startsWith(ZIP), (end) => end.includes(ZIP_DIRECTORY)],
};

/** Bytes as text in which the marks can be found in any encoding. Removes the zeros of UTF-16. */
function latin1Text(bytes: Buffer): string {
	const text = bytes.toString('latin1').replaceAll('\0', '').trim();
	return text.replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)\s*/, '');
}

/** What the beginning of a body shows. A body that is not parsed counts as not empty and has no status word. */
type HeadFacts = Pick<DownloadReply<unknown>, 'isEmpty' | 'word'>;

/** Checks the beginning of a body. The problem says why it is not the requested file. */
async function judgeHead(exchange: Exchange, head: Buffer, ended: boolean): Promise<Outcome<HeadFacts>> {
	const { scope, reply, request } = exchange;
	const { headers, status } = reply;
	const { format = 'json', jobId = '', endpoint } = request;
	// Whitespace is removed before the cut, because there may be any amount of it.
	const start = latin1Text(head).slice(0, START_BYTES);
	const isOtherFormat = !FORMAT_MARKS[format][0](start) || isHtml(start);
	const isReadable = READABLE_FORMATS.includes(format);
	if (status < 300 && !isOtherFormat && (!ended || !isReadable)) return success({ isEmpty: false });
	// Decoded for inspection only: the file keeps its bytes and their encoding.
	const body = await decodeBody(head, headers['content-type'], scope.clock.yieldToEventLoop, 'utf-8');
	const judged = judge(exchange, body);
	// In another format, such a body may well be complete.
	const isBroken = !judged.ok && ['unreadableBody', 'truncatedBody'].includes(judged.problem.kind);
	if (status < 300 && isOtherFormat && (judged.ok || isBroken)) {
		const detail = `Asked for ${format.toUpperCase()}, but something else arrived`;
		return failure({ kind: 'formatRefused', endpoint, status, detail, effect: 'none' });
	}
	if (!judged.ok) return judged;
	const { value, excerpt } = judged.value;
	const results = readResults(value, jobId);
	if (!results.ok) return unexpected(exchange, results.problem, excerpt);
	return success({ isEmpty: !hasResults(value), word: statusIn(value) });
}

/**
 * Makes one attempt to download a file and passes its body to `store` unmodified. Returns a problem for a web page, a
 * refusal or a truncated body, even if part of it was stored.
 */
export async function fetchFile<T>(
	scope: RequestScope,
	request: WireRequest,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<DownloadReply<T>>> {
	const sent = await sendRequest(scope, { ...request, uncompressed: true });
	if (!sent.ok) return sent;
	const { endpoint, format = 'json' } = request;
	const { body, status } = sent.value;
	const exchange = { scope, request, reply: sent.value };
	let isStoring = false;
	/** Network errors of the body while it is stored, as opposed to n8n's storage errors. */
	const networkErrors: unknown[] = [];
	try {
		const reader = { ...scope, ...request };
		const onChunk = limitTime(body, reader);
		const { head, ended } = await readHead(body, HEAD_BYTES, reader, onChunk);
		const judged = await judgeHead(exchange, head, ended);
		if (!judged.ok) {
			discard(body);
			return judged;
		}
		// Keeps the last chunks separate: joining them for each new chunk would copy the file several times.
		const tail = [head];
		let tailLength = head.length;
		const isTruncated = () =>
			!FORMAT_MARKS[format][1](latin1Text(Buffer.concat(tail).subarray(-TAIL_BYTES)));
		const truncated = failure({ kind: 'truncatedBody', endpoint, status, effect: 'none' });
		if (ended && isTruncated()) return truncated;
		// Paused first, because a `data` listener would start the flow before `store` attaches its reader.
		body.pause().on('error', (error) => networkErrors.push(error));
		body.on('data', (chunk: Buffer | string) => {
			onChunk(chunk);
			const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
			tail.push(bytes);
			tailLength += bytes.length;
			while (tail[0] && tailLength - tail[0].length >= TAIL_BYTES)
				tailLength -= tail.shift()?.length ?? 0;
		});
		isStoring = true;
		const stored = await store({ body: ended ? head : body });
		return isTruncated() ? truncated : success({ ...judged.value, value: stored, status });
	} catch (error) {
		discard(body);
		const [cause = error] = networkErrors;
		if (!isStoring) return failure(brokenReply(exchange, cause));
		const problem = networkProblem(cause, endpoint, scope.connection);
		return failure(networkErrors.length > 0 ? { ...problem, status } : { ...problem, kind: 'notStored' });
	}
}
