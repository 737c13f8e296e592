import { ENDPOINTS } from '../service/types';
import type { Problem } from '../service/problems';
import { giveUp, recordJob, type Creating } from './creating';
import type { Purchase } from '../run/formats';
import type { PlannedJob } from './plan';

const EARLIER_TRY: Problem = { kind: 'earlierTry', endpoint: ENDPOINTS.create, effect: 'unknown' };

/**
 * Searches the job list for the job of a creation without a reply. Creates nothing.
 *
 * @param between when the request can have reached the service, in milliseconds since 1970
 * @param lost why a creation of this try has no reply; it is never proven absent. Omitted for one of an earlier try
 * @returns `absent`: certainly nothing was created, and the purchase is dropped. `settled`: its job is used, or a failure
 * is recorded that names the jobs that may be ours
 */
export async function recover(
	creating: Creating,
	planned: PlannedJob,
	purchase: Purchase,
	between: { from?: number; to: number },
	lost?: Problem,
): Promise<'absent' | 'settled'> {
	const { context, ledger, search } = creating;
	const { creation, sent: request = planned.request } = purchase;
	const { nonce } = creation;
	const [known, hasGaps] = [ledger.jobs(), ledger.gap !== undefined];
	const recovery = await search.find({ ...between, nonce, hasGaps, request, known }, lost === undefined);
	if (recovery.kind === 'absent') {
		// Logged, because a mistake here would be the most expensive one.
		context.logger.info(`Price Collection: a lost creation is sent again. ${recovery.detail}`);
		ledger.drop(purchase);
		return 'absent';
	}
	const outcome =
		recovery.kind === 'ours' ? { recovered: true } : { lostAt: between.to, doubt: recovery.detail };
	ledger.note(purchase, { ...creation, ...outcome });
	if (recovery.kind === 'ours') recordJob(creating, planned, purchase, recovery.job);
	else {
		// The result of the search completes the text of the original problem.
		const { detail, ...problem } = lost ?? EARLIER_TRY;
		giveUp(creating, planned, {
			...problem,
			detail: [detail, recovery.detail].filter(Boolean).join('. '),
		});
	}
	return 'settled';
}
