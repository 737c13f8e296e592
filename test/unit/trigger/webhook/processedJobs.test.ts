import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ANSWERS } from '../../../../nodes/PriceCollection/trigger/webhook/answers';
import { EndsInProgress } from '../../../../nodes/PriceCollection/trigger/webhook/endsInProgress';
import { ProcessedJobs, startOnce } from '../../../../nodes/PriceCollection/trigger/webhook/processedJobs';
import { fixedClock } from '../../fixedClock';

/** A store that answers when it is told to. */
function slowStore() {
	const calls: Array<{ jobIds: string[]; answer: (fresh: string[]) => void }> = [];
	const record = async (jobIds: string[]) =>
		await new Promise<string[]>((answer) => calls.push({ jobIds, answer }));
	return { calls, record };
}
const tick = async () => await new Promise((resolve) => setImmediate(resolve));

describe('the jobs that n8n is asked about', () => {
	it('go into one call while the one before is under way', async () => {
		const { calls, record } = slowStore();
		const jobs = new ProcessedJobs();
		const first = jobs.isFirst('t', 'a', record);
		await tick();
		const next = ['b', 'c', 'b', 'a'].map(async (jobId) => await jobs.isFirst('t', jobId, record));
		await tick();
		expect(calls.map(({ jobIds }) => jobIds)).toEqual([['a']]);
		calls[0]?.answer(['a']);
		expect(await first).toBe(true);
		await tick();
		expect(calls[1]?.jobIds).toEqual(['b', 'c', 'a']);
		calls[1]?.answer(['b', 'c']);
		expect(await Promise.all(next)).toEqual([true, true, false, false]);
	});

	it('come again in a call of their own after one that failed', async () => {
		const { calls, record } = slowStore();
		const jobs = new ProcessedJobs();
		const failing = jobs.isFirst('t', 'a', async () => await Promise.reject(new Error('closed')));
		await expect(failing).rejects.toThrow('closed');
		const next = jobs.isFirst('t', 'a', record);
		await tick();
		calls[0]?.answer(['a']);
		expect(await next).toBe(true);
	});

	it('do not wait for those of another trigger', async () => {
		const { calls, record } = slowStore();
		const jobs = new ProcessedJobs();
		void jobs.isFirst('t', 'a', record);
		void jobs.isFirst('u', 'a', record);
		await tick();
		expect(calls.map(({ jobIds }) => jobIds)).toEqual([['a'], ['a']]);
	});
});

describe('the start of an execution', () => {
	/** What starts with an item of a job, in an n8n whose store knows some jobs, or cannot be asked. */
	async function start(
		json: IDataObject,
		{ mode = 'webhook', options = {}, known = [] as string[], broken = false } = {},
	) {
		const asked: unknown[] = [];
		const warned: string[] = [];
		const items = [{ json }];
		const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
			getInputData: () => items,
			getNodeParameter: (path: string) => (options as IDataObject)[path.replace('options.', '')],
			getMode: () => mode,
			getNode: () => ({ id: 'trigger', name: 'Job Ended', parameters: { options } }),
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
		const ends = new EndsInProgress(fixedClock());
		const end = ends.begin('workflow\ntrigger', 'a');
		const told: unknown[] = [];
		void end.outcome.then((answer) => told.push(answer));
		const execute = startOnce(new ProcessedJobs(), ends);
		const outputs = await execute.call(context as unknown as IExecuteFunctions);
		await tick();
		return { hasStarted: outputs[0] === items, outputs, asked, warned, told };
	}
	const ITEM = { job_id: 'a' };

	it("goes on with the end of a job that n8n's store does not know", async () => {
		const { hasStarted, asked, warned, told } = await start(ITEM);
		expect([hasStarted, told]).toEqual([true, [ANSWERS.duplicate]]);
		expect(asked).toEqual([[['a'], 'node', { mode: 'entries', maxEntries: 2_000 }]]);
		expect(warned).toEqual([]);
	});

	it('ends with the end of a job that it knows', async () => {
		expect((await start(ITEM, { known: ['a'] })).outputs).toEqual([[]]);
	});

	it.each([
		['by hand', ITEM, { mode: 'manual' }],
		['in a retry', ITEM, { mode: 'retry' }],
		['where duplicates are wanted', ITEM, { options: { ignoreDuplicates: false } }],
		['with an item that names no job', { job_id: 7 }, {}],
		['with an item that names none at all', {}, {}],
	])('goes on without asking %s', async (_name, json, more) => {
		const { hasStarted, asked } = await start(json, { known: ['a'], ...more });
		expect([hasStarted, asked]).toEqual([true, []]);
	});

	it('asks where the option is switched on', async () => {
		expect((await start(ITEM, { known: ['a'], options: { ignoreDuplicates: true } })).outputs).toEqual([
			[],
		]);
	});

	it('goes on and says so where the store cannot be asked', async () => {
		const { hasStarted, warned, told } = await start(ITEM, { broken: true });
		// A store that is closed means that n8n is about to stop: the caller is not told yet.
		expect([hasStarted, told]).toEqual([true, []]);
		expect(warned).toEqual([
			'Job Ended: n8n could not tell whether job a started the workflow before, so it starts it: Error: locked',
		]);
	});
});
