import { LONGEST_LINE, readCustomNames } from './customNames';
import { LISTS } from './names';
import { success, type Outcome } from './problems';

/** Meanings that Field Names can map to other names than those in the tables of `names.ts`. */
export const READ_MEANINGS = [
	...(['price', 'total', 'shipping', 'currency', 'condition', 'shop'] as const),
	...(['availability', 'url', 'name'] as const),
	...LISTS,
	...(['author', 'date', 'rating', 'text', 'rank'] as const),
];

export type ReadMeaning = (typeof READ_MEANINGS)[number];

/** The names that lead to a value, one per level: `product.offers` has two. */
export type NamePath = readonly string[];

/** The user's names or paths for each meaning, in the order in which they are tried. */
export type FieldNames = Readonly<Partial<Record<ReadMeaning, readonly NamePath[]>>>;

/** Reads the setting Field Names, which may be n8n's collection, text or both. */
export function readFieldNames(inputs: readonly unknown[]): Outcome<FieldNames, string> {
	const read = readCustomNames(['Field Names', 'price: sale.amount, price'], READ_MEANINGS, inputs);
	if (!read.ok) return read;
	const fieldNames: Partial<Record<ReadMeaning, readonly NamePath[]>> = {};
	for (const { meaning, names } of read.value) {
		const paths = names.split(',').map(pathOf);
		if (paths.flat().some((name) => name === '')) {
			const line = `${meaning}: ${names}`.trim().slice(0, LONGEST_LINE);
			const rule = 'Write names or paths with commas between them, such as price: sale.amount, price';
			return { ok: false, problem: `The line "${line}" of Field Names lacks a name. ${rule}` };
		}
		fieldNames[meaning as ReadMeaning] = paths;
	}
	return success(fieldNames);
}

/** Splits a path as users write it: names with dots between them. */
export const pathOf = (text: string): NamePath => text.split('.').map((name) => name.trim());
