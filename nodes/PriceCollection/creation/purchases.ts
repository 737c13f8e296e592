import type { Buy, Purchase } from '../run/formats';

/** Purchases, found by what is asked, the item and the value; of several purchases of the same, the latest. */
export class Purchases {
	private readonly byBuy = new Map<string, Purchase>();
	private readonly underWay = new Set<Purchase>();

	/** @param all is kept up to date in place, because n8n stores it */
	constructor(readonly all: Purchase[] = []) {
		for (const purchase of all) this.index(purchase, purchase.buys);
	}

	find(what: string, [item, identity]: Buy): Purchase | undefined {
		return this.byBuy.get(keyOf(what, [item, identity]));
	}

	has(purchase: Purchase): boolean {
		return this.all.includes(purchase);
	}

	add(purchase: Purchase): void {
		this.all.push(purchase);
		this.index(purchase, purchase.buys);
	}

	/** Adds a purchase that is older than all others: of the same values, those count. */
	addOlder(purchase: Purchase): void {
		this.all.unshift(purchase);
		this.index(
			purchase,
			purchase.buys.filter((buy) => this.find(purchase.what, buy) === undefined),
		);
	}

	/** Records that a purchase buys these values as well; returns whether that is new. */
	extend(purchase: Purchase, buys: readonly Buy[]): boolean {
		const others = buys.filter((buy) => this.find(purchase.what, buy) !== purchase);
		for (const buy of others) purchase.buys.push(buy);
		this.index(purchase, others);
		return others.length > 0;
	}

	remove(purchase: Purchase): void {
		const place = this.all.indexOf(purchase);
		if (place >= 0) this.all.splice(place, 1);
		for (const buy of purchase.buys)
			if (this.find(purchase.what, buy) === purchase) this.byBuy.delete(keyOf(purchase.what, buy));
	}

	/** Notes that the request of a purchase is under way in this process, until the work is over. */
	async during<T>(purchase: Purchase, work: () => Promise<T>): Promise<T> {
		this.underWay.add(purchase);
		return await work().finally(() => this.underWay.delete(purchase));
	}

	isUnderWay(purchase: Purchase): boolean {
		return this.underWay.has(purchase);
	}

	private index(purchase: Purchase, buys: readonly Buy[]): void {
		for (const buy of buys) this.byBuy.set(keyOf(purchase.what, buy), purchase);
	}
}

const keyOf = (what: string, [item, identity]: Buy) => `${what}\n${item}\n${identity}`;
