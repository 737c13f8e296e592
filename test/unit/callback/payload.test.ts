import fc from 'fast-check';

import { isWithinBounds, readNotification } from '../../../nodes/PriceCollection/callback/payload';
import { runs } from '../../runs';

const ID = '5d0b4a3f8e2c1a0b9f8e7d6c';
const read = (body: unknown, query: Record<string, unknown> = {}, contentType?: string) => {
	const found = readNotification({ body, query, contentType });
	return found && { jobId: found.jobId, status: found.status };
};

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
		[
			'a download URL with a format',
			{ job_download_url: `https://h.example/v2/jobs/${ID}/download.xml?token=t` },
		],
	])('understands %s', (_name, body) => {
		expect(read(body)?.jobId).toBe(ID);
	});

	it('understands an XML document with a root of any name', () => {
		const document = { notification: { 'job-id': ID, status: 'finished' } };
		expect(read(document, {}, 'application/xml; charset=utf-8')).toEqual({
			jobId: ID,
			status: 'finished',
		});
		expect(read({ hash: { payload: { 'job-id': ID } } }, {}, 'text/xml')?.jobId).toBe(ID);
		expect(read(document, {}, 'application/json')).toBeUndefined();
	});

	it('understands a number as ID', () => {
		expect(read({ job_id: 12345 })?.jobId).toBe('12345');
	});

	it('takes id for a job only beside a status', () => {
		expect(read({ id: ID })).toBeUndefined();
		expect(read({ id: ID, status: 'finished' })).toEqual({ jobId: ID, status: 'finished' });
	});

	it('prefers the body to the query, the root to what is below, and an ID to an address', () => {
		const address = 'https://h.example/v2/jobs/other/download';
		expect(
			read({ download_url: address, data: { job_id: 'below' }, job_id: ID }, { job_id: 'q' })?.jobId,
		).toBe(ID);
		expect(read({}, { job_id: ID })?.jobId).toBe(ID);
		expect(read(undefined, { data: { job_id: ID } })?.jobId).toBe(ID);
	});

	it('hands on the object in which the job stood', () => {
		const job = { job_id: ID, status: 'finished', source: 'test' };
		expect(readNotification({ body: { event: 'x', job }, query: {} })?.job).toBe(job);
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

	it('looks at the only root of an XML document', () => {
		const xml = 'application/xml';
		expect(read({ a: { job_id: ID } }, {}, xml)?.jobId).toBe(ID);
		expect(read({ a: { job_id: ID }, b: {} }, {}, xml)).toBeUndefined();
		expect(read({}, {}, xml)).toBeUndefined();
		expect(read({ a: { job_id: ID } }, {}, 'application/xmlish')).toBeUndefined();
		const prototype = JSON.parse(`{"__proto__":{"job_id":"${ID}"}}`) as unknown;
		expect(read(prototype, {}, xml)).toBeUndefined();
	});

	it('does not look into a query that is too large, nor into the body beside it', () => {
		expect(read({ job_id: ID }, fields(5_001))).toBeUndefined();
		expect(read(fields(5_001), { job_id: ID })).toBeUndefined();
	});

	it('gives no job a prototype of its own', () => {
		const body = { 'data[id]': ID, 'data[__proto__]': { status: 'finished' } };
		const found = readNotification({ body, query: {} });
		expect([found?.jobId, found?.status]).toEqual([ID, undefined]);
		expect(Object.getPrototypeOf(found?.job)).toBe(Object.prototype);
	});

	it('does not look into prototypes', () => {
		expect(read(JSON.parse(`{"__proto__":{"job_id":"${ID}"}}`))).toBeUndefined();
		expect(read(Object.create({ job_id: ID }))).toBeUndefined();
		expect(read({ 'data[__proto__]': ID })).toBeUndefined();
	});

	it('does not look into a text that is too long for an object', () => {
		expect(read({ payload: JSON.stringify({ job_id: ID, fill: 'x'.repeat(100_000) }) })).toBeUndefined();
		expect(read({ job_id: ID, deep: nested(41) })).toBeUndefined();
	});

	it('reads forms with brackets in linear time', () => {
		const spelled = Object.fromEntries(Array.from({ length: 4_900 }, (_, n) => [`job[x${n}]`, 1]));
		for (let n = 0; n < runs(50); n++) expect(read({ ...spelled, 'job[id]': ID })?.jobId).toBe(ID);
	});

	it('never throws, and gives only what can stand in a path', () => {
		fc.assert(
			fc.property(
				fc.anything(),
				fc.dictionary(fc.string(), fc.anything()),
				fc.string(),
				(body, query, type) => {
					const found = readNotification({ body, query, contentType: type });
					if (found) expect(found.jobId).toMatch(/^[^\s/\\?#%]+$/);
				},
			),
		);
	});
});

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('what can be a notification', () => {
	it.each([undefined, null, 'x'.repeat(10_000), 7, {}, [], { job_id: 'a', data: [null, 'x'] }])(
		'is what is small: %#',
		(data) => {
			expect(isWithinBounds(data)).toBe(true);
		},
	);

	it('has 5,000 fields and elements, all levels together', () => {
		expect(isWithinBounds(fields(5_000))).toBe(true);
		expect(isWithinBounds(fields(5_001))).toBe(false);
		expect(isWithinBounds({ a: fields(2_499), b: fields(2_499) })).toBe(true);
		expect(isWithinBounds({ a: fields(2_499), b: fields(2_500) })).toBe(false);
		expect(isWithinBounds(Array.from({ length: 5_001 }, () => 1))).toBe(false);
	});

	it('has 40 levels', () => {
		expect(isWithinBounds(nested(40))).toBe(true);
		expect(isWithinBounds(nested(41))).toBe(false);
		expect(isWithinBounds({ flat: 1, deep: nested(40) })).toBe(false);
	});

	it('may hold bytes, which are not looked into', () => {
		expect(isWithinBounds(Buffer.alloc(10_000))).toBe(true);
		expect(isWithinBounds({ body: Buffer.alloc(10_000) })).toBe(true);
	});
});
