import { setImmediate as turn } from 'node:timers/promises';

import { HOSTILE } from '../../../generator/hostile';
import { readEverything } from './readEverything';

/** A pattern that goes over so many characters once for each of them takes longer than a test may. */
const SIZE = 256 * 1024;

test.each(HOSTILE)('$place of any length does not hold n8n up', async ({ bodies }) => {
	for (const body of bodies(SIZE)) {
		expect(await readEverything(Buffer.from(body))).toBeUndefined();
		// Else no time limit of a test would be noticed.
		await turn();
	}
});
