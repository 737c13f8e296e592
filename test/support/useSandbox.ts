import { startSandbox } from '../fakes/sandbox/sandbox';
import type { Sandbox } from '../fakes/sandbox/sandbox';

type Options = Parameters<typeof startSandbox>[0];

/**
 * A sandbox for all tests of a file. Call it at the top. Before each test the sandbox is empty and has these options.
 * `now` returns its time, in milliseconds since 1970.
 */
export function useSandbox(options: Options = {}, now?: () => number): Sandbox {
	const sandbox = {} as Sandbox;
	beforeAll(async () => {
		const started = await startSandbox(options, now);
		Object.defineProperties(sandbox, Object.getOwnPropertyDescriptors(started));
	});
	beforeEach(() => sandbox.reset());
	afterAll(() => sandbox.close());
	return sandbox;
}
