/**
 * Prices for 1,000 values in the real n8n: `collect` beside the chains people build today. The sandbox answers
 * after 20 ms, and its jobs end 2 seconds after their creation. Options: --values=1000 --rounds=3
 */
import { Lab } from './support/lab.mjs';
import { medians, numberOption, printMachine, printTable, printTargets } from './support/report.mjs';
import { QUESTION, valuesWith } from './support/service.mjs';
import { priceCollection, question, splitOut, usualChain } from './support/ways.mjs';

const VALUES = numberOption('values', 1000);
const ROUNDS = numberOption('rounds', 3);
const OFFERS = 10;
const WARM_UP_VALUES = 20;

const body = (values) =>
	`={{ JSON.stringify({ ...${JSON.stringify(QUESTION).replaceAll('}}', '} }')}, ${values} }) }}`;

const aggregate = {
	name: 'Aggregate',
	type: 'n8n-nodes-base.aggregate',
	typeVersion: 1,
	parameters: { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'value' }] }, options: {} },
};

const results = splitOut('Results', 'results');
const offers = splitOut('Offers', 'content.offers', 'query.value,content.name');

function waysAt(baseUrl) {
	const perItem = body('value: $json.value');
	const combined = body('values: $json.value.join("\\n")');
	const collect = (output) => ({
		nodes: [
			priceCollection('Collect', 'collect', {
				...question,
				values: '={{ $json.value }}',
				waitMode: 'poll',
				output,
			}),
		],
		last: 'Collect',
	});
	return [
		{ name: 'collect, result rows', baseline: 'results', rows: 1, ...collect('results') },
		{
			name: 'by hand: one job, Split Out results',
			compared: 'results',
			rows: 1,
			...usualChain(baseUrl, combined, [aggregate], [results]),
		},
		{
			name: 'by hand: one job per item, Split Out results',
			compared: 'results',
			rows: 1,
			...usualChain(baseUrl, perItem, [], [results]),
		},
		{ name: 'collect, entry rows', baseline: 'entries', rows: OFFERS, ...collect('entries') },
		{
			name: 'by hand: one job, Split Out results, then offers with 2 fields',
			compared: 'entries',
			rows: OFFERS,
			...usualChain(baseUrl, combined, [aggregate], [results, offers]),
		},
	];
}

const loadOf = (count, perValue) => ({
	items: valuesWith(OFFERS, count).map((value) => ({ value })),
	rows: count * perValue,
});

/** Measures every way once per round, so that a slow minute of the machine meets all of them. */
async function measureAll(lab, ways) {
	const taken = new Map(ways.map(({ name }) => [name, []]));
	for (let round = 1; round <= ROUNDS; round++) {
		for (const way of ways) {
			console.error(`collect: round ${round} of ${ROUNDS}, ${way.name}`);
			const task = { load: loadOf(VALUES, way.rows), warmUp: loadOf(WARM_UP_VALUES, way.rows) };
			taken.get(way.name).push(await lab.measure(way, task));
		}
	}
	return ways.map((way) => ({ ...way, ...medians(taken.get(way.name)) }));
}

/** Against the chain of one job per item, and the one that combines them by hand. */
function targets(measured) {
	const of = (name) => measured.find((one) => one.name === name);
	const ours = of('collect, result rows');
	const perItem = of('by hand: one job per item, Split Out results');
	const combined = of('by hand: one job, Split Out results');
	printTargets([
		{ what: 'jobs', measured: ours.jobs, most: 1 },
		{ what: 'CPU of a job per item over ours', measured: perItem.cpu / ours.cpu, least: 5 },
		{ what: 'memory of a job per item over ours', measured: perItem.memory / ours.memory, least: 3 },
		{ what: 'CPU over that of the chain combined by hand', measured: ours.cpu / combined.cpu, most: 1 },
		{
			what: 'memory over that of the chain combined by hand',
			measured: ours.memory / combined.memory,
			most: 1,
		},
		{ what: 'longest block in the node, ms', measured: ours.nodeBlock, most: 250 },
	]);
}

function print(measured) {
	printMachine({ n8n: true });
	targets(measured);
	console.log(`${VALUES} values with ${OFFERS} offers each, medians of ${ROUNDS} rounds\n`);
	printTable(
		[
			'way',
			'jobs',
			'requests',
			'n8n CPU s',
			'wall s',
			'peak memory MB',
			'longest block ms',
			'in the nodes ms',
		],
		measured.map((one) => [
			one.name,
			one.jobs,
			one.requests,
			one.cpu,
			one.wall,
			one.memory,
			one.block,
			one.nodeBlock,
		]),
	);
	const baselines = new Map(measured.map((one) => [one.baseline, one]));
	printTable(
		['compared with collect', 'requests', 'CPU', 'wall', 'memory', 'longest block'],
		measured
			.filter(({ compared }) => compared)
			.map((one) => {
				const ours = baselines.get(one.compared);
				const ratios = ['requests', 'cpu', 'wall', 'memory', 'block'].map(
					(field) => one[field] / ours[field],
				);
				return [one.name, ...ratios];
			}),
	);
}

const lab = await Lab.open({ latencyMs: 20, jobDurationMs: 2_000 });
try {
	print(await measureAll(lab, waysAt(lab.service.url)));
} finally {
	await lab.close();
}
