import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { operationError } from '../n8n/errors';
import type { StoredRead } from '../n8n/storedFormat';
import type { PurchasedValue, Purchase } from '../run/formats';
import type { Purchases } from './purchases';
import type { Creation } from '../run/record';

/** Values of older purchases are bought again: prices age, and services of this kind delete jobs after some days. */
export const COUNTS_FOR_MS = 24 * 3_600_000;

/** A period in which requests may have been sent without a record; its start may be unknown. */
export interface Gap {
	from?: number;
	to: number;
}

/** Where purchases are kept: with the execution, or for a tool with its node. */
export interface Store {
	readonly purchases: Purchases;
	readonly gap?: Gap;
	/** IDs of jobs from earlier rounds, which cannot belong to lost requests of this round. */
	readonly earlier: readonly string[];
	/** Whether later executions reuse its jobs, which may no longer exist by then. */
	readonly outlivesExecution: boolean;
	/** Identifies a request with these wire parameters, regardless of item, values and resolved callback URL. */
	whatOf: (parameters: IDataObject, webhookUrlParameter: string) => string;
	/** The index under which an item's purchases are recorded. */
	itemOf: (item: number) => number;
	/** Saves the purchases, unless n8n stores the list itself. */
	keep: () => void;
	/** The purchases of this node in this execution; empty for a tool, which records those of all executions. */
	ofExecution: () => readonly Purchase[];
	/** The purchases to drop if a job answered nothing; empty if its values must not be bought again. */
	forgettable: (jobId: string) => readonly Purchase[];
}

/**
 * Records what each creation request buys, before and after it is sent, so that nothing is paid for twice. The
 * node's stored fields, the item and the value identify a purchase, whatever expressions such as `{{ $now }}`
 * return. For a tool, the resolved parameters and the account take the item's place.
 */
export class Ledger {
	readonly gap?: Gap;
	readonly outlivesExecution: boolean;

	constructor(private readonly store: Store) {
		this.gap = store.gap;
		this.outlivesExecution = store.outlivesExecution;
	}

	whatOf(parameters: IDataObject, webhookUrlParameter: string): string {
		return this.store.whatOf(parameters, webhookUrlParameter);
	}

	/** The purchase of a value by an item; undefined if there is none, or if it has expired. */
	find(what: string, item: number, identity: string): Purchase | undefined {
		const { itemOf, purchases } = this.store;
		const purchase = purchases.find(what, [itemOf(item), identity]);
		return purchase && purchase.creation.sentAt > clock.now() - COUNTS_FOR_MS ? purchase : undefined;
	}

	/** Enters a new purchase before its request is sent. */
	enter(
		what: string,
		values: readonly PurchasedValue[],
		creation: Creation,
		sent: Purchase['sent'],
	): Purchase {
		const purchase: Purchase = { what, values: [], creation, sent };
		this.store.purchases.add(purchase);
		this.extend(purchase, values);
		return purchase;
	}

	/** Records that a purchase also buys these values. */
	extend(purchase: Purchase, values: readonly PurchasedValue[]): void {
		const { itemOf, keep, purchases } = this.store;
		const recordedValues = values.map(([item, identity]): PurchasedValue => [itemOf(item), identity]);
		if (purchases.extend(purchase, recordedValues)) keep();
	}

	/** Updates the creation of a purchase. The request that was sent is kept until its job is known. */
	note(purchase: Purchase, creation: Creation): void {
		purchase.creation = creation;
		if (creation.jobId !== undefined) delete purchase.sent;
		this.store.keep();
	}

	/** Whether a purchase is still recorded. */
	has(purchase: Purchase): boolean {
		return this.store.purchases.has(purchase);
	}

	/** Removes a purchase that bought nothing, or whose values may be bought again. */
	drop(purchase: Purchase): void {
		this.store.purchases.remove(purchase);
		this.store.keep();
	}

	/** Whether this process is sending the request of a purchase, in this execution or another one. */
	isUnderWay(purchase: Purchase): boolean {
		return this.store.purchases.isUnderWay(purchase);
	}

	/** Runs `work`, which sends the request of a purchase. The purchase counts as under way until it ends. */
	async during<T>(purchase: Purchase, work: () => Promise<T>): Promise<T> {
		return await this.store.purchases.during(purchase, work);
	}

	/** The creations of this node in this execution; empty for a tool. */
	creations(): Creation[] {
		return this.store.ofExecution().map(({ creation }) => creation);
	}

	/** IDs of all recorded jobs, with the time each request was sent; 0 for jobs of earlier rounds. */
	jobs(): Map<string, number> {
		const earlier = this.store.earlier.map((jobId): [string, number] => [jobId, 0]);
		const recorded = this.store.purchases.all.flatMap(
			({ creation: { jobId, sentAt } }): Array<[string, number]> =>
				jobId === undefined ? [] : [[jobId, sentAt]],
		);
		return new Map([...earlier, ...recorded]);
	}

	/** Drops a tool's purchases if their job answered nothing, so that the same question buys them again. */
	forget(jobId: string): void {
		for (const purchase of this.store.forgettable(jobId)) this.drop(purchase);
	}
}

/**
 * The stored value; undefined if there is none.
 *
 * @throws NodeOperationError if it is unreadable
 */
export function valueOrRefusal<T>(
	context: IExecuteFunctions,
	read: StoredRead<T>,
	[unknownFact, advice]: [string, string],
): T | undefined {
	if (read.kind === 'read') return read.value;
	if (read.kind === 'absent') return undefined;
	const message = `${read.reason}, so it is not known ${unknownFact}`;
	throw operationError(context.getNode(), message, `Nothing was sent. ${advice}`);
}
