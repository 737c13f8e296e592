import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import { errorOf, items, runWorkflow } from './harness';
import { credentialFor, GTIN_PARAMETERS, scenario } from './support';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ jobDurationMs: 50 });
});
afterAll(async () => await sandbox.close());
beforeEach(() => sandbox.reset());

test('smoke', async () => {
	sandbox.setOptions({ jobDurationMs: 50 });
	const run = await runWorkflow(
		scenario(credentialFor(sandbox), { ...GTIN_PARAMETERS, operation: 'collect' }, [
			{ gtin: '4006381333931' },
			{ gtin: '4006381333931' },
			{ gtin: '5901234123457' },
		]),
	);
	expect(errorOf(run)).toBeUndefined();
	expect(items(run, 'Done')).toHaveLength(3);
});
