import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { inTurns, StartedJobs } from '../../../../nodes/PriceCollection/trigger/webhook/processedJobs';

it("the tasks of a trigger come one after the other, also after one that failed; other triggers' do not wait", async () => {
	const inTurn = inTurns();
	const log: string[] = [];
	const task = (name: string, outcome: () => number) => async () => {
		log.push(`${name} begins`);
		await new Promise((resolve) => setImmediate(resolve));
		log.push(`${name} ends`);
		return outcome();
	};
	const closed = () => {
		throw new Error('closed');
	};
	const [first, second, other] = [
		inTurn('t', task('a', closed)),
		inTurn(
			't',
			task('b', () => 2),
		),
		inTurn(
			'u',
			task('c', () => 3),
		),
	];
	await expect(first).rejects.toThrow('closed');
	expect([await second, await other]).toEqual([2, 3]);
	expect(log.slice(0, 2)).toEqual(['a begins', 'c begins']);
	expect(log.filter((line) => !line.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

describe('the jobs that have started a workflow', () => {
	/** Executions of one process, in an n8n whose store knows some jobs, or cannot be asked. */
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
			'Job Ended: n8n could not tell whether job a started the workflow before, so it starts it: Error: locked',
		]);
	});
});
