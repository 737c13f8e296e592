/**
 * A finished job's download in the real n8n. First to items: about 10 MB of JSON or 21 MB of XML with 1,000
 * results and 20,000 offers, by our node, by HTTP Request with Split Out, and by a node that does no more than it
 * must. Then to a file of 512 MB. n8n does not save the executions here, which costs it about as much again and
 * hides the difference; --saves=1 lets it. More options: --results=1000 --megabytes=512 --rounds=3, and --only=JSON for
 * the ways whose names match this expression
 */
import { Lab } from './support/lab.mjs';
import {
	medians,
	numberOption,
	printMachine,
	printTable,
	printTargets,
	textOption,
} from './support/report.mjs';
import { KEY, valuesWith } from './support/service.mjs';
import { httpRequest, priceCollection, splitOut } from './support/ways.mjs';

const RESULTS = numberOption('results', 1000);
const MEGABYTES = numberOption('megabytes', 512);
const ROUNDS = numberOption('rounds', 3);
const SAVES = numberOption('saves', 0) === 1;
const ONLY = new RegExp(textOption('only', ''));
const OFFERS = 20;
const WARM_UP_RESULTS = 20;

const asFormat = (responseFormat) => ({ options: { response: { response: { responseFormat } } } });

/** The ways to items. Each compares with our node's way for the same kind of rows. */
function rowWays(baseUrl) {
	const url = (format) => `=${baseUrl}/v2/jobs/{{ $json.job_id }}/download.${format}`;
	const json = httpRequest('Download', url('json'), asFormat('json'));
	const results = splitOut('Results', 'results');
	const offers = (keep) => splitOut('Offers', 'content.offers', keep);
	const twoFields = 'query.value,content.name';
	const chain = (name, ours, ...nodes) => ({ name, ours, nodes, last: nodes.at(-1).name });
	const ofOurs = (name, format, output) => ({
		isOurs: true,
		...chain(name, name, download(format, output)),
	});
	const least = (name, ours, output) => chain(name, ours, leastDownload(url('json'), output));
	const xml = [
		httpRequest('Download', url('xml'), asFormat('text')),
		{ name: 'XML', type: 'n8n-nodes-base.xml', typeVersion: 1, parameters: { options: {} } },
		splitOut('Results', 'results.result'),
	];
	const xmlOffers = splitOut('Offers', 'content.offers.offer', twoFields);
	return [
		ofOurs('JSON, ours: result rows', 'json', 'results'),
		chain('JSON, HTTP Request: Split Out results', 'JSON, ours: result rows', json, results),
		least('JSON, least node: result rows', 'JSON, ours: result rows', 'results'),
		ofOurs('JSON, ours: entry rows', 'json', 'entries'),
		chain(
			'JSON, HTTP Request: … offers, 2 fields',
			'JSON, ours: entry rows',
			json,
			results,
			offers(twoFields),
		),
		chain(
			'JSON, HTTP Request: … offers, all fields',
			'JSON, ours: entry rows',
			json,
			results,
			offers('all'),
		),
		least('JSON, least node: offers, 2 fields', 'JSON, ours: entry rows', 'entries'),
		ofOurs('XML, ours: result rows', 'xml', 'results'),
		chain('XML, HTTP Request, XML: Split Out results', 'XML, ours: result rows', ...xml),
		ofOurs('XML, ours: entry rows', 'xml', 'entries'),
		chain('XML, HTTP Request, XML: … offers, 2 fields', 'XML, ours: entry rows', ...xml, xmlOffers),
	].map((way) => ({ ...way, perResult: /entry|offers/.test(way.name) ? OFFERS : 1 }));
}

function download(format, output) {
	return priceCollection('Download', 'download', {
		jobId: { __rl: true, mode: 'id', value: '={{ $json.job_id }}' },
		output,
		options: { format },
	});
}

function leastDownload(url, output) {
	return {
		name: 'Least',
		type: 'CUSTOM.leastDownload',
		typeVersion: 1,
		parameters: { url: `${url}?token=${KEY}`, output },
	};
}

function fileWays(baseUrl) {
	const url = `=${baseUrl}/v2/jobs/{{ $json.job_id }}/download`;
	const one = (name, ours, node) => ({ name, ours, nodes: [node], last: 'Download' });
	const name = 'file, ours';
	return [
		{ isOurs: true, ...one(name, name, download('json', 'file')) },
		one('file, HTTP Request', name, httpRequest('Download', url, asFormat('file'))),
	];
}

/** Measures every way once per round, so that a slow minute of the machine meets all of them. */
async function measureAll(lab, all, taskOf) {
	const ways = all.filter(({ name }) => ONLY.test(name));
	const taken = new Map(ways.map(({ name }) => [name, []]));
	for (let round = 1; round <= ROUNDS; round++) {
		for (const way of ways) {
			console.error(`download: round ${round} of ${ROUNDS}, ${way.name}`);
			taken.get(way.name).push(await lab.measure(way, { ...taskOf(way), reset: false, saves: SAVES }));
		}
	}
	return ways.map((way) => ({ ...way, ...medians(taken.get(way.name)) }));
}

function print(title, measured) {
	if (measured.length === 0) return;
	console.log(`${title}, medians of ${ROUNDS} rounds, executions ${SAVES ? '' : 'not '}saved\n`);
	const ours = new Map(measured.filter(({ isOurs }) => isOurs).map((one) => [one.name, one]));
	const ratio = (one, field) => (one.isOurs ? '' : one[field] / ours.get(one.ours)[field]);
	printTable(
		['way', 'CPU / ours', 'memory / ours', 'n8n CPU s', 'wall s', 'peak memory MB', 'longest block ms'],
		measured.map((one) => [
			one.name,
			ratio(one, 'cpu'),
			ratio(one, 'memory'),
			one.cpu,
			one.wall,
			one.memory,
			one.block,
		]),
	);
}

/** How often a way costs what ours does. */
function targets(measured) {
	const of = (name) => measured.find((one) => one.name === name);
	const against = (rows, chain, ours, other, least) =>
		['cpu', 'memory'].map((field) => ({
			what: `${rows}: ${field === 'cpu' ? 'CPU' : 'memory'} of ${chain} over ours`,
			measured: of(other)?.[field] / of(ours)?.[field],
			least: least[field],
		}));
	printTargets([
		{
			what: 'JSON result rows: CPU over that of HTTP Request and Split Out',
			measured: of('JSON, ours: result rows')?.cpu / of('JSON, HTTP Request: Split Out results')?.cpu,
			most: 1.3,
		},
		...against(
			'JSON entry rows',
			'Split Out',
			'JSON, ours: entry rows',
			'JSON, HTTP Request: … offers, all fields',
			{ cpu: 2.5, memory: 3.5 },
		),
		...against(
			'XML rows',
			"n8n's XML chain",
			'XML, ours: result rows',
			'XML, HTTP Request, XML: Split Out results',
			{ cpu: 2, memory: 2 },
		),
		{ what: 'a file: peak memory, MB', measured: of('file, ours')?.memory, most: 64 },
	]);
}

const lab = await Lab.open({});
try {
	const { service } = lab;
	const jobWith = async (values) => [{ job_id: await service.finishedJob(values) }];
	const few = await jobWith(valuesWith(OFFERS, WARM_UP_RESULTS));
	const many = await jobWith(valuesWith(OFFERS, RESULTS));
	const rows = await measureAll(lab, rowWays(service.url), ({ perResult }) => ({
		load: { items: many, rows: RESULTS * perResult },
		warmUp: { items: few, rows: WARM_UP_RESULTS * perResult },
	}));
	const large = await jobWith([`megabytes-${MEGABYTES}`]);
	const files = await measureAll(lab, fileWays(service.url), () => ({
		load: { items: large, rows: 1 },
		warmUp: { items: few, rows: 1 },
	}));
	printMachine({ n8n: true });
	targets([...rows, ...files]);
	print(`${RESULTS} results with ${OFFERS} offers each`, rows);
	print(`A file of ${MEGABYTES} MB`, files);
} finally {
	await lab.close();
}
