import type { IDataObject } from 'n8n-workflow';

import { startSandbox, type Sandbox } from '../sandbox/sandbox';
import { AgentWorkflow, McpWorkflow, priceTool } from './harness/agents';
import type { Asker, AskerSettings } from './harness/agents';
import { ChatModel } from './harness/chatModel';
import { createCredential, unique } from './harness/e2e';
import type { CredentialReference } from './harness/e2e';

let sandbox: Sandbox;
let model: ChatModel;
let credential: CredentialReference;

beforeAll(async () => {
	sandbox = await startSandbox({ jobDurationMs: 100 });
	model = await ChatModel.start();
	credential = await createCredential({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
});
afterAll(async () => {
	model.close();
	await sandbox.close();
});
beforeEach(() => sandbox.reset());

it('probe', async () => {
	const v3 = await AgentWorkflow.create(model, { tool: priceTool(), credential });
	const out = await v3.run([{ values: 'kettle' }], [{ values: 'kettle' }]);
	console.log(JSON.stringify(out.error ?? null), JSON.stringify(model.last, null, 1).slice(0, 3500), sandbox.jobs.length);
	const v2 = await AgentWorkflow.create(model, { tool: priceTool(), credential, typeVersion: 2.2 });
	const out2 = await v2.run([{ values: 'lamp' }], [{ values: 'lamp' }]);
	console.log(JSON.stringify(out2.error ?? null), JSON.stringify(model.last, null, 1).slice(0, 3500), sandbox.jobs.length);
	const mcp = await McpWorkflow.create({ tool: priceTool(), credential });
	console.log(JSON.stringify(await mcp.client.tools(), null, 1));
	console.log(await mcp.ask([{ values: 'mug' }, { values: 'mug' }]), sandbox.jobs.length);
	await mcp.close();
	const sse = await McpWorkflow.create({ tool: priceTool(), credential }, 'http');
	console.log(await sse.client.call({ values: 'fail-x' }));
});
