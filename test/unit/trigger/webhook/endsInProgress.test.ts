import { ANSWERS } from '../../../../nodes/PriceCollection/trigger/webhook/answers';
import { CallbackMemory } from '../../../../nodes/PriceCollection/trigger/webhook/callbackMemory';
import type { Verdict } from '../../../../nodes/PriceCollection/trigger/webhook/callbackMemory';

const accepted = (job_id: string): Verdict => ({
	answer: ANSWERS.accepted,
	job: { job_id, status: 'finished' },
});

/** A memory whose clock moves by hand: who pauses waits until the pause is skipped. */
function world() {
	const state = { time: 1_800_000_000_000, skip: [] as Array<() => void> };
	const memory = new CallbackMemory({
		now: () => state.time,
		pause: async (_ms, signal) =>
			await new Promise<void>((resolve) => {
				state.skip.push(resolve);
				signal?.addEventListener('abort', () => resolve());
			}),
	});
	const once = async (jobId: string, look = async () => accepted(jobId)) => await memory.once(jobId, look);
	return { once, state };
}

const tick = async () => await new Promise((resolve) => setImmediate(resolve));

describe('an end that is being confirmed', () => {
	it('gives its duplicates the answer that it gets', async () => {
		const { once } = world();
		let finish: (verdict: Verdict) => void = () => undefined;
		const first = once('a', async () => await new Promise((resolve) => (finish = resolve)));
		const second = once('a');
		finish({ answer: ANSWERS.running });
		expect((await first).answer).toBe(ANSWERS.running);
		expect((await second).answer).toBe(ANSWERS.running);
	});

	it('is as if nobody had called when the look fails', async () => {
		const { once } = world();
		await expect(once('a', async () => await Promise.reject(new Error('broken')))).rejects.toThrow(
			'broken',
		);
		expect((await once('a')).job).toEqual({ job_id: 'a', status: 'finished' });
	});

	it('is not remembered when it was not accepted', async () => {
		const { once } = world();
		await once('a', async () => ({ answer: ANSWERS.running }));
		expect((await once('a')).job).toBeDefined();
	});
});

describe('an end that is being stored', () => {
	it('is settled by itself, whoever else is stored meanwhile', async () => {
		const { once } = world();
		const [x, y] = [await once('x'), await once('y')];
		y.settle(true);
		x.settle(false);
		expect((await once('y')).answer).toBe(ANSWERS.duplicate);
		expect((await once('x')).job).toBeDefined();
	});

	it('lets the same job come again when n8n could not store it', async () => {
		const { once } = world();
		(await once('a')).settle(false);
		expect((await once('a')).job).toBeDefined();
	});

	it('makes a duplicate wait, which is told "handled" only when it is stored', async () => {
		const { once } = world();
		const first = await once('a');
		const told: string[] = [];
		const second = once('a').then(({ answer }) => told.push(answer.message));
		await tick();
		expect(told).toEqual([]);
		first.settle(true);
		await second;
		expect(told).toEqual([ANSWERS.duplicate.message]);
	});

	it('makes a duplicate come again when it fails', async () => {
		const { once } = world();
		const first = await once('a');
		const second = once('a');
		first.settle(false);
		expect((await second).answer).toBe(ANSWERS.unstored);
	});

	it('makes a duplicate come again when storing takes long', async () => {
		const { once, state } = world();
		await once('a');
		const second = once('a');
		await tick();
		state.skip.forEach((skip) => skip());
		expect((await second).answer).toBe(ANSWERS.underWay);
	});

	it('counts as failed when n8n has said nothing for a quarter of an hour', async () => {
		const { once, state } = world();
		const lost = await once('a');
		state.time += 15 * 60_000;
		expect((await once('a')).job).toBeDefined();
		lost.settle(true);
		expect((await once('a')).answer).toBe(ANSWERS.duplicate);
	});

	it('is still being stored a moment earlier', async () => {
		const { once, state } = world();
		const first = await once('a');
		state.time += 15 * 60_000 - 1;
		const second = once('a');
		await tick();
		first.settle(true);
		expect(await second).toMatchObject({ answer: ANSWERS.duplicate });
	});

	it('that is late leaves the one after it under way', async () => {
		const { once, state } = world();
		const late = await once('a');
		state.time += 15 * 60_000;
		const next = await once('a');
		late.settle(false);
		const duplicate = once('a');
		await tick();
		next.settle(true);
		expect((await duplicate).answer).toBe(ANSWERS.duplicate);
	});

	it('is settled by the first word', async () => {
		const { once } = world();
		const first = await once('a');
		first.settle(true);
		first.settle(false);
		expect((await once('a')).answer).toBe(ANSWERS.duplicate);
		const second = await once('b');
		second.settle(false);
		second.settle(true);
		expect((await once('b')).job).toBeDefined();
	});
});

describe('an end that is stored', () => {
	it('is remembered as one of the latest 20,000', async () => {
		const { once } = world();
		for (let n = 0; n <= 20_000; n++) (await once(`j${n}`)).settle(true);
		expect((await once('j1')).answer).toBe(ANSWERS.duplicate);
		expect((await once('j0')).job).toBeDefined();
	});
});

describe('many calls at once', () => {
	it('are dealt with up to a limit, and as many duplicates wait', async () => {
		const { once, state } = world();
		let finish: (verdict: Verdict) => void = () => undefined;
		const waiting = new Promise<Verdict>((resolve) => (finish = resolve));
		const calls = Array.from(
			{ length: 500 },
			async (_, n) => await once(`j${n}`, async () => await waiting),
		);
		const duplicates = Array.from({ length: 500 }, async () => await once('j0'));
		expect((await once('one more')).answer).toBe(ANSWERS.busy);
		expect((await once('j0')).answer).toBe(ANSWERS.busy);
		finish({ answer: ANSWERS.unknownJob });
		await Promise.all([...calls, ...duplicates]);
		expect(state.skip).toHaveLength(500);
		expect((await once('one more')).job).toBeDefined();
		// Whoever has waited makes room for others who wait.
		const waits = once('one more');
		await tick();
		state.skip.forEach((skip) => skip());
		expect((await waits).answer).toBe(ANSWERS.underWay);
	});
});
