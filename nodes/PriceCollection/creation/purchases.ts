import type { PurchasedValue, Purchase } from '../run/formats';

/** Purchases, found by what is asked, the item and the value; of several purchases of the same, the latest. */
export class Purchases {
	private readonly byValue = new Map<string, Purchase>();
	private readonly underWay = new Set<Purchase>();

	/** @param all is kept up to date in place, because n8n stores it */
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

	/** Adds a purchase that is older than all others: of the same values, those count. */
	addOlder(purchase: Purchase): void {
		this.all.unshift(purchase);
		this.index(
			purchase,
			purchase.values.filter(
				(purchasedValue) => this.find(purchase.what, purchasedValue) === undefined,
			),
		);
	}

	/** Records that a purchase buys these values as well; returns whether that is new. */
	extend(purchase: Purchase, values: readonly PurchasedValue[]): boolean {
		const others = values.filter(
			(purchasedValue) => this.find(purchase.what, purchasedValue) !== purchase,
		);
		for (const purchasedValue of others) purchase.values.push(purchasedValue);
		this.index(purchase, others);
		return others.length > 0;
	}

	remove(purchase: Purchase): void {
		const place = this.all.indexOf(purchase);
		if (place >= 0) this.all.splice(place, 1);
		for (const purchasedValue of purchase.values)
			if (this.find(purchase.what, purchasedValue) === purchase)
				this.byValue.delete(purchaseKey(purchase.what, purchasedValue));
	}

	/** Notes that the request of a purchase is under way in this process, until the work is over. */
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
