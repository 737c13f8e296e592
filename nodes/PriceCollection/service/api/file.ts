import type { DownloadFormat } from '../connection';
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
 * Bodies up to the first size are checked before storing, larger ones by their beginning and end. A comment may
 * follow the directory of an XLSX file, which is at its end.
 */
const [HEAD_BYTES, START_BYTES, TAIL_BYTES] = [1024 * 1024, 64 * 1024, 66 * 1024];

const [ZIP, ZIP_DIRECTORY] = ['PK\x03\x04', 'PK\x05\x06'];

type Mark = (text: string) => boolean;

/** How a body of each format begins, after blanks, and how a complete one ends. CSV has no end mark. */
const FORMAT_MARKS: Readonly<Record<DownloadFormat, readonly [begins: Mark, ends: Mark]>> = {
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

/** What the beginning of a body says: nothing where it is not read. */
type HeadSays = Pick<DownloadReply<unknown>, 'isEmpty' | 'word'>;

/** Checks the beginning of a body: whether it certainly holds no results, its status word, or why it is not a file. */
async function judgeHead(exchange: Exchange, head: Buffer, ended: boolean): Promise<Outcome<HeadSays>> {
	const { scope, reply, request } = exchange;
	const { headers, status } = reply;
	const { format = 'json', jobId = '', endpoint } = request;
	// Cut behind the blanks, of which there may be any number.
	const start = plainText(head).slice(0, START_BYTES);
	const isOther = !FORMAT_MARKS[format][0](start) || isHtml(start);
	const isTable = format === 'csv' || format === 'xlsx';
	if (status < 300 && !isOther && (!ended || isTable)) return success({ isEmpty: false });
	// Only looked at: the file keeps its bytes, in whatever encoding.
	const body = await decodeBody(head, headers['content-type'], scope.clock.yieldToEventLoop, 'utf-8');
	const answer = judge(exchange, body);
	// In another format, the file may well be complete.
	const isBroken = !answer.ok && ['unreadableBody', 'truncatedBody'].includes(answer.problem.kind);
	if (status < 300 && isOther && (answer.ok || isBroken)) {
		const detail = `Asked for ${format.toUpperCase()}, but something else arrived`;
		return failure({ kind: 'formatRefused', endpoint, status, detail, effect: 'none' });
	}
	if (!answer.ok) return answer;
	const { value, excerpt } = answer.value;
	const results = readResults(value, jobId);
	if (!results.ok) return unexpected(exchange, results.problem, excerpt);
	return success({ isEmpty: !hasResults(value), word: statusIn(value) });
}

/**
 * Makes one attempt at a file and passes its body on unmodified. A web page, a refusal or a body that ends too soon is
 * a problem, even if part of it was stored.
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
	/** Network errors of the body during storing, as opposed to n8n's storage errors. */
	const broken: unknown[] = [];
	try {
		const reader = { ...scope, ...request };
		const heard = limitTime(body, reader);
		const { head, ended } = await readHead(body, HEAD_BYTES, reader, heard);
		const judged = await judgeHead(exchange, head, ended);
		if (!judged.ok) {
			discard(body);
			return judged;
		}
		// The last chunks by themselves: joining them for each new one would copy the file several times.
		const tail = [head];
		let kept = head.length;
		const isCut = () => !FORMAT_MARKS[format][1](plainText(Buffer.concat(tail).subarray(-TAIL_BYTES)));
		const cut = failure({ kind: 'truncatedBody', endpoint, status, effect: 'none' });
		if (ended && isCut()) return cut;
		// Paused first, because a `data` listener would start the flow before the reader is attached.
		body.pause().on('error', (error) => broken.push(error));
		body.on('data', (chunk: Buffer | string) => {
			heard(chunk);
			const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
			tail.push(bytes);
			kept += bytes.length;
			while (tail[0] && kept - tail[0].length >= TAIL_BYTES) kept -= tail.shift()?.length ?? 0;
		});
		isStoring = true;
		const stored = await store({ body: ended ? head : body });
		return isCut() ? cut : success({ ...judged.value, value: stored, status });
	} catch (error) {
		discard(body);
		const [cause = error] = broken;
		if (!isStoring) return failure(brokenReply(exchange, cause));
		const problem = networkProblem(cause, endpoint, scope.connection);
		return failure(broken.length > 0 ? { ...problem, status } : { ...problem, kind: 'notStored' });
	}
}
