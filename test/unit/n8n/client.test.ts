import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { readingCredentialsOnce, serviceClient } from '../../../nodes/PriceCollection/n8n/client';

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

let time = 0;

/** A context whose credential says how often it was read. */
function contextWith(id: string | undefined) {
	let reads = 0;
	return {
		getNode: () => ({ credentials: { priceCollectionApi: { id, name: 'x' } } }),
		getCredentials: async () => ({ apiKey: `read ${++reads}` }),
		getMode: () => 'webhook',
	} as unknown as IWebhookFunctions;
}

const keyOf = async (context: IWebhookFunctions) =>
	(await context.getCredentials<{ apiKey: string }>('priceCollectionApi')).apiKey;

describe('a credential that calls need', () => {
	beforeEach(() => jest.spyOn(Date, 'now').mockImplementation(() => time));
	afterEach(() => jest.restoreAllMocks());

	it('is read once a second, also for calls at the same time', async () => {
		const reading = readingCredentialsOnce();
		const context = contextWith('1');
		const keys = await Promise.all([1, 2, 3].map(async () => await keyOf(reading(context))));
		expect(keys).toEqual(['read 1', 'read 1', 'read 1']);
		time += 999;
		expect(await keyOf(reading(context))).toBe('read 1');
		time += 1;
		expect(await keyOf(reading(context))).toBe('read 2');
	});

	it('is told from others by its ID, and read each time without one', async () => {
		const reading = readingCredentialsOnce();
		await keyOf(reading(contextWith('1')));
		for (const id of ['2', undefined]) {
			const other = contextWith(id);
			await keyOf(other);
			expect(await keyOf(reading(other))).toBe('read 2');
		}
	});

	it('is tried again a second after it could not be read', async () => {
		const reading = readingCredentialsOnce();
		const context = contextWith('1');
		context.getCredentials = async () => await Promise.reject(new Error('gone'));
		await expect(keyOf(reading(context))).rejects.toThrow('gone');
		context.getCredentials = contextWith('1').getCredentials;
		time += 1_000;
		expect(await keyOf(reading(context))).toBe('read 1');
	});

	it('is handed out as a copy, in a context that is otherwise as it was', async () => {
		const reading = readingCredentialsOnce();
		const context = contextWith('1');
		const first = await reading(context).getCredentials<{ apiKey: string }>('priceCollectionApi');
		first.apiKey = 'changed';
		expect(await keyOf(reading(context))).toBe('read 1');
		expect(reading(context).getMode()).toBe('webhook');
	});
});
