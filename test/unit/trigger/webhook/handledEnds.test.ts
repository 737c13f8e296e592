import { HandledEnds } from '../../../../nodes/PriceCollection/trigger/webhook/handledEnds';

/** A store that answers when it is told to. */
function slowStore() {
	const calls: Array<{ jobIds: string[]; answer: (fresh: string[]) => void }> = [];
	const record = async (jobIds: string[]) =>
		await new Promise<string[]>((answer) => calls.push({ jobIds, answer }));
	return { calls, record };
}
const tick = async () => await new Promise((resolve) => setImmediate(resolve));

describe('the ends that n8n is asked about', () => {
	it('go into one call while the one before is under way', async () => {
		const { calls, record } = slowStore();
		const ends = new HandledEnds();
		const first = ends.isFirst('t', 'a', record);
		await tick();
		const next = ['b', 'c', 'b', 'a'].map(async (jobId) => await ends.isFirst('t', jobId, record));
		await tick();
		expect(calls.map(({ jobIds }) => jobIds)).toEqual([['a']]);
		calls[0]?.answer(['a']);
		expect(await first).toBe(true);
		await tick();
		expect(calls[1]?.jobIds).toEqual(['b', 'c', 'a']);
		calls[1]?.answer(['b', 'c']);
		expect(await Promise.all(next)).toEqual([true, true, false, false]);
	});

	it('are noted for whoever waits for it, except where that fails', async () => {
		const { calls, record } = slowStore();
		const ends = new HandledEnds();
		// No execution has run in this process: they all may run in others.
		await ends.noted('t', 'a');
		const noted: string[] = [];
		const first = ends.isFirst('t', 'a', record);
		for (const jobId of ['a', 'b']) void ends.noted('t', jobId).then(() => noted.push(jobId));
		await tick();
		expect(noted).toEqual([]);
		calls[0]?.answer(['a']);
		await first;
		await tick();
		expect(noted).toEqual(['a']);
		const failing = ends.isFirst('t', 'b', async () => await Promise.reject(new Error('closed')));
		await expect(failing).rejects.toThrow('closed');
		expect(noted).toEqual(['a']);
		const last = ends.isFirst('t', 'c', record);
		await tick();
		calls[1]?.answer(['c']);
		expect(await last).toBe(true);
	});

	it('do not wait for those of another trigger', async () => {
		const { calls, record } = slowStore();
		const ends = new HandledEnds();
		void ends.isFirst('t', 'a', record);
		void ends.isFirst('u', 'a', record);
		await tick();
		expect(calls.map(({ jobIds }) => jobIds)).toEqual([['a'], ['a']]);
	});
});
