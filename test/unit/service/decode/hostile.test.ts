import { HOSTILE } from '../../../generator/hostile';
import { readEverything } from './readEverything';

/** So many characters take the readers of old several seconds, and minutes where two runs met. */
const SIZE = 256 * 1024;

test.each(HOSTILE)('$place of any length does not hold n8n up', async ({ bodies }) => {
	for (const body of bodies(SIZE)) expect(await readEverything(Buffer.from(body))).toBeUndefined();
});
