import { useSandboxInTime } from './collecting';
import { items } from './harness';
import { growthOf, waitInLoop } from './waitingLoop';

const VALUES = 10_000;
const JOBS = 10;
const KB = 1024;
const MB = 1024 * KB;
const LONGEST_MS = 300_000;

const sandbox = useSandboxInTime();

describe(`waiting for ${VALUES} values on timers, with a node in the loop that copies the items`, () => {
	it(
		'adds less than 2 KB to the saved execution in each round of a day, and gives out everything in the end',
		async () => {
			const { run, sizes } = await waitInLoop(sandbox, {
				...{ values: VALUES, valuesPerJob: VALUES, copies: true, hours: 23.5 },
			});
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
			const { run, sizes } = await waitInLoop(sandbox, {
				...{ values: VALUES, valuesPerJob: VALUES / JOBS, copies: true, hours: 0.5 },
			});
			expect(Math.max(...growthOf(sizes))).toBeLessThan(2 * KB + (JOBS - 1) * 0.6 * KB);
			expect(items(run, 'Done')).toHaveLength(VALUES);
		},
		LONGEST_MS,
	);
});
