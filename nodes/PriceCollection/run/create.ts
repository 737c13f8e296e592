import type { IDataObject } from 'n8n-workflow';

import { callbackExpiry } from '../callback/expiry';
import { newNonce, signCallbackUrl, signatureHashOf } from '../callback/sign';
import type { CallOptions, ServiceClient } from '../service/client';
import { ENDPOINTS } from '../service/endpoints';
import { failure, isFinal, success, traitsOf, type Outcome, type Problem } from '../service/problems';
import { terminalStatus } from '../service/status';
import type { Job } from '../service/types';
import type { PlannedJob } from './lookup/plan';
import { bringsOwnValue } from './lookup/request';
import { identityOf } from './lookup/values';
import { recoverLostJob } from './recover';
import type { RequestMemory } from './requests';
import type { RequestEntry } from './stored/requestRecord';
import type { RunJob } from './stored/suspendedRun';

type Creating = Outcome<Omit<RunJob, 'planned'>>;

/** Which values each input item asks for. */
export type Asked = ReadonlyMap<number, string[]>;

export interface CreateSettings extends CallOptions {
	continueAfterFailure: boolean;
	/** What earlier tries have asked for, and where this one is noted. */
	requests: RequestMemory;
	identify: (planned: PlannedJob) => string;
	/** Whether a job that only its results can prove to be the right one may be taken: they will be looked at. */
	resultsCanProve: boolean;
}

/** How often a request that another execution has just sent is looked at, in milliseconds. */
const LOOK_EVERY_MS = 200;
/** How long after a creation its absence from the job list says that it was not made, in milliseconds. */
const ABSENCE_COUNTS_AFTER_MS = 30_000;

type Form = 'value' | 'values';

/** The parameter the service misses, when it is the other form of the lookup value: nothing was created then. */
function wantedForm(problem: Problem, sent: Form): Form | undefined {
	if (problem.kind !== 'missingParameter' || problem.effect !== 'none') return undefined;
	const other: Form = sent === 'value' ? 'values' : 'value';
	if (problem.parameter !== undefined) return problem.parameter === other ? other : undefined;
	const said = `${problem.reason ?? ''} ${problem.comment ?? ''}`;
	return new RegExp(`\\b${other}\\b`).test(said) ? other : undefined;
}

/** Each value as a job of its own, for a service that takes one value per job. */
export function splitIntoSingles(planned: PlannedJob, asked: Asked): PlannedJob[] {
	const identify = (value: string) => identityOf(planned.key, value);
	const askers = new Map<string, number[]>();
	for (const item of planned.items) {
		for (const identity of new Set((asked.get(item) ?? []).map(identify))) {
			askers.set(identity, [...(askers.get(identity) ?? []), item]);
		}
	}
	return planned.values.map((value) => ({
		...planned,
		values: [value],
		items: askers.get(identify(value)) ?? [],
	}));
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

/** What is known of a request whatever became of it. */
type KnownRequest = Pick<RequestEntry, 'sentAt' | 'lostAt' | 'nonce' | 'signatureHash'>;

interface Creation {
	client: ServiceClient;
	planned: PlannedJob;
	settings: CreateSettings;
	identity: string;
}

/** A problem together with what the job list says about it. */
function withDetail(problem: Problem, detail: string): Problem {
	// What the list says of jobs that could be this one belongs to the text of the original problem.
	return { ...problem, detail: problem.detail === undefined ? detail : `${problem.detail}. ${detail}` };
}

/** What became of a request whose reply did not come, by the job list; undefined: nothing was created. */
async function recover(
	{ client, planned, settings, identity }: Creation,
	known: KnownRequest,
	{ callsBack, absenceCounts }: { callsBack: boolean; absenceCounts: boolean },
	problem: Problem,
): Promise<Creating | undefined> {
	const { requests } = settings;
	const { sentAt, lostAt, nonce, signatureHash } = known;
	const sent = { ...planned.parameters, values: planned.values.join('\n') };
	const lost = { sent, values: planned.values, sentAt, lostAt, nonce, ...requests.jobIds() };
	const seen = await recoverLostJob(client, lost);
	if (seen.kind === 'absent' && absenceCounts) return undefined;
	const isSure = seen.kind === 'found';
	if (isSure || (seen.kind === 'likely' && settings.resultsCanProve)) {
		const evidence = isSure ? 'list' : 'results';
		requests.set(identity, { ...known, state: 'created', jobId: seen.job.job_id, evidence });
		return success({ job: seen.job, evidence, callsBack, signatureHash });
	}
	return failure(withDetail(problem, seen.detail));
}

/** A job that was created long ago, as it is now; undefined where it is cancelled or gone. */
async function asItIs(client: ServiceClient, jobId: string, sentAt: number): Promise<Job | undefined> {
	const seen = await client.getJob(jobId);
	if (seen.ok) return terminalStatus(seen.value.status) === 'cancelled' ? undefined : seen.value;
	// A new job may not be known yet.
	const isGone = isFinal(seen.problem, 'status') && client.clock.now() > sentAt + ABSENCE_COUNTS_AFTER_MS;
	return isGone ? undefined : { job_id: jobId, status: '' };
}

/** What an earlier try says of a request; undefined: it is to be sent. */
async function takeUp(creation: Creation): Promise<Creating | undefined> {
	const { client, settings, identity } = creation;
	const known = settings.requests.get(identity);
	if (known === undefined) return undefined;
	const { state, jobId, evidence = 'reply', sentAt, lostAt = sentAt, signatureHash } = known;
	const callsBack = !settings.requests.callsElsewhere(known);
	if (state === 'created' && jobId !== undefined) {
		const { outlivesRun } = settings.requests;
		const job = outlivesRun ? await asItIs(client, jobId, sentAt) : { job_id: jobId, status: '' };
		return job && success({ job, evidence, callsBack, signatureHash });
	}
	// A slow service may enter the job late: too early, its absence says nothing.
	await client.clock.pause(lostAt + ABSENCE_COUNTS_AFTER_MS + 1 - client.clock.now());
	const problem: Problem = { kind: 'earlierTry', endpoint: ENDPOINTS.create, effect: 'unknown' };
	return await recover(creation, known, { callsBack, absenceCounts: true }, problem);
}

/**
 * Creates one job, unless an earlier try of the node has. When it is unknown whether it was created, the job list decides;
 * it is never sent blindly again.
 */
async function createOne(creation: Creation, form: Form): Promise<Creating> {
	const { client, planned, settings, identity } = creation;
	const { requests } = settings;
	while (requests.isBeingAsked(identity)) await client.clock.pause(LOOK_EVERY_MS);
	const taken = requests.get(identity) === undefined ? undefined : await takeUp(creation);
	if (taken !== undefined) return taken;
	const nonce = newNonce();
	const parameters = withSignedCallback(client, planned.parameters, nonce);
	const lookup = bringsOwnValue(parameters) ? {} : { [form]: planned.values.join('\n') };
	const signatureHash = signatureHashOf(parameters[client.dialect.webhookUrlParameter]);
	const sent: KnownRequest = { sentAt: client.clock.now(), nonce, signatureHash };
	requests.set(identity, { ...sent, state: 'sent' });
	const reply = await client.createJob({ ...parameters, ...lookup }, settings);
	if (reply.ok) {
		const job = reply.value;
		requests.set(identity, { ...sent, state: 'created', jobId: job.job_id, evidence: 'reply' });
		return success({ job, evidence: 'reply', callsBack: true, signatureHash });
	}
	if (reply.problem.effect === 'none') {
		requests.set(identity, undefined);
		return reply;
	}
	const lost = { ...sent, lostAt: client.clock.now() };
	requests.set(identity, { ...lost, state: 'unknown' });
	const found = await recover(creation, lost, { callsBack: true, absenceCounts: false }, reply.problem);
	return found ?? reply;
}

/** Why a job was not even tried after another one had failed: nothing can have been created. */
function notTried(problem: Problem): Problem {
	const detail = problem.effect === 'unknown' ? undefined : problem.detail;
	return { ...problem, detail, effect: 'none' };
}

/** The form in which a job's values are sent first. */
function firstForm(client: ServiceClient, planned: PlannedJob, learned: Form | undefined): Form {
	const { lookupValues } = client.dialect;
	if (lookupValues === 'automatic') return learned ?? (planned.values.length === 1 ? 'value' : 'values');
	return lookupValues === 'single' ? 'value' : 'values';
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
	plan: PlannedJob[],
	asked: Asked,
	settings: CreateSettings,
): Promise<Array<{ planned: PlannedJob; outcome: Creating }>> {
	const created: Array<{ planned: PlannedJob; outcome: Creating }> = [];
	const queue = [...plan];
	let learned: Form | undefined;
	let givenUp: Problem | undefined;
	for (let planned = queue.shift(); planned !== undefined; planned = queue.shift()) {
		if (givenUp !== undefined) {
			created.push({ planned, outcome: failure(notTried(givenUp)) });
			continue;
		}
		const form = firstForm(client, planned, learned);
		// What Additional Parameters bring is sent as given, in one job.
		const own = bringsOwnValue(planned.parameters);
		if (form === 'value' && planned.values.length > 1 && !own) {
			queue.unshift(...splitIntoSingles(planned, asked));
			continue;
		}
		const identity = settings.identify(planned);
		const outcome = await createOne({ client, planned, settings, identity }, form);
		if (!outcome.ok && client.dialect.lookupValues === 'automatic' && learned === undefined && !own) {
			learned = wantedForm(outcome.problem, form);
			if (learned !== undefined) {
				queue.unshift(planned);
				continue;
			}
		}
		created.push({ planned, outcome });
		if (outcome.ok) continue;
		const { accountWide } = traitsOf(outcome.problem);
		if (accountWide || !settings.continueAfterFailure) givenUp = outcome.problem;
	}
	return created;
}
