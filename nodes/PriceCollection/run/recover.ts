import type { IDataObject } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import { DEFAULT_PAGING, readList, type JobList } from '../service/jobList';
import type { Outcome } from '../service/problems';
import { readTime } from '../service/time';
import { isObject, type Job } from '../service/types';
import type { Creation, JobRequest } from './lookup/record';
import { folded, identityOf, readValues } from './lookup/values';

/** The creation whose reply was lost. */
export interface LostCreation {
	creation: Creation;
	request: JobRequest;
	/** Jobs that are accounted for. */
	known: ReadonlySet<string>;
	/** Whether the mark of its callback URL may be another one than that of `creation`. */
	hasGaps: boolean;
}

/**
 * What the job list says of a lost creation. `ours`: something proves it. `unclear`: jobs are named that are neither proven
 * nor another one's, or the list does not go back far enough. `absent`: it does, and every job in it is another one's.
 */
export type Recovery = { kind: 'ours'; job: Job } | { kind: 'absent' | 'unclear'; detail: string };

/** Clocks differ, and a service can stamp its jobs by another clock than its replies: room for that, in milliseconds. */
const CLOCK_ROOM_MS = 5 * 60_000;
/** For a proof: the same where the service tells the time, whose parts are cut to whole seconds. */
const CLOCK_TOLERANCE_MS = 10_000;
const ROUNDING_MS = 2_000;
/** A slow service may still be at work on a request whose reply was given up, and enter its job only then. */
export const AT_WORK_MS = 30_000;
const JOBS_TO_LOOK_AT = 1_000;
/** Jobs named in a text. */
const MOST_NAMED = 20;
/** Times of the service that name no zone can be meant in any: UTC+14 to UTC-12. */
const ZONES_MS = 14 * 60 * 60_000;

/** A stretch of time, in milliseconds of the service's clock. */
interface Span {
	from: number;
	to: number;
}

/** When a time of the service was; undefined where it tells none. */
function spanOf(value: unknown): Span | undefined {
	const read = readTime(value);
	if (read === undefined) return undefined;
	const uncertainty = read.hasZone ? 0 : ZONES_MS;
	return { from: read.time - uncertainty, to: read.time + uncertainty };
}

/** The job object and what in it can be the query: other objects in it, such as the account, say other things. */
function partsOf(job: Job): IDataObject[] {
	return [job.query, job.request, job.params, job.parameters, job].filter(isObject);
}

/** What a job object says about its query. */
function fieldsOf(job: Job): IDataObject {
	return Object.fromEntries(partsOf(job).flatMap((part) => Object.entries(part)));
}

/** The nonces of signed callback URLs that a job object shows. */
function noncesIn(fields: IDataObject): string[] {
	const shown = Object.values(fields).filter((value) => typeof value === 'string');
	return shown.flatMap((value) =>
		[...value.matchAll(/[?&]pc_nonce=([\w-]+)/g)].flatMap(([, nonce]) => nonce ?? []),
	);
}

const bare = (text: unknown) => folded(String(text)).replaceAll(' ', '');

type Comparison = 'same' | 'others' | 'unclear';

/** How a parameter that a job shows compares with what was asked for, in any spelling; one that is missing says nothing. */
function compareParameter(name: string, fields: IDataObject, asked: IDataObject): Comparison {
	if (typeof fields[name] === 'object' && fields[name] !== null) return 'unclear';
	const [said, wanted] = [fields[name], asked[name]].map((text) => bare(text ?? ''));
	if (!said || !wanted || said === wanted) return 'same';
	const code = (text: string) => (text === 'uk' ? 'gb' : text);
	const mayBeSame =
		name === 'country'
			? said.length !== 2 || wanted.length !== 2 || code(said) === code(wanted)
			: said.includes(wanted) || wanted.includes(said);
	return mayBeSame ? 'unclear' : 'others';
}

/** The names under which services show what a job looks up, besides that of its key. */
const VALUE_NAMES = ['values', 'value', 'term', 'terms', 'keyword', 'keywords', 'gtin', 'gtins'];

/** The values that a job shows, by the field that holds them: whole, and in parts where they are joined. */
function valuesShown(job: Job, key: string): string[][] {
	const lists = partsOf(job).flatMap((part) =>
		[...new Set([...VALUE_NAMES, ...(part === job && key === 'id' ? [] : [key])])].map(
			(name) => part[name],
		),
	);
	return lists.map((list) => readValues(list).map(({ text }) => text)).filter((texts) => texts.length > 0);
}

/** How the values that a job shows compare with those that were asked for. */
function compareValues(job: Job, { key, values }: JobRequest): Comparison {
	const shown = valuesShown(job, key);
	const setOf = (texts: readonly string[]) => new Set(texts.map((text) => identityOf(key, text)));
	const exact = setOf(values);
	const isSame = (texts: string[]) => {
		const told = setOf(texts);
		return told.size === exact.size && [...told].every((text) => exact.has(text));
	};
	if (shown.some(isSame)) return 'same';
	if (shown.length === 0) return 'unclear';
	const ours = new Set(values.map(bare));
	const parts = shown.flat().flatMap((text) => [text, ...text.split(/[,;|\t]/)]);
	const mayBeOurs = parts
		.map(bare)
		.some((part) => part !== '' && (ours.has(part) || startsAlike(part, ours)));
	return mayBeOurs ? 'unclear' : 'others';
}

/** Whether a text is the cut beginning of one of these, or the other way round. */
function startsAlike(part: string, ours: ReadonlySet<string>): boolean {
	if (part.length < 4) return false;
	return [...ours].some((value) => value.length >= 4 && (value.startsWith(part) || part.startsWith(value)));
}

type Verdict = 'ours' | 'another' | 'unclear';

/**
 * Whose job this is. Ours is what shows our mark, or exactly our values and a time at which our request was on its way.
 * Another one's is only what shows something that cannot be of our request.
 *
 * @param proof when it can have been created, for a proof, in milliseconds of the service's clock
 */
export function verdictOn(
	job: Job,
	{ creation, request, known, hasGaps }: LostCreation,
	proof: Span,
): Verdict {
	if (known.has(job.job_id)) return 'another';
	const fields = fieldsOf(job);
	const nonces = noncesIn(fields);
	if (creation.nonce !== undefined && nonces.includes(creation.nonce)) return 'ours';
	if (nonces.length > 0 && creation.nonce !== undefined && !hasGaps) return 'another';
	const created = spanOf(fields.created_at);
	const earlier = [created, spanOf(fields.downloaded_at)].some(
		(span) => span !== undefined && span.to < proof.from - CLOCK_ROOM_MS,
	);
	const compared = [
		compareValues(job, request),
		...['topic', 'source', 'country'].map((name) => compareParameter(name, fields, request.parameters)),
	];
	if (earlier || compared.includes('others')) return 'another';
	const isInTime = created !== undefined && created.from >= proof.from && created.to <= proof.to;
	return isInTime && compared.every((one) => one === 'same') ? 'ours' : 'unclear';
}

/** Whether the list demonstrably goes back to before a time: it ends, or it is sorted and its last job is older. */
function goesBack({ jobs, complete }: { jobs: readonly Job[]; complete: boolean }, time: number): boolean {
	if (complete && jobs.length < JOBS_TO_LOOK_AT) return true;
	const created = jobs.map((job) => spanOf(fieldsOf(job).created_at));
	const isSorted = created.every((span, index) => {
		const before = index === 0 ? span : created[index - 1];
		return span !== undefined && before !== undefined && span.from <= before.from;
	});
	return isSorted && (created.at(-1)?.to ?? Infinity) < time;
}

/** The job list, as far as it is looked through. */
export async function readRecentJobs(client: ServiceClient): Promise<Outcome<JobList>> {
	// An empty first page proves nothing where pages may begin with 0.
	return await readList(client, {
		...{ limit: JOBS_TO_LOOK_AT, paging: DEFAULT_PAGING, looksForPageZero: true },
	});
}

/**
 * Looks in the job list for the job that a creation with a lost reply has made. Nothing is created here, and nothing is
 * taken for want of contradiction.
 */
export function findLostJob(client: ServiceClient, list: Outcome<JobList>, lost: LostCreation): Recovery {
	if (!list.ok) return { kind: 'unclear', detail: 'The job list could not be read to find out.' };
	const { sentAt, lostAt = Infinity } = lost.creation;
	const tolerance = client.serviceTime(sentAt) === undefined ? CLOCK_TOLERANCE_MS : ROUNDING_MS;
	const told = (time: number) => client.serviceTime(time) ?? time;
	const proof = { from: told(sentAt) - tolerance, to: told(lostAt) + tolerance + AT_WORK_MS };
	const { jobs } = list.value;
	const those = (verdict: Verdict) => jobs.filter((job) => verdictOn(job, lost, proof) === verdict);
	const ours = those('ours');
	// What was downloaded is rather another one's. It can be ours, too: a trigger of this account downloads what it hears of.
	const untouched = ours.filter((job) => spanOf(fieldsOf(job).downloaded_at) === undefined);
	const [job, ...more] = untouched.length > 0 ? untouched : ours;
	if (job !== undefined && more.length === 0) return { kind: 'ours', job };
	const candidates = [...ours, ...those('unclear')].map(({ job_id }) => job_id);
	const isWhole = list.value.complete && jobs.length < JOBS_TO_LOOK_AT;
	const looked = `The job list was looked through (${isWhole ? '' : 'its first '}${jobs.length} jobs)`;
	if (candidates.length > 0) {
		const named = candidates.slice(0, MOST_NAMED).join(', ');
		const others = candidates.length > MOST_NAMED ? ` and ${candidates.length - MOST_NAMED} more` : '';
		return {
			kind: 'unclear',
			detail: `${looked}; one of these jobs may be this one: ${named}${others}.`,
		};
	}
	if (goesBack(list.value, proof.from - CLOCK_ROOM_MS)) {
		return { kind: 'absent', detail: `${looked}; none of them can be this one.` };
	}
	const short = 'it does not show whether it goes back to before this job was asked for';
	return { kind: 'unclear', detail: `${looked}; no job in it can be this one, but ${short}.` };
}
