import { CREATIONS_AT_A_TIME, Room } from '../../../nodes/PriceCollection/creation/room';
import type { Problem } from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';

const MINUTE = 60_000;
const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.create, effect: 'none' },
	...more,
});
const FULL = problem('rateLimited');
const UNREACHED = problem('connectionRefused');

/** A room with its own clock. Creations wait for it for up to ten minutes. */
function room() {
	let now = 1_000;
	const own = new Room(
		{ now: () => 1e12 + now, elapsed: () => now, random: () => 1 },
		1e12 + now + 10 * MINUTE,
	);
	return { own, pass: (milliseconds: number) => (now += milliseconds) };
}

/** Whether the room lets a refused creation be sent again. */
function tryAgain(own: Room, refusal: Problem): boolean {
	own.noteRefused(refusal);
	return own.mayTryAgain(refusal);
}

/** The pauses after these refusals. Each refusal comes when the previous pause has passed. */
function pausesAfter(refusals: Problem[], { hasTaken = true } = {}): Array<number | 'given up'> {
	const { own, pass } = room();
	if (hasTaken) own.noteAccepted();
	return refusals.map((refusal) => {
		if (!tryAgain(own, refusal)) return 'given up';
		const pause = own.closedFor();
		pass(pause);
		return pause;
	});
}
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

test('the first creation goes alone, then ten at a time, and one after a refusal', () => {
	const { own, pass } = room();
	expect(own.width()).toBe(1);
	own.noteAccepted();
	expect(own.width()).toBe(CREATIONS_AT_A_TIME);
	own.noteRefused(FULL);
	expect([own.width(), own.closedFor()]).toEqual([0, 500]);
	pass(500);
	expect(own.width()).toBe(1);
	own.noteAccepted();
	expect(own.width()).toBe(CREATIONS_AT_A_TIME);
});

test.each<[string, Problem[], Array<number | 'given up'>]>([
	['longer each time', times(8, FULL), [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
	['as long as the service asks', [problem('rateLimited', { retryAfterMs: 7_000 })], [7_000]],
	['not less than by itself', times(3, problem('rateLimited', { retryAfterMs: 0 })), [500, 1_000, 2_000]],
	['two minutes at the most', [problem('rateLimited', { retryAfterMs: 600_000 })], [120_000]],
	['by itself where years are asked for', [problem('rateLimited', { retryAfterMs: 1e12 })], [500]],
	['also where the service is out of reach', times(2, UNREACHED), [500, 1_000]],
])('a refused creation waits %s', (_name, refusals, pauses) => {
	expect(pausesAfter(refusals)).toEqual(pauses);
});

test('refusals that were under way together are one', () => {
	const { own, pass } = room();
	own.noteAccepted();
	for (let count = 0; count < 10; count++) own.noteRefused(FULL);
	expect(own.closedFor()).toBe(500);
	pass(500);
	own.noteRefused(FULL);
	expect(own.closedFor()).toBe(1_000);
});

test.each<[string, Problem]>([
	['something that it says about the request', problem('invalidValue')],
	['a reply that may mean a job', problem('rateLimited', { effect: 'unknown' })],
	['a lost connection', problem('connectionLost')],
])('is no matter of room: %s', (_name, refusal) => {
	const { own } = room();
	expect([tryAgain(own, refusal), own.isFull, own.width()]).toEqual([false, false, 1]);
});

test('is given up when the time to wait is over', () => {
	const { own, pass } = room();
	own.noteAccepted();
	pass(10 * MINUTE - 500);
	expect([tryAgain(own, FULL), own.isFull]).toEqual([true, false]);
	pass(500);
	expect([tryAgain(own, FULL), own.isFull]).toEqual([false, true]);
});

test('a service that was never reached is tried four times', () => {
	const unreached = pausesAfter(times(4, UNREACHED), { hasTaken: false });
	expect(unreached).toEqual([500, 1_000, 2_000, 'given up']);
	expect(pausesAfter(times(4, FULL), { hasTaken: false })).not.toContain('given up');
});
