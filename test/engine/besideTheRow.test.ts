import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SCALE } from '../runs';
import { collecting, collectingInLoop, useSandboxInTime } from './collecting';
import { allItems, errorOf, runWorkflow, said, type Scenario } from './harness';
import { resumeByUrl, saved, throughTimers } from './resume';
import { time } from './virtualClock';

const sandbox = useSandboxInTime();

/** How a user waits. Of the suspending modes one has a node behind Still Running, and one has none. */
const MODES = ['poll', 'durable', 'webhook', 'webhook that is lost'] as const;
type Mode = (typeof MODES)[number];

const MAIN =
	'value found name best_price best_total best_currency best_shop best_condition best_url reason'.split(
		' ',
	);
const COMPARISON =
	'own_price price_gap price_gap_percent price_rank previous_price price_change price_change_percent';

/** With the defaults of a user, but for what is named. */
function scene(mode: Mode, input: IDataObject[], parameters: INodeParameters = {}): Scenario {
	const wanted = { columns: 'main', waitMode: mode.split(' ')[0], ...parameters };
	if (mode === 'poll' || mode === 'webhook') return collecting(sandbox, input, wanted);
	return collectingInLoop(sandbox, input, wanted);
}

/** The rows of a run that goes on as its mode has it, with those of every round. */
async function rowsOf(mode: Mode, input: IDataObject[], parameters: INodeParameters = {}) {
	const slow = mode === 'poll' ? 10_000 : 3_600_000;
	sandbox.setOptions({ jobDurationMs: slow, webhookDelayMs: 2 ** 30 });
	const before = sandbox.jobs.length;
	const scenario = scene(mode, input, parameters);
	let run = await runWorkflow(scenario);
	const suspended = run;
	if (mode === 'webhook' && run.data.waitTill !== undefined) {
		time.skip(3_600_000);
		const [{ job_id, webhookUrl } = { job_id: '', webhookUrl: '' }] = sandbox.jobs.slice(before);
		const reply = await resumeByUrl(scenario, run, String(webhookUrl), { body: { job_id } });
		run = 'run' in reply && reply.run ? reply.run : run;
	}
	run = await throughTimers(scenario, run, 40);
	expect(errorOf(run)).toBeUndefined();
	const nodes = mode === 'poll' || mode === 'webhook' ? ['Prices'] : ['Prices', 'Wait'];
	const rows = nodes.flatMap((name) => allItems(run, name));
	return { rows, run, suspended };
}

it.each(MODES)('input fields do not make the suspended execution larger: %s', async (mode) => {
	const note = 'a text of the sheet that nobody needs twice';
	const { suspended } = await rowsOf(mode, [{ term: 'kettle', note }]);
	expect(suspended.data.waitTill !== undefined).toBe(mode !== 'poll');
	expect(saved(suspended).split(note)).toHaveLength(2);
});

describe('input fields', () => {
	it('are not those of an item that only names a job', async () => {
		const [{ job_id: jobId } = {}] = (await rowsOf('poll', [{ term: 'kettle' }], { columns: 'all' }))
			.rows;
		for (const operation of ['wait', 'download']) {
			const named = { operation, jobId: '={{ $json.job }}' };
			const { rows } = await rowsOf('poll', [{ sku: 'K-1', job: jobId }], named);
			expect(rows.map((row) => Object.keys(row))).toEqual([MAIN]);
		}
	});
});

describe('hints on prices', () => {
	it('count those that are missing or unclear', async () => {
		const prices = ['1.299', null, [3], '0', '-5', '12,90 €', '5 USD', { price: 3 }];
		const input = prices.map((price) => ({ term: 'kettle', price })) as IDataObject[];
		const bestPriceOptions = { ownPrice: '={{ $json.price }}' };
		const { rows, run } = await rowsOf('poll', input, { bestPriceOptions });
		expect(rows.map(({ own_price }) => own_price)).toEqual([
			...[null, null, null, null, null, 12.9, null, null],
		]);
		expect(said(run)).toContain(
			'In 7 rows Own Price is missing, or is no amount above 0 in the currency of the best price, such as "1.299", "[3]", "0", "-5", "5 USD", "{"price":3}", so there is no gap.',
		);
	});
});

/** The columns that are updated in the place of the item's, as the contract names them. */
const ANSWERS = new Set([
	...['found', 'success', 'reason', 'priced_offers', 'own_price', 'previous_price', 'price_gap'],
	...['price_gap_percent', 'price_rank', 'price_change', 'price_change_percent', 'best_price'],
	...['best_total', 'best_currency', 'best_shop', 'best_condition', 'best_url'],
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

/** Cents in the ways in which sheets have them. */
const SPELLINGS: Array<(cents: number) => unknown> = [
	(cents) => cents / 100,
	(cents) => (cents / 100).toFixed(2),
	(cents) => `${(cents / 100).toFixed(2).replace('.', ',')} €`,
	(cents) => `EUR ${(cents / 100).toFixed(2)}`,
	(cents) => ` ${(cents / 100).toFixed(2)} `,
	// What binary fractions leave of a sum.
	(cents) => (cents / 100) * (1 + Number.EPSILON),
];

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
	cents: fc.integer({ min: 1, max: 200_000 }),
	spelling: fc.constantFrom(...SPELLINGS),
	previous: fc.option(fc.integer({ min: 1, max: 200_000 })),
});

/** A part of a whole in hundredths of percent, halves away from zero, by long division. */
function percent(part: number, whole: number): number {
	const twice = BigInt(Math.abs(part)) * 20_000n + BigInt(whole);
	const hundredths = Number(twice / (2n * BigInt(whole)));
	return hundredths === 0 ? 0 : (Math.sign(part) * hundredths) / 100;
}

/** How many new offers in the currency of the best price are cheaper. */
function cheaperThan(cents: number, { offers, best_currency }: IDataObject): number {
	return (offers as IDataObject[]).filter(
		({ price, currency, condition_code }) =>
			price !== null &&
			currency === best_currency &&
			(condition_code ?? 'new') === 'new' &&
			Math.round(Number(price) * 100) < cents,
	).length;
}

it('random sheets come back as the contract says, in every mode, and do not grow when they are written back', async () => {
	const bestPriceOptions = { ownPrice: '={{ $json.mine }}', previousPrice: '={{ $json.last }}' };
	let compared = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(item, { minLength: 1, maxLength: 4 }),
			fc.constantFrom(...MODES),
			async (sheet, mode) => {
				sandbox.reset();
				const input = sheet.map(({ fields, term, cents, spelling, previous }) => {
					const row = { term, mine: spelling(cents), last: previous && previous / 100 };
					return Object.fromEntries([...fields, ...Object.entries(row)]) as IDataObject;
				});
				const bare = await rowsOf('poll', input, {
					...{ columns: 'all', options: { includeInputFields: false }, bestPriceOptions },
				});
				const { rows } = await rowsOf(mode, input, { bestPriceOptions });
				const columns = [...MAIN.slice(0, -1), ...COMPARISON.split(' '), 'reason'];
				let place = 0;
				for (const [index, given] of input.entries()) {
					const values = Math.max(1, String(given.term).split('\n').filter(Boolean).length);
					for (let value = 0; value < values; value++) {
						const all = bare.rows[place] ?? {};
						const main = Object.fromEntries(columns.map((name) => [name, all[name] ?? null]));
						expect(Object.entries(rows[place] ?? {})).toEqual(merged(given, main as IDataObject));
						const { cents = 0, previous = null } = sheet[index] ?? {};
						if (main.best_price !== null) {
							const best = Math.round(Number(main.best_price) * 100);
							expect(main).toMatchObject({
								own_price: cents / 100,
								price_gap: (cents - best) / 100,
								price_gap_percent: percent(cents - best, best),
								price_rank: 1 + cheaperThan(cents, all),
								price_change: previous === null ? null : (best - previous) / 100,
								price_change_percent:
									previous === null ? null : percent(best - previous, previous),
							});
							compared++;
						}
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
	expect(compared).toBeGreaterThan(0);
});
