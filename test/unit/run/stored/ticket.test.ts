import {
	deadlineOf,
	originOf,
	readTicket,
	serviceFields,
	stillRunningItem,
	withoutTicket,
} from '../../../../nodes/PriceCollection/run/stored/ticket';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const DEADLINE = Date.parse('2026-11-22T10:00:00.000Z');

const planned = {
	parameters: {
		topic: 'search',
		key: 'gtin',
		webhook_url: 'https://n8n.test/webhook-waiting/1?signature=x',
	},
	key: 'gtin',
	values: ['0001', '2'],
	items: [0, 3],
	group: 0,
};
const source = { previousNode: 'Items', previousNodeOutput: 0 };
const asked = new Map([
	[0, ['1', '9']],
	[3, ['2', '0001']],
]);
const origin = originOf({ planned, recovered: false }, asked, source, ['webhook_url']);

describe('a Still Running item', () => {
	it('says what is known, until when it is waited for, and never carries results', () => {
		const job = { job_id: 'j', status: 'working', progress: 40, results: [{ a: 1 }] };
		expect(stillRunningItem(job, { checkedAt: NOW, deadline: DEADLINE })).toEqual({
			job_id: 'j',
			status: 'working',
			still_running: true,
			checked_at: '2026-11-21T10:00:00.000Z',
			deadline: '2026-11-22T10:00:00.000Z',
			progress: 40,
		});
	});

	it('takes nothing over from an earlier ticket of the same job', () => {
		const earlier = stillRunningItem(
			{ job_id: 'j', status: 'new' },
			{ checkedAt: NOW, deadline: NOW },
			{
				givenUpBy: 'A',
				origin,
				namedBy: { source, items: [1] },
			},
			'old',
		);
		expect(serviceFields(earlier)).toEqual({ job_id: 'j', status: 'new' });
	});

	it('survives the database', () => {
		const item = stillRunningItem(
			{ job_id: 'j', status: 'new' },
			{ checkedAt: NOW, deadline: DEADLINE },
			{
				origin,
				namedBy: { source, items: [1, 2] },
				givenUpBy: 'Prices',
			},
		);
		const stored = JSON.parse(JSON.stringify(item)) as typeof item;
		expect(readTicket(stored, 'j')).toEqual({
			deadline: DEADLINE,
			givenUpBy: 'Prices',
			origin,
			namedBy: { source, items: [1, 2] },
		});
		expect(withoutTicket(stored)).not.toHaveProperty('ticket');
	});
});

describe('the origin of a job', () => {
	it('holds the values of each asker that are in this job, as the asker spells them', () => {
		expect(origin).toEqual({
			source,
			parameters: { topic: 'search', key: 'gtin' },
			key: 'gtin',
			values: ['0001', '2'],
			asked: [
				{ item: 0, values: ['1'] },
				{ item: 3, values: ['2', '0001'] },
			],
			recovered: false,
		});
	});
});

describe('readTicket', () => {
	const item = stillRunningItem(
		{ job_id: 'j', status: 'new' },
		{ checkedAt: NOW, deadline: DEADLINE },
		{ origin },
	);

	it.each([
		['a result', { job_id: 'j', success: true, deadline: item.deadline }],
		['another job', { ...item, job_id: 'other' }],
		['nothing', {}],
	])('reads nothing from %s', (_name, json) => {
		expect(readTicket(json, 'j')).toEqual({});
	});

	it.each([
		['no list of values', { values: 'x' }],
		['values that are no text', { values: [1] }],
		['askers without values', { asked: [{ item: 1 }] }],
		['askers without a place', { asked: [{ item: 'a', values: [] }] }],
		['a source that is none', { source: 'Items' }],
		['no key', { key: undefined }],
		['no parameters', { parameters: [] }],
	])('says so of an origin with %s, and keeps the deadline', (_name, spoilt) => {
		const json = { ...item, ticket: { version: 1, origin: { ...origin, ...spoilt } } };
		expect(readTicket(json, 'j')).toEqual({
			deadline: DEADLINE,
			unreadable: expect.stringMatching(/^The link of the Still Running item is damaged at origin\./),
		});
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
		['ends a loop', { deadline: NOW - 1, givenUpBy: 'Wait' }, durable, NOW],
		[
			'waits anew for what another node gave up',
			{ deadline: NOW, givenUpBy: 'X' },
			durable,
			NOW + 60_000,
		],
	])('%s', (_name, ticket, settings, expected) => {
		expect(deadlineOf(ticket, 'Wait', NOW, settings)).toBe(expected);
	});
});
