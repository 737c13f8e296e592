// Shows the package at work: a real n8n with the packed package runs an example workflow against the
// sandbox, or against the service named by PRICE_COLLECTION_BASE_URL and PRICE_COLLECTION_API_KEY.
// `--once` ends after the rows; otherwise the editor stays open until Ctrl-C.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import client from './n8n/client.cjs';
import instance from './n8n/instance.cjs';
import sandbox from './sandbox.cjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const EXAMPLE = path.join(ROOT, 'examples/first-prices.json');
const RUN_TIMEOUT_MS = 11 * 60_000;

/** The key of the sandbox's first account. */
const SANDBOX_KEY = 'SANDBOXKEYQWERTZUIOPASDFGHJKLYXCVBNM';

/** Columns worth a terminal's width; those that no row has are left out. */
const COLUMNS = ['sku', 'value', 'found', 'name', 'offers_found', 'lowest_price', 'reason'];
const MAX_CELL = 28;

const say = (text) => console.log(`demo: ${text}`);
const cleanUps = [];

let cleaning;
/** Ends what was started, last first; asking again waits for the same end. */
function cleanUp() {
	cleaning ??= (async () => {
		while (cleanUps.length > 0) await cleanUps.pop()();
	})();
	return cleaning;
}

function build() {
	say('building the package …');
	const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
		cwd: ROOT,
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`The build ended with code ${status}.\n${stdout}${stderr}`);
}

/** Credential fields for the service of the environment, or of a sandbox that is started. */
async function chooseService() {
	const { PRICE_COLLECTION_BASE_URL: baseUrl, PRICE_COLLECTION_API_KEY: apiKey } = process.env;
	if (baseUrl && apiKey) {
		say(`using the service at ${baseUrl} with its test datasource, which costs no credits`);
		return { baseUrl, apiKey };
	}
	if (baseUrl || apiKey) {
		throw new Error('Set both PRICE_COLLECTION_BASE_URL and PRICE_COLLECTION_API_KEY, or neither');
	}
	const service = await sandbox.startSandboxProcess();
	cleanUps.push(service.stop);
	say(`sandbox service at ${service.url}`);
	return { baseUrl: service.url, apiKey: SANDBOX_KEY };
}

async function startN8n() {
	say('starting n8n with the packed package (15 to 60 seconds) …');
	const n8n = await instance.startN8n({ ownSignals: true });
	cleanUps.push(() => n8n.remove());
	say(`n8n is ready at ${n8n.url}`);
	return n8n;
}

/** Imports the example with the credential chosen in our nodes; `{ id, start }`. */
async function importExample(n8n, credential) {
	const workflow = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
	for (const node of workflow.nodes) {
		if (!node.type.startsWith('n8n-nodes-price-collection.')) continue;
		node.credentials = { priceCollectionApi: { id: credential.id, name: credential.name } };
	}
	const start = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.manualTrigger').name;
	const { id } = await n8n.client.createWorkflow(workflow);
	return { id, start, last: workflow.nodes.findLast(({ type }) => type === 'n8n-nodes-base.set').name };
}

async function runExample(n8n, { id, start, last }) {
	say('running the workflow …');
	const executionId = await n8n.client.startManually(id, start);
	const execution = await n8n.client.waitForExecution(executionId, { timeoutMs: RUN_TIMEOUT_MS });
	const { error } = execution.data.resultData;
	if (error) {
		throw new Error([`The workflow failed: ${error.message}`, error.description].join('\n'));
	}
	return client.itemsOf(execution, last).map((item) => item.json);
}

function printRows(rows) {
	const shorten = (value) => {
		const tooLong = typeof value === 'string' && value.length > MAX_CELL;
		return tooLong ? `${value.slice(0, MAX_CELL - 1)}…` : value;
	};
	const used = COLUMNS.filter((column) => rows.some((row) => row[column] != null));
	const pick = (row) => Object.fromEntries(used.map((column) => [column, shorten(row[column])]));
	console.table(rows.map(pick));
}

/** What Ctrl-C does: it ends the demo at once, until there is something to wait with. */
let onInterrupt = () => void cleanUp().finally(() => process.exit(130));

function untilInterrupted() {
	return new Promise((resolve) => {
		onInterrupt = resolve;
		// n8n is a process of its own: something here has to keep this one alive.
		setInterval(() => undefined, 60_000);
	});
}

async function demo() {
	build();
	const fields = await chooseService();
	const n8n = await startN8n();
	const credential = await n8n.client.createCredential('Price Collection', fields);
	const workflow = await importExample(n8n, credential);
	const rows = await runExample(n8n, workflow);
	if (!rows.some(({ found }) => found)) throw new Error('The workflow found no prices');
	say(`${rows.length} rows:`);
	printRows(rows);
	if (process.argv.includes('--once')) return;
	const { email, password } = client.OWNER;
	say(`the editor is open at ${n8n.url}/workflow/${workflow.id}`);
	say(`log in as ${email} with the password ${password}`);
	say('press Ctrl-C to end');
	await untilInterrupted();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => onInterrupt());

try {
	await demo();
	say('cleaning up');
} catch (error) {
	console.error(`demo: ${error.message}`);
	process.exitCode = 1;
} finally {
	await cleanUp();
	process.exit();
}
