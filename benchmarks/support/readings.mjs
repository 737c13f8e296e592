/**
 * Reads one document again and again and prints the cost: node --expose-gc readings.mjs <reader> <file> <small file>
 * <times>. The process resembles an n8n that has been running for a while. Its heap is large, because V8 collects a
 * small one at other moments and keeps other garbage. It has read the small document, so the code is compiled. Earlier
 * garbage is gone, and the body is in memory. `memory` is the peak of the first reading above that, in MiB; `block` and
 * `first` are also from the first reading. `cpu` and `mainThread` are means of the later ones: the first reading in a
 * process does not pay for its garbage, but in the long run each reading pays for one.
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

/** The approximate heap of an idle n8n. */
const MEGABYTES = 140;
const NUMBERS_PER_MEGABYTE = 131_072;
/** V8 compiles nothing more after this many readings of the small document. */
const WARM_UPS = 5;

/** The options that n8n's XML node sets. */
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

/** Seconds of processor time for one reading. What was read stays alive until `keep` has run. */
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
// Keeps the start of the process out of the measurement.
await sleep(200);
global.gc();
const watch = new eventLoop.EventLoopWatch();
const meter = new usage.UsageMeter(process.pid);
let block;
const { cpu: first } = await timeOfReading(async () => {
	await sleep(1);
	block = eventLoop.longest(watch.stop());
	// Items survive collections, and it is chance whether one happens during this reading, so force one.
	global.gc({ type: 'minor', execution: 'sync' });
});
const memory = meter.stop().riseMb;
const again = { cpu: 0, mainThread: 0 };
for (let time = 0; time < times; time++) {
	const taken = await timeOfReading();
	for (const field of Object.keys(again)) again[field] += taken[field] / times;
}
process.stdout.write(JSON.stringify({ first, ...again, memory, block }));
