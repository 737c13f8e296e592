import type { Download } from '../../../../nodes/PriceCollection/service/api/download';
import {
	afterDownload,
	downloadOne,
	downloads,
} from '../../../../nodes/PriceCollection/service/api/downloads';
import { DENIED, EMPTY_LIST, FULL, kindOf, LATE, NONE, RUNS, THERE } from './sampleDownloads';

const START = 1_800_000_000_000;

test.each<[string, Download<string>, number | undefined, object]>([
	['results', THERE, undefined, { next: 'take' }],
	['an obstacle here', FULL, undefined, { next: 'take' }],
	['nothing proven', LATE, 70_000, { next: 'again', deniedSince: 70_000 }],
	['a job that runs', RUNS, 70_000, { next: 'again', deniedSince: undefined }],
	['a first denial', DENIED, undefined, { next: 'again', deniedSince: 100_000 }],
	['a second one too soon', DENIED, 70_001, { next: 'again', deniedSince: 70_001 }],
	['a second one', DENIED, 70_000, { next: 'take', deniedSince: 70_000 }],
	['a second empty list', EMPTY_LIST, 70_000, { next: 'take', deniedSince: 70_000 }],
	['a job that failed twice', NONE, 70_000, { next: 'take', deniedSince: 70_000 }],
])('what follows %s', (_name, download, deniedSince, expected) => {
	const times = { askedAt: 100_000, repliedAt: 100_000 };
	expect(afterDownload(download, { deniedSince }, times)).toEqual(expected);
});

test('how long a reply takes proves nothing: two denials are apart by the second request', () => {
	const slow = { askedAt: 100_000, repliedAt: 140_000 };
	expect(afterDownload(DENIED, {}, slow)).toEqual({ next: 'again', deniedSince: 140_000 });
	expect(afterDownload(DENIED, { deniedSince: 99_000 }, slow)).toEqual({
		next: 'again',
		deniedSince: 99_000,
	});
});

describe('downloads are repeated', () => {
	/** A run's log: when each job was asked, and the outcome. A job's last reply repeats. */
	async function log(
		replies: Record<string, Array<Download<string>>>,
		{ untilMs = 0, lasts = 0, endsAtMs = Infinity, signal = undefined as AbortSignal | undefined } = {},
	) {
		let now = START;
		const end = START + endsAtMs;
		const isOutOfTime = () => now >= end;
		const lines: string[] = [];
		const counts: Record<string, number> = {};
		const clock = {
			now: () => now,
			elapsed: () => now,
			// Like a node's clock, whose pauses end with its time, or after a moment.
			pause: async (pause: number) => void (now += Math.min(pause, Math.max(end - now, 20))),
		};
		const ask = async (name: string) => {
			lines.push(`${(now - START) / 1_000} ${name}`);
			now += lasts;
			const all = replies[name] ?? [];
			counts[name] = (counts[name] ?? 0) + 1;
			return all[Math.min(counts[name], all.length) - 1] ?? LATE;
		};
		const until = () => START + untilMs;
		for await (const [name, said] of downloads(
			Object.keys(replies),
			{ ask, retryUntil: until, sizeOf: () => 1 },
			{
				...{ clock, isOutOfTime, signal },
			},
		))
			lines.push(`${name}: ${kindOf(said)}`);
		return lines;
	}

	test.each<[string, Array<Download<string>>, number, string[]]>([
		['until they are there', [LATE, RUNS, THERE], 0, ['0 a', '1 a', '4 a', 'a: rows']],
		[
			'for 45 seconds at least',
			[LATE],
			0,
			['0 a', '1 a', '4 a', '13 a', '40 a', '45 a', 'a: notYet: unavailable'],
		],
		[
			'until the deadline, with pauses of half a minute at most',
			[LATE],
			100_000,
			['0 a', '1 a', '4 a', '13 a', '40 a', '70 a', '100 a', 'a: notYet: unavailable'],
		],
		[
			'until a denial is repeated',
			[DENIED],
			0,
			['0 a', '1 a', '4 a', '13 a', '30 a', 'a: denied: jobNotFound'],
		],
		[
			'until an empty list is repeated',
			[EMPTY_LIST],
			900_000,
			['0 a', '1 a', '4 a', '13 a', '30 a', 'a: empty'],
		],
		[
			'anew after a job that runs',
			[EMPTY_LIST, LATE, RUNS, DENIED],
			0,
			['0 a', '1 a', '4 a', '13 a', '40 a', '43 a', 'a: denied: jobNotFound'],
		],
		['never for an obstacle here', [FULL], 900_000, ['0 a', 'a: impossible: notStored']],
	])('%s', async (_name, replies, untilMs, lines) => {
		expect(await log({ a: replies }, { untilMs })).toEqual(lines);
	});

	test('first of each job once, so that what is late delays no other, and many denials take as long as one', async () => {
		expect(await log({ a: [LATE, THERE], b: [THERE], c: [DENIED], d: [DENIED] })).toEqual([
			...['0 a', '0 b', 'b: rows', '0 c', '0 d', '1 a', '1 c', '1 d', 'a: rows', '4 c', '4 d'],
			...['13 c', '13 d', '30 c', '30 d', 'c: denied: jobNotFound', 'd: denied: jobNotFound'],
		]);
	});

	test('no more once time is up or the execution is stopped: what is not proven is not there yet', async () => {
		expect(await log({ a: [EMPTY_LIST] }, { endsAtMs: 0 })).toEqual([...['0 a', 'a: notYet: notReady']]);
		expect(await log({ a: [DENIED] }, { signal: AbortSignal.abort(), untilMs: 900_000 })).toEqual([
			...['0 a', 'a: notYet: jobNotFound'],
		]);
	});

	test('once more for each as soon as time is up, without pauses', async () => {
		expect(await log({ a: [LATE], b: [EMPTY_LIST] }, { endsAtMs: 20_000, untilMs: 900_000 })).toEqual([
			...['0 a', '0 b', '1 a', '1 b', '4 a', '4 b', '13 a', '13 b'],
			...['20 b', 'b: notYet: notReady', '20 a', 'a: notYet: unavailable'],
		]);
	});

	test('also for a single one', async () => {
		let now = START;
		const clock = {
			now: () => now,
			elapsed: () => now,
			pause: async (pause: number) => void (now += pause),
		};
		const waiting = { clock, isOutOfTime: () => false };
		expect(await downloadOne(async () => (now > START ? THERE : LATE), 0, waiting)).toBe(THERE);
	});
});
