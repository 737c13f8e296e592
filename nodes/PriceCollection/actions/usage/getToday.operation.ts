import type { OperationPerItem } from '../operation';
import { readUsage } from './usage';

export const getToday: OperationPerItem = {
	name: 'Get Today',
	action: 'Get usage of today',
	description: 'Read what the account has used today',
	fields: [],
	execute: readUsage('today'),
};
