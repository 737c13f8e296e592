import path from 'node:path';
import fc from 'fast-check';

import { runs, SCALE } from './runs';

/**
 * Generated tests run the same cases every time, so that a failure is about the current change. `FC_SEED=random` makes
 * new ones. A failure prints the command that repeats it, with `FC_SEED` and, for one case of many, `FC_PATH`.
 */
const { FC_SEED = '20261122', FC_PATH } = process.env;
const seed = FC_SEED === 'random' ? Math.trunc(Math.random() * 2 ** 31) : Number(FC_SEED);

/** The command that repeats the running test with the same cases, or with the only case at a path of fast-check. */
export function commandToRepeat(casePath?: string | null): string {
	const { currentTestName = '', testPath = '' } = expect.getState();
	const file = path.relative(path.join(__dirname, '../..'), testPath).replaceAll(path.sep, '/');
	return [
		`FC_SEED=${seed}`,
		...(casePath ? [`FC_PATH=${casePath}`] : []),
		`TEST_SCALE=${SCALE} npx jest`,
		...(file.startsWith('test/real/sheets/') ? ['--config test/real/sheets/jest.config.js'] : []),
		// The name as a pattern without special characters of a shell.
		`${file} -t '${currentTestName.replace(/[^\w ]/g, '.')}'`,
	].join(' ');
}

fc.configureGlobal({
	seed,
	...(FC_PATH !== undefined && { path: FC_PATH }),
	numRuns: runs(100),
	// With only a few cases, it matters that one fails, not which is the simplest.
	endOnFailure: SCALE < 0.1,
	reporter: (details) => {
		if (!details.failed) return;
		const { counterexamplePath, errorInstance: cause } = details;
		const message = fc.defaultReportMessage(details);
		throw new Error(`${message}\n\nRepeat it: ${commandToRepeat(counterexamplePath)}`, { cause });
	},
});
