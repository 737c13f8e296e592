/**
 * How `collect` grows: from 10 to 100,000 values with 2 offers each in the real n8n, in as many jobs as its plan makes of
 * them. The sandbox answers at once, and its jobs end 2 seconds after their creation. n8n does not save these
 * executions; what it takes to save some of them comes after, with the main columns, with all of them, and for a node
 * that only outputs ready-made main columns, which is n8n's own share.
 * Options: --values=100000 (the largest number) --saved=50000 (the largest one that is saved) --rounds=1
 */
import { Lab } from './support/lab.mjs';
import { medians, numberOption, printMachine, printTable, printTargets } from './support/report.mjs';
import { valuesWith } from './support/service.mjs';
import { priceCollection, question } from './support/ways.mjs';

const ROUNDS = numberOption('rounds', 1);
const upTo = (largest, ...numbers) => numbers.filter((number) => number <= largest);
const VALUES = upTo(numberOption('values', 100_000), 10, 100, 1_000, 10_000, 50_000, 100_000);
const SAVED = upTo(numberOption('saved', 50_000), 1_000, 50_000);
const OFFERS = 2;
const WARM_UP_VALUES = 100;
/** The target is about so many. */
const TARGET_VALUES = 50_000;
const MIB = 2 ** 20;

const collect = (columns) => ({
	name: `Collect, columns ${columns}`,
	nodes: [
		priceCollection('Collect', 'collect', {
			...{ ...question, values: '={{ $json.value }}', waitMode: 'poll', output: 'results', columns },
		}),
	],
	last: 'Collect',
});

const LEAST = {
	name: 'Least',
	nodes: [{ name: 'Least', type: 'CUSTOM.leastRows', typeVersion: 1, parameters: {} }],
	last: 'Least',
};

const loadOf = (count) => ({
	items: valuesWith(OFFERS, count).map((value) => ({ value })),
	rows: count,
});

async function measureOnce(lab, values, saves, way) {
	console.error(`growth: ${values} values, ${way.name}${saves ? ', saved' : ''}`);
	const task = { load: loadOf(values), warmUp: loadOf(WARM_UP_VALUES), saves, reads: values <= 10_000 };
	const measured = await lab.measure(way, task);
	const bodies = (await lab.service.downloadedBytes()) / MIB;
	return {
		...measured,
		bodies,
		perBody: measured.memory / bodies,
		perValue: (measured.cpu * 1000) / values,
	};
}

async function measureAll(lab, numbers, saves, way = collect('main')) {
	const measured = [];
	for (const values of numbers) {
		const rounds = [];
		for (let round = 0; round < ROUNDS; round++) rounds.push(await measureOnce(lab, values, saves, way));
		measured.push({ values, ...medians(rounds) });
	}
	return measured;
}

function print(title, measured) {
	console.log(`${title}\n`);
	printTable(
		[
			...['values', 'jobs', 'requests', 'n8n CPU s', 'CPU ms a value', 'wall s'],
			...['peak memory MB', 'bodies MB', 'memory / bodies', 'longest block ms'],
		],
		measured.map((one) => [
			...[one.values, one.jobs, one.requests, one.cpu, one.perValue, one.wall],
			...[one.memory, one.bodies, one.perBody, one.block],
		]),
	);
}

function targets(measured, saved, savedAll) {
	const at = (values, among = measured) => among.find((one) => one.values === values);
	const ofAll = (figure) =>
		(at(TARGET_VALUES, saved)?.[figure] ?? NaN) / (at(TARGET_VALUES, savedAll)?.[figure] ?? NaN);
	const most = measured.at(-1);
	printTargets([
		{
			what: `${TARGET_VALUES.toLocaleString('en')} values: peak memory over the size of the bodies`,
			measured: at(TARGET_VALUES)?.perBody,
			most: 2.5,
		},
		{
			what: `CPU of a value at ${most.values.toLocaleString('en')} values over that at 1,000`,
			measured: most.perValue / (at(1_000)?.perValue ?? NaN),
			most: 1,
		},
		{
			what: `${TARGET_VALUES.toLocaleString('en')} values, saved: peak memory, main columns over all`,
			measured: ofAll('memory'),
			most: 0.25,
		},
		{
			what: `${TARGET_VALUES.toLocaleString('en')} values, saved: longest block, main columns over all`,
			measured: ofAll('block'),
			most: 0.25,
		},
	]);
}

const lab = await Lab.open({ jobDurationMs: 2_000, freeCredits: 10_000_000, retentionMs: 1e9 });
try {
	const measured = await measureAll(lab, VALUES, false);
	const saved = await measureAll(lab, SAVED, true);
	const savedAll = await measureAll(lab, SAVED, true, collect('all'));
	const savedLeast = await measureAll(lab, SAVED, true, LEAST);
	printMachine({ n8n: true });
	console.log(
		`${OFFERS} offers each, result rows, ${ROUNDS === 1 ? 'one round' : `medians of ${ROUNDS} rounds`}\n`,
	);
	targets(measured, saved, savedAll);
	print('Executions not saved:', measured);
	if (saved.length > 0) print('Executions saved, as n8n does by default:', saved);
	if (saved.length > 0) print('The same with all columns:', savedAll);
	if (saved.length > 0) print('A node that only outputs ready-made main columns:', savedLeast);
} finally {
	await lab.close();
}
