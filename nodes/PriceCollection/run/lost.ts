import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import { readList, type JobList } from '../service/jobList';
import { TWICE_MS } from '../service/jobState';
import { explain, type Outcome } from '../service/problems';
import { timeOf } from '../service/time';
import { isObject, type Job } from '../service/types';
import { folded, identityOf, readValues } from './lookup/values';
import type { JobRequest } from './record';

/** A creation whose reply was lost, or of which it is unknown whether it was sent. Times in milliseconds since 1970. */
export interface LostCreation {
	/** When it was sent at the earliest; absent where that is unknown. */
	from?: number;
	/** When it can have reached the service at the latest. */
	to: number;
	/** The mark in its callback URL, if it is known. */
	nonce?: string;
	/** Whether it may have been sent again with another mark. */
	hasGaps: boolean;
	/** What was sent, as far as is known. */
	request: JobRequest;
	/** Jobs that belong to other requests, and when those were sent; 0 for those of earlier rounds. */
	known: ReadonlyMap<string, number>;
}

/**
 * What the job list says about a lost creation. `ours`: a job is proven to be this one. `unclear`: jobs may
 * be this one, or the list is too short. `absent`: the list is long enough, and all jobs belong to others.
 */
export type Recovery =
	| { kind: 'ours'; job: Job }
	/** `candidates`: whether jobs were found that may be this one. */
	| { kind: 'absent' | 'unclear'; detail: string; candidates?: true };

/** A reading of the job list, and when it began. */
export interface Reading {
	at: number;
	list: Outcome<JobList>;
}

/** Room for differing clocks: n8n's, the service's, and the one that dates its jobs, in milliseconds. */
const CLOCK_ROOM_MS = 5 * 60_000;
/** Tolerance for a proof; the second if the service states its time, which is cut to whole seconds. */
const CLOCK_TOLERANCE_MS = 10_000;
const ROUNDING_MS = 2_000;
/** How long a slow service may still create a job after the client stopped waiting for the reply. */
export const AT_WORK_MS = 30_000;
const JOBS_TO_LOOK_AT = 1_000;
/** How long a reading is used for other creations, in milliseconds: jobs that were listed since are not in it. */
const FRESH_MS = 10_000;
const MOST_READINGS = 4;
/** For how long a job that exists must be in the list, in milliseconds. */
const LISTED_FOR_MS = 3_600_000;
const MOST_NAMED = 20;

/** The job and its fields that may hold the query; other objects, such as the account, do not. */
function partsOf(job: Job): IDataObject[] {
	return [job.query, job.request, job.params, job.parameters, job].filter(isObject);
}

const bare = (text: unknown) => folded(String(text)).replaceAll(' ', '');

/** Whether two bare texts are equal, or one may be a part of the other: truncated, joined or written in full. */
function mayBe(one: string, other: string): boolean {
	if (one === other) return one !== '';
	return Math.min(one.length, other.length) >= 2 && (one.includes(other) || other.includes(one));
}

type Comparison = 'same' | 'others' | 'unclear';

/** Version 1 named some kinds of values differently, and services still show them so. */
const OLDER_KEYS: Readonly<Record<string, string>> = { keyword: 'term', source_id: 'id' };

/** Parameters of which another value belongs to another request; other ones may be shown as the service changed them. */
const TELLING = ['topic', 'source', 'country'];

/** Compares a parameter of a job with the requested one, in any spelling. What the job does not show is unclear. */
function compareParameter(name: string, shown: IDataObject, asked: unknown): Comparison {
	const value = shown[name];
	// A job that shows its values under the name of the key shows the key as well.
	if (name === 'key' && value === undefined && shown[String(asked)] !== undefined) return 'same';
	if (typeof value === 'object' || value === undefined) return 'unclear';
	const older = name === 'key' ? OLDER_KEYS[String(value)] : undefined;
	const [said, wanted] = [bare(older ?? value), bare(asked)];
	if (said === wanted) return 'same';
	if (!TELLING.includes(name) || said === '') return 'unclear';
	// Different codes mean different countries, except for the two codes of the United Kingdom.
	const areCodes = said.length === 2 && wanted.length === 2 && [said, wanted].sort().join() !== 'gb,uk';
	return (name === 'country' && !areCodes) || mayBe(said, wanted) ? 'unclear' : 'others';
}

/** Names under which services show a job's values, besides its key. */
const VALUE_NAMES = ['values', 'value', 'term', 'terms', 'keyword', 'keywords', 'gtin', 'gtins'];

/** Compares the values of a job with the requested ones. */
function compareValues(job: Job, { key, values }: JobRequest): Comparison {
	const lists = partsOf(job).flatMap((part) => {
		// The job's own ID is not a value.
		const names = part === job && key === 'id' ? VALUE_NAMES : [...VALUE_NAMES, key];
		return names.map((name) => readValues(part[name]).map(({ text }) => text));
	});
	if (lists.flat().length === 0) return 'unclear';
	const written = (texts: readonly string[]) =>
		JSON.stringify([...new Set(texts.map((text) => identityOf(key, text)))].sort());
	if (lists.some((texts) => written(texts) === written(values))) return 'same';
	const parts = lists.flat().flatMap((text) => [text, ...text.split(/[,;|\t]/)].map(bare));
	const ours = values.map(bare);
	return parts.some((part) => ours.some((value) => mayBe(part, value))) ? 'unclear' : 'others';
}

type Verdict = 'ours' | 'another' | 'unclear';

/**
 * Decides whose job this is. Ours contains our mark, or shows every parameter and value that we sent, and a
 * creation time within our request. Another one's contains something that our request cannot have.
 *
 * @param proof when our request was under way, by the service's clock; an equal job made later may be another's
 * @param unsent the parameter of the callback URL, which differs from try to try
 */
export function verdictOn(
	job: Job,
	{ request, nonce, hasGaps, known }: LostCreation,
	proof: { from?: number; to: number },
	unsent: string,
): Verdict {
	if (known.has(job.job_id)) return 'another';
	const fields = Object.fromEntries(partsOf(job).flatMap((part) => Object.entries(part)));
	const shown = Object.values(fields).filter((value) => typeof value === 'string');
	const nonces = [...shown.join('\n').matchAll(/[?&]pc_nonce=([\w-]+)/g)].map(([, mark]) => mark);
	if (nonce !== undefined && nonces.includes(nonce)) return 'ours';
	if (nonce !== undefined && nonces.length > 0 && !hasGaps) return 'another';
	const created = timeOf(job.created_at, 'unknown');
	const earliest = Math.min(created ?? Infinity, timeOf(job.downloaded_at, 'unknown') ?? Infinity);
	const sent = Object.entries(request.parameters).filter(([name]) => name !== unsent);
	const compared = [
		compareValues(job, request),
		...sent.map(([name, asked]) => compareParameter(name, fields, asked)),
	];
	const { from = -Infinity, to } = proof;
	if (earliest < from - CLOCK_ROOM_MS || compared.includes('others')) return 'another';
	const isInTime = from > 0 && created !== undefined && created >= from && created <= to;
	return isInTime && compared.every((one) => one === 'same') ? 'ours' : 'unclear';
}

/**
 * What a reading of the job list says about a lost creation. Accepts no job without proof. A list that was not
 * read whole proves nothing absent, nor does one that lacks a job of which it is known that it exists.
 *
 * @param readAt when the list was read
 */
export function findLostJob(
	client: ServiceClient,
	{ list, at: readAt }: Reading,
	lost: LostCreation,
): Recovery {
	if (!list.ok) return { kind: 'unclear', detail: 'The job list could not be read to find out.' };
	const { from, to } = lost;
	const told = (time: number) => client.serviceTime(time) ?? time;
	const tolerance = client.serviceTime(to) === undefined ? CLOCK_TOLERANCE_MS : ROUNDING_MS;
	const proof = { from: from && told(from) - tolerance, to: told(to) + tolerance };
	const { jobs, unread } = list.value;
	const found: Record<Verdict, Job[]> = { ours: [], another: [], unclear: [] };
	for (const job of jobs)
		found[verdictOn(job, lost, proof, client.connection.webhookUrlParameter)].push(job);
	const { ours, unclear } = found;
	const [job] = ours;
	if (job !== undefined && ours.length === 1) return { kind: 'ours', job };
	const listed = new Set(jobs.map(({ job_id }) => job_id));
	const isMissing = ([jobId, sentAt]: [string, number]) =>
		sentAt > Math.max(readAt - LISTED_FOR_MS, from ?? 0) &&
		sentAt < readAt - AT_WORK_MS &&
		!listed.has(jobId);
	const [lacks] = [...lost.known].find(isMissing) ?? [];
	const isWhole = list.value.complete && list.value.invalid === 0 && jobs.length < JOBS_TO_LOOK_AT;
	const recovery = (kind: 'absent' | 'unclear', what: string, candidates?: true): Recovery => {
		const looked = `The job list was searched (${isWhole ? '' : 'its first '}${jobs.length} jobs)`;
		return { kind, detail: `${looked}; ${what}.`, candidates };
	};
	const candidates = [...ours, ...unclear].map(({ job_id }) => job_id);
	if (candidates.length > 0) {
		const named = candidates.slice(0, MOST_NAMED).join(', ');
		const others = candidates.length > MOST_NAMED ? ` and ${candidates.length - MOST_NAMED} more` : '';
		return recovery('unclear', `one of these jobs may be this one: ${named}${others}`, true);
	}
	// A list that is not whole must have been read without a gap, be sorted and end before our request.
	const created = jobs.map((one) => timeOf(one.created_at, 'unknown') ?? NaN);
	const isSorted = created.every((time, index) => time <= (created[index - 1] ?? Infinity));
	const goesBack =
		unread === undefined &&
		isSorted &&
		(created.at(-1) ?? Infinity) < (proof.from ?? -Infinity) - CLOCK_ROOM_MS;
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
	private readings: Reading[] = [];

	constructor(
		private readonly client: ServiceClient,
		private readonly stop?: AbortSignal,
	) {}

	/** A reading of the list that began after this time: a fresh one, or one of a moment ago. */
	private async readingAfter(time: number): Promise<Reading> {
		const now = this.client.clock.now();
		const last = this.readings.at(-1);
		if (last?.list.ok === true && last.at > time && now - last.at < FRESH_MS) return last;
		const reading = { at: now, list: await readList(this.client, { limit: JOBS_TO_LOOK_AT }) };
		this.readings = [...this.readings, reading].slice(-MOST_READINGS);
		return reading;
	}

	/** Whether two readings, far enough apart, lack the job although it must have been in them. */
	private isAbsent(lost: LostCreation, enteredBy: number): boolean {
		const lacking = this.readings.filter(
			(reading) => reading.at > enteredBy && findLostJob(this.client, reading, lost).kind === 'absent',
		);
		return (lacking.at(-1)?.at ?? 0) - (lacking[0]?.at ?? Infinity) >= TWICE_MS;
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
		const pauses = isEarlier ? [enteredBy + 1 - clock.now(), ...LATER_MS] : SOON_MS;
		let said: Recovery = { kind: 'unclear', detail: 'The execution was stopped before that was known.' };
		for (const pause of pauses) {
			await clock.pause(pause, this.stop);
			if (this.stop?.aborted === true) break;
			const reading = await this.readingAfter(pause > 0 ? clock.now() - 1 : lost.to);
			const seen = findLostJob(this.client, reading, lost);
			if (seen.kind !== 'absent') {
				said = seen;
				// Jobs that may be this one stay so.
				if (seen.kind === 'ours' || seen.candidates === true) break;
			} else {
				if (isEarlier && this.isAbsent(lost, enteredBy)) return seen;
				said = { ...seen, kind: 'unclear' };
			}
		}
		return said;
	}
}
