import { ANSWERS, type Answer } from '../../../../nodes/PriceCollection/trigger/webhook/answers';
import { EndsInProgress } from '../../../../nodes/PriceCollection/trigger/webhook/endsInProgress';

const MINUTE = 60_000;

/** Ends whose clock moves by hand; `skip` ends the pauses of those who wait. */
function world() {
	const state = { time: 1_800_000_000_000, skip: [] as Array<() => void>, signals: [] as AbortSignal[] };
	const ends = new EndsInProgress({
		now: () => state.time,
		pause: async (_ms, signal) =>
			await new Promise<void>((resolve) => {
				state.skip.push(resolve);
				if (signal !== undefined) state.signals.push(signal);
				signal?.addEventListener('abort', () => resolve());
			}),
	});
	return { ends, state };
}

const tick = async () => await new Promise((resolve) => setImmediate(resolve));

describe('an end that is on its way', () => {
	it('is found by its trigger and job', () => {
		const { ends } = world();
		const end = ends.begin('t', 'a');
		expect(ends.find('t', 'a')).toBe(end);
		expect([ends.find('u', 'a'), ends.find('t', 'b')]).toEqual([undefined, undefined]);
	});

	it('tells others how it went, once that is known', async () => {
		const { ends, state } = world();
		const end = ends.begin('t', 'a');
		const told: Array<Answer | undefined> = [];
		void ends.outcomeOf(end).then((answer) => told.push(answer));
		await tick();
		expect(told).toEqual([]);
		end.settle(ANSWERS.running);
		await tick();
		expect(told).toEqual([ANSWERS.running]);
		expect(state.signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	it('sends others away who have waited for ten seconds', async () => {
		const { ends, state } = world();
		const waiting = ends.outcomeOf(ends.begin('t', 'a'));
		state.skip.forEach((skip) => skip());
		expect(await waiting).toBe(ANSWERS.inProgress);
	});

	it('stays for a quarter of an hour where it was handed over', () => {
		const { ends, state } = world();
		ends.begin('t', 'a').settle(ANSWERS.duplicate);
		state.time += 15 * MINUTE - 1;
		expect(ends.find('t', 'a')).toBeDefined();
		state.time += 1;
		expect(ends.find('t', 'a')).toBeUndefined();
	});

	it('may come again at once where it was not', () => {
		const { ends } = world();
		ends.begin('t', 'a').settle(ANSWERS.notStored);
		expect(ends.find('t', 'a')).toBeUndefined();
	});

	it('is settled by the first word, and leaves alone the one that came after it', async () => {
		const { ends, state } = world();
		const late = ends.begin('t', 'a');
		state.time += 15 * MINUTE;
		const next = ends.begin('t', 'a');
		late.settle(ANSWERS.unconfirmed);
		expect(ends.find('t', 'a')).toBe(next);
		next.settle(ANSWERS.duplicate);
		next.settle(ANSWERS.notStored);
		expect(ends.find('t', 'a')).toBe(next);
		expect(await ends.outcomeOf(next)).toBe(ANSWERS.duplicate);
	});

	it('is one of 20,000', () => {
		const { ends } = world();
		for (let n = 0; n <= 20_000; n++) ends.begin('t', `j${n}`);
		expect([ends.find('t', 'j0'), ends.find('t', 'j1') === undefined]).toEqual([undefined, false]);
	});
});
