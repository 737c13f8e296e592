import { ENDPOINTS, type Endpoint } from './endpoints';
import { failure, type Problem } from './problems';
import { hasResults } from './schemas';
import { isRunning, terminalStatus } from './status';
import { isObject } from './types';

/** What an envelope says about the request, and not about the job in it. */
const ABOUT_REQUEST = /^(ok|success|succeeded|\d*)$/i;

/** The statuses in a body, from the inside out: the innermost is that of the job. Results have none of a job. */
function statusesIn(value: unknown, levels = 3): string[] {
	if (Array.isArray(value)) return value.length === 1 ? statusesIn(value[0], levels) : [];
	if (!isObject(value) || levels === 0) return [];
	const { status } = value;
	const inner = Object.entries(value).filter(([name]) => name !== 'results');
	const isOwn = typeof status === 'string' && !ABOUT_REQUEST.test(status.slice(0, 40).trim());
	return [...inner.flatMap(([, part]) => statusesIn(part, levels - 1)), ...(isOwn ? [status] : [])];
}

/** Whether a decoded body is that of a job that is not over: one that is known to run, or without results and without an end. */
export function isOfRunningJob(value: unknown): boolean {
	const statuses = statusesIn(value);
	const known = statuses.find((status) => terminalStatus(status) !== undefined || isRunning(status));
	if (known !== undefined) return isRunning(known);
	return statuses.length > 0 && !hasResults(value);
}

/**
 * Whether a good reply only says that it is too early: it is empty, was accepted for later, or is that of a running job
 * where results were asked for.
 *
 * @param value the decoded body; null or undefined for an empty one
 */
export function isEarly({ ofJob, changes, ...endpoint }: Endpoint, status: number, value: unknown): boolean {
	if (!ofJob || changes || status >= 300) return false;
	if (value === undefined || value === null || status === 204) return true;
	return endpoint.path === ENDPOINTS.download.path && (status === 202 || isOfRunningJob(value));
}

/** The one problem of a reply that came too early, which is waited out wherever a job is waited for. */
export function tooEarly(
	endpoint: Endpoint,
	status: number,
	detail?: string,
): { ok: false; problem: Problem } {
	return failure({ kind: 'notFinished', endpoint, status, detail, effect: 'none' });
}
