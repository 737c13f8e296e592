import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { startOfFirstRun } from '../n8n/execution';
import { executionLedgerFormat } from '../run/formats';
import { COUNTS_FOR_MS, readable, type Store } from './ledger';
import { Purchases } from './purchases';

/** Key of the purchases in the node's context, which n8n stores with the execution. */
const PURCHASES_KEY = 'priceCollectionPurchases';
/** How many earlier jobs are kept, so that they are not mistaken for lost ones of this round. */
const MOST_EARLIER = 100;
const MOST_RETRIED = 1_000;

/**
 * Whether this is the first manual retry of an attempt, so that nothing was sent since. Uses n8n's store of
 * processed items: only that is written at once and survives a crash in the middle of an execution. Without
 * the store, other retries are assumed.
 */
async function isFirstRetryOf(context: IExecuteFunctions, executionId: string): Promise<boolean> {
	const options = { mode: 'entries', maxEntries: MOST_RETRIED } as const;
	try {
		const items = [`retry: try of ${executionId}`];
		return (await context.helpers.checkProcessedAndRecord(items, 'node', options)).new.length > 0;
	} catch {
		return false;
	}
}

/**
 * The purchases of this round of the node. A manual retry cannot trust a missing or outdated record: the
 * attempt before it may have been killed, so that its requests are not recorded.
 */
export async function storeOfExecution(context: IExecuteFunctions, fieldsHash: string): Promise<Store> {
	const by = context.getExecutionId();
	const kept = context.getContext('node');
	const stored = readable(context, executionLedgerFormat.read(kept[PURCHASES_KEY]), [
		'which jobs exist already',
		'Check the job list (Get Many) and get the results with Wait, or run the workflow again, which costs credits again.',
	]);
	const { $runIndex } = context.getWorkflowDataProxy(0) as unknown as IDataObject;
	const round = Number($runIndex ?? 0);
	const now = clock.now();
	const isSameRound = stored?.round === round;
	const isSameTry = stored?.opened.by === by;
	const opened = isSameTry ? stored.opened : { by, time: now };
	const all = stored?.purchases ?? [];
	const purchases = isSameRound ? all : [];
	const ended = isSameRound ? [] : all.flatMap(({ creation: { jobId } }) => jobId ?? []);
	const earlier = [...(stored?.earlier ?? []), ...ended].slice(-MOST_EARLIER);
	let gap = stored?.gap;
	const isRetry = context.getMode() === 'retry' && !isSameTry;
	if (isRetry && !(isSameRound && (await isFirstRetryOf(context, stored.opened.by)))) {
		const from = startOfFirstRun(context);
		// An equal job in so long a time may be anybody's.
		gap = from !== undefined && from > now - COUNTS_FOR_MS ? { from } : {};
		// A lost request may have been sent again since.
		for (const { creation } of purchases) if (creation.jobId === undefined) creation.lostAt = now;
	}
	// Written in place: the lists are those that are stored.
	kept[PURCHASES_KEY] = executionLedgerFormat.write({ round, opened, gap, purchases, earlier });
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
