import fc from 'fast-check';

import { runs } from '../runs';
import { startSandbox, type Sandbox } from '../sandbox/sandbox';
import { useDedupeStore, type DedupeStore } from './dedupeStore';
import { audit } from './runModelAudit';
import { histories } from './runModelHistory';
import { play } from './runModelPlay';
import { now, time } from './virtualClock';

/** A failing history prints its seed and its path: `FC_SEED=… RUN_MODEL_PATH=… npx jest runModel` plays it again. */
const { RUN_MODEL_PATH } = process.env;
const LONGEST_MS = 3_600_000;

let sandbox: Sandbox;
let retried: DedupeStore;
beforeAll(async () => {
	retried = await useDedupeStore();
	const start = Date.now();
	time.base = () => start;
	// n8n notes by its own clock when a node began, and its expressions tell the time by it.
	jest.spyOn(Date, 'now').mockImplementation(now);
	// Callbacks are played by the model.
	sandbox = await startSandbox({ manualClock: true, webhookLossEvery: 1 }, time.base);
	time.listeners.add((milliseconds) => sandbox.advance(milliseconds));
});
afterAll(async () => {
	time.listeners.clear();
	jest.restoreAllMocks();
	await sandbox.close();
});

it(
	'pays nothing twice, loses nothing, takes nothing of others and strands no run, whatever happens',
	async () => {
		await fc.assert(
			fc.asyncProperty(histories, async (history) => {
				// The executions of each history have the same IDs.
				retried.rows.clear();
				expect(audit(await play(sandbox, history))).toEqual([]);
			}),
			{
				numRuns: runs(250),
				...(RUN_MODEL_PATH === undefined ? {} : { path: RUN_MODEL_PATH }),
			},
		);
	},
	LONGEST_MS,
);
