import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SCALE } from '../runs';
import { collecting, collectingInLoop, useCollecting } from './collecting';
import { allItems } from './harness';
import { saved } from './resume';
import { time } from './virtualClock';

const { sandbox, play } = useCollecting();

/** How a user waits. Of the suspending modes one has a node behind Still Running, and one has none. */
const MODES = ['poll', 'durable', 'webhook', 'webhook that is lost'] as const;
type Mode = (typeof MODES)[number];

const MAIN =
	'value found name best_price best_total best_currency best_shop best_availability best_url reason'.split(
		' ',
	);
const COMPARISON =
	'own_price price_gap price_gap_percent price_rank previous_price price_change price_change_percent';

/** The rows of a run that goes on as its mode has it, with those of every round. A user's defaults, but for what is named. */
async function rowsOf(mode: Mode, input: IDataObject[], parameters: INodeParameters = {}) {
	const isLoop = mode === 'durable' || mode === 'webhook that is lost';
	const slow = mode === 'poll' ? 10_000 : 3_600_000;
	sandbox.setOptions({ jobDurationMs: slow, webhookDelayMs: 2 ** 30 });
	const before = sandbox.jobs.length;
	const wanted = { columns: 'main', waitMode: mode.split(' ')[0], ...parameters };
	const suspended = await play((isLoop ? collectingInLoop : collecting)(sandbox, input, wanted));
	const isCalled = mode === 'webhook' && suspended.isAsleep;
	if (isCalled) time.skip(3_600_000);
	const woken = isCalled ? await suspended.callBack(before) : suspended;
	const { run, error } = await woken.throughTimers(40);
	expect(error).toBe('');
	const rows = ['Prices', ...(isLoop ? ['Wait'] : [])].flatMap((name) => allItems(run, name));
	return { rows, suspended };
}

it.each(MODES)('input fields do not make the suspended execution larger: %s', async (mode) => {
	const note = 'a text of the sheet that nobody needs twice';
	const { suspended } = await rowsOf(mode, [{ term: 'kettle', note }]);
	expect(suspended.isAsleep).toBe(mode !== 'poll');
	expect(saved(suspended.run).split(note)).toHaveLength(2);
});

it('input fields are not those of an item that only names a job', async () => {
	const [row] = (await rowsOf('poll', [{ term: 'kettle' }], { columns: 'all' })).rows;
	for (const operation of ['wait', 'download']) {
		const named = { operation, jobId: '={{ $json.job }}' };
		const { rows } = await rowsOf('poll', [{ sku: 'K-1', job: row?.job_id }], named);
		expect(rows.map((one) => Object.keys(one))).toEqual([MAIN]);
	}
});

/** The columns that are updated in the place of the item's, as the contract names them. */
const ANSWERS = new Set([
	...['found', 'success', 'reason', 'priced_offers', 'own_price', 'previous_price', 'price_gap'],
	...['price_gap_percent', 'price_rank', 'price_change', 'price_change_percent', 'best_price'],
	...['best_total', 'best_currency', 'best_shop', 'best_condition', 'best_availability', 'best_url'],
]);

/** The rule of equal names once more, as plainly as can be. */
function merged(input: IDataObject, row: IDataObject): Array<[string, unknown]> {
	const pairs = Object.entries(input);
	for (const [column, value] of Object.entries(row)) {
		const isInItem = Object.keys(input).includes(column);
		const name = isInItem && !ANSWERS.has(column) ? `result_${column}` : column;
		const place = pairs.findIndex(([other]) => other === name);
		if (place < 0) pairs.push([name, value]);
		else pairs[place] = [name, value];
	}
	return pairs;
}

const fieldName = fc.oneof(
	fc.constantFrom('value', 'name', 'found', 'reason', 'best_price', 'result_name', 'result_value'),
	fc.constantFrom('best_url', 'own_price', 'toString', '__proto__', 'constructor', 'a.b', '', '1'),
	fc.string({ maxLength: 6 }),
);
const fieldValue = fc.oneof(
	fc.constantFrom(null, true, 0, '', 'text'),
	fc.jsonValue({ maxDepth: 2 }),
) as fc.Arbitrary<IDataObject[string]>;
const item = fc.record({
	fields: fc.array(fc.tuple(fieldName, fieldValue), { maxLength: 6 }),
	term: fc.constantFrom('kettle', 'mug', 'notfound-x', 'fail-no-access', '', 'lid\nkettle'),
	// What becomes of the prices is `unit/output/comparison`.
	mine: fc.constantFrom<IDataObject[string]>(12.9, '1.299,00 €', 'on request', null),
	last: fc.option(fc.integer({ min: 1, max: 2_000 })),
});

it('random sheets come back as the contract says, in every mode, and do not grow when they are written back', async () => {
	const bestPriceOptions = { ownPrice: '={{ $json.mine }}', previousPrice: '={{ $json.last }}' };
	await fc.assert(
		fc.asyncProperty(
			fc.array(item, { minLength: 1, maxLength: 4 }),
			fc.constantFrom(...MODES),
			async (sheet, mode) => {
				sandbox.reset();
				const input = sheet.map(({ fields, ...row }) => ({ ...Object.fromEntries(fields), ...row }));
				const bare = await rowsOf('poll', input, {
					...{ columns: 'all', options: { includeInputFields: false }, bestPriceOptions },
				});
				const { rows } = await rowsOf(mode, input, { bestPriceOptions });
				const columns = [...MAIN.slice(0, -1), ...COMPARISON.split(' '), 'reason'];
				let place = 0;
				for (const given of input) {
					const values = Math.max(1, String(given.term).split('\n').filter(Boolean).length);
					for (let value = 0; value < values; value++) {
						const all = bare.rows[place] ?? {};
						const main = Object.fromEntries(columns.map((name) => [name, all[name] ?? null]));
						expect(Object.entries(rows[place] ?? {})).toEqual(merged(given, main as IDataObject));
						place++;
					}
				}
				expect(rows).toHaveLength(place);
				const again = (await rowsOf('poll', rows, { bestPriceOptions })).rows;
				const third = (await rowsOf('poll', again, { bestPriceOptions })).rows;
				const columnsOf = (all: IDataObject[]) => new Set(all.map((row) => Object.keys(row).join()));
				expect(columnsOf(third)).toEqual(columnsOf(again));
			},
		),
		// Each has four runs of all that a sheet can be.
		{ numRuns: Math.ceil(25 * SCALE) },
	);
});
