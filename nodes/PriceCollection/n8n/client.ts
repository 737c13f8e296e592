import { createHash } from 'node:crypto';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { clientFor, type ServiceClient } from '../service/client';
import { fieldsOf, readDialect, type CredentialFields, type Dialect } from '../service/dialect';
import { RecentMap } from '../service/recentMap';
import { StatusBudget } from '../service/statusBudget';
import type { RequestContext } from '../service/types';
import type { Clock } from '../service/clock';
import * as clock from './clock';
import { inputError } from './errors';
import { noteMended } from './hints';
import { executionEndsAt } from './internals';
import { lateIsNotStopped, timeLimit } from './timeLimit';
import { isTool, TOOL_ANSWERS_WITHIN_MS } from './tool';

/** The credential of this node. */
export async function credentialOf(
	context: Pick<RequestContext, 'getCredentials'>,
): Promise<CredentialFields> {
	return fieldsOf(await context.getCredentials('priceCollectionApi'));
}

/** A changed credential counts after so long at the latest. */
const FRESH_MS = 1_000;
const MOST_CREDENTIALS = 100;

/**
 * Reads a credential once a second instead of for each call. Reading it, decrypting it and resolving its expressions is
 * what a call that is refused costs most: without this one costs more than a whole execution of n8n's Webhook node.
 *
 * @returns gives a context of a call that reads its credential so
 */
export function readingCredentialsOnce(): (context: IWebhookFunctions) => IWebhookFunctions {
	const kept = new RecentMap<string, { readAt: number; fields: Promise<object> }>(MOST_CREDENTIALS);
	return (context) => {
		const id = context.getNode().credentials?.priceCollectionApi?.id;
		// Without an ID nothing tells two credentials apart.
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

/** Keys whose budgets are remembered at the most; a forgotten one begins anew. */
const MOST_KEYS = 200;

/** What this process has used up of each key's status calls. */
const budgets = new RecentMap<string, StatusBudget>(MOST_KEYS);

/** The budget that all requests with the same key at the same service share. */
function statusBudgetFor({ base, secrets }: Dialect): StatusBudget {
	const name = createHash('sha256')
		.update([base, ...secrets].join('\n'))
		.digest('base64');
	const budget = budgets.get(name) ?? new StatusBudget(clock);
	// Last used, last forgotten.
	budgets.set(name, budget);
	return budget;
}

/** @param owner the context that n8n gave, of which the other may be a part or a variant */
async function clientOf(
	context: RequestContext,
	withClock: Clock,
	owner: RequestContext,
): Promise<ServiceClient> {
	const read = readDialect(await credentialOf(context));
	if (!read.ok) {
		const advice = 'Open the Price Collection API credential to correct it.';
		throw inputError(context.getNode(), read.problem, advice);
	}
	const dialect = read.value;
	return clientFor({
		...{ context, dialect, clock: withClock, statusBudget: statusBudgetFor(dialect) },
		onMended: (request, texts) => noteMended(owner, request, texts),
	});
}

/** What is left then of an execution that n8n ends is for naming the jobs that exist, in milliseconds. */
const LAST_WORDS_MS = 1_000;
/** Node's timers take no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long all that is sent may take from now on, in milliseconds; undefined where nothing ends it. */
function timeLeft(context: IExecuteFunctions, answerWithinMs: number): number | undefined {
	if (isTool(context)) return answerWithinMs;
	const end = executionEndsAt(context);
	return end && Math.min(Math.max(0, end - clock.now() - LAST_WORDS_MS), LONGEST_TIMER_MS);
}

/**
 * The client for the credential of this node. Its requests end in time for a tool's answer, or before n8n ends the execution.
 *
 * @param answerWithinMs how long all that a tool does may take from now on
 * @throws NodeOperationError with a clear sentence when the credential's address cannot be used
 */
export async function serviceClient(
	this: RequestContext,
	answerWithinMs = TOOL_ANSWERS_WITHIN_MS,
): Promise<ServiceClient> {
	// Triggers, lists and the credential test have no such end. Most of n8n 1.x has no isToolExecution to look for.
	const milliseconds = 'getExecutionCancelSignal' in this ? timeLeft(this, answerWithinMs) : undefined;
	if (milliseconds === undefined || !('getExecutionCancelSignal' in this))
		return await clientOf(this, clock, this);
	const limited = timeLimit(this, clock, milliseconds);
	const client = await clientOf(limited.context, limited.clock, this);
	return lateIsNotStopped(client, this.getExecutionCancelSignal());
}

/**
 * The client for requests that must outlive the stop of an execution, such as cancelling its jobs.
 *
 * @throws like {@link serviceClient}
 */
export async function detachedClient(this: IExecuteFunctions): Promise<ServiceClient> {
	// n8n looks for the stop signal on the context that it is called with.
	const detached = Object.create(this, {
		getExecutionCancelSignal: { value: () => undefined },
	}) as IExecuteFunctions;
	return await clientOf(detached, clock, this);
}
