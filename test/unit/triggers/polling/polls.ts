import type { IDataObject, INodeParameters, IPollFunctions } from 'n8n-workflow';

import {
	isHandled,
	markHandled,
	newState,
	type PollState,
	type Tries,
} from '../../../../nodes/PriceCollection/triggers/polling/pollingState';
import { POLLING_OUTPUTS } from '../../../../nodes/PriceCollection/descriptions/results';
import { readSettings, type TriggerSettings } from '../../../../nodes/PriceCollection/triggers/settings';
import type { Job } from '../../../../nodes/PriceCollection/service/types';

/** The current time of the tests, by the clocks of n8n and the service. */
export const NOW = Date.parse('2026-11-20T12:00:00Z');
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** This many milliseconds ago, as the service writes times. */
export const ago = (milliseconds: number) => new Date(NOW - milliseconds).toISOString();

/** A finished job that was created this long ago, and ended a minute later. */
export const ended = (job_id: string, createdAgo: number, more: Partial<Job> = {}): Job => ({
	...{ job_id, status: 'finished', created_at: ago(createdAgo), terminated_at: ago(createdAgo - MINUTE) },
	...more,
});

/** What a trigger remembers: jobs whose end is handled, and open ones. */
export function stateOf(
	handled: readonly string[] = [],
	open: Readonly<Record<string, Tries>> = {},
	more: Partial<PollState> = {},
): PollState {
	const state: PollState = { ...newState('mine'), open: new Map(Object.entries(open)), ...more };
	for (const job_id of handled) markHandled(state, { job_id, status: 'finished' });
	return state;
}

/** Which of these jobs a state has handled. */
export const knows = (state: PollState, ...jobIds: string[]) =>
	jobIds.filter((jobId) => isHandled(state, { job_id: jobId }));

/** A queue of these ends, some of which have failed before. */
export const queueOf = (jobs: readonly Job[], failures: Readonly<Record<string, Tries>> = {}) =>
	new Map(jobs.map((job) => [job.job_id, { job, tries: failures[job.job_id] ?? {} }]));

/** The trigger's settings: any end of a job, output as the job itself. */
export const settingsOf = (
	more: Partial<TriggerSettings> = {},
	parameters: INodeParameters = {},
): TriggerSettings => {
	const all: INodeParameters = { events: ['any'], output: 'job', ...parameters };
	const context = {
		getNode: () => ({ name: 'Ends', type: 'x', typeVersion: 1, parameters: all }),
		getNodeParameter: (path: string) =>
			path.split('.').reduce<unknown>((inner, name) => (inner as IDataObject)[name], all),
		logger: { info: () => undefined },
	};
	return { ...readSettings(context as unknown as IPollFunctions, POLLING_OUTPUTS), ...more };
};
