/**
 * What each round of durable waiting adds to the execution that n8n saves, in n8n's own engine with a virtual clock: one job
 * of 1,000 and of 10,000 values for two hours, in the loop of Wait alone and in one with a node that copies its items. The
 * sizes are exact, so one round is enough.
 */
import { measureInJest } from './support/inJest.mjs';
import { printMachine, printTable, printTargets } from './support/report.mjs';

const KB = 1024;

const measured = measureInJest('waiting').map((one) => ({
	...one,
	loop: one.copies ? 'with a node that copies items' : 'direct',
	most: Math.max(...one.growth) / KB,
}));
printMachine();
printTargets(
	[...new Set(measured.map(({ loop }) => loop))].map((loop) => ({
		what: `${loop}: KB a round`,
		measured: Math.max(...measured.filter((one) => one.loop === loop).map(({ most }) => most)),
		most: 2,
	})),
);
printTable(
	['loop', 'values', 'rounds', 'saved at first, KB', 'most that a round added, KB'],
	measured.map(({ loop, values, rounds, first, most }) => [loop, values, rounds, first / KB, most]),
);
