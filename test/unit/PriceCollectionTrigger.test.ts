import { resolveWebhookDescriptionField } from 'n8n-workflow';
import type { INode, INodeParameters } from 'n8n-workflow';

import { loopbackWarning } from '../../nodes/PriceCollection/service/connection';
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

describe('the warning about an address that the service cannot reach', () => {
	it.each([
		['http://localhost:5678/webhook/x', 'https://api.example.com'],
		['http://127.0.0.1:5678/webhook/x', 'https://api.example.com'],
		['http://[::1]:5678/webhook/x', 'https://api.example.com'],
	])('is given for %s', (url, service) => {
		expect(loopbackWarning(url, service, 'use another way')).toContain('The service cannot reach');
	});

	it.each([
		['https://n8n.example.com/webhook/x', 'https://api.example.com'],
		['http://localhost:5678/webhook/x', 'http://127.0.0.1:3000'],
		['', 'https://api.example.com'],
	])('is not given for "%s" and a service at %s', (url, service) => {
		expect(loopbackWarning(url, service, 'use another way')).toBeUndefined();
	});
});
