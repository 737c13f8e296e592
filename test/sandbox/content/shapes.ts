import type { SandboxOptions } from '../options.ts';
import { exactNumber } from './exactNumber.ts';

type Fields = Record<string, unknown>;

/** Numbers beyond 2^53, with more digits than a double has, and beyond its range. */
export const EXACT_NUMBERS = {
	stock_number: '12345678901234567890',
	weight: '1234567890123456.789',
	serial: '12345678901234567890.0',
	vast: '1e400',
};

function withMainList(content: Fields, list: string, replaced: (entries: unknown[]) => Fields): Fields {
	const { [list]: entries, ...rest } = content;
	return Array.isArray(entries) ? { ...rest, ...replaced(entries) } : content;
}

/** The content in the shape that is switched on; `list` names its main list. */
export function reshaped(content: Fields, list: string, shape: SandboxOptions['contentShape']): unknown {
	switch (shape) {
		case 'plain':
			return content;
		case 'listInObject':
			return withMainList(content, list, (entries) => ({
				list: { total: entries.length, items: entries },
			}));
		case 'groupedLists':
			return withMainList(content, list, (entries) => ({
				[list]: {
					new: entries.filter((_, index) => index % 2 === 0),
					used: entries.filter((_, index) => index % 2 === 1),
				},
			}));
		case 'twoLists':
			return withMainList(content, list, (entries) => ({
				comments: entries,
				histogram: [5, 4, 3, 2, 1].map((stars) => ({ stars, count: stars * 3 })),
			}));
		case 'text':
			return `Collected: ${String(content.name ?? list)}`;
		case 'exactNumbers': {
			const numbers = Object.entries(EXACT_NUMBERS).map(([name, digits]) => [
				name,
				exactNumber(digits),
			]);
			return { ...content, ...Object.fromEntries(numbers) };
		}
	}
}
