import { success } from '../../../nodes/PriceCollection/service/problems';
import type { End } from '../../../nodes/PriceCollection/service/statuses';
import { itemsOfJob } from '../../../nodes/PriceCollection/trigger/items';
import { fakeClient } from '../fakeClient';
import { settingsOf } from './polling/polls';

const JOB = { job_id: 'a', status: 'finished' };

it.each([
	[['finished'], 'results', true],
	[['finished'], 'cancelled', false],
	[['finished'], 'failed', false],
	[['any'], 'cancelled', true],
	[['any'], 'failed', true],
	[['any'], undefined, false],
	[[], undefined, false],
	['cancelled', 'cancelled', true],
	[[], 'cancelled', true],
] as Array<[string | string[], End | undefined, boolean]>)(
	'a trigger that listens for %j is started by the end %s: %s',
	(events, end, wanted) => {
		expect(settingsOf({}, { events }).wants(end)).toBe(wanted);
	},
);

it('the output of a trigger is one that it offers, and the job where nothing is chosen', () => {
	expect(settingsOf({}, { output: '' }).output).toBe('job');
	expect(() => settingsOf({}, { output: 'notification' })).toThrow('Output cannot be "notification"');
});

it('a request may be silent for as long as the trigger says, in milliseconds', () => {
	expect(settingsOf({}, { options: { requestTimeout: 7 } }).timeoutMs).toBe(7_000);
});

it('remarks about rows are shown', async () => {
	const content = { name: 'Lamp', offers: [{ price: '1.299', shop_name: 'A' }] };
	const results = [{ query: {}, success: true, content }];
	const download = async () => await Promise.resolve(success({ ...JOB, results }));
	const remark = jest.fn();
	const settings = settingsOf({ output: 'results', remark }, { columns: 'main' });
	await itemsOfJob({ ...fakeClient({}).client, download }, JOB, settings, { isEmptyFinal: true });
	expect(remark.mock.calls).toEqual([
		[expect.stringContaining('cannot be read in one way only, so these offers do not count: "1.299"')],
	]);
});

it.each([
	['once', undefined, 1],
	['until the time that is given, while its results lag behind', 15_000, 4],
])('the results of a job are asked for %s', async (_name, until, attempts) => {
	let now = 0;
	const download = jest.fn(async () => await Promise.resolve(success({ ...JOB, results: [] })));
	const pause = async (milliseconds: number) => void (now += milliseconds);
	const client = { ...fakeClient({ now: () => now, pause }).client, download };
	const settings = settingsOf({ output: 'results' }, { columns: 'all' });
	const items = await itemsOfJob(client, JOB, settings, { until, isEmptyFinal: true });
	const reason = 'the job has no results';
	expect(items).toEqual(success([{ ...JOB, success: false, found: false, reason }]));
	expect(download).toHaveBeenCalledTimes(attempts);
});
