import type { IExecuteFunctions } from 'n8n-workflow';

import { isFirstOfSeveral, isTool } from '../n8n/execution';
import { hint } from '../n8n/hints';
import { counted } from '../service/text';
import { forEachItem } from '../n8n/items';
import { RUN, type Parameters } from '../n8n/parameters';
import type { InputPrice, InputPrices } from '../rows/comparison';
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

/** What an item requests. */
export type ItemLookups = Omit<ItemRequest, 'unsent'>;

export type PlannedJob = JobRecord & {
	request: JobRequest;
	/** The earlier request that bought its values, or may have bought them. */
	purchase?: Purchase;
	/** Whether it is proven that no unrecorded request bought them. */
	isAbsent?: boolean;
};

/** The values of a job as they are sent. Each GTIN appears once: its longest requested spelling, padded with zeros. */
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

/** Adds a value that an item requests to the requesters of a job. */
function addLookup(
	{ requesters }: JobRecord,
	{ item, inputPrices, isOfSeveral }: ItemLookups,
	lookup: [position: number, value: string],
): void {
	const last = requesters.at(-1);
	if (last?.item === item) last.lookups?.push(lookup);
	else requesters.push({ item, inputPrices, ...(isOfSeveral && { isOfSeveral }), lookups: [lookup] });
}

const lookupKeyOf = ({ parameters }: ItemLookups) => String(parameters.key ?? '');

/**
 * Plans as few jobs as the grouping allows, in the order in which values are first requested. Items without
 * values get no job. Values that look alike go into different jobs, because the service may echo them identically.
 * Takes linear time.
 *
 * @param grouping `combine`: items with equal parameters share jobs. `perItem`: each item has its own jobs
 * @param bought jobs of earlier requests, with their lookups: other items that request the same values share them
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
		// Most items have their parameters in the same order, so `canonical` rarely has to run.
		const serialized = JSON.stringify(parameters);
		const group = groups.get(serialized) ?? hashOf(canonical(parameters));
		groups.set(serialized, group);
		return group;
	};
	const jobOf = new Map<string, PlannedJob>();
	/** Per group: its jobs, how many are full, and per folded value the index after the last job that contains it. */
	const progressOf = new Map<
		string,
		{ jobs: PlannedJob[]; full: number; nextIndex: Map<string, number> }
	>();
	for (const [lookupsOfItem, job] of bought)
		for (const [, value] of lookupsOfItem.lookups)
			jobOf.set(`${groupOf(lookupsOfItem)}\n${identityOf(lookupKeyOf(lookupsOfItem), value)}`, job);
	for (const lookupsOfItem of itemLookups) {
		const { parameters } = lookupsOfItem;
		const [group, key] = [groupOf(lookupsOfItem), lookupKeyOf(lookupsOfItem)];
		// Values from Additional Parameters are sent unchanged in one job.
		const isInline = hasInlineValue(parameters);
		const maxValues = isInline ? Infinity : Math.trunc(maxValuesPerJob);
		const progress = progressOf.get(group) ?? { jobs: [], full: 0, nextIndex: new Map<string, number>() };
		progressOf.set(group, progress);
		for (const lookup of lookupsOfItem.lookups) {
			const valueKey = `${group}\n${identityOf(key, lookup[1])}`;
			let job = jobOf.get(valueKey);
			if (job === undefined) {
				const fold = isInline ? lookup[1] : folded(lookup[1]);
				const index = Math.max(progress.full, progress.nextIndex.get(fold) ?? 0);
				progress.nextIndex.set(fold, index + 1);
				job = progress.jobs[index];
				if (job === undefined) {
					// All requests of a group have equal parameters, and sharing one object saves memory.
					const parametersOfGroup = progress.jobs[0]?.request.parameters ?? parameters;
					const request = { parameters: parametersOfGroup, key, values: [] };
					job = { ...newRecord('', [], request), request };
					progress.jobs.push(job);
					jobs.push(job);
				}
				job.request.values.push(lookup[1]);
				// No job has more values than the one before it, so jobs become full in order.
				if (job.request.values.length >= maxValues) progress.full = index + 1;
				jobOf.set(valueKey, job);
			}
			addLookup(job, lookupsOfItem, lookup);
		}
	}
	for (const job of jobs) job.request.values = valuesToSend(job);
	return jobs;
}

/** What each requester of a job requests. */
export function itemLookupsOf({ request: { parameters }, requesters }: PlannedJob): ItemLookups[] {
	return requesters.map(({ item, inputPrices, isOfSeveral, lookups = [] }) => {
		return { item, inputPrices, isOfSeveral, parameters, lookups };
	});
}

/** Splits a job into one per value, for a service that accepts one value per job. */
export function splitIntoSingles(job: PlannedJob): PlannedJob[] {
	return planJobs(itemLookupsOf(job), 'combine', 1);
}

/**
 * Separates values that earlier requests bought, or may have bought, from new ones. Known values stay with their
 * job, whatever expressions return now.
 *
 * @returns `known`: the jobs of earlier requests; `bought`: each known lookup with its job; `rest`: the new lookups
 */
export function separate(itemLookups: readonly ItemLookups[], ledger: Ledger, webhookUrlParameter: string) {
	const jobs = new Map<Purchase, PlannedJob>();
	const bought: Array<[ItemLookups, PlannedJob]> = [];
	const rest: ItemLookups[] = [];
	for (const lookupsOfItem of itemLookups) {
		const { item, parameters } = lookupsOfItem;
		const key = lookupKeyOf(lookupsOfItem);
		const what = ledger.whatOf(parameters, webhookUrlParameter);
		const newLookups: ItemLookups['lookups'] = [];
		for (const lookup of lookupsOfItem.lookups) {
			const purchase = ledger.find(what, item, identityOf(key, lookup[1]));
			if (purchase === undefined) {
				newLookups.push(lookup);
				continue;
			}
			let job = jobs.get(purchase);
			if (job === undefined) {
				const request = { parameters, key, values: [] };
				job = { ...newRecord('', [], request), request, purchase };
				jobs.set(purchase, job);
			}
			addLookup(job, lookupsOfItem, lookup);
			job.request.values.push(lookup[1]);
			bought.push([{ ...lookupsOfItem, lookups: [lookup] }, job]);
		}
		if (newLookups.length > 0) rest.push({ ...lookupsOfItem, lookups: newLookups });
	}
	for (const job of jobs.values()) job.request.values = valuesToSend(job);
	return { known: [...jobs.values()], bought, rest };
}

/** The prices to compare with, without prices that belong to a single item. */
function ofAllItems({ own, previous }: InputPrices, fields: Parameters): InputPrices {
	const ifShared = (name: string, price: InputPrice) => (fields.isSameForAll(name) ? price : null);
	return {
		...(own !== undefined && { own: ifShared('ownPrice', own) }),
		...(previous !== undefined && { previous: ifShared('previousPrice', previous) }),
	};
}

export interface CreateSettings {
	fields: Parameters;
	/** Knows the requests of earlier attempts and records this attempt's. */
	ledger: Ledger;
	/** The callback URL of every job; replaces the one in the options. */
	webhookUrl?: string;
	/** Reads how to output rows. Without it, an item with an invalid value fails. */
	choices?: ChoiceReader;
	/** When the time of this execution ends, in milliseconds since 1970. */
	latest?: number;
	/** When to stop waiting for a service that accepts no jobs at the moment, in milliseconds since 1970. */
	until?: number;
	/** Whether the run continues with the jobs that exist if the service accepts no more. */
	continuesWithoutRoom?: boolean;
}

/** If every item requests the same list, more rows than this are refused: it is hardly ever intended. */
const MOST_ROWS_OF_ONE_LIST = 10_000;

const OWN_OR_ONCE =
	"To look up each item's own value, use an expression such as {{ $json.gtin }}; to look up the list once, switch on Execute Once in the settings of the node.";

const ONCE =
	"With Execute Once, these rows belong to several items, so they have no input fields. To get each row beside its item, switch Execute Once off, and look up each item's own value, such as {{ $json.gtin }}.";

function haveSameValues(one: ItemLookups['lookups'], other: ItemLookups['lookups']): boolean {
	return (
		one === other ||
		(one.length === other.length && one.every(([, value], index) => value === other[index]?.[1]))
	);
}

/** Describes the list if all items request the same array, which {@link prepare} shares; otherwise undefined. */
function sameListOf(requests: readonly ItemRequest[]): string | undefined {
	const [{ lookups } = { lookups: [] }] = requests;
	const isSame =
		lookups.length > 1 && requests.length > 1 && requests.every((one) => one.lookups === lookups);
	return isSame
		? `Each of the ${requests.length} items asks for the same ${lookups.length} values`
		: undefined;
}

/** Warnings about requests that can be sent, but are probably not what the user meant. */
function warningsAbout(requests: readonly ItemRequest[]): string[] {
	const warnings: string[] = [];
	const sameList = sameListOf(requests);
	if (sameList !== undefined) warnings.push(`${sameList}. ${OWN_OR_ONCE}`);
	// Changing the topic can change Look Up By, but n8n keeps an expression such as {{ $json.gtin }} in Values.
	const ids = requests.flatMap((one) =>
		lookupKeyOf(one) === 'id' ? one.lookups.map(([, value]) => value) : [],
	);
	if (ids.length > 0 && ids.every((id) => /^\d{12,14}$/.test(id) && gtinProblem(id) === undefined))
		warnings.push(
			`Look Up By is ID, but the values are GTINs, such as "${ids[0]}". If that is not meant, set Look Up By to GTIN.`,
		);
	return warnings;
}

/** How many of the items' fields an error names. */
const MOST_FIELDS = 30;

/**
 * Refuses a run whose values come from a field that no item has: its rows would only clear yesterday's prices.
 *
 * @throws NodeOperationError that names the expression and the existing fields
 */
function refuseUndefinedValues(context: IExecuteFunctions, fields: Parameters): void {
	const expression = isTool(context) ? undefined : fields.undefinedExpression('values');
	if (expression === undefined) return;
	const items = context.getInputData();
	const fieldNames = [...new Set(items.flatMap(({ json }) => Object.keys(json)))];
	const fieldsText =
		fieldNames.length === 0
			? 'The items have no fields'
			: `The fields of the items are: ${listed(fieldNames.map(listedName), MOST_FIELDS)}`;
	const advice = 'Nothing was sent. Correct the expression, or the heading in your sheet.';
	throw fields.refusal(
		RUN,
		`${repeated(expression)} is undefined for every item`,
		`${fieldsText}. ${advice}`,
	);
}

/**
 * Reads the requests of all input items and plans the jobs. Jobs of earlier attempts come first. Sends nothing.
 * With Execute Once, the values may belong to several items; their rows then have no input fields.
 *
 * @returns the jobs, and the output without a job: values that are not sent, and invalid items
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
	const calledAsTool = isTool(context);
	const several = isFirstOfSeveral(context) && !fields.isOfItem('values') && { isOfSeveral: true as const };
	const work = (item: number) => {
		const { choice, inputPrices: itemPrices } = choices?.read(item) ?? {};
		const inputPrices = several && itemPrices ? ofAllItems(itemPrices, fields) : itemPrices;
		const keepsUnsent = choice !== undefined && makesRows(choice) && choice.onFailedResult !== 'error';
		const request = requestOf(item, fields, connection, { keepsUnsent, isTool: calledAsTool });
		if (webhookUrl !== undefined) request.parameters[connection.webhookUrlParameter] = webhookUrl;
		const [first = request] = requests;
		// Sharing an equal list saves memory, and lets sameListOf compare lists by reference.
		const lookups = haveSameValues(request.lookups, first.lookups) ? first.lookups : request.lookups;
		requests.push({ ...request, lookups, inputPrices, ...several });
		for (const unsentRequest of request.unsent)
			unsent.push({ ...unsentRequest, inputPrices, ...several });
	};
	await forEachItem(context, work, ({ json }, item) => unsent.push({ item, position: 0, error: json }));
	const rowChoice = choices?.choices().first;
	const hasRowOutput = rowChoice !== undefined && makesRows(rowChoice);
	const rowCount = requests.reduce((sum, { lookups }) => sum + lookups.length, 0);
	const sameList = sameListOf(requests);
	if (hasRowOutput && sameList !== undefined && rowCount > MOST_ROWS_OF_ONE_LIST) {
		const message = `${sameList}, which would make ${rowCount} rows`;
		throw fields.refusal(RUN, message, `Nothing was sent. ${OWN_OR_ONCE}`);
	}
	const grouping = fields.choice('options.grouping', RUN, ['combine', 'perItem'], 'combine');
	const maxValuesPerJob = connection.lookupValues === 'single' ? 1 : connection.maxValuesPerJob;
	const { known, bought, rest } = separate(requests, ledger, connection.webhookUrlParameter);
	const plan = [...known, ...planJobs(rest, grouping, maxValuesPerJob, bought)];
	const valueCount = plan.reduce((sum, { request }) => sum + request.values.length, 0);
	guardSpending(fields, valueCount, estimateOf(plan, connection));
	const itemCount = context.getInputData().length;
	const manyJobs = `This run creates ${counted(plan.length, 'job')} for ${counted(itemCount, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;
	const isSplit = grouping === 'perItem' || maxValuesPerJob === 1;
	if (plan.length > itemCount && isSplit) hint(context, manyJobs, 'warning');
	for (const warning of warningsAbout(requests)) hint(context, warning, 'warning');
	const hasFields = hasRowOutput && rowChoice.includeInputFields && rowChoice.columns !== 'raw';
	if (several && hasFields) hint(context, ONCE, 'warning');
	return { plan, unsent };
}
