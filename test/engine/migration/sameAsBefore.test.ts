import type { IDataObject, INode, IRun } from 'n8n-workflow';

import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import type { ConvertedWorkflow, ConvertOptions } from '../../../nodes/PriceCollection/migration/workflow';
import { convertWorkflow } from '../../../nodes/PriceCollection/migration/workflow';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import type { LoggedRequest } from '../../sandbox/http/requestLog';
import { useSandboxInTime } from '../collecting';
import { errorOf, rounds, runWorkflow } from '../harness';
import { items } from '../harness';
import type { Scenario } from '../harness';
import type { Case } from './build';
import { KEY, OLD_URL } from './build';
import { CASES } from './cases';
import { standIns, written } from './standIns';
import type { Call, OldService } from './oldService';
import { parametersOf, renamed, startOldService } from './oldService';
import { resumeByTimer } from '../resume';
import { TYPE } from '../support';
import { time } from '../virtualClock';

const sandbox = useSandboxInTime({ jobDurationMs: 300 });
let old: OldService;

beforeAll(async () => {
	old = await startOldService({ url: sandbox.url, key: sandbox.apiKey });
});
afterAll(async () => {
	await old.close();
});

type Mode = ConvertOptions['conversion'];
type Flow = Pick<Case, 'nodes' | 'connections' | 'pinData'>;

/** The case with the addresses and the key of the services that run. */
function placed({ nodes, connections, pinData }: Case): Flow {
	const basic = (key: string) => Buffer.from(`${key}:x`).toString('base64');
	const text = JSON.stringify({ nodes, connections, pinData })
		.replaceAll(OLD_URL, old.url)
		.replaceAll(OLD_URL.replace('https://', ''), old.url.replace('http://', ''))
		.replaceAll('https://', 'http://')
		.replaceAll(KEY, sandbox.apiKey)
		.replaceAll(basic(KEY), basic(sandbox.apiKey));
	return JSON.parse(text) as Flow;
}

/** The credential that the report tells to create, in the fields that it names. */
function credentialFrom(report: string): IDataObject {
	const ways: Record<string, string> = {
		'Query Parameter': 'queryParameter',
		Header: 'header',
		'Bearer Token': 'bearer',
		Basic: 'basic',
	};
	const field = (name: string) => new RegExp(`${name} "([^"]*)"`).exec(report)?.[1];
	return {
		baseUrl: field('Base URL') ?? sandbox.url,
		authentication: ways[field('Authentication') ?? ''] ?? 'queryParameter',
		parameterName: field('Parameter Name') ?? 'token',
		headerName: field('Header Name') ?? 'X-API-Key',
		apiKey: sandbox.apiKey,
		username: sandbox.apiKey,
		password: 'x',
	};
}

/** Credentials as they are before, and those that a person selects after the conversion. */
function scenarioOf(flow: Flow, { input }: Case, report = ''): Scenario {
	const generic = { name: 'token', value: sandbox.apiKey };
	const reference = { id: '1', name: 'Key' };
	const header = /Header Auth credential with the Name "([^"]*)"/.exec(report)?.[1];
	const nodes = flow.nodes.map((one): INode => ({
		...one,
		credentials: {
			...one.credentials,
			...(one.type === TYPE || one.parameters.nodeCredentialType
				? { priceCollectionApi: reference }
				: {}),
			...(one.parameters.authentication === 'queryAuth' ? { httpQueryAuth: reference } : {}),
			...(one.parameters.authentication === 'headerAuth' ? { httpHeaderAuth: reference } : {}),
			...(one.parameters.authentication === 'basicAuth' ? { httpBasicAuth: reference } : {}),
		},
	}));
	return {
		nodeTypes: { ...standIns, [TYPE]: new PriceCollection() },
		nodes,
		connections: flow.connections,
		pinData: flow.pinData,
		input,
		credentialTypes: { priceCollectionApi: new PriceCollectionApi() },
		credentials: {
			priceCollectionApi: credentialFrom(report) as Record<string, string>,
			httpQueryAuth: generic,
			httpHeaderAuth:
				header === 'Authorization'
					? { name: header, value: `Bearer ${sandbox.apiKey}` }
					: { ...generic, name: header ?? 'X-API-Key' },
			httpBasicAuth: { user: sandbox.apiKey, password: 'x' },
		},
	};
}

async function runToEnd(scene: Scenario): Promise<IRun> {
	let run = await runWorkflow(scene);
	for (let timers = 0; run.data.waitTill !== undefined && timers < 2000; timers++) {
		time.skip(new Date(run.data.waitTill).getTime() - Date.now() - time.skipped);
		run = await resumeByTimer(scene, run);
	}
	return run;
}

/**
 * Everything that the compared nodes gave, in all rounds, with job IDs by their order. Where nothing
 * may differ, the download is one of them: whatever reads it gets the same, and need not be tried.
 */
function results(run: IRun, { nodes, compared, differs }: Case): unknown {
	const isSame = differs === undefined && nodes.some(({ name }) => name === 'Download');
	const downloads = isSame ? ['Download'] : [];
	const given = [...new Set([...downloads, ...compared])].map((name) =>
		Array.from({ length: rounds(run, name) }, (_one, round) => items(run, name, 0, round)).flat(),
	);
	const ids = new Map<string, string>();
	const text = JSON.stringify([given, written]).replace(/\b[0-9a-f]{24}\b/g, (id) => {
		ids.set(id, ids.get(id) ?? `job ${ids.size + 1}`);
		return ids.get(id) ?? id;
	});
	return JSON.parse(text.replaceAll(/"updated_at":"[^"]*"/g, '"updated_at":"now"')) as unknown;
}

const NEW_PATHS: Array<[RegExp, string]> = [
	[/^\/products\/bulk\/([^.]*)(?:\.json)?$/, '/v2/jobs/$1/download'],
	[/^\/jobs/, '/v2/jobs'],
];

/** A request of version 1 as it must look in version 2. */
function expected({ method, path, parameters }: Call): Call {
	const [pattern, to] = NEW_PATHS.find(([from]) => from.test(path)) ?? [/^$/, ''];
	return {
		method,
		path: path.replace(pattern, to),
		parameters: method === 'POST' && path === '/jobs' ? renamed(parameters) : parameters,
	};
}

async function callOf({ method, path, query, body, headers }: LoggedRequest): Promise<Call> {
	const all = { ...query, ...(await parametersOf(body, String(headers['content-type'] ?? ''))) };
	const { values, id, term, ...rest } = Object.fromEntries(
		Object.entries(all).filter(([name]) => name !== 'token'),
	);
	const given = values === undefined ? rest : { ...rest, value: values };
	if (id !== undefined) return { method, path, parameters: { ...given, key: 'id', value: id } };
	return { method, path, parameters: term === undefined ? given : { ...given, key: 'term', value: term } };
}

/** What is asked of the service and costs or changes something: creations with their parameters, downloads, cancels. */
function asked(calls: readonly Call[]): string[] {
	return calls
		.filter(({ method, path }) => method !== 'GET' || path.endsWith('/download'))
		.map((call) =>
			JSON.stringify({
				...call,
				path: call.path.replace(/[0-9a-f]{24}/, 'job'),
				parameters: Object.entries(call.parameters).sort(),
			}),
		)
		.sort();
}

interface Outcome {
	run: IRun;
	results: unknown;
	asked: string[];
}

function begin({ duration = 20 }: Case): void {
	sandbox.reset();
	sandbox.setOptions({
		jobDurationMs: duration * 1000,
		authentication: ['query', 'body', 'header', 'bearer', 'basic'],
		username: sandbox.apiKey,
		password: 'x',
	});
	old.calls.length = 0;
	old.refused.length = 0;
	Object.assign(written, { queries: [], rows: [], header: [] });
}

async function runOriginal(one: Case, flow: Flow): Promise<Outcome> {
	begin(one);
	const run = await runToEnd(scenarioOf(flow, one));
	expect(old.refused).toEqual([]);
	return { run, results: results(run, one), asked: asked(old.calls.map(expected)) };
}

async function runConverted(one: Case, converted: ConvertedWorkflow): Promise<Outcome> {
	begin(one);
	const flow = converted.workflow as unknown as Flow;
	const run = await runToEnd(scenarioOf(flow, one, converted.report));
	expect(old.calls).toEqual([]);
	return { run, results: results(run, one), asked: asked(await Promise.all(sandbox.requests.map(callOf))) };
}

function convert(flow: Flow, conversion: Mode): ConvertedWorkflow {
	const converted = convertWorkflow(flow, { conversion, baseUrl: sandbox.url, legacyBaseUrl: old.url });
	if ('problem' in converted) throw new Error(converted.problem);
	return converted;
}

const MODES = ['replaceNodes', 'updateRequests'] as const;

describe('a converted workflow asks and gives what version 1 did, or its report names the node', () => {
	const tested = CASES.flatMap((one) => MODES.map((mode) => [one.name, mode, one] as const));

	it.each(tested)('%s, %s', async (_name, mode, one) => {
		const flow = placed(one);
		const converted = convert(flow, mode);
		const before = await runOriginal(one, flow);
		const after = await runConverted(one, converted);
		if (one.differs === undefined) {
			expect(errorOf(before.run)?.message).toBeUndefined();
			expect(errorOf(after.run)?.message).toBeUndefined();
			expect(before.results).not.toEqual([[[]], written]);
		}
		const isSame =
			JSON.stringify([before.results, before.asked]) === JSON.stringify([after.results, after.asked]);
		if (one.differs === undefined || isSame) {
			expect(after.asked).toEqual(before.asked);
			expect(after.results).toEqual(before.results);
		} else expect(converted.warnings.map(({ node }) => node)).toContain(one.differs);
		for (const name of one.untouched ?? []) {
			expect(converted.workflow.nodes.find((kept) => kept.name === name)).toEqual(
				flow.nodes.find((kept) => kept.name === name),
			);
		}
	});

	it.each(tested)('%s, %s, leaves no key and changes nothing the second time', (_name, mode, one) => {
		const once = convert(placed(one), mode);
		expect(JSON.stringify(once)).not.toContain(sandbox.apiKey);
		const twice = convert(once.workflow as unknown as Flow, mode);
		expect(twice.changes).toEqual([]);
		expect(twice.workflow).toEqual(once.workflow);
	});
});
