import type { INodeParameters } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { useSandbox } from '../useSandbox';
import type { SandboxOptions } from '../sandbox/options';
import { pollContext, pollTrigger } from './trigger';
import { cancelJob, createJob, finishedJob, triggerScenario } from './triggerSupport';

const sandbox = useSandbox({ manualClock: true, autoFinish: false });

const build = (parameters: INodeParameters = {}) =>
	triggerScenario(sandbox, new PriceCollectionPollingTrigger(), parameters);
type Scenario = ReturnType<typeof build>;

const poll = async (scenario: Scenario) =>
	((await pollTrigger(scenario, 'Ends'))?.[0] ?? []).map((item) => item.json);
const ids = async (scenario: Scenario) => (await poll(scenario)).map((item) => item.job_id);

/** n8n's clock goes with the sandbox's by so much. */
let skipped = 0;
const { now } = Date;
beforeEach(() => {
	skipped = 0;
	jest.spyOn(Date, 'now').mockImplementation(() => now() + skipped);
});
afterEach(() => jest.restoreAllMocks());
const later = (milliseconds: number) => {
	skipped += milliseconds;
	sandbox.advance(milliseconds);
};
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What a restart of n8n leaves: static data as saved, nothing else. */
const restart = (scenario: Scenario) => {
	scenario.nodeTypes = build().nodeTypes;
	scenario.staticData = JSON.parse(JSON.stringify(scenario.staticData)) as Scenario['staticData'];
};

const create = async (count: number) => {
	const created: string[] = [];
	for (let n = 0; n < count; n++) {
		created.push(await createJob(sandbox));
		sandbox.advance(1_000);
	}
	return created;
};
const finish = (jobIds: string[]) =>
	jobIds.forEach((jobId) => {
		sandbox.finishJob(jobId);
		sandbox.advance(1_000);
	});

const lists = () => sandbox.requests.filter(({ method, path }) => method === 'GET' && path === '/v2/jobs');

describe('the first poll', () => {
	it('is silent about jobs that have ended before', async () => {
		finish(await create(3));
		expect(await pollTrigger(build(), 'Ends')).toBeNull();
	});

	it('gives them in the order of their ends when the user wants that', async () => {
		const created = await create(3);
		const order = [...created].reverse();
		finish(order);
		expect(await ids(build({ options: { emitExisting: true } }))).toEqual(order);
	});

	it('notes running jobs, whose ends come later', async () => {
		const [first = '', second = ''] = await create(2);
		const scenario = build();
		expect(await ids(scenario)).toEqual([]);
		finish([second]);
		expect(await ids(scenario)).toEqual([second]);
		finish([first]);
		expect(await ids(scenario)).toEqual([first]);
		expect(await ids(scenario)).toEqual([]);
	});

	it('is not made up for later when a shifting list hid old jobs from it', async () => {
		sandbox.setOptions({ listMaxPageSize: 2 });
		finish(await create(6));
		sandbox.advance(600_000);
		const [last = ''] = await create(1);
		finish([last]);
		const scenario = build();
		// A page that repeats the one before ends the reading.
		const repeat = { type: 'reply', status: 200, body: '{"data":[]}' } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET', nth: 2 }, fault: repeat });
		expect(await ids(scenario)).toEqual([]);
		expect(lists()).toHaveLength(2);
		sandbox.advance(3_600_000);
		const [next = ''] = await create(1);
		finish([next]);
		expect(await ids(scenario)).toEqual([next]);
	});

	it('fails with a cause that n8n understands when the service cannot be asked', async () => {
		const scenario = build();
		scenario.credentials = { priceCollectionApi: { baseUrl: sandbox.url, apiKey: 'WRONG' } };
		await expect(pollTrigger(scenario, 'Ends')).rejects.toMatchObject({
			name: 'NodeApiError',
			failure: { cause: 'credential-invalid' },
		});
	});
});

describe.each<[string, Partial<SandboxOptions>]>([
	['newest first', {}],
	['oldest first', { listOrder: 'oldest' }],
	['in no order', { listOrder: 'shuffled' }],
	['without paging', { listPaging: 'ignored', listShape: 'array' }],
	['with the last page repeated', { listPaging: 'repeatLast', listMaxPageSize: 4, listShape: 'jobs' }],
	['in pages of three', { listMaxPageSize: 3 }],
	['in pages of three, oldest first', { listMaxPageSize: 3, listOrder: 'oldest' }],
	['in pages of three, in no order', { listMaxPageSize: 3, listOrder: 'shuffled' }],
])('a list %s', (_name, options) => {
	it('gives each end once, in order, across pages and restarts', async () => {
		sandbox.setOptions(options);
		finish(await create(8));
		const scenario = build({ events: ['any'] });
		expect(await ids(scenario)).toEqual([]);
		const [a = '', b = '', c = '', d = '', e = ''] = await create(5);
		expect(await ids(scenario)).toEqual([]);
		finish([d, a]);
		expect(await ids(scenario)).toEqual([d, a]);
		restart(scenario);
		expect(await ids(scenario)).toEqual([]);
		// Hours later, far down in the list.
		sandbox.advance(12 * 3_600_000);
		finish(await create(7));
		expect(await ids(scenario)).toHaveLength(7);
		await cancelJob(sandbox, c);
		sandbox.advance(1_000);
		finish([e]);
		restart(scenario);
		expect(await ids(scenario)).toEqual([c, e]);
		finish([b]);
		expect(await ids(scenario)).toEqual([b]);
		expect(await ids(scenario)).toEqual([]);
	});
});

describe('a poll', () => {
	it('gives jobs that end within the same second, each once', async () => {
		const scenario = build();
		await ids(scenario);
		const created = await create(4);
		created.slice(0, 2).forEach((jobId) => sandbox.finishJob(jobId));
		expect((await ids(scenario)).sort()).toEqual(created.slice(0, 2).sort());
		created.slice(2).forEach((jobId) => sandbox.finishJob(jobId));
		expect((await ids(scenario)).sort()).toEqual(created.slice(2).sort());
	});

	it('reads one page of a long list when nothing is new', async () => {
		sandbox.setOptions({ listMaxPageSize: 5 });
		const created = await create(30);
		finish(created);
		sandbox.advance(3_600_000);
		const [late = ''] = await create(1);
		const scenario = build();
		await ids(scenario);
		sandbox.clearRequests();
		expect(await ids(scenario)).toEqual([]);
		expect(lists()).toHaveLength(1);
		sandbox.finishJob(late);
		expect(await ids(scenario)).toEqual([late]);
	});

	it('survives a list that shifts while it is read', async () => {
		sandbox.setOptions({ listMaxPageSize: 2 });
		const created = await create(6);
		const scenario = build();
		await ids(scenario);
		finish(created);
		const reading = ids(scenario);
		const extra: string[] = [];
		while (extra.length < 3) {
			const [jobId = ''] = await create(1);
			sandbox.finishJob(jobId);
			extra.push(jobId);
		}
		const found = [...(await reading), ...(await ids(scenario))];
		expect(found.sort()).toEqual([...created, ...extra].sort());
	});

	it('leaves out ends that the user does not want, for good', async () => {
		const scenario = build({ events: ['finished'] });
		await ids(scenario);
		const [jobId = ''] = await create(1);
		await cancelJob(sandbox, jobId);
		expect(await ids(scenario)).toEqual([]);
		scenario.nodes.forEach((node) => (node.parameters = { events: ['any'] }));
		expect(await ids(scenario)).toEqual([]);
	});

	it('takes what ended since its last look for news when a changed credential shows only unknown jobs', async () => {
		const scenario = build();
		finish(await create(2));
		const { secondApiKey } = sandbox.options;
		const other = async () => await createJob(sandbox, {}, secondApiKey);
		const before = await other();
		sandbox.finishJob(before);
		// The service's clock, as its replies tell it, does not move with its jobs here.
		sandbox.advance(HOUR);
		await ids(scenario);
		const probe = await fetch(`${sandbox.url}/v2/jobs/${await other()}?token=${secondApiKey}`);
		const { created_at: present } = (await probe.json()) as { created_at: string };
		Object.values(scenario.staticData ?? {}).forEach((state) => {
			(state as Record<string, unknown>).lookedAt = Date.parse(present);
		});
		sandbox.advance(HOUR);
		const since = await other();
		sandbox.finishJob(since);
		scenario.credentials = { priceCollectionApi: { baseUrl: sandbox.url, apiKey: secondApiKey } };
		expect(await ids(scenario)).toEqual([since]);
		expect(await ids(scenario)).toEqual([]);
	});

	it('loses no end when the key was changed while n8n was off for days', async () => {
		const scenario = build();
		finish(await create(2));
		await ids(scenario);
		later(100 * HOUR);
		// Nothing of what was seen before is listed any more.
		sandbox.reset();
		sandbox.setOptions({ autoFinish: false, apiKey: 'THENEWKEYOFTHEACCOUNT' });
		const ended = await create(3);
		finish(ended);
		restart(scenario);
		scenario.credentials = {
			priceCollectionApi: { baseUrl: sandbox.url, apiKey: 'THENEWKEYOFTHEACCOUNT' },
		};
		expect(await ids(scenario)).toEqual(ended);
	});

	it('goes on where the credential changes and the account stays', async () => {
		const scenario = build();
		const [first = '', second = ''] = await create(2);
		finish([first]);
		await ids(scenario);
		finish([second]);
		sandbox.setOptions({ authentication: ['bearer', 'query'] });
		const { url: baseUrl, apiKey } = sandbox;
		scenario.credentials = {
			priceCollectionApi: { baseUrl, authentication: 'bearer', apiKey, webhookSecret: 'a new one' },
		};
		expect(await ids(scenario)).toEqual([second]);
	});

	it('gives way to one that is still under way', async () => {
		const scenario = build();
		await ids(scenario);
		finish(await create(1));
		const both = await Promise.all([ids(scenario), ids(scenario)]);
		expect(both.flat()).toHaveLength(1);
	});

	it('keeps no more in the static data than it has to', async () => {
		const scenario = build();
		finish(await create(20));
		await ids(scenario);
		const state = Object.values(scenario.staticData ?? {})[0] as Record<string, unknown>;
		expect(String(state.known)).toHaveLength(20 * 8);
		expect(state.open).toEqual({});
		expect(JSON.stringify(scenario.staticData)).not.toContain(sandbox.apiKey);
	});
});

describe('the outputs of the polling trigger', () => {
	it('gives rows of results', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const jobId = await finishedJob(sandbox);
		expect((await poll(scenario)).map(({ job_id, value }) => [job_id, value])).toEqual([
			[jobId, 'lamp'],
			[jobId, 'chair'],
		]);
	});

	it('offers no notification, because it receives none', async () => {
		const { properties } = new PriceCollectionPollingTrigger().description;
		const { options = [] } = properties.find(({ name }) => name === 'output') ?? {};
		expect(options.map(({ name }) => name)).toEqual([
			'Job',
			'One Row per Offer, Hit or Review',
			'One Row per Product',
		]);
	});

	const broken = { type: 'refusal', reason: 'job not finished', status: 409 } as const;

	it('gives later ends at once while the results of one cannot be had, and those as soon as they can', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const [first = '', second = ''] = await create(2);
		finish([first, second]);
		const rule = { match: { pathPattern: `${first}/download$` }, times: 4, fault: broken } as const;
		sandbox.faults.add(rule);
		expect(await ids(scenario)).toEqual([second, second]);
		restart(scenario);
		const given: unknown[] = [];
		for (let polls = 0; polls < 60; polls++) {
			later(MINUTE);
			given.push(...(await ids(scenario)));
		}
		expect(given).toEqual([first, first]);
	});

	it('gives the results after an outage of two days, and asks seldom meanwhile', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const jobId = await finishedJob(sandbox);
		sandbox.faults.add({ match: { pathPattern: '/download$' }, times: 'always', fault: broken });
		sandbox.clearRequests();
		for (let hours = 0; hours < 48; hours++) {
			expect(await ids(scenario)).toEqual([]);
			later(HOUR);
		}
		expect(sandbox.requests.filter(({ path }) => path.endsWith('/download'))).toHaveLength(48);
		sandbox.faults.clear();
		expect(await ids(scenario)).toEqual([jobId, jobId]);
	});
});

describe('a poll that goes wrong', () => {
	const outage = (reason = 'x') =>
		sandbox.faults.add({
			match: { pathPattern: '/jobs$', method: 'GET' },
			times: 'always',
			fault: { type: 'refusal', reason, status: 401 },
		});

	it('does not keep n8n from registering a trigger that has a state when it starts', async () => {
		const scenario = build();
		await pollTrigger(scenario, 'Ends', 'activate');
		const [jobId = ''] = await create(1);
		outage('unauthorized');
		for (const mode of ['init', 'activate', 'leadershipChange'] as const) {
			restart(scenario);
			expect(await pollTrigger(scenario, 'Ends', mode)).toBeNull();
		}
		sandbox.faults.clear();
		later(HOUR);
		sandbox.finishJob(jobId);
		expect(await ids(scenario)).toEqual([jobId]);
	});

	it('starts the error workflow ever more seldom', async () => {
		const scenario = build();
		await ids(scenario);
		outage('unauthorized');
		const failedAt: number[] = [];
		for (let minute = 0; minute < 120; minute++) {
			await pollTrigger(scenario, 'Ends').catch(() => failedAt.push(minute));
			later(MINUTE);
		}
		expect(failedAt).toEqual([1, 2, 4, 8, 16, 32, 62, 92]);
	});

	it('forgets no running job for an answer that it is not known', async () => {
		const scenario = build();
		await ids(scenario);
		const [jobId = ''] = await create(1);
		await ids(scenario);
		sandbox.setOptions({ listMaxPageSize: 1 });
		later(HOUR);
		// Not listed any more, and not known for a moment.
		const empty = { type: 'reply', status: 200, body: '{"data":[]}' } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET' }, times: 2, fault: empty });
		const forbidden = { type: 'refusal', reason: 'job forbidden', status: 403 } as const;
		sandbox.faults.add({ match: { pathPattern: `${jobId}$` }, times: 1, fault: forbidden });
		expect(await ids(scenario)).toEqual([]);
		sandbox.finishJob(jobId);
		later(2 * MINUTE);
		expect(await ids(scenario)).toEqual([jobId]);
	});

	it('hands an end over again when n8n could not store the execution', async () => {
		const scenario = build();
		await ids(scenario);
		const [first = '', second = ''] = await create(2);
		finish([first]);
		const emissions: Array<{ reject: (error: Error) => void }> = [];
		const context = pollContext(scenario, 'Ends', (_data, _response, done) => emissions.push(done));
		expect(await context.poll()).toHaveLength(1);
		emissions[0]?.reject(new Error('SQLITE_BUSY'));
		finish([second]);
		expect((await context.poll()).map(({ json }) => json.job_id)).toEqual([first, second]);
		class ExecutionCancelledError extends Error {}
		emissions[1]?.reject(new ExecutionCancelledError('stopped by hand'));
		expect(await context.poll()).toEqual([]);
	});

	it('hands it over again also where that turns out while the next poll is under way', async () => {
		const scenario = build();
		await ids(scenario);
		const [first = '', second = ''] = await create(2);
		finish([first]);
		const emissions: Array<{ reject: (error: Error) => void }> = [];
		const context = pollContext(scenario, 'Ends', (_data, _response, done) => emissions.push(done));
		expect(await context.poll()).toHaveLength(1);
		finish([second]);
		const underWay = context.poll();
		emissions[0]?.reject(new Error('SQLITE_BUSY'));
		expect((await underWay).map(({ json }) => json.job_id)).toEqual([second]);
		expect((await context.poll()).map(({ json }) => json.job_id)).toEqual([first]);
		expect(await context.poll()).toEqual([]);
	});

	it('says that a list is too long to be read whole', async () => {
		const ends = (from: number) =>
			Array.from({ length: 10_000 }, (_, n) => ({
				job_id: `j${from + n}`,
				status: 'finished',
				created_at: new Date(1_700_000_000_000 + n * 1000).toISOString(),
			}));
		const fault = { type: 'reply', status: 200, body: JSON.stringify(ends(0)) } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET' }, times: 'always', fault });
		const error = 'Only 10000 jobs of the list can be read, and it does not begin with the newest';
		await expect(pollTrigger(build(), 'Ends')).rejects.toMatchObject({ message: error });
		// Also where the list has outgrown the limit since: ends go out first, then it says so.
		const scenario = build();
		sandbox.faults.clear();
		await ids(scenario);
		const [jobId = ''] = await create(1);
		finish([jobId]);
		const grown = JSON.stringify([...ends(0).slice(1), { job_id: jobId, status: 'finished' }]);
		sandbox.faults.add({
			match: { pathPattern: '/jobs$', method: 'GET' },
			times: 'always',
			fault: { type: 'reply', status: 200, body: grown },
		});
		expect(await ids(scenario)).toHaveLength(10_000);
		expect(await pollTrigger(scenario, 'Ends')).toBeNull();
		later(MINUTE);
		await expect(pollTrigger(scenario, 'Ends')).rejects.toMatchObject({ message: error });
	});

	it('says so too where the service says itself that there is more', async () => {
		const body = JSON.stringify({ data: [{ job_id: 'a', status: 'finished' }], total: 3 });
		const fault = { type: 'reply', status: 200, body } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET' }, times: 'always', fault });
		await expect(pollTrigger(build(), 'Ends')).rejects.toThrow('Only 1 jobs of the list can be read');
	});

	it('lets Request Timeout reach the list', async () => {
		const scenario = build({ options: { requestTimeout: 1 } });
		const slow = { type: 'delay', ms: 1_500 } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET' }, times: 'always', fault: slow });
		await expect(pollTrigger(scenario, 'Ends')).rejects.toThrow('The service did not answer in time');
	});
});

describe('a list that does not show the status of jobs', () => {
	const listed = () =>
		sandbox.jobs
			.map(({ job_id, createdAt }) => ({ job_id, created_at: new Date(createdAt).toISOString() }))
			.reverse();
	const hideStatus = () => {
		sandbox.faults.clear();
		const fault = { type: 'reply', status: 200, body: JSON.stringify({ data: listed() }) } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET' }, times: 'always', fault });
	};
	const poll = async (scenario: Scenario) => {
		hideStatus();
		later(MINUTE);
		return await ids(scenario);
	};
	const asked = () => sandbox.requests.filter(({ path }) => /\/v2\/jobs\/[^/]+$/.test(path));

	it('is no reason to miss an end: the jobs are asked for one by one', async () => {
		const [over = '', running = ''] = await create(2);
		finish([over]);
		const scenario = build();
		expect(await poll(scenario)).toEqual([]);
		const [quick = '', slow = ''] = await create(2);
		finish([running, quick]);
		expect(await poll(scenario)).toEqual([running, quick]);
		expect(await poll(scenario)).toEqual([]);
		finish([slow]);
		restart(scenario);
		expect(await poll(scenario)).toEqual([slow]);
		sandbox.clearRequests();
		expect(await poll(scenario)).toEqual([]);
		expect(asked()).toEqual([]);
	});

	it('costs ten status calls a poll at the most, and hides no new job behind the old ones', async () => {
		// A key of its own, so that the status calls of other tests are not counted against it.
		sandbox.setOptions({ apiKey: 'KEYWHOSELISTSHOWSNOSTATUS' });
		finish(await create(40));
		later(HOUR);
		const [over = '', running = ''] = await create(2);
		finish([over]);
		const scenario = build();
		sandbox.clearRequests();
		expect(await poll(scenario)).toEqual([]);
		expect(asked()).toHaveLength(10);
		const [next = ''] = await create(1);
		finish([running, next]);
		const given: unknown[] = [];
		for (let polls = 0; polls < 8; polls++) given.push(await poll(scenario));
		expect(given.slice(0, 1)).toEqual([[running, next]]);
		expect(given.slice(1).flat()).toEqual([]);
	});
});

describe('what one poll hands over', () => {
	const downloads = () => sandbox.requests.filter(({ path }) => path.endsWith('/download')).length;

	it('ends with half of the time that n8n gives it', async () => {
		const scenario = build({ output: 'results' });
		await ids(scenario);
		const jobIds = await create(4);
		finish(jobIds);
		// Each download takes 100 of the 150 seconds.
		jest.spyOn(Date, 'now').mockImplementation(() => now() + skipped + downloads() * 100_000);
		expect([...new Set(await ids(scenario))]).toEqual(jobIds.slice(0, 2));
		expect([...new Set(await ids(scenario))]).toEqual(jobIds.slice(2));
	});
});

describe('a job that ends more than once', () => {
	it('is handed over once', async () => {
		const scenario = build();
		await ids(scenario);
		const [jobId = ''] = await create(1);
		finish([jobId]);
		expect(await ids(scenario)).toEqual([jobId]);
		const body = JSON.stringify([{ job_id: jobId, status: 'working' }]);
		const running = { type: 'reply', status: 200, body } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET' }, times: 1, fault: running });
		expect(await ids(scenario)).toEqual([]);
		expect(await ids(scenario)).toEqual([]);
		const state = Object.values(scenario.staticData ?? {})[0] as Record<string, unknown>;
		expect(state.open).toEqual({});
	});

	it('is news although the first poll saw an end that was dated ahead', async () => {
		const ahead = {
			job_id: 'ahead',
			status: 'finished',
			created_at: new Date(now() - HOUR).toISOString(),
			terminated_at: new Date(now() + 2 * HOUR).toISOString(),
		};
		const fault = { type: 'reply', status: 200, body: JSON.stringify([ahead]) } as const;
		sandbox.faults.add({ match: { pathPattern: '/jobs$', method: 'GET' }, times: 2, fault });
		const scenario = build();
		await ids(scenario);
		const [quick = ''] = await create(1);
		finish([quick]);
		expect(await ids(scenario)).toEqual([quick]);
	});
});

describe('the test button', () => {
	it('gives the latest end, again and again, and leaves no trace', async () => {
		const created = await create(3);
		finish(created);
		const scenario = { ...build(), mode: 'manual' as const };
		expect(await ids(scenario)).toEqual(created.slice(2));
		expect(await ids(scenario)).toEqual(created.slice(2));
		expect(Object.values(scenario.staticData ?? {})).toEqual([]);
	});
});
