import type { IDataObject } from 'n8n-workflow';

import { afterDownload } from '../../service/api/downloads';
import { unproven } from '../../service/api/download';
import type { ServiceClient } from '../../service/api/client';
import { traitsOf } from '../../service/problems';
import type { Job } from '../../service/types';
import { itemsOfJob, itemWithProblem } from '../jobItems';
import type { TriggerSettings } from '../settings';
import { failedAgain, hasFailedFor, isDue, markHandled, type PollState, type Tries } from './pollingState';
import { RETENTION_MS } from './readJobs';

/** A poll that has more rows than this leaves further ends to the next one. */
const ROWS_PER_EXECUTION = 50_000;

/** Removes ends that the trigger does not want from the queue. */
export function dropUnwanted(
	{ endOf }: Pick<ServiceClient, 'endOf'>,
	{ wants }: Pick<TriggerSettings, 'wants'>,
	state: PollState,
): void {
	for (const [jobId, { job }] of state.queue) {
		if (wants(endOf(job.status))) continue;
		state.queue.delete(jobId);
		markHandled(state, job);
	}
}

/**
 * Returns the items of an end, or why there are none yet. A reply without results only counts once a later one repeats it.
 *
 * @returns `nextTries`: the end's failures, with the first of these replies
 */
async function tryItems(
	client: ServiceClient,
	settings: TriggerSettings,
	{ job, tries }: { job: Job; tries: Tries },
) {
	const nextTries = { ...tries };
	const items = await itemsOfJob(client, job, settings, {
		download: async (ask) => {
			const askedAt = client.clock.now();
			const download = await ask();
			const times = { askedAt, repliedAt: client.clock.now() };
			const { next, deniedSince } = afterDownload(download, tries, times);
			nextTries.deniedSince = deniedSince;
			return next === 'take' ? download : unproven(download);
		},
	});
	return { items, nextTries };
}

/**
 * Returns the rows of the queued ends, in order, and removes these ends from the queue. Ends for which there is no time or
 * room stay in it. An end whose results are not available yet stays for as long as the service keeps results, and does not
 * delay the others.
 *
 * @param now the current time, in milliseconds since 1970
 * @param until when to stop starting downloads, in milliseconds since 1970
 */
export async function handOver(
	client: ServiceClient,
	settings: TriggerSettings,
	state: PollState,
	{ now, until }: { now: number; until: number },
): Promise<{ rows: IDataObject[]; handedOver: Job[] }> {
	const rows: IDataObject[] = [];
	const handedOver: Job[] = [];
	const isOutOfTime = () => settings.output !== 'job' && client.clock.now() > until;
	let isHalted = false;
	for (const [jobId, entry] of state.queue) {
		const { job, tries } = entry;
		isHalted ||= handedOver.length > 0 && (isOutOfTime() || rows.length > ROWS_PER_EXECUTION);
		if (isHalted || !isDue(tries, now)) continue;
		const { items, nextTries } = await tryItems(client, settings, entry);
		// A problem with the whole account, such as a wrong key, does not count as this job's failure.
		isHalted = items.kind !== 'results' && traitsOf(items.why).accountWide;
		const isPostponed = isHalted || items.kind === 'notYet';
		if (isPostponed && !hasFailedFor(RETENTION_MS, tries, now)) {
			entry.tries = isHalted ? nextTries : failedAgain(nextTries, now);
			continue;
		}
		const newRows = items.kind === 'results' ? items.value : [itemWithProblem(job, items.why)];
		for (const item of newRows) rows.push(item);
		handedOver.push(job);
		state.queue.delete(jobId);
		markHandled(state, job);
	}
	return { rows, handedOver };
}
