import type { PurchasedValue, Purchase } from '../run/formats';

/** Purchases, found by request, item and value. If several purchases contain the same value, the latest counts. */
export class Purchases {
	private readonly byValue = new Map<string, Purchase>();
	private readonly underWay = new Set<Purchase>();

	/** @param all updated in place, because n8n stores this list */
	constructor(readonly all: Purchase[] = []) {
		for (const purchase of all) this.index(purchase, purchase.values);
	}

	find(what: string, [item, identity]: PurchasedValue): Purchase | undefined {
		return this.byValue.get(purchaseKey(what, [item, identity]));
	}

	has(purchase: Purchase): boolean {
		return this.all.includes(purchase);
	}

	add(purchase: Purchase): void {
		this.all.push(purchase);
		this.index(purchase, purchase.values);
	}

	/** Adds a purchase that is older than all others, so that the others count for values they share. */
	addOlder(purchase: Purchase): void {
		this.all.unshift(purchase);
		this.index(
			purchase,
			purchase.values.filter(
				(purchasedValue) => this.find(purchase.what, purchasedValue) === undefined,
			),
		);
	}

	/** Records that a purchase also buys these values. Returns whether any of them is new to it. */
	extend(purchase: Purchase, values: readonly PurchasedValue[]): boolean {
		const newValues = values.filter(
			(purchasedValue) => this.find(purchase.what, purchasedValue) !== purchase,
		);
		for (const purchasedValue of newValues) purchase.values.push(purchasedValue);
		this.index(purchase, newValues);
		return newValues.length > 0;
	}

	remove(purchase: Purchase): void {
		const index = this.all.indexOf(purchase);
		if (index >= 0) this.all.splice(index, 1);
		for (const purchasedValue of purchase.values)
			if (this.find(purchase.what, purchasedValue) === purchase)
				this.byValue.delete(purchaseKey(purchase.what, purchasedValue));
	}

	/** Marks the request of a purchase as under way in this process until `work` ends. */
	async during<T>(purchase: Purchase, work: () => Promise<T>): Promise<T> {
		this.underWay.add(purchase);
		return await work().finally(() => this.underWay.delete(purchase));
	}

	isUnderWay(purchase: Purchase): boolean {
		return this.underWay.has(purchase);
	}

	private index(purchase: Purchase, values: readonly PurchasedValue[]): void {
		for (const purchasedValue of values)
			this.byValue.set(purchaseKey(purchase.what, purchasedValue), purchase);
	}
}

const purchaseKey = (what: string, [item, identity]: PurchasedValue) => `${what}\n${item}\n${identity}`;
