import type { ICredentialDataDecryptedObject, IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import type { Scenario } from './harness';
import { connect, node } from './workflow';

export const TYPE = 'n8n-nodes-price-collection.priceCollection';

/** The credential for a sandbox as it is, or with other fields. */
export function credentialFor(sandbox: Pick<Sandbox, 'url' | 'apiKey'>, more: IDataObject = {}): IDataObject {
	return { baseUrl: sandbox.url, authentication: 'queryParameter', apiKey: sandbox.apiKey, ...more };
}

/** Credential fields for a service that takes this many values per job. */
export function valuesPerJob(maxValuesPerJob: number): IDataObject {
	return { customizeService: true, maxValuesPerJob };
}

/**
 * Most tests look at what the service said: one row per value with all columns as the service gives them, offers in any
 * condition, and no input fields. A test that sets Columns gets what a user gets.
 */
export function allColumns(parameters: INodeParameters): INodeParameters {
	const { columns, bestPriceOptions = {}, options = {} } = parameters;
	if (columns !== undefined) return parameters;
	return {
		...{ output: 'results', ...parameters, columns: 'all' },
		bestPriceOptions: { conditions: ['any'], ...(bestPriceOptions as INodeParameters) },
		...(typeof options === 'object' && {
			options: { includeInputFields: false, priceFormat: 'text', ...options },
		}),
	};
}

/** An Items node, one Price Collection node called "Prices" and a node behind each of its outputs. */
export function scenario(
	credential: IDataObject,
	parameters: INodeParameters,
	input: IDataObject[] = [{}],
	more: Partial<INode> = {},
): Scenario {
	return {
		nodeTypes: { [TYPE]: new PriceCollection() },
		nodes: [
			node('Items', 'n8n-nodes-base.manualTrigger'),
			node('Prices', TYPE, allColumns(parameters), {
				credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } },
				...more,
			}),
			node('Done', 'n8n-nodes-base.noOp'),
			node('Running', 'n8n-nodes-base.noOp'),
		],
		connections: connect({ Items: ['Prices'], Prices: ['Done', 'Running'] }),
		credentialTypes: { priceCollectionApi: new PriceCollectionApi() },
		credentials: { priceCollectionApi: credential as ICredentialDataDecryptedObject },
		input,
	};
}

/** Parameters of a resource locator. */
export function locator(mode: string, value: string): INodeParameters {
	return { __rl: true, mode, value };
}

/** What to collect from the sandbox: a real source, one GTIN per item. */
export const GTIN_PARAMETERS: INodeParameters = {
	resource: 'job',
	topic: 'product_and_offers',
	source: locator('name', 'google_shopping'),
	country: locator('code', 'de'),
	lookupKey: 'gtin',
	values: '={{ $json.gtin }}',
};
