/**
 * Run by jest for `stillRunning.mjs`. Outputs jobs that still run, with the unit tests' fakes instead of n8n, and
 * writes the figures to the file that PRICE_COLLECTION_MEASURED names.
 */
import { writeFileSync } from 'node:fs';

import { deliver } from '../../nodes/PriceCollection/delivery/deliver';
import { newRecord } from '../../nodes/PriceCollection/run/record';
import type { Run } from '../../nodes/PriceCollection/run/record';
import { fakeClient } from '../../test/unit/fakeClient';
import { nodeContext } from '../../test/unit/nodeContext';
import { processorTime } from './processorTime.cjs';

const JOBS = [1_000, 2_000, 4_000];
const VALUES_PER_JOB = 10;
const WARM_UPS = 5;
const ROUNDS = 5;
/** Deliveries that are timed together, because the system counts processor time in steps of several milliseconds. */
const AT_ONCE = 10;

/** A run whose jobs all still run at their deadline, with Still Running wired to a node set to Wait. */
function runOf(jobs: number): Run {
	const flow = {};
	const { context } = nodeContext({ more: { getContext: () => flow } });
	const wait = { name: 'Wait', type: 'x.prices', parameters: { operation: 'wait' } };
	const workflow = {
		connectionsBySourceNode: { Prices: { main: [[], [{ node: 'Wait' }]] } },
		getNode: () => wait,
	};
	const values = Array.from({ length: VALUES_PER_JOB }, (_, place) => `value ${place}`);
	const records = Array.from({ length: jobs }, (_, item) => {
		const lookups = values.map((value, place): [number, string] => [place, value]);
		const request = { parameters: { topic: 'search', key: 'term' }, key: 'term', values };
		return { ...newRecord(`job ${item}`, [{ item, lookups }], request), deadline: 1 };
	});
	const first = { output: 'status', format: 'json', onFailedResult: 'include' };
	return {
		...{ context: Object.assign(context, { workflow }), client: fakeClient({}).client, records },
		...{
			unsent: [],
			choices: { first },
			wait: { mode: 'poll', intervalMs: 1, onDeadline: 'stillRunning' },
		},
	} as unknown as Run;
}

it('measures jobs that leave by Still Running', async () => {
	const measured = JOBS.map((jobs) => ({
		jobs,
		rounds: [] as Array<{ cpu: number; mainThread: number }>,
	}));
	// In turns, so that a slow moment of the machine affects all of them.
	for (let round = -WARM_UPS; round < ROUNDS; round++) {
		for (const one of measured) {
			const all = Array.from({ length: AT_ONCE }, () => runOf(one.jobs));
			const taken = processorTime();
			for (const run of all) expect((await deliver(run)).outputs[1]).toHaveLength(one.jobs);
			const { cpu, mainThread } = taken();
			if (round >= 0) one.rounds.push({ cpu: cpu / AT_ONCE, mainThread: mainThread / AT_ONCE });
		}
	}
	writeFileSync(process.env.PRICE_COLLECTION_MEASURED ?? '', JSON.stringify(measured));
}, 600_000);
