/**
 * The decoders alone, outside n8n, beside JSON.parse and fast-xml-parser: the same results as JSON and as XML in four
 * sizes, the JSON once more with a number in it that no double holds. Each figure comes from fresh processes that read
 * one document once.
 * Options: --rounds=3 --largest=250 (megabytes) --largest-fxp=50 (up to which fast-xml-parser takes part)
 */
import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { medians, numberOption, printMachine, printTable } from './support/report.mjs';
import { Service, valuesWith } from './support/service.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const ONE_READING = fileURLToPath(new URL('support/readOnce.mjs', import.meta.url));
const ROUNDS = numberOption('rounds', 3);
const SIZES = [10, 50, 100, 250].filter((megabytes) => megabytes <= numberOption('largest', 250));
const LARGEST_FXP = numberOption('largest-fxp', 50);
/** The results that each document repeats. */
const OFFERS = 20;
const VALUES = 100;

const READERS = [
	{ reader: 'json', name: 'JSON, ours', document: 'json' },
	{ reader: 'json', name: 'JSON with a long number, ours', document: 'longNumber' },
	{ reader: 'JSON.parse', name: 'JSON.parse', document: 'json' },
	{ reader: 'xml', name: 'XML, ours', document: 'xml' },
	{ reader: 'fast-xml-parser', name: 'fast-xml-parser, tree only', document: 'xml' },
];

/** The decoders as they are in the package, each size of step and pause included. */
function bundleDecoders(folder) {
	const outfile = path.join(folder, 'decoders.cjs');
	buildSync({
		stdin: {
			contents: `
				export { decodeBody } from './body';
				export { yieldToEventLoop } from '../../n8n/clock';
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

/** The beginning, the results and the end of a download in each format. */
async function partsOfDocuments() {
	const service = await Service.start({ retentionMs: 1e9 });
	const job = await service.finishedJob(valuesWith(OFFERS, VALUES));
	const text = async (format) => await (await fetch(service.downloadUrl(job, format))).text();
	const { results, ...root } = JSON.parse(await text('json'));
	const xml = await text('xml');
	service.stop();
	const [first, last] = [xml.indexOf('<result>'), xml.lastIndexOf('</result>') + '</result>'.length];
	const start = JSON.stringify(root).replace(/\}$/, '');
	const list = JSON.stringify(results).slice(1, -1);
	return {
		json: [`${start},"results":[`, list, ',', ']}'],
		longNumber: [`${start},"number":12345678901234567890,"results":[`, list, ',', ']}'],
		xml: [xml.slice(0, first), xml.slice(first, last), '', xml.slice(last)],
	};
}

/** Saves the three documents of a size, which hold the same results again and again. */
function makeDocuments(folder, parts, megabytes) {
	const copies = Math.round((megabytes * 1e6) / Buffer.byteLength(parts.json[1]));
	const made = {};
	for (const [document, [start, results, between, end]] of Object.entries(parts)) {
		const file = path.join(folder, `${megabytes}.${document}`);
		const target = openSync(file, 'w');
		writeSync(target, start);
		for (let copy = 0; copy < copies; copy++) writeSync(target, copy === 0 ? results : between + results);
		writeSync(target, end);
		closeSync(target);
		made[document] = { file, bytes: statSync(file).size };
	}
	return made;
}

/** Only readers that agree may be compared. */
async function checkThatTheyAgree(decoders, files) {
	const { decodeBody, yieldToEventLoop } = createRequire(import.meta.url)(decoders);
	const read = async ({ file }) =>
		(await decodeBody([readFileSync(file)], undefined, yieldToEventLoop)).value;
	const expected = JSON.parse(readFileSync(files.json.file, 'utf8'));
	deepStrictEqual(await read(files.json), expected);
	deepStrictEqual((await read(files.xml)).results, expected.results);
	deepStrictEqual(await read(files.longNumber), { ...expected, number: '12345678901234567890' });
}

function readOnce(decoders, reader, file) {
	const output = execFileSync(process.execPath, [ONE_READING, decoders, reader, file], {
		encoding: 'utf8',
	});
	return JSON.parse(output);
}

function measure(decoders, files, megabytes) {
	const readers = READERS.filter(({ reader }) => reader !== 'fast-xml-parser' || megabytes <= LARGEST_FXP);
	return readers.map(({ reader, name, document }) => {
		const { file, bytes } = files[document];
		console.error(`decode: ${name}, ${megabytes} MB`);
		const runs = Array.from({ length: ROUNDS }, () => readOnce(decoders, reader, file));
		return { name, bytes, ...medians(runs) };
	});
}

function print(megabytes, measured) {
	const parse = measured.find(({ name }) => name === 'JSON.parse');
	console.log(`Documents of ${megabytes} MB as JSON, medians of ${ROUNDS} fresh processes\n`);
	printTable(
		[
			'reader',
			'MB',
			'MB/s CPU',
			'CPU s',
			'wall s',
			'peak MB',
			'peak / body',
			'longest block ms',
			'CPU / JSON.parse',
		],
		measured.map(({ name, bytes, cpu, wall, memory, block }) => [
			...[name, bytes / 1e6, bytes / 1e6 / cpu, cpu, wall, memory],
			...[memory / (bytes / 2 ** 20), block, cpu / parse.cpu],
		]),
	);
}

// Inside the project, so that the bundle finds n8n-workflow.
const folder = mkdtempSync(path.join(ROOT, 'node_modules/.decode-'));
try {
	const decoders = bundleDecoders(folder);
	const parts = await partsOfDocuments();
	printMachine();
	for (const megabytes of SIZES) {
		const files = makeDocuments(folder, parts, megabytes);
		if (megabytes === SIZES[0]) await checkThatTheyAgree(decoders, files);
		print(megabytes, measure(decoders, files, megabytes));
		for (const { file } of Object.values(files)) rmSync(file);
	}
} finally {
	rmSync(folder, { recursive: true });
}
