// Checks the import rules of .dependency-cruiser.cjs, and that docs/contributing/architecture.md shows the current
// imports between folders: `npm run architecture`. `npm run architecture:write` draws the picture.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';

const PAGE = 'docs/contributing/architecture.md';
const PICTURE = /```mermaid\n[^]*?```/;

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const { output, exitCode } = await cruise(['nodes', 'credentials', 'test/fakes/sandbox'], {
	ruleSet: config,
	validate: true,
	...config.options,
	outputType: 'json',
});
const { modules, summary } = JSON.parse(output);
for (const { from, to, rule } of summary.violations) console.log(`${rule.name}: ${from} → ${to}`);

/** The folders in the order of the rules, top to bottom, each with a test for its files. */
const folders = config.forbidden
	.filter(({ name }) => name.startsWith('folder '))
	.map(({ name, from }) => ({ name: name.slice('folder '.length), files: new RegExp(from.path) }));
const folderOf = (file) => folders.find(({ files }) => files.test(file))?.name;

/** The folders that each folder imports from. */
const imports = new Map(folders.map(({ name }) => [name, new Set()]));
for (const { source, dependencies } of modules)
	for (const { resolved } of dependencies) {
		const [from, to] = [folderOf(source), folderOf(resolved)];
		if (from !== undefined && to !== undefined && from !== to) imports.get(from).add(to);
	}

/** Whether a folder reaches another one through a third. */
function reachesIndirectly(from, to) {
	const seen = new Set();
	const queue = [...imports.get(from)].filter((name) => name !== to);
	for (const name of queue) {
		if (seen.has(name)) continue;
		seen.add(name);
		if (imports.get(name).has(to)) return true;
		queue.push(...imports.get(name));
	}
	return false;
}

// An arrow that follows from others would hide them.
const arrows = [...imports].flatMap(([from, targets]) =>
	[...targets].filter((to) => !reachesIndirectly(from, to)).map((to) => [from, to]),
);
const order = new Map(folders.map(({ name }, index) => [name, index]));
arrows.sort(([a, b], [c, d]) => order.get(a) - order.get(c) || order.get(b) - order.get(d));
const id = (name) => name.replace('/', '.');
const picture = [
	'```mermaid',
	'graph TD',
	...folders.map(({ name }) => `\t${id(name)}["${name === 'assembly' ? '*.node.ts' : name}"]`),
	...arrows.map(([from, to]) => `\t${id(from)} --> ${id(to)}`),
	'```',
].join('\n');

const page = readFileSync(PAGE, 'utf8');
const drawn = page.replace(PICTURE, () => picture);
if (process.argv.includes('--write')) writeFileSync(PAGE, drawn);
else if (drawn !== page) console.log(`${PAGE} does not show these imports: npm run architecture:write`);
if (exitCode !== 0 || (drawn !== page && !process.argv.includes('--write'))) process.exitCode = 1;
