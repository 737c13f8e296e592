// Holds the rules of .dependency-cruiser.cjs, and that the picture in docs/contributing/architecture.md is the one that the code
// has now. `--draw` writes the picture anew. Works on the folder it is started in.
import { readFileSync, writeFileSync } from 'node:fs';
import { cruise, format } from 'dependency-cruiser';
import rules from '../.dependency-cruiser.cjs';

const PAGE = 'docs/contributing/architecture.md';
const BEGIN = '<!-- drawn by `npm run architecture:draw` -->';
const END = '<!-- end of the drawing -->';
const PRODUCT = ['nodes', 'credentials'];

/** The folders in the order of the rule file, each with a test for its files. */
const folders = rules.forbidden
	.filter(({ name }) => name.startsWith('folder '))
	.map(({ name, from }) => ({ name: name.slice('folder '.length), files: new RegExp(from.path) }));

const folderOf = (file) => folders.find(({ files }) => files.test(file))?.name;

/** Which folders each folder imports from: the folders of dependency-cruiser's graph, without the files. */
function importsOfFolders(modules) {
	const imports = new Map(folders.map(({ name }) => [name, new Set()]));
	for (const { source, dependencies } of modules) {
		const from = folderOf(source);
		for (const to of dependencies.map(({ resolved }) => folderOf(resolved))) {
			if (from !== undefined && to !== undefined && to !== from) imports.get(from).add(to);
		}
	}
	return imports;
}

/** Whether a folder is reached from another one by way of a third. */
function isImplied(imports, from, to) {
	const seen = new Set([from, to]);
	const queue = [...imports.get(from)].filter((folder) => folder !== to);
	for (const folder of queue) {
		if (seen.has(folder)) continue;
		seen.add(folder);
		if (imports.get(folder).has(to)) return true;
		queue.push(...imports.get(folder));
	}
	return false;
}

/**
 * The mermaid reporter draws files and nests folders, and mermaid cannot draw an arrow from a folder into itself (run →
 * run/lookup). So the arrows are drawn here, without those that others imply.
 */
function draw(imports) {
	const id = (folder) => folder.replace('/', '_');
	const names = folders.map(({ name }) => name);
	// Mermaid writes the ID into a box that has no text of its own.
	const boxes = names
		.filter((folder) => id(folder) !== folder)
		.map((folder) => `\t${id(folder)}["${folder}"]`);
	const arrows = names.flatMap((from) =>
		names
			.filter((to) => imports.get(from).has(to) && !isImplied(imports, from, to))
			.map((to) => `\t${id(from)} --> ${id(to)}`),
	);
	return ['```mermaid', 'flowchart TD', ...boxes, ...arrows, '```'].join('\n');
}

/** The page with another drawing between its two marks. */
function withDrawing(page, drawing) {
	const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
	if (begin < 0 || end < begin) throw new Error(`${PAGE} has no place for the drawing: ${BEGIN} … ${END}`);
	return `${page.slice(0, begin)}${BEGIN}\n${drawing}\n${page.slice(end)}`;
}

const { forbidden, options } = rules;
const { output } = await cruise([...PRODUCT, 'test/sandbox'], {
	...options,
	validate: true,
	ruleSet: { forbidden },
});
const { output: report, exitCode } = await format(output, { outputType: 'err-long' });
console.log(report.trimEnd());
if (exitCode > 0) process.exitCode = 1;

const page = readFileSync(PAGE, 'utf8');
const current = withDrawing(page, draw(importsOfFolders(output.modules)));
if (process.argv.includes('--draw')) {
	writeFileSync(PAGE, current);
	console.log(`architecture: ${PAGE} holds the drawing`);
} else if (current !== page) {
	console.error(
		`architecture: the drawing in ${PAGE} is out of date; npm run architecture:draw makes it anew`,
	);
	process.exitCode = 1;
}
