import type { OperationPerItem } from '../operation';
import { readUsage } from './usage';

/** The usage figures of the current month, as the service gives them. */
export const getMonth: OperationPerItem = {
	name: 'Get Month',
	action: 'Get usage of this month',
	description: 'Read what the account has used this month',
	fields: [],
	execute: readUsage('month'),
};
