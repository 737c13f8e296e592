import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { FieldReport } from '../rows/fieldReport';
import { failedResultError, inputError, type NodeError } from '../n8n/errors';
import { errorItem, unlessItStops } from '../n8n/items';
import {
	linkOf,
	inputIndexOf,
	inputIndexesOf,
	type UnsentRequest,
	type Requester,
	type Run,
} from '../run/record';
import type { JobOutcome } from './results';
import type { PlacedRows, RowTable } from './rowTable';
import { jobsText } from './texts';

/** An item, and the input item at which it is output. */
export interface PlacedItem {
	inputIndex: number;
	item: INodeExecutionData;
}

/** An error item. n8n adds the fields of the first linked item, which must be from this node's input. */
function errorAt(inputIndex: number, requesters: readonly Requester[], json: IDataObject): PlacedItem {
	const elsewhere = requesters.filter(({ source }) => source !== undefined);
	return { inputIndex, item: { json, pairedItem: linkOf([{ item: inputIndex }, ...elsewhere]) } };
}

/** The items of a job without rows: errors and named jobs per input item, a requested job once. */
export function itemsOf({ record, item, error }: JobOutcome): PlacedItem[] {
	if (item === undefined && error === undefined) return [];
	const { request, requesters } = record;
	const isShared = error === undefined && request !== undefined;
	return inputIndexesOf(record).flatMap((inputIndex, index) => {
		if (isShared && index > 0) return [];
		const own = isShared ? requesters : requesters.filter((one) => inputIndexOf(one) === inputIndex);
		if (error) return [errorAt(inputIndex, own, errorItem(error, inputIndex).json)];
		return [{ inputIndex, item: { ...item, json: { ...item?.json }, pairedItem: linkOf(own) } }];
	});
}

function failedRowError(run: Run, { failed, inputIndex }: PlacedRows): NodeError | undefined {
	if (failed === undefined) return undefined;
	const node = run.context.getNode();
	const { value, reason, jobId } = failed;
	const said = value === null ? 'A value' : `"${value}"`;
	const error =
		jobId === undefined
			? inputError(node, `${said} was ${reason}`, 'Nothing was paid for it.', inputIndex)
			: failedResultError(node, failed, jobId, inputIndex);
	if (run.records.length > 1) error.description = `${error.description ?? ''} ${jobsText(run)}`.trim();
	return error;
}

/** The items of all rows. If the node stops at failures, the first failed row stops it. */
export function rowItems(run: Run, table: RowTable): PlacedItem[] {
	return table.rows().flatMap((row): PlacedItem[] => {
		const { inputIndex, requesters, rows } = row;
		const error = failedRowError(run, row);
		if (error)
			return [
				errorAt(
					inputIndex,
					requesters,
					errorItem(unlessItStops(run.context, error), inputIndex).json,
				),
			];
		return rows.map((json) => ({ inputIndex, item: { json, pairedItem: linkOf(requesters) } }));
	});
}

/** The fields of the results of all jobs, linked to every item that asked. */
export function reportItems({ records }: Run, report: FieldReport): PlacedItem[] {
	const requesters = records.flatMap((record) => record.requesters);
	const inputIndex = Math.min(...requesters.map(inputIndexOf));
	return report.rows().map((json) => ({ inputIndex, item: { json, pairedItem: linkOf(requesters) } }));
}

/** The error items of input items without a job. */
export function unsentItems(unsent: readonly UnsentRequest[]): PlacedItem[] {
	return unsent.flatMap((unsentRequest) =>
		unsentRequest.error ? errorAt(inputIndexOf(unsentRequest), [unsentRequest], unsentRequest.error) : [],
	);
}

/** Items in the order of the input items at which they are output, and else in the order given. */
export function inInputOrder(placed: readonly PlacedItem[]): INodeExecutionData[] {
	return placed.toSorted((a, b) => a.inputIndex - b.inputIndex).map(({ item }) => item);
}
