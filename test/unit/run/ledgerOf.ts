import type { Purchase } from '../../../nodes/PriceCollection/run/formats';
import { Ledger } from '../../../nodes/PriceCollection/run/ledger';
import { canonical } from '../../../nodes/PriceCollection/run/lookup/values';
import { without } from '../../../nodes/PriceCollection/run/record';

export type Store = ConstructorParameters<typeof Ledger>[0];

/** A ledger with nothing in it, of an execution, or of a tool where it is shared; and its purchases. */
export function ledgerOf(more: Partial<Store> = {}): { ledger: Ledger; purchases: Purchase[] } {
	const { isShared = false } = more;
	const store: Store = {
		...{ purchases: [], byBuy: new Map(), keep: () => undefined, isShared },
		whatOf: (parameters, webhookUrl) =>
			isShared ? canonical(without(parameters, webhookUrl)) : 'fields',
		itemOf: (item) => (isShared ? 0 : item),
		...more,
	};
	return { ledger: new Ledger(store), purchases: store.purchases };
}
