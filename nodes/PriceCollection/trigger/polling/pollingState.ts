import * as z from '../../../../vendor/zod';
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { looseObject, storedFormat, type StoredRead, text, time } from '../../n8n/storedFormat';
import { delayBeforeNextTry } from '../../service/pacing';
import { timeOf } from '../../service/time';
import type { Job } from '../../service/types';

/** The polling trigger's state in its node's static data. Times in milliseconds since 1970. */
const schema = z.object({
	/** Identifies service and key. */
	account: text,
	/** Fingerprints of jobs whose end was output or is old, latest last. */
	handled: text,
	/** Jobs whose end was not output yet; n8n adds a mark of its own, which a record would reject. */
	open: looseObject,
	/** Jobs that ended before this time, by the service's clock, are old. */
	since: z.optional(time),
	/** The latest end that was handled, by the service's clock. */
	lastEnd: z.optional(time),
});

export interface PollState extends Omit<z.infer<typeof schema>, 'handled' | 'open'> {
	handled: Set<string>;
	open: Map<string, OpenJob>;
}

/** Failures of a job whose end was not output yet. */
export interface OpenJob {
	/** Since when its results are unavailable, or the service does not know it. */
	failingSince?: number;
	tryAt?: number;
	/** Since when the service says that it has no results, see `afterDownload`. */
	deniedSince?: number;
}

/** Maximum remembered ends: twice as many as one poll can read. */
const MOST_HANDLED = 20_000;
const MOST_OPEN = 10_000;
/** 48 bits: with all of them used, one in 10^10 new jobs would be mistaken for an old one. */
const FINGERPRINT_LENGTH = 8;

export function fingerprint(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, FINGERPRINT_LENGTH);
}

export function isHandled({ handled }: PollState, { job_id }: Pick<Job, 'job_id'>): boolean {
	return handled.has(fingerprint(job_id));
}

/** Records that the end of a job is handled; the latest entries are kept longest. */
export function handle(state: PollState, { job_id, terminated_at }: Job): void {
	const print = fingerprint(job_id);
	state.handled.delete(print);
	state.handled.add(print);
	state.open.delete(job_id);
	state.lastEnd = Math.max(timeOf(terminated_at) ?? 0, state.lastEnd ?? 0) || undefined;
}

export function isDue({ tryAt = 0 }: OpenJob, now: number): boolean {
	return tryAt <= now;
}

/** Adds a failure: the next attempt is in the next poll, later ones follow the client's back-off. */
export function failedAgain({ failingSince, deniedSince }: OpenJob, now: number, atLeastMs = 0): OpenJob {
	const since = failingSince ?? now;
	const tryAt = now + delayBeforeNextTry(now - since, atLeastMs);
	return { failingSince: since, tryAt, ...(deniedSince !== undefined && { deniedSince }) };
}

export function hasFailedFor(milliseconds: number, { failingSince }: OpenJob, now: number): boolean {
	return failingSince !== undefined && now - failingSince >= milliseconds;
}

const format = storedFormat('The memory of the polling trigger', schema);

/** The times as one text, because n8n watches every object in static data for changes. */
function openAsText({ failingSince, tryAt, deniedSince }: OpenJob): string {
	if (failingSince === undefined) return '';
	return [failingSince, tryAt ?? failingSince, ...(deniedSince === undefined ? [] : [deniedSince])].join(
		' ',
	);
}

function openFromText(stored: unknown): OpenJob {
	const [failingSince, tryAt, deniedSince] = String(stored).split(' ').map(Number);
	if (!failingSince || !Number.isFinite(tryAt)) return {};
	return { failingSince, tryAt, ...(Number.isFinite(deniedSince) && { deniedSince }) };
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
	const handled = new Set(read.value.handled.match(/.{8}/g));
	const open = new Map(Object.entries(read.value.open).map(([id, job]) => [id, openFromText(job)]));
	for (const jobId of unstored) {
		handled.delete(fingerprint(jobId));
		open.set(jobId, {});
	}
	return { kind: 'read', value: { ...read.value, handled, open } };
}

/** Writes the changed fields of the state, so that n8n only saves it when something changed. */
export function writeState(data: IDataObject, { handled, open, ...rest }: PollState): void {
	const next = format.write({
		...rest,
		handled: [...handled].slice(-MOST_HANDLED).join(''),
		open: Object.fromEntries([...open].slice(-MOST_OPEN).map(([id, job]) => [id, openAsText(job)])),
	});
	for (const [name, value] of Object.entries(next)) {
		if (value !== undefined && JSON.stringify(data[name]) !== JSON.stringify(value)) data[name] = value;
	}
}
