import { resolveWebhookDescriptionField } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';

const [webhookDescription] = new PriceCollectionTrigger().description.webhooks ?? [];
if (webhookDescription === undefined) throw new Error('The trigger has no webhook');

it('gives n8n the method of its webhook without an expression engine, which others are given', () => {
	const node = { id: '1', name: 'Ends', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
	const method = { ...(node as INode), parameters: { httpMethod: 'PUT' } };
	const found = resolveWebhookDescriptionField(method, webhookDescription, 'httpMethod');
	expect(found).toEqual({ resolved: true, value: 'PUT' });
	const shown = JSON.parse(JSON.stringify(webhookDescription)) as object;
	expect(shown).toMatchObject({ httpMethod: '={{ $parameter["httpMethod"] }}' });
});
