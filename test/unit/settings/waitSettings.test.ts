import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import {
	deadlineAfter,
	readWaitSettings,
	hintLongHold,
} from '../../../nodes/PriceCollection/settings/waitSettings';
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
	return { ...readWaitSettings(context, new NodeFields(context)), said: messages() };
}

describe('how to wait', () => {
	const SET = { maxWait: '3', pollInterval: 90, onDeadline: 'cancel', onStop: 'cancel' };
	it.each([
		['poll', {}, 10, 30, 'rows'],
		['durable', {}, 1440, 65, 'stillRunning'],
		['webhook', {}, 1440, 900, 'stillRunning'],
		['durable', SET, 3, 90, 'cancel'],
		['poll', { onDeadline: '' }, 10, 30, 'rows'],
	])(
		'is, with %s and %j, as the user sets, or usual',
		(mode, waitOptions, minutes, seconds, onDeadline) => {
			expect(settingsOf({ waitMode: mode, waitOptions })).toEqual({
				...{ mode, maxWaitMs: minutes * MINUTE, intervalMs: seconds * 1_000, said: [] },
				...{
					onStop: 'leave',
					...waitOptions,
					onDeadline,
					maxWait: undefined,
					pollInterval: undefined,
				},
			});
		},
	);

	it('suspends for no less than n8n keeps reliably', () => {
		const waitOptions = { pollInterval: 5 };
		expect(settingsOf({ waitMode: 'durable', waitOptions }).intervalMs).toBe(65_000);
		expect(settingsOf({ waitMode: 'poll', waitOptions }).intervalMs).toBe(5_000);
		expect(settingsOf({ waitOptions: { pollInterval: 0 } }).intervalMs).toBe(1_000);
	});

	it.each<[IDataObject, string]>([
		[{ maxWait: -5 }, 'Max Wait cannot be -5'],
		[{ maxWait: 525_601 }, 'Max Wait cannot be 525601'],
		[{ onDeadline: 'wait' }, 'If Not Finished in Time cannot be "wait"'],
		[{ onStop: false }, 'If I Stop the Run cannot be false'],
	])('refuses %j', (waitOptions, message) => {
		expect(() => settingsOf({ waitOptions } as INodeParameters)).toThrow(message);
	});

	it('answers as a tool within a minute, or as long as Max Wait says', () => {
		const tool = (parameters: INodeParameters) =>
			settingsOf({ parameters, type: 'x.priceCollectionTool' });
		const usual = { mode: 'poll', maxWaitMs: 50_000, answerWithinMs: 58_000, intervalMs: 5_000 };
		for (const waitMode of ['poll', 'webhook'])
			expect(tool({ waitMode })).toMatchObject({ ...usual, onDeadline: 'stillRunning' });
		const longer = { maxWaitMs: 120_000, answerWithinMs: 128_000 };
		expect(tool({ waitOptions: { maxWait: 2 } })).toMatchObject(longer);
	});

	it('polls in place of suspending, as long, where it cannot be suspended', () => {
		const workflow = { engineType: 'v2' };
		expect(settingsOf({ parameters: { waitMode: 'webhook' }, workflow })).toMatchObject({
			...{ mode: 'poll', maxWaitMs: 1440 * MINUTE, intervalMs: 30_000, onDeadline: 'stillRunning' },
			said: [
				expect.stringContaining(
					'The node keeps checking instead and holds a worker for up to Max Wait.',
				),
			],
		});
	});
});

describe('in a workflow whose settings end an execution', () => {
	const waiting = (waitMode: string, executionTimeout: number, more: Scene = {}) => {
		const parameters = { waitMode, waitOptions: { maxWait: 60 } };
		return settingsOf({ ...more, parameters, workflow: { executionTimeout } });
	};

	it.each<[string, number, Scene, number, string]>([
		['poll', 600, {}, 540_000, 'waits for at most 9 minutes'],
		['durable', 600, {}, 480_000, 'waits for at most 8 minutes'],
		['webhook', 600, {}, 480_000, 'waits for at most 8 minutes'],
		['webhook', 60, {}, 0, 'does not wait'],
		['poll', 600, { begun: NOW - 480_000 }, 60_000, 'waits for at most 1 minute'],
		['poll', 600, { begun: NOW - 500_000 }, 50_000, 'waits for at most 50 seconds'],
		['poll', 600, { begun: NOW - 480_000, mode: 'retry' }, 540_000, 'waits for at most 9 minutes'],
		['poll', -1, { endsAt: NOW + 300_000 }, 240_000, 'waits for at most 4 minutes'],
		['poll', 600, { endsAt: NOW + 300_000 }, 240_000, 'waits for at most 4 minutes'],
	])(
		'%s waits no longer than is left of its %i seconds, and says so: %j',
		(mode, seconds, more, left, does) => {
			const { latest, maxWaitMs, said } = waiting(mode, seconds, more);
			expect([latest, maxWaitMs]).toEqual([NOW + left, 60 * MINUTE]);
			expect(said).toEqual([
				`n8n ends this execution after the time in its settings (Timeout Workflow), so this node ${does}. Raise that time to use all of Max Wait.`,
			]);
		},
	);

	it('late enough, or never, it waits as long as Max Wait says', () => {
		for (const seconds of [7200, -1]) expect(waiting('durable', seconds).said).toEqual([]);
	});

	it('a deadline lies within it, whenever the job was created', () => {
		expect(deadlineAfter(NOW, { maxWaitMs: MINUTE })).toBe(NOW + MINUTE);
		expect(deadlineAfter(NOW + 9, { maxWaitMs: MINUTE, latest: NOW + MINUTE })).toBe(NOW + MINUTE);
	});
});

test.each([
	[4, {}, ''],
	[6, {}, 'Set Wait Mode to Sleep Between Checks or Sleep Until Called.'],
	[6, { engineType: 'v2' }, 'This workflow runs on an engine that cannot suspend executions yet.'],
])('a worker that was held for %i minutes is remarked on: %j', (minutes, workflow, advice) => {
	const { context, messages } = scene({ workflow });
	hintLongHold(context, NOW - minutes * MINUTE);
	expect(messages()).toEqual(advice ? [`This node held a worker for 6 minutes. ${advice}`] : []);
});
