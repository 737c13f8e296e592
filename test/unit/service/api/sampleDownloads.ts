import type { Download } from '../../../../nodes/PriceCollection/service/api/download';
import type { Problem } from '../../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';

export const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.download, effect: 'none' },
	...more,
});

/** A download's outcome as one text. */
export const kindOf = (download: Download<string>) => {
	if (download.kind === 'results') return download.isEmpty ? 'empty' : download.value;
	return download.kind === 'none' ? `none: ${download.reason}` : `${download.kind}: ${download.why.kind}`;
};

export const EMPTY_LIST: Download<string> = { kind: 'results', value: 'none', isEmpty: true };
export const THERE: Download<string> = { kind: 'results', value: 'rows', isEmpty: false };
export const DENIED: Download<string> = { kind: 'denied', why: problem('jobNotFound') };
export const NONE: Download<string> = { kind: 'none', end: 'failed', reason: 'x', why: problem('jobFailed') };
export const LATE: Download<string> = { kind: 'notYet', why: problem('unavailable') };
export const RUNS: Download<string> = { kind: 'notYet', why: problem('notFinished') };
export const FULL: Download<string> = { kind: 'impossible', why: problem('notStored') };
