/**
 * What an AI agent gets as the answer of a tool: its size and the processor time to fit it, for 20 rows and for 10,000, under
 * caps from 5,000 to 320,000 characters. Rows are the offers of products as `collect` gives them to a tool. The code runs
 * alone, outside n8n; each figure is the median of several answers, after some that are not counted.
 * Options: --rounds=5
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { median, numberOption, printMachine, printTable, printTargets } from './support/report.mjs';
import { Service, valuesWith } from './support/service.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ROUNDS = numberOption('rounds', 5);
const WARM_UPS = 5;
const TIMES = 20;
const OFFERS = 20;
const ROWS = [20, 10_000];
const CAPS = [5_000, 20_000, 80_000, 320_000];

/** The code as it is in the package. */
async function load() {
	// Inside the project, so that the bundle finds n8n-workflow.
	const folder = mkdtempSync(path.join(ROOT, 'node_modules/.tool-'));
	const outfile = path.join(folder, 'output.cjs');
	const contents = `export * from './answer'; export * from './rows';`;
	await build({
		stdin: { contents, resolveDir: path.join(ROOT, 'nodes/PriceCollection/output') },
		bundle: true,
		platform: 'node',
		external: ['n8n-workflow'],
		outfile,
		logLevel: 'error',
	});
	const loaded = createRequire(import.meta.url)(outfile);
	rmSync(folder, { recursive: true });
	return loaded;
}

async function resultsOf(values) {
	const service = await Service.start();
	const job = await service.finishedJob(valuesWith(OFFERS, values));
	const download = await (await fetch(service.downloadUrl(job, 'json'))).json();
	service.stop();
	return download;
}

/** Milliseconds of processor time, the median of several runs. What takes less than the system counts is done often. */
function cost(work) {
	const times = Array.from({ length: WARM_UPS + ROUNDS }, () => {
		const before = process.threadCpuUsage();
		for (let time = 0; time < TIMES; time++) work();
		const { user, system } = process.threadCpuUsage(before);
		return (user + system) / 1000 / TIMES;
	});
	return median(times.slice(WARM_UPS));
}

const { fitAnswer, compactRows, rowsOf } = await load();
const choice = {
	...{ output: 'entries', columns: 'all', includeNotFound: true, onFailedResult: 'include' },
	bestPrice: { ignoreShops: [], includeShipping: true },
};
const measured = [];
for (const count of ROWS) {
	const download = await resultsOf(count / OFFERS);
	const rows = compactRows(
		download.results.flatMap((result) => rowsOf(download, result, choice)),
		choice,
		download.results,
	);
	for (const cap of CAPS) {
		const answer = fitAnswer(rows, cap);
		measured.push({
			...{ count: rows.length, cap, shown: answer.length, size: JSON.stringify(answer).length },
			whole: JSON.stringify(rows).length,
			ms: cost(() => fitAnswer(rows, cap)),
		});
	}
}

const many = measured.filter(({ count }) => count === ROWS.at(-1));
const perCharacter = ({ ms, cap }) => ms / cap;
printMachine();
printTargets([
	{
		what: 'largest answer over its cap',
		measured: Math.max(...measured.map(({ size, cap }) => size / cap)),
		most: 1,
	},
	{
		what: 'time per character, the largest cap over the default one',
		measured: perCharacter(many.at(-1)) / perCharacter(many.find(({ cap }) => cap === 20_000)),
		most: 1.5,
	},
]);
printTable(
	['rows', 'all of them, characters', 'cap, characters', 'answer, characters', 'items in it', 'CPU ms'],
	measured.map(({ count, whole, cap, size, shown, ms }) => [count, whole, cap, size, shown, ms]),
);
