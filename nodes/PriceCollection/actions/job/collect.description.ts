import { COLLECT_RESULT_FIELDS, RESULT_OPTIONS } from '../../descriptions/results';
import { priceOptions } from '../../descriptions/rowFields';
import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import { WAIT_OPTIONS, waitModeFields } from '../../descriptions/waiting';
import { collectFields } from '../../descriptions/whatToCollect';
import type { Operation } from '../operation';

export const collect: Operation = {
	name: 'Collect',
	action: 'Collect prices and product data',
	description: 'Look up the products of all items, wait for the results and add them to the items',
	toolDescription: TOOL_DESCRIPTIONS.collect,
	fields: collectFields(
		COLLECT_RESULT_FIELDS,
		waitModeFields(['poll', 'durable', 'webhook']),
		[...priceOptions(true), WAIT_OPTIONS],
		RESULT_OPTIONS,
	),
	load: async () => await import('./collect.operation'),
};
