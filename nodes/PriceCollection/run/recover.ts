import type { IDataObject, INode } from 'n8n-workflow';

import { inputError, type NodeError } from '../n8n/errors';
import type { ServiceClient } from '../service/client';
import { echoedValue } from '../service/echo';
import { DEFAULT_PAGING, readList } from '../service/jobList';
import { readTime } from '../service/time';
import { countOf, isObject, type Job, type Result } from '../service/types';
import type { PlannedJob } from './lookup/plan';
import { identityOf, readValues } from './lookup/values';
import type { RequestEntry } from './stored/requestRecord';

/** The creation whose reply was lost. What was created long after that is another one. */
interface LostCreation extends Pick<RequestEntry, 'sentAt' | 'lostAt' | 'nonce'> {
	/** The parameters as sent, values included. */
	sent: IDataObject;
	values: string[];
	/** Jobs that are accounted for. */
	known: ReadonlySet<string>;
	/** Jobs that another request has taken without proof: each may be this one's instead. */
	claimed?: ReadonlySet<string>;
}

/**
 * What the job list says of a lost creation. `found`: its job, by a mark of ours or by everything that was asked.
 * `likely`: the only job that could be it; its results have to prove it. `absent`: the whole list was looked at, and
 * nothing could be it. `unclear`: neither; `detail` names the candidates and what was looked at.
 */
type Recovery =
	{ kind: 'found' | 'likely'; job: Job; detail: string } | { kind: 'absent' | 'unclear'; detail: string };

/** The clocks of n8n and of the service may differ by this much where the service does not tell the time. */
const CLOCK_TOLERANCE_MS = 10_000;
/** Times of the service are cut to whole seconds, those of its clock and those of its jobs. */
const ROUNDING_MS = 2_000;
/** A slow service may still be at work on a request whose reply was given up, in milliseconds. */
const AT_WORK_MS = 30_000;
/** The list is looked into now, and once more after these pauses: a slow service enters the job late. */
const LOOK_AGAIN_AFTER_MS = [1_500, 4_000];
const JOBS_TO_LOOK_AT = 1_000;
/** Parameters that a job object names and that say what it looks up. */
const COMPARED = ['topic', 'source', 'country', 'key'] as const;

/** What a job object says about its query, at the root or under `query` or `parameters`. */
function fieldsOf(job: Job): IDataObject {
	const inner = [job.parameters, job.query].filter(isObject);
	return Object.fromEntries([...inner, job].flatMap((part) => Object.entries(part)));
}

/** Whether something else is said than was asked for, in parameters that are both said and asked for. */
function contradicts(said: IDataObject, asked: IDataObject): boolean {
	return COMPARED.some((name) => {
		const [one, other] = [said[name], asked[name]];
		return one !== undefined && one !== null && other !== undefined && String(one) !== String(other);
	});
}

/** The values a job object echoes, or undefined when it echoes none. */
function valuesEchoedBy(fields: IDataObject): string[] | undefined {
	const read = readValues(fields.values ?? fields.value);
	return read.ok && read.values.length > 0 ? read.values : undefined;
}

/** Whether these are the same values of a key; another request may differ in case or accents only. */
function sameValues(key: string, a: readonly string[], b: readonly string[]): boolean {
	const asSet = (values: readonly string[]) => new Set(values.map((value) => identityOf(key, value)));
	const [one, other] = [asSet(a), asSet(b)];
	return one.size === other.size && [...one].every((value) => other.has(value));
}

/** The nonces of signed callback URLs that a job object shows. */
function noncesIn(fields: IDataObject): string[] {
	const shown = Object.values(fields).filter((value) => typeof value === 'string');
	return shown.flatMap((value) =>
		[...value.matchAll(/[?&]pc_nonce=([\w-]+)/g)].flatMap(([, nonce]) => nonce ?? []),
	);
}

/** Clocks on earth differ by this much at the most, in milliseconds: UTC+14 and UTC-12. */
const ZONES_MS = 14 * 60 * 60_000;

/** Between when and when a time of the service lies, in milliseconds of its clock; undefined where it tells none. */
function spanOf(value: unknown): { from: number; to: number } | undefined {
	const read = readTime(value);
	if (read === undefined) return undefined;
	const uncertainty = read.hasZone ? 0 : ZONES_MS;
	return { from: read.time - uncertainty, to: read.time + uncertainty };
}

/** When somebody downloaded the results of a job; undefined when nobody did. */
const downloadOf = (job: Job) => spanOf(fieldsOf(job).downloaded_at);

type Fit = 'marked' | 'proven' | 'possible' | 'undated' | 'other';

/**
 * How well a job fits a lost creation: `marked` by our own nonce; `proven` by all echoed values together with its time;
 * `possible` by its time alone, with nothing against it; `undated` with nothing against it but no time either; `other`.
 *
 * @param earliest when it can have been created at the earliest, in milliseconds of the service's clock
 * @param latest and when at the latest
 */
export function fitOf(
	job: Job,
	lost: Omit<LostCreation, 'sentAt' | 'lostAt'>,
	earliest: number,
	latest = Infinity,
): Fit {
	if (lost.known.has(job.job_id)) return 'other';
	const { sent, values, nonce } = lost;
	const fields = fieldsOf(job);
	const nonces = noncesIn(fields);
	// Of a request whose record is lost nobody knows the mark.
	if (nonces.length > 0 && nonce !== undefined) return nonces.includes(nonce) ? 'marked' : 'other';
	const requested = countOf(fields.requested) ?? values.length;
	if (contradicts(fields, sent) || requested !== values.length) return 'other';
	const created = spanOf(fields.created_at);
	const downloaded = downloadOf(job);
	if (created !== undefined && (created.to < earliest || created.from > latest)) return 'other';
	if (downloaded !== undefined && downloaded.to < earliest) return 'other';
	const echoed = valuesEchoedBy(fields);
	if (echoed !== undefined) {
		const isSame = echoed.length === values.length && sameValues(String(sent.key ?? ''), echoed, values);
		if (!isSame) return 'other';
	}
	if (created === undefined || created.from < created.to) return 'undated';
	return echoed === undefined ? 'possible' : 'proven';
}

async function lookInto(client: ServiceClient, lost: LostCreation): Promise<Recovery> {
	const list = await readList(client, { limit: JOBS_TO_LOOK_AT, paging: DEFAULT_PAGING });
	if (!list.ok) return { kind: 'unclear', detail: 'The job list could not be read to find out.' };
	const { sentAt, lostAt = Infinity } = lost;
	const tolerance = client.serviceTime(sentAt) === undefined ? CLOCK_TOLERANCE_MS : ROUNDING_MS;
	const told = (time: number) => client.serviceTime(time) ?? time;
	const earliest = told(sentAt) - tolerance;
	const latest = told(lostAt) + tolerance + AT_WORK_MS;
	const { jobs } = list.value;
	const isWhole = list.value.complete && jobs.length < JOBS_TO_LOOK_AT;
	const looked = `The job list was looked through (${isWhole ? '' : 'its first '}${jobs.length} jobs)`;
	const fits = new Map(jobs.map((job) => [job, fitOf(job, lost, earliest, latest)]));
	// What was downloaded is rather another one's. It can be ours, too: a trigger of this account downloads what it hears of.
	const untouched = jobs.filter((job) => downloadOf(job) === undefined);
	const those = (some: Job[], ...wanted: Fit[]) =>
		some.filter((job) => wanted.includes(fits.get(job) ?? 'other'));
	for (const proofs of [those(jobs, 'marked'), those(untouched, 'proven'), those(jobs, 'proven')]) {
		const [job, ...more] = proofs;
		if (job !== undefined && more.length === 0) return { kind: 'found', job, detail: looked };
	}
	for (const some of [untouched, jobs]) {
		const candidates = those(some, 'proven', 'possible', 'undated');
		if (candidates.length === 0) continue;
		const ids = candidates.map((job) => job.job_id).join(', ');
		const detail = `${looked}; one of these jobs may be this one: ${ids}.`;
		const [only] = those(some, 'possible');
		return candidates.length === 1 && only !== undefined && lost.claimed?.has(only.job_id) !== true
			? { kind: 'likely', job: only, detail }
			: { kind: 'unclear', detail };
	}
	const detail = `${looked}; it shows no job that could be this one.`;
	return { kind: isWhole ? 'absent' : 'unclear', detail };
}

/**
 * Looks in the job list for the job that a creation with a lost reply has made. Nothing is created here, and nothing is
 * taken for the job for want of contradiction alone.
 */
export async function recoverLostJob(client: ServiceClient, lost: LostCreation): Promise<Recovery> {
	let seen = await lookInto(client, lost);
	for (const wait of LOOK_AGAIN_AFTER_MS) {
		if (seen.kind !== 'absent') return seen;
		await client.clock.pause(wait);
		seen = await lookInto(client, lost);
	}
	return seen;
}

/**
 * Whether every result says that it answers what was asked, and every value has one: a job of fewer values may be another
 * request of the same run.
 */
function isProvenBy(planned: PlannedJob, results: unknown): boolean {
	if (!Array.isArray(results) || !results.every(isObject)) return false;
	const { key, parameters, values } = planned;
	const queries = results.map((result): IDataObject => (result as Result).query ?? {});
	const echoes = queries.flatMap((query) => echoedValue(query, key) ?? []);
	if (echoes.length !== results.length || queries.some((query) => contradicts(query, parameters)))
		return false;
	return sameValues(key, values, echoes);
}

/**
 * The error for a job of the list whose results do not prove that it is the one that was asked for; undefined when they
 * do.
 *
 * @param more further facts, such as the ids of other jobs
 */
export function wrongJobError(
	node: INode,
	planned: PlannedJob,
	root: IDataObject,
	items: readonly number[],
	more: string,
): NodeError | undefined {
	if (isProvenBy(planned, root.results)) return undefined;
	return inputError(
		node,
		`The results of job ${String(root.job_id)} do not show that they answer what was asked`,
		`The reply to the creation was lost, and this job of the list was the only one that could be it. The right one may exist as well: look into the job list (Get Many) before you run again, or it may be paid for twice. ${more}`.trim(),
		items,
	);
}
