import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

type Value = string | number;
const unused = async (): Promise<never> => await Promise.reject(new Error('Not part of the engine tests'));
const tick = async () => await new Promise((resolve) => setImmediate(resolve));

/**
 * Replaces n8n's store of processed items, which is in its database (`deduplication-helper` of the package n8n). It
 * does the same, with a pause between reading and writing, because there is no lock.
 */
export class DedupeStore implements IDataDeduplicator {
	/** Recorded values by workflow and node. */
	readonly rows = new Map<string, readonly Value[]>();

	/** How many values each call had. */
	readonly calls: number[] = [];

	/** Makes every call fail. */
	fault: Error | undefined;

	async checkProcessedAndRecord(
		items: Value[],
		scope: DeduplicationScope,
		{ workflow, node }: ICheckProcessedContextData,
		{ mode, maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		if (mode !== 'entries') return await unused();
		this.calls.push(items.length);
		const row = `${workflow.id} ${scope === 'node' ? node?.id : ''}`;
		const known = this.rows.get(row) ?? [];
		await tick();
		if (this.fault !== undefined) throw this.fault;
		const fresh = items.filter((item) => !known.includes(item));
		this.rows.set(row, [...known, ...fresh].slice(-(maxEntries ?? Infinity)));
		return { new: fresh, processed: items.filter((item) => known.includes(item)) };
	}

	removeProcessed = unused;
	clearAllProcessedItems = unused;
	getProcessedDataCount = unused;
}

/** Gives n8n's engine a store that is empty before each test. Call it at the top of a test file. */
export function useDedupeStore(): DedupeStore {
	const store = new DedupeStore();
	beforeAll(async () => await DataDeduplicationService.init(store));
	beforeEach(() => {
		store.rows.clear();
		store.calls.length = 0;
		store.fault = undefined;
	});
	return store;
}
