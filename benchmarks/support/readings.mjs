/**
 * Reads one document again and again and prints what it took: node --expose-gc readings.mjs <reader> <file>
 * <small file> <times>. The process is like an n8n that has been running for a while: it has a large heap, because
 * V8 collects a small one at other moments and keeps other garbage; the small document was read, so that the code is
 * compiled; earlier garbage is gone, and the body is in memory. `memory` is the peak of the first reading above that, in
 * MiB, and `block` and `first` are of it as well. `cpu` and `mainThread` are the means of those after it: in a fresh process a
 * reading leaves its garbage to whoever comes next, in one that goes on each pays for one.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Parser } from 'xml2js';
import usage from '../../test/support/n8n/usage.cjs';
import eventLoop from './eventLoop.cjs';
import meters from './processorTime.cjs';

const [reader, file, smallFile, times] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { decodeBody } = require('../../dist/nodes/PriceCollection/service/http/decode/body.js');
const { yieldToEventLoop } = require('../../dist/nodes/PriceCollection/n8n/clock.js');
// Its ES module build does not load in Node.
const { deepCopy, sanitizeXmlName } = require('n8n-workflow');

/** An n8n without work has about this heap. */
const MEGABYTES = 140;
const NUMBERS_PER_MEGABYTE = 131_072;
/** After so many readings of the small document, V8 has compiled what it will. */
const WARM_UPS = 5;

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
async function xmlChain(body) {
	const { hash } = deepCopy(await new Parser(XML_NODE).parseStringPromise(body.toString()));
	return splitOut(hash.results.result);
}

const ours = async (body) => await decodeBody(body, undefined, yieldToEventLoop);

const READERS = {
	json: ours,
	'JSON.parse': (body) => JSON.parse(body.toString()),
	xml: ours,
	'XML chain': xmlChain,
};

const read = READERS[reader];

/** Seconds of processor time. What was read is garbage after `keep`. */
async function timeOfReading(keep = async () => {}) {
	const taken = meters.processorTime();
	const value = await read(body);
	const time = taken();
	await keep();
	if (value?.ok === false) throw new Error(value.detail);
	return time;
}

global.heapOfN8n = Array.from({ length: MEGABYTES }, () => new Array(NUMBERS_PER_MEGABYTE).fill(0.5));
for (let time = 0; time < WARM_UPS; time++) await read(readFileSync(smallFile));
const body = readFileSync(file);
// The start of the process shall not count.
await sleep(200);
global.gc();
const watch = new eventLoop.EventLoopWatch();
const meter = new usage.UsageMeter(process.pid);
let block;
const { cpu: first } = await timeOfReading(async () => {
	await sleep(1);
	block = eventLoop.longest(watch.stop());
	// Items survive collections. Whether one fell into this reading is chance.
	global.gc({ type: 'minor', execution: 'sync' });
});
const memory = meter.stop().riseMb;
const again = { cpu: 0, mainThread: 0 };
for (let time = 0; time < times; time++) {
	const taken = await timeOfReading();
	for (const field of Object.keys(again)) again[field] += taken[field] / times;
}
process.stdout.write(JSON.stringify({ first, ...again, memory, block }));
