import { useSandboxInTime } from '../support/collecting';
import { items } from '../support/harness';
import { growthOf, waitInLoop } from '../support/waitingLoop';

const VALUES = 400;
const KB = 1024;

const sandbox = useSandboxInTime();

// `benchmarks` plays more of these loops.
it.each([
	{ jobs: 1, hours: 6, least: 20 },
	{ jobs: 10, hours: 0.5, least: 3 },
])(
	'a round of waiting adds less than 2 KB to the saved execution, whatever the number of values: $jobs jobs, $hours h',
	async ({ jobs, hours, least }) => {
		const loop = { values: VALUES, valuesPerJob: VALUES / jobs, copies: true, hours };
		const { run, sizes } = await waitInLoop(sandbox, loop);
		expect(sizes.length).toBeGreaterThan(least);
		expect(Math.max(...growthOf(sizes))).toBeLessThan(2 * KB + (jobs - 1) * 0.6 * KB);
		expect(Math.max(...sizes) - (sizes[0] ?? 0)).toBeLessThan(KB * KB);
		expect(items(run, 'Done')).toHaveLength(VALUES);
	},
);
