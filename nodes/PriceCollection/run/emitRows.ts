import type { IDataObject, IExecuteFunctions, INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { errorItem } from '../n8n/items';
import { leanRow } from '../output/lean';
import { failedResultError } from '../n8n/errors';
import { isTool } from '../n8n/suspend';
import type { ItemRows } from './lookup/assemble';
import type { Slots } from '../n8n/pairing';

/** Where the rows of an input item go. */
export interface Place {
	/** The item of this node's input that stands for it. */
	item: number;
	/** What its rows are linked to. */
	pairedItem: IPairedItemData;
}

/** The link of an error item: n8n adds the fields of the first linked item, which must be one of this node's input. */
function errorLink({ item, pairedItem }: Place): INodeExecutionData['pairedItem'] {
	return pairedItem.sourceOverwrite === undefined ? pairedItem : [{ item }, pairedItem];
}

/**
 * Puts out the rows of every input item. A failed result fails its item where the user chose so.
 *
 * @param more further facts for an error, such as the ids of all jobs
 * @throws NodeOperationError for a failed result, unless the node goes on
 */
export function giveRows(
	context: IExecuteFunctions,
	slots: Slots,
	items: readonly ItemRows[],
	placeOf: (item: number) => Place,
	more: string,
): void {
	const shape = isTool(context) ? leanRow : (row: IDataObject) => row;
	for (const { item, rows, failed } of items) {
		const place = placeOf(item);
		if (failed !== undefined) {
			const error = failedResultError(context.getNode(), failed, failed.jobId, place.item);
			error.description = `${error.description ?? ''} ${more}`.trim();
			if (!context.continueOnFail()) throw error;
			slots.add(place.item, { ...errorItem(error, [place.item]), pairedItem: errorLink(place) });
			continue;
		}
		for (const row of rows) slots.add(place.item, { json: shape(row), pairedItem: place.pairedItem });
	}
}
