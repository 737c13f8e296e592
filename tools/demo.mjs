// Shows the package at work: a real n8n with the packed package runs an example workflow on two days against the
// sandbox, where a product is sold out on the second one, or twice against the service named by
// PRICE_COLLECTION_BASE_URL and PRICE_COLLECTION_API_KEY.
// `--once` ends after the rows; otherwise the editor stays open until Ctrl-C.
import { spawnSync } from 'node:child_process';
import client from './n8n/client.cjs';
import { ROOT, onStage } from './stage.mjs';

const RUN_TIMEOUT_MS = 11 * 60_000;

const MAX_CELL = 28;

/** A product of the example. */
const SOLD_OUT = '5901234123457';

const COLUMNS = [
	...['sku', 'gtin', 'price', 'result_name', 'best_price', 'best_currency', 'best_shop'],
	...['price_gap', 'price_gap_percent', 'price_rank', 'price_change'],
];

function build() {
	const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`The build ended with code ${status}.\n${stdout}${stderr}`);
}

async function runExample(n8n, { id, start, prices }) {
	const executionId = await n8n.client.startManually(id, start);
	const execution = await n8n.client.waitForExecution(executionId, { timeoutMs: RUN_TIMEOUT_MS });
	const { error } = execution.data.resultData;
	if (error) {
		throw new Error([`The workflow failed: ${error.message}`, error.description].join('\n'));
	}
	return client.itemsOf(execution, prices).map((item) => item.json);
}

function printRows(rows) {
	const shorten = (value) => {
		const tooLong = typeof value === 'string' && value.length > MAX_CELL;
		return tooLong ? `${value.slice(0, MAX_CELL - 1)}…` : value;
	};
	const fit = (row) => Object.fromEntries(COLUMNS.map((name) => [name, shorten(row[name])]));
	console.table(rows.map(fit));
}

await onStage('demo', async (stage) => {
	stage.say('building the package …');
	build();
	const fields = await stage.chooseService();
	const n8n = await stage.startN8n();
	const workflow = await stage.importExample(n8n, fields, 'prices-in-data-table');
	for (const day of ['first', 'second']) {
		const isSoldOut = day === 'second' && (await stage.setSandbox({ market: { [SOLD_OUT]: { offers: [] } } }));
		const news = isSoldOut ? `: no shop has ${SOLD_OUT} any more` : '';
		stage.say(`the ${day} day${news}; running the workflow, which keeps its prices in a data table …`);
		const rows = await runExample(n8n, workflow);
		if (!rows.some(({ best_price }) => best_price)) throw new Error('The workflow found no prices');
		const stale = rows.find(
			({ gtin, best_price }) => isSoldOut && gtin === SOLD_OUT && best_price !== null,
		);
		if (stale) throw new Error(`The row of ${SOLD_OUT} still has a price`);
		stage.say(`${rows.length} rows:`);
		printRows(rows);
	}
	if (!process.argv.includes('--once')) await stage.untilInterrupted(n8n, workflow);
});
