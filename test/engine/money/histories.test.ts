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
// The model plays the callbacks.
const sandbox = useSandboxInTime({ manualClock: true, webhookLossEvery: 1 }, useClockOfPauses());

it(
	'pays nothing twice, loses nothing, takes nothing of others and strands no run, whatever happens',
	async () => {
		await fc.assert(
			fc.asyncProperty(histories, async (history) => {
				// The execution IDs repeat in each history.
				retried.rows.clear();
				expect(audit(await play(sandbox, history))).toEqual([]);
			}),
			{
				// The examples count as runs.
				numRuns: Math.max(EXAMPLES.length, runs(250)),
				examples: EXAMPLES.map((history): [History] => [history]),
			},
		);
	},
	LONGEST_MS,
);
