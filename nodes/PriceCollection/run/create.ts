import type { IDataObject } from 'n8n-workflow';

import { newNonce, signCallbackUrl } from '../callback/sign';
import { callbackExpiry } from '../callback/expiry';
import type { CallOptions, ServiceClient } from '../service/client';
import { failure, traitsOf, type Outcome, type Problem } from '../service/problems';
import type { Job } from '../service/types';
import { recoverLostJob } from './recover';
import type { PlannedJob } from './lookup/plan';
import { bringsOwnValue } from './lookup/request';
import { identityOf } from './lookup/values';

/** A planned job and what came of it. */
export interface CreatedJob {
	planned: PlannedJob;
	outcome: Outcome<Job>;
	/** Whether the reply to the creation was lost and the job was found in the list instead. */
	recovered: boolean;
}

/** Which values each input item asks for. */
export type Asked = ReadonlyMap<number, string[]>;

export interface CreateSettings extends CallOptions {
	/** Whether the jobs after a failed one are created all the same. */
	continueAfterFailure: boolean;
}

type Form = 'value' | 'values';

/** The parameter the service misses, when it is the other form of the lookup value: nothing was created then. */
function wantedForm(problem: Problem, sent: Form): Form | undefined {
	if (problem.kind !== 'missingParameter' || problem.effect !== 'none') return undefined;
	const other: Form = sent === 'value' ? 'values' : 'value';
	if (problem.parameter !== undefined) return problem.parameter === other ? other : undefined;
	return new RegExp(`\\b${other}\\b`).test(`${problem.reason ?? ''} ${problem.comment ?? ''}`)
		? other
		: undefined;
}

/** Each value as a job of its own, for a service that takes one value per job. */
export function splitIntoSingles(planned: PlannedJob, asked: Asked): PlannedJob[] {
	const askers = new Map<string, number[]>();
	for (const item of planned.items) {
		for (const identity of new Set(
			(asked.get(item) ?? []).map((value) => identityOf(planned.key, value)),
		)) {
			askers.set(identity, [...(askers.get(identity) ?? []), item]);
		}
	}
	return planned.values.map((value) => ({
		...planned,
		values: [value],
		items: askers.get(identityOf(planned.key, value)) ?? [],
	}));
}

/** Adds the signature to the callback URL, where there is one and the credential has a secret. */
function withSignedCallback(client: ServiceClient, parameters: IDataObject): IDataObject {
	const { webhookUrlParameter, webhookSecret } = client.dialect;
	const url = parameters[webhookUrlParameter];
	if (typeof url !== 'string' || url === '' || webhookSecret === '') return parameters;
	const expiresAt = callbackExpiry(client.clock.now(), Number(parameters.timeout ?? NaN));
	return {
		...parameters,
		[webhookUrlParameter]: signCallbackUrl(url, webhookSecret, { expiresAt, nonce: newNonce() }),
	};
}

/** Creates one job. When it is unknown whether it was created, the job list decides; it is never sent blindly again. */
async function createOne(
	client: ServiceClient,
	planned: PlannedJob,
	form: Form,
	settings: CreateSettings,
	known: ReadonlySet<string>,
): Promise<CreatedJob> {
	const parameters = withSignedCallback(client, planned.parameters);
	const lookup = bringsOwnValue(parameters) ? {} : { [form]: planned.values.join('\n') };
	const sent = { ...parameters, ...lookup };
	const since = client.clock.now();
	const outcome = await client.createJob(sent, settings);
	if (outcome.ok || outcome.problem.effect === 'none') return { planned, outcome, recovered: false };
	const found = await recoverLostJob(client, { sent, values: planned.values, since, known });
	if (found.ok) return { planned, outcome: found, recovered: true };
	// What the list says of jobs that could be this one belongs to the text of the original problem.
	const own = outcome.problem.detail === undefined ? '' : `${outcome.problem.detail}. `;
	const detail = `${own}${found.problem.detail ?? ''}`;
	return { planned, outcome: failure({ ...outcome.problem, detail }), recovered: false };
}

/** Why a job was not even tried after another one had failed: nothing can have been created. */
function notTried(problem: Problem): Problem {
	const detail = problem.effect === 'unknown' ? undefined : problem.detail;
	return { ...problem, detail, effect: 'none' };
}

/** The form in which a job's values are sent first. */
function firstForm(client: ServiceClient, planned: PlannedJob, learned: Form | undefined): Form {
	switch (client.dialect.lookupValues) {
		case 'single':
			return 'value';
		case 'list':
			return 'values';
		case 'automatic':
			return learned ?? (planned.values.length === 1 ? 'value' : 'values');
	}
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
): Promise<CreatedJob[]> {
	const created: CreatedJob[] = [];
	const known = new Set<string>();
	const queue = [...plan];
	let learned: Form | undefined;
	let givenUp: Problem | undefined;
	for (let planned = queue.shift(); planned !== undefined; planned = queue.shift()) {
		if (givenUp !== undefined) {
			created.push({ planned, outcome: failure(notTried(givenUp)), recovered: false });
			continue;
		}
		const form = firstForm(client, planned, learned);
		// What Additional Parameters bring is sent as given, in one job.
		const own = bringsOwnValue(planned.parameters);
		if (form === 'value' && planned.values.length > 1 && !own) {
			queue.unshift(...splitIntoSingles(planned, asked));
			continue;
		}
		let entry = await createOne(client, planned, form, settings, known);
		const mayAdapt = client.dialect.lookupValues === 'automatic' && learned === undefined && !own;
		if (!entry.outcome.ok && mayAdapt) {
			learned = wantedForm(entry.outcome.problem, form);
			if (learned === 'value' && planned.values.length > 1) {
				queue.unshift(planned);
				continue;
			}
			if (learned !== undefined) entry = await createOne(client, planned, learned, settings, known);
		}
		created.push(entry);
		if (entry.outcome.ok) known.add(entry.outcome.value.job_id);
		else if (!settings.continueAfterFailure || traitsOf(entry.outcome.problem).accountWide) {
			givenUp = entry.outcome.problem;
		}
	}
	return created;
}
