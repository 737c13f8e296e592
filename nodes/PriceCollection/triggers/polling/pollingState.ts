import * as z from '../../../../vendor/zod';
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { looseObject, storedFormat, type StoredRead, textFormat, timeFormat } from '../../n8n/storedFormat';
import { delayBeforeNextTry } from '../../service/http/pacing';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { endsInOrder, endTime } from './endsInOrder';

/** A list as JSON text, because n8n watches every object in static data for changes. */
const listText = z.custom<string>((value) => Array.isArray(parsed(value)));

function parsed(value: unknown): unknown {
	try {
		return JSON.parse(String(value));
	} catch {
		return undefined;
	}
}

/** The progress of a reading of the list, which may take several polls. */
const readingFormat = z.object({
	/** The last page read; absent before the first one. */
	position: z.optional(z.object({ query: looseObject, offset: timeFormat })),
	/** When the reading began, by the service's clock. Later ends may belong after ends that it has not seen. */
	begunAt: z.optional(timeFormat),
	/** The creation times of the newest job (the first listed) and of the oldest job so far. */
	newest: z.optional(timeFormat),
	oldest: z.optional(timeFormat),
	/** Whether the list has run from newer to older jobs so far. */
	isSorted: z.boolean(),
	/** How many open jobs have not been listed with their status yet; they come first in `open`. */
	missing: timeFormat,
	/** The creation time of the oldest job that there was no room for. */
	unreadFrom: z.optional(timeFormat),
	/** Whether jobs that ended before this reading began are old. */
	isFirst: z.optional(z.boolean()),
});
export type PollReading = z.infer<typeof readingFormat>;

/** The polling trigger's stored state. Times are in milliseconds since 1970. */
const schema = z.object({
	/** Identifies the service and the key. */
	account: textFormat,
	/** Fingerprints of jobs whose end was output or is old, the latest last. */
	handled: textFormat,
	/** The first `count` jobs in `handled` ended by `time`. */
	handledBy: z.optional(z.object({ count: timeFormat, time: timeFormat })),
	/** Jobs that ended by this time are handled, unless they are open; their fingerprints were dropped. */
	forgotten: z.optional(timeFormat),
	/** Running jobs, each with its failed status requests. */
	open: listText,
	/** Jobs that ended before this time, by the service's clock, are old. */
	since: z.optional(timeFormat),
	/** The latest end that was handled, by the service's clock. */
	lastEnd: z.optional(timeFormat),
	/** All jobs that were created before this time are handled, open, found or in the queue. */
	settled: z.optional(timeFormat),
	/** The last reading that reached the end of the list: its newest job's creation, and when it finished by n8n's clock. */
	wholeReading: z.optional(z.object({ newest: timeFormat, seenAt: timeFormat })),
	/** The reading in progress, if any; `found` is incomplete until it is done. */
	reading: z.optional(readingFormat),
	/** Ended jobs in list order. They join the queue when the reading is complete. */
	found: listText,
	/** Ends to output, in order, each with its failed downloads. */
	queue: listText,
});

/** Failed attempts to read a job, to download its results, or to poll. Times are in milliseconds since 1970. */
export interface Tries {
	/** When the first of the consecutive failures happened. */
	failingSince?: number;
	/** When to try again. */
	tryAt?: number;
	/** When the service first reported that there are no results (see `afterDownload`). */
	deniedSince?: number;
}

export interface PollState extends Omit<z.infer<typeof schema>, 'found' | 'handled' | 'open' | 'queue'> {
	handled: Set<string>;
	open: Map<string, Tries>;
	found: Map<string, Job>;
	queue: Map<string, { job: Job; tries: Tries }>;
}

/** How late, or how far out of order, a job or an end may appear in the list. */
export const OVERLAP_MS = 10 * 60_000;
/** Above this number, fingerprints of earlier ends are dropped if ends are dated. */
const MOST_HANDLED = 20_000;
/** How many fingerprints to keep if the service dates nothing; its list must not be longer. */
const MOST_UNDATED = 100_000;
const MOST_OPEN = 10_000;
/** How many ends a reading keeps, the same as the rows of an execution. It is trimmed at twice that number. */
const MOST_FOUND = 50_000;
/** How many characters of JSON to store for waiting ends: enough for several thousand typical jobs. */
const MOST_WAITING = 2_000_000;
/** A date further in the future than this is wrong; a nearer one may come from another time zone. */
const WRONG_MS = 24 * 60 * 60_000;
/** 8 characters hold 48 bits. With 20,000 fingerprints, about 1 in 10^10 new jobs would be mistaken for an old one. */
const FINGERPRINT_LENGTH = 8;

export function fingerprint(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}

export function newState(account: string): PollState {
	return { account, handled: new Set(), open: new Map(), found: new Map(), queue: new Map() };
}

export function isHandled({ handled }: PollState, { job_id }: Pick<Job, 'job_id'>): boolean {
	return handled.has(fingerprint(job_id));
}

/** Records that a job's end is handled, as the latest one. */
export function markHandled(state: PollState, job: Job): void {
	const print = fingerprint(job.job_id);
	state.handled.delete(print);
	state.handled.add(print);
	state.open.delete(job.job_id);
	state.lastEnd = Math.max(endTime(job) ?? 0, state.lastEnd ?? 0) || undefined;
}

/** Puts ends whose execution n8n could not store back at the front of the queue. */
export function queueAgain(state: PollState, jobs: readonly Job[]): void {
	for (const { job_id: jobId } of jobs) state.handled.delete(fingerprint(jobId));
	if (jobs.length > 0) state.handledBy = undefined;
	const entries = jobs.map((job) => [job.job_id, { job, tries: {} }] as const);
	state.queue = new Map([...entries, ...state.queue]);
}

/** Leaves out a job for lack of room. The list counts as unread from this job on, so that later polls read it again. */
function leaveUnread(state: PollState, { created_at }: Job): void {
	const { reading, wholeReading } = state;
	const created = timeOf(created_at) ?? 0;
	if (reading !== undefined) reading.unreadFrom = Math.min(created, reading.unreadFrom ?? created);
	if (wholeReading !== undefined) wholeReading.newest = Math.min(created, wholeReading.newest);
	if (state.settled !== undefined) state.settled = Math.min(created, state.settled);
}

/** Returns a time from the service; undefined if it is so far in the future that it proves nothing. */
export function plausible(time: number | undefined, now: number): number | undefined {
	return time !== undefined && time <= now + WRONG_MS ? time : undefined;
}

/** Records an open job after all others, so that they take turns. */
export function noteOpen(state: PollState, job: Job, tries: Tries = {}): void {
	const hasRoom = state.open.delete(job.job_id) || state.open.size < MOST_OPEN;
	if (hasRoom) state.open.set(job.job_id, tries);
	else leaveUnread(state, job);
}

/** Keeps only the earliest found ends once there are twice as many as allowed. */
export function limitFound(state: PollState, most = MOST_FOUND): void {
	if (state.found.size > 2 * most) keepEarliest(state, endsInOrder(state.found.values()), most);
}

/** Keeps so many of the found ends, which are given in order. */
function keepEarliest(state: PollState, inOrder: readonly Job[], count: number): void {
	for (const job of inOrder.slice(count)) leaveUnread(state, job);
	state.found = new Map(
		inOrder
			.slice(0, count)
			.reverse()
			.map((job) => [job.job_id, job]),
	);
}

export function isDue({ tryAt = 0 }: Tries, now: number): boolean {
	return tryAt <= now;
}

/** Adds a failure. The first retry is in the next poll; the pauses before later ones grow (see `delayBeforeNextTry`). */
export function failedAgain({ failingSince, deniedSince }: Tries, now: number, atLeastMs = 0): Tries {
	const since = failingSince ?? now;
	const tryAt = now + delayBeforeNextTry(now - since, atLeastMs);
	return { failingSince: since, tryAt, ...(deniedSince !== undefined && { deniedSince }) };
}

export function hasFailedFor(milliseconds: number, { failingSince }: Tries, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= milliseconds;
}

const format = storedFormat('The memory of the polling trigger', schema);

/** Reads the state that the previous poll stored; absent before the first one. */
export function readState(stored: unknown): StoredRead<PollState> {
	const read = format.read(stored);
	if (read.kind !== 'read') return read;
	const { handled, open, found, queue, ...others } = read.value;
	return {
		kind: 'read',
		value: {
			...others,
			handled: new Set(handled.match(/.{8}/g)),
			open: new Map(JSON.parse(open) as Array<[string, Tries]>),
			found: new Map((JSON.parse(found) as Job[]).map((job) => [job.job_id, job])),
			queue: new Map(
				(JSON.parse(queue) as Array<[Job, Tries]>).map(([job, tries]) => [
					job.job_id,
					{ job, tries },
				]),
			),
		},
	};
}

/**
 * Drops the fingerprints of earlier ends, up to a time that is far enough before the latest end. Ends are output in order,
 * so all ends up to that time are handled. Without dates, keeps the latest fingerprints.
 */
function limitHandled(state: PollState, now: number): void {
	const { handled, handledBy } = state;
	const lastEnd = plausible(state.lastEnd, now);
	if (lastEnd === undefined) {
		state.handled = new Set([...handled].slice(-MOST_UNDATED));
		return;
	}
	if (handledBy !== undefined && lastEnd - handledBy.time < OVERLAP_MS) return;
	if (handledBy !== undefined && handled.size > MOST_HANDLED) {
		state.handled = new Set([...handled].slice(handledBy.count));
		state.forgotten = handledBy.time;
	}
	state.handledBy = { count: state.handled.size, time: lastEnd };
}

/** Keeps the waiting ends for as long as there is room: the queue, then the earliest found ends. */
function limitWaiting(state: PollState): void {
	let room = MOST_WAITING;
	const fits = (stored: unknown) => {
		room -= JSON.stringify(stored).length;
		return room >= 0;
	};
	for (const [jobId, { job, tries }] of state.queue) {
		if (fits([job, tries])) continue;
		state.queue.delete(jobId);
		leaveUnread(state, job);
	}
	const inOrder = endsInOrder(state.found.values());
	// Once an end does not fit, no later one does.
	keepEarliest(state, inOrder, inOrder.filter((job) => fits(job)).length);
}

/**
 * Limits the size of a state. Jobs without room count as unread in the list; ends whose fingerprints are dropped count as
 * handled by their date.
 */
export function limitState(state: PollState, now: number): void {
	limitHandled(state, now);
	limitWaiting(state);
}

/** Returns a state in its stored form. */
export function storedState(state: PollState): IDataObject {
	return format.write({
		...state,
		handled: [...state.handled].join(''),
		open: JSON.stringify([...state.open]),
		found: JSON.stringify([...state.found.values()]),
		queue: JSON.stringify([...state.queue.values()].map(({ job, tries }) => [job, tries])),
	});
}
