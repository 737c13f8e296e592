import * as clock from '../../../engine/support/virtualClock';
import { cancelAndConfirm } from '../../../../nodes/PriceCollection/service/api/cancellation';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/api/client';
import { ENDPOINTS, type Job } from '../../../../nodes/PriceCollection/service/types';
import { failure, success } from '../../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../../nodes/PriceCollection/service/problems';
import type { End } from '../../../../nodes/PriceCollection/service/statuses';
import { fakeClient } from '../../fakeClient';

const JOB = { job_id: 'j', status: 'working', requested: 2 };

const problem = (kind: Problem['kind'], effect: Problem['effect'] = 'none') =>
	failure({ kind, endpoint: ENDPOINTS.cancel, effect });

type Reply = Awaited<ReturnType<ServiceClient['cancelJob']>>;

/** A service that gives these replies to cancellations and these statuses, repeating the last ones. */
function service(replies: Reply | [Reply, ...Reply[]], ...statuses: Array<Outcome<Job>>) {
	let [looks, cancellations] = [0, 0];
	const given = Array.isArray(replies) ? replies : [replies];
	const client: Partial<ServiceClient> = {
		clock,
		endOf: fakeClient({}).client.endOf,
		cancelJob: async () => given[cancellations++] ?? (given.at(-1) as Reply),
		getJob: async () => statuses[Math.min(looks++, statuses.length - 1)] ?? problem('unavailable'),
	};
	return { client: client as ServiceClient, calls: () => [looks, cancellations] };
}

const status = (text: string): Outcome<Job> => success({ job_id: 'j', status: text });

const refused = problem('jobOver');
const doubted = failure({
	...refused.problem,
	kind: 'refused',
	detail: 'The status of job j is still "working", so it may keep running',
});
const denied = failure({ ...problem('jobNotFound').problem, about: 'job' });
const denialDoubted = failure({ ...doubted.problem, about: 'job' });
const unread = {
	...denialDoubted.problem,
	detail: 'The status of job j could not be read, so it may keep running',
};
const lost = problem('connectionLost', 'unknown');
const WORKS = status('working');
const gone = success({ status: 'cancelled' });
const ended = (text: string, end?: End) => success({ job: { ...JOB, status: text }, end });
const CANCELLED = ended('cancelled', 'cancelled');

it.each<[string, Parameters<typeof service>, Awaited<ReturnType<typeof cancelAndConfirm>>, number, number?]>([
	['is confirmed by its status', [success({}), status('cancelled')], CANCELLED, 1],
	['is given time', [success({}), WORKS, status('canceled')], ended('canceled', 'cancelled'), 2],
	['may never say so', [success({}), WORKS], ended('working'), 3],
	['is believed gone by the reply alone', [gone, problem('unavailable')], CANCELLED, 3],
	['may have finished', [refused, status('finished')], ended('finished', 'results'), 1],
	['may have failed', [refused, status('error')], ended('error', 'failed'), 1],
	['is not over where its status says so, whatever the refusal says', [refused, WORKS], doubted, 3],
	['runs on where the service refuses', [problem('forbidden'), WORKS], problem('forbidden'), 1],
	[
		'is cancelled again where the service denied it',
		[[denied, success({})], denied, WORKS, status('cancelled')],
		CANCELLED,
		3,
		2,
	],
	[
		'may have ended although the service denies it',
		[denied, status('finished')],
		ended('finished', 'results'),
		1,
	],
	['may run on although the service denies it', [denied, denied], failure(unread), 3, 3],
	['runs on although the service denies it', [denied, WORKS], denialDoubted, 3, 3],
	['may be cancelled by a lost request', [lost, WORKS, status('cancelled')], CANCELLED, 2],
	['may run on after a lost request', [lost, WORKS], lost, 3],
])('a job that is cancelled %s', async (_name, [replies, ...statuses], outcome, looks, cancellations = 1) => {
	const { client, calls } = service(replies, ...statuses);
	expect(await cancelAndConfirm(client, JOB)).toEqual(outcome);
	expect(calls()).toEqual([looks, cancellations]);
});
