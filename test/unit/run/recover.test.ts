import type { IDataObject } from 'n8n-workflow';

import { recoverLostJob, couldBe } from '../../../nodes/PriceCollection/run/recover';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import type { Job } from '../../../nodes/PriceCollection/service/types';
import { fakeClient } from '../fakeClient';

const SINCE = Date.parse('2026-10-01T12:00:00Z');
const sent = { topic: 'search', source: 'test', country: 'de', key: 'gtin', values: '1\n2' };
const lost = { sent, values: ['0001', '2'], since: SINCE, known: new Set(['known']) };
const job = (more: IDataObject = {}): Job => ({
	job_id: 'new',
	status: 'new',
	created_at: '2026-10-01T12:00:01Z',
	...more,
});

describe('a job could be the lost one', () => {
	test.each<[string, IDataObject]>([
		['when it says nothing but its time', {}],
		[
			'when all it says agrees',
			{ topic: 'search', source: 'test', country: 'de', key: 'gtin', requested: 2 },
		],
		['when it says so one level down', { parameters: { topic: 'search', values: '2\n1' } }],
		['when its GTINs have other leading zeros', { values: ['00000000000001', '02'] }],
		['when it has no time but the values', { created_at: null, values: '1\n2' }],
		['when it was not downloaded', { downloaded_at: null }],
	])('%s', (_name, more) => {
		expect(couldBe(job(more), lost, SINCE)).toBe(true);
	});

	test.each<[string, IDataObject]>([
		['when it belongs to this run already', { job_id: 'known' }],
		['when it was there before', { created_at: '2026-10-01T11:59:59Z' }],
		['when its topic is another', { topic: 'reviews' }],
		['when its country is another, one level down', { query: { country: 'fr' } }],
		['when it asks for another number of values', { requested: 3 }],
		['when its values are others', { values: '1\n3' }],
		['when somebody has downloaded it', { downloaded_at: '2026-10-01T12:00:02Z' }],
		['when it tells neither time nor values', { created_at: undefined }],
	])('not %s', (_name, more) => {
		expect(couldBe(job(more), lost, SINCE)).toBe(false);
	});
});

describe('looking for it', () => {
	test('gives the only one that it can be', async () => {
		const { client } = fakeClient({ pages: [[job({ topic: 'reviews', job_id: 'other' }), job()]] });
		expect(await recoverLostJob(client, lost)).toEqual(success(job()));
	});

	test('looks again when the service enters it late', async () => {
		let looks = 0;
		const { client } = fakeClient({ list: () => success(++looks < 3 ? [] : [job()]) });
		expect(await recoverLostJob(client, lost)).toEqual(success(job()));
	});

	test('says that there is none', async () => {
		const { client, asked } = fakeClient({ pages: [] });
		expect(await recoverLostJob(client, lost)).toMatchObject({
			problem: { detail: 'The job list shows no job that could be this one.' },
		});
		expect(asked).toHaveLength(3);
	});

	test('names all of several', async () => {
		const { client } = fakeClient({ pages: [[job(), job({ job_id: 'second' })]] });
		expect(await recoverLostJob(client, lost)).toMatchObject({
			problem: { detail: 'One of these jobs may be this one: new, second.' },
		});
	});

	test('says when the list cannot be read', async () => {
		const problem = { kind: 'unavailable', endpoint: 'GET /v2/jobs', effect: 'none' } as const;
		const { client } = fakeClient({ list: () => failure(problem) });
		expect(await recoverLostJob(client, lost)).toMatchObject({
			problem: { kind: 'unavailable', detail: 'The job list could not be read to find out.' },
		});
	});

	test('goes by the clock of the service, where it tells the time', async () => {
		const ahead = 3_600_000;
		const at = (ms: number) => new Date(SINCE + ms).toISOString();
		const older = job({ job_id: 'older', created_at: at(ahead - 5_000) });
		const ours = job({ created_at: at(ahead + 1_000) });
		const { client } = fakeClient({ pages: [[ours, older]], clockAheadMs: ahead });
		expect(await recoverLostJob(client, lost)).toEqual(success(ours));
	});
});
