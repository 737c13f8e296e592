import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import { ChoiceReader } from '../../../nodes/PriceCollection/settings/resultChoice';
import { jobLinksFormat, ticketFormat } from '../../../nodes/PriceCollection/run/formats';
import { deadlineOf, readNamedJobs } from '../../../nodes/PriceCollection/waiting/namedJobs';
import { newRecord, type JobRecord } from '../../../nodes/PriceCollection/run/record';
import { nodeContext, type FakeNode } from '../nodeContext';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const LATER = NOW + 24 * 3_600_000;
const durable = { mode: 'durable', maxWaitMs: 60_000 } as const;
const poll = { ...durable, mode: 'poll' } as const;

test.each([
	['counts Max Wait from now without a ticket', {}, durable, NOW + 60_000],
	['keeps the deadline of a loop', { deadline: LATER }, durable, LATER],
	['keeps it even when it has passed', { deadline: NOW - 1 }, durable, NOW - 1],
	['never polls for longer than Max Wait', { deadline: LATER }, poll, NOW + 60_000],
	['ends with the execution', { deadline: LATER }, { ...durable, latest: NOW + 9 }, NOW + 9],
	['polls until an earlier deadline', { deadline: NOW + 5 }, poll, NOW + 5],
	['ends a loop', { deadline: NOW - 1, timedOutNodes: ['Wait'] }, durable, NOW],
	['ends a loop through other nodes', { deadline: NOW - 1, timedOutNodes: ['Wait', 'X'] }, durable, NOW],
	[
		'begins again for a job that another node gave up',
		{ deadline: NOW, timedOutNodes: ['X'] },
		durable,
		NOW + 60_000,
	],
	[
		'keeps that deadline then, each time that the job comes back',
		{ deadline: LATER, timedOutNodes: ['X'], isTakenUp: true },
		durable,
		LATER,
	],
])('the wait for a named job %s', (_name, ticket, settings, expected) => {
	expect(deadlineOf(ticket, 'Wait', settings, NOW)).toBe(expected);
});

/** The jobs that items name, in an execution whose nodes left these records. */
async function named(node: FakeNode, left: JobRecord[] = [], wait: typeof durable | null = durable) {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	const jobs = Object.fromEntries(left.map((record) => [record.job.job_id, record]));
	const flow = { priceCollectionJobs: jobLinksFormat.write({ jobs }) };
	const { context } = nodeContext({ ...node, more: { getContext: () => flow, ...node.more } });
	const fields = new NodeFields(context);
	return await readNamedJobs(context, fields, new ChoiceReader(context, fields), wait ?? undefined);
}
afterEach(() => jest.restoreAllMocks());

const BY_ID = { parameters: { jobId: '={{ $json.id.trim() }}' } };

test('each job is named once, by a ticket or a field, and a wrong item has its error', async () => {
	const deadline = new Date(LATER).toISOString();
	const ticket = { job_id: 'b', status: 'working', still_running: true, deadline };
	const node = {
		...BY_ID,
		items: [{}, ticket, {}, ticket, {}],
		expressions: { '={{ $json.id.trim() }}': (item: number) => (item === 4 ? '' : 'a') },
		more: { continueOnFail: () => true },
	};
	const { records, unsent } = await named(node);
	const byField = { ...newRecord('a', [{ item: 0 }, { item: 2 }]), since: NOW, deadline: NOW + 60_000 };
	const byTicket = { ...newRecord('b', [{ item: 1 }]), since: NOW, deadline: LATER };
	expect(records).toEqual([byField, { ...byTicket, job: { job_id: 'b', status: 'working' } }]);
	expect(unsent).toMatchObject([{ item: 4, position: 0, error: { error: 'Job is empty' } }]);
	await expect(named({ ...node, more: {} })).rejects.toThrow('Job is empty');
	// Without a wait, a job is due now.
	const { records: due } = await named({ parameters: { jobId: 'a' } }, [], null);
	expect(due.map(({ deadline }) => deadline)).toEqual([NOW]);
});

describe('a job that this execution left', () => {
	const request = { parameters: {}, key: 'term', values: ['a'] };
	const aside = { item: 4, position: 0, error: { error: 'x' } };
	const left = { ...newRecord('a', [{ item: 3 }], request), unsent: [aside] };
	const ticketOf = (more: object) => ({
		job_id: 'a',
		still_running: true,
		ticket: ticketFormat.write({ since: 1, timedOutNodes: [], ...more }),
	});

	test('is still asked for by the items that asked, at the item that names it first', async () => {
		const { records } = await named({ parameters: { jobId: 'a' }, items: [{}, {}] }, [left]);
		const requesters = [{ item: 3, inputIndex: 0 }];
		expect(records).toMatchObject([{ request, requesters, unsent: [{ ...aside, inputIndex: 0 }] }]);
	});

	test.each([
		['goes with what was beside it', {}, [{ ...aside, inputIndex: 0 }]],
		['goes alone once that is output', { wasUnsentOutput: true }, []],
	])('%s, as its ticket says', async (_name, more, unsent) => {
		const stored = { ...left, wasUnsentOutput: true };
		const { records } = await named({ items: [ticketOf(more)] }, [stored]);
		expect(records).toMatchObject([{ since: 1, unsent }]);
	});

	test('is named anew by an item without a ticket where nobody asked for values', async () => {
		const { records } = await named({ parameters: { jobId: 'a' } }, [newRecord('a', [{ item: 3 }])]);
		expect(records).toMatchObject([{ requesters: [{ item: 0 }] }]);
		const again = await named({ items: [ticketOf({})] }, [newRecord('a', [{ item: 3 }])]);
		expect(again.records).toMatchObject([{ requesters: [{ item: 3, inputIndex: 0 }] }]);
	});
});

test('of the prices to compare, those from here count where they are set', async () => {
	const lookups: Array<[number, string]> = [[0, 'a']];
	const request = { parameters: {}, key: 'term', values: ['a'] };
	const record = newRecord('j', [{ item: 3, lookups, inputPrices: { own: 1, previous: 2 } }], request);
	const prices = { ownPrice: '={{ own }}', previousPrice: '={{ previous }}' };
	const expressions = { '={{ own }}': () => null, '={{ previous }}': () => 5 };
	const { records } = await named({ parameters: { jobId: 'j', ...prices }, expressions }, [record]);
	const requester = { item: 3, inputIndex: 0, lookups, inputPrices: { own: 1, previous: 5 } };
	expect(records).toMatchObject([{ request, requesters: [requester], deadline: NOW + 60_000 }]);
});
