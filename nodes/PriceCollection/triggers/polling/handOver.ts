import type { IDataObject } from 'n8n-workflow';

import { afterDownload, unproven } from '../../service/api/download';
import type { ServiceClient } from '../../service/api/client';
import { traitsOf } from '../../service/problems';
import type { Job } from '../../service/types';
import { itemsOfJob, itemWithProblem, type TriggerSettings } from '../items';
import { failedAgain, handle, hasFailedFor, isDue, type PollState } from './pollingState';
import { RETENTION_MS } from './readJobs';

/** Maximum rows per execution; further ends are left to the next poll. */
const MOST_ROWS = 50_000;

/**
 * Outputs the ends of the queue in order, as far as time and memory allow; the others stay in it. An end without available
 * results is retried as long as the service keeps them, and does not delay the others.
 *
 * @param at the current time in milliseconds since 1970, like `until`
 * @param until when to start no further download
 */
export async function handOver(
	client: ServiceClient,
	settings: TriggerSettings,
	state: PollState,
	{ at, until }: { at: number; until: number },
): Promise<{ rows: IDataObject[]; handedOver: Job[] }> {
	const rows: IDataObject[] = [];
	const handedOver: Job[] = [];
	const isOutOfTime = () => settings.output !== 'job' && client.clock.now() > until;
	let isOver = false;
	for (const [jobId, entry] of state.queue) {
		const { job, tries } = entry;
		if (settings.wants(client.endOf(job.status))) {
			isOver ||= handedOver.length > 0 && (isOutOfTime() || rows.length > MOST_ROWS);
			if (isOver || !isDue(tries, at)) continue;
			const tried = { ...tries };
			const items = await itemsOfJob(client, job, settings, {
				download: async (ask) => {
					const download = await ask();
					const { next, deniedSince } = afterDownload(download, tries, at);
					tried.deniedSince = deniedSince;
					return next === 'take' ? download : unproven(download);
				},
			});
			// A problem of the whole account, such as a wrong key, is not a failure of this job.
			isOver = items.kind !== 'results' && traitsOf(items.why).accountWide;
			const isLater = isOver || items.kind === 'notYet';
			if (isLater && !hasFailedFor(RETENTION_MS, tries, at)) {
				entry.tries = isOver ? tried : failedAgain(tried, at);
				continue;
			}
			const made = items.kind === 'results' ? items.value : [itemWithProblem(job, items.why)];
			for (const item of made) rows.push(item);
			handedOver.push(job);
		}
		state.queue.delete(jobId);
		handle(state, job);
	}
	return { rows, handedOver };
}
