'use strict';

// Makes `dist`: each file of the package as `tsc` compiles it, under its own name (what `n8n-node build` makes, too); and in
// `dist/vendor` each library as one file with its licence, because packages of n8n have no dependencies.
const { execFile } = require('node:child_process');
const { mkdir, readFile, readdir, rm, writeFile } = require('node:fs/promises');
const path = require('node:path');
const { promisify } = require('node:util');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');

const DIST = path.join(__dirname, 'dist');

async function clean() {
	await rm(DIST, { recursive: true, force: true });
}

async function code() {
	const tsc = require.resolve('typescript/bin/tsc');
	await promisify(execFile)(process.execPath, [tsc], { cwd: __dirname }).catch(({ stdout }) => {
		throw new Error(stdout);
	});
}

/** The text that the licence of a library asks to hand on. */
async function licenceOf(folder) {
	const text = await readFile(path.join(folder, 'package.json'), 'utf8');
	const { name, version, license, author } = JSON.parse(text);
	const by = typeof author === 'object' ? author.name : author;
	const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
	const terms = file ? await readFile(path.join(folder, file), 'utf8') : '';
	return `${name} ${version}${by ? ` by ${by}` : ''}, licence ${license}\n\n${terms}`.trim();
}

/**
 * Leaves three tables out of the parser, a third of its packed size: the names of JSX characters, because expressions of
 * n8n are not JSX; the letters of all scripts, which regular expressions know, too; and its error messages, which the
 * migration does not show.
 */
const withoutTables = {
	name: 'without tables of the parser',
	setup({ onLoad }) {
		onLoad({ filter: /meriyah\.mjs$/ }, async ({ path: file }) => {
			let contents = await readFile(file, 'utf8');
			const replace = (pattern, replacement) => {
				const text = contents.replace(pattern, replacement);
				if (text === contents) throw new Error(`meriyah does not contain ${pattern}`);
				contents = text;
			};
			replace(/^const entities = \{\n[^}]*\n\};$/m, 'const entities = {};');
			replace(
				/^const errorMessages = \{\n[^]*?\n\};$/m,
				"const errorMessages = new Proxy({}, { get: () => 'Unexpected code' });",
			);
			replace(/^const unicodeLookup = [^]*?^const isIDContinue = /m, 'const isIDContinue = ');
			replace(
				/^const isIDContinue = .*\nconst isIDStart = .*$/m,
				String.raw`const isIDContinue = (code) => /\p{ID_Continue}/u.test(String.fromCodePoint(code));
const isIDStart = (code) => /\p{ID_Start}/u.test(String.fromCodePoint(code));`,
			);
			return { contents };
		});
	},
};

/** Bundles what a file in `vendor` exports in the place of its compiled form, below the licences of what is in it. */
async function library(name) {
	const { metafile, outputFiles } = await esbuild.build({
		entryPoints: [`vendor/${name}`],
		outdir: path.join(DIST, 'vendor'),
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		// Libraries are read in their own repositories; minified they take a fifth less room in the package.
		minify: true,
		legalComments: 'none',
		plugins: [withoutTables],
		metafile: true,
		write: false,
		logLevel: 'warning',
	});
	const folders = Object.keys(metafile.inputs).flatMap(
		(file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
	);
	const licences = await Promise.all([...new Set(folders)].sort().map(licenceOf));
	return { file: outputFiles[0].path, text: `/*\n${licences.join('\n\n')}\n*/\n${outputFiles[0].text}` };
}

async function vendor() {
	await rm(path.join(DIST, 'vendor'), { recursive: true });
	await mkdir(path.join(DIST, 'vendor'));
	const built = await Promise.all((await readdir('vendor')).map(library));
	await Promise.all(built.map(async ({ file, text }) => await writeFile(file, text)));
}

function icons() {
	return src('icons/*.svg').pipe(dest('dist/icons'));
}

/** Codex files and output schemas, which n8n looks for beside the compiled node. */
function descriptions() {
	return src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' }).pipe(dest('dist'));
}

exports.clean = clean;
exports.build = series(clean, parallel(series(code, vendor), icons, descriptions));
exports.default = exports.build;
