import * as z from 'zod/v4-mini';
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { looseObject, storedFormat, type StoredRead, text, time } from '../../n8n/storedFormat';
import type { ServiceClient } from '../../service/client';
import { delayBeforeNextTry } from '../../service/pacing';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';

/** The polling trigger's state in its node's static data. Times in milliseconds since 1970. */
const schema = z.object({
	/** Identifies service and key. */
	account: text,
	/** Fingerprints of jobs whose end was handled or is old, latest last. */
	known: text,
	/** Known jobs whose end was not output yet; n8n adds a mark of its own, which a record would reject. */
	open: looseObject,
	/** The latest `created_at` that was seen. */
	newest: z.optional(time),
	/** Unseen jobs that ended before this time, by the service's clock, are old. */
	since: z.optional(time),
	/** Only jobs created before this time can be old. */
	createdBefore: z.optional(time),
	/** Time of the last successful poll, by the service's clock if known. */
	lookedAt: z.optional(time),
});

export interface PollState extends Omit<z.infer<typeof schema>, 'known' | 'open'> {
	known: Set<string>;
	open: Map<string, OpenJob>;
}

/** Failures of a job whose end was not output yet. */
export interface OpenJob {
	/** Since when its results are unavailable, or the service does not know it. */
	failingSince?: number;
	tryAt?: number;
}

/** Maximum remembered ends: twice as many as one poll can read. */
const MOST_KNOWN = 20_000;
const MOST_OPEN = 10_000;
/** 48 bits: with all of them used, one in 10^10 new jobs would be mistaken for an old one. */
const FINGERPRINT_LENGTH = 8;
/** Longest time to read the list; ends during it are not old. */
const READING_MS = 60_000;

export function fingerprint(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}

export function isKnown({ known }: PollState, jobId: string): boolean {
	return known.has(fingerprint(jobId));
}

/** Records that the end of a job is handled; the latest entries are kept longest. */
export function remember({ known }: PollState, jobId: string): void {
	const print = fingerprint(jobId);
	known.delete(print);
	known.add(print);
}

export function isDue({ tryAt = 0 }: OpenJob, now: number): boolean {
	return tryAt <= now;
}

/** Adds a failure: the next attempt is in the next poll, later ones follow the client's back-off. */
export function failedAgain({ failingSince }: OpenJob, now: number, atLeastMs = 0): OpenJob {
	const since = failingSince ?? now;
	return { failingSince: since, tryAt: now + delayBeforeNextTry(now - since, atLeastMs) };
}

export function hasFailedFor(milliseconds: number, { failingSince }: OpenJob, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= milliseconds;
}

const format = storedFormat('The memory of the polling trigger', schema);

/** Two times as one text, because n8n watches every object in static data for changes. */
function openAsText({ failingSince, tryAt }: OpenJob): string {
	return failingSince === undefined ? '' : `${failingSince} ${tryAt ?? failingSince}`;
}

function openFromText(stored: unknown): OpenJob {
	const [, failingSince, tryAt] = /^(\d+) (\d+)$/.exec(String(stored)) ?? [];
	return failingSince === undefined ? {} : { failingSince: Number(failingSince), tryAt: Number(tryAt) };
}

/**
 * The state of the previous poll; absent before the first one.
 *
 * @param unstored jobs whose ends were output since then but could not be stored by n8n
 */
export function readState(data: IDataObject, unstored: Iterable<string> = []): StoredRead<PollState> {
	// n8n's static data of a node starts as an empty object.
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

/** Writes the changed fields of the state, so that n8n only saves it when something changed. */
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
 * Ended jobs, earliest end first: by `terminated_at`, within a second by creation, otherwise by the list,
 * which usually begins with the latest job.
 *
 * @param jobs in the service's order, including running ones
 */
export function endsInOrder(jobs: readonly Job[], endOf: ServiceClient['endOf']): Job[] {
	const ended = jobs.filter((job) => endOf(job.status) !== undefined).reverse();
	let latest = 0;
	const dated = ended.map((job) => {
		// A job without a date stays after its predecessor in the list.
		latest = timeOf(job.terminated_at) ?? latest;
		return { job, time: latest, created: timeOf(job.created_at) ?? 0 };
	});
	return dated.sort((a, b) => a.time - b.time || a.created - b.created).map(({ job }) => job);
}

/** The latest value of a timestamp among jobs, in milliseconds since 1970. */
export function latestOf(jobs: readonly Job[], field: 'created_at' | 'terminated_at'): number | undefined {
	const times = jobs.map((job) => timeOf(job[field])).filter((time) => time !== undefined);
	return times.length === 0 ? undefined : times.reduce((latest, time) => Math.max(latest, time));
}

/** The state for this poll. `at` is the current time, by the service's clock if known. */
export function nextState(
	before: PollState | undefined,
	account: string,
	{ jobs, newest, isUnclear }: { jobs: readonly Job[]; newest?: number; isUnclear: boolean },
	{ emitExisting, at, endOf }: { emitExisting: boolean; at: number; endOf: ServiceClient['endOf'] },
): PollState {
	if (before?.account === account) return before;
	// A service may date an end ahead, so jobs that are created later always count as new.
	const oldNews = (lastEnd: number) => ({ since: lastEnd - READING_MS, createdBefore: newest });
	// Another key may belong to another account: ends before the last poll are old there.
	if (before) return { ...before, account, ...oldNews(before.lookedAt ?? at) };
	const state: PollState = { account, known: new Set(), open: new Map() };
	if (emitExisting) return state;
	for (const job of endsInOrder(jobs, endOf)) remember(state, job.job_id);
	// Jobs that have ended are old, even if this poll did not see their status.
	const latestEnd = latestOf(jobs, 'terminated_at') ?? (isUnclear ? at : undefined);
	return latestEnd === undefined ? state : { ...state, ...oldNews(latestEnd) };
}
