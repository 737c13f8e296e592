import type { IDataObject } from 'n8n-workflow';

import { KnownJobs, readState, writeState } from '../../../../nodes/PriceCollection/run/stored/pollingState';
import {
	FailuresInARow,
	failedAgain,
	isConfirmed,
	isDue,
	isHopeless,
} from '../../../../nodes/PriceCollection/trigger/polling/patience';

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
		expect(tries).toEqual([0, 1, 3, 7, 15, 31, 62, 93, 124, 155]);
	});

	it('is believed to be gone after ten minutes, and given up after 71 hours', () => {
		const job = failedAgain({}, 1);
		expect([isConfirmed(job, 10 * MINUTE), isConfirmed(job, 10 * MINUTE + 1)]).toEqual([false, true]);
		expect([isHopeless(job, 71 * HOUR), isHopeless(job, 71 * HOUR + 1)]).toEqual([false, true]);
	});

	it('is kept with the times of its failures', () => {
		const data: IDataObject = {};
		const open = new Map([['a', { failingSince: 1_000, tryAt: 61_000 }]]);
		writeState(data, { account: 'x', known: new KnownJobs(), open });
		const read = readState(JSON.parse(JSON.stringify(data)) as IDataObject);
		expect(read).toMatchObject({ kind: 'read', value: { open } });
	});
});

describe('polls that fail in a row', () => {
	it('wait as long as the service asks, up to half an hour', () => {
		const polls = new FailuresInARow();
		expect(polls.note(0, 10 * MINUTE)).toBe(true);
		expect([polls.isWaiting(10 * MINUTE - 1), polls.isWaiting(10 * MINUTE)]).toEqual([true, false]);
		expect(polls.note(0, 10 * HOUR)).toBe(false);
		expect(polls.isWaiting(30 * MINUTE)).toBe(false);
	});

	it('make no pause after the first, then of 2, 4, 8, 16 and 30 minutes, in time for a poll each minute', () => {
		const polls = new FailuresInARow();
		const pauses = Array.from({ length: 6 }, () => {
			polls.note(0);
			let minutes = 0;
			while (polls.isWaiting(minutes * MINUTE)) minutes++;
			return minutes;
		});
		expect(pauses).toEqual([0, 2, 4, 8, 16, 30]);
		polls.end();
		polls.note(0);
		polls.note(0);
		expect([polls.isWaiting(119_000 - 1), polls.isWaiting(119_000)]).toEqual([true, false]);
	});

	it('are forgotten with the first that works', () => {
		const polls = new FailuresInARow();
		polls.note(0);
		polls.note(0);
		expect(polls.isWaiting(1)).toBe(true);
		polls.end();
		expect(polls.isWaiting(1)).toBe(false);
		expect(polls.note(0)).toBe(true);
	});
});
