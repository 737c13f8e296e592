import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/endpoints';
import type { ServiceClient } from '../../../../nodes/PriceCollection/service/client';
import { failure, success } from '../../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
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

describe('cancelAndConfirm', () => {
	it('confirms by the status of the job', async () => {
		const { client, looks } = service(success({}), status('cancelled'));
		expect(await cancelAndConfirm(client, JOB)).toEqual(
			success({ ...JOB, status: 'cancelled', cancel_confirmed: true }),
		);
		expect(looks()).toBe(1);
	});

	it('gives a service time that cancels in the background', async () => {
		const { client } = service(success({}), status('working'), status('canceled'));
		expect(await cancelAndConfirm(client, JOB)).toMatchObject({
			value: { status: 'canceled', cancel_confirmed: true },
		});
	});

	it('says so when the status never tells', async () => {
		const { client, looks } = service(success({ success: true }), status('working'));
		expect(await cancelAndConfirm(client, JOB)).toEqual(success({ ...JOB, cancel_confirmed: false }));
		expect(looks()).toBe(3);
	});

	it('believes the reply where the status cannot be read', async () => {
		const { client } = service(success({ status: 'cancelled' }), problem('unavailable'));
		expect(await cancelAndConfirm(client, JOB)).toEqual(
			success({ ...JOB, status: 'cancelled', cancel_confirmed: true }),
		);
	});

	it('tells a job that had finished from one that was cancelled', async () => {
		const { client } = service(problem('jobOver'), status('finished'));
		expect(await cancelAndConfirm(client, JOB)).toMatchObject({ value: { status: 'finished' } });
	});

	it('believes a service that refuses because the job is over, whatever its status says', async () => {
		const { client } = service(problem('jobOver'), status('done'));
		expect(await cancelAndConfirm(client, JOB)).toEqual(success({ ...JOB, status: 'finished' }));
	});

	it('fails when the service refuses and the job runs on', async () => {
		const { client, looks } = service(problem('forbidden'), status('working'));
		expect(await cancelAndConfirm(client, JOB)).toEqual(problem('forbidden'));
		expect(looks()).toBe(1);
	});

	it('looks whether a cancel with a lost reply took effect', async () => {
		const lost = problem('connectionLost', 'unknown');
		const { client } = service(lost, status('working'), status('working'), status('cancelled'));
		expect(await cancelAndConfirm(client, JOB)).toMatchObject({ value: { cancel_confirmed: true } });
		const vain = service(lost, status('working'));
		expect(await cancelAndConfirm(vain.client, JOB)).toEqual(lost);
	});
});
