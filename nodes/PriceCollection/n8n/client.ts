import { createHash } from 'node:crypto';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { clientFor, type ServiceClient } from '../service/client';
import {
	fieldsOf,
	readConnection,
	type CredentialFields,
	type ConnectionSettings,
} from '../service/connection';
import { RecentMap, type RequestContext } from '../service/types';
import { StatusBudget } from '../service/pacing';
import type { Clock } from '../service/time';
import * as clock from './clock';
import { inputError } from './errors';
import { noteRepaired } from './hints';
import { executionEndsAt } from './internals';
import { lateIsNotStopped, timeLimit } from './timeLimit';
import { isTool, TOOL_ANSWERS_WITHIN_MS } from './tool';

/** The fields of this node's credential. */
export async function credentialOf(
	context: Pick<RequestContext, 'getCredentials'>,
): Promise<CredentialFields> {
	return fieldsOf(await context.getCredentials('priceCollectionApi'));
}

/** The longest time until a changed credential takes effect. */
const FRESH_MS = 1_000;
const MOST_CREDENTIALS = 100;

/**
 * Reads a credential once a second instead of for every call. Reading, decrypting and resolving it is the
 * largest part of a refused call, which would otherwise cost more than an execution of n8n's Webhook node.
 *
 * @returns a function that makes a webhook context read its credential in this way
 */
export function readingCredentialsOnce(): (context: IWebhookFunctions) => IWebhookFunctions {
	const kept = new RecentMap<string, { readAt: number; fields: Promise<object> }>(MOST_CREDENTIALS);
	return (context) => {
		const id = context.getNode().credentials?.priceCollectionApi?.id;
		// Without an ID, two credentials cannot be told apart.
		if (typeof id !== 'string') return context;
		const read = async () => {
			let entry = kept.get(id);
			if (entry === undefined || clock.now() - entry.readAt >= FRESH_MS) {
				entry = { readAt: clock.now(), fields: context.getCredentials('priceCollectionApi') };
				kept.set(id, entry);
			}
			return { ...(await entry.fields) };
		};
		return Object.create(context, { getCredentials: { value: read } }) as IWebhookFunctions;
	};
}

/** How many keys' budgets are remembered; a forgotten budget starts again. */
const MOST_KEYS = 200;

/** The status calls that this process made, by key. */
const budgets = new RecentMap<string, StatusBudget>(MOST_KEYS);

/** The budget that all requests with the same key and service share. */
function statusBudgetFor({ base, secrets }: ConnectionSettings): StatusBudget {
	const name = createHash('sha256')
		.update([base, ...secrets].join('\n'))
		.digest('base64');
	const budget = budgets.get(name) ?? new StatusBudget(clock);
	// Moves it to the end, so that it is dropped last.
	budgets.set(name, budget);
	return budget;
}

/** @param owner n8n's own context; `context` may be a part or variant of it */
async function clientOf(
	context: RequestContext,
	withClock: Clock,
	owner: RequestContext,
): Promise<ServiceClient> {
	const read = readConnection(await credentialOf(context));
	if (!read.ok) {
		const advice = 'Open the Price Collection API credential to correct it.';
		throw inputError(context.getNode(), read.problem, advice);
	}
	const connection = read.value;
	return clientFor({
		...{ context, connection, clock: withClock, statusBudget: statusBudgetFor(connection) },
		onRepaired: (request, texts) => noteRepaired(owner, request, texts),
	});
}

/** Time reserved for naming the existing jobs before n8n ends an execution, in milliseconds. */
const LAST_WORDS_MS = 1_000;
/** The longest timer that Node supports. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long all requests may take from now on, in milliseconds; undefined without a limit. */
function timeLeft(context: IExecuteFunctions, answerWithinMs: number): number | undefined {
	if (isTool(context)) return answerWithinMs;
	const end = executionEndsAt(context);
	return end && Math.min(Math.max(0, end - clock.now() - LAST_WORDS_MS), LONGEST_TIMER_MS);
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
	if (!('getExecutionCancelSignal' in this)) return await clientOf(this, clock, this);
	const milliseconds = timeLeft(this, answerWithinMs);
	if (milliseconds === undefined) return await clientOf(this, clock, this);
	const limited = timeLimit(this, clock, milliseconds);
	const client = await clientOf(limited.context, limited.clock, this);
	return lateIsNotStopped(client, this.getExecutionCancelSignal());
}

/**
 * The client for requests that must survive the stop of an execution, such as cancelling its jobs.
 *
 * @throws like {@link serviceClient}
 */
export async function detachedClient(this: IExecuteFunctions): Promise<ServiceClient> {
	// n8n looks for the stop signal on the context of the call.
	const detached = Object.create(this, {
		getExecutionCancelSignal: { value: () => undefined },
	}) as IExecuteFunctions;
	return await clientOf(detached, clock, this);
}
