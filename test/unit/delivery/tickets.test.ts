import type { IDataObject } from 'n8n-workflow';

import { newRecord, type JobRecord, type Run } from '../../../nodes/PriceCollection/run/record';
import { forAgent, ticketItems } from '../../../nodes/PriceCollection/delivery/tickets';
import { readTicket } from '../../../nodes/PriceCollection/run/tickets';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const DEADLINE = Date.parse('2026-11-22T10:00:00.000Z');
const TICKET = { since: NOW, timedOutNodes: ['Prices'], deniedSince: NOW - 1 };
const RECORD: JobRecord = {
	...{ ...newRecord('j', [{ item: 0 }]), ...TICKET, deadline: DEADLINE, checkedAt: NOW - 5_000 },
	job: { job_id: 'j', status: 'working' },
};
const TIMES = { deadline: DEADLINE, checkedAt: NOW - 5_000 };
const SHOWN = {
	...{ job_id: 'j', status: 'working', still_running: true },
	...{ checked_at: '2026-11-21T09:59:55.000Z', deadline: '2026-11-22T10:00:00.000Z' },
	ticket: { version: 1, ...TICKET },
};

/** Makes a job's item, as n8n would store it. */
function itemOf(record: JobRecord, givenUp = true, note?: string): IDataObject {
	const { client } = fakeClient({ now: () => NOW });
	const run = { context: nodeContext({}).context, client } as unknown as Run;
	return JSON.parse(JSON.stringify(ticketItems(run, [record], givenUp, note)[0]?.json)) as IDataObject;
}

describe('a Still Running item', () => {
	test('says what is known, until when it is waited for, and never carries results', () => {
		expect(readTicket(itemOf(RECORD))).toEqual({ ...TICKET, ...TIMES, job: RECORD.job });
		const job = { ...RECORD.job, progress: 40, results: [{ a: 1 }] };
		const note = 'A note';
		expect(itemOf({ ...RECORD, job }, true, note)).toEqual({ ...SHOWN, progress: 40, note });
		const unseen = itemOf({ ...newRecord('j', [{ item: 0 }]), deadline: DEADLINE });
		const ticket = { version: 1, since: NOW, timedOutNodes: ['Prices'] };
		expect(unseen).toEqual({ ...SHOWN, status: '', checked_at: '2026-11-21T10:00:00.000Z', ticket });
	});

	test('repeats what the service says of its job until the record of another node holds that', () => {
		const record = { ...RECORD, job: { ...RECORD.job, progress: 40 } };
		const shown = (source: object, isEnd: boolean) =>
			itemOf({ ...record, requesters: [{ item: 0, ...source }] }, isEnd);
		const source = { source: { previousNode: 'Items' } };
		// Another node gave it up, and this one waits for it again.
		const takenUp = { ...SHOWN, ticket: { ...SHOWN.ticket, isTakenUp: true } };
		expect(shown(source, false)).toEqual(takenUp);
		expect(shown(source, true)).toEqual({ ...SHOWN, progress: 40 });
		expect(shown({}, false)).toEqual({ ...takenUp, progress: 40 });
	});

	test('says why its job could not be asked for, and that rows beside it have left', () => {
		const silent = { kind: 'timedOut', endpoint: ENDPOINTS.get, effect: 'none' } as const;
		const trouble = { ...silent, reason: 'busy', comment: 'soon', detail: 'Details: socket' };
		const said = 'The latest request about this job failed: The service did not answer in time';
		const note = `${said} (busy; soon; Details: socket).`;
		const ticket = { ...SHOWN.ticket, wasUnsentOutput: true };
		expect(itemOf({ ...RECORD, trouble, wasUnsentOutput: true })).toEqual({ ...SHOWN, note, ticket });
		expect(itemOf({ ...RECORD, trouble: silent }).note).toBe(`${said}.`);
	});

	test('tells an agent to ask again, in place of what only nodes need', () => {
		const rest = { job_id: 'j', status: 'working', still_running: true, checked_at: SHOWN.checked_at };
		const again = expect.stringMatching(/^There is no answer yet\. Ask exactly/) as string;
		const pairedItem = { item: 3 };
		expect(forAgent({ json: SHOWN, pairedItem })).toEqual({ json: { ...rest, note: again }, pairedItem });
		const noted = expect.stringMatching(/^A note There is no answer yet\./) as string;
		expect(forAgent({ json: { ...SHOWN, note: 'A note' } })).toEqual({ json: { ...rest, note: noted } });
	});
});
