import type { IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import type { Clock } from '../service/time';
import { failure, type Outcome } from '../service/problems';

/** Shortest pause, so that a loop of pauses does not block the event loop when no time is left. */
const SHORTEST_PAUSE_MS = 20;

/** A context and a clock that stop at a set time. */
export interface TimeLimit {
	/** The node's context, whose requests are aborted at that time. */
	context: IExecuteFunctions;
	/** A clock that does not sleep beyond that time. */
	clock: Clock;
}

/** Limits a context and a clock to the given milliseconds from now on. */
export function timeLimit(
	context: IExecuteFunctions,
	clock: Clock & { signalAfter(milliseconds: number): AbortSignal },
	milliseconds: number,
): TimeLimit {
	const until = clock.now() + milliseconds;
	const stop = context.getExecutionCancelSignal();
	const end = clock.signalAfter(milliseconds);
	const signal = stop === undefined ? end : AbortSignal.any([stop, end]);
	const limited = Object.assign(Object.create(context) as IExecuteFunctions, {
		getExecutionCancelSignal: () => signal,
	});
	const pause: Clock['pause'] = async (wanted, pauseSignal) =>
		await clock.pause(Math.min(wanted, Math.max(until - clock.now(), SHORTEST_PAUSE_MS)), pauseSignal);
	return { context: limited, clock: { ...clock, pause } };
}

/** A client that reports requests aborted by a time limit, not by n8n, as timed out. */
export function lateIsNotStopped(client: ServiceClient, stop: AbortSignal | undefined): ServiceClient {
	const told = async <T>(reply: Promise<Outcome<T>>): Promise<Outcome<T>> => {
		const outcome = await reply;
		return outcome.ok || outcome.problem.kind !== 'stopped' || stop?.aborted === true
			? outcome
			: failure({ ...outcome.problem, kind: 'timedOut' });
	};
	return {
		...client,
		createJob: async (...args) => await told(client.createJob(...args)),
		getJob: async (...args) => await told(client.getJob(...args)),
		listJobs: async (...args) => await told(client.listJobs(...args)),
		download: async (...args) => await told(client.download(...args)),
		downloadFile: async (...args) => await told(client.downloadFile(...args)),
		cancelJob: async (...args) => await told(client.cancelJob(...args)),
		getUsage: async (...args) => await told(client.getUsage(...args)),
	};
}
