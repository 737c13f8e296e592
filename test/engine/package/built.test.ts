import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { ICredentialType, INodeParameters, INodeType } from 'n8n-workflow';

import * as built from '../../..';
import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import created from '../../fixtures/service/create_job_200.json';
import results from '../../fixtures/service/download_v2_test_search_results.json';
import missingParameter from '../../fixtures/service/error_missing_parameter.json';
import unauthorized from '../../fixtures/service/error_unauthorized.json';
import workflow from '../../fixtures/v1-workflows/02-http-request-1.json';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import { useSandbox } from '../../support/useSandbox';
import { forJob, seedJob } from '../support/core';
import { errorOf, items, runWorkflow } from '../support/harness';
import type { Scenario } from '../support/harness';
import { usePlainService } from '../support/plainService';
import { credentialFor, GTIN_PARAMETERS, scenario, TYPE } from '../support/common';
import { callTrigger, runCalled } from '../support/trigger';
import { finishedJob, triggerScenario } from '../support/triggerSupport';

/**
 * The shipped `dist` must do what the sources do, which all other tests cover: the bundled libraries may lack
 * something. Needs a build. Calls compared with the sources' result also show when the build is old.
 */
interface Package {
	PriceCollection: new () => INodeType;
	PriceCollectionTrigger: new () => INodeType;
	PriceCollectionApi: new () => ICredentialType;
}
const ROOT = path.resolve(__dirname, '../../..');
const SHIPPED = built as unknown as Package;
const SOURCES: Package = { PriceCollection, PriceCollectionTrigger, PriceCollectionApi };

const sandbox = useSandbox({ jobDurationMs: 0 });

const of = (pack: Package, made: Scenario): Scenario => ({
	...made,
	nodeTypes: { [TYPE]: new pack.PriceCollection() },
	credentialTypes: { priceCollectionApi: new pack.PriceCollectionApi() },
});

/** The node's items and error in each package, which must be the same. */
async function both(service: { url: string; apiKey: string }, parameters: INodeParameters, input = [{}]) {
	const outcome = async (pack: Package) => {
		const run = await runWorkflow(of(pack, scenario(credentialFor(service), parameters, input)));
		const error = errorOf(run);
		return {
			items: items(run, 'Prices'),
			error: error && [error.message, 'description' in error && error.description],
		};
	};
	const shipped = await outcome(SHIPPED);
	expect(shipped).toEqual(await outcome(SOURCES));
	return shipped;
}

const VALUES = ['many-3', 'awkward', 'nulls', 'notfound', 'fail', '007'];

test.each<Partial<SandboxOptions>>([
	{},
	{ contentShape: 'exactNumbers' },
	{ contentShape: 'listInObject', resultQuery: 'emptyList' },
	{ envelope: 'data', envelopeFlag: 'successTrue', compression: 'gzip' },
	{ resultsIn: 'status', emptyDownload: 'null' },
	{ resultSuccess: 'text', resultReason: 'object' },
	{ defaultFormat: 'xml' },
	{ xmlNil: 'empty' },
	{ xmlDeclaration: 'none' },
	{ xmlEncoding: 'latin1' },
	{ xmlEncoding: 'utf16leBom', charset: 'omitted' },
	{ xmlRoot: 'results', xmlIndent: false },
	{ contentType: 'text/plain', compression: 'br' },
	{ downloadRedirect: 'otherOrigin' },
])('results with %j are decoded', async (options) => {
	const id = await seedJob(sandbox, VALUES);
	sandbox.setOptions(options);
	const format = Object.keys(options).some((name) => /xml/i.test(name)) ? 'xml' : 'json';
	const { items: rows } = await both(sandbox, forJob('download', id, { options: { format } }));
	expect(rows.map(({ found }) => found)).toEqual([true, true, true, false, false, true]);
});

describe("the document's own examples", () => {
	const service = usePlainService();
	const json = { 'content-type': 'application/json' };
	const create: INodeParameters = {
		...GTIN_PARAMETERS,
		operation: 'create',
		values: '4006381333931\n5901234123457',
	};

	test('of results', async () => {
		service.reset({ 'GET /v2/jobs/1234567890abcdef12345678/download': { headers: json, body: results } });
		const rows = await both(service, forJob('download', results.job_id));
		expect(rows.items).toMatchObject([{ value: '885909666966', found: true }]);
		const job = await both(service, forJob('download', results.job_id, { output: 'job' }));
		expect(job.items).toEqual([results]);
	});

	test('of a new job', async () => {
		service.reset({ 'POST /v2/jobs': { headers: json, body: created } });
		expect((await both(service, create)).items).toMatchObject([created]);
	});

	test.each([
		[401, unauthorized],
		[400, missingParameter],
	])('of a refusal with HTTP %s', async (status, body) => {
		service.reset({ 'POST /v2/jobs': { status, headers: json, body } });
		const { error } = await both(service, create);
		expect(String(error)).toContain(body.comment);
	});
});

test('collect creates a job, waits for it and gives its results', async () => {
	const parameters = { ...GTIN_PARAMETERS, operation: 'collect', columns: 'main' };
	const given = [{ gtin: '4006381333931' }, { gtin: '5901234123457' }];
	const run = await runWorkflow(of(SHIPPED, scenario(credentialFor(sandbox), parameters, given)));
	expect(errorOf(run)).toBeUndefined();
	expect(items(run, 'Prices')).toMatchObject([
		{ result_value: '4006381333931', result_found: true, best_price: expect.any(Number) },
		{ result_value: '5901234123457', result_found: true, best_price: expect.any(Number) },
	]);
	expect(sandbox.jobs).toMatchObject([{ values: given.map(({ gtin }) => gtin), status: 'finished' }]);
});

test('a callback starts a workflow with its job', async () => {
	const id = await finishedJob(sandbox);
	const told = await Promise.all(
		[SHIPPED, SOURCES].map(async (pack) => {
			const parameters = { options: { ignoreDuplicates: false } };
			const called = triggerScenario(sandbox, new pack.PriceCollectionTrigger(), parameters);
			const { reply } = await callTrigger(called, 'Ends', { body: { job_id: id } });
			return await runCalled(called, 'Ends', reply);
		}),
	);
	expect(told[0]).toMatchObject([{ job_id: id, status: 'finished' }]);
	expect(told[0]).toEqual(told[1]);
});

test('a workflow of version 1 is converted', async () => {
	const { items: converted } = await both(
		sandbox,
		{
			...{ resource: 'migration', operation: 'convertWorkflow', workflow: '={{ $json }}' },
			...{ baseUrl: 'https://api.example.com', legacyBaseUrl: 'https://api.legacy.example' },
		},
		[workflow],
	);
	expect(JSON.stringify(converted)).toContain(TYPE);
});

test('n8n loads what the nodes say of themselves when it starts, and not what they do', () => {
	const loaded = `
		const { n8n } = require('./package.json');
		for (const file of [...n8n.nodes, ...n8n.credentials]) new (Object.values(require('./' + file))[0])();
		console.log(JSON.stringify(Object.keys(require.cache)));`;
	const files = JSON.parse(execFileSync(process.execPath, ['-e', loaded], { cwd: ROOT, encoding: 'utf8' }));
	const dist = path.join(ROOT, 'dist');
	const own = (files as string[])
		.filter((file) => file.startsWith(dist))
		.map((file) => path.relative(dist, file).replaceAll(path.sep, '/'));
	expect(own).toContain('nodes/PriceCollection/actions/operations.js');
	const runs =
		/^vendor|PriceCollection\/(callback|methods|migration|run|trigger)\/|\.operation\.js$|router/;
	expect(own.filter((file) => runs.test(file))).toEqual([]);
});
