import type { Cell } from '../../../fakes/office/spreadsheet';
import type { InspectedJob } from '../../../fakes/sandbox/inspection';
import { finishJob, sandbox } from '../harness/collecting';
import { createCredential, n8n, Outcome } from '../harness/e2e';
import { importExample, REAL_SOURCE, SHEET, type Market } from '../harness/examples';
import { dayOf, office, officeCredentials, onDay, sheetRows } from '../harness/office';
import { offer, product } from '../harness/products';

/** The example with thousands of products, whose execution sleeps, in nights with and without a callback. */

const NAME = '5000-products-overnight';

const GTINS = [
	...['4000000000013', '4000000000020', '4000000000037', '4000000000044', '4000000000051'],
	...['4000000000068', '4000000000075', '4000000000082', '4000000000099', '4000000000105'],
];
const [FIRST = '', , THIRD = '', , FIFTH = '', SIXTH = ''] = GTINS;

/** All products with one offer. The first costs `from` euros, each further one a euro more. */
function market(from: number, changes: Market = {}): Market {
	const all = GTINS.map((gtin, index) => [gtin, product('Product', offer(`${from + index}.00`, 'nord'))]);
	return { ...Object.fromEntries(all), ...changes };
}

/** Ten products in twelve rows: one appears twice, as a number and as a text, and one cell is empty. */
const PRODUCTS = [
	['sku', 'gtin'],
	...GTINS.map((gtin, index) => [`S-${index + 1}`, index === 0 ? Number(gtin) : gtin]),
	['S-11', FIRST],
	['S-12', ''],
];

const BLANK = 'not looked up: no GTIN in this row';

/** What each product's row says, and what is in the other tab and in the channel. */
async function seen() {
	const rows = await sheetRows(SHEET, 'Products');
	const { documents, channels } = await office();
	return {
		prices: rows.map(({ result_found, best_price, result_reason }) =>
			result_found === true ? best_price : result_reason,
		),
		failed: documents[SHEET]?.Failed?.slice(1),
		messages: channels.prices?.map(({ text }) => text),
	};
}

interface Night {
	/** When, in days. */
	at: number;
	market: Market;
	/** Before its owner has chosen a real source. */
	isTest?: boolean;
	/** No callback comes; n8n's timer does, ten hours later. */
	isCallLost?: boolean;
}

test('each night the sheet gets its prices, the tab what failed, and the channel one message', async () => {
	await office({
		documents: { [SHEET]: { Products: PRODUCTS, Failed: [['day', 'gtin', 'reason']] } },
		channels: { prices: [] },
	});
	const priceCollectionApi = await createCredential({ customizeService: true, maxValuesPerJob: 6 });
	const credentials = { ...(await officeCredentials()), priceCollectionApi };
	const { id: tried } = await importExample(NAME, { credentials });
	const { id: real } = await importExample(NAME, {
		credentials,
		edits: { 'Collect prices': REAL_SOURCE },
	});

	/** Runs the workflow, whose execution must sleep. Returns what was asked, the outcome, and its day. */
	async function run(night: Night) {
		await sandbox('POST', 'reset');
		const webhookLossEvery = night.isCallLost === true ? 1 : 0;
		await sandbox('POST', 'options', { market: night.market, autoFinish: false, webhookLossEvery });
		await onDay(night.at);
		const id = night.isTest === true ? tried : real;
		const before = await seen();
		const executionId = await n8n().startManually(id, 'Every evening');
		await n8n().waitForExecution(executionId, { until: ['waiting'] });
		expect(await seen()).toEqual(before);
		const jobs = await sandbox<InspectedJob[]>('GET', 'jobs');
		for (const { job_id } of jobs) await finishJob(job_id);
		if (night.isCallLost === true) await onDay(night.at + 10.1 / 24);
		const outcome = new Outcome(id, await n8n().waitForExecution(executionId));
		expect(outcome.error).toBeUndefined();
		const day = dayOf(outcome, 'Update row in sheet');
		return { asked: jobs.map(({ values }) => values), day, ...(await seen()) };
	}

	try {
		const changes: Market = {
			[THIRD]: 'collection failed',
			[FIFTH]: null,
			[SIXTH]: product('Sold out'),
		};
		const { day: day0, ...test } = await run({ at: 0, market: market(70, changes), isTest: true });
		const all = [GTINS.slice(0, 6), GTINS.slice(6)];
		const told = ['12 products checked, 2 of them failed.'];
		const failed: Cell[][] = [
			[day0, THIRD, 'test data; collection failed'],
			[day0, '', `test data; ${BLANK}`],
		];
		const ofTest = ['test data; collection failed', 73, 'test data; not found', ''];
		expect(test).toEqual({
			asked: all,
			prices: [70, 71, ...ofTest, 76, 77, 78, 79, 70, `test data; ${BLANK}`],
			failed,
			messages: told,
		});

		const { day: day1, ...first } = await run({ at: 0.05, market: market(10, changes) });
		told.push('12 products checked, 2 of them failed.');
		failed.push([day1, THIRD, 'collection failed'], [day1, '', BLANK]);
		const ofFirst = ['collection failed', 13, 'not found', ''];
		expect(first).toEqual({
			asked: all,
			prices: [10, 11, ...ofFirst, 16, 17, 18, 19, 10, BLANK],
			failed,
			messages: told,
		});

		const { day: day2, ...again } = await run({ at: 0.1, market: market(50) });
		told.push('2 products checked, 1 of them failed.');
		failed.push([day2, '', BLANK]);
		expect(again).toEqual({
			asked: [[THIRD]],
			prices: [10, 11, 52, 13, 'not found', '', 16, 17, 18, 19, 10, BLANK],
			failed,
			messages: told,
		});

		const blocked = market(20, { [FIRST]: 'blocked' });
		const { day: day3, ...second } = await run({ at: 1, market: blocked, isCallLost: true });
		told.push('12 products checked, 3 of them failed.');
		failed.push([day3, FIRST, 'blocked'], [day3, FIRST, 'blocked'], [day3, '', BLANK]);
		expect(second).toEqual({
			asked: all,
			prices: ['blocked', 21, 22, 23, 24, 25, 26, 27, 28, 29, 'blocked', BLANK],
			failed,
			messages: told,
		});

		// Its owner has filled in the empty cell.
		const { documents } = await office();
		documents[SHEET]?.Products?.[12]?.splice(1, 1, THIRD);
		await office({ documents });
		const third = await run({ at: 2, market: market(30, { [SIXTH]: product('Sold out') }) });
		told.push('12 products checked, 0 of them failed.');
		expect(third).toMatchObject({
			asked: all,
			prices: [30, 31, 32, 33, 34, '', 36, 37, 38, 39, 30, 32],
			failed,
			messages: told,
		});
	} finally {
		await sandbox('POST', 'reset');
		await onDay(0);
	}
});
