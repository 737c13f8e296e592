import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { looseObject, storedFormat, text, time, type StoredRead, type Upgrade } from '../../n8n/storedFormat';
import type { Dialect } from '../../service/dialect';
import { delayBeforeNextTry } from '../../service/retry';
import { isObject, type Job } from '../../service/types';
import { endsInOrder, latestOf } from '../listedJobs';

/** What the polling trigger keeps between polls, in the static data of its node. Times in milliseconds since 1970. */
export interface PollState {
	/** Whose jobs these are, as far as the credential tells: service and key. */
	account: string;
	/** Fingerprints of the jobs whose end was handled or is old, the latest last. */
	known: Set<string>;
	/** Jobs that were seen and whose end was not handed over yet. */
	open: Map<string, OpenJob>;
	/** The latest `created_at` that was seen. */
	newest?: number;
	/** Unseen jobs that ended earlier are old news, by the service's clock. */
	since?: number;
	/** Only jobs that were created earlier can be such old news. */
	createdBefore?: number;
	/** When the service was last asked with success, by the service's clock if it tells. */
	lookedAt?: number;
}

/** What stands in the way of a job that waits for its end to be handed over. */
export interface OpenJob {
	/** Since when its results cannot be had, or the service does not know it. */
	failingSince?: number;
	/** When to try again. */
	tryAt?: number;
}

/** Maximum ends remembered: twice as many as are ever looked at in one poll. */
const MOST_KNOWN = 20_000;
const MOST_OPEN = 10_000;
/** 48 bits: with all of them remembered, a new job is taken for an old one once in 10^10 times. */
const FINGERPRINT_LENGTH = 8;
/** A poll reads a long list for so long at the most; what ends meanwhile is no old news. */
const READING_MS = 60_000;

/** A short stand-in for a longer text. */
export function fingerprint(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}

/** Whose jobs a credential shows, as the state has it. */
export function accountInState({ account }: Pick<Dialect, 'account'>): string {
	return account.slice(0, FINGERPRINT_LENGTH);
}

/** Whether the end of a job was handled, or is old. */
export function isKnown({ known }: PollState, jobId: string): boolean {
	return known.has(fingerprint(jobId));
}

/** Notes that the end of a job is handled; what was noted last is remembered longest. */
export function remember({ known }: PollState, jobId: string): void {
	const print = fingerprint(jobId);
	known.delete(print);
	known.add(print);
}

export function isDue({ tryAt = 0 }: OpenJob, now: number): boolean {
	return tryAt <= now;
}

/** After one more failure: the next attempt comes with the next poll, then by the client's back-off for what lasts. */
export function failedAgain({ failingSince }: OpenJob, now: number, atLeastMs = 0): OpenJob {
	const since = failingSince ?? now;
	return { failingSince: since, tryAt: now + delayBeforeNextTry(now - since, atLeastMs) };
}

export function hasFailedFor(milliseconds: number, { failingSince }: OpenJob, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= milliseconds;
}

/** Version 1 counted failed downloads; whoever is waiting starts with a fresh count. */
const forgetCounts: Upgrade = (stored) => ({
	...stored,
	open: Object.fromEntries(Object.keys(isObject(stored.open) ? stored.open : {}).map((id) => [id, ''])),
});

const format = storedFormat(
	'The memory of the polling trigger',
	z.object({
		account: text,
		known: text,
		// n8n puts a mark of its own into objects of static data, which a record would trip over.
		open: looseObject,
		newest: z.optional(time),
		since: z.optional(time),
		createdBefore: z.optional(time),
		lookedAt: z.optional(time),
	}),
	[forgetCounts],
);

/** Two times in one short text, because n8n watches every object in static data for changes. */
function openAsText({ failingSince, tryAt }: OpenJob): string {
	return failingSince === undefined ? '' : `${failingSince} ${tryAt ?? failingSince}`;
}

function openFromText(stored: unknown): OpenJob {
	const [, failingSince, tryAt] = /^(\d+) (\d+)$/.exec(String(stored)) ?? [];
	return failingSince === undefined ? {} : { failingSince: Number(failingSince), tryAt: Number(tryAt) };
}

/**
 * The state of the poll before; absent before the first one.
 *
 * @param unstored jobs whose ends were handed over since, and which n8n could not store
 */
export function readState(data: IDataObject, unstored: Iterable<string> = []): StoredRead<PollState> {
	// n8n's static data of a node begins as an empty object.
	const read = format.read(Object.keys(data).length === 0 ? undefined : data);
	if (read.kind !== 'read') return read;
	const known = new Set(read.value.known.match(/.{8}/g));
	const open = new Map(Object.entries(read.value.open).map(([id, job]) => [id, openFromText(job)]));
	for (const jobId of unstored) {
		known.delete(fingerprint(jobId));
		open.set(jobId, {});
	}
	return { kind: 'read', value: { ...read.value, known, open } };
}

/** Puts the state into the node's static data; leaves alone what did not change, so that nothing is saved then. */
export function writeState(data: IDataObject, { known, open, ...rest }: PollState): void {
	const next = format.write({
		...rest,
		known: [...known].slice(-MOST_KNOWN).join(''),
		open: Object.fromEntries([...open].slice(-MOST_OPEN).map(([id, job]) => [id, openAsText(job)])),
	});
	for (const [name, value] of Object.entries(next)) {
		if (value !== undefined && JSON.stringify(data[name]) !== JSON.stringify(value)) data[name] = value;
	}
}

/**
 * The state to go on with.
 *
 * @param at the present, by the service's clock if it tells
 */
export function nextState(
	before: PollState | undefined,
	account: string,
	{ jobs, newest, isUnclear }: { jobs: readonly Job[]; newest?: number; isUnclear: boolean },
	{ emitExisting, at }: { emitExisting: boolean; at: number },
): PollState {
	if (before?.account === account) return before;
	// A service may date an end ahead: jobs that are created later are news all the same.
	const oldNews = (lastEnd: number) => ({ since: lastEnd - READING_MS, createdBefore: newest });
	// Another key may show another account. What ended there before the last poll is old news.
	if (before) return { ...before, account, ...oldNews(before.lookedAt ?? at) };
	const state: PollState = { account, known: new Set(), open: new Map() };
	if (emitExisting) return state;
	for (const job of endsInOrder(jobs)) remember(state, job.job_id);
	// What has ended is old news, also where this look did not show it.
	const latestEnd = latestOf(jobs, 'terminated_at') ?? (isUnclear ? at : undefined);
	return latestEnd === undefined ? state : { ...state, ...oldNews(latestEnd) };
}
