import { TOOL_DESCRIPTIONS } from '../../descriptions/tool';
import { collectFields } from '../../descriptions/whatToCollect';
import type { Operation } from '../operation';

export const create: Operation = {
	name: 'Create',
	action: 'Create job',
	description: 'Create jobs without waiting for them to finish',
	toolDescription: TOOL_DESCRIPTIONS.create,
	fields: collectFields(),
	load: async () => await import('./create.operation'),
};
