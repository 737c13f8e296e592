import type { Download } from '../../../nodes/PriceCollection/service/api/download';
import type { Problem } from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS, type JobResults, type Result } from '../../../nodes/PriceCollection/service/types';
import { itemsOfJob } from '../../../nodes/PriceCollection/triggers/jobItems';
import { fakeClient } from '../fakeClient';
import { settingsOf } from './polling/polls';

const JOB = { job_id: 'a', status: 'finished' };

/** The items for the end of a job with this download, and the remarks. */
async function itemsOf(download: Download<JobResults>, status = 'finished', columns = 'main') {
	const remark = jest.fn();
	const settings = settingsOf({ output: 'results', remark, timeoutMs: 7_000 }, { columns });
	const asked: unknown[] = [];
	const client = {
		...fakeClient({}).client,
		download: async (...args: unknown[]) => {
			asked.push(args);
			return await Promise.resolve(download);
		},
	};
	const items = await itemsOfJob(client, { ...JOB, status }, settings, {
		download: async (ask) => await ask(),
	});
	return { items, asked, remarks: remark.mock.calls.flat() as string[] };
}
const withResults = (...results: Result[]): Download<JobResults> => ({
	...{ kind: 'results', value: { ...JOB, results }, isEmpty: results.length === 0 },
});

it('remarks about rows are shown', async () => {
	const content = { name: 'Lamp', offers: [{ price: '1.299', shop_name: 'A' }] };
	const { remarks, asked } = await itemsOf(withResults({ query: {}, success: true, content }));
	expect(remarks).toEqual([
		expect.stringContaining('something could not be read, and its reason says what'),
	]);
	expect(asked).toEqual([[{ jobId: 'a', isOver: true }, { timeoutMs: 7_000 }]]);
});

it('more rows than a call takes arguments are given out', async () => {
	const results = Array<Result>(150_000).fill({ query: {}, success: true, content: { name: 'Lamp' } });
	const value = { ...JOB, results };
	const { items } = await itemsOf({ kind: 'results', value, isEmpty: false }, 'finished', 'raw');
	expect(items).toMatchObject({ kind: 'results', value: { length: 150_000 } });
});

const why: Problem = { kind: 'notReady', endpoint: ENDPOINTS.download, effect: 'none' };
const NONE = { kind: 'none', end: 'failed', reason: 'the job failed: x', why } as const;
it.each<[Download<JobResults>, string, string]>([
	[withResults(), 'finished', 'the job has no results'],
	[withResults(), 'failed', 'the job failed'],
	[NONE, 'failed', 'the job failed: x'],
])('the end of a job without results is an item that says why: %j', async (download, status, reason) => {
	const item = { job_id: 'a', status, success: false, found: false, reason };
	expect((await itemsOf(download, status)).items).toEqual({
		kind: 'results',
		value: [item],
		isEmpty: false,
	});
});

it.each(['notYet', 'denied', 'impossible'] as const)(
	'a download that is %s is left to the caller',
	async (kind) => {
		expect((await itemsOf({ kind, why })).items).toEqual({ kind, why });
	},
);
