/**
 * Reads one document once and prints what it took: node readOnce.mjs <bundled decoders> <reader> <file>.
 * The text is in memory before; `memory` is the peak above that, in MiB.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { XMLParser } from 'fast-xml-parser';
import usage from '../../tools/n8n/usage.cjs';
import eventLoop from './eventLoop.cjs';

const [decoders, reader, file] = process.argv.slice(2);
const { parseJson, parseXml, yieldToEventLoop } = createRequire(import.meta.url)(decoders);

/** Everything that it does beyond the tree is off. */
const FAST_OPTIONS = {
	ignoreAttributes: false,
	parseTagValue: false,
	parseAttributeValue: false,
	trimValues: false,
	// It stops at a thousand entities otherwise.
	processEntities: { enabled: true, maxTotalExpansions: Infinity, maxExpandedLength: Infinity },
};

const READERS = {
	json: (text) => parseJson(text),
	'JSON.parse': (text) => JSON.parse(text),
	xml: async (text) => await parseXml(text, yieldToEventLoop),
	'fast-xml-parser': (text) => new XMLParser(FAST_OPTIONS).parse(text),
};

const text = readFileSync(file, 'utf8');
const read = READERS[reader];
// The start of the process shall not count.
await sleep(200);
const watch = new eventLoop.EventLoopWatch();
const meter = new usage.UsageMeter(process.pid);
const before = process.cpuUsage();
const value = await read(text);
const cpu = process.cpuUsage(before);
const { wallSeconds, riseMb } = meter.stop();
const block = eventLoop.longest(watch.stop());
if (value?.ok === false) throw new Error(value.detail);
const figures = { cpu: (cpu.user + cpu.system) / 1e6, wall: wallSeconds, memory: riseMb, block };
process.stdout.write(JSON.stringify(figures));
