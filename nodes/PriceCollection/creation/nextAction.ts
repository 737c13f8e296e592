import type { Ledger } from './ledger';
import type { PlannedJob } from './plan';

/** What to do next about a planned job; times in milliseconds since 1970. */
export type Action =
	| { do: 'create' }
	/** Its job is known. */
	| { do: 'use'; jobId: string }
	/** Its job is known, but may have failed or disappeared since. */
	| { do: 'verify'; jobId: string }
	/** The request is under way. */
	| { do: 'wait'; until: number }
	/** A request may have been sent between these times. */
	| { do: 'search'; from?: number; to: number };

/** Pause between two checks of a request that is under way, in milliseconds. */
const RECHECK_MS = 200;

/**
 * Decides what to do next about a planned job: whether to send a request, given what is known about earlier ones.
 *
 * @param planned `purchase`: the earlier request that bought its values, or may have bought them
 */
export function nextAction(
	ledger: Pick<Ledger, 'gap' | 'isUnderWay' | 'outlivesExecution'>,
	{ purchase, isAbsent = false }: Pick<PlannedJob, 'isAbsent' | 'purchase'>,
	now: number,
): Action {
	// An unrecorded request may have been sent in the gap.
	if (purchase === undefined)
		return ledger.gap === undefined || isAbsent ? { do: 'create' } : { do: 'search', ...ledger.gap };
	const { jobId, sentAt, lostAt } = purchase.creation;
	if (jobId !== undefined) return { do: ledger.outlivesExecution ? 'verify' : 'use', jobId };
	if (ledger.isUnderWay(purchase)) return { do: 'wait', until: now + RECHECK_MS };
	return { do: 'search', from: sentAt || undefined, to: lostAt ?? now };
}
