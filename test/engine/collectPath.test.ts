import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { collecting, itemsOf, useSandboxInTime } from './collecting';
import { items, runWorkflow } from './harness';

const PRODUCT = path.resolve(__dirname, '../../nodes/PriceCollection');

/** Whoever makes it smaller lowers it here. */
const MOST_FILES = 43;

const sandbox = useSandboxInTime();

/** The files of the product in which a function runs meanwhile, without fields of the editor, which are read with them. */
async function filesUsed(work: () => Promise<void>): Promise<string[]> {
	const session = new Session();
	session.connect();
	try {
		await session.post('Profiler.enable');
		await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
		await session.post('Profiler.takePreciseCoverage');
		await work();
		const { result } = await session.post('Profiler.takePreciseCoverage');
		return result
			.filter(({ functions }) =>
				functions.some(
					({ functionName, ranges: [all] }) => functionName !== '' && (all?.count ?? 0) > 0,
				),
			)
			.map(({ url }) => path.relative(PRODUCT, url.startsWith('file:') ? fileURLToPath(url) : url))
			.filter((file) => !file.startsWith('..') && !file.startsWith('descriptions'))
			.sort();
	} finally {
		session.disconnect();
	}
}

it('follows one value through Collect in a number of files that a reader can hold', async () => {
	const collect = async () => {
		const run = await runWorkflow(collecting(sandbox, itemsOf('kettle')));
		expect(items(run, 'Done')).toHaveLength(1);
	};
	await collect();
	const files = await filesUsed(collect);
	expect(files).toContain('run/finish.ts');
	expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
