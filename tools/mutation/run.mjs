// Mutation testing with Stryker: makes thousands of small changes to the product's code, and checks that a test fails
// each time (outcomes in docs/contributing/proof.md).
//
//   node tools/mutation/run.mjs               all code: unit tests first, then all tests for the survivors (a night)
//   node tools/mutation/run.mjs rows/rows.ts  these files and folders
//   node tools/mutation/run.mjs --changed     lines changed since PRICE_COLLECTION_BASE, or since the branch left its
//                                             upstream: a list of survivors to read
//   node tools/mutation/run.mjs --gate        the files that decide about money and secrets (or some), with their unit
//                                             tests: every mutant must be noticed, except those in exceptions.txt
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

const CODE = 'nodes/PriceCollection';
/** The files of the gate, and how the names of their unit tests begin. */
const GATE = {
	'creation/ledger.ts': 'creation/ledger',
	'creation/lost.ts': 'creation/lost',
	'creation/nextAction.ts': 'creation/nextAction',
	'creation/proof.ts': 'creation/proof',
	'callback/signature.ts': 'callback/signature',
	'rows/amounts.ts': 'rows/amounts',
	'rows/bestPrice.ts': 'rows/bestPrice.',
	'service/secrets.ts': 'service/secrets',
};
const EXCEPTIONS = 'tools/mutation/exceptions.txt';
/** About how many changed lines `--changed` mutates. */
const MOST_CHANGED_LINES = 120;
/** Files with texts for people. A folder of such files keeps its texts, because the reference lists them. */
const DESCRIPTIONS = /descriptions\/|\.description\.ts$|\.node\.ts$|^credentials\//;
const ALL_TESTS = ['**/test/unit/**/*.test.ts', '**/test/engine/**/!(built).test.ts'];

const { values: flags, positionals } = parseArgs({
	allowPositionals: true,
	options: { changed: { type: 'boolean', default: false }, gate: { type: 'boolean', default: false } },
});
// About ten cases of each generated test, see test/support/runs.ts.
process.env.TEST_SCALE ??= '0.01';

const FILES = globSync(['nodes/**/*.ts', 'credentials/*.ts'])
	.map((file) => file.replaceAll('\\', '/'))
	.sort();
const folderOf = (file) =>
	file.startsWith(CODE) ? file.slice(CODE.length + 1).split('/')[0] : 'credentials';
const unitTestsOf = (folder) => globSync(`test/unit/${folder}/**/*.test.ts`).map((file) => `**/${file}`);

/** Runs Stryker for these places, `file` or `file:from-to`, with these tests. Returns the mutants. */
async function mutantsOf(places, testMatch, more = {}) {
	const mutants = await new Stryker({
		mutate: places,
		testRunner: 'jest',
		plugins: ['@stryker-mutator/jest-runner'],
		coverageAnalysis: 'perTest',
		concurrency: Math.min(2, availableParallelism()),
		tempDirName: '.cache/mutation',
		// Stryker finds an endless loop by counting iterations. A wait that never ends runs into each test's own limit. Long,
		// because a mutant that runs out of time on a busy machine counts as noticed.
		timeoutMS: 20_000,
		ignorePatterns: ['/.cache', '/benchmarks', '/dist', '/docs', '/test/install', '/test/real'],
		reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
		allowConsoleColors: process.stdout.isTTY,
		logLevel: 'warn',
		warnings: { unknownOptions: false },
		jest: { configFile: 'tools/mutation/jest.config.cjs', config: { testMatch } },
		...more,
	}).runMutationTest();
	return mutants.filter(({ status }) => status !== 'Ignored');
}

/** Jest for unit tests that are known to be about the mutated file. */
const unitTestsAlone = (testMatch) => ({
	configFile: 'tools/mutation/jest.config.cjs',
	enableFindRelatedTests: false,
	config: { testMatch, roots: ['<rootDir>/test/unit'], setupFiles: ['<rootDir>/test/support/seed.ts'] },
});

/** A mutant that cannot be loaded fails every test. */
const isNoticed = ({ status }) => ['Killed', 'Timeout', 'RuntimeError', 'CompileError'].includes(status);

const short = (text) => text.replace(/\s+/g, ' ').trim().slice(0, 100);

function originalOf({ fileName, location: { start, end } }) {
	const lines = readFileSync(fileName, 'utf8')
		.split('\n')
		.slice(start.line - 1, end.line);
	lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
	return short(lines.join('\n').slice(start.column - 1));
}

/** A mutant's name, which stays the same when other parts of its file change. */
const nameOf = (mutant) =>
	`${path.relative(CODE, mutant.fileName).replaceAll('\\', '/')} ${mutant.mutatorName}: ${originalOf(mutant)} → ${short(mutant.replacement)}`;

function printSurvivors(mutants) {
	for (const mutant of mutants.filter((one) => !isNoticed(one)))
		console.log(
			`  line ${mutant.location.start.line} of ${nameOf(mutant)}${mutant.status === 'Survived' ? '' : ` (${mutant.status})`}`,
		);
	console.log(`${mutants.filter(isNoticed).length} of ${mutants.length} mutants were noticed.`);
}

/** How many mutants of each name may survive, because they change nothing that matters. */
function readExceptions() {
	const lines = readFileSync(EXCEPTIONS, 'utf8').split('\n');
	const named = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
	return new Map(
		named.map((line) => {
			const [, times = '1', name] = /^(?:(\d+) × )?(.*)$/.exec(line.trim());
			return [name, Number(times)];
		}),
	);
}

async function gate() {
	const ungated = positionals.filter((file) => !Object.hasOwn(GATE, file));
	if (ungated.length > 0) throw new Error(`The gate has no ${ungated.join(', ')}`);
	const gated = Object.entries(GATE).filter(
		([file]) => positionals.length === 0 || positionals.includes(file),
	);
	const files = gated.map(([file]) => `${CODE}/${file}`);
	const missing = files.filter((file) => !FILES.includes(file));
	if (missing.length > 0) throw new Error(`The gate names files that are gone: ${missing.join(', ')}`);
	const mutants = [];
	// One file at a time, because jest loads all given tests again for each mutant.
	for (const [file, test] of gated) {
		console.log(`${file}:`);
		const tests = globSync(`test/unit/${test}*test.ts`).map((name) => `**/${name}`);
		mutants.push(...(await mutantsOf([`${CODE}/${file}`], tests, { jest: unitTestsAlone(tests) })));
	}
	const exceptions = readExceptions();
	const survivors = Map.groupBy(
		mutants.filter((mutant) => !isNoticed(mutant)),
		nameOf,
	);
	const unnamed = [...survivors].filter(([name, all]) => all.length > (exceptions.get(name) ?? 0));
	// On a busy machine, a mutant that only costs time may run into the time limit, which counts as noticed.
	const timedOut = new Set(mutants.filter(({ status }) => status === 'Timeout').map(nameOf));
	const isOfThisRun = (name) => !timedOut.has(name) && gated.some(([file]) => name.startsWith(`${file} `));
	const stale = [...exceptions].filter(
		([name, times]) => isOfThisRun(name) && (survivors.get(name)?.length ?? 0) < times,
	);
	printSurvivors([...mutants.filter(isNoticed), ...unnamed.flatMap(([, all]) => all)]);
	for (const [name, times] of stale)
		console.log(
			`  survives ${survivors.get(name)?.length ?? 0} times, not ${times} as in ${EXCEPTIONS}: ${name}`,
		);
	if (unnamed.length === 0 && stale.length === 0) return;
	console.error(
		`Money and secrets: write a unit test for each of these mutants, or name it in ${EXCEPTIONS} with the reason why it changes nothing.`,
	);
	process.exitCode = 1;
}

/** The base that changes are compared with; undefined if there is none, as in a plain clone or on a first push. */
function baseOfChange() {
	const { PRICE_COLLECTION_BASE: base = '' } = process.env;
	if (/[1-9a-f]/.test(base)) return base;
	try {
		return git('merge-base', '@{upstream}', 'HEAD').trim();
	} catch {
		return undefined;
	}
}

function git(...args) {
	return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** The changed lines of the product, as places for Stryker, up to about MOST_CHANGED_LINES. */
function changedPlaces(base) {
	const places = [];
	let file;
	let lines = 0;
	const diff = git('diff', '--unified=0', '--no-prefix', base, '--', 'nodes', 'credentials');
	for (const line of diff.split('\n')) {
		if (line.startsWith('+++ ')) file = line.slice(4);
		const [, start, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
		if (start === undefined || !FILES.includes(file) || count === '0' || lines > MOST_CHANGED_LINES)
			continue;
		lines += Number(count);
		places.push({ file, place: `${file}:${start}-${Number(start) + Number(count) - 1}` });
	}
	return places;
}

async function changed() {
	const base = baseOfChange();
	const places = base === undefined ? [] : changedPlaces(base);
	if (places.length === 0) return console.log('No line of the product has changed.');
	for (const [folder, those] of Map.groupBy(places, ({ file }) => folderOf(file))) {
		const tests = unitTestsOf(folder);
		console.log(`${folder}:`);
		if (tests.length === 0) console.log('  has no unit tests');
		else
			printSurvivors(
				await mutantsOf(
					those.map(({ place }) => place),
					tests,
				),
			);
	}
}

/** All mutants of these files. Those that the folder's unit tests miss run with all tests. */
async function everything() {
	const isMeant = (file) =>
		positionals.length === 0 || positionals.some((name) => file === name || file.includes(`/${name}`));
	const files = FILES.filter(isMeant);
	if (files.length === 0) throw new Error(`There is no file or folder ${positionals.join(', ')}`);
	for (const [folder, those] of Map.groupBy(files, folderOf)) {
		const mutator = {
			excludedMutations: those.every((file) => DESCRIPTIONS.test(file)) ? ['StringLiteral'] : [],
		};
		const unit = unitTestsOf(folder);
		const first = unit.length === 0 ? [] : await mutantsOf(those, unit, { mutator });
		const missed = first.filter((mutant) => !isNoticed(mutant) && !mutant.static);
		const placeOf = ({ fileName, location: { start, end } }) =>
			`${fileName}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
		const places = unit.length === 0 ? those : [...new Set(missed.map(placeOf))];
		const again =
			places.length === 0 ? [] : await mutantsOf(places, ALL_TESTS, { mutator, ignoreStatic: true });
		const statuses = new Map(
			again.map((mutant) => [`${placeOf(mutant)} ${nameOf(mutant)}`, mutant.status]),
		);
		const final = unit.length === 0 ? again : first;
		console.log(`${folder}:`);
		printSurvivors(
			final.map((one) => ({
				...one,
				status: statuses.get(`${placeOf(one)} ${nameOf(one)}`) ?? one.status,
			})),
		);
	}
}

const began = Date.now();
await (flags.gate ? gate() : flags.changed ? changed() : everything());
console.log(`took ${Math.round((Date.now() - began) / 1000)} s`);
