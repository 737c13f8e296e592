import fc from 'fast-check';
import type { IRun } from 'n8n-workflow';

import { errorOf, errorText, said } from '../../engine/support/harness';
import { runs } from '../../support/runs';
import { answersWith, expectReplacementsSaid, expectTrue } from './oracle';
import { money, type Products } from './products';
import { bare, GTINS, MADE_UP, type Day, type Outcome } from './shop';
import { fieldOf, runDay, shop, type Filled, type Place, type Way } from './workflow';

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant('price' as const),
			price: money,
			shipping: fc.option(money, { nil: undefined }),
			others: fc.array(money, { maxLength: 3 }),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.constantFrom<Outcome>({ kind: 'soldOut' }, { kind: 'notFound' }, { kind: 'failed' }),
	},
);

/** The shop's answer for each GTIN on one day. */
export const day = fc
	.tuple(...GTINS.map(() => outcome))
	.map((outcomes): Day => new Map(GTINS.map((gtin, n) => [bare(gtin), outcomes[n] ?? { kind: 'failed' }])));

const DAYS = 4;
const RENAMED = 'EAN_renamed';

/** What happens on the days. */
const plots = fc.record({
	days: fc.array(day, { minLength: DAYS, maxLength: DAYS }),
	/** How many days the user tries the test source first. */
	testDays: fc.nat({ max: 2 }),
	hasPrevious: fc.boolean(),
	/** Before this day, the GTINs' heading has another name for one day; null for never. */
	renamedBefore: fc.option(fc.nat({ max: DAYS - 1 })),
});

/** Fails unless the run was refused for the expression, with nothing sent and nothing written. */
function expectRefused(run: IRun, requests: number, { headings, columns }: Products): void {
	const names = columns.map((column) => (column === headings.gtin ? RENAMED : column));
	expect(errorOf(run)?.message).toBe(
		`{{ ${fieldOf('$json', headings.gtin)} }} is undefined for every item`,
	);
	for (const name of names) expect(errorText(run)).toContain(name);
	expect(run.data.resultData.runData).not.toHaveProperty('Update rows');
	expect(shop.requests).toBe(requests);
}

/** Plays a day on which the sheet has another heading for GTINs than the workflow, then restores the heading. */
async function playRenamed(filled: Filled, products: Products, play: () => Promise<IRun>): Promise<void> {
	const { gtin } = products.headings;
	filled.rename(gtin, RENAMED);
	const [held, requests] = [filled.held(), shop.requests];
	expectRefused(await play(), requests, products);
	expect(filled.held()).toEqual(held);
	filled.rename(RENAMED, gtin);
}

const isFilled = (cell: unknown) => cell !== '' && cell !== null && cell !== undefined;

/** Runs the workflow on generated days with generated rows, and checks the place after each. */
export async function playDays(place: Place, way: Way, sheets: fc.Arbitrary<Products>): Promise<void> {
	await fc.assert(
		fc.asyncProperty(sheets, plots, async (sheet, { days, testDays, hasPrevious, renamedBefore }) => {
			const answers = answersWith(hasPrevious);
			const filled = place.fill(sheet, answers);
			const replaced = sheet.rows.some((row) => isFilled(row.best_price)) ? ['best_price'] : [];
			for (const [n, ofShop] of days.entries()) {
				const isTest = n < testDays;
				const settings = { isTest, hasPrevious, isOnce: false };
				const play = async () => await runDay(place, way, sheet, settings, filled.dataTables);
				shop.day = ofShop;
				if (n === renamedBefore) await playRenamed(filled, sheet, play);
				const before = filled.held().rows;
				const run = await play();
				if (errorOf(run)) throw new Error(errorText(run));
				expectTrue(filled.held(), before, sheet, {
					...{ answers, isTest, said: isTest ? MADE_UP : ofShop },
					empty: place.emptyValues === 'null' ? null : '',
				});
				expectReplacementsSaid(said(run), n === 0 ? replaced : []);
			}
		}),
		{ numRuns: runs(60) },
	);
}
