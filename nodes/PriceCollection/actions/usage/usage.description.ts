import type { Operation } from '../operation';

const load = (period: 'today' | 'month') => async () => {
	const { readUsage } = await import('./usage.operation');
	return { execute: readUsage(period) };
};

export const getMonth: Operation = {
	name: 'Get Month',
	action: "Get this month's usage",
	description: 'Read what the account has used this month',
	fields: [],
	load: load('month'),
};

export const getToday: Operation = {
	name: 'Get Today',
	action: "Get today's usage",
	description: 'Read what the account has used today',
	fields: [],
	load: load('today'),
};
