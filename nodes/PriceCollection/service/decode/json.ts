import { parseChunked } from '@discoveryjs/json-ext';

import type { Pieces } from './bytes';
import { JsonScan } from './jsonScan';
import { TOO_DEEP, type Unreadable } from './rules';

/** Bytes parsed at a stretch: about a millisecond of work. */
const STEP = 64 * 1024;
/** After so many steps others get their turn: a turn of n8n's event loop costs as much as a step. */
const STEPS_AT_A_STRETCH = 16;

/** What is no larger is parsed by the engine alone, which blocks for less than a tenth of a second. */
const AT_ONCE = 8 * 1024 * 1024;

/** The exact bytes of a document, up to a stretch of them at once. */
async function* exactBytes(
	pieces: Pieces,
	scan: JsonScan,
	yieldToEventLoop: () => Promise<void>,
): AsyncGenerator<Buffer> {
	let steps = 0;
	for await (const piece of pieces) {
		for (let at = 0; at < piece.length; at += STEP) {
			yield* scan.push(piece.subarray(at, at + STEP));
			if (++steps % STEPS_AT_A_STRETCH === 0) await yieldToEventLoop();
		}
	}
	yield* scan.finish();
}

/**
 * JSON in UTF-8 to a value, as JSON.parse gives it, but numbers that a double cannot hold to the last digit become
 * their own texts. Parsed step by step, as it comes: the text as a whole never exists. `yieldToEventLoop` is awaited
 * after each megabyte: it decides when n8n's event loop gets its turn, and its rejection ends the work.
 *
 * @throws what `pieces` or `yieldToEventLoop` throw
 */
export async function parseJson(
	pieces: Pieces,
	yieldToEventLoop: () => Promise<void>,
): Promise<{ ok: true; value: unknown } | Unreadable> {
	const scan = new JsonScan();
	const bytes = exactBytes(pieces, scan, yieldToEventLoop);
	const first: Buffer[] = [];
	let thrown: { error: unknown } | undefined;
	let ended = false;
	/** The next bytes; none at the end, or when reading them failed. */
	async function next(): Promise<Buffer | undefined> {
		const read = await bytes.next().catch((error: unknown) => {
			thrown = { error };
			return { done: true as const, value: undefined };
		});
		ended = read.done === true;
		return read.done === true ? undefined : read.value;
	}
	for (let size = 0; size < AT_ONCE; size += first.at(-1)?.length ?? 0) {
		const read = await next();
		if (read === undefined) break;
		first.push(read);
	}
	async function* all(): AsyncGenerator<Buffer> {
		yield* first.splice(0);
		for (let read = await next(); read !== undefined; read = await next()) yield read;
	}
	const parsed = await (ended ? parseAtOnce(first) : parseChunked(all())).then(
		(value: unknown) => ({ ok: true as const, value }),
		(error: unknown) => unreadable(error, ended && scan.isOpen, scan.length),
	);
	if (scan.isTooDeep) return { ok: false, detail: `The JSON is ${TOO_DEEP}`, truncated: false };
	// What the body itself broke off with is for whoever reads it, not a fault of the JSON.
	if (thrown !== undefined) return await Promise.reject(thrown.error);
	return parsed;
}

/** What is small is parsed by the engine alone. */
async function parseAtOnce(pieces: Buffer[]): Promise<unknown> {
	return JSON.parse(Buffer.concat(pieces).toString('utf8'));
}

/**
 * The parser's message quotes the body, which may hold secrets; only the place is taken from it.
 *
 * @param isOpen whether something is open at the end of the body
 */
function unreadable(error: unknown, isOpen: boolean, length: number): Unreadable {
	const message = error instanceof Error ? error.message : '';
	const at = Number(/at position (\d+)/.exec(message)?.[1] ?? NaN);
	const isAtEnd = /unexpected end|unterminated/i.test(message) || Number.isNaN(at) || at >= length - 1;
	if (isOpen && isAtEnd) return { ok: false, detail: 'The JSON ends in the middle', truncated: true };
	const place = Number.isNaN(at) ? '' : ` at character ${at + 1}`;
	return { ok: false, detail: `The JSON is not well-formed${place}`, truncated: false };
}
