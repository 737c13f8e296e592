import type { IDataObject } from 'n8n-workflow';

import { newRecord, type JobRecord, type Run } from '../../../nodes/PriceCollection/run/record';
import { readLinks, readTicket, storeLinks } from '../../../nodes/PriceCollection/run/tickets';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const TIMES = { deadline: Date.parse('2026-11-22T10:00:00.000Z'), checkedAt: NOW - 5_000 };
const TICKET = { since: NOW, timedOutNodes: ['Prices'], deniedSince: NOW - 1 };
const SHOWN = {
	...{ job_id: 'j', status: 'working', still_running: true },
	...{ checked_at: '2026-11-21T09:59:55.000Z', deadline: '2026-11-22T10:00:00.000Z' },
	ticket: { version: 1, ...TICKET },
};

test('a Still Running item alone names its own job, and keeps its times whatever its ticket is', () => {
	for (const other of [{ still_running: undefined }, { job_id: '' }, { still_running: 'true' }])
		expect(readTicket({ ...SHOWN, ...other })).toBeUndefined();
	expect(readTicket({ ...SHOWN, job_id: 7 })).toBeUndefined();
	const job = { job_id: 'j', status: '' };
	expect(readTicket({ job_id: 'j', still_running: true })).toEqual({ job });
	const tickets = [undefined, TICKET, { version: 2, ...TICKET }, { version: 1, timedOutNodes: [] }, 'x'];
	for (const ticket of tickets)
		expect(readTicket({ ...SHOWN, ticket } as IDataObject)).toEqual({
			...TIMES,
			job: { job_id: 'j', status: 'working' },
		});
});

/** A node of an execution. All its nodes share `flow`. */
function node(flow: IDataObject = {}) {
	const getContext = (type: string) => (type === 'flow' ? flow : {});
	const { context, hints } = nodeContext({ more: { getContext } });
	const { client } = fakeClient({});
	const run = { context, client, source: { previousNode: 'Items' } } as unknown as Run;
	return { context, hints, flow, run };
}

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
		storeLinks(run, [left]);
		storeLinks(node(flow).run, [newRecord('b', [requester])]);
		storeLinks(run, []);
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
		const message = `The record of the items that asked for the running jobs ${reason}. It is not known which items asked for these jobs, so their rows have no input fields.`;
		expect(hints).toEqual([{ message, type: 'warning', location: 'outputPane' }]);
	});
});
