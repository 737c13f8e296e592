import { readCustomNames } from './customNames';
import { success, type Outcome } from './problems';

/** What a service may call otherwise than the table of names does. */
export const READ_MEANINGS = [
	...([
		'price',
		'total',
		'shipping',
		'currency',
		'condition',
		'shop',
		'availability',
		'url',
		'name',
	] as const),
	...(['offers', 'hits', 'reviews', 'ranks', 'author', 'date', 'rating', 'text', 'rank'] as const),
];

export type ReadMeaning = (typeof READ_MEANINGS)[number];

/** The names that lead to a value, one for each level: `product.offers` has two. */
export type NamePath = readonly string[];

/** Under which names or paths a service's contents have a meaning, in the user's order. */
export type FieldNames = Readonly<Partial<Record<ReadMeaning, readonly NamePath[]>>>;

const LONGEST_SHOWN = 80;

/** Reads the setting Field Names, which can be given in several forms. */
export function readFieldNames(given: readonly unknown[]): Outcome<FieldNames, string> {
	const read = readCustomNames(['Field Names', 'price: sale.amount, price'], READ_MEANINGS, given);
	if (!read.ok) return read;
	const fieldNames: Partial<Record<ReadMeaning, readonly NamePath[]>> = {};
	for (const { meaning, names } of read.value) {
		const paths = names.split(',').map((path) => path.split('.').map((name) => name.trim()));
		if (paths.flat().some((name) => name === '')) {
			const line = `${meaning}: ${names}`.trim().slice(0, LONGEST_SHOWN);
			const rule = 'Write names or paths with commas between them, such as price: sale.amount, price';
			return { ok: false, problem: `The line "${line}" of Field Names lacks a name. ${rule}` };
		}
		fieldNames[meaning as ReadMeaning] = paths;
	}
	return success(fieldNames);
}

/** A path as a user writes it. */
export const pathOf = (text: string): NamePath => text.split('.').map((name) => name.trim());
