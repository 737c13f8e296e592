import { discard, limitSilence, readHead } from './body';
import { decodeBody, isHtml } from './decode/body';
import type { DownloadFormat } from './dialect';
import { networkProblem } from './network';
import { failure, success, type Outcome, type Problem, type ProblemKind } from './problems';
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

/** What is said of a body that may well be whole in another format. */
const BROKEN: ReadonlySet<string> = new Set<ProblemKind>(['unreadableBody', 'truncatedBody']);

const STATUS = /["<]status\b[^:>]{0,40}[:>]\s{0,9}"?([\w -]{1,40})/;

const ZIP = 'PK\x03\x04';
const ZIP_DIRECTORY = 'PK\x05\x06';

interface FormatMarks {
	/** Whether a body can be of the format, by its first characters after blanks. */
	begins: (start: string) => boolean;
	/** Whether it can be whole, by its last ones. */
	ends: (end: string) => boolean;
}

const MARKS: Readonly<Record<DownloadFormat, FormatMarks>> = {
	json: { begins: (start) => /^[[{]/.test(start), ends: (end) => /[\]}]$/.test(end) },
	xml: { begins: (start) => start.startsWith('<'), ends: (end) => end.endsWith('>') },
	// CSV has no mark of its own.
	csv: {
		begins: (start) => !start.startsWith(ZIP) && /^(?!(?:null|true|false)$)[^<[{]/.test(start),
		ends: () => true,
	},
	xlsx: { begins: (start) => start.startsWith(ZIP), ends: (end) => end.includes(ZIP_DIRECTORY) },
};

/** Bytes as text in which the marks can be found, whatever the encoding: the zeros are those of UTF-16. */
function plainText(bytes: Buffer): string {
	const text = bytes.toString('latin1').replaceAll('\0', '').trim();
	return text.replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)\s*/, '');
}

const startOf = (bytes: Buffer) => plainText(bytes.subarray(0, START_BYTES));
const endOf = (bytes: Buffer) => plainText(bytes.subarray(-TAIL_BYTES));

/** The first status in front of the results, of a job that is too large to be read for it. */
function firstStatus(start: string): string {
	const end = start.search(/["<]results\b/);
	const [, status = ''] = STATUS.exec(end === -1 ? start : start.slice(0, end)) ?? [];
	return status;
}

/** Judges the beginning of a body, which may be all of it: whether it certainly holds no result, or why it is no file. */
async function judgeHead(
	exchange: Exchange,
	format: DownloadFormat,
	{ head, ended, jobId }: { head: Buffer; ended: boolean; jobId: string },
): Promise<Outcome<boolean>> {
	const { scope, request, reply } = exchange;
	const { headers, status } = reply;
	const { endpoint } = request;
	const start = startOf(head);
	const isFormat = status < 300 && MARKS[format].begins(start) && !isHtml(start);
	const isData = format === 'json' || format === 'xml';
	if (isFormat && status !== 202) {
		if (!ended && isRunning(firstStatus(start))) return tooEarly(endpoint, status);
		if (!ended || !isData) return success(false);
	}
	const body = await decodeBody(head, headers['content-type'], scope.clock.yieldToEventLoop);
	const answer = judge(exchange, body);
	const isOther = status < 300 && !isFormat;
	if (!answer.ok && !(isOther && BROKEN.has(answer.problem.kind))) return answer;
	if (!answer.ok || isOther) {
		const detail = `Asked for ${format.toUpperCase()}, but something else came`;
		return failure({ kind: 'formatRefused', endpoint, status, detail, effect: 'none' });
	}
	const { value, excerpt } = answer.value;
	const results = readResults(value, jobId);
	return results.ok ? success(!hasResults(value)) : unexpected(exchange, results.problem, excerpt);
}

/** Hands a download on; tells a connection that broke from a place to store it that failed. */
async function handOn<T>(
	{ scope, request }: Exchange,
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
	jobId: string,
	format: DownloadFormat,
	store: (download: OpenDownload) => Promise<T>,
): Promise<Outcome<StoredFile<T>>> {
	const sent = await sendRequest(scope, { ...request, uncompressed: true });
	if (!sent.ok) return sent;
	const { body, status } = sent.value;
	const exchange = { scope, request, reply: sent.value };
	const cut: Problem = { kind: 'truncatedBody', endpoint: request.endpoint, status, effect: 'none' };
	try {
		const { head, ended } = await readHead(body, HEAD_BYTES, patienceFor(scope, request));
		const judged = await judgeHead(exchange, format, { head, ended, jobId });
		if (!judged.ok) {
			if (!ended) discard(body);
			return judged;
		}
		let tail = ended ? head : Buffer.alloc(0);
		if (ended && !MARKS[format].ends(endOf(tail))) return failure(cut);
		const stored = await handOn(exchange, ended ? head : body, store, (bytes) => {
			tail = Buffer.concat([tail, bytes]);
			if (tail.length > 2 * TAIL_BYTES) tail = Buffer.from(tail.subarray(-TAIL_BYTES));
		});
		if (!stored.ok) return stored;
		if (!MARKS[format].ends(endOf(tail))) return failure(cut);
		return success({ stored: stored.value, isWithoutResults: judged.value });
	} catch (error) {
		discard(body);
		return failure(bodyProblem(exchange, error));
	}
}
