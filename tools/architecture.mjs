// Holds the rules of .dependency-cruiser.cjs, and that the picture in docs/architecture.md is the one that the code
// has now. `--draw` writes the picture anew. Works on the folder it is started in.
import { readFileSync, writeFileSync } from 'node:fs';
import { cruise, format } from 'dependency-cruiser';
import rules from '../.dependency-cruiser.cjs';

const PAGE = 'docs/architecture.md';
const BEGIN = '<!-- drawn by `npm run architecture:draw` -->';
const END = '<!-- end of the drawing -->';
const PRODUCT = ['nodes', 'credentials'];

/** The rooms in the order of the rule file, each with a test for its files. */
const rooms = rules.forbidden
	.filter(({ name }) => name.startsWith('room '))
	.map(({ name, from }) => ({ name: name.slice('room '.length), files: new RegExp(from.path) }));

const roomOf = (file) => rooms.find(({ files }) => files.test(file))?.name;

/** Which rooms each room imports from: the folders of dependency-cruiser's graph, without the files. */
function importsOfRooms(modules) {
	const imports = new Map(rooms.map(({ name }) => [name, new Set()]));
	for (const { source, dependencies } of modules) {
		const from = roomOf(source);
		for (const to of dependencies.map(({ resolved }) => roomOf(resolved))) {
			if (from !== undefined && to !== undefined && to !== from) imports.get(from).add(to);
		}
	}
	return imports;
}

/** Whether a room is reached from another one by way of a third. */
function isImplied(imports, from, to) {
	const seen = new Set([from, to]);
	const queue = [...imports.get(from)].filter((room) => room !== to);
	for (const room of queue) {
		if (seen.has(room)) continue;
		seen.add(room);
		if (imports.get(room).has(to)) return true;
		queue.push(...imports.get(room));
	}
	return false;
}

/**
 * The mermaid reporter draws files and nests folders, and mermaid cannot draw an arrow from a folder into itself (run →
 * run/lookup). So the arrows are drawn here, without those that others imply.
 */
function draw(imports) {
	const id = (room) => room.replace('/', '_');
	const names = rooms.map(({ name }) => name);
	// Mermaid writes the ID into a box that has no text of its own.
	const boxes = names.filter((room) => id(room) !== room).map((room) => `\t${id(room)}["${room}"]`);
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
const current = withDrawing(page, draw(importsOfRooms(output.modules)));
if (process.argv.includes('--draw')) {
	writeFileSync(PAGE, current);
	console.log(`architecture: ${PAGE} holds the drawing`);
} else if (current !== page) {
	console.error(
		`architecture: the drawing in ${PAGE} is out of date; npm run architecture:draw makes it anew`,
	);
	process.exitCode = 1;
}
