import { discard, limitSilence, readHead } from './body';
import { decodeBody, isHtml } from './decode/body';
import type { DownloadFormat } from './dialect';
import { networkProblem } from './network';
import { failure, success, type Outcome } from './problems';
import { bodyProblem, judge, tooEarly, unexpected, type Exchange } from './reply';
import { hasResults, readResults } from './schemas';
import { isRunning } from './status';
import { patienceFor, sendRequest, type RequestScope, type WireRequest } from './wire';

/** A download that has begun, or is there as a whole, and looks like what was asked for. */
export interface OpenDownload {
	body: NodeJS.ReadableStream | Buffer;
}

/** What a file holds, as far as it can be told without reading it as data. */
export interface StoredFile<T> {
	stored: T;
	/** Whether it certainly holds no result: they may stand elsewhere. */
	isWithoutResults: boolean;
}

/** A body up to this size is judged as a whole before it is stored; a larger one by how it begins and ends. */
const HEAD_BYTES = 1024 * 1024;
/** How much is looked at of its beginning, to tell a file from a web page. */
const START_BYTES = 64 * 1024;
/** How much of its end holds the mark of a whole file: the directory of an XLSX may have a comment behind it. */
const TAIL_BYTES = 66 * 1024;

const STATUS = /["<]status\b[^:>]{0,40}[:>]\s{0,9}"?([\w -]{1,40})/;

const [ZIP, ZIP_DIRECTORY] = ['PK\x03\x04', 'PK\x05\x06'];

type Mark = (text: string) => boolean;

/** How a body of each format begins, after blanks, and how a whole one ends. CSV has no mark of its own. */
const MARKS: Readonly<Record<DownloadFormat, readonly [begins: Mark, ends: Mark]>> = {
	json: [(start) => /^[[{]/.test(start), (end) => /[\]}]$/.test(end)],
	xml: [(start) => start.startsWith('<'), (end) => end.endsWith('>')],
	csv: [(start) => !start.startsWith(ZIP) && /^(?!(?:null|true|false)$)[^<[{]/.test(start), () => true],
	xlsx: [(start) => start.startsWith(ZIP), (end) => end.includes(ZIP_DIRECTORY)],
};

/** Bytes as text in which the marks can be found, whatever the encoding: the zeros are those of UTF-16. */
function plainText(bytes: Buffer): string {
	const text = bytes.toString('latin1').replaceAll('\0', '').trim();
	return text.replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)\s*/, '');
}

/** The first status in front of the results, of a job that is too large to be read for it. */
function firstStatus(start: string): string {
	const end = start.search(/["<]results\b/);
	return STATUS.exec(end === -1 ? start : start.slice(0, end))?.[1] ?? '';
}

/** Judges the beginning of a body: whether it certainly holds no result, or why it is no file. */
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
	// Of another format, it may well be whole.
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
 * One attempt at a file: its body is handed on untouched, and it is the file, whole: a page, a refusal, a job that still
 * runs or a body that ends too soon is a problem, although a large one may have been stored by then.
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
	/** What the network reports of the body while it is stored, as opposed to what n8n reports of the place. */
	const broken: unknown[] = [];
	try {
		const heard = limitSilence(body, patienceFor(scope, request));
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
		// Paused first: a `data` listener would otherwise start the flow before the reader is there.
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
		return failure({ ...networkProblem(error, endpoint, scope.dialect, true), kind: 'notStored' });
	}
}
