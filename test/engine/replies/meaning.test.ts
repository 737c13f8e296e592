import { Logger } from '@n8n/backend-common';
import type { INode, INodeParameters } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import type { Fault } from '../../fakes/sandbox/faults';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import { someOf } from '../../support/runs';
import { callsOf, LEAVES, useCollecting } from '../support/collecting';
import { failureOf, forJob, itemsOf } from '../support/core';
import { useDedupeStore } from '../support/dedupeStore';
import { ODD_READS } from '../support/odd';
import { valuesPerJob } from '../support/common';
import { callTrigger, pollTrigger, runCalled } from '../support/trigger';
import { createJob, finishedJob, triggerScenario } from '../support/triggerSupport';
import { now, time } from '../support/virtualClock';

/**
 * What a download, a status and a refusal mean. The tables are in `unit/service/api/download` and
 * `unit/service/meaning`.
 */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SHEET = ['kettle', 'mug'];
const BOTH = ['a kettle true', 'b mug true'];
const GOES_ON: Partial<INode> = { onError: 'continueRegularOutput' };
const RETRY: Partial<INode> = { retryOnFail: true, waitBetweenTries: 1, maxTries: 2 };
const single = valuesPerJob(1);

useDedupeStore();
afterEach(() => jest.restoreAllMocks());
const { sandbox, collect, collectInLoop, creations, fail, idOf } = useCollecting();

const listens = { output: 'results', events: ['any'] };
const polling = () => triggerScenario(sandbox, new PriceCollectionPollingTrigger(), listens);
const webhook = (more: INodeParameters = {}) =>
	triggerScenario(sandbox, new PriceCollectionTrigger(), { ...listens, ...more });
const polled = async (scenario: ReturnType<typeof polling>) =>
	((await pollTrigger(scenario, 'Ends'))?.[0] ?? []).map(({ json }) => json);
/** What a call for a job starts. */
async function called(
	scenario: ReturnType<typeof webhook>,
	body: { job_id: string; status?: string | number },
) {
	const { reply, response } = await callTrigger(scenario, 'Ends', { body });
	const rows = await runCalled(scenario, 'Ends', reply);
	return { status: reply.workflowData === undefined ? response.status : 200, rows };
}

describe('results so far of a running job', () => {
	const EARLY = [
		'refuse',
		'emptyResults',
		'emptyArray',
		'noContent',
		'notFound',
		'soFar',
		'soFarBare',
	] as const;

	it.each(EARLY)('are not its results, whatever its download answers: %s', async (earlyDownload) => {
		sandbox.setOptions({ runningResults: 'soFar', earlyDownload, jobDurationMs: HOUR_MS });
		const job_id = await createJob(sandbox, { values: 'a\nb\nc' });
		for (const output of ['results', 'job', 'file']) {
			const { message } = await failureOf(sandbox, forJob('download', job_id, { output }));
			expect([output, message]).toEqual([
				output,
				'The job is not finished, so there is nothing to download yet',
			]);
		}
		sandbox.setOptions({ jobDurationMs: 30_000 });
		const soon = await createJob(sandbox, { values: 'a\nb\nc' });
		const rows = await itemsOf(sandbox, forJob('download', soon, { output: 'results' }));
		expect(rows.map(({ value }) => value)).toEqual(['a', 'b', 'c']);
	});
});

describe('results that come after the end of their job', () => {
	const LATE = ['refuse', 'notFound', 'noContent', 'conflict', 'noResults'] as const;
	const late = (lateResults: SandboxOptions['lateResults'], resultsDelayMs: number) =>
		sandbox.setOptions({ lateResults, resultsDelayMs });

	it.each(someOf(LATE, 2))(
		'are waited for until the deadline, whatever is answered meanwhile: %s',
		async (how) => {
			late(how, 8 * MINUTE_MS);
			expect((await collect(SHEET, {}, {}, single)).rows).toEqual(BOTH);
		},
	);

	it('are waited for while the list of them is empty, for half a minute', async () => {
		late('emptyResults', 25_000);
		expect((await collect(SHEET, {}, {}, single)).rows).toEqual(BOTH);
	});

	it.each(someOf(LATE, 2))('are waited for by Download for 45 seconds: %s', async (how) => {
		late(how, 40_000);
		const job_id = await finishedJob(sandbox, { values: 'a' });
		for (const output of ['results', 'file']) {
			late(how, now() - Number(sandbox.jobs[0]?.endedAt) + 40_000);
			expect(await itemsOf(sandbox, forJob('download', job_id, { output }))).toHaveLength(1);
		}
	});

	it.each(['durable', 'webhook'])('are slept for, where that is the way to wait: %s', async (waitMode) => {
		late('conflict', HOUR_MS);
		const run = await collectInLoop(SHEET, { waitMode }, {}, {}, single);
		const { rows, error } = await run.throughTimers();
		expect([rows.sort(), error]).toEqual([BOTH, '']);
		// Six requests for each job at each wake-up; wake-ups get rarer with time.
		const { create, download } = callsOf(sandbox);
		expect([create, (download ?? 0) < 2 * 6 * 20]).toEqual([2, true]);
	});

	it('are asked for by both triggers', async () => {
		const scenario = polling();
		expect(await polled(scenario)).toEqual([]);
		late('notFound', HOUR_MS / 2);
		const job_id = await finishedJob(sandbox, { values: 'a' });
		const given: unknown[] = [];
		for (let minute = 0; minute < 60; minute++) {
			given.push(...(await polled(scenario)).map(({ value }) => value));
			time.skip(MINUTE_MS);
		}
		expect(given).toEqual(['a']);
		late('refuse', now() - Number(sandbox.jobs[0]?.endedAt) + 40_000);
		expect(await called(webhook(), { job_id })).toMatchObject({ rows: [{ job_id, value: 'a' }] });
	});

	it('leave by Still Running at the deadline, and do not hold up those that are there', async () => {
		const written = { type: 'refusal', reason: 'results are being written', status: 409 } as const;
		const first = () => {
			if (sandbox.jobs.length < 2) return;
			time.listeners.delete(first);
			fail({ pathPattern: `/${idOf(0)}/download$` }, written, 'always');
		};
		time.listeners.add(first);
		const start = now();
		const { rows, running, hints } = await collect(SHEET, { waitOptions: LEAVES }, {}, single);
		expect(rows).toEqual(BOTH.slice(1));
		const note = expect.stringContaining(
			'its results are not there (results are being written)',
		) as string;
		expect(running).toMatchObject([{ job_id: idOf(0), still_running: true, note }]);
		expect(hints.join()).toContain('On the output Still Running: 1 job.');
		expect(now() - start).toBeGreaterThan(10 * MINUTE_MS);
		sandbox.faults.clear();
		expect(await itemsOf(sandbox, forJob('wait', idOf(0)))).toMatchObject([{ value: 'kettle' }]);
	});
});

describe('the words of a gateway', () => {
	const GATEWAYS = (['route', 'cannot', 'framework', 'detail'] as const).map((shape) => ({
		...{ type: 'gatewayJson', shape },
	})) as Fault[];

	it.each(GATEWAYS)('prove nothing, however often they come: %j', async (gateway) => {
		sandbox.setOptions({ jobDurationMs: 5 * MINUTE_MS });
		const end = now() + 3 * MINUTE_MS;
		const heal = () => now() > end && sandbox.faults.clear();
		time.listeners.add(heal);
		fail('status', gateway, 'always');
		fail('download', gateway, { nth: [1, 2, 3] });
		const { rows, error } = await collect(SHEET, {}, GOES_ON, single);
		time.listeners.delete(heal);
		expect([rows, error, creations()]).toEqual([BOTH, '', 2]);
	});

	it('say that the address or the job is wrong, where they are all that comes', async () => {
		fail('any', GATEWAYS[0]!, 'always');
		for (const operation of ['get', 'download', 'cancel'])
			expect(await failureOf(sandbox, forJob(operation, 'abc'))).toMatchObject({
				message: 'Nothing was found at this address',
				description: expect.stringContaining('"no Route matched with those values"') as string,
			});
	});
});

describe('a reply that is no list', () => {
	const NO_LISTS: Fault[] = [
		{ type: 'nullList', shape: 'jobs' },
		{ type: 'nullList', shape: 'data' },
	];
	it.each(NO_LISTS)('proves no lost creation absent: %j', async (fault) => {
		fail('create', { type: 'reset', when: 'after' });
		fail('list', fault, 'always');
		const { error } = await collect(['kettle'], {}, RETRY);
		expect(error).toContain('The job list could not be read to find out');
		expect(creations()).toBe(1);
	});

	it.each(NO_LISTS)('is no first look of a trigger, and no list of Get Many: %j', async (fault) => {
		await finishedJob(sandbox);
		fail('list', fault, 'always');
		const scenario = polling();
		await expect(pollTrigger(scenario, 'Ends')).rejects.toThrow();
		sandbox.faults.clear();
		expect(await polled(scenario)).toEqual([]);
		fail('list', fault, 'always');
		await failureOf(sandbox, { resource: 'job', operation: 'getAll' });
	});
});

describe('an error beside the data', () => {
	const HEADS = (['meta', 'head', 'status'] as const).map((shape): Fault => ({ type: 'errorHead', shape }));
	it.each(HEADS)('is one for every operation: %j', async (fault) => {
		fail('any', fault, 'always');
		const { message, description } = await failureOf(sandbox, forJob('cancel', 'abc'));
		expect(message).toBe('There are not enough credits for this job');
		expect(description).toContain('not enough credits');
		for (const parameters of [
			forJob('get', 'abc'),
			{ resource: 'usage', operation: 'getToday' },
			{ resource: 'job', operation: 'getAll' },
		])
			expect((await failureOf(sandbox, parameters)).message).toBe(message);
		const { error } = await collect(['kettle']);
		expect(error).toContain('not enough credits');
		expect(error).not.toContain('req-19: ');
	});
});

it('a page that comes in place of the reply to a creation proves nothing: its job is found', async () => {
	sandbox.setOptions({ listFields: ['order', 'values', 'times'] });
	for (const status of [400, 403, 422]) {
		fail('create', { type: 'pageRefusal', status, when: 'after' });
		const before = sandbox.jobs.length;
		const { rows } = await collect([`kettle ${status}`], {}, RETRY);
		expect([rows, sandbox.jobs.length - before]).toEqual([[`a kettle ${status} true`], 1]);
	}
});

describe('a status word that is in no table', () => {
	const TEXT = /does not know the status "(archived|17)", so it counts as running/;

	it.each(['archived', '17'])('is said in the log by both triggers, once: %s', async (finishedSpelling) => {
		sandbox.setOptions({ finishedSpelling });
		const warned: string[] = [];
		const note = (message: string) => void (TEXT.test(message) && warned.push(message));
		jest.spyOn(Logger.prototype, 'warn').mockImplementation(note);
		const own = (scenario: ReturnType<typeof polling>) => ({
			...scenario,
			nodes: scenario.nodes.map((one) => ({ ...one, id: `${finishedSpelling} ${one.type}` })),
		});
		const [poll, call] = [own(polling()), own(webhook())];
		await polled(poll);
		const job_id = await finishedJob(sandbox);
		for (let count = 0; count < 3; count++) {
			expect(await polled(poll)).toEqual([]);
			time.skip(MINUTE_MS);
		}
		expect(warned).toHaveLength(1);
		for (let count = 0; count < 2; count++)
			expect(await called(call, { job_id, status: finishedSpelling })).toEqual({
				status: 503,
				rows: [],
			});
		expect(warned).toHaveLength(2);
	});

	it('starts nothing without Verify Job either, and asks to be called again', async () => {
		const scenario = webhook({ options: { verifyJob: false } });
		const job_id = await finishedJob(sandbox);
		expect((await called(scenario, { job_id, status: 17 })).status).toBe(503);
		expect((await called(scenario, { job_id, status: 'working' })).status).toBe(200);
		expect((await called(scenario, { job_id, status: 'finished' })).rows).not.toEqual([]);
	});
});

it.each([
	['cancelled', 'reason', 'the job was cancelled: out of quota'],
	['cancelled', 'failure', 'the job was cancelled: out of quota'],
	['failed', 'failure', 'the job failed: out of quota'],
] as const)('the reason of an end is in the row: %s, %s', async (jobEnd, reasonField, reason) => {
	const words = 'out of quota';
	sandbox.setOptions({ jobEnd, reasonField, endReason: words, failureReason: words });
	const { done } = await collect(SHEET);
	expect(done.map((row) => row.reason)).toEqual([reason, reason]);
	const wait = forJob('wait', idOf(), { output: 'file' });
	expect((await failureOf(sandbox, wait)).description).toContain(words);
	expect((await called(webhook(), { job_id: idOf() })).rows).toMatchObject([{ reason }]);
});

/** Download has no run to lose. If the service refuses the key in its own words, Download reports that at once. */
const ODD_DOWNLOADS = Object.entries(ODD_READS).filter(([name]) => name !== '401 in its own words');

it.each(someOf(ODD_DOWNLOADS, 2))('Download is not ended by one odd reply: %s', async (_name, odd) => {
	const job_id = await finishedJob(sandbox, { values: 'a' });
	for (const output of ['results', 'job', 'file']) {
		fail('download', odd);
		expect(await itemsOf(sandbox, forJob('download', job_id, { output }))).toHaveLength(1);
	}
});

describe('Cancel with Ignore Ended Jobs', () => {
	const over: Fault = { type: 'refusal', reason: 'Job is already finished or canceled', status: 409 };
	const cancel = (jobId: string) => forJob('cancel', jobId, { options: { ignoreEnded: true } });

	it('believes the documented words where the status cannot be read, and says where it contradicts them', async () => {
		sandbox.setOptions({ jobDurationMs: HOUR_MS });
		const job_id = await createJob(sandbox);
		fail('cancel', over, 2);
		const { message, description } = await failureOf(sandbox, cancel(job_id));
		expect(message).toBe('The service refused the request');
		expect(description).toContain(`The status of job ${job_id} is still "new", so it may keep running`);
		expect(description).not.toContain('Ignore Ended Jobs');
		fail('status', { type: 'serverError' }, 'always');
		expect(await itemsOf(sandbox, cancel(job_id))).toEqual([{ job_id, already_over: true }]);
		fail('cancel', { type: 'refusal', reason: 'locked', status: 409 });
		expect((await failureOf(sandbox, cancel(job_id))).description).toContain('could not be read');
	});
});

it('a list whose pages begin with 1 is read whole where it says that it goes on', async () => {
	sandbox.setOptions({ listSays: ['hasMore'], listFirstPage: 1 });
	for (let count = 0; count < 130; count++) await createJob(sandbox);
	const jobs = await itemsOf(sandbox, { resource: 'job', operation: 'getAll', returnAll: true });
	expect(jobs).toHaveLength(130);
});

it('a one-time parameter of a redirect is not replaced by the key', async () => {
	const job_id = await finishedJob(sandbox, { values: 'a' });
	const location = `${sandbox.url}/v2/jobs/${job_id}/download?token=ONCE`;
	fail('download', { type: 'reply', status: 302, headers: { location } });
	sandbox.clearRequests();
	await failureOf(sandbox, forJob('download', job_id));
	const tokens = sandbox.requests.map(({ query }) => query.token);
	// The sandbox does not know this parameter, so it demands the key.
	expect(tokens).toEqual([sandbox.apiKey, 'ONCE']);
});
