import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { expectedFor } from '../../fakes/services/expected';
import { arbitraryJobs, becomeService, broughtBy } from '../../fakes/services/jobs';
import type { Brought, JobSpec, Known } from '../../fakes/services/jobs';
import { inputFor, OPERATIONS, parametersFor } from '../../fakes/services/operations';
import type { Observed, Operation } from '../../fakes/services/operations';
import { arbitraryServices, credentialOf, serviceOf, simplest } from '../../fakes/services/service';
import type { GeneratedService } from '../../fakes/services/service';
import { verdictOn } from '../../fakes/services/verdict';
import type { Verdict } from '../../fakes/services/verdict';
import { SCALE, someOf } from '../../support/runs';
import { commandToRepeat } from '../../support/seed';
import { useSandbox } from '../../support/useSandbox';
import { binaryContent, errorOf, outputItems, runWorkflow, said } from '../support/harness';
import { scenario } from '../support/common';
import { time } from '../support/virtualClock';

const sandbox = useSandbox({ manualClock: true });

interface JudgedOperation extends Verdict {
	operation: Operation;
}

function askerOf(paired: INodeExecutionData['pairedItem']): number | undefined {
	const [first, ...others] = [paired ?? []].flat();
	if (first === undefined || others.length > 0) return undefined;
	return typeof first === 'number' ? first : first.item;
}

async function observe(service: GeneratedService, operation: Operation, known: Known): Promise<Observed> {
	const before = new Set(sandbox.jobs.map(({ job_id: id }) => id));
	const credential = credentialOf(service, sandbox) as IDataObject;
	const parameters = parametersFor(operation, service, known) as INodeParameters;
	const isNew = ({ job_id: id }: { job_id: string }) => !before.has(id);
	// Finishes the node's jobs as soon as it waits for them.
	const finish = () => sandbox.jobs.filter(isNew).forEach(({ job_id: id }) => sandbox.finishJob(id));
	const pass = (milliseconds: number) => sandbox.advance(milliseconds);
	time.listeners.add(pass);
	if (operation === 'collect') time.listeners.add(finish);
	const run = await runWorkflow(scenario(credential, parameters, inputFor(operation)));
	time.listeners.delete(finish);
	time.listeners.delete(pass);
	const error = errorOf(run);
	const description = error && 'description' in error ? String(error.description ?? '') : '';
	const output = [0, 1].flatMap((index) => outputItems(run, 'Prices', index));
	const files = await Promise.all(
		output.filter(({ binary }) => binary !== undefined).map((item) => binaryContent(item)),
	);
	const created = sandbox.jobs.filter(isNew);
	const createdResults: Brought[][] = [];
	if (operation === 'collect' && !error) {
		// Makes the jobs old enough for any lag.
		sandbox.advance(60_000);
		for (const { job_id: id } of created) createdResults.push(await broughtBy(sandbox, service, id));
	}
	return {
		items: output.map(({ json }) => json),
		askers: output.map(({ pairedItem }) => askerOf(pairedItem)),
		files,
		...(error && { error: { message: error.message, description } }),
		hints: said(run),
		created,
		createdResults,
		jobs: sandbox.jobs,
	};
}

/** Runs every operation against the service through n8n's engine and judges the outcome. */
async function judgeService(service: GeneratedService, specs: JobSpec[]): Promise<JudgedOperation[]> {
	const judged: JudgedOperation[] = [];
	const known = await becomeService(sandbox, service, specs);
	// Operations that change the account come last.
	const reading = OPERATIONS.filter((one) => !['create', 'collect', 'cancel'].includes(one));
	const writing = OPERATIONS.filter((one) => ['create', 'collect', 'cancel'].includes(one));
	for (const operation of [...reading, ...writing]) {
		const observed = await observe(service, operation, known);
		const expected = expectedFor(operation, service, known);
		judged.push({ operation, ...verdictOn(operation, service, known, expected, observed) });
	}
	return judged;
}

/** How often each choice at each point is played. */
const ROUNDS = Math.max(1, Math.round(3 * SCALE));

describe.each(['json', 'xml'] as const)('services of every kind, in %s', (format) => {
	const rounds = fc.sample(fc.tuple(arbitraryServices(format), arbitraryJobs()), ROUNDS);

	test.each(rounds)('are read right or refused clearly, in round %#', async (services, specs) => {
		const problems = async (service: GeneratedService) =>
			(await judgeService(service, specs)).filter(({ kind }) => kind !== 'right' && kind !== 'clear');
		// What JSON leaves out, XML plays.
		for (const service of someOf(format === 'json' ? services : services.slice(1), 2)) {
			if ((await problems(service)).length === 0) continue;
			const { choices } = await simplest(service, async (other) => (await problems(other)).length > 0);
			const found = JSON.stringify(await problems(serviceOf(choices)), null, 1);
			const which = `serviceOf(${JSON.stringify(choices)}), jobs ${JSON.stringify(specs)}`;
			throw new Error(`${which}: ${found}\n\nRepeat it: ${commandToRepeat()}`);
		}
	});
});
