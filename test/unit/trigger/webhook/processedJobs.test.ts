import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { ANSWERS } from '../../../../nodes/PriceCollection/trigger/webhook/answers';
import {
	EndsInProgress,
	recordingInTurns,
} from '../../../../nodes/PriceCollection/trigger/webhook/processedJobs';
import { startOnce } from '../../../../nodes/PriceCollection/trigger/webhook/processedJobs';
import { fixedClock } from '../../fixedClock';

const tick = async () => await new Promise((resolve) => setImmediate(resolve));
/** What is known of an end's outcome as yet. */
const told = async (outcome: Promise<unknown>) => {
	const words: unknown[] = [];
	void outcome.then((answer) => words.push(answer));
	await tick();
	return words;
};

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

describe('an end that is on its way', () => {
	it('tells others how it went, once that is known', async () => {
		const { ends, state } = world();
		const end = ends.begin('t', 'a');
		const outcome = ends.outcomeOf(end);
		expect(await told(outcome)).toEqual([]);
		end.settle(ANSWERS.notEnded);
		expect(await told(outcome)).toEqual([ANSWERS.notEnded]);
		expect(state.signals.map(({ aborted }) => aborted)).toEqual([true]);
	});

	it('sends others away who have waited for ten seconds', async () => {
		const { ends, state } = world();
		const waiting = ends.outcomeOf(ends.begin('t', 'a'));
		state.skip[0]?.();
		expect(await waiting).toBe(ANSWERS.inProgress);
	});

	it('is found by its trigger and job for a quarter of an hour where it was handed over', () => {
		const { ends, state } = world();
		ends.begin('t', 'a').settle(ANSWERS.duplicate);
		state.time += 15 * 60_000 - 1;
		const found = [ends.find('t', 'a'), ends.find('u', 'a'), ends.find('t', 'b')];
		expect(found).toEqual([expect.anything(), undefined, undefined]);
		state.time += 1;
		expect(ends.find('t', 'a')).toBeUndefined();
	});

	it('may come again at once where it was not, and leaves alone the one that came after it', () => {
		const { ends } = world();
		const late = ends.begin('t', 'a');
		const next = ends.begin('t', 'a');
		late.settle(ANSWERS.unconfirmed);
		expect(ends.find('t', 'a')).toBe(next);
		next.settle(ANSWERS.notStored);
		expect(ends.find('t', 'a')).toBeUndefined();
	});

	it('is one of 20,000', () => {
		const { ends } = world();
		for (let n = 0; n <= 20_000; n++) ends.begin('t', `j${n}`);
		expect([ends.find('t', 'j0'), ends.find('t', 'j1') === undefined]).toEqual([undefined, false]);
	});
});

describe('the answer to a call that starts the workflow', () => {
	/** n8n's answer for an end that is on its way; `executionsRunHere` as in regular mode. */
	async function answered(executionsRunHere: boolean, statusCode = 200) {
		const { ends } = world();
		ends.executionsRunHere = executionsRunHere;
		const end = ends.begin('t', 'a');
		const sent: unknown[] = [];
		const response = { statusCode, end: (body: unknown) => sent.push(body) };
		ends.holdAnswer(response as unknown as Parameters<EndsInProgress['holdAnswer']>[0], end);
		expect(await told(end.outcome)).toEqual([]);
		response.end('Accepted');
		return { ends, end, sent, outcome: await told(end.outcome) };
	}

	it('goes out when the execution is stored, or has told of its job where it runs here', async () => {
		expect(await answered(false)).toMatchObject({ sent: ['Accepted'], outcome: [ANSWERS.duplicate] });
		const { sent, end, outcome } = await answered(true);
		expect([sent, outcome]).toEqual([[], []]);
		end.settle(ANSWERS.duplicate);
		await tick();
		expect(sent).toEqual(['Accepted']);
	});

	it.each([false, true])('says at once that an execution could not be stored', async (here) => {
		const { ends, sent, outcome } = await answered(here, 500);
		expect([sent, outcome]).toEqual([['Accepted'], [ANSWERS.notStored]]);
		expect(ends.find('t', 'a')).toBeUndefined();
	});
});

describe('the jobs that n8n is asked about', () => {
	/** A store that answers when it is told to. */
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
		const [output] = await startOnce(ends).call(context as unknown as IExecuteFunctions);
		return { hasStarted: output === items, output, asked, warned, told: await told(end.outcome) };
	}
	const ITEM = { job_id: 'a' };

	it("goes on with the end of a job that n8n's store does not know", async () => {
		expect(await start(ITEM)).toMatchObject({
			...{ hasStarted: true, told: [ANSWERS.duplicate], warned: [] },
			asked: [[['a'], 'node', { mode: 'entries', maxEntries: 2_000 }]],
		});
	});

	it('ends with a job that it knows', async () => {
		for (const options of [{}, { ignoreDuplicates: true }])
			expect((await start(ITEM, { known: ['a'], options })).output).toEqual([]);
	});

	it.each([
		['by hand', ITEM, { mode: 'manual' }],
		['in a retry', ITEM, { mode: 'retry' }],
		['where duplicates are wanted', ITEM, { options: { ignoreDuplicates: false } }],
		['with an item that names no job', { job_id: 7 }, {}],
	])('goes on without asking %s', async (_name, json, more) => {
		expect(await start(json, { known: ['a'], ...more })).toMatchObject({ hasStarted: true, asked: [] });
	});

	it('goes on and says so where the store cannot be asked', async () => {
		// A store that is closed means that n8n is about to stop: the caller is not told yet.
		const started = await start(ITEM, { broken: true });
		expect(started).toMatchObject({ hasStarted: true, told: [] });
		expect(started.warned).toEqual([
			'Job Ended: n8n could not tell whether job a started the workflow before, so it starts it: Error: locked',
		]);
	});
});
