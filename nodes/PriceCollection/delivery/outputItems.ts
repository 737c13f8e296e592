import type { INodeExecutionData } from 'n8n-workflow';

import type { FieldReport } from '../rows/fieldReport';
import { errorItem } from '../n8n/items';
import { linkOf, inputIndexOf, inputIndexesOf, type UnsentRequest, type Run } from '../run/record';
import type { JobOutcome } from './jobOutcome';
import { errorAt, type PlacedItem } from './rowTable';

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
