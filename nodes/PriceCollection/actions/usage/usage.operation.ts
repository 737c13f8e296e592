import { serviceClient } from '../../n8n/client';
import { apiError } from '../../n8n/errors';
import type { ItemOperation } from '../../n8n/items';
import type { OperationPerItem } from '../operation';

/** Reads the usage of a period. Outputs the unmodified reply as one item. */
function readUsage(period: 'today' | 'month'): ItemOperation {
	return async function (index) {
		const client = await serviceClient.call(this);
		const usage = await client.getUsage(period);
		if (!usage.ok) throw apiError(this.getNode(), usage.problem, index);
		return [{ json: usage.value, pairedItem: { item: index } }];
	};
}

export const getMonth: OperationPerItem = {
	name: 'Get Month',
	action: "Get this month's usage",
	description: 'Read what the account has used this month',
	fields: [],
	execute: readUsage('month'),
};

export const getToday: OperationPerItem = {
	name: 'Get Today',
	action: "Get today's usage",
	description: 'Read what the account has used today',
	fields: [],
	execute: readUsage('today'),
};
