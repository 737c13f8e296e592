/**
 * Reads one document once and prints what it took: node readOnce.mjs <bundled decoders> <reader> <file>.
 * The bytes are in memory before, in pieces as they come from a network; `memory` is the peak above that, in MiB.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { XMLParser } from 'fast-xml-parser';
import usage from '../../tools/n8n/usage.cjs';
import eventLoop from './eventLoop.cjs';

const [decoders, reader, file] = process.argv.slice(2);
const { decodeBody, yieldToEventLoop } = createRequire(import.meta.url)(decoders);

/** As large as the pieces that a network gives. */
const PIECE = 64 * 1024;

/** Everything that it does beyond the tree is off. */
const FAST_OPTIONS = {
	ignoreAttributes: false,
	parseTagValue: false,
	parseAttributeValue: false,
	trimValues: false,
	// It stops at a thousand entities otherwise.
	processEntities: { enabled: true, maxTotalExpansions: Infinity, maxExpandedLength: Infinity },
};

const ours = async (pieces) => await decodeBody(pieces, undefined, yieldToEventLoop);
const textOf = (pieces) => Buffer.concat(pieces).toString('utf8');

const READERS = {
	json: ours,
	'JSON.parse': (pieces) => JSON.parse(textOf(pieces)),
	xml: ours,
	'fast-xml-parser': (pieces) => new XMLParser(FAST_OPTIONS).parse(textOf(pieces)),
};

const bytes = readFileSync(file);
const pieces = [];
for (let at = 0; at < bytes.length; at += PIECE) pieces.push(bytes.subarray(at, at + PIECE));
const read = READERS[reader];
// The start of the process shall not count.
await sleep(200);
const watch = new eventLoop.EventLoopWatch();
const meter = new usage.UsageMeter(process.pid);
const before = process.cpuUsage();
const value = await read(pieces);
const cpu = process.cpuUsage(before);
const { wallSeconds, riseMb } = meter.stop();
const block = eventLoop.longest(watch.stop());
if (value?.ok === false) throw new Error(value.detail);
const figures = { cpu: (cpu.user + cpu.system) / 1e6, wall: wallSeconds, memory: riseMb, block };
process.stdout.write(JSON.stringify(figures));
