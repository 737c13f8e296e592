/**
 * A service that takes one value per job: 1,000 jobs in the real n8n, by `collect` and by HTTP Request nodes that send
 * 50 requests per second, and 4,000 jobs by `collect`. The sandbox answers after 50 ms, and its jobs end a minute after
 * their creation. The chain by hand waits that long, so it asks for each status only once. Takes half an hour.
 * Options: --jobs=1000 --seconds=60 --rounds=5
 */
import { Lab } from './support/lab.mjs';
import { numberOption, printMachine, printTable, printTargets } from './support/report.mjs';
import { valuesWith } from './support/service.mjs';
import { creationOf, priceCollection, question, splitOut, usualChain } from './support/ways.mjs';

const JOBS = numberOption('jobs', 1_000);
const SECONDS = numberOption('seconds', 60);
const ROUNDS = numberOption('rounds', 5);
const TIMES = 4;
const OFFERS = 10;
const WARM_UP_JOBS = 20;
/** n8n's Wait node suspends an execution that waits for 65 seconds or more, which costs more. */
const LONGEST_WAIT = 60;

const loadOf = (count) => ({ items: valuesWith(OFFERS, count).map((value) => ({ value })), rows: count });

function waysAt(baseUrl) {
	const collect = {
		nodes: [priceCollection('Collect', 'collect', { ...question, values: '={{ $json.value }}' })],
		last: 'Collect',
	};
	const pace = { batchSize: 50, waitSeconds: Math.min(SECONDS, LONGEST_WAIT) };
	const results = [splitOut('Results', 'results')];
	const byHand = usualChain(baseUrl, creationOf('value: $json.value'), [], results, pace);
	return [
		{ name: 'collect', load: loadOf(JOBS), ...collect },
		{ name: 'by hand, batches of 50', load: loadOf(JOBS), ...byHand },
		{ name: `collect, ${TIMES} times as many`, load: loadOf(TIMES * JOBS), ...collect },
	].map((way) => ({ ...way, warmUp: loadOf(WARM_UP_JOBS) }));
}

function print([ours, byHand, many]) {
	printMachine({ n8n: true });
	const times = `${TIMES} times as many jobs`;
	printTargets([
		{ what: 'CPU by hand over ours', measured: byHand.cpu / ours.cpu, least: 5 },
		{ what: 'main thread by hand over ours', measured: byHand.mainThread / ours.mainThread, least: 5 },
		{ what: 'requests per job', measured: ours.requests / JOBS, most: 2.1 },
		{ what: 'wall over that by hand', measured: ours.wall / byHand.wall, most: 1.2 },
		...[
			['CPU', 'cpu'],
			['main thread', 'mainThread'],
			['requests', 'requests'],
			['wall', 'wall'],
		].map(([what, field]) => ({
			what: `${times}: ${what} over that of ${JOBS.toLocaleString('en')}`,
			measured: many[field] / ours[field],
			most: 4.4,
		})),
	]);
	console.log(`${JOBS} jobs of ${SECONDS} s, medians of ${ROUNDS} rounds\n`);
	const fields = ['jobs', 'requests', 'cpu', 'mainThread', 'wall', 'memory', 'block', 'nodeBlock'];
	printTable(
		[
			...['way', 'jobs', 'requests', 'n8n CPU s', 'main thread s', 'wall s', 'peak memory MB'],
			...['longest block ms', 'in the nodes ms'],
		],
		[ours, byHand, many].map((one) => [one.name, ...fields.map((field) => one[field])]),
	);
}

const lab = await Lab.open(
	{ latencyMs: 50, jobDurationMs: SECONDS * 1_000, lookupValues: 'value' },
	{ customizeService: true, lookupValues: 'single' },
);
try {
	print(await lab.compare(waysAt(lab.service.url), { rounds: ROUNDS }));
} finally {
	await lab.close();
}
