/**
 * Prices for 1,000 values in the real n8n: `collect` compared with the chains people build today. The sandbox answers
 * after 20 ms, and its jobs end 2 seconds after their creation. Options: --values=1000 --rounds=5
 */
import { Lab } from './support/lab.mjs';
import { numberOption, printMachine, printTable, printTargets } from './support/report.mjs';
import { valuesWith } from './support/service.mjs';
import { creationOf, priceCollection, question, splitOut, usualChain } from './support/ways.mjs';

const VALUES = numberOption('values', 1000);
const ROUNDS = numberOption('rounds', 5);
const OFFERS = 10;
const WARM_UP_VALUES = 20;

const MEASURES = { cpu: 'CPU', mainThread: 'main thread', memory: 'memory', block: 'longest block' };

const aggregate = {
	name: 'Aggregate',
	type: 'n8n-nodes-base.aggregate',
	typeVersion: 1,
	parameters: { fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'value' }] }, options: {} },
};

const results = splitOut('Results', 'results');
const offers = splitOut('Offers', 'content.offers', 'query.value,content.name');

const loadOf = (count, perValue) => ({
	items: valuesWith(OFFERS, count).map((value) => ({ value })),
	rows: count * perValue,
});

function waysAt(baseUrl) {
	const perItem = creationOf('value: $json.value');
	const combined = creationOf('values: $json.value.join("\\n")');
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
		{ name: 'collect, result rows', baseline: 'results', load: loadOf(VALUES, 1), ...collect('results') },
		{
			name: 'by hand: one job, Split Out results',
			compared: 'results',
			load: loadOf(VALUES, 1),
			...usualChain(baseUrl, combined, [aggregate], [results]),
		},
		{
			name: 'by hand: one job per item, Split Out results',
			compared: 'results',
			load: loadOf(VALUES, 1),
			warmUp: loadOf(WARM_UP_VALUES, 1),
			isApart: true,
			...usualChain(baseUrl, perItem, [], [results]),
		},
		{
			name: 'collect, entry rows',
			baseline: 'entries',
			load: loadOf(VALUES, OFFERS),
			...collect('entries'),
		},
		{
			name: 'by hand: one job, Split Out results, then offers with 2 fields',
			compared: 'entries',
			load: loadOf(VALUES, OFFERS),
			...usualChain(baseUrl, combined, [aggregate], [results, offers]),
		},
	];
}

/** Compares `collect` with the chain of one job per item, and with the chains that combine items by hand. */
function targets(measured) {
	const of = (name) => measured.find((one) => one.name === name);
	const ours = of('collect, result rows');
	const perItem = of('by hand: one job per item, Split Out results');
	const against = (rows, mine, chain, most) =>
		Object.entries(most).map(([field, wanted]) => ({
			what: `${rows}: ${MEASURES[field]} over that of the chain combined by hand`,
			measured: mine[field] / chain[field],
			most: wanted,
		}));
	printTargets([
		{ what: 'jobs', measured: ours.jobs, most: 1 },
		{ what: 'CPU of a job per item over ours', measured: perItem.cpu / ours.cpu, least: 5 },
		{ what: 'memory of a job per item over ours', measured: perItem.memory / ours.memory, least: 3 },
		...against('result rows', ours, of('by hand: one job, Split Out results'), {
			...{ cpu: 1, mainThread: 0.9, memory: 0.8, block: 0.5 },
		}),
		...against(
			'entry rows',
			of('collect, entry rows'),
			of('by hand: one job, Split Out results, then offers with 2 fields'),
			{ cpu: 1, mainThread: 0.9, memory: 0.8, block: 0.6 },
		),
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
			'main thread s',
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
			one.mainThread,
			one.wall,
			one.memory,
			one.block,
			one.nodeBlock,
		]),
	);
	const baselines = new Map(measured.map((one) => [one.baseline, one]));
	printTable(
		['compared with collect', 'requests', 'CPU', 'main thread', 'wall', 'memory', 'longest block'],
		measured
			.filter(({ compared }) => compared)
			.map((one) => {
				const ours = baselines.get(one.compared);
				const ratios = ['requests', 'cpu', 'mainThread', 'wall', 'memory', 'block'].map(
					(field) => one[field] / ours[field],
				);
				return [one.name, ...ratios];
			}),
	);
}

const lab = await Lab.open({ latencyMs: 20, jobDurationMs: 2_000 });
try {
	print(await lab.compare(waysAt(lab.service.url), { rounds: ROUNDS }));
} finally {
	await lab.close();
}
