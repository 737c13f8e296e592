import type { Client } from './support.ts';
import { startStill } from './support.ts';

const DAY_MS = 24 * 3_600_000;

describe('usage and credits', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.close());

	const usage = async (period: string) => (await client.send(`/v2/me/usage_${period}`)).json;

	it('adds up over sources, days and the month, kept jobs or not', async () => {
		await client.finished({ value: undefined, values: ['a', 'b', 'notfound', 'fail'] });
		await client.finished({ source: 'ebay' });
		await client.finished({ source: 'test', value: undefined, values: ['a', 'b'] });
		client.sandbox.advance(4 * DAY_MS);
		await client.finished({ source: 'ebay', value: 'c' });
		expect(client.sandbox.jobs).toHaveLength(1);
		expect(await usage('today')).toEqual({
			date: '2026-10-24',
			jobs: 1,
			requested: 1,
			completed: 1,
			free_credits: 1,
			paid_credits: 0,
			credits: 1,
			daily_quota: null,
			sources: [
				{
					source: 'ebay',
					jobs: 1,
					requested: 1,
					completed: 1,
					free_credits: 1,
					paid_credits: 0,
					credits: 1,
				},
			],
		});
		const month = await usage('month');
		expect(month).toMatchObject({ month: '2026-10', jobs: 4, requested: 8, credits: 5 });
		const sum = (list: unknown) =>
			(list as Array<{ credits: number }>).reduce((all, { credits }) => all + credits, 0);
		expect([sum(month.sources), sum(month.days)]).toEqual([5, 5]);
	});

	it('starts a new month at nothing', async () => {
		await client.finished();
		client.sandbox.advance(12 * DAY_MS);
		expect(await usage('month')).toMatchObject({
			month: '2026-11',
			jobs: 0,
			credits: 0,
			sources: [],
			days: [],
		});
	});

	it.each([
		['one credit a value', { value: undefined, values: ['a', 'b'] }, 2],
		['one for what is not found', { value: 'notfound' }, 1],
		['nothing for what failed', { value: 'fail' }, 0],
		['one for every delivered page', { max_pages: 3 }, 3],
		['double for a parameter off its default', { condition: 'new' }, 2],
		['nothing at the test source', { source: 'test' }, 0],
	])('books %s', async (_name, more, expected) => {
		await client.finished(more);
		expect(client.sandbox.jobs[0]?.charged).toBe(expected);
		expect(await usage('today')).toMatchObject({ credits: expected });
	});

	it('books at the end, and nothing for a cancelled job', async () => {
		const { json } = await client.create();
		expect(await usage('today')).toMatchObject({ jobs: 1, credits: 0 });
		await client.post(`/v2/jobs/${String(json.job_id)}/cancel`, {});
		client.sandbox.advance(10_000);
		expect(await usage('today')).toMatchObject({ jobs: 1, credits: 0 });
	});

	it('takes free credits first, then paid ones, and refuses what may cost more', async () => {
		client.sandbox.setOptions({ freeCredits: 3, paidCredits: 2 });
		const first = await client.finished({ value: undefined, values: ['a', 'b'] });
		const second = await client.finished({ value: undefined, values: ['c', 'd'] });
		const shown = async (id: string) => (await client.send(`/v2/jobs/${id}/download`)).json;
		expect(await shown(first)).toMatchObject({ free_credits: 2, paid_credits: 0 });
		expect(await shown(second)).toMatchObject({ free_credits: 1, paid_credits: 1 });
		const refused = await client.create({ value: undefined, values: ['e', 'f'] });
		expect([refused.status, refused.json.reason]).toEqual([402, 'not enough free credits']);
		expect((await client.create({ source: 'test', value: undefined, values: ['e', 'f'] })).status).toBe(
			200,
		);
	});

	it('has a daily quota that jobs side by side overshoot', async () => {
		client.sandbox.setOptions({ dailyQuota: 2 });
		const ids = [
			await client.create({ value: 'a' }),
			await client.create({ value: 'b' }),
			await client.create({ value: 'c' }),
		];
		for (const { json } of ids) client.sandbox.finishJob(String(json.job_id));
		expect(await usage('today')).toMatchObject({ credits: 3, daily_quota: 2 });
		const { status, json } = await client.create();
		expect([status, json.reason]).toEqual([403, 'daily quota exceeded']);
		client.sandbox.advance(DAY_MS);
		expect((await client.create()).status).toBe(200);
	});

	it('comes in other shapes when told to', async () => {
		await client.finished();
		client.sandbox.setOptions({ usageShape: 'nested' });
		expect(await usage('today')).toMatchObject({ usage: { credits: 1 } });
		client.sandbox.setOptions({ usageShape: 'array' });
		expect(await usage('today')).toMatchObject([{ source: 'amazon', credits: 1 }]);
	});
});
