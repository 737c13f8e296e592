import type { ServiceClient } from '../../service/client';
import { traitsOf, type Problem } from '../../service/problems';
import { RecentMap } from '../../service/recentMap';
import { delayBeforeRepeat } from '../../service/retry';
import { terminalStatus } from '../../service/status';
import { ListSweep, type Listed } from './listSweep';
import { UnknownJobs } from './unknownJobs';

/** What the service itself says about a job that a call named. */
export type Confirmation =
	| Listed
	/** `final`: it was unknown for long enough, so that no lag explains it. */
	| { kind: 'unknown'; final: boolean }
	| { kind: 'unavailable'; problem: Problem };

/** A caller rarely waits longer, in milliseconds. */
const PATIENCE_MS = 15_000;
/** How long one status call may take. */
const TIMEOUT_MS = 15_000;
/** A call waits so long for its turn among the status calls, in milliseconds; then the list is asked instead. */
const TURN_MS = 500;
/** Half of the status calls is left to executions: anybody can make up calls. */
const FIRST_SHARE = 0.5;
/** Looks beyond the first are made only while few status calls were made. */
const FURTHER_SHARE = 0.25;
/**
 * A service may call a moment before its own status changes, or before the job is known everywhere; it may not call
 * again.
 */
const FURTHER_LOOKS_MS: readonly number[] = [1_000, 3_000];
/** Credentials whose jobs are remembered. */
const MOST_ACCOUNTS = 100;

/** What was learned with one credential. */
interface Account {
	unknown: UnknownJobs;
	sweep: ListSweep;
}

/** Asks the service about jobs that calls name, with as few status calls as will do. */
export class Confirmations {
	private readonly accounts = new RecentMap<string, Account>(MOST_ACCOUNTS);

	/**
	 * Asks whether a job is over. Normally that is one status call. A job that is about to end, or is not known yet, is
	 * asked for again within a few seconds. When status calls are short, the list tells of many jobs at once.
	 */
	async confirm(client: ServiceClient, jobId: string, timeoutMs = TIMEOUT_MS): Promise<Confirmation> {
		const { unknown, sweep } = this.accountOf(client);
		const known = sweep.find(jobId);
		if (known !== undefined) return known;
		const remembered = unknown.recall(jobId);
		if (remembered !== undefined) return { kind: 'unknown', final: remembered.final };
		const looked = await lookAt(client, jobId, timeoutMs);
		if (looked.kind === 'unavailable' && looked.problem.kind === 'rateLimited') {
			return (await sweep.look(client, jobId, timeoutMs)) ?? looked;
		}
		if (looked.kind !== 'unknown') return looked;
		return { kind: 'unknown', final: unknown.note(jobId).final };
	}

	private accountOf({ dialect, clock }: ServiceClient): Account {
		const name = [dialect.base, ...dialect.secrets].join('\n');
		const account = this.accounts.get(name) ?? {
			unknown: new UnknownJobs(clock),
			sweep: new ListSweep(clock),
		};
		this.accounts.set(name, account);
		return account;
	}
}

/** What one status call says. */
async function lookOnce(
	client: ServiceClient,
	jobId: string,
	timeoutMs: number,
	share: number,
): Promise<Confirmation> {
	const turn = { until: client.clock.now() + TURN_MS, share };
	// Not the client's own repeats: they would outlast the caller.
	const reply = await client.getJob(jobId, { timeoutMs, repeat: false, turn });
	if (!reply.ok) {
		return traitsOf(reply.problem).job === 'unsaid'
			? { kind: 'unavailable', problem: reply.problem }
			: { kind: 'unknown', final: false };
	}
	// Another spelling of an ID, or another job altogether, must not count as a second end.
	if (reply.value.job_id !== jobId) return { kind: 'unknown', final: false };
	const isOver = terminalStatus(reply.value.status) !== undefined;
	return isOver ? { kind: 'ended', job: reply.value } : { kind: 'running' };
}

/** Looks until the job is over, a problem does not pass, or the caller's patience ends. */
async function lookAt(client: ServiceClient, jobId: string, timeoutMs: number): Promise<Confirmation> {
	const { clock } = client;
	const until = clock.now() + PATIENCE_MS;
	let last = await lookOnce(client, jobId, timeoutMs, FIRST_SHARE);
	for (let attempt = 1; last.kind !== 'ended'; attempt++) {
		const isBusy = last.kind === 'unavailable' && last.problem.kind === 'rateLimited';
		const wait =
			last.kind === 'unavailable'
				? delayBeforeRepeat(last.problem, attempt, false, clock.random())
				: FURTHER_LOOKS_MS[attempt - 1];
		if (isBusy || wait === undefined || clock.now() + wait > until) return last;
		await clock.pause(wait);
		const next = await lookOnce(client, jobId, timeoutMs, FURTHER_SHARE);
		// No turn for a further look: what the one before said stands.
		if (next.kind === 'unavailable' && next.problem.kind === 'rateLimited') return last;
		last = next;
	}
	return last;
}
