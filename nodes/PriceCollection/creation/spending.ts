import type { IExecuteFunctions } from 'n8n-workflow';

import { hint } from '../n8n/hints';
import { counted } from '../service/text';
import { RUN, type NodeFields } from '../n8n/nodeFields';
import type { ConnectionSettings } from '../service/connection';
import { documentedNames } from '../service/requestNames';
import type { Problem } from '../service/problems';
import { estimatedCredits } from '../service/topics';
import { ENDPOINTS } from '../service/types';
import type { JobRecord } from '../run/record';

/** What the cost of a job depends on. */
type Costing = Pick<JobRecord, 'creation' | 'request'>;

/** The estimated credits of jobs; NaN if one of them cannot be estimated. */
export function estimateOf(
	jobs: ReadonlyArray<Pick<JobRecord, 'request'>>,
	connection: ConnectionSettings,
): number {
	const estimates = jobs.map(
		({ request }) =>
			request &&
			estimatedCredits(
				documentedNames(request.parameters, connection),
				request.values.length,
				connection,
			),
	);
	return estimates.reduce<number>((sum, one) => sum + (one ?? NaN), 0);
}

/** The estimate of a run as a sentence; undefined if it is unknown or 0. */
export function estimateText(estimate: number): string | undefined {
	return estimate > 0 ? `Estimate: ${counted(estimate, 'credit')}.` : undefined;
}

/**
 * Checks a run against the user's limits.
 *
 * @throws NodeOperationError if it has more values, or a higher estimate of credits, than the user allows
 */
export function guardSpending(fields: NodeFields, values: number, estimate: number): void {
	const mostValues = fields.limit('options.maxValues');
	const mostCredits = fields.limit('maxCredits');
	if (values > mostValues) {
		const message = `This run would look up ${values} values, more than Max Values allows (${mostValues})`;
		const advice = 'Nothing was sent. Raise Max Values in the options, or use fewer items.';
		throw fields.refusal(RUN, message, advice);
	}
	if (mostCredits === Infinity || estimate <= mostCredits) return;
	const message = Number.isNaN(estimate)
		? 'The cost of this run cannot be estimated, because Max Pages is not a whole number above 0'
		: `This run would cost about ${estimate} credits, more than the Spending Limit of ${mostCredits}`;
	const remedy = Number.isNaN(estimate) ? 'Set it to 0 for no limit' : `Raise it to ${estimate}`;
	const advice = `Nothing was sent. ${remedy}, ask for fewer pages, or use fewer items. The estimate is one credit per value and page, doubled where the service charges double for an option.`;
	throw fields.refusal(RUN, message, advice);
}

/** Tracks the cost of a run's jobs: as the replies to their creations report it, otherwise as estimated. */
export class Spending {
	private readonly limit: number;
	private readonly reported = { jobs: 0, booked: 0, estimate: 0 };
	/** The estimated credits of jobs whose reply reported no cost. */
	private unreported = 0;
	/** The estimated credits of the creations under way. */
	private reserved = 0;

	constructor(
		fields: NodeFields,
		private readonly connection: ConnectionSettings,
	) {
		this.limit = fields.limit('maxCredits');
	}

	/** Counts a job that exists. */
	add(job: Costing): void {
		const estimate = estimateOf([job], this.connection);
		const booked = job.creation?.booked;
		if (booked === undefined) {
			this.unreported += estimate;
			return;
		}
		this.reported.jobs++;
		this.reported.booked += booked;
		this.reported.estimate += estimate;
	}

	/** Credits reserved per estimated credit, according to the replies so far; 1 before the first. */
	private rate(): number {
		const { booked, estimate } = this.reported;
		return estimate > 0 ? booked / estimate : 1;
	}

	/** Counts a creation as under way. Returns a function to call when it ends. */
	reserve(job: Costing): () => void {
		const estimate = estimateOf([job], this.connection);
		this.reserved += estimate;
		return () => (this.reserved -= estimate);
	}

	/** Whether a job must wait for the creations under way, because together they could exceed the limit at this rate. */
	awaitsOthers(job: Costing): boolean {
		const next = this.reserved + estimateOf([job], this.connection);
		return this.reserved > 0 && this.reported.booked + this.unreported + next * this.rate() > this.limit;
	}

	/** The problem if a job would exceed the limit at this rate; undefined if not, or if no reply has reported a cost. */
	refusalOf(job: Costing): Problem | undefined {
		const { booked } = this.reported;
		const next = estimateOf([job], this.connection) * this.rate();
		if (booked === 0 || !(booked + this.unreported + next > this.limit)) return undefined;
		const soFar = `The service has reserved ${counted(booked, 'credit')} for earlier jobs of this run`;
		const detail = `${soFar}, and this job would cost about ${Math.ceil(next)} more; the Spending Limit is ${this.limit}. Nothing was sent for it`;
		return { kind: 'overLimit', endpoint: ENDPOINTS.create, effect: 'none', detail };
	}

	/** Shows a warning if the service reserved more than was estimated. */
	sayExcess(context: IExecuteFunctions): void {
		const { jobs, booked, estimate } = this.reported;
		if (!(booked > estimate)) return;
		const which = jobs === 1 ? 'this job' : `${jobs} jobs`;
		const text = `The service reserved ${counted(booked, 'credit')} for ${which}; the estimate was ${estimate}.`;
		hint(context, text, 'warning');
	}
}
