import type { Purchase } from '../../../nodes/PriceCollection/run/formats';
import { Ledger, type Store } from '../../../nodes/PriceCollection/creation/ledger';
import { Purchases } from '../../../nodes/PriceCollection/creation/purchases';
import { without } from '../../../nodes/PriceCollection/run/record';
import { canonical } from '../../../nodes/PriceCollection/values/identity';

export type { Store };

/** A ledger with these purchases, for an execution, or for a tool if it outlives that; and its purchases. */
export function ledgerOf(more: Partial<Store> = {}): { ledger: Ledger; purchases: readonly Purchase[] } {
	const { outlivesExecution = false, purchases = new Purchases() } = more;
	const store: Store = {
		...{ purchases, outlivesExecution, earlier: [], keep: () => undefined },
		whatOf: (parameters, webhookUrl) =>
			outlivesExecution ? canonical(without(parameters, webhookUrl)) : 'fields',
		itemOf: (item) => (outlivesExecution ? 0 : item),
		ofExecution: () => (outlivesExecution ? [] : purchases.all),
		forgettable: () => [],
		...more,
	};
	return { ledger: new Ledger(store), purchases: store.purchases.all };
}
