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

	it('counts pages from 0 when told to', async () => {
		client.sandbox.setOptions({ listFirstPage: 0 });
		expect(await page('page=0&per_page=3')).toEqual(ids.toReversed().slice(0, 3));
		expect(await page('page=1&per_page=3')).toEqual(ids.toReversed().slice(3, 6));
		expect(await page('per_page=3')).toEqual(ids.toReversed().slice(0, 3));
	});

	it('refuses a page beyond the last one when told to', async () => {
		client.sandbox.setOptions({ listPaging: 'refuse' });
		expect(await page('page=3&per_page=3')).toHaveLength(1);
		const { status, json } = await client.send('/v2/jobs?page=4&per_page=3');
		expect([status, json.reason]).toEqual([404, 'page not found']);
		client.sandbox.setOptions({ refusalStatuses: { 'page not found': 400 } });
		expect((await client.send('/v2/jobs?page=4&per_page=3')).status).toBe(400);
	});

	it.each(['next_cursor', 'meta.next'])('goes on by a cursor in %s', async (listCursorField) => {
		client.sandbox.setOptions({
			...{ listPaging: 'cursor', listSays: ['cursor', 'hasMore'], listCursorField },
			listCursorParameter: 'after',
		});
		const seen: string[] = [];
		let cursor: unknown = '';
		let last: Record<string, unknown> = {};
		while (cursor !== null && seen.length < 20) {
			last = (await client.send(`/v2/jobs?per_page=3&page=9&after=${String(cursor)}`)).json;
			seen.push(...(last.data as Array<{ job_id: string }>).map(({ job_id }) => job_id));
			const holder = listCursorField === 'meta.next' ? last.meta : last;
			cursor = (holder as Record<string, unknown>)[listCursorField.replace('meta.', '')];
		}
		expect(seen).toEqual(ids.toReversed());
		expect(last.has_more).toBe(false);
		expect((await client.send('/v2/jobs?after=none')).status).toBe(400);
	});

	it('says how it goes on: totals, whether there is more, and a link without the key', async () => {
		client.sandbox.setOptions({
			listSays: ['total', 'pages', 'hasMore', 'link'],
			listTotalField: 'count',
			listMoreField: 'more',
		});
		const { json, headers } = await client.send('/v2/jobs?page=2&per_page=3');
		expect(json).toMatchObject({ count: 7, total_pages: 3, more: true });
		expect(headers.get('link')).toBe(`<${client.sandbox.url}/v2/jobs?page=3&per_page=3>; rel="next"`);
		const last = await client.send('/v2/jobs?page=3&per_page=3');
		expect([last.json.more, last.headers.get('link')]).toEqual([false, null]);
	});

	it('links to the next page of a bare list', async () => {
		client.sandbox.setOptions({ listShape: 'array', listSays: ['link'] });
		const { headers } = await client.send('/v2/jobs?per_page=3');
		expect(headers.get('link')).toContain('page=2');
	});

	it('has entries that no job belongs to when told to', async () => {
		client.sandbox.setOptions({ listOddEntries: true, listFields: [], listShape: 'dataJobs' });
		const { json } = await client.send('/v2/jobs?per_page=1');
		expect(json).toEqual({
			data: { jobs: [{}, null, { job_id: null }, { job_id: ids[6], status: 'new' }] },
		});
	});

	it('shows the values and the callback of a job when told to', async () => {
		client.sandbox.setOptions({ listFields: ['values', 'webhookUrl'], listShape: 'items' });
		await client.create({ webhook_url: 'http://127.0.0.1:9/x' });
		const { json } = await client.send('/v2/jobs?per_page=1');
		expect(json).toMatchObject({ items: [{ values: ['kettle'], webhook_url: 'http://127.0.0.1:9/x' }] });
	});

	it('gives the newest jobs whatever page is asked for, when told to', async () => {
		client.sandbox.setOptions({ listPaging: 'capped', listMaxPageSize: 3 });
		for (const query of ['page=1', 'page=2&per_page=100', 'page=9']) {
			expect(await page(query)).toEqual(ids.toReversed().slice(0, 3));
		}
	});

	it('spells what a job is about as told', async () => {
		const set = client.sandbox.setOptions.bind(client.sandbox);
		const created = await client.create({ value: undefined, values: 'Café crème\nUSB-C Kabel' });
		expect(created.status).toBe(200);
		const shown = async () => (await client.send('/v2/jobs?per_page=1')).json.data as unknown;
		set({ listFields: ['order', 'values', 'counters'], listSpelling: ['capitals', 'pages'] });
		expect(await shown()).toMatchObject([
			{
				source: 'AMAZON',
				country: 'DE',
				requested: 20,
				values: ['Café crème', 'USB-C Kabel'],
			},
		]);
		set({ listSpelling: ['keyword', 'lowerCase', 'joined'] });
		expect(await shown()).toMatchObject([{ key: 'keyword', keyword: 'café crème, usb-c kabel' }]);
		set({ listSpelling: ['plain', 'cut', 'firstOnly'] });
		expect(await shown()).toMatchObject([{ key: 'term', values: ['cafe c'] }]);
	});

	it('refuses a page that is no number', async () => {
		const { status, json } = await client.send('/v2/jobs?page=first');
		expect([status, json.reason, json.parameter]).toEqual([400, 'parameter value invalid', 'page']);
	});
});
