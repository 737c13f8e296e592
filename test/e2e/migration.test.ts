import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, IDataObject, INode, INodeExecutionData, IPinData } from 'n8n-workflow';

import { AS_PRODUCTS } from '../../nodes/PriceCollection/migration/fields';
import type { ConvertOptions, ConvertedWorkflow } from '../../nodes/PriceCollection/migration/workflow';
import { convertWorkflow } from '../../nodes/PriceCollection/migration/workflow';
import { createCredential, n8n, NODE_TYPE, Outcome, SANDBOX_KEY, unique } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { sharedServers } from './harness/shared';

const FOLDER = join(__dirname, '../fixtures/v1-workflows');
const MODES = ['replaceNodes', 'updateRequests'] as const;
type Mode = ConvertOptions['conversion'];

interface Saved {
	name: string;
	nodes: INode[];
	connections: IConnections;
	pinData?: IPinData;
}

/** A version 1 workflow. Its waits are cut to a second: the sandbox is quick. */
function fixture(name: string): Saved {
	const saved = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Saved;
	for (const node of saved.nodes) {
		if (node.type === 'n8n-nodes-base.wait') node.parameters = { amount: 1, unit: 'seconds' };
		// It needs a webhook call, which is not what is tested here.
		if (node.type === 'n8n-nodes-base.respondToWebhook') node.disabled = true;
	}
	return saved;
}

function convert(workflow: unknown, conversion: Mode): ConvertedWorkflow & { workflow: Saved } {
	const converted = convertWorkflow(workflow, {
		conversion,
		baseUrl: sharedServers().sandboxUrl,
		legacyBaseUrl: 'https://api.legacy.example',
	});
	if ('problem' in converted) throw new Error(converted.problem);
	return converted as unknown as ConvertedWorkflow & { workflow: Saved };
}

let service: CredentialReference;
let query: CredentialReference;

/** What the report asks a person to do: select a credential in every node that needs one. */
function selectCredentials(nodes: INode[]): INode[] {
	return nodes.map((node): INode => {
		const { authentication, nodeCredentialType } = node.parameters;
		if (node.type === NODE_TYPE || nodeCredentialType === 'priceCollectionApi') {
			return { ...node, credentials: { priceCollectionApi: service } };
		}
		if (authentication === 'queryAuth') return { ...node, credentials: { httpQueryAuth: query } };
		if (authentication !== 'genericCredentialType') return node;
		const parameters = { ...node.parameters, genericAuthType: 'httpQueryAuth' };
		return { ...node, parameters, credentials: { httpQueryAuth: query } };
	});
}

async function run(workflow: Saved, start: string): Promise<Outcome> {
	const { id } = await n8n().createWorkflow({ ...workflow, name: unique(workflow.name) });
	const execution = await n8n().waitForExecution(await n8n().startManually(id, start));
	return new Outcome(id, execution);
}

interface Root {
	job_id: string;
	results: Array<{
		query: Record<string, unknown>;
		success: boolean;
		reason?: string;
		content: Record<string, unknown> | null;
	}>;
}

const ask = async (path: string, init?: RequestInit): Promise<Record<string, unknown>> => {
	const reply = await fetch(`${sharedServers().sandboxUrl}${path}?token=${SANDBOX_KEY}`, init);
	return (await reply.json()) as Record<string, unknown>;
};

const download = async (jobId: string) => (await ask(`/v2/jobs/${jobId}/download`)) as unknown as Root;

/** A job that is over, for workflows that begin with its ID. */
async function finishedJob(): Promise<string> {
	const body = {
		topic: 'product_and_offers',
		source: 'test',
		country: 'de',
		key: 'id',
		values: 'B000123456',
	};
	const headers = { 'content-type': 'application/json' };
	const job = await ask('/v2/jobs', { method: 'POST', headers, body: JSON.stringify(body) });
	for (;;) {
		const { status } = await ask(`/v2/jobs/${String(job.job_id)}`);
		if (status === 'finished') return String(job.job_id);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

/** What version 1 gave for the same: flat products. */
const asProducts = ({ results }: Root) =>
	results.map(({ query: { source, country, key, value }, success, reason = null, content }) => ({
		...{ source, country, key, value, success, reason },
		...content,
	}));

/** The job that a run collected, from whatever node shows it first. */
function jobOf(outcome: Outcome): string {
	for (const rounds of Object.values(outcome.execution.data.resultData.runData)) {
		for (const item of rounds[0]?.data?.main?.[0] ?? []) {
			if (typeof item.json.job_id === 'string') return item.json.job_id;
		}
	}
	throw new Error('No node gave a job');
}

const paired = (items: IDataObject[]): INodeExecutionData[] =>
	items.map((json, item) => ({ json, pairedItem: { item } }));

/**
 * The original workflow with version 1's answers pinned to its requests, so that its own nodes say
 * what version 1 would have given.
 * @param jobs what version 1 would have made of the items: one job each
 */
function asItWas(original: Saved, jobs: Array<{ job_id: string; products: IDataObject[] }>): Saved {
	const pinData: IPinData = { ...original.pinData };
	for (const { name, type, parameters } of original.nodes) {
		if (!type.startsWith('n8n-nodes-base.httpRequest') || pinData[name]) continue;
		const url = String(parameters.url);
		const body = url.includes('products/bulk')
			? jobs.map(({ job_id, products }) => ({ job_id, status: 'finished', products }))
			: jobs.map(({ job_id }) => ({ job_id, status: 'finished', requested: 1 }));
		const full = JSON.stringify(parameters.options ?? {}).includes('fullResponse');
		pinData[name] = paired(full ? body.map((json) => ({ body: json, statusCode: 200 })) : body);
	}
	return { ...original, pinData };
}

/** The service pads GTINs with zeros in what it echoes; the nodes give them as they were asked for. */
const withoutPadding = (items: IDataObject[]): IDataObject[] =>
	JSON.parse(JSON.stringify(items).replace(/"0+(\d{8,13})"/g, '"$1"')) as IDataObject[];

/** Replaces a piece of the JSON of the nodes' parameters. */
function setText(nodes: INode[], from: string, to: string): void {
	for (const node of nodes) {
		const text = JSON.stringify(node.parameters).replaceAll(from, to);
		node.parameters = JSON.parse(text) as INode['parameters'];
	}
}

interface Case {
	name: string;
	start?: string;
	/** Nodes whose items must be those of version 1. */
	compared: string[];
	/** One job per item, where the fixture has several items. */
	perItem?: boolean;
	/** The fixture begins with a job that is over. */
	withJob?: boolean;
	/** What the warnings tell a person to do. */
	byHand?: (nodes: INode[]) => void;
}

const CASES: Case[] = [
	{ name: '01-loop-and-split', compared: ['Row'], perItem: true },
	{
		name: '02-http-request-1',
		compared: ['Rows'],
		byHand: (nodes) => setText(nodes, 'item.json.products', `item.json.results${AS_PRODUCTS}`),
	},
	{ name: '03-http-request-2-json', compared: ['Row'] },
	{ name: '04-json-body-and-code', compared: ['Cheapest'] },
	{ name: '05-address-in-set-node', compared: ['Mail'] },
	{
		name: '06-address-in-variable',
		compared: ['Row'],
		byHand: (nodes) => {
			setText(nodes, '{{ $vars.PRICE_API }}', sharedServers().sandboxUrl);
			setText(nodes, '"uk"', '"gb"');
			const refused = '{"name":"completeness","value":"all_pages"},{"name":"colour","value":"red"}';
			setText(nodes, `,${refused}`, '');
			setText(nodes, refused, '');
		},
	},
	{ name: '08-disabled-and-pinned', compared: ['Offer', 'Barcodes'] },
	{ name: '09-object-body-and-reads', compared: ['Summary', 'Detail'] },
	{ name: '10-files-and-full-responses', compared: ['Name'], withJob: true },
	{ name: '11-lists-usage-cancel', start: 'Every day', compared: [] },
	{ name: '12-version-2-on-the-old-address', compared: [] },
	{
		name: '13-counted-loop',
		compared: ['Row'],
		byHand: (nodes) => {
			setText(nodes, '={{ $json }}', "={{ { topic: 'product_and_offers', ...$json, key: 'term' } }}");
		},
	},
	{ name: '15-merge-and-agent-tool', compared: [] },
];

const TESTED = CASES.flatMap((one) => MODES.map((mode) => [one.name, mode, one] as const));

beforeAll(async () => {
	service = await createCredential();
	query = await n8n().createCredential('Query', { name: 'token', value: SANDBOX_KEY }, 'httpQueryAuth');
});

describe('a converted workflow gives what version 1 gave, field by field', () => {
	it.each(TESTED)('%s, %s', async (name, mode, { compared, perItem, withJob, byHand, start = 'Start' }) => {
		const original = fixture(name);
		if (withJob) {
			const text = JSON.stringify(original.nodes);
			original.nodes = JSON.parse(
				text.replaceAll('1234567890abcdef12345678', await finishedJob()),
			) as INode[];
		}
		const { workflow } = convert(original, mode);
		byHand?.(workflow.nodes);
		const outcome = await run({ ...workflow, nodes: selectCredentials(workflow.nodes) }, start);
		expect(outcome.error).toBeUndefined();
		expect(outcome.status).toBe('success');
		if (compared.length === 0) return;
		const job_id = jobOf(outcome);
		const products = original.pinData ? [] : (asProducts(await download(job_id)) as IDataObject[]);
		// Where there is one job per item, each of the two has a job of its own.
		const both = perItem && mode === 'updateRequests' ? await ownJobs(outcome) : products;
		const jobs = perItem ? both.map((one) => ({ job_id, products: [one] })) : [{ job_id, products }];
		const before = await run(asItWas(original, jobs), start);
		expect(before.error).toBeUndefined();
		for (const node of compared) {
			expect(before.items(node).length).toBeGreaterThan(0);
			expect(withoutPadding(outcome.items(node))).toEqual(withoutPadding(before.items(node)));
		}
	});

	async function ownJobs(outcome: Outcome): Promise<IDataObject[]> {
		const roots = outcome.items('Create job').map((json) => download(String(json.job_id)));
		return (await Promise.all(roots)).flatMap(asProducts) as IDataObject[];
	}
});

describe('every converted workflow imports and opens', () => {
	const names = readdirSync(FOLDER)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace('.json', ''));

	it.each(names.flatMap((name) => MODES.map((mode) => [name, mode] as const)))(
		'%s, %s',
		async (name, mode) => {
			const { workflow } = convert(fixture(name), mode);
			const { id } = await n8n().createWorkflow(workflow);
			const saved = (await n8n().call('GET', `/rest/workflows/${id}`)) as Saved;
			expect(saved.nodes.map((node) => [node.name, node.parameters])).toEqual(
				workflow.nodes.map((node) => [node.name, node.parameters]),
			);
			expect(saved.connections).toEqual(workflow.connections);
		},
	);
});

it('converts the results of a sub-workflow', async () => {
	const original = fixture('07-sub-workflow');
	const job_id = await finishedJob();
	const called = { Called: [{ json: { job_id } }] };
	const { workflow } = convert(original, 'replaceNodes');
	const nodes = selectCredentials(workflow.nodes);
	const outcome = await run({ ...workflow, nodes, pinData: called }, 'Called');
	expect(outcome.error).toBeUndefined();
	const [product] = asProducts(await download(job_id)) as IDataObject[];
	expect(outcome.items('Row').map(({ title }) => title)).toEqual([product?.name]);
});

it('the example converts every workflow as an inactive copy and writes a report', async () => {
	const original = await n8n().createWorkflow({ ...fixture('01-loop-and-split'), name: unique('old') });
	const names = { original: (await n8n().call('GET', `/rest/workflows/${original.id}`)).name as string };
	const { rawApiKey } = await n8n().call('POST', '/rest/api-keys', {
		label: unique('migration'),
		expiresAt: null,
		scopes: ['workflow:list', 'workflow:read', 'workflow:create'],
	});
	const api = await n8n().createCredential(
		'n8n',
		{ apiKey: rawApiKey, baseUrl: `${sharedServers().n8nUrl}/api/v1` },
		'n8nApi',
	);
	const example = JSON.parse(
		readFileSync(join(__dirname, '../../examples/convert-all-workflows.json'), 'utf8'),
	) as Saved;
	const text = JSON.stringify(example.nodes)
		.replaceAll('https://api.example.com', sharedServers().sandboxUrl)
		.replaceAll('https://legacy.example.com', 'https://api.legacy.example');
	const nodes = (JSON.parse(text) as INode[]).map((node) =>
		node.type === 'n8n-nodes-base.n8n' ? { ...node, credentials: { n8nApi: api } } : node,
	);
	const outcome = await run({ ...example, nodes, pinData: undefined }, 'Start');
	expect(outcome.error).toBeUndefined();
	const copies = outcome.items('Create inactive copy');
	const copy = copies.find(({ name }) => name === `${names.original} (version 2)`);
	expect(copy).toMatchObject({ active: false });
	expect((copy?.nodes as unknown as INode[]).some(({ type }) => type === NODE_TYPE)).toBe(true);
	const [report] = outcome.outputItems('Report file');
	const file = report?.binary?.data;
	expect(file?.fileName).toBe('migration-report.md');
	const written = file?.id ? await n8n().binary(file.id) : Buffer.from(file?.data ?? '', 'base64');
	expect(written.toString()).toContain(`## ${names.original}\n`);
	expect(written.toString()).toContain(
		'The HTTP Request node became a Price Collection node (job, collect).',
	);
	expect(written.toString()).not.toContain('ABCDEFGHIJKLMNOP');
});
