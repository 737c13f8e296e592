import type { Job } from '../service/types';
import { creationTimeOf, type LostCreation } from './proof';

/*
 * Works out which clock a service dates its jobs by. The clock in its replies may be a load balancer's, and a database
 * may write local time as if it were UTC. So neither n8n's clock nor the replies' clock tells us when a listed job was
 * created. Known jobs of this run calibrate the service's clock, and a job as new as the request rules out local time.
 * All times are in milliseconds.
 */

/** The largest difference between local time and UTC, and the step between time zones: a quarter of an hour. */
const [ZONES_MS, ZONE_STEP_MS] = [14 * 3_600_000, 15 * 60_000];
/** How long a service may take to create a job, and how long it usually takes. */
const [CREATES_WITHIN_MS, CREATES_SOON_MS] = [2 * 60_000, 10_000];
/** Allowance for clocks that drift apart. */
const CLOCK_ROOM_MS = 5 * 60_000;
/** Tolerance for a proof if the service does not state its time. */
const CLOCK_TOLERANCE_MS = 10_000;
/** Tolerance for a proof otherwise: services cut their times to whole seconds. */
const ROUNDING_MS = 2_000;

/** How far the clock that dates jobs is ahead of n8n's. */
export interface Dating {
	/** Lower bound, by every clock that may apply. */
	least: number;
	/** Whether it may show local time, and so be further behind by a time-zone offset. */
	mayBeLocal: boolean;
	/** The range that is likely enough to recognise our job. */
	likely: { least: number; most: number };
}

/**
 * Works out the clock of a job list.
 *
 * @param jobs the jobs in the list
 * @param lost the lost creation; `known`: IDs of known jobs, with the time each request was sent or 0
 * @param readAt when the list was read
 * @param replyAheadMs how far the replies' clock is ahead of n8n's, if replies state the time
 */
export function datingOf(
	jobs: readonly Job[],
	{ known, from = -Infinity }: Pick<LostCreation, 'from' | 'known'>,
	readAt: number,
	replyAheadMs?: number,
): Dating {
	const offsets = jobs.flatMap((job) => {
		const [sentAt, created] = [known.get(job.job_id) ?? 0, creationTimeOf(job)];
		return sentAt === 0 || created === undefined ? [] : [created - sentAt];
	});
	if (offsets.length > 0) {
		const [smallest, largest] = [
			offsets.reduce((a, b) => Math.min(a, b)),
			offsets.reduce((a, b) => Math.max(a, b)),
		];
		const likely = { least: smallest - CREATES_SOON_MS - ROUNDING_MS, most: largest + ROUNDING_MS };
		return { least: smallest - CREATES_WITHIN_MS, mayBeLocal: false, likely };
	}
	const tolerance = replyAheadMs === undefined ? CLOCK_TOLERANCE_MS : ROUNDING_MS;
	const replyOffset = replyAheadMs ?? 0;
	const least = Math.min(0, replyOffset);
	const isNew = (created: number) =>
		created >= from + least - CLOCK_ROOM_MS &&
		created <= readAt + Math.max(0, replyOffset) + CLOCK_ROOM_MS;
	return {
		least,
		mayBeLocal: !jobs.some((job) => isNew(creationTimeOf(job) ?? NaN)),
		likely: { least: replyOffset - tolerance, most: replyOffset + tolerance },
	};
}

/** Whether a job with this creation time is certainly older than the request, by every clock that may apply. */
export function isOlder(
	createdAt: number,
	{ from, to }: Pick<LostCreation, 'from' | 'to'>,
	{ least, mayBeLocal }: Dating,
): boolean {
	if (from === undefined || createdAt >= from + least - CLOCK_ROOM_MS) return false;
	const behind = from + least - createdAt;
	if (!mayBeLocal || behind > ZONES_MS + CLOCK_ROOM_MS) return true;
	// In local time, our job's creation time would be a whole number of steps behind the actual one.
	const toNextStep = (ZONE_STEP_MS - (behind % ZONE_STEP_MS)) % ZONE_STEP_MS;
	const isWholeStep =
		toNextStep <= to - from + CREATES_WITHIN_MS || toNextStep >= ZONE_STEP_MS - CLOCK_TOLERANCE_MS;
	return !isWholeStep;
}

/** Whether a list that contains a job with this creation time certainly reaches back to before the request. */
export function goesBackTo(
	createdAt: number,
	{ from }: Pick<LostCreation, 'from'>,
	{ least, mayBeLocal }: Dating,
) {
	const zones = mayBeLocal ? ZONES_MS : 0;
	return from !== undefined && createdAt < from + least - CLOCK_ROOM_MS - zones;
}

/** Whether a job with this creation time was probably created while the request was under way. */
export function isWithin(
	createdAt: number,
	{ from, to }: Pick<LostCreation, 'from' | 'to'>,
	{ likely }: Dating,
) {
	return from !== undefined && createdAt >= from + likely.least && createdAt <= to + likely.most;
}
