import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { inputError } from '../n8n/errors';
import { runForAllItems, runForEachItem } from '../n8n/items';
import { isTool } from '../n8n/execution';
import { operationOf, RESOURCES } from './operations';
import { answerAsTool } from './toolAnswer';

export async function router(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const resource = String(this.getNodeParameter('resource', 0));
	const name = String(this.getNodeParameter('operation', 0));
	const operation = operationOf(resource, name);
	if (operation === undefined) {
		throw inputError(
			this.getNode(),
			`There is no operation "${name}" of "${resource}"`,
			'Choose Resource and Operation from the lists.',
		);
	}
	const run = async () =>
		'executeAll' in operation
			? await runForAllItems.call(this, operation.executeAll)
			: [await runForEachItem.call(this, operation.execute)];
	return isTool(this)
		? await answerAsTool(this, RESOURCES[resource]?.usesCredential === true, run)
		: await run();
}
