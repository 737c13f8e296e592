import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';
import type { Sandbox } from '../sandbox/sandbox';
import { startSandbox } from '../sandbox/sandbox';
import type { IncomingRequest } from './requests';
import { callTrigger } from './trigger';
import { createJob, finishedJob, HOOK_URL, SECRET, signedQuery, triggerScenario } from './triggerSupport';

/** What an attacker can know or has recorded. */
interface Loot {
	/** A job of the account that has ended. */
	ended: string;
	/** One that runs. */
	running: string;
	/** One of another account, ended too. */
	foreign: string;
}

let sandbox: Sandbox;
let loot: Loot;
beforeAll(async () => {
	sandbox = await startSandbox({ autoFinish: false });
	const foreign = await createJob(sandbox, {}, sandbox.options.secondApiKey);
	sandbox.finishJob(foreign);
	loot = { ended: await finishedJob(sandbox), running: await createJob(sandbox), foreign };
});
afterAll(async () => await sandbox.close());

/** What a call made the trigger read of it. */
interface Reading {
	fields: number;
	bytes: number;
}

/** The body as it is, which counts what is read of it. */
function counted<T>(body: T, reading: Reading): T {
	if (typeof body !== 'object' || body === null) return body;
	return new Proxy(body, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name);
			// What is looked up on every object, such as `toJSON`, is no field.
			if (!Object.hasOwn(target, name)) return value;
			reading.fields++;
			if (typeof value === 'string') reading.bytes += value.length;
			return counted(value, reading);
		},
	});
}

function countedBuffer(buffer: Buffer, reading: Reading): Buffer {
	return Object.assign(Buffer.from(buffer), {
		toString(...given: Parameters<Buffer['toString']>) {
			reading.bytes += buffer.length;
			return buffer.toString(...given);
		},
	});
}

let runs = 0;
/** @param unused a password that is not sent: status calls are counted for each credential */
const run = async (request: IncomingRequest, webhookSecret: string, unused = `unused ${runs++}`) => {
	sandbox.clearRequests();
	const parameters = { events: ['any'], output: 'results' };
	const credential = { webhookSecret, password: unused };
	const scenario = triggerScenario(sandbox, new PriceCollectionTrigger(), parameters, credential);
	const reading: Reading = { fields: 0, bytes: 0 };
	const { body = {}, query = {} } = request;
	const rawBody = request.rawBody ?? Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	const { reply, response } = await callTrigger(scenario, 'Ends', {
		...request,
		body: counted(body, reading),
		query: counted(query, reading),
		rawBody: countedBuffer(rawBody, reading),
	});
	const started = reply.workflowData !== undefined;
	const paths = sandbox.requests.map(({ path }) => path);
	return { status: started ? 200 : response.status, started, paths, reading };
};

/** What a call that is refused before the service is asked may cost. */
const REFUSED = { started: false, paths: [] };
/** How often each field is read at the most: in search of the bounds, of each name, and of envelopes. */
const READS = 8;
function expectLittleReading({ fields, bytes }: Reading): void {
	expect(fields).toBeLessThanOrEqual(READS * 5_000);
	expect(bytes).toBeLessThanOrEqual(READS * 1024 * 1024);
}

const jsonWith = (text: string): IncomingRequest => ({
	body: JSON.parse(text) as IncomingRequest['body'],
	rawBody: Buffer.from(text),
});
const { pc_expires: expires, pc_nonce: nonce, pc_signature: signature = '' } = signedQuery();

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1]));
const bracketed = (count: number) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [`job[x${n}]`, 1]));
/** Spellings of one name: `d_ata`, `d-ata`, `d__ata` … */
const spellings = (count: number) =>
	Object.fromEntries(
		Array.from({ length: count }, (_, n) => [
			`d${n.toString(2).replaceAll('0', '_').replaceAll('1', '-')}ata`,
			'{}',
		]),
	);

describe('a forged call of a trigger whose credential has a secret', () => {
	it.each<[string, Record<string, unknown>]>([
		['no signature', {}],
		['another signature', { pc_expires: expires, pc_nonce: nonce, pc_signature: 'a'.repeat(64) }],
		['a replay after the expiry', signedQuery({ expiresAt: Date.now() - 1000 })],
		['the URL of another trigger', signedQuery({ url: HOOK_URL.replace('9b1deb4d', '00000000') })],
		['the signature twice', { ...signedQuery(), pc_signature: [signature, signature] }],
		[
			'the signature under the prototype',
			{ __proto__: null, ...JSON.parse(`{"__proto__":${JSON.stringify(signedQuery())}}`) },
		],
	])('with %s is refused with 401 before the service is asked', async (_name, query) => {
		const { reading, ...outcome } = await run(
			{ body: { job_id: loot.ended }, query: query as never },
			SECRET,
		);
		expect(outcome).toEqual({ ...REFUSED, status: 401 });
		expect(reading.fields).toBeLessThan(20);
	});

	it('with more than 1 MiB is refused before anything of it is read', async () => {
		const body = { fill: 'x'.repeat(15_000_000) };
		const nothing = { fields: 0, bytes: 0 };
		expect(await run({ body }, SECRET)).toEqual({ ...REFUSED, status: 413, reading: nothing });
	});

	it('with more than 5,000 fields is refused at the first that is too many', async () => {
		const { reading, ...outcome } = await run({ body: bracketed(10_000) }, SECRET);
		expect(outcome).toEqual({ ...REFUSED, status: 413 });
		expect(reading.fields).toBe(5_000);
	});

	it('with the signature in the body is refused', async () => {
		const body = { job_id: loot.ended, ...signedQuery() };
		expect(await run({ body }, SECRET)).toMatchObject({ status: 401, started: false });
	});

	it('with a genuine signature still needs a job that has ended', async () => {
		const query = signedQuery();
		expect(await run({ body: { job_id: 'made-up' }, query }, SECRET)).toMatchObject({
			status: 503,
			started: false,
		});
	});

	it('is told from a genuine one', async () => {
		const query = signedQuery();
		expect(await run({ body: { job_id: loot.ended }, query }, SECRET)).toMatchObject({
			status: 200,
			started: true,
		});
	});
});

describe('a forged call of a trigger without a secret', () => {
	it.each<[string, () => IncomingRequest, number]>([
		['an unknown job', () => ({ body: { job_id: 'ffffffffffffffffffffffff' } }), 503],
		['a job of another account', () => ({ body: { job_id: loot.foreign } }), 503],
		[
			'a running job that is said to be finished',
			() => ({ body: { job_id: loot.running, status: 'finished' } }),
			503,
		],
		['an ID with a path to another job', () => ({ body: { job_id: `x/../${loot.ended}` } }), 400],
		['an encoded path', () => ({ body: { job_id: `x%2f..%2f${loot.ended}` } }), 400],
		['a dot segment', () => ({ body: { job_id: '..' } }), 400],
		['an ID with a query', () => ({ body: { job_id: `${loot.ended}?x=1` } }), 400],
		['an ID with a fragment', () => ({ body: { job_id: `${loot.ended}#x` } }), 400],
		['an ID with a line feed', () => ({ body: { job_id: `${loot.ended}\nHost: x` } }), 400],
		['an ID with a NUL', () => ({ body: { job_id: `${loot.ended}\u0000` } }), 400],
		['an endless ID', () => ({ body: { job_id: 'a'.repeat(100_000) } }), 400],
		['an ID that is an object', () => ({ body: { job_id: { $ne: null } } }), 400],
		['several IDs', () => ({ body: { job_id: [loot.running, loot.ended] } }), 400],
		['the ID under the prototype', () => jsonWith(`{"__proto__":{"job_id":"${loot.ended}"}}`), 400],
		[
			'the ID under the constructor',
			() => jsonWith(`{"constructor":{"prototype":{"job_id":"${loot.ended}"}}}`),
			400,
		],
		['no body', () => ({ body: {} }), 400],
		['a list', () => ({ body: [1, 2, 3] as never }), 400],
		['text', () => ({ body: 'finished' }), 400],
		['a body of an unknown type', () => ({ body: {}, rawBody: Buffer.alloc(2_000_000, 'x') }), 413],
		['deep nesting', () => jsonWith('{"a":'.repeat(3000) + '1' + '}'.repeat(3000)), 413],
		['an ID too deep down', () => ({ body: { a: { data: { job_id: loot.ended } } } }), 400],
		['another name for the ID', () => ({ body: { identifier: loot.ended } }), 400],
		['an id without anything that makes it a job', () => ({ body: { id: loot.ended } }), 400],
		['the credential’s own endpoint as ID', () => ({ body: { job_id: 'usage_today' } }), 503],
	])('with %s starts nothing', async (_name, request, status) => {
		const outcome = await run(request(), '');
		expect(outcome).toMatchObject({ status, started: false });
		expect(outcome.paths.every((path) => !path.includes('download'))).toBe(true);
	});

	it.each<[string, () => IncomingRequest, number]>([
		['10,000 bracketed fields', () => ({ body: bracketed(10_000) }), 413],
		['20,000 bracketed fields', () => ({ body: bracketed(20_000) }), 413],
		['4,000 bracketed fields', () => ({ body: bracketed(4_000) }), 400],
		['100,000 fields', () => ({ body: fields(100_000) }), 413],
		[
			'5,000 envelopes in each other',
			() => jsonWith('{"data":'.repeat(5_000) + '1' + '}'.repeat(5_000)),
			413,
		],
		['30,000 lists in each other', () => jsonWith('['.repeat(30_000) + ']'.repeat(30_000)), 413],
		['an ID in 35 lists', () => jsonWith(`{"job_id":${'['.repeat(35)}${']'.repeat(35)}}`), 400],
		['a list of 100,000 jobs', () => ({ body: { data: Array(100_000).fill({}) } as never }), 413],
		['a body of 15 MB', () => ({ body: { fill: 'x'.repeat(15_000_000) } }), 413],
		['a name of 900 KB', () => ({ body: { ['x'.repeat(900_000)]: 1 } }), 400],
		['a name of 900 KB with brackets', () => ({ body: { [`job[${'x'.repeat(900_000)}]`]: 1 } }), 400],
		['a status of 900 KB', () => ({ body: { id: 'a', status: ' '.repeat(900_000) } }), 400],
		['an address of 900 KB', () => ({ body: { download_url: `https://${'a/'.repeat(450_000)}` } }), 400],
		['an envelope with 90,000 objects as text', () => ({ body: { data: '{"a":'.repeat(18_000) } }), 400],
		[
			'an envelope with 50,000 fields as text',
			() => ({ body: { data: JSON.stringify(fields(5_100)) } }),
			400,
		],
		['4,000 spellings of an envelope', () => ({ body: spellings(4_000) }), 400],
		['10,000 query parameters', () => ({ body: {}, query: fields(10_000) }), 413],
		['text of 1 MB', () => ({ body: '{'.repeat(1_000_000) }), 400],
	])('with %s starts nothing, asks nothing and is hardly read', async (_name, request, status) => {
		const { reading, ...outcome } = await run(request(), '');
		expect(outcome).toEqual({ ...REFUSED, status });
		expectLittleReading(reading);
	});

	it('with 200 unknown jobs costs less than half of the status calls, and starts nothing', async () => {
		sandbox.clearRequests();
		const credential = { webhookSecret: '', password: 'for all of them' };
		const scenario = triggerScenario(sandbox, new PriceCollectionTrigger(), {}, credential);
		const calls = Array.from({ length: 200 }, async (_, n) => {
			const { reply, response } = await callTrigger(scenario, 'Ends', {
				body: { job_id: `made-up-${n}` },
			});
			return [response.status, reply.workflowData];
		});
		expect(new Set((await Promise.all(calls)).map(String))).toEqual(new Set(['503,']));
		const asked = sandbox.requests.map(({ path }) => path);
		expect(asked.filter((path) => /\/v2\/jobs\/[^/]+$/.test(path)).length).toBeLessThanOrEqual(30);
		expect(asked.filter((path) => path.endsWith('/v2/jobs')).length).toBeLessThanOrEqual(120);
		expect(asked.filter((path) => path.endsWith('/download'))).toEqual([]);
	});

	it('with a download URL of another host fetches nothing from there', async () => {
		const body = {
			download_url: `${sandbox.otherOriginUrl}/v2/jobs/made-up/download.json`,
			status: 'finished',
		};
		expect(await run({ body }, '')).toMatchObject({ status: 503, started: false });
		expect(sandbox.otherOriginRequests).toEqual([]);
	});

	it('with a download URL of another host gets the results from the service', async () => {
		const body = { job_id: loot.ended, download_url: `${sandbox.otherOriginUrl}/evil` };
		expect(await run({ body }, '')).toMatchObject({
			status: 200,
			started: true,
			paths: [expect.stringContaining(`/v2/jobs/${loot.ended}`), expect.stringContaining('/download')],
		});
		expect(sandbox.otherOriginRequests).toEqual([]);
	});

	it('that is passed through is no burden, whatever its text', async () => {
		const text = 'webhook-waiting/'.repeat(65_000);
		const parameters = { options: { onUnrecognized: 'passThrough' } };
		const scenario = triggerScenario(sandbox, new PriceCollectionTrigger(), parameters);
		const { reply } = await callTrigger(scenario, 'Ends', { body: { text } });
		expect(reply.workflowData?.[0]?.[0]?.json.payload).toEqual({ text });
	});

	it('leaves the prototypes of everything alone', async () => {
		const attack = jsonWith(
			`{"job_id":"${loot.ended}","__proto__":{"polluted":true},"data":{"__proto__":{"polluted":true}}}`,
		);
		expect(await run(attack, '')).toMatchObject({ status: 200 });
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});
});
