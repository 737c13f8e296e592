import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	IWorkflowSettings,
	NodeExecutionHint,
} from 'n8n-workflow';

import { parameterReader } from '../../../../nodes/PriceCollection/n8n/parameters';
import { readWaitSettings, remarkOnLongHold } from '../../../../nodes/PriceCollection/run/waiting/settings';
import { waitFields } from '../../../../nodes/PriceCollection/descriptions/waiting';

interface Fake {
	context: IExecuteFunctions;
	hints: NodeExecutionHint[];
	reads: string[];
}

/** Just what reading settings needs. */
function fake(
	parameters: INodeParameters,
	type = 'x.priceCollection',
	settings: IWorkflowSettings & IDataObject = {},
): Fake {
	const hints: NodeExecutionHint[] = [];
	const reads: string[] = [];
	const context: Partial<IExecuteFunctions> = {
		getNode: () => ({ id: '1', name: 'Prices', type, typeVersion: 1, position: [0, 0], parameters }),
		getWorkflowSettings: () => settings,
		getNodeParameter: ((name: string, index: number, fallback: unknown) => {
			reads.push(`${name} ${index}`);
			return parameters[name] ?? fallback;
		}) as IExecuteFunctions['getNodeParameter'],
		addExecutionHints: (...more) => void hints.push(...more),
	};
	return { context: context as IExecuteFunctions, hints, reads };
}

function settingsOf({ context }: Fake) {
	return readWaitSettings.call(context, parameterReader.call(context));
}

describe('how to wait', () => {
	it.each([
		['poll', 10, 30],
		['durable', 1440, 65],
		['webhook', 1440, 900],
	])('has defaults for %s', (waitMode, minutes, seconds) => {
		expect(settingsOf(fake({ waitMode }))).toEqual({
			mode: waitMode,
			maxWaitMs: minutes * 60_000,
			intervalMs: seconds * 1_000,
			onDeadline: 'stillRunning',
			onStop: 'leave',
		});
	});

	it('takes what the user sets', () => {
		const waitOptions = { maxWait: 3, pollInterval: 90, onDeadline: 'cancel', onStop: 'cancel' };
		expect(settingsOf(fake({ waitMode: 'durable', waitOptions }))).toEqual({
			mode: 'durable',
			maxWaitMs: 180_000,
			intervalMs: 90_000,
			onDeadline: 'cancel',
			onStop: 'cancel',
		});
	});

	it('suspends for no less than n8n keeps reliably', () => {
		const waitOptions = { pollInterval: 5 };
		expect(settingsOf(fake({ waitMode: 'durable', waitOptions })).intervalMs).toBe(65_000);
		expect(settingsOf(fake({ waitMode: 'poll', waitOptions })).intervalMs).toBe(5_000);
	});

	it.each([-5, 'soon', null])('takes %p for no Max Wait at all', (maxWait) => {
		expect(settingsOf(fake({ waitOptions: { maxWait } as INodeParameters })).maxWaitMs).toBe(600_000);
	});

	it('polls as a tool, for 50 seconds of the 58 that an answer may take, without a remark', () => {
		const tool = fake({ waitMode: 'webhook' }, 'x.priceCollectionTool');
		expect(settingsOf(tool)).toMatchObject({
			...{ mode: 'poll', maxWaitMs: 50_000, answerWithinMs: 58_000, intervalMs: 5_000 },
		});
		expect(tool.hints).toEqual([]);
	});

	it('polls as a tool for as long as Max Wait says', () => {
		const tool = fake({ waitOptions: { maxWait: 2 } }, 'x.priceCollectionTool');
		expect(settingsOf(tool)).toMatchObject({ maxWaitMs: 120_000, answerWithinMs: 128_000 });
	});

	it.each(['durable', 'webhook'])(
		'polls in place of %s, as long and with a remark, where executions cannot be suspended',
		(waitMode) => {
			const engine = fake({ waitMode }, 'x.priceCollection', { engineType: 'v2' });
			expect(settingsOf(engine)).toMatchObject({
				mode: 'poll',
				maxWaitMs: 1440 * 60_000,
				intervalMs: 30_000,
			});
			const remark =
				'This workflow runs on an engine that cannot suspend executions yet. So it polls, for as long as Max Wait says, and holds a worker.';
			expect(engine.hints.map(({ message }) => message)).toEqual([remark]);
		},
	);

	it('waits as long as Max Wait says in an n8n that does not tell the settings of a workflow', () => {
		const old = fake({ waitMode: 'poll' });
		delete (old.context as Partial<IExecuteFunctions>).getWorkflowSettings;
		expect(settingsOf(old)).toMatchObject({ mode: 'poll', maxWaitMs: 600_000 });
	});

	describe('in a workflow whose settings end an execution', () => {
		const waiting = (waitMode: string, executionTimeout: number, maxWait = 60) =>
			fake({ waitMode, waitOptions: { maxWait } }, 'x.priceCollection', { executionTimeout });

		it.each([
			['poll', 600, 595_000],
			['durable', 600, 480_000],
			['webhook', 600, 480_000],
			['webhook', 60, 0],
		])('%s waits no longer than its %i seconds allow, and says so', (mode, seconds, maxWaitMs) => {
			const scene = waiting(mode, seconds);
			expect(settingsOf(scene).maxWaitMs).toBe(maxWaitMs);
			expect(scene.hints).toMatchObject([
				{
					type: 'warning',
					message: `The settings of this workflow end an execution after ${seconds / 60} minutes, so the jobs are waited for no longer than that. Raise Timeout Workflow to wait as long as Max Wait says.`,
				},
			]);
		});

		it.each([
			['late enough', 7200],
			['never', -1],
		])('%s waits as long as Max Wait says', (_name, seconds) => {
			const scene = waiting('durable', seconds);
			expect([settingsOf(scene).maxWaitMs, scene.hints]).toEqual([3_600_000, []]);
		});
	});

	it('remarks on a wait that held a worker for five minutes or more', () => {
		const { context, hints } = fake({});
		remarkOnLongHold(context, Date.now() - 4 * 60_000);
		expect(hints).toEqual([]);
		remarkOnLongHold(context, Date.now() - 6 * 60_000);
		expect(hints[0]?.message).toBe(
			'This node held a worker for 6 minutes. Set Wait Mode to one that suspends the execution.',
		);
	});

	it('advises no mode that is not to be had', () => {
		const { context, hints } = fake({}, 'x.priceCollection', { engineType: 'v2' });
		remarkOnLongHold(context, Date.now() - 6 * 60_000);
		expect(hints[0]?.message).toBe(
			'This node held a worker for 6 minutes. This workflow runs on an engine that cannot suspend executions yet.',
		);
	});

	it('hides Wait Mode in a tool', () => {
		const [mode] = waitFields(['poll']);
		expect(mode?.displayOptions?.show?.['@tool']).toEqual([false]);
	});
});
