import type { IDataObject } from 'n8n-workflow';

import { newRecord, type JobRecord, type Run } from '../../../nodes/PriceCollection/run/record';
import {
	forAgent,
	readLinks,
	readTicket,
	ticketItems,
} from '../../../nodes/PriceCollection/delivery/tickets';
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

/** A node of an execution; `flow` is what all its nodes share. */
function node(flow: IDataObject = {}) {
	const getContext = (type: string) => (type === 'flow' ? flow : {});
	const { context, hints } = nodeContext({ more: { getContext } });
	const { client } = fakeClient({ now: () => NOW });
	const source = { previousNode: 'Items' };
	const run = { context, client, source, choices: { first: {} } } as unknown as Run;
	const itemOf = (record: JobRecord, givenUp = true, note?: string) =>
		JSON.parse(JSON.stringify(ticketItems(run, [record], givenUp, note)[0]?.json)) as IDataObject;
	return { context, hints, flow, run, itemOf };
}

describe('a Still Running item', () => {
	test('says what is known, until when it is waited for, and never carries results', () => {
		const { itemOf } = node();
		expect(readTicket(itemOf(RECORD))).toEqual({ ...TICKET, ...TIMES, job: RECORD.job });
		const job = { ...RECORD.job, progress: 40, results: [{ a: 1 }] };
		const note = 'A note';
		expect(itemOf({ ...RECORD, job }, true, note)).toEqual({ ...SHOWN, progress: 40, note });
		const unseen = itemOf({ ...newRecord('j', [{ item: 0 }]), deadline: DEADLINE });
		const ticket = { version: 1, since: NOW, timedOutNodes: ['Prices'] };
		expect(unseen).toEqual({ ...SHOWN, status: '', checked_at: '2026-11-21T10:00:00.000Z', ticket });
	});

	test('repeats what the service says of its job until the record of another node holds that', () => {
		const { itemOf } = node();
		const record = { ...RECORD, job: { ...RECORD.job, progress: 40 } };
		const shown = (source: object, isEnd: boolean) =>
			itemOf({ ...record, requesters: [{ item: 0, ...source }] }, isEnd);
		const source = { source: { previousNode: 'Items' } };
		expect(shown(source, false)).toEqual(SHOWN);
		for (const item of [shown(source, true), shown({}, false)])
			expect(item).toEqual({ ...SHOWN, progress: 40 });
	});

	test('says why its job could not be asked for, and that rows beside it have left', () => {
		const silent = { kind: 'timedOut', endpoint: ENDPOINTS.get, effect: 'none' } as const;
		const trouble = { ...silent, reason: 'busy', comment: 'soon', detail: 'Details: socket' };
		const said = 'The latest request about this job failed: The service did not answer in time';
		const note = `${said} (busy; soon; Details: socket).`;
		const ticket = { ...SHOWN.ticket, wasUnsentOutput: true };
		const { itemOf } = node();
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

	test('alone names its own job, and keeps its times whatever its ticket is', () => {
		for (const other of [{ still_running: undefined }, { job_id: '' }, { still_running: 'true' }])
			expect(readTicket({ ...SHOWN, ...other })).toBeUndefined();
		expect(readTicket({ ...SHOWN, job_id: 7 })).toBeUndefined();
		const job = { job_id: 'j', status: '' };
		expect(readTicket({ job_id: 'j', still_running: true })).toEqual({ job });
		const tickets = [
			undefined,
			TICKET,
			{ version: 2, ...TICKET },
			{ version: 1, timedOutNodes: [] },
			'x',
		];
		for (const ticket of tickets)
			expect(readTicket({ ...SHOWN, ticket } as IDataObject)).toEqual({ ...TIMES, job: RECORD.job });
	});
});

describe('the records of jobs that left', () => {
	const requester = { item: 0, lookups: [[0, 'kettle']] as Array<[number, string]> };
	const request = { parameters: { topic: 'search' }, key: 'term', values: ['kettle'] };

	test('are those that each node has stored, without what is of one look, a secret or of this node only', () => {
		const { run, context, flow, hints } = node();
		const problem = { kind: 'jobNotFound', endpoint: ENDPOINTS.get, effect: 'none' } as const;
		const aside = { item: 1, position: 0, error: { error: 'x' } };
		const secret = { ...request, parameters: { ...request.parameters, webhook_url: 'https://me.test' } };
		const left: JobRecord = {
			...newRecord('a', [{ ...requester, inputIndex: 7 }], secret),
			...{ problem, trouble: problem, creation: { sentAt: 1, executionId: '' } },
			unsent: [{ ...aside, inputIndex: 7 }],
		};
		ticketItems(run, [left], true);
		ticketItems(node(flow).run, [newRecord('b', [requester])], true);
		ticketItems(run, [], true);
		const links = readLinks(context);
		const { source } = run;
		expect([...links.keys(), links.get('constructor')]).toEqual(['a', 'b', undefined]);
		const kept = newRecord('a', [{ ...requester, source }], request);
		expect(links.get('a')).toEqual({ ...kept, unsent: [{ ...aside, source }] });
		expect(hints).toEqual([]);
	});

	test.each<[IDataObject, string]>([
		[{ version: 99 }, 'was written by another version of this package'],
		[{ version: 1, jobs: { a: { job: { job_id: 'a' } } } }, 'is damaged at jobs.a'],
	])('are none where they cannot be read, and a hint says what that means: %j', (stored, reason) => {
		const { context, hints } = node({ priceCollectionJobs: stored });
		expect(readLinks(context).size).toBe(0);
		const message = `The record of who asked for the jobs that still run ${reason}. It is not known which items asked for these jobs, so their rows have no input fields.`;
		expect(hints).toEqual([{ message, type: 'warning', location: 'outputPane' }]);
	});
});
