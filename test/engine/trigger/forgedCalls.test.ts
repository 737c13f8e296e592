import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { useSandbox } from '../../support/useSandbox';
import { createJob } from '../support/core';
import type { IncomingRequest } from '../support/requests';
import { callTrigger } from '../support/trigger';
import { finishedJob, HOOK_URL, SECRET, signedQuery, triggerScenario } from '../support/triggerSupport';

const sandbox = useSandbox({ autoFinish: false });

/** What an attacker can know or has recorded: ended and running jobs of the account, and one of another account. */
const loot = { ended: '', running: '', foreign: '' };
beforeEach(async () => {
	const { secondApiKey } = sandbox.options;
	loot.foreign = await createJob({ url: sandbox.url, apiKey: secondApiKey });
	sandbox.finishJob(loot.foreign);
	loot.ended = await finishedJob(sandbox);
	loot.running = await createJob(sandbox);
});

/** How much of a call the trigger read. */
interface Reading {
	fields: number;
	bytes: number;
}

/** The same body, which counts what is read of it. */
function counted<T>(body: T, reading: Reading): T {
	if (typeof body !== 'object' || body === null) return body;
	return new Proxy(body, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name);
			// Names that are looked up on every object, such as `toJSON`, do not count.
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
const run = async (request: IncomingRequest, webhookSecret = '') => {
	sandbox.clearRequests();
	const parameters = { events: ['any'], output: 'results' };
	// The password is not sent. It makes the credential a new one, because status calls are counted per credential.
	const credential = { webhookSecret, password: `unused ${runs++}` };
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
	const { message } = (response.body ?? {}) as { message?: string };
	return { status: started ? 200 : response.status, started, paths, reading, ...(!started && { message }) };
};

/** What a call costs that is refused before the service is asked. */
const REFUSED = { started: false, paths: [] };
/** How often each field is read at most: for the bounds, for each name, and for envelopes. */
const READS = 8;

const json = (text: string): IncomingRequest => ({
	body: JSON.parse(text) as IncomingRequest['body'],
	rawBody: Buffer.from(text),
});
const { pc_expires: expires, pc_nonce: nonce } = signedQuery();

const named = (count: number, name: (n: number) => string, value: unknown = 1) =>
	Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), value])) as Record<string, never>;
const fields = (count: number) => named(count, (n) => `f${n}`);
const bracketed = (count: number) => named(count, (n) => `job[x${n}]`);
/** Spellings of one name: `d_ata`, `d-ata`, `d__ata` … */
const spellings = (count: number) =>
	named(count, (n) => `d${n.toString(2).replaceAll('0', '_').replaceAll('1', '-')}ata`, '{}');

describe('a forged call of a trigger whose credential has a secret', () => {
	const wrong = 'is wrong or has expired';
	it.each<[string, Record<string, unknown>, string]>([
		['no signature', {}, 'is missing'],
		['another signature', { pc_expires: expires, pc_nonce: nonce, pc_signature: 'a'.repeat(64) }, wrong],
		['a replay after the expiry', signedQuery({ expiresAt: Date.now() - 1000 }), wrong],
		['the URL of another trigger', signedQuery({ url: HOOK_URL.replace('9b1deb4d', '00000000') }), wrong],
	])('with %s is refused with 401 before the service is asked', async (_name, query, why) => {
		const { reading, message, ...outcome } = await run(
			{ body: { job_id: loot.ended }, query: query as never },
			SECRET,
		);
		expect(outcome).toEqual({ ...REFUSED, status: 401 });
		expect(message).toContain(`The signature of this callback URL ${why}`);
		expect(reading.fields).toBeLessThan(20);
	});

	it('with more than 1 MiB is refused before anything of it is read', async () => {
		const body = { fill: 'x'.repeat(15_000_000) };
		const reading = { fields: 0, bytes: 0 };
		const message = 'The call is too large';
		expect(await run({ body }, SECRET)).toEqual({ ...REFUSED, status: 413, reading, message });
	});

	it('with more than 5,000 fields is refused at the first that is too many', async () => {
		const { reading, ...outcome } = await run({ body: bracketed(10_000) }, SECRET);
		expect(outcome).toEqual({ ...REFUSED, status: 413, message: 'The call is too large' });
		expect(reading.fields).toBe(5_000);
	});

	it('is told from a genuine one, which still needs a job that has ended', async () => {
		const query = signedQuery();
		const inBody = await run({ body: { job_id: loot.ended, ...query } }, SECRET);
		const madeUp = await run({ body: { job_id: 'made-up' }, query }, SECRET);
		const genuine = await run({ body: { job_id: loot.ended }, query }, SECRET);
		expect([inBody.status, madeUp.status, genuine.status]).toEqual([401, 503, 200]);
		expect([inBody.started, madeUp.started, genuine.started]).toEqual([false, false, true]);
	});
});

describe('a forged call of a trigger without a secret', () => {
	const byId = (status: number, id: (ended: string) => unknown) =>
		[() => ({ body: { job_id: id(loot.ended) } as IncomingRequest['body'] }), status] as const;

	// `unit/callback/payload` tests more values that are not IDs, and more calls without a body.
	it.each<[string, () => IncomingRequest, number]>([
		['an unknown job', ...byId(503, () => 'ffffffffffffffffffffffff')],
		['a job of another account', ...byId(503, () => loot.foreign)],
		[
			'a running job that is said to be over',
			() => ({ body: { job_id: loot.running, status: 'finished' } }),
			503,
		],
		['the credential’s own endpoint as ID', ...byId(503, () => 'usage_today')],
		['an ID with a path to another job', ...byId(400, (ended) => `x/../${ended}`)],
		['an endless ID', ...byId(400, () => 'a'.repeat(100_000))],
		['the ID under the prototype', () => json(`{"__proto__":{"job_id":"${loot.ended}"}}`), 400],
		['a body of an unknown type', () => ({ body: {}, rawBody: Buffer.alloc(2_000_000, 'x') }), 413],
		['4,000 bracketed fields', () => ({ body: bracketed(4_000) }), 400],
		['30,000 lists in each other', () => json('['.repeat(30_000) + ']'.repeat(30_000)), 413],
		['a body of 15 MB', () => ({ body: { fill: 'x'.repeat(15_000_000) } }), 413],
		['a name of 900 KB with brackets', () => ({ body: { [`job[${'x'.repeat(900_000)}]`]: 1 } }), 400],
		['a status of 900 KB', () => ({ body: { id: 'a', status: ' '.repeat(900_000) } }), 400],
		['an address of 900 KB', () => ({ body: { download_url: `https://${'a/'.repeat(450_000)}` } }), 400],
		['90,000 objects as text in an envelope', () => ({ body: { data: '{"a":'.repeat(18_000) } }), 400],
		['4,000 spellings of an envelope', () => ({ body: spellings(4_000) }), 400],
		['10,000 query parameters', () => ({ body: {}, query: fields(10_000) }), 413],
		['text of exactly 1 MiB', () => ({ body: '{'.repeat(2 ** 20) }), 400],
		['text of a byte more', () => ({ body: '{'.repeat(2 ** 20 + 1) }), 413],
	])('with %s starts nothing, and is hardly read', async (_name, request, status) => {
		const { reading, paths, ...outcome } = await run(request());
		expect(outcome).toEqual({ started: false, status, message: expect.any(String) });
		expect(paths.filter((path) => status !== 503 || path.includes('download'))).toEqual([]);
		expect(reading.fields).toBeLessThanOrEqual(READS * 5_000);
		expect(reading.bytes).toBeLessThanOrEqual(READS * 1024 * 1024);
	});

	it('with 200 unknown jobs costs less than half of the status calls, and starts nothing', async () => {
		sandbox.clearRequests();
		const credential = { webhookSecret: '', password: 'for all of them' };
		const scenario = triggerScenario(sandbox, new PriceCollectionTrigger(), {}, credential);
		const calls = Array.from({ length: 200 }, async (_, n) => {
			const body = { job_id: `made-up-${n}` };
			const { reply, response } = await callTrigger(scenario, 'Ends', { body });
			return [response.status, reply.workflowData];
		});
		expect(new Set((await Promise.all(calls)).map(String))).toEqual(new Set(['503,']));
		const asked = (path: RegExp) => sandbox.requests.filter((one) => path.test(one.path)).length;
		expect(asked(/\/v2\/jobs\/[^/]+$/)).toBeLessThanOrEqual(30);
		expect(asked(/\/v2\/jobs$/)).toBeLessThanOrEqual(120);
		expect(asked(/\/download$/)).toBe(0);
	});

	it('with a download URL of another host fetches nothing from there', async () => {
		const elsewhere = `${sandbox.otherOriginUrl}/v2/jobs/made-up/download.json`;
		const unknown = await run({ body: { download_url: elsewhere, status: 'finished' } });
		expect(unknown).toMatchObject({ status: 503, started: false });
		const known = await run({ body: { job_id: loot.ended, download_url: elsewhere } });
		expect(known).toMatchObject({ status: 200, started: true, paths: [`/v2/jobs/${loot.ended}`] });
		expect(sandbox.otherOriginRequests).toEqual([]);
	});
});
