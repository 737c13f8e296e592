import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHOICES, SETS } from './choices.ts';
import { FAULT_TYPES } from './faults.ts';
import type { SandboxOptions } from './options.ts';
import type { Answer, Client } from './support.ts';
import { fromXml, order, startStill } from './support.ts';

interface Response {
	$ref?: string;
	content?: Record<string, { schema: object }>;
}

interface Operation {
	tags: string[];
	responses: Record<string, Response>;
}

interface Document {
	paths: Record<string, Record<string, Operation>>;
	components: { responses: Record<string, Response>; schemas: Record<string, object> };
}

const document = parse(readFileSync(join(__dirname, 'openapi.yaml'), 'utf8')) as Document;
const local = <T>(schema: T) =>
	JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')) as T;
const $defs = local(document.components.schemas);
const ajv = new Ajv2020({
	allErrors: true,
	allowUnionTypes: true,
	strict: true,
	strictRequired: false,
	strictTypes: false,
});
addFormats(ajv);

const resolved = (response: Response): Response =>
	response.$ref
		? (document.components.responses[response.$ref.split('/').at(-1) as string] as Response)
		: response;

/** Compiled once: it is what takes the time here. */
const validators = new Map<string, ValidateFunction>();

/** `METHOD path status` of every reply that was seen. */
const seen = new Set<string>();

function check(method: string, path: string, status: number, body: unknown): void {
	const response = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
	if (!response) throw new Error(`${method} ${path} is not described with status ${status}`);
	seen.add(`${method} ${path} ${status}`);
	const schema = resolved(response).content?.['application/json']?.schema;
	if (!schema) return;
	const name = response.$ref ?? `${method} ${path} ${status}`;
	const validate = validators.get(name) ?? ajv.compile({ ...local(schema), $defs });
	validators.set(name, validate);
	if (!validate(body)) {
		const start = String(JSON.stringify(body)).slice(0, 500);
		throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}\n${start}`);
	}
}

describe('openapi.yaml', () => {
	let client: Client;

	beforeAll(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.reset());
	afterAll(() => client.sandbox.close());

	/** Sends a request, as JSON and as XML where it only reads, and holds every reply against the document. */
	const call = async (
		method: string,
		path: string,
		more: { params?: string[]; query?: string; body?: unknown; token?: false } = {},
	) => {
		const params = [...(more.params ?? [])];
		const where = path.replace(/\{\w+\}/g, () => params.shift() ?? 'none');
		const headers = { 'content-type': 'application/json' };
		const body = more.body === undefined ? undefined : JSON.stringify(more.body);
		const answer = await client.send(where + (more.query ?? ''), {
			method,
			headers,
			body,
			token: more.token,
		});
		check(method, path, answer.status, answer.json);
		if (method === 'GET' && path.startsWith('/v2/') && answer.json && !more.query) {
			const xml = await client.send(`${where}.xml`, { method, headers, token: more.token });
			check(method, path, xml.status, fromXml(xml.text));
		}
		return answer;
	};
	const create = (more: object = {}): Promise<Answer> =>
		call('POST', '/v2/jobs', { body: { ...order(), ...more } });
	const finished = async (more: object = {}) => {
		const { json } = await create(more);
		client.sandbox.finishJob(String(json.job_id));
		return String(json.job_id);
	};
	const set = (changes: Partial<SandboxOptions>) => client.sandbox.setOptions(changes);

	it('names every route, and no route that does not exist', () => {
		const described = Object.entries(document.paths).flatMap(([path, methods]) =>
			Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
		);
		const served = client.sandbox.routes.map(
			({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
		);
		expect(described.toSorted()).toEqual(served.toSorted());
	});

	it('names every fault', () => {
		const rule = document.components.schemas.FaultRule as {
			properties: { fault: { properties: { type: { enum: string[] } } } };
		};
		expect(rule.properties.fault.properties.type.enum).toEqual([...FAULT_TYPES]);
	});

	it.each([
		['product_and_offers', 'term'],
		['search', 'term'],
		['search_results', 'gtin'],
		['reviews', 'id'],
		['bestsellers', 'term'],
		['product', 'id'],
		['offers', 'id'],
	])('describes the results of %s', async (topic, key) => {
		const words = [
			'kettle',
			'nulls',
			'awkward',
			'many-12',
			'notfound',
			'notfound-empty',
			'notfound-list',
			'fail',
		];
		const values = key === 'gtin' ? ['0885909666966', '2404000000001', '2500000000001'] : words;
		for (const source of ['amazon', 'google_shopping', 'test']) {
			set({ metadataExtras: source === 'test' });
			const id = await finished({ topic, key, source, value: undefined, values });
			await call('GET', '/v2/jobs/{jobId}/download', { params: [id] });
			set({ statusReply: 'withResults' });
			await call('GET', '/v2/jobs/{jobId}', { params: [id] });
			set({ statusReply: 'job' });
		}
	});

	it('describes jobs in every state and shape', async () => {
		set({ createReply: 'job' });
		const { json } = await create({ max_age: 'PT1H', tag: 'x' });
		set({ createReply: 'minimal' });
		const id = await finished();
		for (const statusReply of ['job', 'minimal', 'withResults'] as const) {
			set({ statusReply });
			for (const one of [id, String(json.job_id)])
				await call('GET', '/v2/jobs/{jobId}', { params: [one] });
		}
		for (const cancelReply of ['minimal', 'job', 'success', 'empty'] as const) {
			set({ cancelReply });
			const { json: job } = await create();
			await call('POST', '/v2/jobs/{jobId}/cancel', { params: [String(job.job_id)] });
		}
		for (const listShape of ['data', 'jobs', 'array'] as const) {
			set({ listShape });
			await call('GET', '/v2/jobs');
			set({ listPagingFields: true });
		}
	});

	it.each(['none', 'data', 'job'] as const)(
		'describes the envelope %s with every flag',
		async (envelope) => {
			for (const envelopeFlag of CHOICES.envelopeFlag) {
				set({ envelope, envelopeFlag });
				await create();
				const id = String(client.sandbox.jobs.at(-1)?.job_id);
				client.sandbox.finishJob(id);
				await call('GET', '/v2/jobs/{jobId}', { params: [id] });
				await call('GET', '/v2/jobs/{jobId}/download', { params: [id] });
				await call('GET', '/v2/jobs');
				await call('GET', '/v2/me/usage_month');
			}
		},
	);

	it('describes what a create may answer', async () => {
		set({ createStatus: 201, createLocation: 'path' });
		for (const createReply of CHOICES.createReply) {
			set({ createReply });
			if (createReply !== 'empty') await create();
		}
	});

	it('describes lists that say how they go on, in every shape', async () => {
		for (let count = 0; count < 3; count++) await create({ webhook_url: 'http://127.0.0.1:1/' });
		set({ listSays: [...SETS.listSays], listFields: [...SETS.listFields], listOddEntries: true });
		for (const listShape of CHOICES.listShape) {
			set({ listShape });
			await call('GET', '/v2/jobs', { query: '?per_page=2' });
		}
		set({ listPaging: 'refuse' });
		await call('GET', '/v2/jobs', { query: '?page=9' });
	});

	it('describes results wherever they are, and downloads that come too early', async () => {
		const id = await finished();
		const { json } = await create();
		for (const resultsIn of CHOICES.resultsIn) {
			set({ resultsIn });
			for (const emptyDownload of CHOICES.emptyDownload) {
				set({ emptyDownload });
				await call('GET', '/v2/jobs/{jobId}/download', { params: [id] });
			}
			for (const statusReply of CHOICES.statusReply) {
				set({ statusReply });
				await call('GET', '/v2/jobs/{jobId}', { params: [id] });
			}
		}
		set({ earlyDownloadStatus: 202 });
		for (const earlyDownload of ['withoutResults', 'emptyResults', 'large'] as const) {
			set({ earlyDownload });
			await call('GET', '/v2/jobs/{jobId}/download', { params: [String(json.job_id)] });
		}
	});

	it('describes results with every oddity, echo and shape of content', async () => {
		const kinds = [
			'resultQuery',
			'resultMetadata',
			'resultSuccess',
			'resultReason',
			'valueEcho',
		] as const;
		const shapes = ['contentShape', 'productContent', 'searchHits'] as const;
		for (const topic of ['product_and_offers', 'search', 'reviews']) {
			const key = topic === 'reviews' ? 'id' : 'term';
			const order = { topic, key, source: 'google_shopping', value: undefined };
			const id = await finished({ ...order, values: ['many-5', 'kettle', 'fail', 'notfound'] });
			for (const name of [...kinds, ...shapes]) {
				for (const choice of CHOICES[name]) {
					set({ [name]: choice, offerTraits: [...SETS.offerTraits], extraResults: 1 });
					await call('GET', '/v2/jobs/{jobId}/download', { params: [id] });
				}
				set({ [name]: CHOICES[name][0] });
			}
		}
	});

	it('describes refusals in the style of every framework', async () => {
		for (const refusalShape of CHOICES.refusalShape) {
			set({ refusalShape });
			const { status, text } = await client.post('/v2/jobs', { ...order(), key: undefined });
			if (refusalShape === 'xmlError') expect(text).toContain('<error>Provide the mandatory parameter');
			else check('POST', '/v2/jobs', status, JSON.parse(text));
		}
	});

	it('describes usage in every shape', async () => {
		await finished();
		for (const usageShape of CHOICES.usageShape) {
			set({ usageShape });
			await call('GET', '/v2/me/usage_today');
			await call('GET', '/v2/me/usage_month');
		}
	});

	it('describes every refusal', async () => {
		const reads = [
			'/v2/jobs',
			'/v2/jobs/{jobId}',
			'/v2/jobs/{jobId}/download',
			'/v2/me/usage_today',
			'/v2/me/usage_month',
		];
		for (const path of reads) await call('GET', path, { token: false });
		await call('POST', '/v2/jobs', { token: false, body: {} });
		await call('POST', '/v2/jobs/{jobId}/cancel', { token: false });
		await call('GET', '/v2/jobs', { query: '?page=0' });
		await create({ topic: undefined });
		await create({ value: 'disabled' });
		const id = await finished();
		await call('POST', '/v2/jobs/{jobId}/cancel', { params: [id] });
		await call('POST', '/v2/jobs/{jobId}/cancel');
		await call('GET', '/v2/jobs/{jobId}');
		await call('GET', '/v2/jobs/{jobId}/download');
		await call('GET', '/v2/jobs/{jobId}/download', { params: [id], query: '?format=pdf' });
		const running = String((await create()).json.job_id);
		await call('GET', '/v2/jobs/{jobId}/download', { params: [running] });
		set({ earlyDownload: 'withoutResults' });
		await call('GET', '/v2/jobs/{jobId}/download', { params: [running] });
		set({ freeCredits: 0 });
		await create();
		set({ apiKey: 'ANOTHERKEY', statusRateLimit: 0 });
		await call('GET', '/v2/jobs/{jobId}', { params: [id] });
		await call('GET', '/v2/jobs/{jobId}/download', { params: [id] });
		await call('POST', '/v2/jobs/{jobId}/cancel', { params: [id] });
		set({ statusRateLimit: 1 });
		await call('GET', '/v2/jobs/{jobId}', { params: [id] });
	});

	it('describes what was retired, files and redirects', async () => {
		await call('POST', '/jobs');
		for (const path of ['/jobs', '/jobs/{jobId}', '/products/bulk/{jobId}']) await call('GET', path);
		const id = await finished();
		set({ downloadRedirect: 'sameOrigin' });
		const { headers } = await call('GET', '/v2/jobs/{jobId}/download', { params: [id] });
		await call('GET', '/files/{ticket}', {
			params: [headers.get('location')?.split('/').at(-1) ?? ''],
			token: false,
		});
		await call('GET', '/files/{ticket}');
		await call('GET', '/loop/{step}', { params: ['1'] });
	});

	it('describes the control', async () => {
		const id = await finished();
		for (const name of ['options', 'faults', 'jobs', 'requests', 'deliveries', 'addresses'])
			await call('GET', `/_sandbox/${name}`);
		await call('POST', '/_sandbox/options', { body: { latencyMs: 0 } });
		await call('POST', '/_sandbox/options', { body: { speed: 1 } });
		await call('POST', '/_sandbox/faults', {
			body: { match: { nth: 1 }, times: 'always', fault: { type: 'html' } },
		});
		await call('POST', '/_sandbox/faults', { body: { fault: { type: 'fire' } } });
		await call('DELETE', '/_sandbox/faults/{id}');
		await call('DELETE', '/_sandbox/faults');
		await call('POST', '/_sandbox/jobs/{id}/finish', { params: [id] });
		await call('POST', '/_sandbox/jobs/{id}/finish');
		await call('DELETE', '/_sandbox/requests');
		await call('POST', '/_sandbox/advance', { body: { ms: 1 } });
		await call('POST', '/_sandbox/reset');
	});

	it('describes no reply that the sandbox never gives', () => {
		const described = Object.entries(document.paths).flatMap(([path, methods]) =>
			Object.entries(methods).flatMap(([method, { responses }]) =>
				Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
			),
		);
		expect(described.filter((reply) => !seen.has(reply))).toEqual([]);
	});
});
