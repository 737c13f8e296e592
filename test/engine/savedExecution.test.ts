import type { INodeType, IRun } from 'n8n-workflow';

import type { Sandbox } from '../sandbox/sandbox';
import { collectingInLoop, itemsOf, startSandboxInTime } from './collecting';
import { items, runWorkflow, type Scenario } from './harness';
import { resumeByTimer, saved } from './resume';
import { now, time } from './virtualClock';
import { connect, node } from './workflow';

jest.mock('../../nodes/PriceCollection/n8n/clock', () => jest.requireActual('./virtualClock'));

const VALUES = 10_000;
const ITEMS = 20;
const JOBS = 10;
const HOUR_MS = 3_600_000;
const KB = 1024;
const MB = 1024 * KB;
const LONGEST_MS = 300_000;

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandboxInTime();
});
afterAll(async () => {
	time.listeners.clear();
	await sandbox.close();
});

/** Gives every item on as a new one with a field more, as Edit Fields does. */
const copyNode: INodeType = {
	description: {
		displayName: 'Copy',
		name: 'copy',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Copy' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		return [
			this.getInputData().map(({ json }, item) => ({
				json: { ...structuredClone(json), copied: true },
				pairedItem: { item },
			})),
		];
	},
};

/** The loop of Wait with a node in it that copies its items, for jobs of so many values. */
function copyingLoop(valuesPerJob: number): Scenario {
	const terms = Array.from({ length: VALUES / ITEMS }, (_, index) => index);
	const input = Array.from({ length: ITEMS }, (_, item) =>
		terms.map((term) => `notfound-${item}-${term}`).join('\n'),
	);
	const base = collectingInLoop(sandbox, itemsOf(...input), { options: { maxValuesPerJob: valuesPerJob } });
	return {
		...base,
		nodeTypes: { ...base.nodeTypes, copy: copyNode },
		nodes: [...base.nodes, node('Copy', 'copy')],
		connections: connect({
			Items: ['Prices'],
			Prices: ['Done', 'Copy', 'Failed'],
			Copy: ['Wait'],
			Wait: ['Done', 'Copy', 'Failed'],
		}),
	};
}

/** Waits until all jobs are over after so many hours, and tells how many bytes n8n saved at each suspension. */
async function waitFor(hours: number, valuesPerJob: number): Promise<{ run: IRun; sizes: number[] }> {
	sandbox.reset();
	sandbox.setOptions({ autoFinish: false, maxValues: VALUES, freeCredits: 10 * VALUES });
	const scenario = copyingLoop(valuesPerJob);
	const end = now() + hours * HOUR_MS;
	const sizes: number[] = [];
	let run = await runWorkflow(scenario);
	while (run.data.waitTill !== undefined) {
		sizes.push(Buffer.byteLength(saved(run)));
		time.skip(run.data.waitTill.getTime() - now());
		if (now() > end) for (const { job_id } of sandbox.jobs) sandbox.finishJob(job_id);
		run = await resumeByTimer(scenario, run);
	}
	return { run, sizes };
}

/** What each round adds; the first one is that of `collect` itself. */
function growthOf(sizes: readonly number[]): number[] {
	return sizes.slice(2).map((size, round) => size - (sizes[round + 1] ?? 0));
}

describe(`waiting for ${VALUES} values on timers, with a node in the loop that copies the items`, () => {
	it(
		'adds less than 2 KB to the saved execution in each round of a day, and gives out everything in the end',
		async () => {
			const { run, sizes } = await waitFor(23.5, VALUES);
			const [start = 0] = sizes;
			expect(sizes.length).toBeGreaterThan(100);
			expect(Math.max(...growthOf(sizes))).toBeLessThan(2 * KB);
			expect(Math.max(...sizes) - start).toBeLessThan(MB);
			expect(items(run, 'Done')).toHaveLength(VALUES);
		},
		LONGEST_MS,
	);

	it(
		'adds as little for each of several jobs, whatever the number of their values',
		async () => {
			const { run, sizes } = await waitFor(0.5, VALUES / JOBS);
			expect(Math.max(...growthOf(sizes))).toBeLessThan(2 * KB + (JOBS - 1) * 0.6 * KB);
			expect(items(run, 'Done')).toHaveLength(VALUES);
		},
		LONGEST_MS,
	);
});
