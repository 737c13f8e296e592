import type { IDataObject, IExecuteFunctions, INodeParameters, NodeOperationError } from 'n8n-workflow';

import {
	collectionOf,
	pairsOf,
	parameterReader,
	textOf,
	timeoutMsOf,
	type ParameterReader,
} from '../n8n/parameters';
import { yieldToEventLoop } from '../n8n/clock';
import type { ServiceClient } from '../service/client';
import { estimatedCredits } from '../service/credits';
import { inputError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { splitIntoSingles } from './create';
import { planJobs, type ItemRequest, type PlannedJob, type UnsentValue } from './lookup/plan';
import { identityOfRequest } from './lookup/identity';
import { requestOf, singleValues, wireNameOf, type CollectFields } from './lookup/request';
import { gtinsAsIdsWarning, manyJobsWarning } from './tally';

/** A run of `create` or `collect` before anything is sent. */
export interface Prepared {
	plan: PlannedJob[];
	/** Which values each input item asks for. */
	asked: Map<number, string[]>;
	/** Input items that cannot be asked for, where the node is to go on without them. */
	refused: Map<number, NodeOperationError>;
	/** Values that are not sent and get rows with the reason. */
	unsent: UnsentValue[];
	/** The identity of a planned request, the same for every try of this node in this round of its execution. */
	identify: (planned: PlannedJob) => string;
	/** Credits that the run will probably cost; undefined where that cannot be told. */
	estimate: number | undefined;
	timeoutMs?: number;
}

interface PrepareSettings {
	/** The callback URL of every job, instead of the one in the options. */
	webhookUrl?: string;
	/** Whether there are rows for values that are not sent; otherwise their item fails. */
	keepsUnsent?: boolean;
}

/** Where the service's maximum is not known, what it usually is. */
const MAX_VALUES_PER_JOB = 1000;

/** So many items are read before n8n's event loop gets its turn: an expression costs up to a millisecond. */
const READ_AT_A_STRETCH = 50;

function readFields(read: ParameterReader, item: number): CollectFields {
	const options = collectionOf(read('options', item, {}));
	return {
		topic: textOf(read('topic', item)),
		customTopic: textOf(read('customTopic', item, '')),
		useTestSource: read('useTestSource', item, false) === true,
		source: textOf(read('source', item, '')),
		country: textOf(read('country', item, '')),
		lookupKey: textOf(read('lookupKey', item, '')),
		customKey: textOf(read('customKey', item, '')),
		values: read('values', item, ''),
		options,
		additional: pairsOf(options.additionalParameters),
	};
}

/** What gives another value in every run: the same request asked again would look like another one. */
const RUN_DEPENDENT =
	/\$(now|today|execution|runIndex|prevNode)\b|\bDateTime\b|\bDate\b|\bMath\.random\b|\brandom\w*\(/;

/** What gives another value for every item. */
const ITEM_DEPENDENT = /\$(json|binary|input|item|itemIndex|node)\b|\$\(/;

/** The wire parameters that expressions of the node make anew in every run, with the text of each expression. */
function runDependentParameters(stored: INodeParameters): Array<[name: string, text: string]> {
	const { additionalParameters, ...options } = collectionOf(stored.options);
	const fields = ['source', 'country', 'topic'].map((name) => [
		name,
		collectionOf(stored[name]).value ?? stored[name],
	]);
	const wired = Object.entries(options).map(([name, value]) => [wireNameOf(name), value]);
	const sent = { ...Object.fromEntries([...fields, ...wired]), ...pairsOf(additionalParameters) };
	return Object.entries<unknown>(sent).flatMap(([name, value]): Array<[string, string]> => {
		const isExpression = typeof value === 'string' && value.startsWith('=');
		return isExpression && RUN_DEPENDENT.test(value) ? [[name, value]] : [];
	});
}

/** A positive whole number from the options, or the fallback. */
function limitOf(options: IDataObject, name: string, fallback: number): number {
	const limit = Math.trunc(Number(options[name] ?? NaN));
	return limit >= 1 ? limit : fallback;
}

/**
 * Reads what every input item asks for.
 *
 * @throws NodeOperationError for an item that cannot be asked for, unless the node goes on after failures
 */
async function readRequests(
	context: IExecuteFunctions,
	read: ParameterReader,
	client: ServiceClient,
	{ webhookUrl, keepsUnsent }: PrepareSettings,
): Promise<{ requests: ItemRequest[]; refused: Prepared['refused'] }> {
	const requests: ItemRequest[] = [];
	const refused: Prepared['refused'] = new Map();
	for (const item of context.getInputData().keys()) {
		if (item % READ_AT_A_STRETCH === READ_AT_A_STRETCH - 1) await yieldToEventLoop();
		const result = requestOf(item, readFields(read, item), client.dialect, keepsUnsent);
		if (!result.ok) {
			const error = inputError(context.getNode(), result.message, result.description, item);
			if (!context.continueOnFail()) throw error;
			refused.set(item, error);
			continue;
		}
		const { request } = result;
		if (webhookUrl !== undefined) request.parameters[client.dialect.webhookUrlParameter] = webhookUrl;
		requests.push(request);
	}
	return { requests, refused };
}

function estimateOf(plan: PlannedJob[], { dialect }: ServiceClient): number | undefined {
	const credits = plan.map(({ parameters, values }) =>
		estimatedCredits(parameters, values.length, dialect),
	);
	return credits.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

/**
 * A spending limit from the options; Infinity when it is not set.
 *
 * @throws NodeOperationError for what is no number: without a limit that was asked for nothing is spent
 */
function spendingLimit(
	context: IExecuteFunctions,
	options: IDataObject,
	name: string,
	label: string,
): number {
	const given = options[name] ?? '';
	if (given === '') return Infinity;
	const limit = Number(given);
	if (limit >= 0) return limit;
	throw inputError(
		context.getNode(),
		`${label} is not a number: ${JSON.stringify(given)}`,
		`Nothing was sent. Give ${label} in the options as a whole number.`,
	);
}

/** Refuses a run that would look up more values, or probably cost more credits, than the user allows. */
function guardSpending(
	context: IExecuteFunctions,
	plan: PlannedJob[],
	options: IDataObject,
	estimate: number | undefined,
): void {
	const count = plan.reduce((sum, { values }) => sum + values.length, 0);
	const mostValues = spendingLimit(context, options, 'maxValues', 'Max Values');
	if (count > mostValues) {
		throw inputError(
			context.getNode(),
			`This run would look up ${count} values, more than Max Values allows (${mostValues})`,
			'Nothing was sent. Raise Max Values in the options, or pass fewer items in.',
		);
	}
	const mostCredits = spendingLimit(context, options, 'maxCredits', 'Max Credits');
	if (mostCredits === Infinity || Number(estimate) <= mostCredits) return;
	throw inputError(
		context.getNode(),
		estimate === undefined
			? 'What this run would cost cannot be estimated, because Max Pages is not a whole number above 0'
			: `This run would cost about ${estimate} credits, more than Max Credits allows (${mostCredits})`,
		'Nothing was sent. The estimate is one credit per value and page, doubled where an option other than Max Pages differs from its default. Raise Max Credits in the options, ask for fewer pages, or pass fewer items in.',
	);
}

/**
 * Reads what every input item asks for and plans the jobs. Nothing is sent.
 * @throws NodeOperationError for an item that cannot be asked for, unless the node goes on after failures; and
 * for a run that would go beyond Max Values or Max Credits, always
 */
export async function prepare(
	this: IExecuteFunctions,
	client: ServiceClient,
	settings: PrepareSettings = {},
): Promise<Prepared> {
	const read = parameterReader.call(this);
	const { requests, refused } = await readRequests(this, read, client, settings);
	const options = collectionOf(read('options', 0, {}));
	const asked = new Map(requests.map(({ item, values }) => [item, values]));
	const unsent = requests.flatMap((request) => request.unsent ?? []);
	const grouping = options.grouping === 'perItem' ? 'perItem' : 'combine';
	const runDependent = runDependentParameters(this.getNode().parameters);
	const byItem = runDependent.filter(([, text]) => ITEM_DEPENDENT.test(text));
	const planned = planJobs(requests, {
		grouping,
		maxValuesPerJob: limitOf(options, 'maxValuesPerJob', MAX_VALUES_PER_JOB),
		// Items a millisecond apart ask for the same, in this try as in the next.
		stoodFor: Object.fromEntries(runDependent.filter((one) => !byItem.includes(one))),
	});
	const single = client.dialect.lookupValues === 'single';
	const split = single ? planned.flatMap((job) => splitIntoSingles(job, asked)) : planned;
	// From here on every value counts, also those that Additional Parameters bring.
	const plan = split.map((job) => ({ ...job, values: singleValues(job.values) }));
	for (const [item, values] of asked) asked.set(item, singleValues(values));
	const estimate = estimateOf(plan, client);
	guardSpending(this, plan, options, estimate);
	for (const warning of [
		manyJobsWarning(plan.length, this.getInputData().length),
		gtinsAsIdsWarning(plan),
	]) {
		if (warning !== undefined) hint(this, warning, 'warning');
	}
	const rules = {
		stoodFor: { ...Object.fromEntries(runDependent), [client.dialect.webhookUrlParameter]: '' },
		byItem: grouping === 'perItem' || byItem.length > 0,
	};
	const identify = (job: PlannedJob) => identityOfRequest(job, rules);
	return { plan, asked, refused, unsent, identify, estimate, timeoutMs: timeoutMsOf(options) };
}
