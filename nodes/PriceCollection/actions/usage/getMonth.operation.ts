import type { OperationPerItem } from '../operation';
import { readUsage } from './usage';

export const getMonth: OperationPerItem = {
	name: 'Get Month',
	action: "Get this month's usage",
	description: 'Read what the account has used this month',
	fields: [],
	execute: readUsage('month'),
};
