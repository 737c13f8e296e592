import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import type { ItemOperation } from '../../n8n/items';

/** Returns an operation that reads the usage of a period and outputs the unmodified reply as one item. */
export function readUsage(period: 'today' | 'month'): ItemOperation {
	return async function (index) {
		const client = await serviceClient.call(this);
		const usage = await client.getUsage(period);
		if (!usage.ok) throw apiError(this.getNode(), usage.problem, index);
		return [{ json: usage.value, pairedItem: { item: index } }];
	};
}
