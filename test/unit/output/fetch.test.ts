import { retryEarlyDownload } from '../../../nodes/PriceCollection/output/fetch';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { failure, success, type ProblemKind } from '../../../nodes/PriceCollection/service/problems';
import { fixedClock } from '../fixedClock';

/** How often a download that fails so, twice, is tried, and what comes of it. */
async function tries(kind: ProblemKind, signal?: AbortSignal) {
	let count = 0;
	const problem = { kind, endpoint: ENDPOINTS.download, effect: 'none' } as const;
	const download = async () => (++count < 3 ? failure(problem) : success('rows'));
	const outcome = await retryEarlyDownload(download, [1, 2, 3], fixedClock(), signal);
	return [count, outcome.ok];
}

test('a download is repeated where the job was just created, or its end is not known everywhere', async () => {
	expect(await tries('notFinished')).toEqual([3, true]);
	expect(await tries('jobNotFound')).toEqual([3, true]);
	expect(await tries('unauthorized')).toEqual([1, false]);
	expect(await tries('notFinished', AbortSignal.abort())).toEqual([1, false]);
});
