import { deadlineOf } from '../../../nodes/PriceCollection/run/named';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const LATER = NOW + 24 * 3_600_000;
const durable = { now: NOW, mode: 'durable', maxWaitMs: 60_000 } as const;
const poll = { ...durable, mode: 'poll' } as const;

test.each([
	['counts Max Wait from now without a ticket', {}, durable, NOW + 60_000],
	['keeps the deadline of a loop', { deadline: LATER }, durable, LATER],
	['keeps it even when it has passed', { deadline: NOW - 1 }, durable, NOW - 1],
	['never polls for longer than Max Wait', { deadline: LATER }, poll, NOW + 60_000],
	['polls until an earlier deadline', { deadline: NOW + 5 }, poll, NOW + 5],
	['ends a loop', { deadline: NOW - 1, givenUpBy: ['Wait'] }, durable, NOW],
	['ends a loop through other nodes', { deadline: NOW - 1, givenUpBy: ['Wait', 'X'] }, durable, NOW],
	['waits anew for what another node gave up', { deadline: NOW, givenUpBy: ['X'] }, durable, NOW + 60_000],
])('the wait for a named job %s', (_name, ticket, settings, expected) => {
	expect(deadlineOf(ticket, 'Wait', settings)).toBe(expected);
});
