/**
 * Measures the decoders without n8n, compared with JSON.parse and the parsers of n8n's nodes, on the same results as
 * JSON and as XML. Each figure comes from fresh processes with n8n's heap, which first read a small document and then
 * one of full size. Memory and blocks are from the first reading, processor time from later ones, which collect each
 * other's garbage. Processor time is a median. For memory and the longest block, the minimum counts: garbage
 * collections and other work on the machine only ever add to them.
 * Options: --rounds=5 --megabytes=50
 */
import { deepStrictEqual } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import clock from '../dist/nodes/PriceCollection/n8n/clock.js';
import body from '../dist/nodes/PriceCollection/service/http/decode/body.js';
import { medians, numberOption, printMachine, printTable, printTargets } from './support/report.mjs';
import { Service, valuesWith } from './support/service.mjs';

const READINGS = fileURLToPath(new URL('support/readings.mjs', import.meta.url));
const ROUNDS = numberOption('rounds', 5);
/** Megabytes, as JSON, of the document that each process reads first, and of the measured one. */
const SMALL = 2;
const MEGABYTES = numberOption('megabytes', 50);
/** Readings after the first: of a JSON document of 10 MB (fewer of larger ones), and of any XML. */
const TIMES = { json: 40, xml: 3 };
/** The job whose results each document repeats. */
const OFFERS = 20;
const VALUES = 100;

const READERS = [
	{ reader: 'json', name: 'JSON, ours', document: 'json' },
	{ reader: 'JSON.parse', name: 'JSON.parse', document: 'json' },
	{ reader: 'xml', name: 'XML, ours', document: 'xml' },
	{ reader: 'XML chain', name: 'XML node, Split Out', document: 'xml' },
];

/** The beginning, results, separator and end of a download in each format. */
async function partsOfDocuments() {
	const service = await Service.start({ retentionMs: 1e9, xmlRoot: 'hash' });
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

/** Saves the three documents of one size, which repeat the same results. */
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
async function checkThatTheyAgree(files) {
	const read = async ({ file }) =>
		(await body.decodeBody(readFileSync(file), undefined, clock.yieldToEventLoop)).value;
	const expected = JSON.parse(readFileSync(files.json.file, 'utf8'));
	deepStrictEqual(await read(files.json), expected);
	deepStrictEqual((await read(files.xml)).results, expected.results);
	deepStrictEqual(await read(files.longNumber), { ...expected, number: '12345678901234567890' });
}

function readAgainAndAgain(reader, file, smallFile, times) {
	const args = ['--expose-gc', READINGS, reader, file, smallFile, String(times)];
	return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

const timesOf = (document, megabytes) => (document === 'xml' ? TIMES.xml : (TIMES.json * 10) / megabytes);

function measure(files, small, megabytes) {
	// In turns, so that other work on the machine affects all of them.
	const runs = Array.from({ length: ROUNDS }, () =>
		READERS.map(({ reader, name, document }) => {
			console.error(`decode: ${name}, ${megabytes} MB`);
			const times = timesOf(document, megabytes);
			return readAgainAndAgain(reader, files[document].file, small[document].file, times);
		}),
	);
	return READERS.map(({ name, document }, index) => {
		const own = runs.map((round) => round[index]);
		const [block, memory] = ['block', 'memory'].map((field) => Math.min(...own.map((run) => run[field])));
		return { name, document, bytes: files[document].bytes, ...medians(own), block, memory };
	});
}

function print(megabytes, measured) {
	const figuresOf = (name) => measured.find((one) => one.name === name);
	console.log(`Documents of ${megabytes} MB as JSON, ${ROUNDS} fresh processes each\n`);
	printTable(
		[
			'reader',
			'MB',
			'CPU s',
			'main thread s',
			'first CPU s',
			'peak MB',
			'peak / body',
			'block ms',
			'CPU / ours',
			'main thread / ours',
			'peak / ours',
		],
		measured.map(({ name, document, bytes, first, cpu, mainThread, memory, block }) => {
			const ours = figuresOf(document === 'xml' ? 'XML, ours' : 'JSON, ours');
			return [
				...[name, bytes / 1e6, cpu, mainThread, first, memory, memory / (bytes / 2 ** 20), block],
				...[cpu / ours.cpu, mainThread / ours.mainThread, memory / ours.memory],
			];
		}),
	);
}

/** The targets. JSON has none for blocks, because JSON.parse blocks in any case. */
function targetsOf(measured) {
	const of = (name) => measured.find((one) => one.name === name);
	const [json, parse] = [of('JSON, ours'), of('JSON.parse')];
	const [xml, chain] = [of('XML, ours'), of('XML node, Split Out')];
	return [
		{ what: 'longest block of XML, ms', measured: xml.block, most: 250 },
		{ what: 'CPU of JSON over JSON.parse', measured: json.cpu / parse.cpu, most: 1.3 },
		{ what: 'memory of JSON over JSON.parse', measured: json.memory / parse.memory, most: 1.2 },
		{ what: "CPU of n8n's XML chain over ours", measured: chain.cpu / xml.cpu, least: 2 },
		{ what: "memory of n8n's XML chain over ours", measured: chain.memory / xml.memory, least: 3 },
	];
}

const folder = mkdtempSync(path.join(tmpdir(), 'price-collection-decode-'));
try {
	const parts = await partsOfDocuments();
	const small = makeDocuments(folder, parts, SMALL);
	const files = makeDocuments(folder, parts, MEGABYTES);
	await checkThatTheyAgree(files);
	const measured = measure(files, small, MEGABYTES);
	printMachine();
	printTargets(targetsOf(measured));
	print(MEGABYTES, measured);
} finally {
	rmSync(folder, { recursive: true });
}
