import type { IDataObject } from 'n8n-workflow';

import { newRecord } from '../../../../nodes/PriceCollection/run/lookup/record';
import {
	isStillRunning,
	readTicket,
	serviceFields,
	stillRunningItem,
} from '../../../../nodes/PriceCollection/run/stored/ticket';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const DEADLINE = Date.parse('2026-11-22T10:00:00.000Z');
const TICKET = { since: NOW, givenUpBy: ['Prices'], unknownSince: NOW - 1 };
const RECORD = {
	...{ ...newRecord('j', [{ item: 0 }]), ...TICKET, deadline: DEADLINE, checkedAt: NOW - 5_000 },
	job: { job_id: 'j', status: 'working' },
};
const SHOWN = {
	...{ job_id: 'j', status: 'working', still_running: true },
	...{ checked_at: '2026-11-21T09:59:55.000Z', deadline: '2026-11-22T10:00:00.000Z' },
	ticket: { version: 1, ...TICKET },
};
/** As n8n's database gives it back. */
const stored = (json: IDataObject) => JSON.parse(JSON.stringify(json)) as IDataObject;

describe('a Still Running item', () => {
	test('says what is known, until when it is waited for, and never carries results', () => {
		const fields = { job_id: 'other', status: 'x', progress: 40, results: [{ a: 1 }] };
		expect(stillRunningItem(RECORD, NOW, fields, 'A note')).toEqual({
			...{ ...SHOWN, progress: 40, note: 'A note' },
		});
		const unseen = stillRunningItem(
			{ ...RECORD, checkedAt: undefined, unknownSince: undefined },
			NOW,
			{},
		);
		expect(unseen).toMatchObject({ checked_at: '2026-11-21T10:00:00.000Z' });
		expect([Object.hasOwn(unseen, 'note'), stored(unseen).ticket]).toEqual([
			...[false, { version: 1, since: NOW, givenUpBy: ['Prices'] }],
		]);
	});

	test('takes nothing over from an earlier ticket of the same job', () => {
		const earlier = stillRunningItem(RECORD, NOW, { progress: 40 }, 'old');
		expect(serviceFields(earlier)).toEqual({ progress: 40 });
		expect(stillRunningItem(RECORD, NOW, earlier)).toEqual({ ...SHOWN, progress: 40 });
	});

	test('survives the database, and stays small whatever was asked for', () => {
		const item = stored(stillRunningItem(RECORD, NOW, {}));
		expect(readTicket(item)).toEqual({ ...TICKET, deadline: DEADLINE, checkedAt: NOW - 5_000 });
		expect(JSON.stringify(item).length).toBeLessThan(300);
	});

	test.each<[string, IDataObject, boolean]>([
		['a Still Running item', { job_id: 'j', still_running: true }, true],
		['a result', { job_id: 'j', success: true }, false],
		['an item that only says that it still runs', { still_running: true }, false],
		['one with an empty ID', { job_id: '', still_running: true }, false],
		['one with another word for true', { job_id: 'j', still_running: 'true' }, false],
	])('names its own job, and nothing else does: %s', (_name, json, expected) => {
		expect(isStillRunning(json)).toBe(expected);
	});

	test('is read only where it is one', () => {
		const item = stillRunningItem(RECORD, NOW, {});
		expect([readTicket({ ...item, still_running: undefined }), readTicket({})]).toEqual([{}, {}]);
	});

	test.each([
		['is missing', undefined],
		['has no version', TICKET],
		['is newer', { version: 2, ...TICKET }],
		['has no time', { version: 1, givenUpBy: [] }],
		['names nodes otherwise', { version: 1, since: 1, givenUpBy: 'Prices' }],
		['is no object', 'x'],
	])('keeps its times although its ticket %s', (_name, ticket) => {
		expect(readTicket({ ...SHOWN, ticket } as IDataObject)).toEqual({
			...{ deadline: DEADLINE, checkedAt: NOW - 5_000 },
		});
	});

	test('leaves out times that are none', () => {
		expect(readTicket({ ...SHOWN, deadline: 'soon', checked_at: 7 })).toEqual(TICKET);
	});
});
