import * as z from '../../../../vendor/zod';
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { looseObject, storedFormat, type StoredRead, textFormat, timeFormat } from '../../n8n/storedFormat';
import { delayBeforeNextTry } from '../../service/http/pacing';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';
import { endsInOrder, endTime } from './endsInOrder';

/** A list as JSON. Not as a list, because n8n watches every object in static data for changes. */
const listText = z.custom<string>((value) => Array.isArray(parsed(value)));

function parsed(value: unknown): unknown {
	try {
		return JSON.parse(String(value));
	} catch {
		return undefined;
	}
}

/** How far the list has been read by a reading that is under way. */
const readingFormat = z.object({
	/** The page that was read last; absent before the first. */
	position: z.optional(z.object({ query: looseObject, offset: timeFormat })),
	/** When it began, by the service's clock; ends after that may belong behind others that it has not seen. */
	begunAt: z.optional(timeFormat),
	/** The creation of the newest job on its first page, and of the oldest job so far. */
	newest: z.optional(timeFormat),
	oldest: z.optional(timeFormat),
	/** Whether the list has begun with the newest job and continued with ever older ones. */
	isSorted: z.boolean(),
	/** How many of the open jobs have not been listed with their status; these are the first ones. */
	missing: timeFormat,
	/** The creation of the oldest job that there was no room for. */
	unreadFrom: z.optional(timeFormat),
	/** Whether jobs that ended before it began are old. */
	isFirst: z.optional(z.boolean()),
});
export type PollReading = z.infer<typeof readingFormat>;

/** The polling trigger's state between two polls. Times in milliseconds since 1970. */
const schema = z.object({
	/** Identifies service and key. */
	account: textFormat,
	/** Fingerprints of jobs whose end was output or is old, latest last. */
	handled: textFormat,
	/** The first so many of `handled` ended by this time. */
	handledBy: z.optional(z.object({ count: timeFormat, time: timeFormat })),
	/** Jobs that ended by this time are handled, unless they are open; their fingerprints were dropped. */
	forgotten: z.optional(timeFormat),
	/** Jobs that run, with failures to ask for them. */
	open: listText,
	/** Jobs that ended before this time, by the service's clock, are old. */
	since: z.optional(timeFormat),
	/** The latest end that was handled, by the service's clock. */
	lastEnd: z.optional(timeFormat),
	/** All jobs that were created before this time are handled, open, found or in the queue. */
	settled: z.optional(timeFormat),
	/** The latest reading that the end of the list ended: the newest job it had, and when it ended by n8n's clock. */
	wholeReading: z.optional(z.object({ newest: timeFormat, seenAt: timeFormat })),
	/** The gap: the list is being read, and `found` is incomplete until that is done. */
	reading: z.optional(readingFormat),
	/** Ended jobs in the order of the list, to be put in the queue when the reading is complete. */
	found: listText,
	/** Ends to be output, in order, with failures to download their results. */
	queue: listText,
});

/** Failures of a job that is asked for, or whose results are. */
export interface Tries {
	/** Since when its results are unavailable, or the service does not know it. */
	failingSince?: number;
	tryAt?: number;
	/** Since when the service says that it has no results, see `afterDownload`. */
	deniedSince?: number;
}

export interface PollState extends Omit<z.infer<typeof schema>, 'found' | 'handled' | 'open' | 'queue'> {
	handled: Set<string>;
	open: Map<string, Tries>;
	found: Map<string, Job>;
	queue: Map<string, { job: Job; tries: Tries }>;
}

/** How late, or how far out of order, jobs and ends may appear in the list. */
export const OVERLAP_MS = 10 * 60_000;
/** From this number on, fingerprints of earlier ends are dropped, if ends are dated. */
const MOST_HANDLED = 20_000;
/** The most fingerprints of a service that dates nothing: the list can be so long. */
const MOST_UNDATED = 100_000;
const MOST_OPEN = 10_000;
/** Ends that a reading keeps: as many as an execution can have rows. */
const MOST_FOUND = 50_000;
/** Characters of stored ends that wait, as JSON: several thousand of the usual jobs. */
const MOST_WAITING = 2_000_000;
/** Dates further in the future are wrong; nearer ones may be of another time zone. */
const WRONG_MS = 24 * 60 * 60_000;
/** 48 bits: with all of them used, one in 10^10 new jobs would be mistaken for an old one. */
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

/** Records that the end of a job is handled, as the latest. */
export function handle(state: PollState, job: Job): void {
	const print = fingerprint(job.job_id);
	state.handled.delete(print);
	state.handled.add(print);
	state.open.delete(job.job_id);
	state.lastEnd = Math.max(endTime(job) ?? 0, state.lastEnd ?? 0) || undefined;
}

/** Ends that were output but that n8n could not store are output again, before all others. */
export function queueAgain(state: PollState, jobs: readonly Job[]): void {
	for (const { job_id: jobId } of jobs) state.handled.delete(fingerprint(jobId));
	if (jobs.length > 0) state.handledBy = undefined;
	const again = jobs.map((job) => [job.job_id, { job, tries: {} }] as const);
	state.queue = new Map([...again, ...state.queue]);
}

/** There is no room for a job. The list counts as unread down to it, so that later polls read it again. */
function leaveUnread(state: PollState, { created_at }: Job): void {
	const { reading, wholeReading } = state;
	const created = timeOf(created_at) ?? 0;
	if (reading !== undefined) reading.unreadFrom = Math.min(created, reading.unreadFrom ?? created);
	if (wholeReading !== undefined) wholeReading.newest = Math.min(created, wholeReading.newest);
	if (state.settled !== undefined) state.settled = Math.min(created, state.settled);
}

/** A time of the service, unless it lies so far ahead that nothing can be concluded from it. */
export function plausible(time: number | undefined, now: number): number | undefined {
	return time !== undefined && time <= now + WRONG_MS ? time : undefined;
}

/** Notes a running job, after all others, so that all take turns. */
export function noteOpen(state: PollState, job: Job, tries: Tries = {}): void {
	const hasRoom = state.open.delete(job.job_id) || state.open.size < MOST_OPEN;
	if (hasRoom) state.open.set(job.job_id, tries);
	else leaveUnread(state, job);
}

/** Keeps the earliest of the found ends if there are far too many. */
export function limitFound(state: PollState, most = MOST_FOUND): void {
	if (state.found.size <= 2 * most) return;
	const inOrder = endsInOrder(state.found.values());
	for (const job of inOrder.slice(most)) leaveUnread(state, job);
	state.found = new Map(
		inOrder
			.slice(0, most)
			.reverse()
			.map((job) => [job.job_id, job]),
	);
}

export function isDue({ tryAt = 0 }: Tries, now: number): boolean {
	return tryAt <= now;
}

/** Adds a failure: the next attempt is in the next poll, later ones follow the client's back-off. */
export function failedAgain({ failingSince, deniedSince }: Tries, now: number, atLeastMs = 0): Tries {
	const since = failingSince ?? now;
	const tryAt = now + delayBeforeNextTry(now - since, atLeastMs);
	return { failingSince: since, tryAt, ...(deniedSince !== undefined && { deniedSince }) };
}

export function hasFailedFor(milliseconds: number, { failingSince }: Tries, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= milliseconds;
}

const format = storedFormat('The memory of the polling trigger', schema);

/** The state of the previous poll; absent before the first one. */
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
 * Drops fingerprints of earlier ends, all up to a time that is far enough before the latest end. All ends up to then are
 * handled, because ends are output in order.
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

/** The ends that wait, as JSON, the earliest first as far as there is room. */
function waitingTexts(state: PollState): { queue: string; found: string } {
	let room = MOST_WAITING;
	const fits = (job: Job, text: string) => {
		room -= text.length;
		if (room < 0) leaveUnread(state, job);
		return room >= 0;
	};
	const queue = [...state.queue.values()]
		.map(({ job, tries }) => ({ job, text: JSON.stringify([job, tries]) }))
		.filter(({ job, text }) => fits(job, text));
	const found = endsInOrder(state.found.values())
		.map((job) => ({ job, text: JSON.stringify(job) }))
		.filter(({ job, text }) => fits(job, text));
	const listOf = (entries: ReadonlyArray<{ text: string }>) =>
		`[${entries.map((entry) => entry.text).join(',')}]`;
	return { queue: listOf(queue), found: listOf(found.reverse()) };
}

/** What to store of a state. It is bounded: what has no room counts as unread in the list, or as handled by its time. */
export function storedState(state: PollState, now: number): IDataObject {
	limitHandled(state, now);
	const waiting = waitingTexts(state);
	return format.write({
		...state,
		...waiting,
		handled: [...state.handled].join(''),
		open: JSON.stringify([...state.open]),
	});
}
