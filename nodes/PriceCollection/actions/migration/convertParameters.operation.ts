import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { convertParameters as convert } from '../../migration';
import { objectParameter } from './objectParameter';

/**
 * Outputs `{ parameters, changes, warnings }` per item.
 *
 * @throws NodeOperationError if Parameters is not a JSON object
 */
export async function execute(this: IExecuteFunctions, index: number): Promise<INodeExecutionData[]> {
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
