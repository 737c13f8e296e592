import type { IExecuteFunctions } from 'n8n-workflow';

import { counted, hint } from '../n8n/hints';
import { forEachItem } from '../n8n/items';
import { RUN, type Parameters } from '../n8n/parameters';
import { makesRows } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import { estimatedCredits } from '../service/credits';
import type { Ledger } from './ledger';
import { gtinProblem } from './lookup/gtin';
import { identityOfRequest, planJobs, type PlannedJob } from './lookup/plan';
import { without, type Aside } from './lookup/record';
import { requestOf, storedRequest, type ItemRequest } from './lookup/request';
import type { ChoiceReader } from './resultChoice';

/** A run of `create` or `collect` before anything is sent. */
export interface Prepared {
	plan: PlannedJob[];
	/** What leaves without a job: values that are not sent, and items that cannot be asked for. */
	asides: Aside[];
	/** The identity of a planned request, the same for every try of this node in this round of its execution. */
	identify: (planned: PlannedJob) => string;
	/** Credits that the run will probably cost; undefined where that cannot be told. */
	estimate: number | undefined;
	timeoutMs?: number;
}

interface PrepareSettings {
	/** The callback URL of every job, instead of the one in the options. */
	webhookUrl?: string;
	/** Reads how results become rows, where there are any; otherwise an item with a value that is not sent fails. */
	choices?: ChoiceReader;
	/** What earlier tries have asked for. */
	ledger: Ledger;
}

/** Where the service's maximum is not known, what it usually is. */
const MAX_VALUES_PER_JOB = 1000;

/** Refuses a run that would look up more values, or probably cost more credits, than the user allows. */
function guardSpending(fields: Parameters, values: number, estimate: number | undefined): void {
	const mostValues = fields.limit('options.maxValues');
	const mostCredits = fields.limit('options.maxCredits');
	if (values > mostValues) {
		const message = `This run would look up ${values} values, more than Max Values allows (${mostValues})`;
		const advice = 'Nothing was sent. Raise Max Values in the options, or use fewer items.';
		throw fields.refusal(RUN, message, advice);
	}
	if (mostCredits === Infinity || Number(estimate) <= mostCredits) return;
	const message =
		estimate === undefined
			? 'The cost of this run cannot be estimated, because Max Pages is not a whole number above 0'
			: `This run would cost about ${estimate} credits, more than Max Credits allows (${mostCredits})`;
	const advice =
		'Nothing was sent. The estimate is one credit per value and page, doubled where an option other than Max Pages differs from its default. Raise Max Credits in the options, ask for fewer pages, or use fewer items.';
	throw fields.refusal(RUN, message, advice);
}

/** Another topic has another key. */
const GTINS_AS_IDS =
	'All values look like GTINs, but Look Up By is ID, which are the IDs of the source. Each topic has a key of its own: choose GTIN where it is offered.';

/**
 * Reads what all input items ask for and plans the jobs. Nothing is sent.
 *
 * @throws NodeOperationError for an item that cannot be asked for, unless the node goes on after failures, and for a run
 * that exceeds a limit
 */
export async function prepare(
	context: IExecuteFunctions,
	fields: Parameters,
	{ dialect }: ServiceClient,
	{ webhookUrl, choices, ledger }: PrepareSettings,
): Promise<Prepared> {
	const requests: ItemRequest[] = [];
	const asides: Aside[] = [];
	const work = (item: number) => {
		const choice = choices?.read(item);
		const keepsUnsent = choice !== undefined && makesRows(choice) && choice.onFailedResult !== 'error';
		const request = requestOf(item, fields, dialect, keepsUnsent);
		if (webhookUrl !== undefined) request.parameters[dialect.webhookUrlParameter] = webhookUrl;
		requests.push(request);
	};
	await forEachItem(context, work, ({ json }, item) => asides.push({ item, place: 0, error: json }));
	for (const { unsent } of requests) asides.push(...unsent);
	const grouping = fields.choice('options.grouping', RUN, ['combine', 'perItem'], 'combine');
	const most = fields.number('options.maxValuesPerJob', RUN, 1) ?? MAX_VALUES_PER_JOB;
	const maxValuesPerJob = dialect.lookupValues === 'single' ? 1 : most;
	const known = [...ledger.requests().values()];
	const earlier = new Map(
		known.flatMap(({ items = [], group = '' }) => items.map((item) => [item, group] as const)),
	);
	const plan = planJobs(requests, { grouping, maxValuesPerJob, earlier });
	const credits = plan.map(({ request: { parameters, values } }) =>
		estimatedCredits(parameters, values.length, dialect),
	);
	const isKnown = credits.every((one) => one !== undefined);
	const estimate = isKnown ? credits.reduce((sum, one) => sum + one, 0) : undefined;
	const values = plan.flatMap(({ request }) => request.values);
	guardSpending(fields, values.length, estimate);
	const items = context.getInputData().length;
	const jobs = counted(plan.length, 'job');
	const many = `This run creates ${jobs} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
	if (plan.length > items) hint(context, many, 'warning');
	const isGtin = (value: string) => value.length >= 12 && gtinProblem(value) === undefined;
	const areIds = plan.every(({ request }) => request.key === 'id');
	if (areIds && values.length > 0 && values.every(isGtin)) hint(context, GTINS_AS_IDS, 'warning');
	const stored = storedRequest(context.getNode().parameters);
	const identify = (job: PlannedJob) => {
		const resolved = without(job.request.parameters, dialect.webhookUrlParameter);
		// Another account does not have the jobs of this one.
		const account = context.getNode().credentials?.priceCollectionApi?.id ?? null;
		return identityOfRequest(job, ledger.isOfTool ? { stored, resolved, account } : { stored });
	};
	return { plan, asides, identify, estimate, timeoutMs: fields.timeoutMs() };
}
