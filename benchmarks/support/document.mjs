/**
 * `docs/benchmarks.md`: a section for each benchmark, of which the part between two comments is written by the benchmark and
 * the rest by people. A benchmark that is not run keeps its section.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import prettier from 'prettier';
import { MISSED } from './report.mjs';

const FILE = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../docs/benchmarks.md');
const END = '<!-- end of what was measured -->';
const beginOf = (command) => `<!-- measured by \`${command}\` -->`;
const BEGIN = /<!-- measured by `[^`]*` -->/;
const SUMMARY = /(<!-- counted from the sections below -->\n)[\s\S]*?(<!-- end of the count -->)/;

const NEW_FILE = `# Benchmarks

<!-- counted from the sections below -->
<!-- end of the count -->
`;

/** The sections of the file by their headings, and what stands before them. */
function sectionsOf(text) {
	const [head, ...sections] = text.split(/^(?=## )/m);
	return { head, sections: new Map(sections.map((one) => [/^## (.*)$/m.exec(one)[1].trim(), one])) };
}

/** A section with new figures; what people wrote around them stays. */
function withMeasured(section, command, measured) {
	const written = `${beginOf(command)}\n\n${measured.trim()}\n\n${END}`;
	const [begin, end] = [section.search(BEGIN), section.indexOf(END)];
	if (begin === -1 || end === -1)
		return section.replace(/^## .*$/m, (heading) => `${heading}\n\n${written}`);
	return section.slice(0, begin) + written + section.slice(end + END.length);
}

/** How many targets are met, and in which sections some are not. */
function summaryOf(sections) {
	const missed = [];
	let met = 0;
	for (const [name, section] of sections) {
		const count = section.split(MISSED).length - 1;
		met += section.match(/\| *yes *\|$/gm)?.length ?? 0;
		if (count > 0) missed.push(`${count} in [${name}](#${name})`);
	}
	return `${met} targets are met, ${missed.length === 0 ? 'none is missed' : `missed are ${missed.join(', ')}`}.`;
}

/**
 * Puts what a benchmark printed into its section, which is made where there is none.
 *
 * @param {string} name of the benchmark, the heading of its section
 * @param {string} command that repeats it
 * @param {string} measured Markdown
 */
export async function writeSection(name, command, measured) {
	const { head, sections } = sectionsOf(existsSync(FILE) ? readFileSync(FILE, 'utf8') : NEW_FILE);
	sections.set(name, withMeasured(sections.get(name) ?? `## ${name}\n`, command, measured));
	const summary = head.replace(SUMMARY, (_all, begin, end) => `${begin}\n${summaryOf(sections)}\n\n${end}`);
	const text = [summary, ...sections.values()].map((part) => part.trimEnd()).join('\n\n');
	const options = await prettier.resolveConfig(FILE);
	writeFileSync(FILE, await prettier.format(text, { ...options, parser: 'markdown' }));
}
