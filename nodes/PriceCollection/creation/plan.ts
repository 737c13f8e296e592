import type { IExecuteFunctions } from 'n8n-workflow';

import { isFirstOfSeveral, isTool } from '../n8n/execution';
import { hint } from '../n8n/hints';
import { counted } from '../service/text';
import { forEachItem } from '../n8n/items';
import { RUN, type Parameters } from '../n8n/parameters';
import type { GivenPrice, GivenPrices } from '../rows/comparison';
import type { ServiceClient } from '../service/api/client';
import { listed, listedName, repeated } from '../values/cells';
import { fullGtin, gtinProblem } from '../values/gtin';
import { canonical, folded, hashOf, identityOf } from '../values/identity';
import { makesRows, type ChoiceReader } from '../settings/resultChoice';
import type { Purchase } from '../run/formats';
import type { Ledger } from './ledger';
import { newRecord, type UnsentRequest, type JobRecord, type JobRequest } from '../run/record';
import { hasInlineValue, requestOf, type ItemRequest } from './request';
import { estimateOf, guardSpending } from './spending';

/** What an item asks for. */
export type ItemLookups = Omit<ItemRequest, 'unsent'>;

export type PlannedJob = JobRecord & {
	request: JobRequest;
	/** The earlier request that has bought its values, or may have. */
	purchase?: Purchase;
	/** Whether it is proven that no request of which there is no record has bought them. */
	isAbsent?: boolean;
};

/** The values of a job as they are sent: of each GTIN the longest spelling that was asked for, filled up. */
function valuesToSend({ request: { key, parameters, values }, requesters }: PlannedJob): string[] {
	if (key !== 'gtin' || hasInlineValue(parameters)) return [...new Set(values)];
	const longest = new Map(values.map((value) => [identityOf(key, value), value]));
	for (const [, value] of requesters.flatMap(({ lookups = [] }) => lookups)) {
		const identity = identityOf(key, value);
		const isLonger = value.length > (longest.get(identity) ?? '').length;
		if (isLonger && gtinProblem(value) === undefined) longest.set(identity, value);
	}
	return [...longest.values()].map(fullGtin);
}

/** Adds a value that an item asks for to the requesters of a job. */
function addLookup(
	{ requesters }: JobRecord,
	{ item, givenPrices, isOfSeveral }: ItemLookups,
	ask: [position: number, value: string],
): void {
	const last = requesters.at(-1);
	if (last?.item === item) last.lookups?.push(ask);
	else requesters.push({ item, givenPrices, ...(isOfSeveral && { isOfSeveral }), lookups: [ask] });
}

const lookupKeyOf = ({ parameters }: ItemLookups) => String(parameters.key ?? '');

/**
 * Plans as few jobs as the grouping allows, in the order in which values are first requested. Items without
 * values get no job. Values that look alike go into different jobs, so that a service that echoes them alike does not
 * confuse them. Linear in the number of values.
 *
 * @param grouping `combine`: items with equal parameters share jobs. `perItem`: each item has its own jobs
 * @param bought jobs that exist: an item that asks the same of the service shares their values
 */
export function planJobs(
	itemLookups: readonly ItemLookups[],
	grouping: 'combine' | 'perItem',
	maxValuesPerJob: number,
	bought: ReadonlyArray<[ItemLookups, PlannedJob]> = [],
): PlannedJob[] {
	const jobs: PlannedJob[] = [];
	const groups = new Map<string, string>();
	const groupOf = ({ item, parameters }: ItemLookups) => {
		if (grouping === 'perItem') return String(item);
		// Most items have their parameters in the same order, so only other spellings need sorting.
		const written = JSON.stringify(parameters);
		const group = groups.get(written) ?? hashOf(canonical(parameters));
		groups.set(written, group);
		return group;
	};
	const jobOf = new Map<string, PlannedJob>();
	/** The jobs of each group, how many are full, and for each folded text the place after the last job that has it. */
	const openOf = new Map<string, { jobs: PlannedJob[]; full: number; after: Map<string, number> }>();
	for (const [lookupsOfItem, job] of bought)
		for (const [, value] of lookupsOfItem.lookups)
			jobOf.set(`${groupOf(lookupsOfItem)}\n${identityOf(lookupKeyOf(lookupsOfItem), value)}`, job);
	for (const lookupsOfItem of itemLookups) {
		const { parameters } = lookupsOfItem;
		const [group, key] = [groupOf(lookupsOfItem), lookupKeyOf(lookupsOfItem)];
		// Values from Additional Parameters are sent unchanged in one job.
		const isWhole = hasInlineValue(parameters);
		const most = isWhole ? Infinity : Math.trunc(maxValuesPerJob);
		const open = openOf.get(group) ?? { jobs: [], full: 0, after: new Map<string, number>() };
		openOf.set(group, open);
		for (const ask of lookupsOfItem.lookups) {
			const name = `${group}\n${identityOf(key, ask[1])}`;
			let job = jobOf.get(name);
			if (job === undefined) {
				const fold = isWhole ? ask[1] : folded(ask[1]);
				const index = Math.max(open.full, open.after.get(fold) ?? 0);
				open.after.set(fold, index + 1);
				job = open.jobs[index];
				if (job === undefined) {
					// All requests of a group have equal parameters; sharing one object saves memory.
					const shared = open.jobs[0]?.request.parameters ?? parameters;
					const request = { parameters: shared, key, values: [] };
					job = { ...newRecord('', [], request), request };
					open.jobs.push(job);
					jobs.push(job);
				}
				job.request.values.push(ask[1]);
				// No job has more values than the one before it, so jobs are full from the first on.
				if (job.request.values.length >= most) open.full = index + 1;
				jobOf.set(name, job);
			}
			addLookup(job, lookupsOfItem, ask);
		}
	}
	for (const job of jobs) job.request.values = valuesToSend(job);
	return jobs;
}

/** What each requester of a job asks for. */
export function itemLookupsOf({ request: { parameters }, requesters }: PlannedJob): ItemLookups[] {
	return requesters.map(({ item, givenPrices, isOfSeveral, lookups = [] }) => {
		return { item, givenPrices, isOfSeveral, parameters, lookups };
	});
}

/** Splits a job into one per value, for a service that accepts one value per job. */
export function splitIntoSingles(job: PlannedJob): PlannedJob[] {
	return planJobs(itemLookupsOf(job), 'combine', 1);
}

/**
 * Separates what earlier requests have bought, or may have, from what is new. Values that are known go to their
 * job, whatever expressions give now.
 */
export function separate(itemLookups: readonly ItemLookups[], ledger: Ledger, webhookUrlParameter: string) {
	const jobs = new Map<Purchase, PlannedJob>();
	const bought: Array<[ItemLookups, PlannedJob]> = [];
	const rest: ItemLookups[] = [];
	for (const lookupsOfItem of itemLookups) {
		const { item, parameters } = lookupsOfItem;
		const key = lookupKeyOf(lookupsOfItem);
		const what = ledger.whatOf(parameters, webhookUrlParameter);
		const others: ItemLookups['lookups'] = [];
		for (const ask of lookupsOfItem.lookups) {
			const purchase = ledger.find(what, item, identityOf(key, ask[1]));
			if (purchase === undefined) {
				others.push(ask);
				continue;
			}
			let job = jobs.get(purchase);
			if (job === undefined) {
				const request = { parameters, key, values: [] };
				job = { ...newRecord('', [], request), request, purchase };
				jobs.set(purchase, job);
			}
			addLookup(job, lookupsOfItem, ask);
			job.request.values.push(ask[1]);
			bought.push([{ ...lookupsOfItem, lookups: [ask] }, job]);
		}
		if (others.length > 0) rest.push({ ...lookupsOfItem, lookups: others });
	}
	for (const job of jobs.values()) job.request.values = valuesToSend(job);
	return { known: [...jobs.values()], bought, rest };
}

/** Prices to compare with, without those that are one item's own. */
function ofAllItems({ own, previous }: GivenPrices, fields: Parameters): GivenPrices {
	const kept = (name: string, price: GivenPrice) => (fields.isSameForAll(name) ? price : null);
	return {
		...(own !== undefined && { own: kept('ownPrice', own) }),
		...(previous !== undefined && { previous: kept('previousPrice', previous) }),
	};
}

export interface CreateSettings {
	fields: Parameters;
	/** The requests of earlier attempts; records those of this one. */
	ledger: Ledger;
	/** The callback URL of every job, in place of the one in the options. */
	webhookUrl?: string;
	/** Reads how to output rows. Without it, an item with an invalid value fails. */
	choices?: ChoiceReader;
	/** When the time of this execution ends, in milliseconds since 1970. */
	latest?: number;
	/** Until when to wait for a service that takes no job at the moment, in milliseconds since 1970. */
	until?: number;
	/** Whether the run goes on with the jobs that exist when the service takes no more. */
	goesOnWithoutRoom?: boolean;
}

/** More rows are refused where every item asks for the same list: it is hardly ever meant. */
const MOST_ROWS_OF_ONE_LIST = 10_000;

const OWN_OR_ONCE =
	"To look up each item's own value, use an expression such as {{ $json.gtin }}; to look up the list once, switch on Execute Once in the settings of the node.";

const ONCE =
	"With Execute Once, these rows belong to several items, so they have no input fields. To get each row beside its item, switch Execute Once off, and look up each item's own value, such as {{ $json.gtin }}.";

function asksTheSame(one: ItemLookups['lookups'], other: ItemLookups['lookups']): boolean {
	return (
		one === other ||
		(one.length === other.length && one.every(([, value], index) => value === other[index]?.[1]))
	);
}

/** What it is, if every item asks for the same list. Requests with the same list share it, see {@link prepare}. */
function sameListOf(requests: readonly ItemRequest[]): string | undefined {
	const [{ lookups } = { lookups: [] }] = requests;
	const isSame =
		lookups.length > 1 && requests.length > 1 && requests.every((one) => one.lookups === lookups);
	return isSame
		? `Each of the ${requests.length} items asks for the same ${lookups.length} values`
		: undefined;
}

/** What can be sent, but is probably not what the user meant. */
function doubtsOn(requests: readonly ItemRequest[]): string[] {
	const doubts: string[] = [];
	const sameList = sameListOf(requests);
	if (sameList !== undefined) doubts.push(`${sameList}. ${OWN_OR_ONCE}`);
	// n8n keeps an expression such as {{ $json.gtin }} when the topic changes, and with it what is looked up.
	const ids = requests.flatMap((one) =>
		lookupKeyOf(one) === 'id' ? one.lookups.map(([, value]) => value) : [],
	);
	if (ids.length > 0 && ids.every((id) => /^\d{12,14}$/.test(id) && gtinProblem(id) === undefined))
		doubts.push(
			`Look Up By is ID, but the values are GTINs, such as "${ids[0]}". If that is not meant, set Look Up By to GTIN.`,
		);
	return doubts;
}

/** How many fields of the items an error names. */
const MOST_FIELDS = 30;

/**
 * Refuses a run whose values come from a field that no item has: its rows would only clear the prices of yesterday.
 *
 * @throws NodeOperationError that names the expression and the fields that there are
 */
function refuseUndefinedValues(context: IExecuteFunctions, fields: Parameters): void {
	const expression = isTool(context) ? undefined : fields.undefinedExpression('values');
	if (expression === undefined) return;
	const items = context.getInputData();
	const names = [...new Set(items.flatMap(({ json }) => Object.keys(json)))];
	const there =
		names.length === 0
			? 'The items have no fields'
			: `The fields of the items are: ${listed(names.map(listedName), MOST_FIELDS)}`;
	const advice = 'Nothing was sent. Correct the expression, or the heading in your sheet.';
	throw fields.refusal(RUN, `${repeated(expression)} is undefined for every item`, `${there}. ${advice}`);
}

/**
 * Reads the requests of all input items and plans the jobs: those that earlier attempts have created come first.
 * Nothing is sent. With Execute Once, the values of one item may be those of several, whose rows then have no fields.
 *
 * @returns the jobs, and the output without a job: values that are not sent and invalid items
 * @throws NodeOperationError for an invalid item, unless the node continues after failures, and for a run
 * that exceeds a limit or whose values are undefined
 */
export async function prepare(
	context: IExecuteFunctions,
	{ connection }: ServiceClient,
	{ fields, webhookUrl, choices, ledger }: CreateSettings,
): Promise<{ plan: PlannedJob[]; unsent: UnsentRequest[] }> {
	refuseUndefinedValues(context, fields);
	const requests: ItemRequest[] = [];
	const unsent: UnsentRequest[] = [];
	const ofTool = isTool(context);
	const several = isFirstOfSeveral(context) && !fields.isOfItem('values') && { isOfSeveral: true as const };
	const work = (item: number) => {
		const { choice, givenPrices: own } = choices?.read(item) ?? {};
		const givenPrices = several && own ? ofAllItems(own, fields) : own;
		const keepsUnsent = choice !== undefined && makesRows(choice) && choice.onFailedResult !== 'error';
		const request = requestOf(item, fields, connection, { keepsUnsent, isTool: ofTool });
		if (webhookUrl !== undefined) request.parameters[connection.webhookUrlParameter] = webhookUrl;
		const [first = request] = requests;
		// Sharing an equal list saves memory.
		const lookups = asksTheSame(request.lookups, first.lookups) ? first.lookups : request.lookups;
		requests.push({ ...request, lookups, givenPrices, ...several });
		for (const unsentRequest of request.unsent)
			unsent.push({ ...unsentRequest, givenPrices, ...several });
	};
	await forEachItem(context, work, ({ json }, item) => unsent.push({ item, position: 0, error: json }));
	const rowChoice = choices?.choices().first;
	const haveRows = rowChoice !== undefined && makesRows(rowChoice);
	const rows = requests.reduce((sum, { lookups }) => sum + lookups.length, 0);
	const sameList = sameListOf(requests);
	if (haveRows && sameList !== undefined && rows > MOST_ROWS_OF_ONE_LIST) {
		const message = `${sameList}, which would make ${rows} rows`;
		throw fields.refusal(RUN, message, `Nothing was sent. ${OWN_OR_ONCE}`);
	}
	const grouping = fields.choice('options.grouping', RUN, ['combine', 'perItem'], 'combine');
	const maxValuesPerJob = connection.lookupValues === 'single' ? 1 : connection.maxValuesPerJob;
	const { known, bought, rest } = separate(requests, ledger, connection.webhookUrlParameter);
	const plan = [...known, ...planJobs(rest, grouping, maxValuesPerJob, bought)];
	const values = plan.reduce((sum, { request }) => sum + request.values.length, 0);
	guardSpending(fields, values, estimateOf(plan, connection));
	const items = context.getInputData().length;
	const many = `This run creates ${counted(plan.length, 'job')} for ${counted(items, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
	const isSplit = grouping === 'perItem' || maxValuesPerJob === 1;
	if (plan.length > items && isSplit) hint(context, many, 'warning');
	for (const doubt of doubtsOn(requests)) hint(context, doubt, 'warning');
	const hasFields = haveRows && rowChoice.includeInputFields && rowChoice.columns !== 'raw';
	if (several && hasFields) hint(context, ONCE, 'warning');
	return { plan, unsent };
}
