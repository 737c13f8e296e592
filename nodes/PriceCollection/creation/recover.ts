import { ENDPOINTS } from '../service/types';
import type { Problem } from '../service/problems';
import { exists, fail, type Creating } from './creating';
import type { Purchase } from '../run/formats';
import type { PlannedJob } from './plan';

const EARLIER_TRY: Problem = { kind: 'earlierTry', endpoint: ENDPOINTS.create, effect: 'unknown' };

/**
 * Looks for the job of a creation without reply in the job list. Only the list decides, and nothing is created.
 *
 * @param between when the request can have reached the service, in milliseconds since 1970
 * @param lost the problem of a creation of this try, which is never proven absent; one of an earlier try may be
 * @returns `absent`: certainly nothing was created, and the purchase is dropped. `settled`: its job is taken up, or the
 * jobs that may be it are named
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
	const seen = await search.find({ ...between, nonce, hasGaps, request, known }, lost === undefined);
	if (seen.kind === 'absent') {
		// The most expensive decision leaves a trace.
		context.logger.info(`Price Collection: a lost creation is sent again. ${seen.detail}`);
		ledger.drop(purchase);
		return 'absent';
	}
	const found = seen.kind === 'ours' ? { recovered: true } : { lostAt: between.to, doubt: seen.detail };
	ledger.note(purchase, { ...creation, ...found });
	if (seen.kind === 'ours') exists(creating, planned, purchase, seen.job);
	else {
		// The jobs that the list names belong in the text of the original problem.
		const { detail, ...problem } = lost ?? EARLIER_TRY;
		fail(creating, planned, {
			...problem,
			detail: [detail, seen.detail].filter(Boolean).join('. '),
		});
	}
	return 'settled';
}
