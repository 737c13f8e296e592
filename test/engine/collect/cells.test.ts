import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { callsOf, useCollecting, type Outcome } from '../support/collecting';
import { rounds, said } from '../support/harness';

const { sandbox, collect: collectAny, collectInLoop, fail } = useCollecting();

const GOOD = '4006381333931';
const ALSO_GOOD = '9780201379624';
const MISTYPED = '4006381333932';
const BY_GTIN: INodeParameters = { lookupKey: 'gtin' };
const GOES_ON: Partial<INode> = { onError: 'continueErrorOutput' };

const SHEET = [GOOD, '', MISTYPED, `${ALSO_GOOD}\n4.00638E+12\n${GOOD}`, `${GOOD}, ${ALSO_GOOD}`, null];

const BLANK = 'not looked up: no GTIN in this row';
const REASONS = {
	mistyped: `not looked up: "${MISTYPED}" is not a valid GTIN: its check digit is wrong, probably a typing error. Correct it, or switch off Check GTINs in the options.`,
	shortened:
		'not looked up: "4.00638E+12" is a number that a spreadsheet has shortened, so its last digits are missing. Format the column of the sheet as text and enter the GTIN again.',
	list: `not looked up: "${GOOD}, ${ALSO_GOOD}" is a list of 2 numbers on one line. Put one in each row.`,
};

/** The expected rows, in the order of the sheet. */
const ROWS: Array<[string, string | null, boolean, string | null]> = [
	['a', GOOD, true, null],
	['b', null, false, BLANK],
	['c', MISTYPED, false, REASONS.mistyped],
	['d', ALSO_GOOD, true, null],
	['d', '4.00638E+12', false, REASONS.shortened],
	['d', GOOD, true, null],
	['e', `${GOOD}, ${ALSO_GOOD}`, false, REASONS.list],
	['f', null, false, BLANK],
];
const HINT = `5 values were not sent and cost nothing (2 blank; 3 not valid: "${MISTYPED}", "4.00638E+12", "${GOOD}, ${ALSO_GOOD}"). Their rows say why.`;

const rowsOf = ({ done }: Outcome) =>
	done.map(({ linked, value, success, reason }) => [linked, value, success, reason]);
const sentBodies = () =>
	sandbox.requests.flatMap(({ method, body }) =>
		method === 'POST' ? [JSON.parse(String(body)) as IDataObject] : [],
	);
const sentValues = () => sentBodies().map(({ values }) => values);
const collect = async (cells: unknown[], parameters: INodeParameters = {}, more: Partial<INode> = {}) =>
	await collectAny(cells, { ...BY_GTIN, ...parameters }, more);

describe('a blank cell or a wrong GTIN in a sheet', () => {
	it('becomes a row with the reason, linked to its item, and the other values go on', async () => {
		const run = await collect(SHEET);
		expect(rowsOf(run)).toEqual(ROWS);
		expect(sentValues()).toEqual([`${GOOD}\n${ALSO_GOOD}`]);
		expect(run.hints).toContain(HINT);
		expect(run.done[1]).toMatchObject({
			...{ job_id: null, topic: 'product_and_offers', source: 'google_shopping', country: 'de' },
			...{ key: 'gtin', value: null, success: false, found: false, best_price: null, name: null },
		});
		expect(Object.keys(run.done[2] ?? {}).slice(0, 4)).toEqual(['value', 'found', 'name', 'best_price']);
	});

	it.each(['poll', 'durable', 'webhook'])(
		'sends nothing where there is nothing else: %s',
		async (waitMode) => {
			const run = await collect(['', MISTYPED], { waitMode });
			expect(run.isAsleep).toBe(false);
			expect(rowsOf(run)).toEqual([
				['a', null, false, BLANK],
				['b', MISTYPED, false, REASONS.mistyped],
			]);
			expect(run.hints).toEqual([
				`2 values were not sent and cost nothing (1 blank; 1 not valid: "${MISTYPED}"). Their rows say why.`,
			]);
			expect(callsOf(sandbox)).toEqual({});
		},
	);

	it.each([
		['If a Lookup Fails is Stop With Error', { options: { onFailedResult: 'error' } }],
		...['job', 'file', 'status'].map((output): [string, INodeParameters] => [
			`the output is ${output}`,
			{ output },
		]),
	])('fails its item as a whole where %s, before anything is sent', async (_why, parameters) => {
		const cells = [GOOD, `${ALSO_GOOD}\n${MISTYPED}`];
		const invalid = expect.stringContaining(
			`"${MISTYPED}" is not a valid GTIN: its check digit is wrong`,
		);
		expect((await collect(cells, parameters)).error).toEqual(invalid);
		expect(callsOf(sandbox)).toEqual({});
		const { done, failed } = await collect([...cells, ''], parameters, GOES_ON);
		expect(done.map(({ linked }) => linked)).toEqual(['a']);
		expect(failed).toMatchObject([
			{ id: 'b', error: invalid },
			{ id: 'c', error: expect.stringContaining('GTINs is empty') },
		]);
		expect(sentValues()).toEqual([undefined]);
	});

	it('keeps its row where the job of its item cannot be created', async () => {
		fail('create', { type: 'refusal', reason: 'no access', status: 403 });
		const { done } = await collect([GOOD, ''], {}, { onError: 'continueRegularOutput' });
		expect(done).toMatchObject([
			{ linked: 'a', error: expect.any(String) },
			{ linked: 'b', value: null, reason: BLANK },
		]);
	});
});

it('sends a GTIN as people have it in plain digits, and gives an error of the sheet a row', async () => {
	const cells = ["'4006381333931", 'EAN: 4\u00a0006381\u2011333931', '9.780201379624E+12'];
	const run = await collect([...cells, '#N/A', 'Loading...', '0-201-75041-4']);
	const unsent = [
		['d', '#N/A', 'not looked up: "#N/A" is an error in the sheet. Correct it.'],
		['e', 'Loading...', 'not looked up: "Loading..." is an error in the sheet. Correct it.'],
		[
			'f',
			'0-201-75041-4',
			'not looked up: "0-201-75041-4" is an ISBN-10. Use the ISBN-13 of the same book.',
		],
	];
	expect(rowsOf(run)).toEqual([
		['a', GOOD, true, null],
		['b', GOOD, true, null],
		['c', ALSO_GOOD, true, null],
		...unsent.map(([linked, value, reason]) => [linked, value, false, reason]),
	]);
	expect(sentValues()).toEqual([`${GOOD}\n${ALSO_GOOD}`]);
});

describe('a GTIN whose leading zeros a spreadsheet has dropped', () => {
	it.each(['padded', 'stripped', 'asSent'] as const)(
		'is one value with the correct one, sent with all its digits, and each row keeps its own: echo %s',
		async (gtinEcho) => {
			sandbox.setOptions({ gtinEcho });
			const run = await collect(['84123458184', '084123458184', 1234565]);
			expect(rowsOf(run)).toEqual([
				['a', '84123458184', true, null],
				['b', '084123458184', true, null],
				['c', '1234565', true, null],
			]);
			expect(sentValues()).toEqual(['084123458184\n01234565']);
		},
	);

	it('is filled up alone as well, but no text that is not a GTIN is, and no other key', async () => {
		const sent = async (cell: string, parameters: INodeParameters = {}) => {
			sandbox.clearRequests();
			await collect([cell], parameters);
			return sentBodies().map(({ value }) => value);
		};
		const unchecked = { options: { validateValues: false } };
		expect(await sent('84123458184')).toEqual(['084123458184']);
		expect(await sent('84123458184', unchecked)).toEqual(['084123458184']);
		expect(await sent('84123458185', unchecked)).toEqual(['84123458185']);
		expect(await sent('84123458184', { lookupKey: 'id' })).toEqual(['84123458184']);
	});

	it('is none if there is nothing but zeros', async () => {
		const reason =
			'not looked up: "0000000000000" is not a valid GTIN: it consists of zeros. Correct it, or switch off Check GTINs in the options.';
		expect(rowsOf(await collect(['0000000000000']))).toEqual([['a', '0000000000000', false, reason]]);
		expect(sentBodies()).toEqual([]);
	});
});

describe('across a suspension', () => {
	const suspended = { jobDurationMs: 200_000, webhookDelayMs: 2 ** 30 };
	const lastHints = ({ run }: Outcome) => said(run, 'Wait', rounds(run, 'Wait') - 1);

	it('a Wait node behind a timer gives out each row once, in the order of the values', async () => {
		sandbox.setOptions(suspended);
		const run = await (await collectInLoop(SHEET, BY_GTIN)).throughTimers();
		const rows = rowsOf(run);
		// Rows of items without a job come after the rows of the Still Running item that carries them.
		expect([...rows].sort()).toEqual([...ROWS].sort());
		expect(rows.filter(([linked]) => linked === 'd')).toEqual(ROWS.filter(([linked]) => linked === 'd'));
		expect(lastHints(run)).toContain(HINT);
	});

	it('a Wait node that stops at failed results fails for a value that was not sent', async () => {
		sandbox.setOptions(suspended);
		const wait = { options: { onFailedResult: 'error' } };
		const run = await (await collectInLoop([GOOD, ''], BY_GTIN, wait, GOES_ON)).throughTimers();
		expect(rowsOf(run)).toEqual([['a', GOOD, true, null]]);
		expect(run.failed).toMatchObject([{ linked: 'b', error: `A value was ${BLANK}` }]);
	});

	it.each(['durable', 'webhook'])(
		'a %s run whose jobs nobody takes up lets its rows flow on at the timer',
		async (waitMode) => {
			sandbox.setOptions({ jobDurationMs: 2 ** 40, webhookDelayMs: 2 ** 30 });
			const parked = await collect([GOOD, MISTYPED, ''], { waitMode, waitOptions: { maxWait: 5 } });
			const { done, running } = await parked.throughTimers();
			expect(done).toMatchObject([
				{ value: MISTYPED, success: false, reason: REASONS.mistyped },
				{ value: null, success: false, reason: BLANK },
			]);
			expect(running).toMatchObject([{ still_running: true }]);
		},
	);
});
