import type { IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../service/client';
import type { Clock } from '../service/clock';
import { failure, type Outcome } from '../service/problems';

/** However little time is left, whoever pauses in a loop lets others go on, in milliseconds. */
const SHORTEST_PAUSE_MS = 20;

/** A stretch of time that ends at a set time, whatever is under way then. */
export interface TimeLimit {
	/** The node's context, whose requests break off then as they do when n8n stops the execution. */
	context: IExecuteFunctions;
	/** A clock that sleeps no longer than that. */
	clock: Clock;
}

/** Limits what is done with a context and a clock to some milliseconds from now on. */
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

/** A client whose requests that were broken off by a time limit, not by n8n, count as not answered in time. */
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
