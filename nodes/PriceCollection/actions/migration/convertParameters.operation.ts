import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { objectParameter } from './objectParameter';
import type { OperationPerItem } from '../operation';

/** Output: `{ parameters, changes, warnings }` per item. */
async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
	// Loaded on first use, because it contains a JavaScript parser and most users never convert anything.
	const { convertParameters: convert } = await import('../../migration');
	const parameters = objectParameter(this.getNodeParameter('parameters', index));
	if (parameters === undefined) {
		throw new NodeOperationError(this.getNode(), 'Parameters is not a JSON object', {
			itemIndex: index,
			description: 'Give an object such as { "source": "example", "key": "source_id" }.',
		});
	}
	const topic = String(this.getNodeParameter('topic', index, '')).trim() || 'product_and_offers';
	const json = { ...convert(parameters, topic) } as unknown as IDataObject;
	return [{ json, pairedItem: { item: index } }];
}

export const convertParameters: OperationPerItem = {
	name: 'Convert Parameters',
	action: 'Convert parameters of version 1',
	description: 'Turn the parameters of a version 1 job into those of version 2',
	fields: [
		{
			displayName: 'Parameters',
			name: 'parameters',
			type: 'json',
			required: true,
			default: '={{ $json }}',
			description: 'The version 1 parameters of a job, as an object',
		},
		{
			displayName: 'Topic Name',
			name: 'topic',
			type: 'string',
			default: 'product_and_offers',
			description:
				'What the job collects, when the parameters do not say it. The default is what version 1 collected.',
		},
	],
	execute,
};
