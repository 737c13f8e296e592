import type { IDataObject } from 'n8n-workflow';

import {
	deadlineOf,
	isStillRunning,
	readTicket,
	serviceFields,
	stillRunningItem,
	withoutTicket,
} from '../../../../nodes/PriceCollection/run/stored/ticket';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const DEADLINE = Date.parse('2026-11-22T10:00:00.000Z');
const TIMES = { checkedAt: NOW, deadline: DEADLINE };
const TICKET = { since: NOW, givenUpBy: ['Prices'], unproven: true };
const JOB = { job_id: 'j', status: 'new' };

describe('a Still Running item', () => {
	it('says what is known, until when it is waited for, and never carries results', () => {
		const job = { job_id: 'j', status: 'working', progress: 40, results: [{ a: 1 }] };
		expect(stillRunningItem(job, TIMES, { since: NOW, givenUpBy: [] }, 'A note')).toEqual({
			job_id: 'j',
			status: 'working',
			still_running: true,
			checked_at: '2026-11-21T10:00:00.000Z',
			deadline: '2026-11-22T10:00:00.000Z',
			progress: 40,
			note: 'A note',
			ticket: { version: 1, since: NOW, givenUpBy: [] },
		});
	});

	it('takes nothing over from an earlier ticket of the same job', () => {
		const earlier = stillRunningItem(JOB, TIMES, TICKET, 'old');
		expect(serviceFields(earlier)).toEqual(JOB);
		expect(stillRunningItem(earlier, TIMES, { since: 1, givenUpBy: [] })).toEqual({
			...JOB,
			still_running: true,
			checked_at: '2026-11-21T10:00:00.000Z',
			deadline: '2026-11-22T10:00:00.000Z',
			ticket: { version: 1, since: 1, givenUpBy: [] },
		});
	});

	it('survives the database', () => {
		const item = stillRunningItem(JOB, TIMES, TICKET);
		expect(item).not.toHaveProperty('note');
		const stored = JSON.parse(JSON.stringify(item)) as typeof item;
		expect(readTicket(stored)).toEqual({ deadline: DEADLINE, ...TICKET });
		expect(stored.ticket).toBeDefined();
		expect(withoutTicket(stored)).toEqual({ ...stored, ticket: undefined });
		expect(withoutTicket(stored)).not.toHaveProperty('ticket');
	});

	it('stays small, whatever was asked for', () => {
		expect(JSON.stringify(stillRunningItem(JOB, TIMES, TICKET)).length).toBeLessThan(300);
	});
});

describe('what names its own job', () => {
	it.each<[string, IDataObject, boolean]>([
		['a Still Running item', { job_id: 'j', still_running: true }, true],
		['a result', { job_id: 'j', success: true }, false],
		['an item that only says that it still runs', { still_running: true }, false],
		['one with an empty ID', { job_id: '', still_running: true }, false],
		['one with another word for true', { job_id: 'j', still_running: 'true' }, false],
	])('%s: %#', (_name, json, expected) => {
		expect(isStillRunning(json)).toBe(expected);
	});
});

describe('readTicket', () => {
	const item = stillRunningItem(JOB, TIMES, TICKET);

	it('reads nothing from an item about something else', () => {
		expect(readTicket({ ...item, still_running: undefined })).toEqual({});
		expect(readTicket({})).toEqual({});
	});

	it.each([
		['is missing', undefined],
		['has no version', TICKET],
		['is newer', { version: 2, ...TICKET }],
		['has no time', { version: 1, givenUpBy: [] }],
		['names nodes otherwise', { version: 1, since: 1, givenUpBy: 'Prices' }],
		['is no object', 'x'],
	])('keeps the deadline of one whose ticket %s', (_name, ticket) => {
		expect(readTicket({ ...item, ticket } as IDataObject)).toEqual({ deadline: DEADLINE });
	});

	it('leaves out a deadline that is none', () => {
		expect(readTicket({ ...item, deadline: 'soon' })).toEqual(TICKET);
	});
});

describe('deadlineOf', () => {
	const durable = { mode: 'durable', maxWaitMs: 60_000 };
	const poll = { mode: 'poll', maxWaitMs: 60_000 };

	it.each([
		['counts Max Wait from now without a ticket', {}, durable, NOW + 60_000],
		['keeps the deadline of a loop', { deadline: DEADLINE }, durable, DEADLINE],
		['keeps it even when it has passed', { deadline: NOW - 1 }, durable, NOW - 1],
		['never polls for longer than Max Wait', { deadline: DEADLINE }, poll, NOW + 60_000],
		['polls until an earlier deadline', { deadline: NOW + 5 }, poll, NOW + 5],
		['ends a loop', { deadline: NOW - 1, givenUpBy: ['Wait'] }, durable, NOW],
		['ends a loop through other nodes', { deadline: NOW - 1, givenUpBy: ['Wait', 'X'] }, durable, NOW],
		[
			'waits anew for what another node gave up',
			{ deadline: NOW, givenUpBy: ['X'] },
			durable,
			NOW + 60_000,
		],
	])('%s', (_name, ticket, settings, expected) => {
		expect(deadlineOf(ticket, 'Wait', NOW, settings)).toBe(expected);
	});
});
