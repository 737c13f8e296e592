import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../types';

/** Why the service did not do what it was asked, in its own words. */
export interface Refusal {
	/** A short phrase to branch on, or the best text there is. */
	reason: string;
	/** The creation parameter it is about. */
	parameter?: string;
	/** For people. */
	comment?: string;
}

/**
 * The refusal in a decoded body: `success: false` with `reason`, `parameter` and `comment`, or the common forms
 * `{ error: text }`, `{ error: { message } }`, `{ errors: […] }`, `{ message }`, `{ title, detail }`.
 * Undefined for anything else, and for results, whose own `success` is about what was looked up.
 * With a `status` below 400 the body itself must say that the request failed: a mere message, or a job that
 * mentions an error, is a normal reply then.
 */
export function readRefusal(value: unknown, status?: number): Refusal | undefined {
	if (!isObject(value) || isAboutResults(value)) return undefined;
	const denied = isFalse(value.success);
	const words = wordsOf(value);
	const isPlain = !denied && !(words.isError && value.job_id === undefined && value.id === undefined);
	if (isPlain && status !== undefined && status < 400) return undefined;
	const reason = words.reason ?? (denied ? 'no reason given' : undefined);
	if (reason === undefined) return undefined;
	return {
		reason,
		...(words.parameter !== undefined && { parameter: words.parameter }),
		...(words.comment !== undefined && words.comment !== reason && { comment: words.comment }),
	};
}

interface Words {
	reason?: string;
	parameter?: string;
	comment?: string;
	isError: boolean;
}

/** The service's own fields first, then those of common error bodies. */
function wordsOf(body: IDataObject): Words {
	const inner = innerWords(body);
	const says = (...names: string[]) =>
		names.map((name) => phrase(body[name])).find((found) => found !== undefined);
	return {
		reason: says('reason', 'error') ?? inner?.reason ?? says('message', 'title', 'detail'),
		parameter: says('parameter') ?? inner?.parameter,
		comment: says('comment') ?? inner?.comment ?? says('message', 'detail'),
		isError: inner !== undefined || phrase(body.error) !== undefined || body.error === true,
	};
}

/** What an error object, or the first of several, says. */
function innerWords(body: IDataObject): Words | undefined {
	const first: unknown = Array.isArray(body.errors) ? body.errors[0] : body.error;
	if (isObject(first)) return wordsOf(first);
	const reason = Array.isArray(body.errors) ? phrase(first) : undefined;
	return reason === undefined ? undefined : { reason, isError: true };
}

function phrase(value: unknown): string | undefined {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function isFalse(value: unknown): boolean {
	return value === false || (typeof value === 'string' && value.trim().toLowerCase() === 'false');
}

function isAboutResults(body: IDataObject): boolean {
	return isObject(body.query) || (Array.isArray(body.results) && body.results.length > 0);
}
