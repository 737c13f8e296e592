import type { IDataObject } from 'n8n-workflow';

import { KnownJobs, readState, writeState } from '../../../../nodes/PriceCollection/run/stored/pollingState';
import { failedAgain, hasFailedFor, isDue } from '../../../../nodes/PriceCollection/trigger/polling/backoff';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a job that cannot be had', () => {
	it('is tried again in growing steps up to half an hour', () => {
		let job = {};
		const tries: number[] = [];
		for (let now = 0; now <= 3 * HOUR; now += MINUTE) {
			if (!isDue(job, now)) continue;
			tries.push(now / MINUTE);
			job = failedAgain(job, now + 1);
		}
		expect(tries).toEqual([0, 1, 2, 4, 8, 16, 32, 62, 92, 122, 152]);
	});

	it('has failed since the first of its failures', () => {
		const job = failedAgain(failedAgain({}, 1), 500);
		expect([hasFailedFor(1_000, job, 1_000), hasFailedFor(1_000, job, 1_001)]).toEqual([false, true]);
		expect(hasFailedFor(0, {}, 1)).toBe(false);
	});

	it('is kept with the times of its failures', () => {
		const data: IDataObject = {};
		const open = new Map([['a', { failingSince: 1_000, tryAt: 61_000 }]]);
		writeState(data, { account: 'x', known: new KnownJobs(), open });
		const read = readState(JSON.parse(JSON.stringify(data)) as IDataObject);
		expect(read).toMatchObject({ kind: 'read', value: { open } });
	});
});

describe('what fails', () => {
	it('waits as long as the service asks, up to half an hour', () => {
		expect(failedAgain({}, 0, 10 * MINUTE).tryAt).toBe(10 * MINUTE - 1_000);
		expect(failedAgain({}, 0, 10 * HOUR).tryAt).toBe(30 * MINUTE - 1_000);
	});
});
