import type { DownloadFormat } from './connection';
import { decodeBody, isHtml } from './decode/body';
import { networkProblem } from './network';
import { failure, success, type Outcome } from './problems';
import { bodyProblem, judge, tooEarly, unexpected, type Exchange } from './reply';
import { hasResults, readResults } from './schemas';
import { isRunning } from './types';
import { discard, limitSilence, readHead, sendRequest, type RequestScope, type WireRequest } from './wire';

/** A download, streaming or complete, that looks like the requested format. */
export interface OpenDownload {
	body: NodeJS.ReadableStream | Buffer;
}

/** What can be said about a file without parsing it. */
export interface StoredFile<T> {
	stored: T;
	/** Whether it certainly contains no results; the job itself may have them. */
	isWithoutResults: boolean;
}

/** Bodies up to this size are checked before storing, larger ones by their beginning and end. */
const HEAD_BYTES = 1024 * 1024;
/** How much of the beginning is examined to tell a file from a web page. */
const START_BYTES = 64 * 1024;
/** How much of the end is examined: a comment may follow the directory of an XLSX file. */
const TAIL_BYTES = 66 * 1024;

const STATUS = /["<]status\b[^:>]{0,40}[:>]\s{0,9}"?([\w -]{1,40})/;

const [ZIP, ZIP_DIRECTORY] = ['PK\x03\x04', 'PK\x05\x06'];

type Mark = (text: string) => boolean;

/** How a body of each format begins, after blanks, and how a complete one ends. CSV has no end mark. */
const MARKS: Readonly<Record<DownloadFormat, readonly [begins: Mark, ends: Mark]>> = {
	json: [(start) => /^[[{]/.test(start), (end) => /[\]}]$/.test(end)],
	xml: [(start) => start.startsWith('<'), (end) => end.endsWith('>')],
	csv: [(start) => !start.startsWith(ZIP) && /^(?!(?:null|true|false)$)[^<[{]/.test(start), () => true],
	xlsx: [(start) => start.startsWith(ZIP), (end) => end.includes(ZIP_DIRECTORY)],
};

/** Bytes as text in which the marks can be found in any encoding; the zeros are from UTF-16. */
function plainText(bytes: Buffer): string {
	const text = bytes.toString('latin1').replaceAll('\0', '').trim();
	return text.replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)\s*/, '');
}

/** The first status before the results, for jobs that are too large to parse. */
function firstStatus(start: string): string {
	const end = start.search(/["<]results\b/);
	return STATUS.exec(end === -1 ? start : start.slice(0, end))?.[1] ?? '';
}

/** Checks the beginning of a body: whether it certainly holds no results, or why it is not a file. */
async function judgeHead(
	exchange: Exchange,
	{ format = 'json', jobId = '', endpoint }: WireRequest,
	{ head, ended }: { head: Buffer; ended: boolean },
): Promise<Outcome<boolean>> {
	const { scope, reply } = exchange;
	const { headers, status } = reply;
	const start = plainText(head.subarray(0, START_BYTES));
	const [begins] = MARKS[format];
	const isOther = !begins(start) || isHtml(start);
	const isData = format === 'json' || format === 'xml';
	if (status < 300 && status !== 202 && !isOther) {
		if (!ended && isRunning(firstStatus(start))) return tooEarly(endpoint, status);
		if (!ended || !isData) return success(false);
	}
	const body = await decodeBody(head, headers['content-type'], scope.clock.yieldToEventLoop);
	const answer = judge(exchange, body);
	// In another format, the file may well be complete.
	const isBroken = !answer.ok && ['unreadableBody', 'truncatedBody'].includes(answer.problem.kind);
	if (status < 300 && isOther && (answer.ok || isBroken)) {
		const detail = `Asked for ${format.toUpperCase()}, but something else came`;
		return failure({ kind: 'formatRefused', endpoint, status, detail, effect: 'none' });
	}
	if (!answer.ok) return answer;
	const { value, excerpt } = answer.value;
	const results = readResults(value, jobId);
	return results.ok ? success(!hasResults(value)) : unexpected(exchange, results.problem, excerpt);
}

/**
 * Makes one attempt at a file and passes its body on unmodified. A web page, a refusal, a running job or a
 * body that ends too soon is a problem, even if part of a large one was already stored.
 */
export async function fetchFile<T>(
	scope: RequestScope,
	request: WireRequest,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<StoredFile<T>>> {
	const sent = await sendRequest(scope, { ...request, uncompressed: true });
	if (!sent.ok) return sent;
	const { endpoint, format = 'json' } = request;
	const { body, status } = sent.value;
	const exchange = { scope, request, reply: sent.value };
	let isStoring = false;
	/** Network errors of the body during storing, as opposed to n8n's storage errors. */
	const broken: unknown[] = [];
	try {
		const heard = limitSilence(body, { ...scope, ...request });
		const { head, ended } = await readHead(body, HEAD_BYTES, heard, scope.clock);
		const judged = await judgeHead(exchange, request, { head, ended });
		if (!judged.ok) {
			if (!ended) discard(body);
			return judged;
		}
		let tail = head;
		const isCut = () => !MARKS[format][1](plainText(tail.subarray(-TAIL_BYTES)));
		const cut = failure({ kind: 'truncatedBody', endpoint, status, effect: 'none' });
		if (ended && isCut()) return cut;
		// Paused first, because a `data` listener would start the flow before the reader is attached.
		body.pause().on('error', (error) => broken.push(error));
		body.on('data', (chunk: Buffer | string) => {
			heard();
			tail = Buffer.concat([tail.subarray(-TAIL_BYTES), Buffer.from(chunk)]);
		});
		isStoring = true;
		const stored = await store({ body: ended ? head : body });
		return isCut() ? cut : success({ stored, isWithoutResults: judged.value });
	} catch (error) {
		discard(body);
		const [cause = error] = broken;
		if (!isStoring || broken.length > 0) return failure(bodyProblem(exchange, cause));
		return failure({ ...networkProblem(error, endpoint, scope.connection, true), kind: 'notStored' });
	}
}
