import { resolveWebhookDescriptionField } from 'n8n-workflow';
import type { INode, INodeParameters } from 'n8n-workflow';

import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';

const [webhookDescription] = new PriceCollectionTrigger().description.webhooks ?? [];
if (webhookDescription === undefined) throw new Error('The trigger has no webhook');

const nodeWith = (parameters: INodeParameters): INode => ({
	id: '1',
	name: 'Ends',
	type: 't',
	typeVersion: 1,
	position: [0, 0],
	parameters,
});

describe('the webhook of the trigger', () => {
	it.each(['GET', 'POST', 'PUT'])('gives n8n the method %s without an expression engine', (httpMethod) => {
		const found = resolveWebhookDescriptionField(
			nodeWith({ httpMethod }),
			webhookDescription,
			'httpMethod',
		);
		expect(found).toEqual({ resolved: true, value: httpMethod });
	});

	it('still is an expression for the editor and for older versions of n8n', () => {
		expect(JSON.parse(JSON.stringify(webhookDescription))).toEqual({
			name: 'default',
			httpMethod: '={{ $parameter["httpMethod"] }}',
			responseMode: 'onReceived',
			path: 'price-collection',
			responseData: '',
		});
	});
});
