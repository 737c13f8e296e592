import type { Client } from './support.ts';
import { startStill } from './support.ts';

describe('the list of jobs', () => {
	let client: Client;
	let ids: string[];

	beforeEach(async () => {
		client = await startStill();
		ids = [];
		for (let index = 0; index < 7; index++) ids.push((await client.create()).json.job_id as string);
	});
	afterEach(() => client.sandbox.close());

	const page = async (query: string) => {
		const { json } = await client.send(`/v2/jobs?${query}`);
		const list = Array.isArray(json) ? json : ((json.data ?? json.jobs) as unknown[]);
		return (list as Array<{ job_id: string }>).map((job) => job.job_id);
	};

	it('comes newest first, in pages, and ends with an empty one', async () => {
		const newest = ids.toReversed();
		expect(await page('page=1&per_page=3')).toEqual(newest.slice(0, 3));
		expect(await page('page=3&per_page=3')).toEqual(newest.slice(6));
		expect(await page('page=4&per_page=3')).toEqual([]);
	});

	it('has a default and a greatest page size', async () => {
		client.sandbox.setOptions({ listDefaultPageSize: 2, listMaxPageSize: 4 });
		expect(await page('')).toHaveLength(2);
		expect(await page('per_page=100')).toHaveLength(4);
	});

	it('ignores paging, or repeats the last page, when told to', async () => {
		client.sandbox.setOptions({ listPaging: 'ignored' });
		expect(await page('page=9&per_page=2')).toHaveLength(7);
		client.sandbox.setOptions({ listPaging: 'repeatLast' });
		expect(await page('page=9&per_page=3')).toEqual([ids[0]]);
	});

	it('comes in another order when told to', async () => {
		client.sandbox.setOptions({ listOrder: 'oldest' });
		expect(await page('')).toEqual(ids);
		client.sandbox.setOptions({ listOrder: 'shuffled' });
		expect((await page('')).toSorted()).toEqual(ids.toSorted());
	});

	it.each(['data', 'jobs', 'array'] as const)('comes as %s', async (listShape) => {
		client.sandbox.setOptions({ listShape });
		const { json } = await client.send('/v2/jobs');
		expect(listShape === 'array' ? json : json[listShape]).toHaveLength(7);
	});

	it('says where it stands, and names its parameters, as told', async () => {
		client.sandbox.setOptions({
			listPagingFields: true,
			listPageParameter: 'p',
			listPageSizeParameter: 'limit',
		});
		const { json } = await client.send('/v2/jobs?p=2&limit=3');
		expect(json).toMatchObject({ page: 2, per_page: 3, total: 7 });
	});

	it('refuses a page that is no number', async () => {
		const { status, json } = await client.send('/v2/jobs?page=first');
		expect([status, json.reason, json.parameter]).toEqual([400, 'parameter value invalid', 'page']);
	});
});
