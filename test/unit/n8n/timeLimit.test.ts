import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { setImmediate } from 'node:timers/promises';
import type { IExecuteFunctions } from 'n8n-workflow';

import { lateIsNotStopped, timeLimit } from '../../../nodes/PriceCollection/n8n/client';
import { failure } from '../../../nodes/PriceCollection/service/problems';
import { fakeClient } from '../fakeClient';

/** A clock whose pauses are noted, and the signal that it gives out for the end of the time. */
function clock() {
	const end = new AbortController();
	const state = { time: 1_000, pauses: [] as number[], end };
	const signalAfter = jest.fn(() => end.signal);
	return {
		...state,
		state,
		signalAfter,
		now: () => state.time,
		random: () => 0,
		sleep: async () => undefined,
		pause: async (milliseconds: number) => {
			state.pauses.push(milliseconds);
			state.time += milliseconds;
			await setImmediate();
		},
		yieldToEventLoop: async () => undefined,
	};
}

function contextWith(stop?: AbortSignal): IExecuteFunctions {
	const context: Partial<IExecuteFunctions> = {
		getExecutionCancelSignal: () => stop,
		getTimezone: () => 'Europe/Berlin',
	};
	return context as IExecuteFunctions;
}

describe('a time limit', () => {
	it('aborts what is under way at its end, and when n8n stops the execution', () => {
		for (const who of ['end', 'stop'] as const) {
			const [time, stop] = [clock(), new AbortController()];
			const { context } = timeLimit(contextWith(stop.signal), time, 58_000);
			expect(time.signalAfter).toHaveBeenCalledWith(58_000);
			const signal = context.getExecutionCancelSignal();
			expect(signal?.aborted).toBe(false);
			(who === 'end' ? time.end : stop).abort();
			expect(signal?.aborted).toBe(true);
		}
	});

	it('leaves the rest of the context, and the context itself, as they are', () => {
		const original = contextWith();
		const { context } = timeLimit(original, clock(), 58_000);
		expect(context.getTimezone()).toBe('Europe/Berlin');
		expect(original.getExecutionCancelSignal()).toBeUndefined();
	});

	it('lets nobody sleep for longer, and nobody turn in a loop without a pause', async () => {
		const time = clock();
		const limited = timeLimit(contextWith(), time, 1_000).clock;
		await limited.pause(400);
		await limited.pause(5_000);
		await limited.pause(5_000);
		await limited.pause(5);
		expect(time.state.pauses).toEqual([400, 600, 20, 5]);
	});
});

describe('a request that was broken off', () => {
	const stopped = failure({ kind: 'stopped', endpoint: ENDPOINTS.create, effect: 'unknown' });
	const kindOf = async (stop?: AbortSignal) => {
		const { client: service } = fakeClient({ create: () => stopped });
		const client = lateIsNotStopped(service, stop);
		const outcome = await client.createJob({});
		return outcome.ok ? undefined : outcome.problem.kind;
	};

	it('was not answered in time, unless n8n has stopped the execution', async () => {
		expect(await kindOf()).toBe('timedOut');
		expect(await kindOf(new AbortController().signal)).toBe('timedOut');
		expect(await kindOf(AbortSignal.abort())).toBe('stopped');
	});
});
