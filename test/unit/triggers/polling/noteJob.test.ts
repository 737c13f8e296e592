import { noteJob } from '../../../../nodes/PriceCollection/triggers/polling/noteJob';
import type { PollState, PollReading } from '../../../../nodes/PriceCollection/triggers/polling/pollingState';
import type { Job } from '../../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../../fakeClient';
import { ago, ended, HOUR, knows, MINUTE, NOW, queueOf, stateOf } from './polls';

const { endOf } = fakeClient({}).client;
const first: PollReading = { isSorted: true, missing: 0, isFirst: true, begunAt: NOW - MINUTE };
const running: Job = { job_id: 'a', status: 'working', created_at: ago(HOUR) };
const hidden: Job = { ...running, status: ' ' };
const over = ended('a', HOUR);
const undated: Job = { job_id: 'a', status: 'finished' };
const failing = { failingSince: 1, tryAt: 2 };
const at = (terminated: number): Job => ({ ...over, terminated_at: new Date(terminated).toISOString() });
/** The first reading of an account, with what was noted before. */
const firstWith = (more: Partial<PollState> = {}) => stateOf([], {}, { reading: { ...first }, ...more });
const forgot = (forgotten: number, more: Partial<PollState> = {}) =>
	stateOf([], {}, { forgotten, lastEnd: NOW, ...more });
const opened = () => ({ open: new Map([['a', failing]]) });

/** Where the state keeps the job afterwards. */
const placeOf = (state: PollState) =>
	(['open', 'found', 'queue'] as const).filter((name) => state[name].has('a')).join() ||
	knows(state, 'a').join();

it.each<[string, PollState, Job, string, boolean]>([
	['one that runs', stateOf(), running, 'open', true],
	['one that runs, seen before', stateOf([], { a: failing }), running, 'open', false],
	['one that runs again', stateOf(['a']), running, 'a', false],
	['one without status', stateOf(), hidden, 'open', true],
	['one without status, handled', stateOf(['a']), hidden, 'a', false],
	['one that ended', stateOf(), over, 'found', true],
	['one that ended and was open', stateOf([], { a: {} }), over, 'found', false],
	['one that was found', stateOf([], {}, { found: new Map([['a', over]]) }), over, 'found', false],
	['one that waits', stateOf([], {}, { queue: queueOf([over]) }), running, 'queue', false],
	['one that is handled', stateOf(['a']), over, 'a', false],
	['an end before the first poll', stateOf([], {}, { since: NOW }), over, 'a', false],
	['an open one of before the first poll', stateOf([], { a: {} }, { since: NOW }), over, 'a', false],
	['an end since the first poll', stateOf([], {}, { since: NOW - HOUR + MINUTE }), over, 'found', true],
	['an end of unknown time', stateOf([], {}, { since: NOW }), undated, 'found', true],
	['an end when nothing is old', firstWith({ reading: { ...first, isFirst: false } }), over, 'found', true],
	['an end of the first reading', firstWith(), over, 'a', false],
	['one just before it', firstWith(), at(NOW - MINUTE), 'a', false],
	['one during it', firstWith(), at(NOW - MINUTE + 1), 'found', true],
	['one ahead of the clock', firstWith(), at(NOW + 1), 'a', false],
	['one of unknown time', firstWith(), undated, 'a', false],
	['one that it has seen running', firstWith(opened()), over, 'found', false],
	['an end of a forgotten time', forgot(NOW - HOUR + MINUTE), over, '', false],
	['one after that time', forgot(NOW - HOUR + MINUTE - 1), over, 'found', true],
	['one of a forgotten time that was open', forgot(NOW, opened()), over, 'found', false],
	['a job of a forgotten time without status', forgot(NOW - HOUR), hidden, '', false],
	['a running job of a forgotten time', forgot(NOW), running, 'open', true],
])('notes %s', (_name, state, job, place, isNews) => {
	expect(noteJob(state, job, { endOf, present: NOW })).toBe(isNews);
	expect(placeOf(state)).toBe(place);
});

it('open jobs take turns: what was seen to run is the last, and forgets its failures', () => {
	const state = stateOf([], { a: failing, b: failing, c: {} });
	noteJob(state, running, { endOf, present: NOW });
	expect([...state.open]).toEqual(Object.entries({ b: failing, c: {}, a: {} }));
	noteJob(state, { job_id: 'b', status: '' }, { endOf, present: NOW });
	expect([...state.open.keys()].join('')).toBe('bca');
});

it('without any dates, what is still listed is remembered longest', () => {
	const state = stateOf(['a', 'b']);
	noteJob(state, undated, { endOf, present: NOW });
	expect([...state.handled]).toEqual([...stateOf(['b', 'a']).handled]);
});
