// Changes the product's code a little, thousands of times, and looks whether a test notices each change: mutation testing
// with Stryker (docs/contributing/proof.md has the outcomes). All of it belongs to a room, the folder that it is in, and in
// each room 94 % have to be noticed: by the room's unit tests, or else by those of the other rooms and of the engine.
//
//   node tools/mutation/run.mjs                        all rooms: a night
//   node tools/mutation/run.mjs run rows/rows.ts       these rooms and files
//   node tools/mutation/run.mjs --lines=200            a sample of so many lines of each room; with --unit before its unit tests only
//   node tools/mutation/run.mjs --changed              lines that have changed since PRICE_COLLECTION_BASE, or else since the
//                                                      branch left its upstream, or else a sample; unit tests only,
//                                                      and a list to read: a sample this small proves nothing
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const CODE = 'nodes/PriceCollection';
/** The part of a room's mutants that has to be noticed, in percent. */
const THRESHOLD = 94;
/** The same for unit tests by themselves, of what they reach. */
const UNIT_THRESHOLD = 85;
/** Lines and time that `--changed` takes at the most. */
const [CHANGED_LINES, CHANGED_MS] = [120, 60_000];
/** Samples are drawn in pieces of so many lines, because mutants of a whole statement need all of its lines. */
const PIECE_LINES = 15;
/** Texts for people, which the reference and the list of stored names are made of: only what is not a text is changed. */
const DESCRIPTIONS = /descriptions\/|\.description\.ts$|\.node\.ts$|^credentials\//;

const { values: flags, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		changed: { type: 'boolean', default: false },
		unit: { type: 'boolean', default: false },
		lines: { type: 'string' },
	},
});
// Ten cases of each generated test, see test/runs.ts.
process.env.TEST_SCALE ??= '0.01';
const { FC_SEED = '1', PRICE_COLLECTION_BASE } = process.env;

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const FILES = globSync(['nodes/**/*.ts', 'credentials/*.ts']).sort();
const roomOf = (file) => file.slice(CODE.length + 1).match(/^(\w+)\//)?.[1] ?? 'nodes and credential';
const linesOf = (file) => readFileSync(file, 'utf8').split('\n');

/** The lines that differ from a commit: `{ file, from, to }`, from 1. */
function changedSince(base) {
	const changes = [];
	let file;
	for (const line of git('diff', '--unified=0', '--no-prefix', base, '--', 'nodes', 'credentials').split(
		'\n',
	)) {
		if (line.startsWith('+++ ')) file = line.slice(4);
		const [, start, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
		if (start === undefined || !FILES.includes(file) || count === '0') continue;
		changes.push({ file, from: Number(start), to: Number(start) + Number(count) - 1 });
	}
	return changes;
}

/** Numbers from 0 to 1 in an order that the seed decides (mulberry32). */
function randomOf(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** As many pieces of these lines as a sample may have, drawn by the seed. */
function sampleOf(ranges, most) {
	const random = randomOf(Number(FC_SEED) || Date.now());
	const pieces = ranges.flatMap(({ file, from, to }) =>
		Array.from({ length: Math.ceil((to - from + 1) / PIECE_LINES) }, (_, index) => {
			const start = from + index * PIECE_LINES;
			return { file, from: start, to: Math.min(to, start + PIECE_LINES - 1), at: random() };
		}),
	);
	let lines = 0;
	return pieces
		.sort((one, other) => one.at - other.at)
		.filter(({ from, to }) => (lines += to - from + 1) <= most);
}

/** The lines to be changed, and whether they are a sample. */
function chosen() {
	const isMeant = (file) => positionals.some((name) => name === roomOf(file) || file.endsWith(name));
	const files = FILES.filter((file) => positionals.length === 0 || isMeant(file));
	if (files.length === 0) throw new Error(`There is neither a room nor a file ${positionals.join(', ')}`);
	const all = files.map((file) => ({ file, from: 1, to: linesOf(file).length }));
	if (flags.changed) {
		let base = PRICE_COLLECTION_BASE;
		try {
			base ??= git('merge-base', '@{upstream}', 'HEAD').trim();
		} catch {
			// A plain clone has no branch upstream.
		}
		const changes = base === undefined ? [] : changedSince(base);
		const isJudged = ({ file }) => roomOf(file) in UNIT;
		const ranges = (changes.length > 0 || PRICE_COLLECTION_BASE ? changes : all).filter(isJudged);
		return { isSample: true, ranges: sampleOf(ranges, CHANGED_LINES) };
	}
	const most = Number(flags.lines ?? Infinity);
	const rooms = [...Map.groupBy(all, ({ file }) => roomOf(file)).values()];
	return { isSample: most < Infinity, ranges: rooms.flatMap((ranges) => sampleOf(ranges, most)) };
}

/** The unit tests of the rooms that have some. */
const UNIT = Object.fromEntries(
	globSync('test/unit/*/').map((folder) => [
		folder.split(/[\\/]/)[2],
		[`**/${folder.replaceAll('\\', '/')}/**/*.test.ts`],
	]),
);

/** What became of the mutants at some places, `file:line:column-line:column`, before these tests. */
async function mutantsAt(places, testMatch, more = {}) {
	const mutants = await new Stryker({
		...{
			mutate: places,
			testRunner: 'jest',
			plugins: ['@stryker-mutator/jest-runner'],
			coverageAnalysis: 'perTest',
		},
		...{ concurrency: Math.min(2, availableParallelism()), tempDirName: '.cache/mutation' },
		// A mutant that loops is found by counting, one that waits for nothing by the limit of each test.
		timeoutMS: 10_000,
		ignorePatterns: ['/.cache', '/benchmarks', '/dist', '/test/e2e', '/test/n8n'],
		reporters: process.stdout.isTTY ? ['progress'] : ['progress-append-only'],
		...{
			allowConsoleColors: process.stdout.isTTY,
			logLevel: 'warn',
			warnings: { unknownOptions: false },
		},
		jest: { configFile: 'tools/mutation/jest.config.cjs', config: { testMatch } },
		...more,
	}).runMutationTest();
	return mutants.filter(({ status }) => status !== 'Ignored');
}

/** What cannot even be loaded fails every test. */
const isNoticed = ({ status }) => ['Killed', 'Timeout', 'RuntimeError'].includes(status);
const placeOf = ({ fileName, location: { start, end } }) =>
	`${fileName}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
const keyOf = (mutant) => `${placeOf(mutant)} ${mutant.mutatorName} ${mutant.replacement}`;

/** All mutants of some lines of a room: those that its unit tests let pass meet all tests, if there is time. */
async function mutantsOf(room, ranges) {
	const places = ranges.map(({ file, from, to }) => `${file}:${from}-${to}`);
	const isText = ({ file }) => DESCRIPTIONS.test(file.replace(`${CODE}/`, ''));
	const mutator = { excludedMutations: ranges.every(isText) ? ['StringLiteral'] : [] };
	const all = ['**/test/unit/**/*.test.ts', '**/test/engine/**/!(built).test.ts'];
	const own = UNIT[room];
	if (own === undefined) return await mutantsAt(places, all, { mutator, ignoreStatic: true });
	const first = await mutantsAt(places, own, { mutator });
	const passed = first.filter((mutant) => !isNoticed(mutant) && !mutant.static);
	if (passed.length === 0 || flags.changed || flags.unit) return first;
	const again = await mutantsAt([...new Set(passed.map(placeOf))], all, { mutator, ignoreStatic: true });
	const statuses = new Map(again.map((mutant) => [keyOf(mutant), mutant.status]));
	return first.map((one) => ({ ...one, status: statuses.get(keyOf(one)) ?? one.status }));
}

function printSurvivor(mutant) {
	const { fileName, location, mutatorName, replacement, status } = mutant;
	const { start, end } = location;
	const lines = linesOf(fileName).slice(start.line - 1, end.line);
	lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
	const short = (text) => text.replace(/\s+/g, ' ').slice(0, 100);
	const original = short(lines.join('\n').slice(start.column - 1));
	const note = status === 'Survived' ? '' : ` (${status})`;
	console.log(
		`  ${path.relative('.', fileName)}:${start.line} ${mutatorName}${note}: ${original} → ${short(replacement)}`,
	);
}

/** How far below the threshold a sample may come out although the whole reaches it: in one of twenty cases it is more. */
const chanceOf = (part, count) => 164.5 * Math.sqrt((part * (1 - part)) / Math.max(1, count));

/** The line of the summary for some mutants; too few of them noticed is a failure. */
function judged(name, mutants, threshold, isSample) {
	const noticed = mutants.filter(isNoticed).length;
	const percent = (100 * noticed) / Math.max(1, mutants.length);
	const needed = threshold - (isSample ? chanceOf(threshold / 100, mutants.length) : 0);
	if (mutants.length > 0 && percent < needed) process.exitCode = 1;
	return `${percent.toFixed(1).padStart(5)} % of ${mutants.length} mutants, ${needed.toFixed(1)} wanted: ${name}`;
}

const { isSample, ranges } = chosen();
const isUnitOnly = flags.changed || flags.unit;
const began = Date.now();
const [summary, all] = [[], []];
for (const [room, those] of Map.groupBy(ranges, ({ file }) => roomOf(file))) {
	if (flags.changed && Date.now() - began > CHANGED_MS) continue;
	const found = await mutantsOf(room, those).catch((error) => {
		if (!flags.changed || !/No tests were executed/.test(error.message)) throw error;
		console.log(
			`No unit test of ${room} reaches these lines: ${those.map(({ file }) => file).join(', ')}`,
		);
		return [];
	});
	// What no unit test reaches is for the engine's tests.
	const mutants = isUnitOnly ? found.filter(({ status }) => status !== 'NoCoverage') : found;
	const survivors = mutants.filter((mutant) => !isNoticed(mutant));
	console.log(`${room}: ${survivors.length} survivors`);
	survivors.forEach(printSurvivor);
	all.push(...mutants);
	if (!flags.changed)
		summary.push(judged(room, mutants, isUnitOnly ? UNIT_THRESHOLD : THRESHOLD, isSample));
}
if (flags.changed)
	summary.push(`unit tests by themselves noticed ${all.filter(isNoticed).length} of ${all.length} mutants`);
console.log([...summary, `took ${Math.round((Date.now() - began) / 1000)} s`].join('\n'));
if (process.exitCode === 1) console.error('mutation: too few were noticed');
