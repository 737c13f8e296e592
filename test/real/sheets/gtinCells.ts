import fc from 'fast-check';

import { bare, GTINS } from './shop';
import type { Cell } from './spreadsheet';

/** A cell of the GTIN column, and the GTIN that a person means by it, if any. */
export interface GtinCell {
	cell: Cell;
	gtin?: string;
}

const FULL_WIDTH_ZERO = 0xff10;
const fullWidth = (gtin: string) =>
	gtin.replace(/\d/g, (digit) => String.fromCharCode(FULL_WIDTH_ZERO + Number(digit)));

/** A GTIN as sheets have it: typed, pasted from a web page or imported. */
function spellings(gtin: string): Cell[] {
	const [start, end] = [gtin.slice(0, 4), gtin.slice(4)];
	const plain: Cell[] = [gtin, Number(gtin), bare(gtin)];
	const invisible = [`\u200b${gtin}`, `${gtin}\u200e`, `\u202a${gtin}\u202c`, `${start}\u00ad${end}`];
	const apart = [`${start}\u00a0${end}`, `${start}\u2011${end}`, ` ${gtin}\u00a0`];
	return [...plain, ...invisible, ...apart, fullWidth(gtin), `'${gtin}`, `${gtin}.0`, `EAN: ${gtin}`];
}

const BLANKS: Cell[] = ['', '\u200b', ' \u00a0'];
const MISTYPED: Cell[] = ['abc', '4006381333932', 4006381333932];
const ERRORS: Cell[] = ['#N/A', '#REF!', 'Loading...', 'undefined', '-'];

const oneOf = (cells: readonly Cell[]) => fc.constantFrom(...cells).map((cell): GtinCell => ({ cell }));

/** Any such cell. There are few GTINs, so that some repeat. */
export const gtinCells: fc.Arbitrary<GtinCell> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.constantFrom(
			...GTINS.flatMap((gtin) => spellings(gtin).map((cell): GtinCell => ({ cell, gtin }))),
		),
	},
	{ weight: 1, arbitrary: oneOf(BLANKS) },
	{ weight: 1, arbitrary: oneOf(MISTYPED) },
	{ weight: 1, arbitrary: oneOf(ERRORS) },
);
