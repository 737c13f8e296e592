import type { IDataObject, INode, INodeParameters, IRun } from 'n8n-workflow';

import { callsOf, collecting, collectingInLoop, useSandboxInTime } from './collecting';
import { errorOf, hints, items, runWorkflow } from './harness';
import type { Scenario } from './harness';
import { resumeByTimer, resumeByUrl } from './resume';
import { time } from './virtualClock';

const sandbox = useSandboxInTime();

const GOOD = '4006381333931';
const ALSO_GOOD = '9780201379624';
const MISTYPED = '4006381333932';
const BY_GTIN: INodeParameters = { lookupKey: 'gtin', values: '={{ $json.gtin }}' };

/** A sheet with one row per cell. */
const sheet = (...cells: unknown[]): IDataObject[] =>
	cells.map((gtin, index) => ({
		id: String.fromCharCode(97 + index),
		gtin: gtin as IDataObject[string],
	}));

const SHEET = sheet(GOOD, '', MISTYPED, `${ALSO_GOOD}\n4.00638E+12\n${GOOD}`, `${GOOD}, ${ALSO_GOOD}`, null);

const BLANK = 'not looked up: GTINs is empty; expected is one value per line';
const REASONS = {
	mistyped: `not looked up: "${MISTYPED}" is not a valid GTIN: its check digit is wrong, so there is a typing error in it; expected is one GTIN per line`,
	shortened:
		'not looked up: "4.00638E+12" is a number that a spreadsheet has shortened, so its last digits are missing; expected is one GTIN per line, with all its digits',
	list: `not looked up: "${GOOD}, ${ALSO_GOOD}" is a list of 2 numbers on one line; expected is one value per line`,
};

/** Every row of the sheet, in its order. */
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

const rowsIn = (rows: IDataObject[]) =>
	rows.map(({ linked, value, success, reason }) => [linked, value, success, reason]);
const doneRows = (run: IRun | undefined) => (run === undefined ? [] : rowsIn(items(run, 'Done')));
const hintsOf = (run: IRun, node = 'Prices', round = 0) =>
	hints(run, node, round).map(({ message }) => message);
const sentValues = () =>
	sandbox.requests.flatMap(({ method, body }) =>
		method === 'POST' ? [(JSON.parse(String(body)) as IDataObject).values] : [],
	);

const scene = (input: IDataObject[], parameters: INodeParameters = {}, more: Partial<INode> = {}) =>
	collecting(sandbox, input, { ...BY_GTIN, ...parameters }, more);

describe('a blank cell or a wrong GTIN in a sheet', () => {
	it('becomes a row with the reason, linked to its item, and the other values go on', async () => {
		const run = await runWorkflow(scene(SHEET));
		expect(errorOf(run)).toBeUndefined();
		expect(doneRows(run)).toEqual(ROWS);
		expect(sentValues()).toEqual([`${GOOD}\n${ALSO_GOOD}`]);
		expect(hintsOf(run)).toContain(HINT);
		expect(items(run, 'Done')[1]).toMatchObject({
			...{ job_id: null, topic: 'product_and_offers', source: 'google_shopping', country: 'de' },
			...{ key: 'gtin', value: null, success: false, found: false, best_price: null, name: null },
		});
		expect(Object.keys(items(run, 'Done')[2] ?? {}).slice(0, 4)).toEqual([
			'value',
			'found',
			'name',
			'best_price',
		]);
	});

	it.each(['results', 'entries'])('has the structure of the service in raw %s', async (output) => {
		const run = await runWorkflow(scene(sheet(GOOD, MISTYPED), { output, columns: 'raw' }));
		expect(items(run, 'Done').filter(({ linked }) => linked === 'b')).toEqual([
			{
				...{ linked: 'b', job_id: null, status: null, success: false, found: false },
				query: {
					...{ topic: 'product_and_offers', source: 'google_shopping', country: 'de' },
					...{ key: 'gtin', value: MISTYPED },
				},
				reason: REASONS.mistyped,
			},
		]);
	});

	it('is one row among entries', async () => {
		const run = await runWorkflow(scene(sheet(MISTYPED, GOOD, ''), { output: 'entries' }));
		const rows = doneRows(run);
		expect(rows[0]).toEqual(['a', MISTYPED, false, REASONS.mistyped]);
		expect(rows.at(-1)).toEqual(['c', null, false, BLANK]);
		expect(rows.length).toBeGreaterThan(3);
		expect(new Set(rows.slice(1, -1).map(([linked]) => linked))).toEqual(new Set(['b']));
	});

	it('sends nothing where there is nothing else, not even with a suspending mode', async () => {
		for (const waitMode of ['poll', 'durable', 'webhook']) {
			const run = await runWorkflow(scene(sheet('', MISTYPED), { waitMode }));
			expect(run.data.waitTill).toBeUndefined();
			expect(doneRows(run)).toEqual([
				['a', null, false, BLANK],
				['b', MISTYPED, false, REASONS.mistyped],
			]);
			expect(hintsOf(run)).toEqual([
				`2 values were not sent and cost nothing (1 blank; 1 not valid: "${MISTYPED}"). Their rows say why.`,
			]);
		}
		expect(callsOf(sandbox)).toEqual({});
	});

	it('is left out with If a Lookup Fails set to Skip, and counted', async () => {
		const run = await runWorkflow(scene(SHEET, { options: { onFailedResult: 'skip' } }));
		expect(doneRows(run)).toEqual(ROWS.filter(([, , success]) => success));
		expect(hintsOf(run)).toContain(HINT.replace('Their rows say why.', 'They have no rows.'));
	});

	it('is sent where GTINs are not to be validated', async () => {
		await runWorkflow(scene(sheet(GOOD, MISTYPED), { options: { validateValues: false } }));
		expect(sentValues()).toEqual([`${GOOD}\n${MISTYPED}`]);
	});

	it.each([
		['If a Lookup Fails is Stop With Error', { options: { onFailedResult: 'error' } }],
		['the output has no rows', { output: 'job' }],
		['the output is a file', { output: 'file' }],
		['the output is the status', { output: 'status' }],
	])('fails its item as a whole where %s, before anything is sent', async (_why, parameters) => {
		const stopped = await runWorkflow(scene(sheet(GOOD, `${ALSO_GOOD}\n${MISTYPED}`), parameters));
		expect(errorOf(stopped)?.message).toBe(
			`"${MISTYPED}" is not a valid GTIN: its check digit is wrong, so there is a typing error in it`,
		);
		expect(callsOf(sandbox)).toEqual({});
		const more: Partial<INode> = { onError: 'continueErrorOutput' };
		const run = await runWorkflow(scene(sheet(GOOD, `${ALSO_GOOD}\n${MISTYPED}`, ''), parameters, more));
		expect(items(run, 'Done').map(({ linked }) => linked)).toEqual(['a']);
		expect(items(run, 'Failed')).toMatchObject([
			{ id: 'b', error: expect.stringContaining(`"${MISTYPED}" is not a valid GTIN`) },
			{ id: 'c', error: expect.stringContaining('GTINs is empty') },
		]);
		expect(sentValues()).toEqual([undefined]);
	});

	it('keeps its row where the job of its item cannot be created', async () => {
		sandbox.faults.add({
			match: { method: 'POST' },
			fault: { type: 'refusal', reason: 'no access', status: 403 },
		});
		const more: Partial<INode> = { onError: 'continueRegularOutput' };
		const run = await runWorkflow(scene(sheet(GOOD, ''), {}, more));
		expect(items(run, 'Done')).toMatchObject([
			{ linked: 'a', error: expect.any(String) },
			{ linked: 'b', value: null, reason: BLANK },
		]);
	});
});

describe('across a suspension', () => {
	const DURABLE = { ...BY_GTIN, options: { maxValuesPerJob: 1 } };

	async function throughTimers(scenario: Scenario, first: IRun): Promise<IRun> {
		let run = first;
		for (let timers = 0; run.data.waitTill !== undefined && timers < 20; timers++) {
			time.skip(new Date(run.data.waitTill).getTime() - Date.now() - time.skipped);
			run = await resumeByTimer(scenario, run);
		}
		return run;
	}

	it('a Wait node behind a timer gives out each row once, in the order of the values', async () => {
		sandbox.setOptions({ jobDurationMs: 200_000 });
		const scenario = collectingInLoop(sandbox, SHEET, BY_GTIN);
		const first = await runWorkflow(scenario);
		expect(first.data.waitTill).toBeInstanceOf(Date);
		const run = await throughTimers(scenario, first);
		const rows = doneRows(run);
		// Rows of items without a job stand behind those of the Still Running item that takes them along.
		expect(rows).toHaveLength(ROWS.length);
		expect([...rows].sort()).toEqual([...ROWS].sort());
		expect(rows.filter(([linked]) => linked === 'd')).toEqual(ROWS.filter(([linked]) => linked === 'd'));
		const round = (run.data.resultData.runData.Wait ?? []).length - 1;
		expect(hintsOf(run, 'Wait', round)).toContain(HINT);
	});

	it('a row goes with one job only where the jobs end one after the other', async () => {
		sandbox.setOptions({ jobDurationMs: 400_000 });
		const scenario = collectingInLoop(sandbox, SHEET, DURABLE);
		const first = await runWorkflow(scenario);
		expect(sandbox.jobs).toHaveLength(2);
		sandbox.finishJob(sandbox.jobs[0]?.job_id ?? '');
		const run = await throughTimers(scenario, first);
		const rows = [0, 1].flatMap((round) => rowsIn(items(run, 'Done', 0, round)));
		expect([...rows].sort()).toEqual([...ROWS].sort());
	});

	it('a Wait node without rows says what was not sent', async () => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const scenario = collectingInLoop(sandbox, sheet(GOOD, MISTYPED), BY_GTIN, { output: 'job' });
		const run = await throughTimers(scenario, await runWorkflow(scenario));
		const round = (run.data.resultData.runData.Wait ?? []).length - 1;
		expect(hintsOf(run, 'Wait', round)).toContain(
			`1 value was not sent and cost nothing (1 not valid: "${MISTYPED}"). They have no rows.`,
		);
	});

	it('a Wait node that stops at failed results fails for a value that was not sent', async () => {
		sandbox.setOptions({ jobDurationMs: 100_000 });
		const wait = { options: { onFailedResult: 'error' } };
		const scenario = collectingInLoop(sandbox, sheet(GOOD, ''), BY_GTIN, wait, {
			onError: 'continueErrorOutput',
		});
		const run = await throughTimers(scenario, await runWorkflow(scenario));
		expect(doneRows(run)).toEqual([['a', GOOD, true, null]]);
		expect(items(run, 'Failed')).toMatchObject([{ linked: 'b', error: `A value was ${BLANK}` }]);
	});

	it.each(['durable', 'webhook'])(
		'a %s run whose jobs nobody takes up lets its rows flow on at the timer',
		async (waitMode) => {
			sandbox.setOptions({ jobDurationMs: 2 ** 40, webhookDelayMs: 2 ** 30 });
			const scenario = scene(sheet(GOOD, MISTYPED, ''), { waitMode, waitOptions: { maxWait: 5 } });
			const run = await throughTimers(scenario, await runWorkflow(scenario));
			expect(items(run, 'Done')).toMatchObject([
				{ value: MISTYPED, success: false, reason: REASONS.mistyped },
				{ value: null, success: false, reason: BLANK },
			]);
			expect(items(run, 'Running')).toMatchObject([{ still_running: true }]);
		},
	);

	it('a run that a callback wakes gives out its rows', async () => {
		sandbox.setOptions({ jobDurationMs: 3_600_000, webhookDelayMs: 2 ** 30 });
		const scenario = scene(SHEET, { waitMode: 'webhook' });
		const run = await runWorkflow(scenario);
		expect(run.data.waitTill).toBeInstanceOf(Date);
		const [job] = sandbox.jobs;
		sandbox.finishJob(job?.job_id ?? '');
		const woken = await resumeByUrl(scenario, run, String(job?.webhookUrl), {
			body: { job_id: job?.job_id },
		});
		const resumed = woken.status === 200 ? woken.run : undefined;
		expect(doneRows(resumed)).toEqual(ROWS);
		expect(resumed && hintsOf(resumed)).toContain(HINT);
	});

	it('a run that no callback wakes leaves them to the Wait node behind Still Running', async () => {
		sandbox.setOptions({ jobDurationMs: 300_000, webhookDelayMs: 2 ** 30 });
		const scenario = collectingInLoop(sandbox, SHEET, { ...BY_GTIN, waitMode: 'webhook' });
		const run = await throughTimers(scenario, await runWorkflow(scenario));
		expect([...doneRows(run)].sort()).toEqual([...ROWS].sort());
	});
});
