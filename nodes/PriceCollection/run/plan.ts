import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { counted, hint } from '../n8n/hints';
import { forEachItem } from '../n8n/items';
import { RUN, type Parameters } from '../n8n/parameters';
import { makesRows } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import type { ConnectionSettings } from '../service/connection';
import type { Problem } from '../service/problems';
import { estimatedCredits } from '../service/topics';
import { ENDPOINTS } from '../service/types';
import type { Ledger } from './ledger';
import { newRecord, without, type Aside, type JobRecord, type JobRequest } from './lookup/record';
import { canonical, fullGtin, gtinProblem, identityOf } from './lookup/values';
import { bringsOwnValue, requestOf, storedRequest, type ChoiceReader, type ItemRequest } from './readItems';

export type PlannedJob = JobRecord & {
	request: JobRequest;
	/** The key that all jobs with these parameters share. */
	group: string;
};

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The values of a job as they are sent: of each GTIN the longest spelling that was asked for, filled up. */
function valuesToSend({ request: { key, parameters, values }, requesters }: PlannedJob): string[] {
	if (key !== 'gtin' || bringsOwnValue(parameters)) return values;
	const longest = new Map(values.map((value) => [identityOf(key, value), value]));
	for (const [, value] of requesters.flatMap(({ asks = [] }) => asks)) {
		const identity = identityOf(key, value);
		const isLonger = value.length > (longest.get(identity) ?? '').length;
		if (isLonger && gtinProblem(value) === undefined) longest.set(identity, value);
	}
	return [...longest.values()].map(fullGtin);
}

/**
 * Plans as few jobs as the grouping allows, in the order in which values are first requested. Items without
 * values get no job. Linear in the number of values.
 *
 * @param grouping `combine`: items with equal parameters share jobs. `perItem`: each item has its own jobs
 * @param earlier the items of each group of an earlier attempt: they stay together, even if expressions changed
 */
export function planJobs(
	requests: ReadonlyArray<Omit<ItemRequest, 'unsent'>>,
	grouping: 'combine' | 'perItem',
	maxValuesPerJob: number,
	earlier: Readonly<Record<string, number[]>> = {},
): PlannedJob[] {
	const jobs: PlannedJob[] = [];
	const groups = new Map<string, string>();
	const earlierOf = new Map<number, string>();
	for (const [group, items] of Object.entries(earlier))
		for (const item of items) earlierOf.set(item, group);
	const jobOf = new Map<string, PlannedJob>();
	const lastOf = new Map<string, PlannedJob>();
	for (const { item, parameters, asks, given } of requests) {
		const key = String(parameters.key ?? '');
		const known = earlierOf.get(item) ?? (grouping === 'perItem' ? String(item) : undefined);
		// Most items have their parameters in the same order, so only other spellings need sorting.
		const written = JSON.stringify(parameters);
		let group = known ?? groups.get(written) ?? hashOf(canonical(parameters));
		// Other items do not join such a group: its jobs would no longer be recognised and be paid again.
		while (known === undefined && group in earlier) group = hashOf(group);
		if (known === undefined) groups.set(written, group);
		// Values from Additional Parameters are sent unchanged in one job.
		const most = bringsOwnValue(parameters) ? Infinity : Math.trunc(maxValuesPerJob);
		for (const [place, value] of asks) {
			const purchase = `${group}\n${identityOf(key, value)}`;
			let job = jobOf.get(purchase) ?? lastOf.get(group);
			if (!jobOf.has(purchase)) {
				if (job === undefined || job.request.values.length >= most) {
					// All requests of a group have equal parameters; sharing one object saves memory.
					const request = { parameters: job?.request.parameters ?? parameters, key, values: [] };
					job = { ...newRecord('', [], request), request, group };
					jobs.push(job);
					lastOf.set(group, job);
				}
				job.request.values.push(value);
				jobOf.set(purchase, job);
			}
			const requester = job?.requesters.at(-1);
			if (requester?.item === item) requester.asks?.push([place, value]);
			else job?.requesters.push({ item, given, asks: [[place, value]] });
		}
	}
	for (const job of jobs) job.request.values = valuesToSend(job);
	return jobs;
}

/** Splits a job into one per value, for a service that accepts one value per job. */
export function splitIntoSingles({ request: { parameters }, requesters, group }: PlannedJob): PlannedJob[] {
	const requests = requesters.map(({ asks = [], ...one }) => ({ ...one, parameters, asks }));
	return planJobs(requests, 'combine', 1, { [group]: requesters.map(({ item }) => item) });
}

/** The estimated credits of jobs; NaN if one of them cannot be estimated. */
export function estimateOf(
	jobs: ReadonlyArray<Pick<JobRecord, 'request'>>,
	connection: ConnectionSettings,
): number {
	const estimates = jobs.map(
		({ request }) => request && estimatedCredits(request.parameters, request.values.length, connection),
	);
	return estimates.reduce<number>((sum, one) => sum + (one ?? NaN), 0);
}

/** The estimate of a run as a sentence; undefined without an estimate or cost. */
export function estimateText(estimate: number): string | undefined {
	return estimate > 0 ? `Estimate: ${counted(estimate, 'credit')}.` : undefined;
}

export interface CreateSettings {
	fields: Parameters;
	/** The requests of earlier attempts; records those of this one. */
	ledger: Ledger;
	/** The callback URL of every job, in place of the one in the options. */
	webhookUrl?: string;
	/** Reads how to output rows. Without it, an item with an invalid value fails. */
	choices?: ChoiceReader;
}

/** The usual maximum of services, as the actual one is unknown. */
const MAX_VALUES_PER_JOB = 1000;

/** Refuses a run with more values, or a higher estimate of credits, than the user allows. */
function guardSpending(fields: Parameters, values: number, estimate: number): void {
	const mostValues = fields.limit('options.maxValues');
	const mostCredits = fields.limit('options.maxCredits');
	if (values > mostValues) {
		const message = `This run would look up ${values} values, more than Max Values allows (${mostValues})`;
		const advice = 'Nothing was sent. Raise Max Values in the options, or use fewer items.';
		throw fields.refusal(RUN, message, advice);
	}
	if (mostCredits === Infinity || estimate <= mostCredits) return;
	const message = Number.isNaN(estimate)
		? 'The cost of this run cannot be estimated, because Max Pages is not a whole number above 0'
		: `This run would cost about ${estimate} credits, more than Max Credits allows (${mostCredits})`;
	const advice =
		'Nothing was sent. The estimate is one credit per value and page, doubled where an option other than Max Pages differs from its default. Raise Max Credits in the options, ask for fewer pages, or use fewer items.';
	throw fields.refusal(RUN, message, advice);
}

/** What the jobs of a run cost, as the replies to their creations say; as estimated where they do not. */
export class Spending {
	private readonly limit: number;
	private readonly said = { jobs: 0, booked: 0, estimate: 0 };
	private unsaid = 0;

	constructor(
		fields: Parameters,
		private readonly connection: ConnectionSettings,
	) {
		this.limit = fields.limit('options.maxCredits');
	}

	/** Counts a job that exists. */
	add(job: PlannedJob): void {
		const estimate = estimateOf([job], this.connection);
		const booked = job.creation?.booked;
		if (booked === undefined) {
			this.unsaid += estimate;
			return;
		}
		this.said.jobs++;
		this.said.booked += booked;
		this.said.estimate += estimate;
	}

	/** Why another job would exceed Max Credits, at the rate that the service has shown; undefined if it would not. */
	refusalOf(job: PlannedJob): Problem | undefined {
		const { booked, estimate } = this.said;
		const rate = estimate > 0 ? booked / estimate : 1;
		const next = estimateOf([job], this.connection) * rate;
		if (booked === 0 || !(booked + this.unsaid + next > this.limit)) return undefined;
		const soFar = `The service has reserved ${counted(booked, 'credit')} for earlier jobs of this run`;
		const detail = `${soFar}, and this job would cost about ${Math.ceil(next)} more; Max Credits allows ${this.limit}. Nothing was sent for it`;
		return { kind: 'overLimit', endpoint: ENDPOINTS.create, effect: 'none', detail };
	}

	/** Says that the service reserved more than was estimated, if it did. */
	sayExcess(context: IExecuteFunctions): void {
		const { jobs, booked, estimate } = this.said;
		if (!(booked > estimate)) return;
		const which = jobs === 1 ? 'this job' : `${jobs} jobs`;
		const text = `The service reserved ${counted(booked, 'credit')} for ${which}; the estimate was ${estimate}.`;
		hint(context, text, 'warning');
	}
}

/**
 * Reads the requests of all input items and plans the jobs. Nothing is sent.
 *
 * @returns the jobs; output without a job: values that are not sent and invalid items; and a function that
 * identifies a job by the node's stored fields, its values in any order and the items that ask. So a retry
 * has the identity of the first attempt, whatever expressions such as `{{ $now }}` return; questions of an
 * agent are also identified by the resolved parameters
 * @throws NodeOperationError for an invalid item, unless the node continues after failures, and for a run
 * that exceeds a limit
 */
export async function prepare(
	context: IExecuteFunctions,
	{ connection }: ServiceClient,
	{ fields, webhookUrl, choices, ledger }: CreateSettings,
) {
	const requests: ItemRequest[] = [];
	const asides: Aside[] = [];
	const work = (item: number) => {
		const { choice, given } = choices?.read(item) ?? {};
		const keepsUnsent = choice !== undefined && makesRows(choice) && choice.onFailedResult !== 'error';
		const request = requestOf(item, fields, connection, keepsUnsent);
		if (webhookUrl !== undefined) request.parameters[connection.webhookUrlParameter] = webhookUrl;
		requests.push({ ...request, given });
		for (const aside of request.unsent) asides.push({ ...aside, given });
	};
	await forEachItem(context, work, ({ json }, item) => asides.push({ item, place: 0, error: json }));
	const grouping = fields.choice('options.grouping', RUN, ['combine', 'perItem'], 'combine');
	const most = fields.number('options.maxValuesPerJob', RUN, 1) ?? MAX_VALUES_PER_JOB;
	const maxValuesPerJob = connection.lookupValues === 'single' ? 1 : most;
	const fieldsHash = hashOf(canonical(storedRequest(fields.stored)));
	const plan = planJobs(requests, grouping, maxValuesPerJob, ledger.groupsBy(fieldsHash));
	const values = plan.reduce((sum, { request }) => sum + request.values.length, 0);
	guardSpending(fields, values, estimateOf(plan, connection));
	const groups: Record<string, number[]> = {};
	for (const { group, requesters } of plan)
		for (const { item } of requesters) (groups[group] ??= []).push(item);
	ledger.noteGroups(fieldsHash, groups);
	const items = context.getInputData().length;
	const many = `This run creates ${counted(plan.length, 'job')} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
	if (plan.length > items) hint(context, many, 'warning');
	// Another account does not have these jobs.
	const account = context.getNode().credentials?.priceCollectionApi?.id ?? null;
	const identify = ({ request, requesters }: PlannedJob) => {
		const resolved = without(request.parameters, connection.webhookUrlParameter);
		const what = ledger.isOfTool ? { fieldsHash, resolved, account } : { fieldsHash };
		const asking = requesters.map(({ item }) => item);
		return ledger.round + hashOf(JSON.stringify([canonical(what), [...request.values].sort(), asking]));
	};
	return { plan, asides, identify };
}
