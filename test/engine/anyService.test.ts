import fc from 'fast-check';

import { arbitraryJobs, EVERY_KIND_OF_JOB } from '../generator/jobs';
import { arbitraryService, servicesWithOneOddity } from '../generator/service';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import { judgeService, type JudgedOperation } from './anyService';

/** How many services there are, the ones with a single oddity included; ANY_SERVICES=10000 takes half an hour. */
const SERVICES = Number(process.env.ANY_SERVICES ?? 500);
const ODD_ONES = servicesWithOneOddity();
const PATIENCE_MS = 600_000 + SERVICES * 2_000;

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ manualClock: true });
});
afterAll(async () => await sandbox.close());

const wrongOnes = (judged: JudgedOperation[]) =>
	judged.filter(({ kind }) => kind !== 'right' && kind !== 'clear');

test(
	'every service with a single oddity is read right or refused clearly',
	async () => {
		const wrong: object[] = [];
		for (const service of ODD_ONES) {
			for (const one of wrongOnes(await judgeService(sandbox, service, EVERY_KIND_OF_JOB))) {
				wrong.push({ service: service.choices, ...one });
			}
		}
		expect(wrong).toEqual([]);
	},
	PATIENCE_MS,
);

test(
	'any service is read right or refused clearly',
	async () => {
		await fc.assert(
			fc.asyncProperty(arbitraryService(), arbitraryJobs(), async (service, specs) => {
				expect(wrongOnes(await judgeService(sandbox, service, specs))).toEqual([]);
			}),
			{ numRuns: Math.max(SERVICES - ODD_ONES.length, 1) },
		);
	},
	PATIENCE_MS,
);
