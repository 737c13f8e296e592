import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SCALE } from '../../support/runs';
import { collecting, collectingInLoop, useCollecting } from '../support/collecting';
import { allItems, rounds, said } from '../support/harness';
import { saved } from '../support/resume';
import { time } from '../support/virtualClock';

const { sandbox, play } = useCollecting();

/** How a user waits. Only "durable" and "webhook that is lost" have a Wait node behind Still Running. */
const MODES = ['poll', 'durable', 'webhook', 'webhook that is lost'] as const;
type Mode = (typeof MODES)[number];

const MAIN =
	'value found name best_price best_total best_currency best_shop best_availability best_url reason'.split(
		' ',
	);
const BEST = MAIN.slice(3, -1);
const ABOUT = ['result_reason', 'result_name', 'result_found', 'result_value'];
/** The same columns beside input fields, where the best price comes first. */
const MAIN_BESIDE = [...BEST, ...ABOUT];
const COMPARISON = 'price_gap price_gap_percent price_rank price_change price_change_percent'.split(' ');

/** The rows of all rounds of a run in this mode, with a user's defaults except for the given parameters. */
async function rowsOf(mode: Mode, input: IDataObject[], parameters: INodeParameters = {}) {
	const isLoop = mode === 'durable' || mode === 'webhook that is lost';
	const slow = mode === 'poll' ? 10_000 : 3_600_000;
	sandbox.setOptions({ jobDurationMs: slow, webhookDelayMs: 2 ** 30 });
	const before = sandbox.jobs.length;
	const wanted = { columns: 'main', waitMode: mode.split(' ')[0], ...parameters };
	const scene = isLoop
		? collectingInLoop(sandbox, input, wanted, parameters)
		: collecting(sandbox, input, wanted);
	const suspended = await play(scene);
	const isCalled = mode === 'webhook' && suspended.isAsleep;
	if (isCalled) time.skip(3_600_000);
	const woken = isCalled ? await suspended.callBack(before) : suspended;
	const { run, error } = await woken.throughTimers(40);
	expect(error).toBe('');
	const rows = ['Prices', ...(isLoop ? ['Wait'] : [])].flatMap((name) => allItems(run, name));
	const last = isLoop ? 'Wait' : 'Prices';
	return { rows, suspended, hints: said(run, last, rounds(run, last) - 1) };
}

it.each(MODES)('input fields do not make the suspended execution larger: %s', async (mode) => {
	const note = 'a text of the sheet that nobody needs twice';
	const { suspended } = await rowsOf(mode, [{ term: 'kettle', note }]);
	expect(suspended.isAsleep).toBe(mode !== 'poll');
	expect(saved(suspended.run).split(note)).toHaveLength(2);
});

it.each(MODES)(
	'only the input fields that are wanted are included, under the same names: %s',
	async (mode) => {
		const input = [
			...[
				{
					'sku ': 'K-1',
					term: 'kettle',
					'Price, EUR': 5,
					row_number: 2,
					formula: '=1+1',
					best_price: 9.9,
				},
			],
		];
		const options = { inputFields: ['row_number', 'Price, EUR', 'sku ', 'sku', 'missing'] };
		const { rows, hints } = await rowsOf(mode, input, { options });
		const [row = {}] = rows;
		expect(Object.keys(row)).toEqual(['sku ', 'Price, EUR', 'row_number', ...MAIN_BESIDE]);
		expect(row).toMatchObject({ 'sku ': 'K-1', row_number: 2, result_value: 'kettle' });
		expect(hints).toContain(
			'No item has the fields "sku", "missing", chosen in Input Fields. Available: "sku ", term, "Price, EUR", row_number, formula, best_price.',
		);
	},
);

it('says which columns of the sheet the answers replace, before they have been written once', async () => {
	const mine = {
		term: 'kettle',
		best_price: 12,
		reason: 'cheap',
		found: 'shelf 3',
		success: 'yes',
		name: 'my kettle',
	};
	const first = await rowsOf('poll', [mine]);
	const said =
		'The items already had a filled column best_price, which this node overwrites. To keep the old values, rename the column.';
	expect(first.hints).toContain(said);
	expect(first.rows).toMatchObject([
		{ reason: 'cheap', found: 'shelf 3', success: 'yes', name: 'my kettle' },
	]);
	const second = await rowsOf('poll', first.rows);
	expect(second.hints).not.toContain(said);
	expect(Object.keys(second.rows[0] ?? {})).toEqual(Object.keys(first.rows[0] ?? {}));
});

it('input fields are not those of an item that only names a job', async () => {
	const [row] = (await rowsOf('poll', [{ term: 'kettle' }], { columns: 'all' })).rows;
	for (const operation of ['wait', 'download']) {
		const named = { operation, jobId: '={{ $json.job }}' };
		const { rows } = await rowsOf('poll', [{ sku: 'K-1', job: row?.result_job_id }], named);
		// Download has no input fields, so its columns have their plain names.
		const columns = operation === 'wait' ? MAIN_BESIDE : MAIN;
		expect(rows.map((one) => Object.keys(one))).toEqual([columns]);
	}
});

/** Hints about cells name the option Empty Values. */
const saidOfCells = (hints: string[]) => hints.filter((hint) => hint.includes('Empty Values'));

describe('the names of the columns', () => {
	const CHOSEN: INodeParameters = {
		columns: 'selected',
		fields: ['value', 'name', 'best_price', 'job_id', 'nowhere'],
	};
	it.each<[string, INodeParameters, string]>([
		['main', {}, MAIN_BESIDE.join(' ')],
		['selected', CHOSEN, 'result_value result_name best_price result_job_id result_nowhere'],
		[
			'main of offers',
			{ output: 'entries' },
			`result_price result_price_with_shipping result_currency result_shop_name result_condition_text result_url ${ABOUT.join(' ')}`,
		],
	])('are the same every day, whatever the sheet has: %s', async (_name, parameters, columns) => {
		const once = (await rowsOf('poll', [{ sku: 'K-1', term: 'kettle' }], parameters)).rows;
		const again = (await rowsOf('poll', once.slice(0, 1), parameters)).rows;
		for (const row of [...once, ...again]) expect(Object.keys(row).join(' ')).toBe(`sku term ${columns}`);
		// The sheet already has columns with these names, and they stay as they are.
		const own = {
			...{ value: 'mine', name: 'my kettle', price: '1', term: 'kettle' },
			...{ found: 'a', reason: 'b', success: 'c', own_price: 'd', previous_price: 'e' },
		};
		const mine = { ...own, best_price: 1 };
		const [row] = (await rowsOf('poll', [mine], parameters)).rows;
		expect(row).toMatchObject(own);
		expect(Object.keys(row ?? {}).slice(0, 10)).toEqual(Object.keys(mine));
	});

	it.each<[string, INodeParameters]>([
		['input fields are not included', { options: { includeInputFields: false } }],
		['they are raw', { columns: 'raw' }],
	])('are as they are where %s', async (_name, parameters) => {
		const [row] = (await rowsOf('poll', [{ term: 'kettle' }], parameters)).rows;
		expect(Object.keys(row ?? {}).filter((name) => name.startsWith('result_'))).toEqual([]);
		expect(row).not.toHaveProperty('term');
	});

	it('are the same in rows that are linked to several items', async () => {
		sandbox.setOptions({ valueEcho: 'nothing' });
		const { rows } = await rowsOf('poll', [{ term: 'kettle' }, { term: 'mug' }]);
		expect(rows.map((row) => Object.keys(row))).toEqual([
			...[['term', ...MAIN_BESIDE], ['term', ...MAIN_BESIDE], MAIN_BESIDE, MAIN_BESIDE],
		]);
	});
});

describe('where there is no answer any more', () => {
	const fields = ['value', 'found', 'name', 'best_price', 'best_shop', 'reason'];
	const chosen: INodeParameters = { columns: 'selected', fields };
	const sheet: IDataObject[] = [
		{ term: 'notfound-x', best_price: 9.9, best_shop: 'A', note: null },
		{ term: 'kettle', best_price: 9.9, result_reason: 'not found yesterday' },
		{ term: 'fail-no-access', best_price: 9.9, result_reason: 'no access yesterday' },
		{ term: 'notfound-y', best_price: '', result_reason: null },
		{ term: 'mug' },
	];
	/** Masks what the sandbox invents. */
	const known = (row: IDataObject) => {
		const invented = ['result_name', 'best_price', 'best_shop'].filter(
			(name) => row.result_found && row[name],
		);
		return { ...row, ...Object.fromEntries(invented.map((name) => [name, '…'])) };
	};
	const rowsWith = (empty: '' | null): IDataObject[] => {
		const missing = { result_found: false, result_name: empty, best_price: empty, best_shop: empty };
		const there = {
			...{ result_found: true, result_name: '…', best_price: '…', best_shop: '…' },
			result_reason: empty,
		};
		return [
			{
				...{ term: 'notfound-x', note: null, result_value: 'notfound-x', ...missing },
				result_reason: 'not found',
			},
			{ term: 'kettle', result_value: 'kettle', ...there },
			{
				term: 'fail-no-access',
				result_value: 'fail-no-access',
				...missing,
				result_reason: 'no access',
			},
			{ term: 'notfound-y', result_value: 'notfound-y', ...missing, result_reason: 'not found' },
			{ term: 'mug', result_value: 'mug', ...there },
		];
	};

	it.each(MODES)('columns are null by default, and one hint counts the items: %s', async (mode) => {
		const { rows, hints } = await rowsOf(mode, sheet, chosen);
		expect(rows.map(known)).toEqual(rowsWith(null));
		expect(saidOfCells(hints)).toEqual([
			'3 items had a best price or a reason before and have none now. If these rows go to Google Sheets or Excel, the old one stays in its cell: set Empty Values to Empty Text in the options. A data table needs Null.',
		]);
	});

	it.each(MODES)('columns are an empty text if wanted, which clears cells: %s', async (mode) => {
		const options = { emptyValues: 'emptyText' };
		const { rows, hints } = await rowsOf(mode, sheet, { ...chosen, options });
		expect(rows.map(known)).toEqual(rowsWith(''));
		expect(saidOfCells(hints)).toEqual([]);
	});

	it.each<[string, INodeParameters, IDataObject[]]>([
		['nothing was there before', chosen, [{ term: 'notfound-x', best_price: null, result_reason: '' }]],
		['the column is not chosen', { ...chosen, fields: ['found'] }, sheet],
		['input fields are not included', { options: { includeInputFields: false } }, sheet],
	])('no hint says so where %s', async (_name, parameters, input) => {
		const { hints } = await rowsOf('poll', input, parameters);
		expect(saidOfCells(hints)).toEqual([]);
	});

	it('an item counts once, however many rows it has', async () => {
		const [kettle] = sheet.slice(1);
		const { rows, hints } = await rowsOf('poll', [{ ...kettle, term: 'kettle\nmug' }], {
			output: 'entries',
		});
		expect(rows.length).toBeGreaterThan(2);
		expect(saidOfCells(hints)).toEqual([expect.stringMatching(/^1 item had .* and has none now\./)]);
	});

	it('columns are null where they do not stand beside input fields', async () => {
		const options = { emptyValues: 'emptyText', includeInputFields: false };
		const { rows } = await rowsOf('poll', [{ term: 'notfound-x' }], { options });
		expect(rows).toMatchObject([{ best_price: null, reason: 'not found' }]);
	});
});

/** Columns that replace the item's column of the same name, as the contract lists them. */
const KEPT = new Set([...BEST, ...COMPARISON, 'best_condition', 'priced_offers']);

/** The naming rule again, as plainly as possible. */
function merged(input: IDataObject, row: IDataObject): Array<[string, unknown]> {
	const pairs = Object.entries(input);
	for (const [column, value] of Object.entries(row)) {
		const name = KEPT.has(column) ? column : `result_${column}`;
		const place = pairs.findIndex(([other]) => other === name);
		if (place < 0) pairs.push([name, value]);
		else pairs[place] = [name, value];
	}
	return pairs;
}

const fieldName = fc.oneof(
	fc.constantFrom('value', 'name', 'found', 'reason', 'success', 'best_price', 'result_name'),
	fc.constantFrom('result_value', 'result_reason', 'previous_price', 'price_gap'),
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
	// `unit/rows/comparison` tests what becomes of the prices.
	mine: fc.constantFrom<IDataObject[string]>(12.9, '1.299,00 €', 'on request', null),
	last: fc.option(fc.integer({ min: 1, max: 2_000 })),
});

it('random sheets come back as the contract says, in every mode, and do not grow when they are written back', async () => {
	const prices = { ownPrice: '={{ $json.mine }}', previousPrice: '={{ $json.last }}' };
	await fc.assert(
		fc.asyncProperty(
			fc.array(item, { minLength: 1, maxLength: 4 }),
			fc.constantFrom(...MODES),
			async (sheet, mode) => {
				sandbox.reset();
				const input = sheet.map(({ fields, ...row }) => ({ ...Object.fromEntries(fields), ...row }));
				const bare = await rowsOf('poll', input, {
					...{ columns: 'all', options: { includeInputFields: false }, ...prices },
				});
				const { rows } = await rowsOf(mode, input, prices);
				const columns = [...BEST, ...COMPARISON, 'reason', 'name', 'found', 'value'];
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
				const again = (await rowsOf('poll', rows, prices)).rows;
				const third = (await rowsOf('poll', again, prices)).rows;
				// A two-line cell gives two rows that both keep it, so the next run looks it up twice. The columns
				// stay.
				const columnsOf = (all: IDataObject[]) => new Set(all.map((row) => Object.keys(row).join()));
				expect(columnsOf(again)).toEqual(columnsOf(rows));
				expect(columnsOf(third)).toEqual(columnsOf(rows));
			},
		),
		// Each case runs the workflow four times.
		{ numRuns: Math.ceil(25 * SCALE) },
	);
});
