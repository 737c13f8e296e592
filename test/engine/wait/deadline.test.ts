import type { INode, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../fakes/sandbox/faults';
import {
	beside,
	callsOf,
	collecting,
	itemsOf,
	LEAVES,
	outputsOf,
	useCollecting,
} from '../support/collecting';
import { THROWING, waitNode } from '../support/collecting';
import { rounds } from '../support/harness';
import { valuesPerJob } from '../support/common';
import { time } from '../support/virtualClock';

/** What happens to jobs at their deadline if the node keeps checking, and which outputs it then has. */

const HOUR_MS = 3_600_000;
const { sandbox, collect, create, fail, finish, idOf, play, wait } = useCollecting({
	jobDurationMs: HOUR_MS,
});

const EACH = valuesPerJob(1);
const TWO = ['Finished', 'Still Running'];
const SHEET = [{ id: 'a', term: 'kettle\nlid' }, 'mug'];

describe('the output Still Running', () => {
	it.each<[INodeParameters, string[]]>([
		[{}, ['']],
		[{ waitMode: 'poll', waitOptions: {} }, ['']],
		[{ waitOptions: { maxWait: 5 } }, ['']],
		...['cancel', 'error', 'rows'].map((onDeadline): [INodeParameters, string[]] => [
			{ waitOptions: { onDeadline } },
			[''],
		]),
		[{ waitOptions: LEAVES }, TWO],
		[{ waitMode: 'durable' }, TWO],
		[{ waitMode: 'durable', waitOptions: { onDeadline: 'cancel' } }, TWO],
		[{ waitMode: 'webhook' }, TWO],
		// An expression may return anything. One that fails without an item must not remove all outputs.
		[{ waitMode: "={{ $('Nowhere').first().json.mode }}" }, TWO],
		[{ waitOptions: { onDeadline: '={{ $json.end }}' } }, TWO],
	])('is there only where a job can leave by it: %j', (parameters, outputs) => {
		const ofBoth = ['collect', 'wait'].map((operation) =>
			outputsOf(collecting(sandbox, [], { operation, ...parameters }), 'Prices'),
		);
		expect(ofBoth).toEqual([outputs, outputs]);
	});

	it.each(['create', 'download', 'get', 'getAll', 'cancel'])('is not there for %s', (operation) => {
		const scene = collecting(sandbox, [], { operation, waitMode: 'durable' });
		expect(outputsOf(scene, 'Prices')).toEqual(['']);
	});

	it('gets no items where it is not there, although a workflow from elsewhere has it connected', async () => {
		const scene = collecting(sandbox, itemsOf('kettle'));
		const wired = beside(scene, [waitNode('Wait', {})], { Prices: ['Done', 'Wait'] });
		const { run, error } = await play(wired);
		expect([rounds(run, 'Wait'), error]).toEqual([
			0,
			expect.stringContaining('is still running after 10 minutes'),
		]);
		finishAt(2, 1);
		expect((await play(wired)).rows).toEqual(['a kettle true']);
	});

	it('leaves its place to the error output where it is not there', async () => {
		finishAt(1, 0);
		const { rows, failed } = await collect(['kettle', 'throws'], THROWING, {
			onError: 'continueErrorOutput',
		});
		expect([rows, failed.map(({ id }) => id)]).toEqual([['a kettle true'], ['b']]);
	});
});

/** Does something as soon as this many jobs exist. */
function whenThere(count: number, work: () => void): void {
	const listener = () => {
		if (sandbox.jobs.length < count) return;
		time.listeners.delete(listener);
		work();
	};
	time.listeners.add(listener);
}

const finishAt = (count: number, ...indexes: number[]) => whenThere(count, () => finish(...indexes));
/** Makes requests about the first of two jobs fail. */
const failOne = (pathOf: (jobId: string) => string, fault: Fault) =>
	whenThere(2, () => fail({ pathPattern: pathOf(idOf(0)) }, fault, 'always'));

describe('rows at the deadline, the default of a node that keeps checking', () => {
	const reason = (index: number, more = '') => `still running after 10 minutes: job ${idOf(index)}${more}`;

	it('are given for all values where one job has ended; those of the others say why they have none', async () => {
		finishAt(3, 1);
		const { done, hints, links, error, running } = await collect(SHEET, {}, {}, EACH);
		const none = { found: false, success: false };
		expect(done).toMatchObject([
			{ linked: 'a', value: 'kettle', job_id: idOf(0), reason: reason(0), ...none },
			{ linked: 'a', value: 'lid', job_id: idOf(1), found: true, success: true },
			{ linked: 'b', value: 'mug', job_id: idOf(2), reason: reason(2), ...none },
		]);
		expect(links).toEqual([{ item: 0 }, { item: 0 }, { item: 1 }]);
		expect([running, error]).toEqual([[], '']);
		expect(hints.at(-1)).toMatch(/^3 jobs, 3 values: 1 found, 0 not found, 0 failed, 2 unanswered\./);
		expect(callsOf(sandbox)).not.toHaveProperty('cancel');
	});

	it('stand beside the fields of the items in the columns that all rows have', async () => {
		finishAt(3, 1);
		const { done } = await collect(SHEET, { columns: 'main' }, {}, EACH);
		expect(Object.keys(done[0]!)).toEqual(Object.keys(done[1]!));
		expect(done[0]).toMatchObject({ id: 'a', best_price: null });
		expect(Object.values(done[0]!)).toContain(reason(0));
	});

	it.each<[INodeParameters, number, string[]]>([
		[{ onFailedResult: 'skip' }, 1, []],
		[{ onFailedResult: 'error' }, 1, ['"kettle"', '"mug"']],
	])('are failed results like others: %j', async (options, count, failed) => {
		finishAt(3, 1);
		const outcome = await collect(SHEET, { options }, { onError: 'continueErrorOutput' }, EACH);
		expect(outcome.done).toHaveLength(count);
		const names = outcome.failed.map(({ error }) => /"\w+"/.exec(String(error))?.[0]);
		expect(names).toEqual(failed);
	});

	it('say what kept the node from seeing the state of a job', async () => {
		finishAt(2, 1);
		failOne((jobId) => `/jobs/${jobId}$`, { type: 'serverError' });
		const { done } = await collect(['kettle', 'mug'], {}, {}, EACH);
		const why =
			'. The latest request about this job failed: The service is temporarily unavailable (The body is plain text. It begins with: Internal Serve…';
		const unknown = reason(0, why).replace('still running', 'status unknown');
		expect(done).toMatchObject([{ linked: 'a', reason: unknown }, { success: true }]);
		expect(String(done[0]?.reason)).toHaveLength(200);
	});

	it('are given where the results of an ended job do not come', async () => {
		const written = { type: 'refusal', reason: 'results are being written', status: 409 } as const;
		failOne((jobId) => `/${jobId}/download$`, written);
		finishAt(2, 0, 1);
		const { done, error } = await collect(['kettle', 'mug'], {}, {}, EACH);
		const why = `^results not available after 10 minutes: job ${idOf(0)}\\. The latest request about this job failed: .*results are being written`;
		expect(done).toMatchObject([
			{ linked: 'a', success: false, reason: expect.stringMatching(why) as string },
			{ linked: 'b', success: true },
		]);
		expect(error).toBe('');
	});

	it.each<[string, INodeParameters, number[]]>([
		['no job has ended', {}, []],
		['the output is no rows', { output: 'job' }, [1]],
		['the user wants an error', { waitOptions: { onDeadline: 'error' } }, [1]],
	])('are an error where %s', async (_where, parameters, ended) => {
		finishAt(2, ...ended);
		const { error } = await collect(['kettle', 'mug'], parameters, {}, EACH);
		expect(error).toBe(
			`Job ${idOf(0)} is still running after 10 minutes Its status is "working". It keeps running at the service. Raise Max Wait, or set If Not Finished in Time to Cancel Job or Output as Still Running. Jobs of this run: ${idOf(0)}, ${idOf(1)}. Nothing is lost: Wait and Download get the results of existing jobs at no extra cost.`,
		);
	});

	it('are given by Wait, too: one for each job whose values it does not know', async () => {
		const [one, two] = [await create('kettle\nmug'), await create('lid')];
		finishAt(2, 1);
		const input = [
			{ id: 'a', job_id: one },
			{ id: 'b', job_id: two },
		];
		const { done } = await wait(input, { waitOptions: { maxWait: 0.5 } });
		expect(done).toMatchObject([
			{ linked: 'a', success: false, reason: `still running after 30 seconds: job ${one}` },
			{ linked: 'b', value: 'lid', success: true },
		]);
	});

	it('do not keep a retry from taking up the job', async () => {
		finishAt(2, 1);
		const more: Partial<INode> = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const options = { onFailedResult: 'error' };
		const { error } = await collect(['kettle', 'mug'], { options }, more, EACH);
		expect(error).toContain(idOf(0));
		expect(callsOf(sandbox).create).toBe(2);
	});
});
