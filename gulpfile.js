'use strict';

// Makes `dist`, for people to read: nothing is minified, each file goes from top to bottom, and a comment names the source
// of each part.
//
//   *.node.js, *.credentials.js   what n8n looks for; each hands on its class
//   nodes.js       the classes and what they say of themselves: all that n8n loads when it starts
//   later.js       loads run.js when something of it is first used
//   run.js         what the nodes do
//   migration.js   the conversion of workflows with its parser, loaded when one runs
//   libraries.js   the libraries of run.js, as they are published
const { readFile, readdir, rm, mkdir, writeFile } = require('node:fs/promises');
const path = require('node:path');
const esbuild = require('esbuild');
const { dest, parallel, series, src } = require('gulp');
const { n8n } = require('./package.json');

const DIST = path.join(__dirname, 'dist');
const CODE = path.join(DIST, 'nodes/PriceCollection');

/** What n8n loads, as package.json lists it: the class is named like the file (n8n insists on that). */
const entries = [...n8n.nodes, ...n8n.credentials].map((built) => ({
	className: path.basename(built).replace(/\.(node|credentials)\.js$/, ''),
	built: path.join(__dirname, built),
	source: `./${built.replace(/^dist\//, '').replace(/\.js$/, '')}`,
}));

const CLASSES = entries
	.map(({ className, source }) => `export { ${className} } from '${source}';`)
	.join('\n');

async function clean() {
	await rm(DIST, { recursive: true, force: true });
}

/** Leaves imports that match to a file that stands beside the one that is built. */
const beside = (filter, file) => ({
	name: `beside ${file}`,
	setup({ onResolve }) {
		onResolve({ filter }, () => ({ path: `./${file}`, external: true }));
	},
});

/** The same for imports of sources: `placeOf` gives the file for a source and the one that imports it, or nothing. */
const apart = (placeOf) => ({
	name: 'apart',
	setup({ onResolve, resolve }) {
		onResolve({ filter: /^\.\.?\// }, async ({ path: name, importer, kind, resolveDir, pluginData }) => {
			if (pluginData === 'resolving') return undefined;
			const { path: source } = await resolve(name, {
				importer,
				kind,
				resolveDir,
				pluginData: 'resolving',
			});
			const file = placeOf(source, importer);
			return file && { path: `./${file}`, external: true };
		});
	},
});

/** Builds a file from what `contents` imports and exports; gives its sources. */
async function bundle(file, contents, plugins = [], write = true) {
	const { metafile } = await esbuild.build({
		stdin: { contents, resolveDir: __dirname, loader: 'ts', sourcefile: `${file} (gulpfile.js)` },
		outfile: path.join(CODE, file),
		write,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		supported: { 'dynamic-import': false },
		// n8n brings its own n8n-workflow; a second copy would break `instanceof NodeApiError`.
		external: ['n8n-workflow'],
		plugins,
		legalComments: 'none',
		metafile: true,
		logLevel: 'warning',
	});
	const sources = Object.keys(metafile.inputs).filter((source) => !source.endsWith('(gulpfile.js)'));
	return sources.map((source) => path.join(__dirname, source));
}

const reexport = (sources) =>
	[...sources].map((source) => `export * from ${JSON.stringify(source)};`).join('\n');

const PRODUCT = path.join(__dirname, 'nodes/PriceCollection');
const ASSEMBLY = [
	path.join(PRODUCT, 'actions'),
	...entries.map(({ source }) => path.join(__dirname, source)),
];
const AT_START = ['actions', 'descriptions', 'n8n/memory.ts'].map((part) => path.join(PRODUCT, part));

const isIn = (places, source) => places.some((place) => source.startsWith(place));

/** What the nodes and operations import to do something, and not to say what they are, is loaded when it is used. */
const isLater = (source, importer) =>
	importer.startsWith(PRODUCT) && isIn(ASSEMBLY, importer) && !isIn(AT_START, source);

/** Marks the sources that are left to another file, and keeps them. */
function leaving(file, isLeft) {
	const left = new Set();
	const place = (source, importer) => {
		if (!isLeft(source, importer)) return undefined;
		left.add(source);
		return file;
	};
	return { plugin: apart(place), left };
}

async function code() {
	await mkdir(CODE, { recursive: true });
	const others = [beside(/\/migration$/, 'migration.js'), beside(/^(zod|saxes)\b/, 'libraries.js')];
	const nodes = await bundle('nodes.js', CLASSES, [...others, leaving('later.js', isLater).plugin], false);
	const later = leaving('later.js', (source, from) => isLater(source, from) && !nodes.includes(source));
	await bundle('nodes.js', CLASSES, [...others, later.plugin], false);
	const atStart = leaving('nodes.js', (source) => nodes.includes(source));
	const run = await bundle('run.js', reexport(later.left), [...others, atStart.plugin]);
	await bundle('nodes.js', `${CLASSES}\n${reexport(atStart.left)}`, [...others, later.plugin]);
	const migration = await bundle('migration.js', `export * from './nodes/PriceCollection/migration';`);
	const libraries = await bundle('libraries.js', await librariesFile([...nodes, ...run]));
	await writeLater();
	await writeLicences([...migration, ...libraries]);
}

/** The names that a built file uses of another one. */
async function namesUsed(file, of) {
	const text = await readFile(path.join(CODE, `${file}.js`), 'utf8');
	const imports = text.matchAll(new RegExp(`var (\\w+) = require\\("\\./${of}\\.js"\\)`, 'g'));
	const named = [...imports].map(([, variable]) => variable).join('|');
	const uses = text.matchAll(new RegExp(`\\b(?:${named})\\.(\\w+)`, 'g'));
	return [...new Set([...uses].map(([, name]) => name))].sort();
}

async function writeLater() {
	const names = await namesUsed('nodes', 'later');
	const text = `'use strict';

// What the nodes do is loaded when it is first used, and not when n8n starts.
for (const name of ${JSON.stringify(names, null, '\t')}) {
	Object.defineProperty(exports, name, { enumerable: true, get: () => require('./run.js')[name] });
}
`;
	await writeFile(path.join(CODE, 'later.js'), text);
}

/**
 * n8n's start loads nothing that is there to run, and every name that a file uses of another one is there: where two
 * sources export one name, esbuild exports neither.
 */
async function check() {
	const nodes = require(path.join(CODE, 'nodes.js'));
	for (const { className } of entries) new nodes[className]();
	if (require.cache[path.join(CODE, 'run.js')])
		throw new Error('run.js is loaded with the classes: see onFirstCall');
	for (const [file, of] of [
		['nodes', 'later'],
		['run', 'nodes'],
	]) {
		const exported = require(path.join(CODE, `${of}.js`));
		const lost = (await namesUsed(file, of)).filter((name) => exported[name] === undefined);
		if (lost.length > 0) throw new Error(`${of}.js does not export ${lost.join(', ')}`);
	}
}

/** What the product uses of its libraries; to export zod whole would bring its hundreds of other functions. */
async function librariesFile(sources) {
	const texts = await Promise.all(sources.map((source) => readFile(source, 'utf8')));
	const used = texts.flatMap((text) => [...text.matchAll(/\bz\.(\w+)/g)].map(([, name]) => name));
	const zod = require('zod/v4-mini');
	const names = [...new Set(used)].filter((name) => name in zod).sort();
	return `export { ${names.join(', ')} } from 'zod/v4-mini';\nexport { SaxesParser } from 'saxes';`;
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
	return `${name} ${version}${by ? ` by ${by}` : ''}, licence ${license}\n\n${text}`.trimEnd() + '\n';
}

/** The files that package.json names: each hands on its class. */
async function nodeFiles() {
	for (const { className, built } of entries) {
		const relative = path
			.relative(path.dirname(built), path.join(CODE, 'nodes.js'))
			.replaceAll(path.sep, '/');
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
exports.build = series(clean, parallel(code, icons, descriptions), nodeFiles, check);
exports.default = exports.build;
