/**
 * Downloads of a finished job in the real n8n. First into items: about 10 MB of JSON or 21 MB of XML with 1,000 results
 * and 20,000 offers, by our node, by HTTP Request with Split Out, and by a node that does only what it must. Then into
 * a file of 512 MB. By default, n8n does not save these executions, because saving costs about as much again and hides
 * the difference; --saves=1 turns it on. Last, one result of 50,000 entries, in an execution that n8n does save,
 * because it shows when the nodes ran. More options: --results=1000 --megabytes=512 --entries=50000 --rounds=5, and
 * --only=JSON for the ways whose names match this expression
 */
import { Lab } from './support/lab.mjs';
import { numberOption, printMachine, printTable, printTargets, textOption } from './support/report.mjs';
import { KEY, valuesWith } from './support/service.mjs';
import { httpRequest, priceCollection, splitOut } from './support/ways.mjs';

const RESULTS = numberOption('results', 1000);
const MEGABYTES = numberOption('megabytes', 512);
const ENTRIES = numberOption('entries', 50_000);
const ROUNDS = numberOption('rounds', 5);
const SAVES = numberOption('saves', 0) === 1;
const ONLY = new RegExp(textOption('only', ''));
const OFFERS = 20;
const WARM_UP_RESULTS = 20;
const ONE_RESULT = 'one result, ours';

const asFormat = (responseFormat) => ({ options: { response: { response: { responseFormat } } } });

/** The ways to items. `ours` names our node's way to the same kind of rows. Expensive ways warm up with `few`. */
function rowWays(baseUrl, few, many) {
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
	].map((way) => {
		const perResult = /entry|offers/.test(way.name) ? OFFERS : 1;
		const warmUp = { items: few, rows: WARM_UP_RESULTS * perResult };
		const isDear = /all fields|XML, HTTP Request/.test(way.name);
		return {
			...way,
			load: { items: many, rows: RESULTS * perResult },
			...(isDear && { warmUp, isApart: true }),
		};
	});
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

/** The ways to a file of hundreds of megabytes. */
function fileWays(baseUrl, few, large) {
	const url = `=${baseUrl}/v2/jobs/{{ $json.job_id }}/download`;
	const loads = { load: { items: large, rows: 1 }, warmUp: { items: few, rows: 1 }, isApart: true };
	const one = (name, ours, node) => ({ name, ours, nodes: [node], last: 'Download', ...loads });
	const name = 'file, ours';
	return [
		{ isOurs: true, ...one(name, name, download('json', 'file')) },
		one('file, HTTP Request', name, httpRequest('Download', url, asFormat('file'))),
	];
}

function print(title, measured) {
	if (measured.length === 0) return;
	console.log(`${title}, medians of ${ROUNDS} rounds, executions ${SAVES ? '' : 'not '}saved\n`);
	const ours = new Map(measured.filter(({ isOurs }) => isOurs).map((one) => [one.name, one]));
	const ratio = (one, field) => (one.isOurs ? '' : one[field] / ours.get(one.ours)[field]);
	printTable(
		[
			...['way', 'CPU / ours', 'main thread / ours', 'memory / ours'],
			...['n8n CPU s', 'main thread s', 'wall s', 'peak memory MB', 'longest block ms'],
		],
		measured.map((one) => [
			...[one.name, ratio(one, 'cpu'), ratio(one, 'mainThread'), ratio(one, 'memory')],
			...[one.cpu, one.mainThread, one.wall, one.memory, one.block],
		]),
	);
}

/** Prints how the cost of our node compares with that of the other ways. */
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
		{
			what: 'one result of 50,000 entries: longest block in the node, ms',
			measured: of(ONE_RESULT)?.nodeBlock,
			most: 250,
		},
	]);
}

const lab = await Lab.open({});
try {
	const { service } = lab;
	const jobWith = async (values) => [{ job_id: await service.finishedJob(values) }];
	const few = await jobWith(valuesWith(OFFERS, WARM_UP_RESULTS));
	const many = await jobWith(valuesWith(OFFERS, RESULTS));
	const chosen = (ways) => ways.filter(({ name }) => ONLY.test(name));
	const how = { rounds: ROUNDS, reset: false, saves: SAVES };
	const rows = await lab.compare(chosen(rowWays(service.url, few, many)), how);
	const large = await jobWith([`megabytes-${MEGABYTES}`]);
	const files = await lab.compare(chosen(fileWays(service.url, few, large)), how);
	const entries = await jobWith(valuesWith(ENTRIES, 1));
	const oneResult = {
		...{ name: ONE_RESULT, nodes: [download('json', 'entries')], last: 'Download' },
		load: { items: entries, rows: ENTRIES },
		warmUp: { items: few, rows: WARM_UP_RESULTS * OFFERS },
	};
	const blocks = await lab.compare(chosen([oneResult]), { ...how, saves: true });
	printMachine({ n8n: true });
	targets([...rows, ...files, ...blocks]);
	print(`${RESULTS} results with ${OFFERS} offers each`, rows);
	print(`A file of ${MEGABYTES} MB`, files);
} finally {
	await lab.close();
}
