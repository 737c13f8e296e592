import fc from 'fast-check';

import { arbitraryJobs, EVERY_KIND_OF_JOB } from '../generator/jobs';
import { OPERATIONS, type Operation } from '../generator/operations';
import { arbitraryService, servicesWithOneOddity, type GeneratedService } from '../generator/service';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import { judgeService, type JudgedOperation } from './anyService';

jest.mock('../../nodes/PriceCollection/n8n/clock', () => jest.requireActual('./virtualClock'));

/** How many services there are, the ones with a single oddity included; ANY_SERVICES=10000 takes some hours. */
const SERVICES = Number(process.env.ANY_SERVICES ?? 501);
const ODD_ONES = servicesWithOneOddity();
const PATIENCE_MS = 600_000 + SERVICES * 2_000;

/** Whether the rows of a collect stand beside the right items is seen in tests of their own. */
const ASKED = OPERATIONS.filter((operation) => operation !== 'collect');

/** A bare list has no room to say that it goes on: where pages have no numbers either, nobody can know. */
function askedOf({ options }: GeneratedService): readonly Operation[] {
	const { listShape, listPaging, listSays } = options;
	const isMute = listShape === 'array' && listPaging === 'cursor' && !listSays.includes('link');
	return isMute ? ASKED.filter((operation) => operation !== 'getAll') : ASKED;
}

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
			for (const one of wrongOnes(
				await judgeService(sandbox, service, EVERY_KIND_OF_JOB, askedOf(service)),
			)) {
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
				expect(wrongOnes(await judgeService(sandbox, service, specs, askedOf(service)))).toEqual([]);
			}),
			{ numRuns: Math.max(SERVICES - ODD_ONES.length, 1) },
		);
	},
	PATIENCE_MS,
);
