import fc from 'fast-check';

import { errorOf, items, said } from '../../engine/support/harness';
import { runs } from '../../support/runs';
import { day } from './days';
import { answersTo, answersWith, comparable, visible, type Held, type Row, type Value } from './oracle';
import type { Products } from './products';
import { runDay, shop, type Place, type Way } from './workflow';

const HINT =
	"With Execute Once, these rows belong to several items, so they have no input fields. To get each row beside its item, switch Execute Once off, and look up each item's own value, such as {{ $json.gtin }}.";

/** Each value of the rows once, and the GTIN that it means. */
function valuesOf({ headings, rows, gtins }: Products): Array<[Value | undefined, string | undefined]> {
	const all = rows.map((row, n) => [row[headings.gtin], gtins[n]] as const);
	const once = new Map(all.map(([cell, gtin]) => [visible(cell), gtin]));
	once.delete('');
	return once.size === 0 ? [['', undefined]] : [...once];
}

/** Fails if a row's cell has changed. Answers below it, and columns for them, may be new. */
function expectUntouched({ columns, rows }: Held, before: Held, answers: readonly string[]): void {
	expect(columns.slice(0, before.columns.length)).toEqual(before.columns);
	expect(answers).toEqual(expect.arrayContaining(columns.slice(before.columns.length)));
	for (const [n, row] of before.rows.entries()) expect(rows[n]).toMatchObject(row);
	const isAnswer = ([column, cell]: [string, Value]) =>
		answers.includes(column) || cell === '' || cell === null;
	for (const row of rows.slice(before.rows.length)) expect(Object.entries(row).every(isAnswer)).toBe(true);
}

/**
 * Runs the workflow with Execute Once and the values of all rows, on the first day or after a day without it. The
 * output belongs to no row of the sheet, so n8n's node finds none to update: it appends rows, or fails.
 */
export async function playOnce(place: Place, way: Way, sheets: fc.Arbitrary<Products>): Promise<void> {
	const settings = fc.record({ isTest: fc.constant(false), hasPrevious: fc.boolean() });
	await fc.assert(
		fc.asyncProperty(sheets, day, day, settings, fc.boolean(), async (...drawn) => {
			const [sheet, yesterday, today, chosen, isFirst] = drawn;
			const answers = answersWith(chosen.hasPrevious);
			const filled = place.fill(sheet, answers);
			const play = async (isOnce: boolean) =>
				await runDay(place, way, sheet, { ...chosen, isOnce }, filled.dataTables);
			shop.day = yesterday;
			if (!isFirst) expect(errorOf(await play(false))).toBeUndefined();
			const before = filled.held();
			shop.day = today;
			const run = await play(true);
			const empty = place.emptyValues === 'null' ? null : '';
			const rows = items(run, 'Prices') as Row[];
			const expected = valuesOf(sheet).map(([cell, gtin]) =>
				answersTo({ cell, gtin }, { answers, empty, said: today, isTest: false }),
			);
			expect(rows.map(comparable)).toEqual(expected);
			for (const row of rows) expect(Object.keys(row)).toEqual(answers);
			expect(said(run)).toContain(HINT);
			expectUntouched(filled.held(), before, answers);
		}),
		{ numRuns: runs(30) },
	);
}
