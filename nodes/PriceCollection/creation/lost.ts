import type { ServiceClient } from '../service/api/client';
import { readList, type JobList } from '../service/api/jobList';
import { PROOF_INTERVAL_MS } from '../service/meaning/jobState';
import { explain, type Outcome } from '../service/problems';
import type { Job } from '../service/types';
import { datingOf, goesBackTo, isOlder, isWithin, type Dating } from './dating';
import { folded } from '../values/identity';
import {
	creationTimeOf,
	documentedFields,
	ownershipOf,
	type Listed,
	type LostCreation,
	type Ownership,
} from './proof';

/**
 * What the job list shows about a lost creation. `ours`: one job is proven to be ours. `unclear`: some jobs may
 * be ours, or the list is too short. `absent`: the list is long enough, and all its jobs belong to other requests.
 */
export type Recovery =
	| { kind: 'ours'; job: Job }
	/** `isFinal`: whether reading the list again is pointless, because jobs that may be ours were found. */
	| { kind: 'absent' | 'unclear'; detail: string; isFinal?: boolean };

/** A reading of the job list: when it began, and the maximum number of jobs it was to read. */
export interface ListReading {
	readAt: number;
	limit: number;
	list: Outcome<JobList>;
}

/** How long a slow service may still create a job after we stopped waiting for the reply, in milliseconds. */
export const AT_WORK_MS = 30_000;
/** How many listed jobs to read … */
const JOBS_TO_READ = 1_000;
/** … plus this many for each planned job, because the run's jobs take up room in the list. */
const JOBS_PER_PLANNED = 2;
/** How long a reading can be reused for other creations, in milliseconds: it lacks jobs that were listed later. */
const FRESH_MS = 10_000;
const MOST_READINGS = 4;
/** How long after its request an existing job must be listed, in milliseconds. */
const LISTED_FOR_MS = 3_600_000;
const MOST_CANDIDATES = 20;

/** Describes how a list shows jobs: its spellings, default values and creation times. */
function listedIn(
	jobs: readonly Job[],
	lost: LostCreation,
	dating: Dating,
	names: Parameters<typeof documentedFields>[1],
): Listed {
	const shownFields = jobs.map((job) => documentedFields(job, names));
	const knownFields = shownFields.filter((_fields, index) => lost.known.has(jobs[index]?.job_id ?? ''));
	const isSame = (one: unknown, other: unknown) => folded(String(one ?? '')) === folded(String(other));
	return {
		spells: (name, value) => shownFields.some((fields) => isSame(fields[name], value)),
		isDefault: (name, value) =>
			knownFields.length > 0 && knownFields.every((fields) => isSame(fields[name], value)),
		isTooOld: (time) => isOlder(time, lost, dating),
		isInTime: (time) => isWithin(time, lost, dating),
	};
}

/**
 * What a reading of the job list shows about a lost creation. Accepts no job without proof. A list proves no absence if
 * it is missing a job we know exists, or if it is incomplete and may not reach back to before the request.
 */
export function findLostJob(
	client: ServiceClient,
	{ list, readAt: readAt, limit }: ListReading,
	lost: LostCreation,
): Recovery {
	if (!list.ok) return { kind: 'unclear', detail: 'The job list could not be read to find out.' };
	const { to } = lost;
	const { jobs, unread } = list.value;
	const serviceTime = client.serviceTime(to);
	const dating = datingOf(jobs, lost, readAt, serviceTime && serviceTime - to);
	const listed = listedIn(jobs, lost, dating, client.connection);
	const found: Record<Ownership, Job[]> = { ours: [], another: [], unclear: [] };
	for (const job of jobs) found[ownershipOf(job, lost, listed, client.connection)].push(job);
	const { ours, unclear } = found;
	const [job] = ours;
	if (job !== undefined && ours.length === 1) return { kind: 'ours', job };
	const isWhole = list.value.complete && list.value.invalid === 0 && jobs.length < limit;
	const ids = new Set(jobs.map(({ job_id }) => job_id));
	// An incomplete list need not contain jobs from before the request.
	const since = Math.max(readAt - LISTED_FOR_MS, isWhole ? 0 : (lost.from ?? 0));
	const isMissing = ([jobId, sentAt]: [string, number]) =>
		sentAt > since && sentAt < readAt - AT_WORK_MS && !ids.has(jobId);
	const [missingId] = [...lost.known].find(isMissing) ?? [];
	const recovery = (kind: 'absent' | 'unclear', finding: string, isFinal?: boolean): Recovery => {
		const scope = `The job list was searched (${isWhole ? '' : 'its first '}${jobs.length} jobs)`;
		return { kind, detail: `${scope}; ${finding}.`, isFinal };
	};
	const candidates = [...ours, ...unclear].map(({ job_id }) => job_id);
	if (candidates.length > 0) {
		const candidateIds = candidates.slice(0, MOST_CANDIDATES).join(', ');
		const andMore =
			candidates.length > MOST_CANDIDATES ? ` and ${candidates.length - MOST_CANDIDATES} more` : '';
		// A new job in a later reading may reveal which clock the service dates jobs by.
		const isFinal = !dating.mayBeLocal;
		return recovery('unclear', `one of these may be this job: ${candidateIds}${andMore}`, isFinal);
	}
	// An incomplete list must have been read without gaps, be sorted and reach back to before our request.
	const created = jobs.map((one) => creationTimeOf(one) ?? NaN);
	const isSorted = created.every((time, index) => time <= (created[index - 1] ?? Infinity));
	const oldest = created.at(-1) ?? Infinity;
	const goesBack = unread === undefined && isSorted && goesBackTo(oldest, lost, dating);
	if (missingId !== undefined)
		return recovery(
			'unclear',
			`none of them can be this job, but job ${missingId}, which exists, is missing`,
		);
	if (isWhole || goesBack) return recovery('absent', 'none of them can be this job');
	const limitation =
		unread === undefined
			? 'the list may not reach back to the time of this request'
			: `page ${unread.page} of the list could not be read: ${explain(unread.problem).message}`;
	return recovery('unclear', `none of them can be this job, but ${limitation}`);
}

/** Pauses before the readings for a creation whose reply was just lost: a slow service lists a job late. */
const SOON_MS: readonly number[] = [0, 1_500, 4_000];
/** Pauses between the readings that prove a creation absent, see {@link PROOF_INTERVAL_MS}. */
const LATER_MS: readonly number[] = [PROOF_INTERVAL_MS, PROOF_INTERVAL_MS];

/** Searches the job list for lost creations, which share its readings. */
export class JobListSearch {
	private readings: ListReading[] = [];

	constructor(
		private readonly client: ServiceClient,
		/** `planned`: how many jobs the run has; `timeoutMs`: how long the service may stay silent. */
		private readonly run: { planned: number; timeoutMs?: number; stop?: AbortSignal },
	) {}

	/** A reading of the list that began after this time: the latest one if it is recent, otherwise a new one. */
	private async readingAfter(time: number): Promise<ListReading> {
		const now = this.client.clock.now();
		const last = this.readings.at(-1);
		if (last?.list.ok === true && last.readAt > time && now - last.readAt < FRESH_MS) return last;
		const { planned, timeoutMs } = this.run;
		const limit = JOBS_TO_READ + planned * JOBS_PER_PLANNED;
		const reading = { readAt: now, limit, list: await readList(this.client, { limit, timeoutMs }) };
		this.readings = [...this.readings, reading].slice(-MOST_READINGS);
		return reading;
	}

	/** Whether two readings, far enough apart, both lack the job although it should have been listed by then. */
	private isAbsent(lost: LostCreation, listedBy: number): boolean {
		const lacking = this.readings.filter(
			(reading) =>
				reading.readAt > listedBy && findLostJob(this.client, reading, lost).kind === 'absent',
		);
		return (lacking.at(-1)?.readAt ?? 0) - (lacking[0]?.readAt ?? Infinity) >= PROOF_INTERVAL_MS;
	}

	/**
	 * Searches for a lost creation.
	 *
	 * @param isEarlier whether an earlier try sent it. If so, the search runs long enough to prove that nothing
	 * was created; right after a lost reply, it only looks for the job itself
	 * @returns `absent` only with proof
	 */
	async find(lost: LostCreation, isEarlier: boolean): Promise<Recovery> {
		const { clock } = this.client;
		const listedBy = lost.to + AT_WORK_MS;
		const pauses = isEarlier ? [Math.min(listedBy - clock.now(), AT_WORK_MS) + 1, ...LATER_MS] : SOON_MS;
		let result: Recovery = {
			kind: 'unclear',
			detail: 'The execution was stopped before this was clear.',
		};
		for (const pause of pauses) {
			await clock.pause(pause, this.run.stop);
			if (this.run.stop?.aborted === true) break;
			const reading = await this.readingAfter(pause > 0 ? clock.now() - 1 : lost.to);
			const recovery = findLostJob(this.client, reading, lost);
			if (recovery.kind !== 'absent') {
				result = recovery;
				if (recovery.kind === 'ours' || recovery.isFinal === true) break;
			} else {
				if (isEarlier && this.isAbsent(lost, listedBy)) return recovery;
				result = { ...recovery, kind: 'unclear' };
			}
		}
		return result;
	}
}
