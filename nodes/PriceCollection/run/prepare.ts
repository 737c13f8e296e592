import type { IExecuteFunctions } from 'n8n-workflow';

import { yieldToEventLoop } from '../n8n/clock';
import { asNodeError, inputError, type NodeError } from '../n8n/errors';
import { counted, hint } from '../n8n/hints';
import { errorItem } from '../n8n/items';
import { RUN, type Parameters } from '../n8n/parameters';
import { makesRows } from '../output/fetch';
import type { ServiceClient } from '../service/client';
import { estimatedCredits } from '../service/credits';
import type { Ledger } from './ledger';
import { gtinProblem } from './lookup/gtin';
import { identityOfRequest, planJobs, splitIntoSingles, type PlannedJob } from './lookup/plan';
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

/** So many items are read before n8n's event loop gets its turn: an expression costs up to a millisecond. */
const READ_AT_A_STRETCH = 50;

/**
 * Does something for every input item; a failure concerns its item only.
 *
 * @returns the error items, where the node goes on after failures
 * @throws the first error where it does not
 */
export async function forEachItem(
	context: IExecuteFunctions,
	work: (item: number) => void,
): Promise<Aside[]> {
	const errors: Aside[] = [];
	for (const item of context.getInputData().keys()) {
		if (item % READ_AT_A_STRETCH === READ_AT_A_STRETCH - 1) await yieldToEventLoop();
		try {
			work(item);
		} catch (thrown) {
			const error: NodeError = asNodeError(context, thrown, item);
			if (!context.continueOnFail()) throw error;
			errors.push({ item, place: 0, error: errorItem(error, item).json });
		}
	}
	return errors;
}

/** Refuses a run that would look up more values, or probably cost more credits, than the user allows. */
function guardSpending(
	context: IExecuteFunctions,
	fields: Parameters,
	values: number,
	estimate: number | undefined,
): void {
	const mostValues = fields.limit('options.maxValues');
	const mostCredits = fields.limit('options.maxCredits');
	if (values > mostValues) {
		throw inputError(
			context.getNode(),
			`This run would look up ${values} values, more than Max Values allows (${mostValues})`,
			'Nothing was sent. Raise Max Values in the options, or pass fewer items in.',
		);
	}
	if (mostCredits === Infinity || Number(estimate) <= mostCredits) return;
	throw inputError(
		context.getNode(),
		estimate === undefined
			? 'What this run would cost cannot be estimated, because Max Pages is not a whole number above 0'
			: `This run would cost about ${estimate} credits, more than Max Credits allows (${mostCredits})`,
		'Nothing was sent. The estimate is one credit per value and page, doubled where an option other than Max Pages differs from its default. Raise Max Credits in the options, ask for fewer pages, or pass fewer items in.',
	);
}

/** The warning for a run that creates more jobs than there are input items. */
function manyJobsWarning(jobs: number, items: number): string | undefined {
	if (jobs <= items) return undefined;
	return `This run creates ${counted(jobs, 'job')} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
}

/** What is said of jobs whose values look like GTINs and are looked up as IDs: another topic has another key. */
function gtinsAsIdsWarning(plan: readonly PlannedJob[]): string | undefined {
	const values = plan.flatMap(({ request }) => (request.key === 'id' ? request.values : []));
	const isGtin = (value: string) => value.length >= 12 && gtinProblem(value) === undefined;
	if (values.length === 0 || !values.every(isGtin)) return undefined;
	return 'All values look like GTINs, but Look Up By is ID, which are the IDs of the source. Each topic has a key of its own: choose GTIN where it is offered.';
}

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
	const errors = await forEachItem(context, (item) => {
		const choice = choices?.read(item);
		const keepsUnsent = choice !== undefined && makesRows(choice) && choice.onFailedResult !== 'error';
		const read = requestOf(item, fields, dialect, keepsUnsent);
		if (!read.ok) throw inputError(context.getNode(), read.message, read.description, item);
		const { request } = read;
		if (webhookUrl !== undefined) request.parameters[dialect.webhookUrlParameter] = webhookUrl;
		requests.push(request);
	});
	const grouping = fields.choice('options.grouping', RUN, ['combine', 'perItem'], 'combine');
	const maxValuesPerJob = fields.number('options.maxValuesPerJob', RUN, 1) ?? MAX_VALUES_PER_JOB;
	const planned = planJobs(requests, { grouping, maxValuesPerJob, earlier: ledger.groups() });
	const isSingle = dialect.lookupValues === 'single';
	const plan = isSingle ? planned.flatMap(splitIntoSingles) : planned;
	const credits = plan.map(({ request: { parameters, values } }) =>
		estimatedCredits(parameters, values.length, dialect),
	);
	const estimate = credits.some((one) => one === undefined)
		? undefined
		: credits.reduce<number>((sum, one) => sum + (one ?? 0), 0);
	const values = plan.reduce((sum, { request }) => sum + request.values.length, 0);
	guardSpending(context, fields, values, estimate);
	for (const warning of [
		manyJobsWarning(plan.length, context.getInputData().length),
		gtinsAsIdsWarning(plan),
	]) {
		if (warning !== undefined) hint(context, warning, 'warning');
	}
	const stored = storedRequest(context.getNode().parameters);
	const identify = (job: PlannedJob) => {
		const resolved = without(job.request.parameters, dialect.webhookUrlParameter);
		// Another account does not have the jobs of this one.
		const account = context.getNode().credentials?.priceCollectionApi?.id ?? null;
		return identityOfRequest(job, ledger.isOfTool ? { stored, resolved, account } : { stored });
	};
	const asides = [...errors, ...requests.flatMap(({ unsent }) => unsent)];
	return { plan, asides, identify, estimate, timeoutMs: fields.timeoutMs() };
}
