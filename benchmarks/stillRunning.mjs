/**
 * What it takes to give out jobs that leave by Still Running, all at once: the code alone, without n8n. Nothing yields on the
 * way, so the time is also how long n8n's event loop stands still.
 */
import { measureInJest } from './support/inJest.mjs';
import { printMachine, printTable, printTargets } from './support/report.mjs';

const measured = measureInJest('stillRunning');
const at = (jobs) => measured.find((one) => one.jobs === jobs)?.ms ?? NaN;
printMachine();
printTargets([
	{ what: '4,000 jobs over 2,000: linear cost', measured: at(4_000) / at(2_000), most: 2.2 },
	{ what: '4,000 jobs: longest block, ms', measured: at(4_000), most: 250 },
]);
printTable(
	['jobs', 'ms', 'ms a 1,000'],
	measured.map(({ jobs, ms }) => [jobs, ms, (ms / jobs) * 1_000]),
);
