import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { clientFor, type ClientScope, type ServiceClient } from '../service/api/client';
import {
	credentialFields,
	readConnection,
	type CredentialFields,
	type ConnectionSettings,
} from '../service/connection';
import type { RequestContext } from '../service/types';
import { StatusBudget } from '../service/http/pacing';
import type { Clock } from '../service/time';
import { operationError } from './errors';
import { executionEndsAt, isTool, TOOL_ANSWERS_WITHIN_MS } from './execution';
import * as clock from './clock';
import { RecentMap } from './memory';

/** Returns the fields of this node's credential. */
export async function credentialOf(
	context: Pick<RequestContext, 'getCredentials'>,
): Promise<CredentialFields> {
	return credentialFields(await context.getCredentials('priceCollectionApi'));
}

/**
 * Shares credential reads: calls that arrive during a read wait for the next one and use it together. Outside an
 * execution, n8n sets up an expression isolate for each read. That costs as much as an execution, and a forged call
 * must not cost that much. A read starts after the calls it serves, so a changed secret takes effect at once.
 *
 * @returns a function that wraps a webhook context so that it shares its credential reads
 */
export function sharingCredentials(): (context: IWebhookFunctions) => IWebhookFunctions {
	const pending = new Map<string, Promise<object>>();
	const latest = new RecentMap<string, Promise<object>>(100);
	return (context) => {
		const id = context.getNode().credentials?.priceCollectionApi?.id;
		// Without an ID, we cannot distinguish two credentials.
		if (typeof id !== 'string') return context;
		const begin = async () => {
			pending.delete(id);
			const reading = context.getCredentials('priceCollectionApi');
			latest.set(id, reading);
			return await reading;
		};
		const read = async () => {
			const reading = pending.get(id) ?? Promise.resolve(latest.get(id)).then(begin, begin);
			pending.set(id, reading);
			return { ...(await reading) };
		};
		return Object.create(context, { getCredentials: { value: read } }) as IWebhookFunctions;
	};
}

/** This process's status call budgets, by account (key and service). A dropped budget starts again. */
const budgets = new RecentMap<string, StatusBudget>(200);

function statusBudgetFor({ account }: ConnectionSettings): StatusBudget {
	const budget = budgets.get(account) ?? new StatusBudget(clock);
	// Setting it again moves it to the end, so it is dropped last.
	budgets.set(account, budget);
	return budget;
}

/** The context that a client sends requests for, and its time limit. */
type ClientContext = Pick<ClientScope, 'clock' | 'context' | 'isOutOfTime' | 'timeoutProblem'>;

async function clientOf({ context, ...limits }: ClientContext): Promise<ServiceClient> {
	const read = readConnection(await credentialOf(context));
	if (!read.ok) {
		const advice = 'Open the Price Collection API credential to correct it.';
		throw operationError(context.getNode(), read.problem, advice);
	}
	const connection = read.value;
	const statusBudget = statusBudgetFor(connection);
	return clientFor({ ...limits, context, connection, statusBudget });
}

/** Time reserved for output before n8n ends an execution, in milliseconds. */
const OUTPUT_RESERVE_MS = 5_000;
/** The longest timer that Node supports, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Returns how long all requests together may take from now on, in milliseconds; undefined if there is no limit. */
function timeLeft(context: IExecuteFunctions, answerWithinMs: number): number | undefined {
	if (isTool(context)) return answerWithinMs;
	const end = executionEndsAt(context);
	return end && Math.min(Math.max(0, end - clock.now() - OUTPUT_RESERVE_MS), LONGEST_TIMER_MS);
}

/** The shortest pause. It keeps a loop of pauses from blocking the event loop when no time is left. */
const SHORTEST_PAUSE_MS = 20;

/** Returns a context whose requests are aborted after `milliseconds`, and a clock whose pauses end by then. */
export function timeLimit(
	context: IExecuteFunctions,
	baseClock: Clock & { signalAfter(milliseconds: number): AbortSignal },
	milliseconds: number,
): Required<Omit<ClientContext, 'timeoutProblem'>> {
	const endsAt = baseClock.elapsed() + milliseconds;
	const stopSignal = context.getExecutionCancelSignal();
	const timeoutSignal = baseClock.signalAfter(milliseconds);
	const signal = stopSignal === undefined ? timeoutSignal : AbortSignal.any([stopSignal, timeoutSignal]);
	const pause: Clock['pause'] = async (pauseMs, pauseSignal) =>
		await baseClock.pause(
			Math.min(pauseMs, Math.max(endsAt - baseClock.elapsed(), SHORTEST_PAUSE_MS)),
			pauseSignal,
		);
	return {
		context: withStopSignal(context, signal),
		clock: { ...baseClock, pause },
		isOutOfTime: () => timeoutSignal.aborted && stopSignal?.aborted !== true,
	};
}

/** Returns the context with another stop signal: n8n takes the signal from the context that sends a request. */
function withStopSignal(context: IExecuteFunctions, signal: AbortSignal | undefined): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}

/**
 * Returns the client for this node's credential. Its requests end in time for a tool's answer or n8n's timeout.
 *
 * @param answerWithinMs how long a tool may take from now on
 * @throws NodeOperationError when the credential has no key or no valid address
 */
export async function serviceClient(
	this: RequestContext,
	answerWithinMs = TOOL_ANSWERS_WITHIN_MS,
): Promise<ServiceClient> {
	// Only executions have a time limit. Most n8n 1.x versions have no isToolExecution to check instead.
	if (!('getExecutionCancelSignal' in this)) return await clientOf({ context: this, clock });
	const milliseconds = timeLeft(this, answerWithinMs);
	if (milliseconds === undefined) return await clientOf({ context: this, clock });
	const timeoutProblem = isTool(this) ? 'toolTimeUsedUp' : 'executionEnding';
	return await clientOf({ ...timeLimit(this, clock, milliseconds), timeoutProblem });
}

/**
 * Returns a client whose requests survive the stop of the execution, for example to cancel its jobs.
 *
 * @throws like {@link serviceClient}
 */
export async function detachedClient(this: IExecuteFunctions): Promise<ServiceClient> {
	return await clientOf({ context: withStopSignal(this, undefined), clock });
}
