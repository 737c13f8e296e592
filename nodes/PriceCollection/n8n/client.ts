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
import { inputError } from './errors';
import { executionEndsAt, isTool, TOOL_ANSWERS_WITHIN_MS } from './execution';
import * as clock from './clock';
import { RecentMap } from './memory';

/** The fields of this node's credential. */
export async function credentialOf(
	context: Pick<RequestContext, 'getCredentials'>,
): Promise<CredentialFields> {
	return credentialFields(await context.getCredentials('priceCollectionApi'));
}

/**
 * Reads a credential once for all calls that arrive while n8n is reading it for others: outside of executions n8n sets
 * up an isolate for expressions each time, which costs as much as an execution, and forged calls must not cost that.
 * Every reading begins after the calls that it serves, so that a changed secret counts at once.
 *
 * @returns a function that makes a webhook context read its credential in this way
 */
export function sharingCredentials(): (context: IWebhookFunctions) => IWebhookFunctions {
	const next = new Map<string, Promise<object>>();
	const latest = new RecentMap<string, Promise<object>>(100);
	return (context) => {
		const id = context.getNode().credentials?.priceCollectionApi?.id;
		// Without an ID, two credentials cannot be told apart.
		if (typeof id !== 'string') return context;
		const begin = async () => {
			next.delete(id);
			const reading = context.getCredentials('priceCollectionApi');
			latest.set(id, reading);
			return await reading;
		};
		const read = async () => {
			const reading = next.get(id) ?? Promise.resolve(latest.get(id)).then(begin, begin);
			next.set(id, reading);
			return { ...(await reading) };
		};
		return Object.create(context, { getCredentials: { value: read } }) as IWebhookFunctions;
	};
}

/** The status calls that this process made, by key and service; a forgotten budget starts again. */
const budgets = new RecentMap<string, StatusBudget>(200);

function statusBudgetFor({ account }: ConnectionSettings): StatusBudget {
	const budget = budgets.get(account) ?? new StatusBudget(clock);
	// Moves it to the end, so that it is dropped last.
	budgets.set(account, budget);
	return budget;
}

/** Whose requests a client sends, and until when. */
type Sender = Pick<ClientScope, 'clock' | 'context' | 'isOutOfTime' | 'outOfTime'>;

async function clientOf({ context, ...sender }: Sender): Promise<ServiceClient> {
	const read = readConnection(await credentialOf(context));
	if (!read.ok) {
		const advice = 'Open the Price Collection API credential to correct it.';
		throw inputError(context.getNode(), read.problem, advice);
	}
	const connection = read.value;
	const statusBudget = statusBudgetFor(connection);
	return clientFor({ ...sender, context, connection, statusBudget });
}

/** Time reserved for giving out what is there before n8n ends an execution, in milliseconds. */
const LAST_WORDS_MS = 5_000;
/** The longest timer that Node supports. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long all requests may take from now on, in milliseconds; undefined without a limit. */
function timeLeft(context: IExecuteFunctions, answerWithinMs: number): number | undefined {
	if (isTool(context)) return answerWithinMs;
	const end = executionEndsAt(context);
	return end && Math.min(Math.max(0, end - clock.now() - LAST_WORDS_MS), LONGEST_TIMER_MS);
}

/** Shortest pause, so that a loop of pauses does not block the event loop when no time is left. */
const SHORTEST_PAUSE_MS = 20;

/** A context whose requests are aborted after the given milliseconds, and a clock that does not sleep longer. */
export function timeLimit(
	context: IExecuteFunctions,
	whole: Clock & { signalAfter(milliseconds: number): AbortSignal },
	milliseconds: number,
): Required<Omit<Sender, 'outOfTime'>> {
	const until = whole.elapsed() + milliseconds;
	const stop = context.getExecutionCancelSignal();
	const end = whole.signalAfter(milliseconds);
	const signal = stop === undefined ? end : AbortSignal.any([stop, end]);
	const pause: Clock['pause'] = async (wanted, pauseSignal) =>
		await whole.pause(
			Math.min(wanted, Math.max(until - whole.elapsed(), SHORTEST_PAUSE_MS)),
			pauseSignal,
		);
	return {
		context: withStopSignal(context, signal),
		clock: { ...whole, pause },
		isOutOfTime: () => end.aborted && stop?.aborted !== true,
	};
}

/** n8n looks for the stop signal on the context of the call. */
function withStopSignal(context: IExecuteFunctions, signal: AbortSignal | undefined): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}

/**
 * The client for this node's credential. Its requests end in time for a tool's answer or n8n's timeout.
 *
 * @param answerWithinMs how long a tool may take from now on
 * @throws NodeOperationError when the credential has no key or no valid address
 */
export async function serviceClient(
	this: RequestContext,
	answerWithinMs = TOOL_ANSWERS_WITHIN_MS,
): Promise<ServiceClient> {
	// Only executions have a limit. Most of n8n 1.x has no isToolExecution to check.
	if (!('getExecutionCancelSignal' in this)) return await clientOf({ context: this, clock });
	const milliseconds = timeLeft(this, answerWithinMs);
	if (milliseconds === undefined) return await clientOf({ context: this, clock });
	const outOfTime = isTool(this) ? 'toolTimeUsedUp' : 'executionEnding';
	return await clientOf({ ...timeLimit(this, clock, milliseconds), outOfTime });
}

/**
 * The client for requests that must survive the stop of an execution, such as cancelling its jobs.
 *
 * @throws like {@link serviceClient}
 */
export async function detachedClient(this: IExecuteFunctions): Promise<ServiceClient> {
	return await clientOf({ context: withStopSignal(this, undefined), clock });
}
