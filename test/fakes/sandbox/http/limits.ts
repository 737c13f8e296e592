import type { SandboxOptions } from '../options.ts';
import { Refusal } from '../refusals.ts';
import type { Service } from '../service.ts';

const MINUTE_MS = 60_000;

/** The Retry-After header, as switched on, for a wait of `ms`. */
function retryHeaders(ms: number, { retryAfter }: SandboxOptions): Record<string, string> {
	const seconds = Math.max(1, Math.ceil(ms / 1000));
	const headers: Record<typeof retryAfter, Record<string, string>> = {
		none: {},
		seconds: { 'retry-after': String(seconds) },
		date: { 'retry-after': new Date(Date.now() + seconds * 1000).toUTCString() },
	};
	return headers[retryAfter];
}

/**
 * Adds a request to the times of the account in `taken`; throws "too many requests" if the last minute already has
 * `limit` of them. 0 is no limit.
 */
export function takeTurn(
	{ options, clock }: Service,
	account: string,
	taken: Map<string, number[]>,
	limit: number,
): void {
	if (limit === 0) return;
	const now = clock.now();
	const recent = (taken.get(account) ?? []).filter((time) => time > now - MINUTE_MS);
	if (recent.length < limit) {
		taken.set(account, [...recent, now]);
		return;
	}
	const headers = retryHeaders((recent[0] ?? now) + MINUTE_MS - now, options);
	throw new Refusal('too many requests', undefined, `At most ${limit} requests a minute.`, { headers });
}

/** Refuses a creation while `maxOpenJobs` of the account run. Retry-After is the next end, at most a minute. */
export function checkOpenJobs({ options, clock, jobs }: Service, account: string): void {
	const { maxOpenJobs, openJobsReason } = options;
	if (maxOpenJobs === 0) return;
	const open = jobs.list(account).filter(({ state }) => state === 'running');
	if (open.length < maxOpenJobs) return;
	const next = Math.min(...open.map(({ endsAt }) => endsAt - clock.now()), MINUTE_MS);
	const headers = retryHeaders(next, options);
	throw new Refusal(openJobsReason, undefined, `At most ${maxOpenJobs} jobs at a time.`, {
		headers,
		code: 429,
	});
}
