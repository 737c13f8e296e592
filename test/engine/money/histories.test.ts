import fc from 'fast-check';

import { runs } from '../../support/runs';
import { useClockOfPauses, useSandboxInTime } from '../support/collecting';
import { useDedupeStore } from '../support/dedupeStore';
import { audit } from './historyAudit';
import { histories, type History } from './history';
import { EXAMPLES } from './historyExamples';
import { play } from './historyPlay';

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
				examples: EXAMPLES.map((history): [History] => [history]),
			},
		);
	},
	LONGEST_MS,
);
