import fc from 'fast-check';

import { runs } from '../runs';
import { useClockOfPauses, useSandboxInTime } from './collecting';
import { useDedupeStore } from './dedupeStore';
import { audit } from './runModelAudit';
import { histories } from './runModelHistory';
import { play } from './runModelPlay';

/** A failing history prints its seed and its path: `FC_SEED=… RUN_MODEL_PATH=… npx jest runModel` plays it again. */
const { RUN_MODEL_PATH } = process.env;
const LONGEST_MS = 3_600_000;

const retried = useDedupeStore();
// Callbacks are played by the model.
const sandbox = useSandboxInTime({ manualClock: true, webhookLossEvery: 1 }, useClockOfPauses());

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
