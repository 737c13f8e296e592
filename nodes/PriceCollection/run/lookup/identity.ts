import { createHash } from 'node:crypto';

import type { PlannedJob } from './plan';
import { canonical } from './values';

/** What a request is told apart by, besides what it asks for. */
export interface IdentityRules {
	/**
	 * Parameters that differ from try to try although the request is the same, with what stands for each: the callback
	 * URL, and expressions that depend on the run, such as `{{ $now }}`, by their own text.
	 */
	stoodFor: Readonly<Record<string, string>>;
	/** Whether equal requests of different items are different ones: with One Job per Item, or where only their items tell. */
	byItem: boolean;
}

/**
 * What makes two creations the same request: the parameters and values that are sent, in whatever order, without what
 * depends on the run.
 * A retry of a request has the identity of the first try; the round of a loop is told apart by who keeps the record.
 */
export function identityOfRequest(
	{ parameters, values, items }: PlannedJob,
	{ stoodFor, byItem }: IdentityRules,
): string {
	const asked = [canonical({ ...parameters, ...stoodFor }), [...values].sort(), byItem ? items : []];
	return createHash('sha256').update(JSON.stringify(asked)).digest('base64url');
}
