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

/** An output item, and the index of the input item that it is sorted by. */
export interface PlacedItem {
	inputIndex: number;
	item: INodeExecutionData;
}

/** An error item. n8n adds the fields of the first linked item, so that must be an item of this node's input. */
function errorAt(inputIndex: number, requesters: readonly Requester[], json: IDataObject): PlacedItem {
	const fromOtherNodes = requesters.filter(({ source }) => source !== undefined);
	return { inputIndex, item: { json, pairedItem: linkOf([{ item: inputIndex }, ...fromOtherNodes]) } };
}

/**
 * The items of a job without rows: for an error or a job that items name, one per input item; for a job that items
 * requested, a single one.
 */
export function itemsOf({ record, item, error }: JobOutcome): PlacedItem[] {
	if (item === undefined && error === undefined) return [];
	const { request, requesters } = record;
	const isShared = error === undefined && request !== undefined;
	return inputIndexesOf(record).flatMap((inputIndex, index) => {
		if (isShared && index > 0) return [];
		const linked = isShared ? requesters : requesters.filter((one) => inputIndexOf(one) === inputIndex);
		if (error) return [errorAt(inputIndex, linked, errorItem(error, inputIndex).json)];
		return [{ inputIndex, item: { ...item, json: { ...item?.json }, pairedItem: linkOf(linked) } }];
	});
}

function failedRowError(run: Run, { failed, inputIndex }: PlacedRows): NodeError | undefined {
	if (failed === undefined) return undefined;
	const node = run.context.getNode();
	const { value, reason, jobId } = failed;
	const subject = value === null ? 'A value' : `"${value}"`;
	const error =
		jobId === undefined
			? inputError(node, `${subject} was ${reason}`, 'Nothing was paid for it.', inputIndex)
			: failedResultError(node, failed, jobId, inputIndex);
	if (run.records.length > 1) error.description = `${error.description ?? ''} ${jobsText(run)}`.trim();
	return error;
}

/**
 * The items of all rows.
 *
 * @throws NodeOperationError for the first failed row, unless the node continues after failures
 */
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

/** The field report of all jobs, linked to all requesting items. */
export function reportItems({ records }: Run, report: FieldReport): PlacedItem[] {
	const requesters = records.flatMap((record) => record.requesters);
	const inputIndex = Math.min(...requesters.map(inputIndexOf));
	return report.rows().map((json) => ({ inputIndex, item: { json, pairedItem: linkOf(requesters) } }));
}

/** The error items of input items that have no job. */
export function unsentItems(unsent: readonly UnsentRequest[]): PlacedItem[] {
	return unsent.flatMap((unsentRequest) =>
		unsentRequest.error ? errorAt(inputIndexOf(unsentRequest), [unsentRequest], unsentRequest.error) : [],
	);
}

/** Sorts output items by input item. Items of the same input item keep their order. */
export function inInputOrder(placed: readonly PlacedItem[]): INodeExecutionData[] {
	return placed.toSorted((a, b) => a.inputIndex - b.inputIndex).map(({ item }) => item);
}
