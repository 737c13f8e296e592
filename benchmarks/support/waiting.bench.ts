/**
 * Run by jest for `waiting.mjs`, because the engine of the tests and its virtual clock live there. Writes what it measured
 * to the file that PRICE_COLLECTION_MEASURED names.
 */
import { writeFileSync } from 'node:fs';
import { useSandboxInTime } from '../../test/engine/collecting';
import { items } from '../../test/engine/harness';
import { growthOf, waitInLoop } from '../../test/engine/waitingLoop';

jest.mock('../../nodes/PriceCollection/n8n/clock', () =>
	jest.requireActual('../../test/engine/virtualClock'),
);

const HOURS = 2;
const LONGEST_MS = 1_800_000;

const sandbox = useSandboxInTime();

it(
	'measures what each round of waiting adds to the saved execution',
	async () => {
		const measured = [];
		for (const copies of [false, true]) {
			for (const values of [1_000, 10_000]) {
				const loop = { values, valuesPerJob: values, copies, hours: HOURS };
				const { run, sizes } = await waitInLoop(sandbox, loop);
				expect(items(run, 'Done')).toHaveLength(values);
				measured.push({ ...loop, rounds: sizes.length, first: sizes[0], growth: growthOf(sizes) });
			}
		}
		writeFileSync(process.env.PRICE_COLLECTION_MEASURED ?? '', JSON.stringify(measured));
	},
	LONGEST_MS,
);
