import type { ServiceClient } from '../service/api/client';
import { readList, type JobList } from '../service/api/jobList';
import { TWICE_MS } from '../service/meaning/jobState';
import { explain, type Outcome } from '../service/problems';
import type { Job } from '../service/types';
import { datingOf, goesBackTo, isOlder, isWithin, type Dating } from './dating';
import { folded } from '../values/identity';
import {
	createdBetween,
	documentedFields,
	ownershipOf,
	type Listed,
	type LostCreation,
	type Ownership,
} from './proof';

/**
 * What the job list says about a lost creation. `ours`: a job is proven to be this one. `unclear`: jobs may
 * be this one, or the list is too short. `absent`: the list is long enough, and all jobs belong to others.
 */
export type Recovery =
	| { kind: 'ours'; job: Job }
	/** `isFinal`: whether a later reading says the same, because jobs were found that may be this one. */
	| { kind: 'absent' | 'unclear'; detail: string; isFinal?: boolean };

/** A reading of the job list, when it began, and how many jobs it may have at the most. */
export interface ListReading {
	readAt: number;
	limit: number;
	list: Outcome<JobList>;
}

/** How long a slow service may still create a job after the client stopped waiting for the reply. */
export const AT_WORK_MS = 30_000;
const JOBS_TO_LOOK_AT = 1_000;
/** … and so many for each job of the run, which fill the list themselves. */
const JOBS_PER_PLANNED = 2;
/** How long a reading is used for other creations, in milliseconds: jobs that were listed since are not in it. */
const FRESH_MS = 10_000;
const MOST_READINGS = 4;
/** For how long a job that exists must be in the list, in milliseconds. */
const LISTED_FOR_MS = 3_600_000;
const MOST_CANDIDATES = 20;

/** What a list says about how it shows jobs. */
function listedIn(
	jobs: readonly Job[],
	lost: LostCreation,
	dating: Dating,
	names: Parameters<typeof documentedFields>[1],
): Listed {
	const all = jobs.map((job) => documentedFields(job, names));
	const own = all.filter((_fields, index) => lost.known.has(jobs[index]?.job_id ?? ''));
	const isSame = (one: unknown, other: unknown) => folded(String(one ?? '')) === folded(String(other));
	return {
		spells: (name, value) => all.some((fields) => isSame(fields[name], value)),
		isDefault: (name, value) => own.length > 0 && own.every((fields) => isSame(fields[name], value)),
		isTooOld: (time) => isOlder(time, lost, dating),
		isInTime: (time) => isWithin(time, lost, dating),
	};
}

/**
 * What a reading of the job list says about a lost creation. Accepts no job without proof. A list that was not
 * read whole proves nothing absent, nor does one that lacks a job of which it is known that it exists.
 *
 * @param readAt when the list was read
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
	// A list that is not whole need not have jobs from before the request.
	const since = Math.max(readAt - LISTED_FOR_MS, isWhole ? 0 : (lost.from ?? 0));
	const isMissing = ([jobId, sentAt]: [string, number]) =>
		sentAt > since && sentAt < readAt - AT_WORK_MS && !ids.has(jobId);
	const [lacks] = [...lost.known].find(isMissing) ?? [];
	const recovery = (kind: 'absent' | 'unclear', what: string, isFinal?: boolean): Recovery => {
		const looked = `The job list was searched (${isWhole ? '' : 'its first '}${jobs.length} jobs)`;
		return { kind, detail: `${looked}; ${what}.`, isFinal };
	};
	const candidates = [...ours, ...unclear].map(({ job_id }) => job_id);
	if (candidates.length > 0) {
		const named = candidates.slice(0, MOST_CANDIDATES).join(', ');
		const others =
			candidates.length > MOST_CANDIDATES ? ` and ${candidates.length - MOST_CANDIDATES} more` : '';
		// Another job of a later reading may show by which clock they are dated.
		const isFinal = !dating.mayBeLocal;
		return recovery('unclear', `one of these jobs may be this one: ${named}${others}`, isFinal);
	}
	// A list that is not whole must have been read without a gap, be sorted and end before our request.
	const created = jobs.map((one) => createdBetween(one) ?? NaN);
	const isSorted = created.every((time, index) => time <= (created[index - 1] ?? Infinity));
	const oldest = created.at(-1) ?? Infinity;
	const goesBack = unread === undefined && isSorted && goesBackTo(oldest, lost, dating);
	if (lacks !== undefined)
		return recovery('unclear', `no job in it can be this one, but it lacks job ${lacks}, which exists`);
	if (isWhole || goesBack) return recovery('absent', 'none of them can be this one');
	const short =
		unread === undefined
			? 'it may not reach back to the time of this request'
			: `page ${unread.page} of it could not be read: ${explain(unread.problem).message}`;
	return recovery('unclear', `no job in it can be this one, but ${short}`);
}

/** When the job list is read for a creation whose reply was just lost: a slow service lists a job late. */
const SOON_MS: readonly number[] = [0, 1_500, 4_000];
/** Pauses between readings that are to prove a creation absent, see {@link TWICE_MS}. */
const LATER_MS: readonly number[] = [TWICE_MS, TWICE_MS];

/** Looks for lost creations in the job list, whose readings they share. */
export class JobListSearch {
	private readings: ListReading[] = [];

	constructor(
		private readonly client: ServiceClient,
		/** `planned`: how many jobs the run has; `timeoutMs`: how long the service may be silent. */
		private readonly run: { planned: number; timeoutMs?: number; stop?: AbortSignal },
	) {}

	/** A reading of the list that began after this time: a fresh one, or one of a moment ago. */
	private async readingAfter(time: number): Promise<ListReading> {
		const now = this.client.clock.now();
		const last = this.readings.at(-1);
		if (last?.list.ok === true && last.readAt > time && now - last.readAt < FRESH_MS) return last;
		const { planned, timeoutMs } = this.run;
		const limit = JOBS_TO_LOOK_AT + planned * JOBS_PER_PLANNED;
		const reading = { readAt: now, limit, list: await readList(this.client, { limit, timeoutMs }) };
		this.readings = [...this.readings, reading].slice(-MOST_READINGS);
		return reading;
	}

	/** Whether two readings, far enough apart, lack the job although it must have been in them. */
	private isAbsent(lost: LostCreation, enteredBy: number): boolean {
		const lacking = this.readings.filter(
			(reading) =>
				reading.readAt > enteredBy && findLostJob(this.client, reading, lost).kind === 'absent',
		);
		return (lacking.at(-1)?.readAt ?? 0) - (lacking[0]?.readAt ?? Infinity) >= TWICE_MS;
	}

	/**
	 * Looks for a lost creation.
	 *
	 * @param isEarlier whether it is of an earlier try: then the search takes until it can prove that nothing was
	 * created. Right after a lost reply only the job itself is looked for.
	 * @returns `absent` only with proof
	 */
	async find(lost: LostCreation, isEarlier: boolean): Promise<Recovery> {
		const { clock } = this.client;
		const enteredBy = lost.to + AT_WORK_MS;
		const pauses = isEarlier ? [Math.min(enteredBy - clock.now(), AT_WORK_MS) + 1, ...LATER_MS] : SOON_MS;
		let said: Recovery = { kind: 'unclear', detail: 'The execution was stopped before that was known.' };
		for (const pause of pauses) {
			await clock.pause(pause, this.run.stop);
			if (this.run.stop?.aborted === true) break;
			const reading = await this.readingAfter(pause > 0 ? clock.now() - 1 : lost.to);
			const seen = findLostJob(this.client, reading, lost);
			if (seen.kind !== 'absent') {
				said = seen;
				if (seen.kind === 'ours' || seen.isFinal === true) break;
			} else {
				if (isEarlier && this.isAbsent(lost, enteredBy)) return seen;
				said = { ...seen, kind: 'unclear' };
			}
		}
		return said;
	}
}
