import type { IExecuteFunctions } from 'n8n-workflow';

import { isFirstOfSeveral, isTool } from '../n8n/execution';
import { hint } from '../n8n/hints';
import { forEachItem } from '../n8n/items';
import { RUN, type NodeFields } from '../n8n/nodeFields';
import type { InputPrice, InputPrices } from '../rows/comparison';
import type { UnsentRequest } from '../run/record';
import type { ServiceClient } from '../service/api/client';
import { counted } from '../service/text';
import { makesRows } from '../settings/resultChoice';
import { listed, listedName, repeated } from '../values/cells';
import { gtinProblem } from '../values/gtin';
import type { CreateSettings } from './creating';
import { lookupKeyOf, planJobs, separate, type ItemLookups, type PlannedJob } from './plan';
import { requestOf, type ItemRequest } from './request';
import { estimateOf, guardSpending } from './spending';

/** How many of the items' fields an error names. */
const MOST_FIELDS = 30;

/** If every item requests the same list, more rows than this are refused: it is hardly ever intended. */
const MOST_ROWS_OF_ONE_LIST = 10_000;

const OWN_OR_ONCE =
	"To look up each item's own value, use an expression such as {{ $json.gtin }}; to look up the list once, switch on Execute Once in the settings of the node.";

const ONCE =
	"With Execute Once, these rows belong to several items, so they have no input fields. To get each row beside its item, switch Execute Once off, and look up each item's own value, such as {{ $json.gtin }}.";

/**
 * Refuses a run whose values come from a field that no item has: its rows would only clear yesterday's prices.
 *
 * @throws NodeOperationError that names the expression and the existing fields
 */
function refuseUndefinedValues(context: IExecuteFunctions, fields: NodeFields): void {
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

/** The prices to compare with, without prices that belong to a single item. */
function ofAllItems({ own, previous }: InputPrices, fields: NodeFields): InputPrices {
	const ifShared = (name: string, price: InputPrice) => (fields.isSameForAll(name) ? price : null);
	return {
		...(own !== undefined && { own: ifShared('ownPrice', own) }),
		...(previous !== undefined && { previous: ifShared('previousPrice', previous) }),
	};
}

function haveSameValues(one: ItemLookups['lookups'], other: ItemLookups['lookups']): boolean {
	return (
		one === other ||
		(one.length === other.length && one.every(([, value], index) => value === other[index]?.[1]))
	);
}

/**
 * Reads the requests of all items. With Execute Once, the values may belong to several items.
 *
 * @returns the requests, and the output without a job: values that are not sent, and invalid items
 * @throws NodeOperationError for an invalid item, unless the node continues after failures
 */
async function readRequests(
	context: IExecuteFunctions,
	{ connection }: ServiceClient,
	{ fields, webhookUrl, choiceReader }: CreateSettings,
	isOfSeveral: boolean,
): Promise<{ requests: ItemRequest[]; unsent: UnsentRequest[] }> {
	const requests: ItemRequest[] = [];
	const unsent: UnsentRequest[] = [];
	const calledAsTool = isTool(context);
	const several = isOfSeveral && { isOfSeveral };
	const work = (item: number) => {
		const { choice, inputPrices: itemPrices } = choiceReader?.read(item) ?? {};
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
	return { requests, unsent };
}

/** Describes the list if all items request the same array, which {@link readRequests} shares; otherwise undefined. */
function sameListOf(requests: readonly ItemRequest[]): string | undefined {
	const [{ lookups } = { lookups: [] }] = requests;
	const isSame =
		lookups.length > 1 && requests.length > 1 && requests.every((one) => one.lookups === lookups);
	return isSame
		? `Each of the ${requests.length} items asks for the same ${lookups.length} values`
		: undefined;
}

/**
 * Refuses requests of one list by every item if they would make too many rows.
 *
 * @throws NodeOperationError that says how to look up each item's own value, or the list once
 */
function refuseManyRowsOfOneList(fields: NodeFields, requests: readonly ItemRequest[]): void {
	const rowCount = requests.reduce((sum, { lookups }) => sum + lookups.length, 0);
	const sameList = sameListOf(requests);
	if (sameList === undefined || rowCount <= MOST_ROWS_OF_ONE_LIST) return;
	const message = `${sameList}, which would make ${rowCount} rows`;
	throw fields.refusal(RUN, message, `Nothing was sent. ${OWN_OR_ONCE}`);
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
			`Look Up By is ID, but the values are GTINs, such as "${ids[0]}". If you did not intend this, set Look Up By to GTIN.`,
		);
	return warnings;
}

const manyJobsText = (jobCount: number, itemCount: number) =>
	`This run creates ${counted(jobCount, 'job')} for ${counted(itemCount, 'item')}. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.`;

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
	client: ServiceClient,
	settings: CreateSettings,
): Promise<{ plan: PlannedJob[]; unsent: UnsentRequest[] }> {
	const { fields, choiceReader, ledger } = settings;
	const { connection } = client;
	refuseUndefinedValues(context, fields);
	const isOfSeveral = isFirstOfSeveral(context) && !fields.isOfItem('values');
	const { requests, unsent } = await readRequests(context, client, settings, isOfSeveral);
	const rowChoice = choiceReader?.choices().first;
	const hasRowOutput = rowChoice !== undefined && makesRows(rowChoice);
	if (hasRowOutput) refuseManyRowsOfOneList(fields, requests);
	const grouping = fields.choice('options.grouping', RUN, ['combine', 'perItem'], 'combine');
	const maxValuesPerJob = connection.lookupValues === 'single' ? 1 : connection.maxValuesPerJob;
	const { known, bought, rest } = separate(requests, ledger, connection.webhookUrlParameter);
	const plan = [...known, ...planJobs(rest, grouping, maxValuesPerJob, bought)];
	const valueCount = plan.reduce((sum, { request }) => sum + request.values.length, 0);
	guardSpending(fields, valueCount, estimateOf(plan, connection));
	const itemCount = context.getInputData().length;
	const isSplit = grouping === 'perItem' || maxValuesPerJob === 1;
	if (plan.length > itemCount && isSplit) hint(context, manyJobsText(plan.length, itemCount), 'warning');
	for (const warning of warningsAbout(requests)) hint(context, warning, 'warning');
	const hasFields = hasRowOutput && rowChoice.includeInputFields && rowChoice.columns !== 'raw';
	if (isOfSeveral && hasFields) hint(context, ONCE, 'warning');
	return { plan, unsent };
}
