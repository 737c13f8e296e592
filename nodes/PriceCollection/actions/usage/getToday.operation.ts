import type { OperationPerItem } from '../operation';
import { readUsage } from './usage';

export const getToday: OperationPerItem = {
	name: 'Get Today',
	action: "Get today's usage",
	description: 'Read what the account has used today',
	fields: [],
	execute: readUsage('today'),
};
