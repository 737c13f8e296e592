// Changes the core a little, thousands of times, and looks whether a test notices each change: mutation testing with
// Stryker. core.mjs says what is mutated, docs/contributing/proof.md what came out.
//
//   node tools/mutation/run.mjs                    all of the core
//   node tools/mutation/run.mjs FILE…              these files of it, from the root of the project
//   node tools/mutation/run.mjs --changed [BASE]   the lines of it that have changed since BASE, or a sample
//
// BASE is, where it is not given, PRICE_COLLECTION_BASE, or else where the branch left its upstream. Where that is not
// known or here, as in a plain clone, a sample is mutated: always the same one of the same code, unless
// PRICE_COLLECTION_SEED says otherwise.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { GROUPS, THRESHOLD } from './core.mjs';

const CORE = 'nodes/PriceCollection';
/** A short run mutates so many lines at the most: some 150 mutants. */
const MOST_LINES = 120;
/** A short run begins no further group of files after so long. */
const SHORT_RUN_MS = 240_000;
/** They are drawn in pieces of so many lines, because mutants of a whole statement need all of its lines. */
const PIECE_LINES = 15;
/** Ten cases of each generated test, see test/runs.ts. */
const TEST_SCALE = '0.01';

/** Static mutants are not ignored: tables are made of nothing else. They run all tests of their group. */
const OPTIONS = {
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	coverageAnalysis: 'perTest',
	concurrency: Math.min(2, availableParallelism()),
	// A mutant that loops is found by counting, one that waits for nothing by the limit of each test.
	timeoutMS: 10_000,
	tempDirName: '.cache/mutation',
	ignorePatterns: ['/.cache', '/benchmarks', '/dist', '/test/e2e', '/test/n8n'],
	reporters: process.stdout.isTTY ? ['progress'] : ['progress-append-only'],
	allowConsoleColors: process.stdout.isTTY,
	logLevel: 'warn',
	warnings: { unknownOptions: false },
};

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** What `run` gives, or undefined where it throws. */
function attempt(run) {
	try {
		return run();
	} catch {
		return undefined;
	}
}

const filesOf = ({ files }) => globSync(files.map((pattern) => `${CORE}/${pattern}.ts`)).sort();

/** Lines of a file, from 1: `{ file, from, to }`. */
const wholeFile = (file) => ({ file, from: 1, to: readFileSync(file, 'utf8').split('\n').length });

/** The lines of the core that differ from a commit. */
function changedSince(base, core) {
	const changes = [];
	let file;
	for (const line of git('diff', '--unified=0', '--no-prefix', base, '--', CORE).split('\n')) {
		if (line.startsWith('+++ ')) file = line.slice(4);
		const [, start, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
		if (start === undefined || !core.has(file) || count === '0') continue;
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

/** As many pieces of these lines as a short run can take, drawn by the seed. */
function sampleOf(ranges, seed) {
	const pieces = ranges.flatMap(({ file, from, to }) =>
		Array.from({ length: Math.ceil((to - from + 1) / PIECE_LINES) }, (_, index) => {
			const start = from + index * PIECE_LINES;
			return { file, from: start, to: Math.min(to, start + PIECE_LINES - 1) };
		}),
	);
	const random = randomOf(seed);
	const shuffled = pieces.map((piece) => [random(), piece]).sort(([one], [other]) => one - other);
	let lines = 0;
	return shuffled
		.map(([, piece]) => piece)
		.filter(({ from, to }) => (lines += to - from + 1) <= MOST_LINES);
}

/** What is to be mutated: `{ title, isSample, ranges }`. */
function chosen(args) {
	const core = new Set(GROUPS.flatMap(filesOf));
	const [first, given] = args;
	if (first === undefined) return { title: 'The whole core', ranges: [...core].map(wholeFile) };
	if (first !== '--changed') {
		const files = args.map((file) => path.normalize(file));
		const strange = files.filter((file) => !core.has(file));
		if (strange.length > 0)
			throw new Error(`not in the core, see tools/mutation/core.mjs: ${strange.join(', ')}`);
		return { title: files.join(', '), ranges: files.map(wholeFile) };
	}
	const { PRICE_COLLECTION_BASE, PRICE_COLLECTION_SEED = '1' } = process.env;
	const named = given ?? PRICE_COLLECTION_BASE;
	const base = named ?? attempt(() => git('merge-base', '@{upstream}', 'HEAD').trim());
	const changes = base === undefined ? [] : changedSince(base, core);
	const seed = Number(PRICE_COLLECTION_SEED);
	return changes.length > 0 || named !== undefined
		? {
				title: `The core as it has changed since ${base}`,
				isSample: true,
				ranges: sampleOf(changes, seed),
			}
		: {
				title: `A sample of the core (seed ${seed})`,
				isSample: true,
				ranges: sampleOf([...core].map(wholeFile), seed),
			};
}

/** The mutants of some lines of one group with what became of them. */
async function mutate({ tests }, ranges) {
	return await new Stryker({
		...OPTIONS,
		mutate: ranges.map(({ file, from, to }) => `${file}:${from}-${to}`),
		jest: {
			configFile: 'tools/mutation/jest.config.cjs',
			config: { testMatch: tests.map((pattern) => `**/test/unit/${pattern}.test.ts`) },
		},
	}).runMutationTest();
}

/** What cannot even be loaded fails every test. */
const isKilled = ({ status }) => status === 'Killed' || status === 'Timeout' || status === 'RuntimeError';

function printSurvivor({ fileName, location: { start, end }, mutatorName, replacement, status }) {
	// Lines and columns count from 1.
	const lines = readFileSync(fileName, 'utf8')
		.split('\n')
		.slice(start.line - 1, end.line);
	lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
	const original = lines.join('\n').slice(start.column - 1);
	const short = (text) => text.replace(/\s+/g, ' ').slice(0, 100);
	const place = `${path.relative('.', fileName)}:${start.line}:${start.column}`;
	const note = status === 'Survived' ? '' : ` (${status})`;
	console.log(`  ${place} ${mutatorName}${note}: ${short(original)} → ${short(replacement)}`);
}

const lineOf = (name, mutants) => {
	const killed = mutants.filter(isKilled).length;
	const percent = mutants.length === 0 ? 100 : (100 * killed) / mutants.length;
	return { percent, text: `${percent.toFixed(1).padStart(5)} %  ${killed} of ${mutants.length}  ${name}` };
};

/**
 * How far below the threshold, in percent, a sample of so many mutants may come out although the whole reaches it: in one
 * of twenty cases it is more.
 */
function chanceOf(count) {
	const share = THRESHOLD / 100;
	return count === 0 ? 0 : 164.5 * Math.sqrt((share * (1 - share)) / count);
}

process.env.TEST_SCALE ??= TEST_SCALE;
const { title, isSample = false, ranges } = chosen(process.argv.slice(2));
console.log(`mutation: ${title}`);
const began = Date.now();
const all = [];
const summary = [];
for (const group of GROUPS) {
	const files = new Set(filesOf(group));
	const own = ranges.filter(({ file }) => files.has(file));
	if (own.length === 0) continue;
	if (isSample && Date.now() - began > SHORT_RUN_MS) {
		summary.push(`       left out, the time is up  ${group.name}`);
		continue;
	}
	const mutants = (await mutate(group, own)).filter(({ status }) => status !== 'Ignored');
	const survivors = mutants.filter((mutant) => !isKilled(mutant));
	console.log(`${group.name}: ${survivors.length === 0 ? 'no survivors' : 'survivors'}`);
	survivors.forEach(printSurvivor);
	all.push(...mutants);
	summary.push(lineOf(group.name, mutants).text);
}
const { percent, text } = lineOf('in all', all);
console.log([...summary, text, `took ${Math.round((Date.now() - began) / 1000)} s`].join('\n'));
const needed = isSample ? THRESHOLD - chanceOf(all.length) : THRESHOLD;
if (percent < needed) {
	console.error(`mutation: less than ${needed.toFixed(1)} % were killed`);
	process.exitCode = 1;
}
