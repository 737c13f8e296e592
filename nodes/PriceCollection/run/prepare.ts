import type { IExecuteFunctions } from 'n8n-workflow';

import { counted, hint } from '../n8n/hints';
import { forEachItem } from '../n8n/items';
import { RUN, type Parameters } from '../n8n/parameters';
import { makesRows } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import type { Ledger } from './ledger';
import { gtinProblem } from './lookup/gtin';
import { identityOfRequest, planJobs, type PlannedJob } from './lookup/plan';
import { without, type Aside, type Creation } from './lookup/record';
import { requestOf, storedRequest, type ItemRequest } from './lookup/request';
import { estimateOf } from './report';
import type { ChoiceReader } from './resultChoice';

/** The settings of a `create` or `collect` run. */
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

const GTINS_AS_IDS =
	"All values look like GTINs, but Look Up By is ID, which means the source's own IDs. The default depends on the topic: choose GTIN if it is offered.";

/**
 * Reads the requests of all input items and plans the jobs. Nothing is sent.
 *
 * @returns the jobs; output without a job: values that are not sent and invalid items; and a function that
 * identifies a job across all attempts of this round of the node
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
		const choice = choices?.read(item);
		const keepsUnsent = choice !== undefined && makesRows(choice) && choice.onFailedResult !== 'error';
		const request = requestOf(item, fields, connection, keepsUnsent);
		if (webhookUrl !== undefined) request.parameters[connection.webhookUrlParameter] = webhookUrl;
		const given = choices?.givenPrices(item);
		requests.push({ ...request, given });
		for (const aside of request.unsent) asides.push({ ...aside, given });
	};
	await forEachItem(context, work, ({ json }, item) => asides.push({ item, place: 0, error: json }));
	const grouping = fields.choice('options.grouping', RUN, ['combine', 'perItem'], 'combine');
	const most = fields.number('options.maxValuesPerJob', RUN, 1) ?? MAX_VALUES_PER_JOB;
	const maxValuesPerJob = connection.lookupValues === 'single' ? 1 : most;
	const groupsOf = ({ items = [], group = '' }: Creation) => items.map((item) => [item, group] as const);
	const earlier = new Map(ledger.requests().flatMap(groupsOf));
	const plan = planJobs(requests, { grouping, maxValuesPerJob, earlier });
	const values = plan.flatMap(({ request }) => request.values);
	guardSpending(fields, values.length, estimateOf(plan, connection));
	const items = context.getInputData().length;
	const jobs = counted(plan.length, 'job');
	const many = `This run creates ${jobs} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
	if (plan.length > items) hint(context, many, 'warning');
	const isGtin = (value: string) => value.length >= 12 && gtinProblem(value) === undefined;
	const areIds = plan.every(({ request }) => request.key === 'id');
	if (areIds && values.length > 0 && values.every(isGtin)) hint(context, GTINS_AS_IDS, 'warning');
	const stored = storedRequest(context.getNode().parameters);
	const identify = (job: PlannedJob) => {
		const resolved = without(job.request.parameters, connection.webhookUrlParameter);
		// Another account does not have these jobs.
		const account = context.getNode().credentials?.priceCollectionApi?.id ?? null;
		const what = ledger.isOfTool ? { stored, resolved, account } : { stored };
		return ledger.round + identityOfRequest(job, what);
	};
	return { plan, asides, identify };
}
