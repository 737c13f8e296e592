import type { IPollFunctions } from 'n8n-workflow';

import { inputError } from '../../n8n/errors';
import { KnownJobs, readState, type PollState } from '../../run/stored/pollingState';
import { endsInOrder, latestOf } from '../listedJobs';
import type { Look } from './look';

/** A poll reads a long list for so long at the most; what ends meanwhile is no old news. */
const READING_MS = 60_000;

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

/**
 * The state to go on with.
 *
 * @param at the present, by the service's clock if it tells
 */
export function stateFor(
	before: PollState | undefined,
	account: string,
	{ jobs, newest, isUnclear }: Look,
	{ emitExisting, at }: { emitExisting: boolean; at: number },
): PollState {
	if (before?.account === account) return before;
	// Another key may show another account. What ended there before the last poll is old news.
	if (before) return { ...before, account, ...oldNews(before.lookedAt ?? at, newest) };
	const state: PollState = { account, known: new KnownJobs(), open: new Map() };
	if (emitExisting) return state;
	for (const job of endsInOrder(jobs)) state.known.add(job.job_id);
	// What has ended is old news, also where this look did not show it.
	const latestEnd = latestOf(jobs, 'terminated_at') ?? (isUnclear ? at : undefined);
	return latestEnd === undefined ? state : { ...state, ...oldNews(latestEnd, newest) };
}

/** @param newest a service may date an end ahead: jobs that are created later are news all the same */
function oldNews(lastEnd: number, newest: number | undefined): Pick<PollState, 'since' | 'createdBefore'> {
	return { since: lastEnd - READING_MS, createdBefore: newest };
}
