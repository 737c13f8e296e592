import type { SandboxOptions } from '../options.ts';
import { exactNumber } from './exactNumber.ts';

type Fields = Record<string, unknown>;

/** Integers beyond 2^53. */
export const EXACT_NUMBERS = {
	stock_number: '12345678901234567890',
};

/** The content in the shape that is switched on; `list` names its main list. */
export function reshaped(content: Fields, list: string, shape: SandboxOptions['contentShape']): unknown {
	switch (shape) {
		case 'plain':
			return content;
		case 'listInObject': {
			const { [list]: entries, ...rest } = content;
			if (!Array.isArray(entries)) return content;
			return { ...rest, list: { total: entries.length, entries } };
		}
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
