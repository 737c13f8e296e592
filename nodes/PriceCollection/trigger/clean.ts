import type { IDataObject } from 'n8n-workflow';

import { redactText } from '../service/redact';
import type { Job } from '../service/types';

/** Deeper than any notification is; what lies below is left out, so that nesting cannot exhaust the stack. */
const DEEPEST = 40;

function cleanValue(value: unknown, secrets: readonly string[], depth: number): unknown {
	if (typeof value === 'string') return redactText(value, secrets);
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= DEEPEST) return null;
	if (Array.isArray(value)) return value.map((element) => cleanValue(element, secrets, depth + 1));
	return cleanCopy(value, secrets, depth);
}

/**
 * A copy of data from outside that is fit for an item: no secret of the credential, no signature of a callback URL,
 * no field that would change the copy's prototype.
 *
 * @param secrets the spellings that the dialect lists
 */
export function cleanCopy(data: object, secrets: readonly string[], depth = 0): IDataObject {
	const entries = Object.entries(data).filter(([name]) => name !== '__proto__');
	return Object.fromEntries(
		entries.map(([name, value]) => [redactText(name, secrets), cleanValue(value, secrets, depth + 1)]),
	) as IDataObject;
}

/** The same for a job, whose ID and status stay what they are. */
export function cleanJob(job: Job, secrets: readonly string[]): Job {
	return { ...cleanCopy(job, secrets), job_id: job.job_id, status: job.status };
}
