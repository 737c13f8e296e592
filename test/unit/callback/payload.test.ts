import fc from 'fast-check';

import { isWithinBounds, readNotification } from '../../../nodes/PriceCollection/callback/payload';

const ID = '5d0b4a3f8e2c1a0b9f8e7d6c';
const read = (body: unknown, query: Record<string, unknown> = {}, contentType?: string) => {
	const found = readNotification({ body, query, contentType });
	return found && { jobId: found.jobId, status: found.status };
};

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('reading a notification', () => {
	it.each<[string, unknown]>([
		['job_id', { job_id: ID }],
		['jobId', { jobId: ID }],
		['job-id', { 'job-id': ID }],
		['JOB_ID', { JOB_ID: ID }],
		['job as a text', { job: ID }],
		['a job envelope', { job: { job_id: ID } }],
		['a data envelope', { data: { jobId: ID } }],
		['a payload envelope', { payload: { job_id: ID, job_download_url: 'https://x.example' } }],
		['id inside an envelope', { job: { id: ID } }],
		['an envelope in a list', { data: [{ job_id: ID }] }],
		['an envelope as JSON text', { payload: `{"job_id":"${ID}"}` }],
		['a form with brackets', { 'payload[job_id]': ID }],
		['a form with brackets and dashes', { 'job[job-id]': ID }],
		['a list with one element', [{ job_id: ID }]],
		['a list of one value', { job_id: [ID] }],
		['an XML element with attributes', { job: { 'job-id': { _: ID, $: { type: 'string' } } } }],
		['text that holds JSON', ` {"job_id":"${ID}"}\n`],
		['spaces around the ID', { job_id: ` ${ID} ` }],
		['a download URL', { download_url: `https://h.example/v2/jobs/${ID}/download` }],
		['a download URL with a format', { job_download_url: `https://h/v2/jobs/${ID}/download.xml?a=b` }],
	])('understands %s', (_name, body) => {
		expect(read(body)?.jobId).toBe(ID);
	});

	const xml = 'application/xml; charset=utf-8';
	it.each<[string, Parameters<typeof read>, [jobId: string, status?: string] | undefined]>([
		['XML of any root', [{ any: { 'job-id': ID, status: 'new' } }, {}, xml], [ID, 'new']],
		['an envelope in XML', [{ hash: { payload: { 'job-id': ID } } }, {}, 'text/xml'], [ID]],
		['no root of JSON', [{ notification: { 'job-id': ID } }, {}, 'application/json'], undefined],
		['no root of something like XML', [{ a: { job_id: ID } }, {}, 'application/xmlish'], undefined],
		['no root of two', [{ a: { job_id: ID }, b: {} }, {}, 'text/xml'], undefined],
		['no empty XML', [{}, {}, 'text/xml'], undefined],
		['no prototype in XML', [JSON.parse(`{"__proto__":{"job_id":"${ID}"}}`), {}, 'text/xml'], undefined],
		['a number', [{ job_id: 12345 }], ['12345']],
		['no id alone', [{ id: ID }], undefined],
		['id beside a status', [{ id: ID, status: 'finished' }], [ID, 'finished']],
		['the query', [{}, { job_id: ID }], [ID]],
		['an envelope in the query', [undefined, { data: { job_id: ID } }], [ID]],
		['no body beside a query that is too large', [{ job_id: ID }, fields(5_001)], undefined],
		['no query beside a body that is too large', [fields(5_001), { job_id: ID }], undefined],
	])('takes %s for a job', (_name, given, expected) => {
		const found = read(...given);
		expect(found).toEqual(expected && { jobId: expected[0], status: expected[1] });
	});

	it('prefers the body to the query, the root to what is below, and an ID to an address', () => {
		const download_url = 'https://h.example/v2/jobs/other/download';
		const body = { download_url, data: { job_id: 'below' }, job_id: ID };
		expect(read(body, { job_id: 'q' })?.jobId).toBe(ID);
		// The object that held the job ID is returned.
		const job = { job_id: ID, status: 'finished', source: 'test' };
		expect(readNotification({ body: { event: 'x', job }, query: {} })?.job).toBe(job);
	});

	it.each<[string, ...Parameters<typeof read>]>([
		['id at the root', { id: 'evt_1', status: 'ok', data: { job_id: ID } }],
		['id in an earlier envelope', { data: { id: 'evt_1' }, job: { job_id: ID } }],
		['id beside brackets', { id: 'evt_1', status: 'ok', 'payload[job_id]': ID }],
		['id before the query', { id: 'evt_1', status: 'ok' }, { job_id: ID }],
		[
			'id before an address',
			{ id: 'evt_1', status: 'ok', data: { download_url: `https://h/v2/jobs/${ID}/download` } },
		],
		['address at the root', { download_url: 'https://h/v2/jobs/other/download', data: { job_id: ID } }],
	])('prefers what only a job has to any other %s', (_name, ...given) => {
		expect(read(...given)).toEqual({ jobId: ID, status: undefined });
	});

	const texts = ['../x', 'a/b', 'a\\b', '..', '.', 'a b', 'a?b', 'a#b', 'a%2Fb', 'a\u0000', 'a\u200bb', ''];
	it.each([
		...[...texts, 'a'.repeat(201), null, true, 1.5, 2 ** 60, {}].map((job_id): [unknown] => [job_id]),
		[['a', 'b']],
	])('does not take %j for an ID', (job_id) => {
		expect(read({ job_id })).toBeUndefined();
	});

	const longName = (name: string, length: number) => name + '_'.repeat(length - name.length);
	const address = (id: string) => `https://h.example/v2/jobs/${id}/download`;
	const longAddress = (length: number) => `${address(ID)}?t=`.padEnd(length, 'x');

	it.each<[string, unknown]>([
		['that is 200 characters long', { job_id: ID.padEnd(200, 'x') }],
		['with points in it', { job_id: `.${ID}.` }],
		['under a name of 50 characters', { [longName('job_id', 50)]: ID }],
		['in brackets of 50 characters', { [`${longName('job[job_id', 49)}]`]: ID }],
		['in an address of 4,000 characters', { download_url: longAddress(4_000) }],
		['in the second envelope', { data: { x: 1 }, job: { job_id: ID } }],
		['in a text of 100,000 characters', { payload: `{"job_id":"${ID}"}`.padEnd(100_000) }],
		['beside a status of 50 characters', { id: ID, status: 's'.repeat(50) }],
	])('understands an ID %s', (_name, body) => {
		expect(read(body)?.jobId).toContain(ID);
	});

	it.each<[string, unknown]>([
		['of a name that is too long', { [longName('job_id', 51)]: ID }],
		['in brackets that are too long', { [`${longName('job[job_id', 50)}]`]: ID }],
		['in brackets of another name', { 'other[job_id]': ID }],
		['in brackets behind something', { 'x job[job_id]': ID }],
		['in brackets before something', { 'job[job_id]x': ID }],
		['in an address that is too long', { download_url: longAddress(4_001) }],
		['in an address of another name', { website: address(ID) }],
		['in an address that goes on', { download_url: `${address(ID)}/more` }],
		['in an address that encodes more', { download_url: address('a%2Fb') }],
		['in an address of something else', { download_url: 'https://h.example/x' }],
		['in what is no address', { download_url: 'somewhere' }],
		['in an address that is no text', { download_url: 7 }],
		['in a list of two', { data: [{ job_id: ID }, { job_id: ID }] }],
		['in a text that is too long', { payload: `{"job_id":"${ID}"}`.padEnd(100_001) }],
		['in a text that is a list', { payload: `[{"job_id":"${ID}"}]` }],
		['in a text that is broken', { payload: `{"job_id":"${ID}"` }],
		['beside a status that is too long', { id: ID, status: 's'.repeat(51) }],
		['beside a status that is none', { id: ID, status: 'done!' }],
		['beside a status that begins with none', { id: ID, status: '<done' }],
	])('does not take for one what stands %s', (_name, body) => {
		expect(read(body)).toBeUndefined();
	});

	it('gives no job a prototype of its own', () => {
		const body = { 'data[id]': ID, 'data[__proto__]': { status: 'finished' } };
		const found = readNotification({ body, query: {} });
		expect([found?.jobId, found?.status]).toEqual([ID, undefined]);
		expect(Object.getPrototypeOf(found?.job)).toBe(Object.prototype);
	});

	it('does not look into prototypes, or a body that is too deep', () => {
		const bodies = [
			JSON.parse(`{"__proto__":{"job_id":"${ID}"}}`),
			Object.create({ job_id: ID }),
		] as object[];
		for (const body of [...bodies, { 'data[__proto__]': ID }, { job_id: ID, deep: nested(41) }])
			expect(read(body)).toBeUndefined();
	});

	it('finds the ID among thousands of names in brackets', () => {
		const spelled = Object.fromEntries(Array.from({ length: 4_900 }, (_, n) => [`job[x${n}]`, 1]));
		expect(read({ ...spelled, 'job[id]': ID })?.jobId).toBe(ID);
	});

	it('never throws, and gives only what can stand in a path', () => {
		fc.assert(
			fc.property(fc.anything(), fc.dictionary(fc.string(), fc.anything()), (body, query) => {
				const found = readNotification({ body, query });
				if (found) expect(found.jobId).toMatch(/^[^\s/\\?#%]+$/);
			}),
		);
	});
});

it.each<[string, unknown, boolean]>([
	['nothing', undefined, true],
	['a long text', 'x'.repeat(10_000), true],
	['a small object', { job_id: 'a', data: [null, 'x'] }, true],
	['5,000 fields', fields(5_000), true],
	['5,001 fields', fields(5_001), false],
	['5,000 fields on two levels', { a: fields(2_499), b: fields(2_499) }, true],
	['5,001 fields on two levels', { a: fields(2_499), b: fields(2_500) }, false],
	['5,001 elements', Array(5_001).fill(1), false],
	['40 levels', nested(40), true],
	['41 levels', nested(41), false],
	['41 levels beside one', { flat: 1, deep: nested(40) }, false],
	['bytes, which are not looked into', { body: Buffer.alloc(10_000) }, true],
])('of %s a notification can consist: %#', (_name, data, isWithin) => {
	expect(isWithinBounds(data)).toBe(isWithin);
});
