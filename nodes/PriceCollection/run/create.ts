import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { callbackExpiry, newNonce, signCallbackUrl, signatureHashOf } from '../callback/signature';
import { apiError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import type { CallOptions, ServiceClient } from '../service/client';
import { ENDPOINTS } from '../service/endpoints';
import type { JobList } from '../service/jobList';
import { failure, isFinal, success, traitsOf, type Outcome, type Problem } from '../service/problems';
import { terminalStatus } from '../service/status';
import type { Job } from '../service/types';
import type { Ledger } from './ledger';
import { splitIntoSingles, type PlannedJob } from './lookup/plan';
import { without, type Aside, type Creation } from './lookup/record';
import { bringsOwnValue } from './lookup/request';
import type { Prepared } from './prepare';
import { AT_WORK_MS, findLostJob, readRecentJobs } from './recover';

export interface CreateSettings extends CallOptions {
	continueAfterFailure: boolean;
	/** What earlier tries have asked for, and where this one is noted. */
	ledger: Ledger;
	identify: (planned: PlannedJob) => string;
	/** What the jobs call back, where they call anything. */
	executionId: string;
	/** Told of each job as soon as it is known to exist. */
	onCreated?: (jobId: string) => void;
}

/** How often a request that another execution has just sent is looked at, in milliseconds. */
const LOOK_EVERY_MS = 200;
/** A creation is under way for no longer than this, in milliseconds. */
const LONGEST_CREATION_MS = 60_000;
/** The job list is looked into now, and once more after these pauses: a slow service enters the job late. */
const LOOK_AGAIN_AFTER_MS = [1_500, 4_000];

type Form = 'value' | 'values';

/** The parameter the service misses, when it is the other form of the lookup value: nothing was created then. */
function wantedForm(problem: Problem, sent: Form): Form | undefined {
	if (problem.kind !== 'missingParameter' || problem.effect !== 'none') return undefined;
	const other: Form = sent === 'value' ? 'values' : 'value';
	if (problem.parameter !== undefined) return problem.parameter === other ? other : undefined;
	const said = `${problem.reason ?? ''} ${problem.comment ?? ''}`;
	return new RegExp(`\\b${other}\\b`).test(said) ? other : undefined;
}

/** Adds the signature to the callback URL, where there is one and the credential has a secret. */
function withSignedCallback(client: ServiceClient, parameters: IDataObject, nonce: string): IDataObject {
	const { webhookUrlParameter, webhookSecret } = client.dialect;
	const url = parameters[webhookUrlParameter];
	if (typeof url !== 'string' || url === '' || webhookSecret === '') return parameters;
	const expiresAt = callbackExpiry(client.clock.now(), Number(parameters.timeout ?? NaN));
	const signed = signCallbackUrl(url, webhookSecret, { expiresAt, nonce });
	return { ...parameters, [webhookUrlParameter]: signed };
}

/** One job to create, and all that its creation needs. */
interface Attempt {
	client: ServiceClient;
	planned: PlannedJob;
	settings: CreateSettings;
	identity: string;
	/** The job list as it was last read, for all requests of the run. */
	lists: { last?: { readAt: number; list: Outcome<JobList> } };
}

/** The planned job as it exists now, noted in the ledger. */
function created(
	{ planned, settings, identity }: Attempt,
	job: Job,
	creation: Creation,
): Outcome<PlannedJob> {
	const noted = without({ ...creation, jobId: job.job_id }, 'doubt');
	settings.ledger.note(identity, noted);
	settings.onCreated?.(job.job_id);
	return success({ ...planned, job, creation: noted });
}

/** The job that a creation without a reply has made, by the job list; undefined: it certainly made none. */
async function recover(
	attempt: Attempt,
	creation: Creation,
	problem: Problem,
): Promise<Outcome<PlannedJob> | undefined> {
	const { client, planned, settings, identity, lists } = attempt;
	const { ledger } = settings;
	const lost = { creation, request: planned.request, known: ledger.jobIds(), hasGaps: ledger.hasGaps };
	// Until then its absence says nothing.
	const enteredBy = (creation.lostAt ?? creation.sentAt) + AT_WORK_MS;
	let said = '';
	for (const wait of [0, ...LOOK_AGAIN_AFTER_MS]) {
		if (wait > 0) await client.clock.pause(wait);
		// What was read late enough for this request as well need not be read again.
		if (lists.last === undefined || lists.last.readAt <= enteredBy)
			lists.last = { readAt: client.clock.now(), list: await readRecentJobs(client) };
		const seen = findLostJob(client, lists.last.list, lost);
		if (seen.kind === 'ours') return created(attempt, seen.job, { ...creation, recovered: true });
		if (seen.kind === 'absent' && lists.last.readAt > enteredBy) return undefined;
		said = seen.detail;
		if (seen.kind === 'unclear') break;
	}
	ledger.note(identity, { ...creation, doubt: said });
	// What the list names belongs to the text of the original problem.
	return failure({
		...problem,
		detail: problem.detail === undefined ? said : `${problem.detail}. ${said}`,
	});
}

/** A job that was created long ago, as it is now; undefined where it is cancelled or gone. */
async function asItIs(client: ServiceClient, jobId: string, sentAt: number): Promise<Job | undefined> {
	const seen = await client.getJob(jobId);
	if (seen.ok) return terminalStatus(seen.value.status) === 'cancelled' ? undefined : seen.value;
	// A new job may not be known yet.
	const isGone = isFinal(seen.problem, 'status') && client.clock.now() > sentAt + AT_WORK_MS;
	return isGone ? undefined : { job_id: jobId, status: '' };
}

/** What became of the request in an earlier try; undefined: it is to be sent. */
async function resumeExisting(attempt: Attempt): Promise<Outcome<PlannedJob> | undefined> {
	const { client, settings, identity } = attempt;
	const { ledger } = settings;
	const creation = ledger.find(identity);
	if (creation === undefined) return undefined;
	const { jobId, sentAt, lostAt = sentAt } = creation;
	if (jobId !== undefined) {
		const job = ledger.isOfTool ? await asItIs(client, jobId, sentAt) : { job_id: jobId, status: '' };
		return job && created(attempt, job, creation);
	}
	// A slow service may enter the job late.
	await client.clock.pause(lostAt + AT_WORK_MS + 1 - client.clock.now());
	const problem: Problem = { kind: 'earlierTry', endpoint: ENDPOINTS.create, effect: 'unknown' };
	return await recover(attempt, { ...creation, lostAt }, problem);
}

/** Whether another execution in this process has just sent the question and awaits the reply. */
function isPending({ client, settings, identity }: Attempt): boolean {
	const { jobId, lostAt, sentAt = 0 } = settings.ledger.find(identity) ?? {};
	return jobId === undefined && lostAt === undefined && client.clock.now() < sentAt + LONGEST_CREATION_MS;
}

/**
 * Creates one job, unless an earlier try of the node has. When it is unknown whether it was created, the job list decides;
 * it is never sent blindly again.
 */
async function createOne(attempt: Attempt, form: Form): Promise<Outcome<PlannedJob>> {
	const { client, planned, settings, identity } = attempt;
	const { ledger } = settings;
	while (ledger.isOfTool && isPending(attempt)) await client.clock.pause(LOOK_EVERY_MS);
	const existing = await resumeExisting(attempt);
	if (existing !== undefined) return existing;
	const nonce = newNonce();
	const { parameters: asked, values } = planned.request;
	const parameters = withSignedCallback(client, asked, nonce);
	const lookup = bringsOwnValue(parameters) ? {} : { [form]: values.join('\n') };
	const signatureHash = signatureHashOf(parameters[client.dialect.webhookUrlParameter]);
	const sent: Creation = {
		...{ sentAt: client.clock.now(), executionId: settings.executionId, nonce, signatureHash },
		...{ items: planned.requesters.map(({ item }) => item), group: planned.group },
	};
	ledger.note(identity, sent);
	const reply = await client.createJob({ ...parameters, ...lookup }, settings);
	if (reply.ok) return created(attempt, reply.value, sent);
	if (reply.problem.effect === 'none') {
		ledger.note(identity, undefined);
		return reply;
	}
	const lost = { ...sent, lostAt: client.clock.now() };
	ledger.note(identity, lost);
	return (await recover(attempt, lost, reply.problem)) ?? reply;
}

/**
 * Creates the planned jobs one after the other. A service that takes only one of `value` and `values` is met on
 * its own terms where the credential says Automatic: what it refused was not created and is sent once more in
 * the other form, several values then as single jobs.
 *
 * @returns one entry per job that was tried or given up, in the order of the plan
 */
export async function createJobs(
	client: ServiceClient,
	plan: readonly PlannedJob[],
	settings: CreateSettings,
): Promise<Array<{ planned: PlannedJob; outcome: Outcome<PlannedJob> }>> {
	const tried: Array<{ planned: PlannedJob; outcome: Outcome<PlannedJob> }> = [];
	const queue = [...plan];
	const lists: Attempt['lists'] = {};
	const { lookupValues } = client.dialect;
	const isAutomatic = lookupValues === 'automatic';
	let learned: Form | undefined;
	let givenUp: Problem | undefined;
	for (let planned = queue.shift(); planned !== undefined; planned = queue.shift()) {
		if (givenUp !== undefined) {
			tried.push({ planned, outcome: failure(givenUp) });
			continue;
		}
		const { parameters, values } = planned.request;
		const usual = values.length === 1 ? 'value' : 'values';
		const form = isAutomatic ? (learned ?? usual) : lookupValues === 'single' ? 'value' : 'values';
		const own = bringsOwnValue(parameters);
		if (form === 'value' && values.length > 1 && !own) {
			queue.unshift(...splitIntoSingles(planned));
			continue;
		}
		const identity = settings.identify(planned);
		const outcome = await createOne({ client, planned, settings, identity, lists }, form);
		if (!outcome.ok && isAutomatic && learned === undefined && !own) {
			learned = wantedForm(outcome.problem, form);
			if (learned !== undefined) {
				queue.unshift(planned);
				continue;
			}
		}
		tried.push({ planned, outcome });
		if (outcome.ok) continue;
		const { problem } = outcome;
		if (!traitsOf(problem).accountWide && settings.continueAfterFailure) continue;
		// Nothing was created of those that are not even tried.
		givenUp = {
			...problem,
			detail: problem.effect === 'unknown' ? undefined : problem.detail,
			effect: 'none',
		};
	}
	return tried;
}

/** What exists, or may exist, although a request failed: the jobs of all tries, and what other requests may have made. */
function existingText(ledger: Ledger, records: readonly PlannedJob[], failed: string): string | undefined {
	const others = [...ledger.requests()].filter(([identity]) => identity !== failed);
	const doubts = others.flatMap(([, { doubt }]) =>
		doubt === undefined ? [] : [`An earlier request: ${doubt}`],
	);
	const earlier = others.flatMap(([, { jobId }]) => jobId ?? []);
	const ids = [...new Set([...records.map(({ job }) => job.job_id), ...earlier])].join(', ');
	const advice = 'Use Wait or Download to get their results, or retry this execution.';
	const created = ids === '' ? [] : [`These jobs were created and are running: ${ids}. ${advice}`];
	return [...created, ...doubts].join(' ') || undefined;
}

/**
 * Creates the jobs of a plan, those that an earlier try of the node has created excepted.
 *
 * @param onCreated told of each job as soon as it is known to exist
 * @returns all of these jobs, and what leaves without one: also the error items of those that could not be created
 * @throws NodeApiError for a job that could not be created, unless the node goes on; it names those that were
 */
export async function startJobs(
	context: IExecuteFunctions,
	client: ServiceClient,
	{ plan, asides, identify, timeoutMs }: Prepared,
	ledger: Ledger,
	onCreated?: (jobId: string) => void,
): Promise<{ records: PlannedJob[]; asides: Aside[] }> {
	const continueAfterFailure = context.continueOnFail();
	const executionId = context.getExecutionId();
	const settings = { continueAfterFailure, executionId, ledger, identify, timeoutMs, onCreated };
	const tried = await createJobs(client, plan, settings);
	const records = tried.flatMap(({ outcome }) => (outcome.ok ? [outcome.value] : []));
	const errors = tried.flatMap(({ planned, outcome }): Aside[] => {
		if (outcome.ok) return [];
		const items = planned.requesters.map(({ item }) => item);
		const told = existingText(ledger, records, identify(planned));
		const error = apiError(context.getNode(), outcome.problem, items, told);
		if (!continueAfterFailure) throw error;
		return items.map((item) => ({ item, place: 0, error: errorItem(error, item).json }));
	});
	const found = records.filter(({ creation }) => creation?.recovered === true).map(({ job }) => job.job_id);
	const said = `The reply to ${counted(found.length, 'creation')} was lost; the job list had the job (${found.join(', ')}), so nothing was created twice.`;
	if (found.length > 0) hint(context, said);
	return { records, asides: [...asides, ...errors] };
}
