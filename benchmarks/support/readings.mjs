/**
 * Reads one document again and again and prints what it took: node readings.mjs <bundled decoders> <reader> <file>
 * <small file> <times>. The small one is read before, so that what is measured is compiled, as in an n8n that has been
 * running for a while. The bytes are in memory before, in pieces as they come from a network. `memory` is the peak of the
 * first reading above that, in MiB, and `block`, `wall` and `first` are of it as well. `cpu` is the mean of those after
 * it: in a fresh process a reading leaves its garbage to whoever comes next, in one that goes on each pays for one.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Parser } from 'xml2js';
import usage from '../../tools/n8n/usage.cjs';
import eventLoop from './eventLoop.cjs';

const [decoders, reader, file, smallFile, times] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { decodeBody, yieldToEventLoop } = require(decoders);
// Its ES module build does not load in Node.
const { deepCopy, sanitizeXmlName } = require('n8n-workflow');

/** As large as the pieces that a network gives. */
const PIECE = 64 * 1024;

/** What n8n's XML node sets. */
const XML_NODE = {
	mergeAttrs: true,
	explicitArray: false,
	tagNameProcessors: [sanitizeXmlName],
	attrNameProcessors: [sanitizeXmlName],
};

/** What n8n's Split Out does to a list, without n8n around it. */
const splitOut = (results) => results.map((result) => ({ json: { ...result } }));

/** n8n's XML node and Split Out. */
async function xmlChain(pieces) {
	const { hash } = deepCopy(await new Parser(XML_NODE).parseStringPromise(textOf(pieces)));
	return splitOut(hash.results.result);
}

const ours = async (pieces) => await decodeBody(Buffer.concat(pieces), undefined, yieldToEventLoop);
const textOf = (pieces) => Buffer.concat(pieces).toString('utf8');

const READERS = {
	json: ours,
	'JSON.parse': (pieces) => JSON.parse(textOf(pieces)),
	'JSON chain': (pieces) => splitOut(JSON.parse(textOf(pieces)).results),
	xml: ours,
	'XML chain': xmlChain,
};

function piecesOf(path) {
	const bytes = readFileSync(path);
	const pieces = [];
	for (let at = 0; at < bytes.length; at += PIECE) pieces.push(bytes.subarray(at, at + PIECE));
	return pieces;
}

const read = READERS[reader];

/** Seconds of processor time. What was read is garbage at once. */
async function cpuOfReading() {
	const before = process.cpuUsage();
	const value = await read(pieces);
	const { user, system } = process.cpuUsage(before);
	if (value?.ok === false) throw new Error(value.detail);
	return (user + system) / 1e6;
}

await read(piecesOf(smallFile));
const pieces = piecesOf(file);
// The start of the process shall not count.
await sleep(200);
const watch = new eventLoop.EventLoopWatch();
const meter = new usage.UsageMeter(process.pid);
const first = await cpuOfReading();
const { wallSeconds, riseMb } = meter.stop();
const block = eventLoop.longest(watch.stop());
let again = 0;
for (let time = 0; time < times; time++) again += await cpuOfReading();
const figures = { first, cpu: again / times, wall: wallSeconds, memory: riseMb, block };
process.stdout.write(JSON.stringify(figures));
