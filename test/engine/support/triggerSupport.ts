import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { newNonce, signCallbackUrl } from '../../../nodes/PriceCollection/callback/signature';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { createJob as createAnyJob } from './core';
import type { Scenario } from './harness';
import { allColumns, credentialFor } from './common';
import { connect, node } from './workflow';

export const SECRET = 'the secret of the callbacks';

/** The trigger's own address in the engine. */
export const HOOK_ID = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';
export const HOOK_URL = `http://localhost:5678/webhook/${HOOK_ID}/price-collection`;

/** A workflow that consists of one trigger, called "Ends". */
export function triggerScenario(
	sandbox: Pick<Sandbox, 'url' | 'apiKey'>,
	type: INodeType,
	parameters: INodeParameters = {},
	credential: IDataObject = {},
): Scenario {
	const name = `n8n-nodes-price-collection.${type.description.name}`;
	return {
		nodeTypes: { [name]: type },
		nodes: [
			node('Ends', name, allColumns({ output: 'job', ...parameters }), {
				credentials: { priceCollectionApi: { id: '1', name: 'Price Collection' } },
				webhookId: HOOK_ID,
			}),
		],
		connections: connect({}),
		credentialTypes: { priceCollectionApi: new PriceCollectionApi() },
		credentials: { priceCollectionApi: credentialFor(sandbox, credential) as Record<string, string> },
		staticData: {},
	};
}

export { cancelJob } from './core';

/** Creates a search of the test source and gives its ID. */
export async function createJob(
	{ url, apiKey }: Pick<Sandbox, 'url' | 'apiKey'>,
	more: Record<string, unknown> = {},
	key = apiKey,
): Promise<string> {
	return await createAnyJob(
		{ url, apiKey: key },
		{ topic: 'search', source: 'test', ...(more as IDataObject) },
	);
}

/** Creates a job that is over at once. */
export async function finishedJob(sandbox: Sandbox, more: Record<string, unknown> = {}): Promise<string> {
	const jobId = await createJob(sandbox, more);
	sandbox.finishJob(jobId);
	return jobId;
}

/** The query of a signed callback URL, as n8n parses it. */
export function signedQuery(
	options: { url?: string; secret?: string; expiresAt?: number } = {},
): Record<string, string> {
	const { url = HOOK_URL, secret = SECRET, expiresAt = Date.now() + 3_600_000 } = options;
	const signed = signCallbackUrl(url, secret, { expiresAt, nonce: newNonce() });
	return Object.fromEntries(new URL(signed).searchParams);
}
