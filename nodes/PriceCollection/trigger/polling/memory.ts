import type { IPollFunctions } from 'n8n-workflow';

import { credentialOf } from '../../n8n/credential';
import { inputError } from '../../n8n/errors';
import { fingerprint, KnownJobs, readState, type PollState } from '../../run/stored/pollingState';
import type { ServiceClient } from '../../service/client';
import { keyOf } from '../../service/dialect';
import type { Job } from '../../service/types';
import { timeOf } from '../../service/time';
import { endsInOrder } from '../order';
import { latestOf } from './look';

/** The first poll reads a long list for so long at the most; what ends meanwhile is no old news. */
const FIRST_POLL_MS = 60_000;

/**
 * The state of the poll before; undefined before the first one.
 *
 * @param unstored jobs whose ends were handed over since, and which n8n could not store
 * @throws NodeOperationError for one that cannot be read: beginning anew would lose ends, or give them out twice
 */
export function storedState(context: IPollFunctions, unstored: Iterable<string>): PollState | undefined {
	const read = readState(context.getWorkflowStaticData('node'));
	if (read.kind === 'unreadable') {
		const advice =
			'Update the package, or put a new trigger in place of this one, which begins with the next end.';
		throw inputError(context.getNode(), read.reason, advice);
	}
	if (read.kind === 'absent') return undefined;
	for (const jobId of unstored) {
		read.value.known.remove(jobId);
		read.value.open.set(jobId, {});
	}
	return read.value;
}

/** Service and key, in short: a changed Webhook Secret changes nothing about whose jobs are seen. */
export async function accountOf(context: IPollFunctions, { dialect }: ServiceClient): Promise<string> {
	const fields = await credentialOf(context);
	const { username = '', password = '' } = fields;
	return fingerprint([dialect.base, keyOf(fields), username, password].join('\n'));
}

/** The state of a trigger that has seen nothing yet: all ends are old, unless the user wants them. */
function firstState(account: string, jobs: readonly Job[], emitExisting: boolean): PollState {
	const state: PollState = { account, known: new KnownJobs(), open: new Map() };
	if (emitExisting) return state;
	for (const job of endsInOrder(jobs)) state.known.add(job.job_id);
	const latestEnd = latestOf(jobs, 'terminated_at');
	if (latestEnd !== undefined) state.since = latestEnd - FIRST_POLL_MS;
	// A service may date an end ahead: what is created from now on is news all the same.
	state.createdBefore = latestOf(jobs, 'created_at');
	return state;
}

/**
 * The state to go on with. Another key may be of the same account or not. Where any of its jobs was seen before, it is
 * the same. Else, after a long pause, nobody can tell: then what ended since the last look is news, and what ended
 * before is old.
 */
export function stateFor(
	context: IPollFunctions,
	before: PollState | undefined,
	account: string,
	jobs: readonly Job[],
	emitExisting: boolean,
): PollState {
	if (before === undefined) return firstState(account, jobs, emitExisting);
	if (before.account === account) return before;
	const isSeen = (job: Job) => before.known.has(job.job_id) || before.open.has(job.job_id);
	const { lookedAt } = before;
	if (jobs.length === 0 || jobs.some(isSeen)) return { ...before, account };
	const undated = endsInOrder(jobs).filter((job) => timeOf(job.terminated_at) === undefined);
	if (lookedAt === undefined || undated.length > 0) {
		context.logger.warn(
			`${context.getNode().name}: none of the jobs of the changed credential was seen before, and the list does not say when they ended. Those that have ended count as handled.`,
		);
		return firstState(account, jobs, emitExisting);
	}
	return {
		...before,
		account,
		since: lookedAt - FIRST_POLL_MS,
		createdBefore: latestOf(jobs, 'created_at'),
	};
}
