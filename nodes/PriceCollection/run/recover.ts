import type { IDataObject, INode } from 'n8n-workflow';

import { inputError, type NodeError } from '../n8n/errors';
import type { ServiceClient } from '../service/client';
import { DEFAULT_PAGING, listAllJobs } from '../service/jobList';
import { failure, success, type Outcome } from '../service/problems';
import { echoedValue } from '../service/echo';
import { isObject, type Job, type Result } from '../service/types';
import { valuesOfRun } from './lookup/match';
import type { PlannedJob } from './lookup/plan';
import { identityOf, readValues } from './lookup/values';

/** The creation whose reply was lost. */
export interface LostCreation {
	/** The parameters as sent, values included. */
	sent: IDataObject;
	values: string[];
	/** When it was sent, in milliseconds of n8n's clock. */
	since: number;
	/** Jobs of this run that are accounted for. */
	known: ReadonlySet<string>;
}

/** The clocks of n8n and of the service may differ by this much where the service does not tell the time. */
const CLOCK_TOLERANCE_MS = 10_000;
/** Times of the service are cut to whole seconds, those of its clock and those of its jobs. */
const ROUNDING_MS = 2_000;
/** The list is looked into now, and once more after these pauses: a slow service enters the job late. */
const LOOK_AGAIN_AFTER_MS = [1_500, 4_000];
/** A lost job is among the latest ones. */
const JOBS_TO_LOOK_AT = 100;
/** Parameters that a job object names and that say what it looks up. */
const COMPARED = ['topic', 'source', 'country', 'key'] as const;

/** What a job object says about its query, at the root or under `query` or `parameters`. */
function fieldsOf(job: Job): IDataObject {
	const nested = [job.parameters, job.query].filter(isObject);
	return Object.assign({}, ...nested, job) as IDataObject;
}

/** The values a job object echoes, or undefined when it echoes none. */
function valuesEchoedBy(fields: IDataObject): string[] | undefined {
	const read = readValues(fields.values ?? fields.value);
	return read.ok && read.values.length > 0 ? read.values : undefined;
}

function sameValues(key: string, a: string[], b: string[]): boolean {
	const set = new Set(a.map((value) => identityOf(key, value)));
	return a.length === b.length && b.every((value) => set.has(identityOf(key, value)));
}

/**
 * Whether nothing the job says contradicts the creation, and it is new enough or says enough.
 *
 * @param earliest when it can have been created at the earliest, in milliseconds of the service's clock
 */
export function couldBe(job: Job, lost: Omit<LostCreation, 'since'>, earliest: number): boolean {
	if (lost.known.has(job.job_id)) return false;
	const fields = fieldsOf(job);
	// Nobody can have downloaded it yet.
	if (typeof fields.downloaded_at === 'string' && fields.downloaded_at !== '') return false;
	const contradicts = COMPARED.some((name) => {
		const said = fields[name];
		const sent = lost.sent[name];
		return said !== undefined && said !== null && sent !== undefined && String(said) !== String(sent);
	});
	if (contradicts) return false;
	const requested = Number(fields.requested ?? NaN);
	if (Number.isFinite(requested) && requested !== lost.values.length) return false;
	const created = Date.parse(String(fields.created_at ?? ''));
	if (Number.isFinite(created) && created < earliest) return false;
	const echoed = valuesEchoedBy(fields);
	if (echoed !== undefined && !sameValues(String(lost.sent.key ?? ''), echoed, lost.values)) return false;
	// Without a time of creation only the values themselves can tell this job from an older one.
	return Number.isFinite(created) || echoed !== undefined;
}

/**
 * Looks in the job list for the job that a creation with a lost reply has made: one of the same query, created
 * since, and the only such one. Nothing is created here.
 *
 * @returns the job; or a problem whose `detail` says what was found instead
 */
export async function recoverLostJob(client: ServiceClient, lost: LostCreation): Promise<Outcome<Job>> {
	let seen: string[] = [];
	for (const wait of [0, ...LOOK_AGAIN_AFTER_MS]) {
		if (wait > 0) await client.clock.pause(wait);
		const jobs = await listAllJobs(client, { limit: JOBS_TO_LOOK_AT, paging: DEFAULT_PAGING });
		if (!jobs.ok) {
			return failure({ ...jobs.problem, detail: 'The job list could not be read to find out.' });
		}
		const told = client.serviceTime(lost.since);
		const earliest = told === undefined ? lost.since - CLOCK_TOLERANCE_MS : told - ROUNDING_MS;
		const candidates = jobs.value.filter((job) => couldBe(job, lost, earliest));
		const [only] = candidates;
		if (candidates.length === 1 && only !== undefined) return success(only);
		seen = candidates.map((job) => job.job_id);
		if (seen.length > 1) break;
	}
	return failure({
		kind: 'refused',
		endpoint: 'GET /v2/jobs',
		effect: 'none',
		detail:
			seen.length === 0
				? 'The job list shows no job that could be this one.'
				: `One of these jobs may be this one: ${seen.join(', ')}.`,
	});
}

/**
 * Whether every result that says what it answers answers something else than was asked. The job list does not tell
 * jobs of equal size apart, so a job taken from it after a lost reply may turn out to be another workflow's.
 */
function answersOthers(planned: PlannedJob, results: unknown): boolean {
	if (!Array.isArray(results)) return false;
	const isAsked = valuesOfRun([planned]);
	const echoes = results
		.filter(isObject)
		.map((result) => echoedValue((result as Result).query, planned.key))
		.filter((echo) => echo !== undefined);
	return echoes.length > 0 && !echoes.some(isAsked);
}

/**
 * The error for a job that was recovered by mistake; undefined when its results answer what was asked.
 *
 * @param more further facts, such as the ids of other jobs
 */
export function wrongJobError(
	node: INode,
	planned: PlannedJob,
	root: IDataObject,
	item: number | undefined,
	more: string,
): NodeError | undefined {
	if (!answersOthers(planned, root.results)) return undefined;
	return inputError(
		node,
		`Job ${String(root.job_id)} answers other values than were asked`,
		`The reply to the creation was lost, and this job of the list looked like the one created. The right one may exist as well: look into the job list (Get Many) before you run again, or it may be paid for twice. ${more}`,
		item,
	);
}
