import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IConnections, INode, IPinData } from 'n8n-workflow';

import type { ConvertOptions, ConvertedWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import { convertWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import type { Case } from '../../engine/migration/build';
import { KEY } from '../../engine/migration/build';
import { CASES } from '../../engine/migration/cases';
import type { OldService } from '../../engine/migration/oldService';
import { startOldService } from '../../engine/migration/oldService';
import { someOf } from '../../support/runs';
import { createCredential, n8n, NODE_TYPE, Outcome, SANDBOX_KEY, unique } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';
import { readExample } from './harness/examples';
import { sharedServers } from './harness/shared';

const FOLDER = join(__dirname, '../../fixtures/v1-workflows');
const MODES = ['replaceNodes', 'updateRequests'] as const;

interface Saved {
	name: string;
	nodes: INode[];
	connections: IConnections;
	pinData?: IPinData;
}

let old: OldService;
let service: CredentialReference;
let query: CredentialReference;

beforeAll(async () => {
	old = await startOldService({ url: sharedServers().sandboxUrl, key: SANDBOX_KEY });
	service = await createCredential();
	query = await n8n().createCredential('Query', { name: 'token', value: SANDBOX_KEY }, 'httpQueryAuth');
});
afterAll(async () => await old.close());

const basic = (key: string) => Buffer.from(`${key}:x`).toString('base64');

/** A case with the addresses and the key of the servers here. Its waits take a second, because the sandbox is quick. */
function placed({ name, nodes, connections, pinData = {}, input = [{}] }: Case): Saved {
	const quick = nodes.map((node) =>
		node.type === 'n8n-nodes-base.wait' ? { ...node, parameters: { amount: 1, unit: 'seconds' } } : node,
	);
	const start = { Start: input.map((json) => ({ json })) };
	const text = JSON.stringify({ name, nodes: quick, connections, pinData: { ...start, ...pinData } })
		.replace(/https:\/\/([^/@"]*@)?api\.legacy\.example/g, old.url.replace('http://', 'http://$1'))
		.replaceAll(KEY, SANDBOX_KEY)
		.replaceAll(basic(KEY), basic(SANDBOX_KEY));
	return JSON.parse(text) as Saved;
}

function convert(
	workflow: unknown,
	conversion: ConvertOptions['conversion'],
	legacyBaseUrl: string,
): ConvertedWorkflow & { workflow: Saved } {
	const converted = convertWorkflow(workflow, {
		conversion,
		baseUrl: sharedServers().sandboxUrl,
		legacyBaseUrl,
	});
	if ('problem' in converted) throw new Error(converted.problem);
	return converted as unknown as ConvertedWorkflow & { workflow: Saved };
}

/** Does what the report asks of a person: selects a credential in every node that needs one. */
function selectCredentials(nodes: INode[]): INode[] {
	return nodes.map((node): INode => {
		const { authentication, nodeCredentialType } = node.parameters;
		if (node.type === NODE_TYPE || nodeCredentialType === 'priceCollectionApi') {
			return { ...node, credentials: { priceCollectionApi: service } };
		}
		const isQuery = authentication === 'queryAuth' || node.parameters.genericAuthType === 'httpQueryAuth';
		return isQuery ? { ...node, credentials: { httpQueryAuth: query } } : node;
	});
}

async function run(workflow: Saved, start = 'Start'): Promise<Outcome> {
	const nodes = selectCredentials(workflow.nodes);
	const { id } = await n8n().createWorkflow({ ...workflow, nodes, name: unique(workflow.name) });
	const execution = await n8n().waitForExecution(await n8n().startManually(id, start));
	return new Outcome(id, execution);
}

/** Everything that the compared nodes gave in all rounds, with numbers for job IDs and no times of updates. */
function results(outcome: Outcome, compared: readonly string[]): unknown {
	const given = compared.map((name) =>
		Array.from({ length: outcome.rounds(name) }, (_one, round) => outcome.items(name, 0, round)).flat(),
	);
	const ids = new Map<string, string>();
	const text = JSON.stringify(given).replace(/\b[0-9a-f]{24}\b/g, (id) => {
		ids.set(id, ids.get(id) ?? `job ${ids.size + 1}`);
		return ids.get(id) ?? id;
	});
	return JSON.parse(text.replaceAll(/"updated_at":"[^"]*"/g, '"updated_at":"now"')) as unknown;
}

it('the example converts every workflow as an inactive copy, once, and writes a report', async () => {
	const fixture = JSON.parse(readFileSync(join(FOLDER, '01-loop-and-split.json'), 'utf8')) as Saved;
	const original = await n8n().createWorkflow({ ...fixture, name: unique('old') });
	const names = { original: (await n8n().call('GET', `/rest/workflows/${original.id}`)).name as string };
	const { rawApiKey } = await n8n().call('POST', '/rest/api-keys', {
		label: unique('migration'),
		expiresAt: null,
		scopes: ['workflow:list', 'workflow:read', 'workflow:create'],
	});
	const access = { apiKey: rawApiKey, baseUrl: `${n8n().baseUrl}/api/v1` };
	const api = await n8n().createCredential('n8n', access, 'n8nApi');
	const example = readExample('convert-all-workflows');
	const text = JSON.stringify(example.nodes)
		.replaceAll('https://api.example.com', sharedServers().sandboxUrl)
		.replaceAll('https://legacy.example.com', 'https://api.legacy.example');
	const nodes = (JSON.parse(text) as INode[]).map((node) =>
		node.type === 'n8n-nodes-base.n8n' ? { ...node, credentials: { n8nApi: api } } : node,
	);
	const first = await run({ ...example, nodes, pinData: undefined });
	expect(first.error).toBeUndefined();
	const copyName = `${names.original} (version 2)`;
	const copy = first.items('Create inactive copy').find(({ name }) => name === copyName);
	expect(copy).toMatchObject({ active: false });
	expect((copy?.nodes as unknown as INode[]).some(({ type }) => type === NODE_TYPE)).toBe(true);
	const again = await run({ ...example, nodes, pinData: undefined });
	expect(again.error).toBeUndefined();
	expect(again.items('Create inactive copy').filter(({ name }) => name === copyName)).toEqual([]);
	for (const outcome of [first, again]) {
		const [report] = outcome.outputItems('Report file');
		const file = report?.binary?.data;
		expect(file?.fileName).toBe('migration-report.md');
		const written = file?.id ? await n8n().binary(file.id) : Buffer.from(file?.data ?? '', 'base64');
		expect(written.toString()).toContain(`## ${names.original}\n`);
		expect(written.toString()).toContain('The node became a Price Collection node (job, collect).');
		expect(written.toString()).toContain('### How to finish');
		expect(written.toString()).not.toContain('ABCDEFGHIJKLMNOP');
	}
});

/** n8n's engine plays all cases in `npm test`. */
const PLAYED = someOf(CASES, 6);

describe('in the real n8n, with its own nodes, a converted workflow gives what version 1 gave', () => {
	it.each(PLAYED.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
		const original = placed(one);
		const converted = MODES.map((mode) => convert(original, mode, old.url));
		const [before, ...after] = await Promise.all(
			[original, ...converted.map(({ workflow }) => workflow)].map((flow) => run(flow)),
		);
		if (!before) throw new Error('The original did not run');
		const wanted = results(before, one.compared);
		for (const [index, outcome] of after.entries()) {
			const given = results(outcome, one.compared);
			if (one.differs !== undefined && JSON.stringify(given) !== JSON.stringify(wanted)) {
				expect(converted[index]?.warnings.map(({ node }) => node)).toContain(one.differs);
				continue;
			}
			expect(before.error?.message).toBeUndefined();
			expect(outcome.error?.message).toBeUndefined();
			expect(JSON.stringify(wanted).length).toBeGreaterThan('[[]]'.length);
			expect(given).toEqual(wanted);
		}
	});
});
