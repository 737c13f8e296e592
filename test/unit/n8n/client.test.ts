import type { IExecuteFunctions } from 'n8n-workflow';

import { serviceClient } from '../../../nodes/PriceCollection/n8n/client';

/** Just what a request needs, in an n8n without `isToolExecution`. The request never gets an answer. */
function contextOf(type: string, sent: Array<AbortSignal | undefined>): IExecuteFunctions {
	async function httpRequestWithAuthentication(this: IExecuteFunctions): Promise<never> {
		sent.push(this.getExecutionCancelSignal());
		throw new Error('socket hang up');
	}
	const context = {
		getNode: () => ({ id: '1', name: 'Prices', type, typeVersion: 1, position: [0, 0], parameters: {} }),
		getCredentials: async () => ({ baseUrl: 'https://service.example', apiKey: 'key' }),
		getExecutionCancelSignal: () => undefined,
		logger: { debug: () => undefined, warn: () => undefined },
		helpers: { httpRequestWithAuthentication },
	};
	return context as unknown as IExecuteFunctions;
}

/** The stop signals that the requests of one call saw. */
async function signalsOf(type: string): Promise<Array<AbortSignal | undefined>> {
	const sent: Array<AbortSignal | undefined> = [];
	const client = await serviceClient.call(contextOf(type, sent), 60_000);
	await client.createJob({}, { repeat: false });
	return sent;
}

describe('the client of a node, where n8n does not tell whether it is a tool', () => {
	it('ends the requests of a tool in time for its answer', async () => {
		expect(await signalsOf('x.priceCollectionTool')).toEqual([expect.any(AbortSignal)]);
	});

	it('leaves those of a node to n8n', async () => {
		expect(await signalsOf('x.priceCollection')).toEqual([undefined]);
	});
});
