import fc from 'fast-check';

import { arbitraryJobs } from '../generator/jobs';
import { arbitraryServices, serviceOf, simplest } from '../generator/service';
import type { GeneratedService } from '../generator/service';
import { SCALE } from '../runs';
import { useSandbox } from '../useSandbox';
import { judgeService } from './anyService';

const sandbox = useSandbox({ manualClock: true });

/** How often every choice of every point is played. */
const ROUNDS = Math.max(1, Math.round(5 * SCALE));

describe.each(['json', 'xml'] as const)('services of every kind, in %s', (format) => {
	const rounds = fc.sample(fc.tuple(arbitraryServices(format), arbitraryJobs()), ROUNDS);

	test.each(rounds)('are read right or refused clearly, in round %#', async (services, specs) => {
		const problems = async (service: GeneratedService) =>
			(await judgeService(sandbox, service, specs)).filter(
				({ kind }) => kind !== 'right' && kind !== 'clear',
			);
		for (const service of services) {
			if ((await problems(service)).length === 0) continue;
			const { choices } = await simplest(service, async (other) => (await problems(other)).length > 0);
			const found = JSON.stringify(await problems(serviceOf(choices)), null, 1);
			throw new Error(`serviceOf(${JSON.stringify(choices)}), jobs ${JSON.stringify(specs)}: ${found}`);
		}
	});
});
