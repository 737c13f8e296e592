/**
 * The decoders alone, outside n8n, beside JSON.parse and fast-xml-parser: the same results as JSON and as XML
 * in three sizes. Each figure comes from fresh processes that read one document once.
 * Options: --rounds=5 --largest=101 (megabytes of XML)
 */
import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { medians, numberOption, printMachine, printTable } from './support/report.mjs';
import { Service, valuesWith } from './support/service.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ONE_READING = fileURLToPath(new URL('support/readOnce.mjs', import.meta.url));
const ROUNDS = numberOption('rounds', 5);

/** How many values with how many offers give about so many megabytes of XML. */
const SIZES = [
	{ megabytes: 2, values: 100, offers: 20 },
	{ megabytes: 21, values: 1000, offers: 20 },
	{ megabytes: 101, values: 1000, offers: 99 },
];
const LARGEST = numberOption('largest', 101);

const READERS = [
	{ reader: 'json', name: 'JSON, ours', format: 'json' },
	{ reader: 'JSON.parse', name: 'JSON.parse', format: 'json' },
	{ reader: 'xml', name: 'XML, ours', format: 'xml' },
	{ reader: 'fast-xml-parser', name: 'fast-xml-parser, tree only', format: 'xml' },
];

/** The decoders as they are in the package, each size of step and pause included. */
function bundleDecoders(folder) {
	const outfile = path.join(folder, 'decoders.cjs');
	buildSync({
		stdin: {
			contents: `
				export { parseJson } from './json';
				export { parseXml } from './xml';
				export { yieldToEventLoop } from '../clock';
			`,
			resolveDir: path.join(ROOT, 'nodes/PriceCollection/service/decode'),
		},
		bundle: true,
		platform: 'node',
		external: ['n8n-workflow'],
		outfile,
		logLevel: 'error',
	});
	return outfile;
}

/** Saves both documents of each size. */
async function makeDocuments(folder, sizes) {
	const service = await Service.start({ retentionMs: 1e9 });
	const made = [];
	for (const { megabytes, values, offers } of sizes) {
		const job = await service.finishedJob(valuesWith(offers, values));
		const files = {};
		for (const format of ['json', 'xml']) {
			const file = path.join(folder, `${megabytes}.${format}`);
			files[format] = { file, bytes: await service.save(job, format, file) };
		}
		made.push({ megabytes, files });
	}
	service.stop();
	return made;
}

/** Only readers that agree may be compared. */
async function checkThatBothAgree(decoders, { files }) {
	const { parseXml, yieldToEventLoop } = createRequire(import.meta.url)(decoders);
	const read = await parseXml(readFileSync(files.xml.file, 'utf8'), yieldToEventLoop);
	deepStrictEqual(read.value, JSON.parse(readFileSync(files.json.file, 'utf8')));
}

function readOnce(decoders, reader, file) {
	const output = execFileSync(process.execPath, [ONE_READING, decoders, reader, file], {
		encoding: 'utf8',
	});
	return JSON.parse(output);
}

function measure(decoders, { megabytes, files }) {
	return READERS.map(({ reader, name, format }) => {
		const { file, bytes } = files[format];
		console.error(`decode: ${name}, ${megabytes} MB`);
		const runs = Array.from({ length: ROUNDS }, () => readOnce(decoders, reader, file));
		return { name, format, bytes, ...medians(runs) };
	});
}

function print({ megabytes }, measured) {
	const ours = new Map(
		measured.filter(({ name }) => name.endsWith('ours')).map((one) => [one.format, one]),
	);
	console.log(`Documents of ${megabytes} MB as XML, medians of ${ROUNDS} fresh processes\n`);
	printTable(
		[
			'reader',
			'MB',
			'MB/s CPU',
			'CPU s',
			'wall s',
			'peak MB',
			'longest block ms',
			'CPU / ours',
			'peak / ours',
		],
		measured.map(({ name, format, bytes, cpu, wall, memory, block }) => [
			name,
			bytes / 1e6,
			bytes / 1e6 / cpu,
			cpu,
			wall,
			memory,
			block,
			cpu / ours.get(format).cpu,
			memory / ours.get(format).memory,
		]),
	);
}

// Inside the project, so that the bundle finds n8n-workflow.
const folder = mkdtempSync(path.join(ROOT, 'node_modules/.decode-'));
try {
	const decoders = bundleDecoders(folder);
	const documents = await makeDocuments(
		folder,
		SIZES.filter(({ megabytes }) => megabytes <= LARGEST),
	);
	printMachine();
	await checkThatBothAgree(decoders, documents[0]);
	for (const document of documents) print(document, measure(decoders, document));
} finally {
	rmSync(folder, { recursive: true });
}
