import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import * as clock from '../n8n/clock';
import { inputError } from '../n8n/errors';
import type { StoredRead } from '../n8n/storedFormat';
import type { PurchasedValue, Purchase } from '../run/formats';
import type { Purchases } from './purchases';
import type { Creation } from '../run/record';

/** Older purchases are made again: prices age, and services of this kind delete jobs after some days. */
export const COUNTS_FOR_MS = 24 * 3_600_000;

/** Times between which there may be requests that are not recorded; the beginning may be unknown. */
export interface Gap {
	from?: number;
	to: number;
}

/** Where purchases are kept: with the execution, or for a tool with its node. */
export interface Store {
	readonly purchases: Purchases;
	readonly gap?: Gap;
	/** Jobs of earlier rounds, which are not those of lost requests of this one. */
	readonly earlier: readonly string[];
	/** Whether its jobs are taken up by later executions, for which they may be gone. */
	readonly outlivesExecution: boolean;
	/** What distinguishes a request with these wire parameters from others, besides item, value and callback URL. */
	whatOf: (parameters: IDataObject, webhookUrlParameter: string) => string;
	itemOf: (item: number) => number;
	/** Writes the purchases, if they are not written in place. */
	keep: () => void;
	/** The purchases of this node in this execution. */
	ofExecution: () => readonly Purchase[];
	/** The purchases of a job of which nothing was answered, if it can be asked for again. */
	forgettable: (jobId: string) => readonly Purchase[];
}

/**
 * Records what each creation request buys, before and after it is sent, so that nothing is paid for twice: the
 * node's stored fields, the item and the value, whatever expressions such as `{{ $now }}` return.
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

	/** The purchase of a value by an item; undefined for a new one. */
	find(what: string, item: number, identity: string): Purchase | undefined {
		const { itemOf, purchases } = this.store;
		const known = purchases.find(what, [itemOf(item), identity]);
		return known && known.creation.sentAt > clock.now() - COUNTS_FOR_MS ? known : undefined;
	}

	/** Records a new purchase, before it is sent. */
	open(
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

	/** Records that a purchase buys these values as well. */
	extend(purchase: Purchase, values: readonly PurchasedValue[]): void {
		const { itemOf, keep, purchases } = this.store;
		const own = values.map(([item, identity]): PurchasedValue => [itemOf(item), identity]);
		if (purchases.extend(purchase, own)) keep();
	}

	/** Records what has become of a purchase. What was sent is kept until its job is known. */
	note(purchase: Purchase, creation: Creation): void {
		purchase.creation = creation;
		if (creation.jobId !== undefined) delete purchase.sent;
		this.store.keep();
	}

	/** Whether a purchase is still recorded. */
	has(purchase: Purchase): boolean {
		return this.store.purchases.has(purchase);
	}

	/** Removes a purchase, because certainly nothing was bought. */
	drop(purchase: Purchase): void {
		this.store.purchases.remove(purchase);
		this.store.keep();
	}

	/** Whether the request of a purchase is under way in this process, in this execution or another one. */
	isUnderWay(purchase: Purchase): boolean {
		return this.store.purchases.isUnderWay(purchase);
	}

	/** Sends the request of a purchase, which is under way until then. */
	async during<T>(purchase: Purchase, work: () => Promise<T>): Promise<T> {
		return await this.store.purchases.during(purchase, work);
	}

	/** The creations of this node in this execution. */
	creations(): Creation[] {
		return this.store.ofExecution().map(({ creation }) => creation);
	}

	/** The jobs of recorded purchases, and when those were sent; 0 for jobs of earlier rounds. */
	jobs(): Map<string, number> {
		const earlier = this.store.earlier.map((jobId): [string, number] => [jobId, 0]);
		const own = this.store.purchases.all.flatMap(
			({ creation: { jobId, sentAt } }): Array<[string, number]> =>
				jobId === undefined ? [] : [[jobId, sentAt]],
		);
		return new Map([...earlier, ...own]);
	}

	/** Forgets a question whose job answered nothing, so that it can be asked again. */
	forget(jobId: string): void {
		for (const purchase of this.store.forgettable(jobId)) this.drop(purchase);
	}
}

/**
 * The stored value, if any.
 *
 * @throws NodeOperationError when it is unreadable
 */
export function readable<T>(
	context: IExecuteFunctions,
	read: StoredRead<T>,
	[unknown, advice]: [string, string],
): T | undefined {
	if (read.kind === 'read') return read.value;
	if (read.kind === 'absent') return undefined;
	const message = `${read.reason}, so it is not known ${unknown}`;
	throw inputError(context.getNode(), message, `Nothing was sent. ${advice}`);
}
