import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import {
	recordingInTurns,
	StartedJobs,
} from '../../../../nodes/PriceCollection/triggers/webhook/processedJobs';

const tick = async () => await new Promise((resolve) => setImmediate(resolve));

describe('the jobs that n8n is asked about', () => {
	/** A store that answers when the test lets it. */
	function slowStore() {
		const calls: Array<{ jobIds: string[]; answer: (fresh: string[]) => void }> = [];
		const record = async (jobIds: string[]) =>
			await new Promise<string[]>((answer) => calls.push({ jobIds, answer }));
		return { calls, record, isFirst: recordingInTurns() };
	}

	it('go into one call while the one before is under way', async () => {
		const { calls, record, isFirst } = slowStore();
		const first = isFirst('t', 'a', record);
		await tick();
		const next = ['b', 'c', 'b', 'a'].map(async (jobId) => await isFirst('t', jobId, record));
		// Another trigger does not wait.
		void isFirst('u', 'a', record);
		await tick();
		expect(calls.map(({ jobIds }) => jobIds)).toEqual([['a'], ['a']]);
		calls[0]?.answer(['a']);
		expect(await first).toBe(true);
		await tick();
		expect(calls[2]?.jobIds).toEqual(['b', 'c', 'a']);
		calls[2]?.answer(['b', 'c']);
		expect(await Promise.all(next)).toEqual([true, true, false, false]);
	});

	it('come again in a call of their own after one that failed', async () => {
		const { calls, record, isFirst } = slowStore();
		const failing = isFirst('t', 'a', async () => await Promise.reject(new Error('closed')));
		await expect(failing).rejects.toThrow('closed');
		const next = isFirst('t', 'a', record);
		await tick();
		calls[0]?.answer(['a']);
		expect(await next).toBe(true);
	});
});

describe('the jobs that have started a workflow', () => {
	/** Executions of one process, in an n8n whose store knows some jobs, or fails. */
	function process({ known = [] as string[], broken = false } = {}) {
		const asked: unknown[] = [];
		const warned: string[] = [];
		const jobs = new StartedJobs();
		const execution = (kept: IDataObject = {}) => {
			const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
				getContext: () => kept,
				getNode: () => ({ id: 'trigger', name: 'Job Ended' }),
				getWorkflow: () => ({ id: 'workflow' }),
				logger: { warn: (message: string) => warned.push(message) },
				helpers: {
					checkProcessedAndRecord: async (...given: [string[], ...unknown[]]) => {
						asked.push(given);
						if (broken) throw new Error('locked');
						return { new: given[0].filter((jobId) => !known.includes(jobId)), processed: known };
					},
				},
			};
			return async () => await jobs.record(context as unknown as IExecuteFunctions, 'a');
		};
		return { asked, warned, execution, has: () => jobs.has('workflow\ntrigger', 'a') };
	}

	it("begin with one that n8n's store does not know, and are known to the process from then on", async () => {
		const { asked, warned, execution, has } = process();
		expect(has()).toBe(false);
		expect(await execution()()).toBe(true);
		expect([has(), warned]).toEqual([true, []]);
		expect(asked).toEqual([[['a'], 'node', { mode: 'entries', maxEntries: 2_000 }]]);
	});

	it('end with one that it knows, which the process then knows as well', async () => {
		const { execution, has } = process({ known: ['a'] });
		expect([await execution()(), has()]).toEqual([false, true]);
	});

	it('are the own ones of an execution in each of its tries', async () => {
		const { asked, execution } = process();
		const again = execution();
		expect([await again(), await again()]).toEqual([true, true]);
		expect(asked).toHaveLength(1);
	});

	it('begin, in words, where the store cannot be asked, and may begin again', async () => {
		const { execution, has, warned } = process({ broken: true });
		expect([await execution()(), has()]).toEqual([true, false]);
		expect(warned).toEqual([
			'Job Ended: n8n could not tell whether job a has already started the workflow, so it starts now: Error: locked',
		]);
	});
});
