import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The Markdown pages of this project, as its tests read them. */
export const ROOT = path.join(__dirname, '../..');

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
