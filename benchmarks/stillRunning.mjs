/**
 * The cost of outputting jobs by Still Running, all at once and without n8n. Nothing yields on the way, so the main
 * thread's time is also how long n8n's event loop is blocked.
 */
import { measureInJest } from './support/inJest.mjs';
import { medians, printMachine, printTable, printTargets } from './support/report.mjs';

const measured = measureInJest('stillRunning').map(({ jobs, rounds }) => ({ jobs, ...medians(rounds) }));
const of = (wanted) => measured.find(({ jobs }) => jobs === wanted);
printMachine();
printTargets([
	{
		what: '4,000 jobs over 2,000: linear cost',
		measured: of(4_000).mainThread / of(2_000).mainThread,
		most: 2.2,
	},
	{ what: '4,000 jobs: longest block, ms', measured: of(4_000).mainThread * 1_000, most: 250 },
]);
printTable(
	['jobs', 'CPU ms', 'main thread ms', 'main thread ms a 1,000'],
	measured.map(({ jobs, cpu, mainThread }) => [
		jobs,
		cpu * 1_000,
		mainThread * 1_000,
		((mainThread * 1_000) / jobs) * 1_000,
	]),
);
