import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { sharingCredentials, timeLimit } from '../../../nodes/PriceCollection/n8n/client';
import { fixedClock } from '../fixedClock';

describe('a time limit', () => {
	/** A limited context and clock, with what ends them and the pauses that were made. */
	function limited(milliseconds: number) {
		const [end, stop] = [new AbortController(), new AbortController()];
		const pauses: number[] = [];
		let now = 1_000;
		const signalAfter = jest.fn(() => end.signal);
		const pause = async (wanted: number) => {
			pauses.push(wanted);
			now += wanted;
		};
		const whole = { ...fixedClock(() => now), pause, signalAfter };
		const original = {
			getExecutionCancelSignal: () => stop.signal,
			getTimezone: () => 'Europe/Berlin',
		} as IExecuteFunctions;
		const limit = timeLimit(original, whole, milliseconds);
		const context = limit.context as IExecuteFunctions;
		return { ...limit, context, original, end, stop, pauses, signalAfter };
	}

	it.each(['end', 'stop'] as const)('aborts what is under way by its %s, as n8n does by its own', (who) => {
		const { context, original, signalAfter, ...controllers } = limited(58_000);
		expect(signalAfter).toHaveBeenCalledWith(58_000);
		expect(context.getExecutionCancelSignal()?.aborted).toBe(false);
		controllers[who].abort();
		expect(context.getExecutionCancelSignal()?.aborted).toBe(true);
		expect(original.getExecutionCancelSignal()?.aborted).toBe(who === 'stop');
		expect(context.getTimezone()).toBe('Europe/Berlin');
	});

	it('lets nobody sleep for longer, and nobody turn in a loop without a pause', async () => {
		const { clock, pauses } = limited(1_000);
		for (const wanted of [400, 5_000, 5_000, 5]) await clock.pause(wanted);
		expect(pauses).toEqual([400, 600, 20, 5]);
	});

	it('is over by its own end, unless n8n has stopped the execution', () => {
		const { isOutOfTime, end, stop } = limited(1_000);
		expect(isOutOfTime()).toBe(false);
		end.abort();
		expect(isOutOfTime()).toBe(true);
		stop.abort();
		expect(isOutOfTime()).toBe(false);
	});
});

describe('a credential that calls need', () => {
	/** A context whose credential shows how often it was read. */
	function contextWith(id: string | undefined, mode = 'webhook') {
		let reads = 0;
		return {
			getNode: () => ({ credentials: { priceCollectionApi: { id, name: 'x' } } }),
			getCredentials: async () => ({ apiKey: `read ${++reads}` }),
			getMode: () => mode,
		} as unknown as IWebhookFunctions;
	}
	const keyOf = async (context: IWebhookFunctions) =>
		(await context.getCredentials<{ apiKey: string }>('priceCollectionApi')).apiKey;

	it('is read once for all calls that arrive while it is read for another, and after each of them', async () => {
		const reading = sharingCredentials();
		const context = contextWith('1');
		const keys = await Promise.all([1, 2, 3].map(async () => await keyOf(reading(context))));
		expect(keys).toEqual(['read 1', 'read 1', 'read 1']);
		const during = keyOf(reading(context));
		await Promise.resolve();
		await Promise.resolve();
		expect([await keyOf(reading(context)), await during]).toEqual(['read 3', 'read 2']);
	});

	it('is told from others by its ID, and read each time without one', async () => {
		const reading = sharingCredentials();
		await keyOf(reading(contextWith('1')));
		const others = [contextWith('2'), contextWith(undefined)];
		for (const other of others) expect(await keyOf(reading(other))).toBe('read 1');
	});

	it('is read again after it could not be read', async () => {
		const reading = sharingCredentials();
		const closed = async () => await Promise.reject(new Error('no connection to the database'));
		const context = reading(Object.assign(contextWith('1'), { getCredentials: closed }));
		await expect(keyOf(context)).rejects.toThrow('no connection');
		expect(await keyOf(reading(contextWith('1')))).toBe('read 1');
	});

	it('is handed out as a copy, in a context that is otherwise as it was', async () => {
		const reading = sharingCredentials();
		const context = contextWith('1');
		const first = await reading(context).getCredentials<{ apiKey: string }>('priceCollectionApi');
		first.apiKey = 'changed';
		expect(await keyOf(reading(context))).toBe('read 2');
		expect(reading(context).getMode()).toBe('webhook');
	});
});
