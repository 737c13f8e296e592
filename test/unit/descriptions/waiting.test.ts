import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { Parameters } from '../../../nodes/PriceCollection/n8n/parameters';
import {
	deadlineAfter,
	readWaitSettings,
	remarkOnLongHold,
} from '../../../nodes/PriceCollection/descriptions/waiting';
import { nodeContext, type FakeNode } from '../nodeContext';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => jest.restoreAllMocks());

interface Scene extends FakeNode {
	/** The settings of the workflow. */
	workflow?: IDataObject;
	mode?: string;
	/** When n8n began the execution. */
	begun?: number;
	/** When n8n ends it. */
	endsAt?: number;
}

function scene({ workflow = {}, mode = 'trigger', begun, endsAt, ...node }: Scene) {
	const { context, hints } = nodeContext({
		...node,
		more: {
			getWorkflowSettings: () => workflow,
			getMode: () => mode,
			getExecutionContext: () => ({ establishedAt: begun }),
		},
	});
	const additionalData = { executionTimeoutTimestamp: endsAt };
	return {
		context: Object.assign(context, { additionalData }),
		messages: () => hints.map((one) => one.message),
	};
}
function settingsOf(given: Scene | INodeParameters) {
	const { context, messages } = scene(
		'parameters' in given ? given : { parameters: given as INodeParameters },
	);
	return { ...readWaitSettings(context, new Parameters(context)), said: messages() };
}

describe('how to wait', () => {
	it.each([
		['poll', 10, 30],
		['durable', 1440, 65],
		['webhook', 1440, 900],
	])('has defaults for %s', (waitMode, minutes, seconds) => {
		expect(settingsOf({ waitMode })).toEqual({
			...{ mode: waitMode, maxWaitMs: minutes * MINUTE, intervalMs: seconds * 1_000 },
			...{ onDeadline: 'stillRunning', onStop: 'leave', said: [] },
		});
	});

	it('takes what the user sets', () => {
		const waitOptions = { maxWait: '3', pollInterval: 90, onDeadline: 'cancel', onStop: 'cancel' };
		expect(settingsOf({ waitMode: 'durable', waitOptions })).toEqual({
			...{ mode: 'durable', maxWaitMs: 3 * MINUTE, intervalMs: 90_000, said: [] },
			...{ onDeadline: 'cancel', onStop: 'cancel' },
		});
	});

	it('suspends for no less than n8n keeps reliably', () => {
		const waitOptions = { pollInterval: 5 };
		expect(settingsOf({ waitMode: 'durable', waitOptions }).intervalMs).toBe(65_000);
		expect(settingsOf({ waitMode: 'poll', waitOptions }).intervalMs).toBe(5_000);
		expect(settingsOf({ waitOptions: { pollInterval: 0 } }).intervalMs).toBe(1_000);
	});

	it.each<[IDataObject, string]>([
		[{ maxWait: -5 }, 'Max Wait cannot be -5'],
		[{ maxWait: 'soon' }, 'Max Wait cannot be "soon"'],
		[{ maxWait: 525_601 }, 'Max Wait cannot be 525601'],
		[{ onDeadline: 'wait' }, 'On Deadline cannot be "wait"'],
		[{ onStop: false }, 'On Stop cannot be false'],
	])('refuses %j', (waitOptions, message) => {
		expect(() => settingsOf({ waitOptions } as INodeParameters)).toThrow(message);
	});

	it('polls as a tool, for 50 seconds of the 58 that an answer may take, or as long as Max Wait says', () => {
		const tool = (parameters: INodeParameters) =>
			settingsOf({ parameters, type: 'x.priceCollectionTool' });
		expect(tool({ waitMode: 'webhook' })).toMatchObject({
			...{ mode: 'poll', maxWaitMs: 50_000, answerWithinMs: 58_000, intervalMs: 5_000, said: [] },
		});
		expect(tool({ waitOptions: { maxWait: 2 } })).toMatchObject({
			...{ maxWaitMs: 120_000, answerWithinMs: 128_000 },
		});
	});

	it.each(['durable', 'webhook'])(
		'polls in place of %s, as long, where it cannot be suspended',
		(waitMode) => {
			const workflow = { engineType: 'v2' };
			expect(settingsOf({ parameters: { waitMode }, workflow })).toMatchObject({
				...{ mode: 'poll', maxWaitMs: 1440 * MINUTE, intervalMs: 30_000 },
				said: [
					'This workflow runs on an engine that cannot suspend executions yet. It polls instead and holds a worker, for up to Max Wait.',
				],
			});
		},
	);

	it('needs no n8n that tells the settings of a workflow', () => {
		const { context } = scene({ parameters: {} });
		delete (context as Partial<IExecuteFunctions>).getWorkflowSettings;
		expect(readWaitSettings(context, new Parameters(context))).toMatchObject({ maxWaitMs: 10 * MINUTE });
	});
});

describe('in a workflow whose settings end an execution', () => {
	const waiting = (waitMode: string, executionTimeout: number, more: Scene = {}) => {
		const parameters = { waitMode, waitOptions: { maxWait: 60 } };
		return settingsOf({ ...more, parameters, workflow: { executionTimeout } });
	};

	it.each<[string, number, Scene, number]>([
		['poll', 600, {}, 595_000],
		['durable', 600, {}, 480_000],
		['webhook', 600, {}, 480_000],
		['webhook', 60, {}, 0],
		['poll', 600, { begun: NOW - 480_000 }, 115_000],
		['poll', 600, { begun: NOW - 480_000, mode: 'retry' }, 595_000],
		['poll', -1, { endsAt: NOW + 300_000 }, 295_000],
		['poll', 600, { endsAt: NOW + 300_000 }, 295_000],
	])('%s waits no longer than is left of its %i seconds, and says so: %j', (mode, seconds, more, left) => {
		const { latest, maxWaitMs, said } = waiting(mode, seconds, more);
		expect([latest, maxWaitMs]).toEqual([NOW + left, 60 * MINUTE]);
		expect(said).toEqual([
			`n8n ends this execution when the time in its settings (Timeout Workflow) is used up, so this node waits for at most ${Math.round(left / MINUTE)} minutes. Raise that time to use all of Max Wait.`,
		]);
	});

	it.each([
		['late enough', 7200],
		['never', -1],
	])('it waits as long as Max Wait says: %s', (_name, seconds) => {
		expect(waiting('durable', seconds).said).toEqual([]);
	});

	it('a deadline lies within it, whenever the job was created', () => {
		expect(deadlineAfter(NOW, { maxWaitMs: MINUTE })).toBe(NOW + MINUTE);
		expect(deadlineAfter(NOW + 9, { maxWaitMs: MINUTE, latest: NOW + MINUTE })).toBe(NOW + MINUTE);
	});
});

test.each([
	[4, {}, []],
	[6, {}, ['This node held a worker for 6 minutes. Set Wait Mode to one that suspends the execution.']],
	[
		6,
		{ engineType: 'v2' },
		[
			'This node held a worker for 6 minutes. This workflow runs on an engine that cannot suspend executions yet.',
		],
	],
])('a worker that was held for %i minutes is remarked on: %j', (minutes, workflow, said) => {
	const { context, messages } = scene({ workflow });
	remarkOnLongHold(context, NOW - minutes * MINUTE);
	expect(messages()).toEqual(said);
});
