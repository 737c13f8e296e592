import { ENDPOINTS, type Job } from '../../../../nodes/PriceCollection/service/types';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import {
	failure,
	type Outcome,
	type Problem,
	success,
} from '../../../../nodes/PriceCollection/service/problems';
import * as clock from '../../../engine/virtualClock';
import { cancelAndConfirm } from '../../../../nodes/PriceCollection/run/waiting/cancel';

const JOB = { job_id: 'j', status: 'working', requested: 2 };

const problem = (kind: Problem['kind'], effect: Problem['effect'] = 'none') =>
	failure({ kind, endpoint: ENDPOINTS.cancel, effect });

/** A service with this reply to the cancel and these statuses after it, the last one for ever. */
function service(reply: Awaited<ReturnType<ServiceClient['cancelJob']>>, ...statuses: Array<Outcome<Job>>) {
	let looks = 0;
	const client: Partial<ServiceClient> = {
		clock,
		cancelJob: async () => reply,
		getJob: async () => statuses[Math.min(looks++, statuses.length - 1)] ?? problem('unavailable'),
	};
	return { client: client as ServiceClient, looks: () => looks };
}

const status = (text: string): Outcome<Job> => success({ job_id: 'j', status: text });

const refused = problem('jobOver');
const lost = problem('connectionLost', 'unknown');
const WORKS = status('working');
const confirmed = (text: string) => success({ ...JOB, status: text, cancel_confirmed: true });

it.each<[string, Parameters<typeof service>, Awaited<ReturnType<typeof cancelAndConfirm>>, number]>([
	['is confirmed by its status', [success({}), status('cancelled')], confirmed('cancelled'), 1],
	['is given time', [success({}), WORKS, status('canceled')], confirmed('canceled'), 2],
	[
		'may never say so',
		[success({ success: true }), WORKS],
		success({ ...JOB, cancel_confirmed: false }),
		3,
	],
	[
		'is believed gone by the reply where its status cannot be read',
		[success({ status: 'cancelled' }), problem('unavailable')],
		confirmed('cancelled'),
		3,
	],
	['may have finished', [refused, status('finished')], confirmed('finished'), 1],
	[
		'is over where the service says so, whatever its status',
		[refused, status('done')],
		success({ ...JOB, status: 'finished' }),
		1,
	],
	['runs on where the service refuses', [problem('forbidden'), WORKS], problem('forbidden'), 1],
	['may be cancelled by a lost request', [lost, WORKS, status('cancelled')], confirmed('cancelled'), 2],
	['may run on after a lost request', [lost, WORKS], lost, 3],
])('a job that is cancelled %s', async (_name, [reply, ...statuses], outcome, times) => {
	const { client, looks } = service(reply, ...statuses);
	expect(await cancelAndConfirm(client, JOB)).toEqual(outcome);
	expect(looks()).toBe(times);
});
