import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { startOfFirstRun } from '../n8n/execution';
import { executionLedgerFormat } from '../run/formats';
import { COUNTS_FOR_MS, valueOrRefusal, type Gap, type Store } from './ledger';
import { Purchases } from './purchases';

/** Key of the purchases in the node's context, which n8n stores with the execution. */
const PURCHASES_KEY = 'priceCollectionPurchases';
/** How many jobs of earlier rounds to remember, so that they are not mistaken for lost jobs of this round. */
const MOST_EARLIER = 100;
const MOST_RETRIED = 1_000;

/**
 * Claims the first manual retry of an attempt. Returns whether this is it, so nothing has been sent since. Uses n8n's
 * store of processed items, which is written immediately and survives a crash in the middle of an execution. Returns
 * false if the store is unavailable: there may have been other retries.
 */
async function claimFirstRetryOf(context: IExecuteFunctions, executionId: string): Promise<boolean> {
	const options = { mode: 'entries', maxEntries: MOST_RETRIED } as const;
	try {
		const items = [`retry: try of ${executionId}`];
		return (await context.helpers.checkProcessedAndRecord(items, 'node', options)).new.length > 0;
	} catch {
		return false;
	}
}

/** The gap before a manual retry, which began with the first run of the execution, if known. */
function gapBefore(context: IExecuteFunctions, retriedAt: number): Pick<Gap, 'from'> {
	const from = startOfFirstRun(context);
	// Over a longer time, an identical job may belong to another request, so the start counts as unknown.
	return from !== undefined && from > retriedAt - COUNTS_FOR_MS ? { from } : {};
}

/**
 * Opens the store of the purchases in this round of the node. A manual retry cannot trust a missing or outdated
 * record: the attempt before it may have been killed before n8n saved its requests.
 *
 * @throws NodeOperationError if the record is unreadable
 */
export async function storeOfExecution(context: IExecuteFunctions, fieldsHash: string): Promise<Store> {
	const executionId = context.getExecutionId();
	const nodeContext = context.getContext('node');
	const stored = valueOrRefusal(context, executionLedgerFormat.read(nodeContext[PURCHASES_KEY]), [
		'which jobs already exist',
		'Check the job list (Get Many) and get the results with Wait, or run the workflow again, which costs credits again.',
	]);
	const { $runIndex } = context.getWorkflowDataProxy(0) as unknown as IDataObject;
	const round = Number($runIndex ?? 0);
	const now = clock.now();
	const isSameRound = stored?.round === round;
	const isSameTry = stored?.opened.by === executionId;
	const opened = isSameTry ? stored.opened : { by: executionId, time: now };
	const storedPurchases = stored?.purchases ?? [];
	const purchases = isSameRound ? storedPurchases : [];
	const endedJobIds = isSameRound ? [] : storedPurchases.flatMap(({ creation: { jobId } }) => jobId ?? []);
	const earlier = [...(stored?.earlier ?? []), ...endedJobIds].slice(-MOST_EARLIER);
	const isRetry = context.getMode() === 'retry' && !isSameTry;
	const isRecordTrusted = !isRetry || (isSameRound && (await claimFirstRetryOf(context, stored.opened.by)));
	const gap = isRecordTrusted ? stored?.gap : gapBefore(context, now);
	if (!isRecordTrusted) {
		// Earlier retries may have sent a lost request again, at any time up to now.
		for (const { creation } of purchases) if (creation.jobId === undefined) creation.lostAt = now;
	}
	// n8n stores these very lists, so later changes to them need no further write.
	nodeContext[PURCHASES_KEY] = executionLedgerFormat.write({ round, opened, gap, purchases, earlier });
	return {
		purchases: new Purchases(purchases),
		gap: gap && { ...gap, to: opened.time },
		earlier,
		outlivesExecution: false,
		whatOf: () => fieldsHash,
		itemOf: (item) => item,
		keep: () => undefined,
		ofExecution: () => purchases,
		forgettable: () => [],
	};
}
