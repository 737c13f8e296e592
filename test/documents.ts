import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The Markdown pages of this project, as its tests read them. */
export const ROOT = path.join(__dirname, '..');

const NO_PAGES = new Set(['node_modules', 'dist', 'coverage']);

function pagesIn(folder: string): string[] {
	return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
		const name = path.posix.join(folder, entry.name);
		if (entry.isDirectory()) {
			const isHidden = entry.name.startsWith('.') && entry.name !== '.github';
			return isHidden || NO_PAGES.has(entry.name) ? [] : pagesIn(name);
		}
		return entry.name.endsWith('.md') ? [name] : [];
	});
}

/** Every page, by its path from the root. */
export const PAGES = pagesIn('.').sort();

/** The pages that tell users what the package does. */
export const USER_PAGES = [
	'README.md',
	'examples/README.md',
	...[
		...['ai-agents', 'best-price', 'compatibility', 'migration', 'reference', 'security', 'triggers'],
		'waiting',
	].map((name) => `docs/${name}.md`),
];

export function readText(page: string): string {
	return readFileSync(path.join(ROOT, page), 'utf8');
}

/** A fenced block of code. */
export interface Block {
	page: string;
	language: string;
	text: string;
	/** The name in a comment `<!-- output: … -->` right before the block: an output that the tests make. */
	output?: string;
}

const BLOCK = /(?:<!-- output: ([\w-]+) -->\n)?^ *```(\w*)\n([\s\S]*?)^ *```$/gm;

export function blocksOf(page: string): Block[] {
	return [...readText(page).matchAll(BLOCK)].map(([, output, language = '', text = '']) => ({
		page,
		language,
		text,
		...(output !== undefined && { output }),
	}));
}

/** A page without its blocks of code and comments. */
export function proseOf(page: string): string {
	return readText(page)
		.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
		.replaceAll(/<!--[\s\S]*?-->/g, '');
}

/** The rows of all tables below a heading, cell by cell, without the rows of names and dashes. */
export function tableRows(text: string): string[][] {
	const lines = text.split('\n');
	const isRow = (line = '') => line.startsWith('|');
	return lines
		.filter((line, index) => isRow(line) && !/^\|[\s|:-]+\|$/.test(line) && isRow(lines[index - 1]))
		.map((line) =>
			line
				.split(/(?<!\\)\|/)
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
}
