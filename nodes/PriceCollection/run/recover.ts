import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import { readList, type JobList } from '../service/jobList';
import { explain, type Outcome } from '../service/problems';
import { timeOf } from '../service/time';
import { isObject, type Job } from '../service/types';
import type { Creation, JobRequest } from './lookup/record';
import { folded, identityOf, readValues } from './lookup/values';

/** A creation whose reply was lost. */
export interface LostCreation {
	creation: Creation;
	request: JobRequest;
	/** IDs of jobs that belong to other requests. */
	known: ReadonlySet<string>;
	/** Whether its callback URL may contain another mark than `creation`. */
	hasGaps: boolean;
}

/**
 * What the job list says about a lost creation. `ours`: a job is proven to be this one. `unclear`: jobs may
 * be this one, or the list is too short. `absent`: the list is long enough, and all jobs belong to others.
 */
export type Recovery = { kind: 'ours'; job: Job } | { kind: 'absent' | 'unclear'; detail: string };

/** Room for differing clocks: n8n's, the service's, and the one that dates its jobs, in milliseconds. */
const CLOCK_ROOM_MS = 5 * 60_000;
/** Tolerance for a proof; the second if the service states its time, which is cut to whole seconds. */
const CLOCK_TOLERANCE_MS = 10_000;
const ROUNDING_MS = 2_000;
/** How long a slow service may still create a job after the client stopped waiting for the reply. */
export const AT_WORK_MS = 30_000;
const JOBS_TO_LOOK_AT = 1_000;
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

/** Compares a parameter of a job with the requested one, in any spelling. A missing one proves nothing. */
function compareParameter(name: string, shown: IDataObject, asked: IDataObject): Comparison {
	if (typeof shown[name] === 'object' && shown[name] !== null) return 'unclear';
	const [said = '', wanted = ''] = [shown[name], asked[name]].map((text) => bare(text ?? ''));
	if (said === '' || wanted === '' || said === wanted) return 'same';
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
 * Decides whose job this is. Ours contains our mark, or exactly our values and a creation time within our
 * request. Another one's contains something that our request cannot have.
 *
 * @param proof when our request was under way, by the service's clock; an equal job made later may be another's
 */
export function verdictOn(
	job: Job,
	{ creation, request, known, hasGaps }: LostCreation,
	proof: { from: number; to: number },
): Verdict {
	if (known.has(job.job_id)) return 'another';
	const fields = Object.fromEntries(partsOf(job).flatMap((part) => Object.entries(part)));
	const shown = Object.values(fields).filter((value) => typeof value === 'string');
	const nonces = [...shown.join('\n').matchAll(/[?&]pc_nonce=([\w-]+)/g)].map(([, nonce]) => nonce);
	if (creation.nonce !== undefined && nonces.includes(creation.nonce)) return 'ours';
	if (nonces.length > 0 && creation.nonce !== undefined && !hasGaps) return 'another';
	const created = timeOf(job.created_at, 'unknown');
	const earliest = Math.min(created ?? Infinity, timeOf(job.downloaded_at, 'unknown') ?? Infinity);
	const compared = [
		compareValues(job, request),
		...['topic', 'source', 'country'].map((name) => compareParameter(name, fields, request.parameters)),
	];
	if (earliest < proof.from - CLOCK_ROOM_MS || compared.includes('others')) return 'another';
	const isInTime = created !== undefined && created >= proof.from && created <= proof.to;
	return isInTime && compared.every((one) => one === 'same') ? 'ours' : 'unclear';
}

/** Reads the part of the job list that is searched. */
export async function readRecentJobs(client: ServiceClient): Promise<Outcome<JobList>> {
	return await readList(client, { limit: JOBS_TO_LOOK_AT });
}

/**
 * Searches the job list for the job of a creation whose reply was lost. Creates nothing, and accepts no job
 * without proof.
 */
export function findLostJob(client: ServiceClient, list: Outcome<JobList>, lost: LostCreation): Recovery {
	if (!list.ok) return { kind: 'unclear', detail: 'The job list could not be read to find out.' };
	const { sentAt, lostAt = Infinity } = lost.creation;
	const tolerance = client.serviceTime(sentAt) === undefined ? CLOCK_TOLERANCE_MS : ROUNDING_MS;
	const told = (time: number) => client.serviceTime(time) ?? time;
	const proof = { from: told(sentAt) - tolerance, to: told(lostAt) + tolerance };
	const { jobs, unread } = list.value;
	const those = (verdict: Verdict) => jobs.filter((job) => verdictOn(job, lost, proof) === verdict);
	const ours = those('ours');
	const [job] = ours;
	if (job !== undefined && ours.length === 1) return { kind: 'ours', job };
	const candidates = [...ours, ...those('unclear')].map(({ job_id }) => job_id);
	const isWhole = list.value.complete && jobs.length < JOBS_TO_LOOK_AT;
	const recovery = (kind: 'absent' | 'unclear', what: string): Recovery => {
		const looked = `The job list was searched (${isWhole ? '' : 'its first '}${jobs.length} jobs)`;
		return { kind, detail: `${looked}; ${what}.` };
	};
	if (candidates.length > 0) {
		const named = candidates.slice(0, MOST_NAMED).join(', ');
		const others = candidates.length > MOST_NAMED ? ` and ${candidates.length - MOST_NAMED} more` : '';
		return recovery('unclear', `one of these jobs may be this one: ${named}${others}`);
	}
	// A list that is not whole must have been read without a gap, be sorted and end before our request.
	const created = jobs.map((one) => timeOf(one.created_at, 'unknown') ?? NaN);
	const isSorted = created.every((time, index) => time <= (created[index - 1] ?? Infinity));
	const goesBack =
		unread === undefined && isSorted && (created.at(-1) ?? Infinity) < proof.from - CLOCK_ROOM_MS;
	if (isWhole || goesBack) return recovery('absent', 'none of them can be this one');
	const short =
		unread === undefined
			? 'it does not show whether it goes back to before this job was asked for'
			: `page ${unread.page} of it could not be read: ${explain(unread.problem).message}`;
	return recovery('unclear', `no job in it can be this one, but ${short}`);
}
