// Shows the package at work for two days: a real n8n with the packed package writes prices into a sheet, and on the
// next day reports in a channel what got cheaper. n8n's own Google Sheets and Slack nodes use a local office. The
// prices come from a sandbox, or from the test source of the service at PRICE_COLLECTION_BASE_URL, with the key in
// PRICE_COLLECTION_API_KEY. `--once` ends after the second day; otherwise the editor stays open until Ctrl-C.
import { spawnSync } from 'node:child_process';
import { ROOT, onStage } from '../test/support/stage.mjs';

const RUN_TIMEOUT_MS = 11 * 60_000;

/** What happens to two products of the sheet on the second day. */
const [SOLD_OUT, CHEAPER, FACTOR] = ['A-101', 'A-102', 0.92];

const COLUMNS = [
	'gtin',
	'price',
	// The gap compares with the total, the change with the last best price.
	'best_total',
	'price_gap',
	'best_shop',
	'best_price',
	'price_change',
	'result_reason',
];

function build() {
	const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`The build ended with code ${status}.\n${stdout}${stderr}`);
}

async function run({ client }, { id, start }) {
	const executionId = await client.startManually(id, start);
	const { data } = await client.waitForExecution(executionId, { timeoutMs: RUN_TIMEOUT_MS });
	const { error } = data.resultData;
	if (error) throw new Error([`The workflow failed: ${error.message}`, error.description].join('\n'));
}

/** The rows of the sheet by the column `sku`, also printed as a table. */
async function showSheet(stage, when) {
	const [header, ...rows] = (await stage.look()).rows;
	const named = rows.map((row) => Object.fromEntries(header.map((column, at) => [column, row[at] ?? ''])));
	const bySku = Object.fromEntries(named.map((row) => [row.sku, row]));
	stage.say(`the sheet ${when}:`);
	console.table(
		bySku,
		COLUMNS.filter((column) => header.includes(column)),
	);
	return bySku;
}

/** One product is sold out, and another costs less in the shop that was the cheapest one. */
function marketAfter(rows) {
	const { result_name: name, best_price, best_currency, best_shop, best_url } = rows[CHEAPER];
	const price = (best_price * FACTOR).toFixed(2);
	const offer = {
		price,
		shipping_costs: '0.00',
		currency: best_currency,
		condition_code: 'new',
		shop_name: best_shop,
		url: best_url,
	};
	return {
		[rows[SOLD_OUT].gtin]: { name: rows[SOLD_OUT].result_name, offers: [] },
		[rows[CHEAPER].gtin]: { name, offers: [offer] },
	};
}

await onStage('demo', async (stage) => {
	stage.say('building the package …');
	build();
	const n8n = await stage.startN8n(await stage.chooseService());
	const prices = await stage.importExample(n8n, 'prices-into-sheet');
	const drops = await stage.importExample(n8n, 'price-drops-to-slack');

	await showSheet(stage, 'at first');
	stage.say('day one: running “Prices into my sheet, every morning” …');
	await run(n8n, prices);
	const first = await showSheet(stage, 'after day one');
	if (!first[CHEAPER].best_price) throw new Error('The workflow found no prices');

	const isKnown = await stage.setSandbox({ market: marketAfter(first) });
	stage.say(
		isKnown
			? `day two: ${SOLD_OUT} is sold out, ${CHEAPER} is 8 percent cheaper`
			: 'day two, with the prices that the service has now: only the sandbox can be told what changes',
	);
	stage.say('running “Tell me once a day what got cheaper” …');
	await run(n8n, drops);
	const second = await showSheet(stage, 'after day two');
	const [message] = (await stage.look()).messages;
	stage.say(message ? `the message in the channel:\n${message}` : 'nothing got cheaper: no message');

	if (isKnown && second[SOLD_OUT].best_price !== '')
		throw new Error(`${SOLD_OUT} still has a price in the sheet`);
	if (isKnown && !message?.includes(first[CHEAPER].result_name))
		throw new Error(`There is no message about ${CHEAPER}`);
	if (!process.argv.includes('--once')) await stage.untilInterrupted(n8n, prices);
});
