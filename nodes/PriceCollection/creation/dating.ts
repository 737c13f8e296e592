import type { Job } from '../service/types';
import { createdBetween, type LostCreation } from './proof';

/*
 * By which clock a service dates its jobs. The clock of its replies may be that of a load balancer, and a database may
 * write local time as if it were UTC, so neither n8n's clock nor that of the replies says when a listed job was made.
 * Jobs of this run that are known calibrate, and so does a job that is as new as the request. All in milliseconds.
 */

/** Local times differ from UTC by so much at the most, in steps of a quarter of an hour. */
const [ZONES_MS, ZONE_STEP_MS] = [14 * 3_600_000, 15 * 60_000];
/** How long a service may take to create a job, and how long it usually takes. */
const [CREATES_WITHIN_MS, CREATES_SOON_MS] = [2 * 60_000, 10_000];
/** Room for clocks that run apart. */
const CLOCK_ROOM_MS = 5 * 60_000;
/** Tolerance for a proof; the second if the service states its time, which is cut to whole seconds. */
const CLOCK_TOLERANCE_MS = 10_000;
const ROUNDING_MS = 2_000;

/** How far the clock that dates jobs is ahead of n8n's. */
export interface Dating {
	/** At least so far, by each clock that is known. */
	least: number;
	/** Whether it may also be behind by the difference of local times. */
	mayBeLocal: boolean;
	/** As far as is likely enough to recognise our job. */
	likely: { least: number; most: number };
}

/**
 * @param jobs the list
 * @param lost the creation that is looked for; `known`: jobs of this run, and when they were asked for
 * @param readAt when the list was read
 * @param replyAheadMs how far the clock of the replies is ahead, if they say
 */
export function datingOf(
	jobs: readonly Job[],
	{ known, from = -Infinity }: Pick<LostCreation, 'from' | 'known'>,
	readAt: number,
	replyAheadMs?: number,
): Dating {
	const ahead = jobs.flatMap((job) => {
		const [sentAt, created] = [known.get(job.job_id) ?? 0, createdBetween(job)];
		return sentAt === 0 || created === undefined ? [] : [created - sentAt];
	});
	if (ahead.length > 0) {
		const [first, last] = [
			ahead.reduce((a, b) => Math.min(a, b)),
			ahead.reduce((a, b) => Math.max(a, b)),
		];
		const likely = { least: first - CREATES_SOON_MS - ROUNDING_MS, most: last + ROUNDING_MS };
		return { least: first - CREATES_WITHIN_MS, mayBeLocal: false, likely };
	}
	const tolerance = replyAheadMs === undefined ? CLOCK_TOLERANCE_MS : ROUNDING_MS;
	const replies = replyAheadMs ?? 0;
	const least = Math.min(0, replies);
	const isNew = (created: number) =>
		created >= from + least - CLOCK_ROOM_MS && created <= readAt + Math.max(0, replies) + CLOCK_ROOM_MS;
	return {
		least,
		mayBeLocal: !jobs.some((job) => isNew(createdBetween(job) ?? NaN)),
		likely: { least: replies - tolerance, most: replies + tolerance },
	};
}

/** Whether a job that is dated so is certainly older than the request, by every clock that it may have. */
export function isOlder(
	dated: number,
	{ from, to }: Pick<LostCreation, 'from' | 'to'>,
	{ least, mayBeLocal }: Dating,
): boolean {
	if (from === undefined || dated >= from + least - CLOCK_ROOM_MS) return false;
	const behind = from + least - dated;
	if (!mayBeLocal || behind > ZONES_MS + CLOCK_ROOM_MS) return true;
	// By local time, our job would be dated whole steps before the time of the request.
	const rest = (ZONE_STEP_MS - (behind % ZONE_STEP_MS)) % ZONE_STEP_MS;
	const isStep = rest <= to - from + CREATES_WITHIN_MS || rest >= ZONE_STEP_MS - CLOCK_TOLERANCE_MS;
	return !isStep;
}

/** Whether a list that goes back to a job that is dated so certainly goes back to before the request. */
export function goesBackTo(
	dated: number,
	{ from }: Pick<LostCreation, 'from'>,
	{ least, mayBeLocal }: Dating,
) {
	const zones = mayBeLocal ? ZONES_MS : 0;
	return from !== undefined && dated < from + least - CLOCK_ROOM_MS - zones;
}

/** Whether a job that is dated so was probably made while the request was under way. */
export function isWithin(dated: number, { from, to }: Pick<LostCreation, 'from' | 'to'>, { likely }: Dating) {
	return from !== undefined && dated >= from + likely.least && dated <= to + likely.most;
}
