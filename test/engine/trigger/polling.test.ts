import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import { useSandbox } from '../../support/useSandbox';
import { cancelJob, createJob, fail, reply } from '../support/core';
import { pollContext, pollTrigger } from '../support/trigger';
import { triggerScenario } from '../support/triggerSupport';

const sandbox = useSandbox({ manualClock: true, autoFinish: false });

const build = (parameters: INodeParameters = {}, credential: IDataObject = {}) =>
	triggerScenario(
		sandbox,
		new PriceCollectionPollingTrigger(),
		{ output: 'job', ...parameters },
		credential,
	);
type Scenario = ReturnType<typeof build>;

const poll = async (scenario: Scenario) =>
	((await pollTrigger(scenario, scenario.nodes[0]?.name ?? ''))?.[0] ?? []).map((item) => item.json);
const ids = async (scenario: Scenario) => (await poll(scenario)).map((item) => item.job_id);
/** A trigger that has polled once. */
const active = async (parameters: INodeParameters = {}, credential: IDataObject = {}) => {
	const scenario = build(parameters, credential);
	expect(await ids(scenario)).toEqual([]);
	return scenario;
};

/** How far n8n's clock has moved along with the sandbox's. */
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

/** Restarts n8n: only the saved static data is left. */
const restart = (scenario: Scenario) => {
	scenario.nodeTypes = build().nodeTypes;
	scenario.staticData = JSON.parse(JSON.stringify(scenario.staticData)) as Scenario['staticData'];
};

const create = async (count: number) => {
	const created: string[] = [];
	for (let n = 0; n < count; n++) {
		created.push(await createJob(sandbox, { topic: 'search' }));
		sandbox.advance(1_000);
	}
	return created;
};
const finish = (...jobIds: string[]) =>
	jobIds.forEach((jobId) => {
		sandbox.finishJob(jobId);
		sandbox.advance(1_000);
	});
/** Ended jobs, one after the other. */
const ended = async (count: number) => {
	const created = await create(count);
	finish(...created);
	return created;
};

const asked = (path: RegExp) => sandbox.requests.filter((one) => one.method === 'GET' && path.test(one.path));
const answerList = (body: unknown, when: Parameters<typeof fail>[3] = 'always') =>
	fail(sandbox, 'list', reply(body), when);

describe('the first poll', () => {
	it('is silent about jobs that have ended before', async () => {
		await ended(3);
		expect(await pollTrigger(build(), 'Ends')).toBeNull();
	});

	it('gives them in the order of their ends when the user wants that', async () => {
		const order = (await create(3)).reverse();
		finish(...order);
		expect(await ids(build({ options: { emitExisting: true } }))).toEqual(order);
	});

	it('notes running jobs, whose ends come later', async () => {
		const [first = '', second = ''] = await create(2);
		const scenario = await active();
		finish(second);
		expect(await ids(scenario)).toEqual([second]);
		finish(first);
		expect(await ids(scenario)).toEqual([first]);
		expect(await ids(scenario)).toEqual([]);
	});

	it('fails with a cause that n8n understands when the service cannot be asked', async () => {
		const scenario = build();
		scenario.credentials = { priceCollectionApi: { baseUrl: sandbox.url, apiKey: 'WRONG' } };
		const failure = { cause: 'credential-invalid' };
		await expect(pollTrigger(scenario, 'Ends')).rejects.toMatchObject({ name: 'NodeApiError', failure });
	});
});

it.each<Partial<SandboxOptions>>([
	{},
	{ listOrder: 'shuffled' },
	{ listPaging: 'ignored', listShape: 'array' },
	{ listPaging: 'repeatLast', listMaxPageSize: 4, listShape: 'jobs' },
	{ listMaxPageSize: 3, listOrder: 'shuffled' },
])('gives each end once, in order, across pages and restarts, with a list of %j', async (options) => {
	sandbox.setOptions(options);
	await ended(8);
	const scenario = await active({ events: ['any'] });
	const [a = '', b = '', c = '', d = '', e = ''] = await create(5);
	expect(await ids(scenario)).toEqual([]);
	finish(d, a);
	expect(await ids(scenario)).toEqual([d, a]);
	restart(scenario);
	expect(await ids(scenario)).toEqual([]);
	// Hours later, far down in the list.
	sandbox.advance(12 * HOUR);
	await ended(7);
	expect(await ids(scenario)).toHaveLength(7);
	await cancelJob(sandbox, c);
	sandbox.advance(1_000);
	finish(e);
	restart(scenario);
	expect(await ids(scenario)).toEqual([c, e]);
	finish(b);
	expect(await ids(scenario)).toEqual([b]);
	expect(await ids(scenario)).toEqual([]);
});

describe('a poll', () => {
	it('survives a list that shifts while it is read', async () => {
		sandbox.setOptions({ listMaxPageSize: 2 });
		const created = await create(6);
		const scenario = await active();
		finish(...created);
		const reading = ids(scenario);
		const extra = [...(await ended(1)), ...(await ended(1)), ...(await ended(1))];
		const found = [...(await reading), ...(await ids(scenario))];
		expect(found.sort()).toEqual([...created, ...extra].sort());
	});

	it('loses no end when the key was changed while n8n was off for days', async () => {
		const scenario = build();
		await ended(2);
		await ids(scenario);
		// The list no longer shows anything that was seen before.
		sandbox.reset();
		sandbox.setOptions({ apiKey: 'THENEWKEYOFTHEACCOUNT' });
		// For as long as jobs are kept.
		const since: string[] = [];
		for (let day = 0; day < 3; day++) {
			later(HOUR);
			since.push(...(await ended(1)));
			later(23 * HOUR);
		}
		restart(scenario);
		scenario.credentials = { priceCollectionApi: { baseUrl: sandbox.url, apiKey: sandbox.apiKey } };
		expect(await ids(scenario)).toEqual(since);
	});

	it('gives rows of results where the user wants them', async () => {
		const scenario = await active({ output: 'results' });
		const [job_id] = await ended(1);
		expect(await poll(scenario)).toMatchObject(['lamp', 'chair'].map((value) => ({ job_id, value })));
	});

	it('hands over for half of the time that n8n gives it', async () => {
		const scenario = await active({ output: 'results' });
		const jobIds = await ended(4);
		// Each download takes 100 of the 150 seconds.
		const spent = () => asked(/\/download$/).length * 100_000;
		jest.spyOn(Date, 'now').mockImplementation(() => now() + skipped + spent());
		for (const some of [jobIds.slice(0, 2), jobIds.slice(2)])
			expect([...new Set(await ids(scenario))]).toEqual(some);
	});

	it('gives way to one that is still under way', async () => {
		const scenario = await active();
		await ended(1);
		expect((await Promise.all([ids(scenario), ids(scenario)])).flat()).toHaveLength(1);
	});
});

describe('one odd reply is no proof', () => {
	/** An account with more ended jobs than fit on a page. */
	const manyEnded = async () => {
		sandbox.setOptions({ listMaxPageSize: 3 });
		for (let n = 0; n < 8; n++) {
			await ended(1);
			sandbox.advance(HOUR);
		}
	};

	it.each([
		['a web page', reply('<html><body>Not Found</body></html>', 404, { 'content-type': 'text/html' })],
		['an object without a list', reply({})],
		['the certificate of a proxy', reply('-----BEGIN CERTIFICATE-----')],
	])('a second page that is %s makes no old job new', async (_name, fault) => {
		await manyEnded();
		const scenario = build({ events: ['any'] });
		fail(sandbox, 'list', fault, { nth: 2 });
		await expect(pollTrigger(scenario, 'Ends')).rejects.toThrow();
		expect(await ids(scenario)).toEqual([]);
		expect(await ids(scenario)).toEqual([]);
		const news = await ended(1);
		expect(await ids(scenario)).toEqual(news);
	});

	it('nor does one that is empty, at the first poll or later', async () => {
		await manyEnded();
		const scenario = build({ events: ['any'] });
		for (let n = 0; n < 3; n++) {
			fail(sandbox, 'list', reply({ data: [] }), { nth: 2 });
			expect(await ids(scenario)).toEqual([]);
			sandbox.faults.clear();
		}
		expect(await ids(scenario)).toEqual([]);
		const news = await ended(5);
		expect(await ids(scenario)).toEqual(news);
	});

	it.each([
		['empty', reply({ job_id: 'x', status: 'finished', results: [] })],
		['denied', reply({ success: false, reason: 'not found' }, 404)],
		['nothing', reply('')],
	])('a download that is %s once is asked for again, and its rows come', async (_name, fault) => {
		const scenario = await active({ output: 'results' });
		const [job_id] = await ended(1);
		fail(sandbox, 'download', fault);
		expect(await poll(scenario)).toEqual([]);
		later(MINUTE);
		expect(await poll(scenario)).toMatchObject(['lamp', 'chair'].map((value) => ({ job_id, value })));
		later(MINUTE);
		expect(await poll(scenario)).toEqual([]);
	});

	it('a download that stays empty is given up with the second poll that says so, with the reason', async () => {
		const scenario = await active({ output: 'results' });
		const [job_id = ''] = await ended(1);
		fail(sandbox, 'download', reply({ job_id, status: 'finished', results: [] }), 'always');
		const given: unknown[] = [];
		for (let minute = 0; minute < 60; minute++) {
			const items = await poll(scenario);
			if (items.length > 0) given.push([minute, items]);
			later(MINUTE);
		}
		const failed = { success: false, found: false, reason: 'the job has no results' };
		expect(given).toEqual([[1, [{ job_id, status: 'finished', ...failed }]]]);
	});
});

describe('any number of ends', () => {
	const order = { topic: 'search', source: 'test', country: 'us', key: 'term', value: 'lamp' };
	const make = () => {
		sandbox.advance(1_000);
		return sandbox.createJob(order);
	};
	/** Jobs that are made without a request. They end one after the other, the latest first. */
	const burst = (count: number) => {
		const made = Array.from({ length: count }, make).reverse();
		finish(...made);
		return made;
	};
	/** Makes each page of the list and each download take this long. */
	const slow = (pageMs: number, downloadMs = 0) => {
		const spent = () => asked(/jobs$/).length * pageMs + asked(/download$/).length * downloadMs;
		jest.spyOn(Date, 'now').mockImplementation(() => now() + skipped + spent());
	};
	/** What a trigger gives if n8n restarts before each poll. */
	const givenBy = async (scenario: Scenario, polls: number) => {
		const given: unknown[][] = [];
		for (let count = 0; count < polls; count++) {
			later(MINUTE);
			restart(scenario);
			given.push([...new Set(await ids(scenario))]);
		}
		return given.filter(({ length }) => length > 0);
	};

	it('between two polls comes at once and in order: 3,000', async () => {
		burst(3);
		const scenario = await active();
		later(HOUR);
		const made = Array.from({ length: 3_000 }, () => {
			const jobId = make();
			finish(jobId);
			return jobId;
		});
		const [given = [], ...others] = await givenBy(scenario, 3);
		expect([given.length, given.join() === made.join(), others]).toEqual([3_000, true, []]);
	});

	it.each<Partial<SandboxOptions>>([
		{},
		{ listPaging: 'offset', listPageParameter: 'offset' },
		{ listPaging: 'cursor', listSays: ['cursor'] },
		{ listSays: ['link', 'total'] },
		{ listOrder: 'oldest' },
		{ listOrder: 'shuffled' },
	])('of a list that is too slow for one poll comes once it is read, in order: %j', async (options) => {
		const pagination = options.listPaging === 'offset' ? { pagination: 'offset' } : {};
		const scenario = await active({}, pagination);
		sandbox.setOptions({ ...options, listMaxPageSize: 10 });
		later(HOUR);
		const made = burst(55);
		// Two pages in each poll.
		slow(40_000);
		expect(await givenBy(scenario, 12)).toEqual([made]);
	});

	it('goes on where the previous poll stopped while jobs arrive', async () => {
		const scenario = await active();
		sandbox.setOptions({ listMaxPageSize: 10 });
		later(HOUR);
		const made = burst(55);
		slow(40_000);
		const given: unknown[] = [];
		for (let count = 0; count < 20; count++) {
			later(MINUTE);
			if (count < 5) made.push(...burst(3));
			restart(scenario);
			given.push(...(await ids(scenario)));
		}
		expect(given).toEqual(made);
	});

	it('begins again where the service does not know the cursor any more', async () => {
		sandbox.setOptions({ listPaging: 'cursor', listSays: ['cursor'], listMaxPageSize: 10 });
		const scenario = await active();
		later(HOUR);
		const made = burst(35);
		slow(80_000);
		expect(await givenBy(scenario, 2)).toEqual([]);
		const noCursor = { success: false, reason: 'invalid value', parameter: 'cursor' };
		fail(sandbox, 'list', reply(noCursor, 400));
		expect(await givenBy(scenario, 8)).toEqual([made]);
	});

	it('is not read again for results that take longer than a poll', async () => {
		const scenario = await active({ output: 'results' });
		later(HOUR);
		const made = burst(9);
		slow(100_000, 50_000);
		expect(await givenBy(scenario, 8)).toEqual([
			made.slice(0, 2),
			made.slice(2, 4),
			made.slice(4, 6),
			made.slice(6, 8),
			made.slice(8),
		]);
	});

	it('keeps what was read before a page that fails', async () => {
		const scenario = await active();
		sandbox.setOptions({ listMaxPageSize: 10 });
		later(HOUR);
		const made = burst(25);
		fail(sandbox, 'list', reply('<html>Bad Gateway</html>', 404, { 'content-type': 'text/html' }), {
			nth: 3,
		});
		expect(await givenBy(scenario, 1)).toEqual([]);
		sandbox.clearRequests();
		expect(await givenBy(scenario, 2)).toEqual([made]);
		expect(asked(/jobs$/)[0]?.query).toMatchObject({ page: '1' });
	});
});

describe('a trigger is known by its ID', () => {
	const renamed = (scenario: Scenario, name: string) => {
		scenario.nodes = scenario.nodes.map((one) => ({ ...one, name }));
		restart(scenario);
	};

	it('so the end between two polls comes although its node was renamed', async () => {
		const scenario = await active();
		const before = await ended(1);
		renamed(scenario, 'Ended jobs');
		expect(await ids(scenario)).toEqual(before);
		renamed(scenario, 'Ends');
		expect(await ids(scenario)).toEqual([]);
		const after = await ended(1);
		expect(await ids(scenario)).toEqual(after);
	});

	it('so that a copy of its node or of its workflow begins anew, and the memory of a deleted node goes', async () => {
		const scenario = await active();
		await ended(1);
		const [own] = Object.keys(scenario.staticData?.global ?? {});
		expect(own).toBe('n8n-nodes-price-collection.priceCollectionPollingTrigger wf1 id-ends');
		const [original] = scenario.nodes;
		if (original === undefined) throw new Error('no node');
		scenario.nodes = [{ ...original, id: 'copy', name: 'Copy' }, original];
		expect(await ids(scenario)).toEqual([]);
		expect(Object.keys(scenario.staticData?.global ?? {})).toHaveLength(2);
		scenario.nodes = [{ ...original, id: 'copy', name: 'Copy' }];
		const later = await ended(1);
		expect(await ids(scenario)).toEqual(later);
		expect(Object.keys(scenario.staticData?.global ?? {})).toEqual([own?.replace('id-ends', 'copy')]);
	});
});

describe('a poll that goes wrong', () => {
	const outage = () =>
		fail(sandbox, 'list', { type: 'refusal', reason: 'unauthorized', status: 401 }, 'always');

	it('does not keep n8n from registering a trigger that has a state when it starts', async () => {
		const scenario = build();
		await pollTrigger(scenario, 'Ends', 'activate');
		const created = await create(1);
		outage();
		for (const mode of ['init', 'activate', 'leadershipChange'] as const) {
			restart(scenario);
			expect(await pollTrigger(scenario, 'Ends', mode)).toBeNull();
		}
		sandbox.faults.clear();
		later(HOUR);
		finish(...created);
		expect(await ids(scenario)).toEqual(created);
	});

	it('waits for as long as the service asks for', async () => {
		const scenario = await active();
		const busy = { type: 'tooManyRequests', retryAfterSeconds: 600 } as const;
		fail(sandbox, 'list', busy, 'always');
		expect(await pollTrigger(scenario, 'Ends')).toBeNull();
		sandbox.faults.clear();
		sandbox.clearRequests();
		for (let minute = 1; minute < 10; minute++) {
			later(MINUTE);
			await pollTrigger(scenario, 'Ends');
		}
		expect(sandbox.requests).toEqual([]);
		later(MINUTE);
		await pollTrigger(scenario, 'Ends');
		expect(sandbox.requests.length).toBeGreaterThan(0);
	});

	it('starts the error workflow ever more seldom', async () => {
		const scenario = await active();
		outage();
		const failedAt: number[] = [];
		for (let minute = 0; minute < 120; minute++) {
			await pollTrigger(scenario, 'Ends').catch(() => failedAt.push(minute));
			later(MINUTE);
		}
		expect(failedAt).toEqual([1, 2, 4, 8, 16, 32, 62, 92]);
	});

	/** A trigger whose executions n8n may reject after they were emitted. */
	const emitting = async (how: { isDurable?: boolean } = {}) => {
		const scenario = await active();
		const [first = '', second = ''] = await create(2);
		finish(first);
		const emissions: Array<{ reject: (error: Error) => void }> = [];
		const emit = (_data: unknown, _response: unknown, done: (typeof emissions)[0]) =>
			emissions.push(done);
		const again = pollContext(scenario, 'Ends', emit, how);
		const next = async () => (await again()).map(({ json }) => json.job_id);
		expect(await next()).toEqual([first]);
		return { first, second, next, emissions };
	};

	it('hands an end over again when n8n could not store the execution', async () => {
		const { first, second, next, emissions } = await emitting();
		emissions[0]?.reject(new Error('SQLITE_BUSY'));
		finish(second);
		expect(await next()).toEqual([first, second]);
		class ExecutionCancelledError extends Error {}
		emissions[1]?.reject(new ExecutionCancelledError('stopped by hand'));
		expect(await next()).toEqual([]);
	});

	it('hands it over again also where that turns out while the next poll is under way', async () => {
		const { first, second, next, emissions } = await emitting();
		finish(second);
		const underWay = next();
		// It has read the stored state, and waits for the service.
		await new Promise(setImmediate);
		emissions[0]?.reject(new Error('SQLITE_BUSY'));
		expect(await underWay).toEqual([second]);
		expect(await next()).toEqual([first]);
		expect(await next()).toEqual([]);
	});

	it('leaves the emissions of n8n alone where it saves memory and execution together', async () => {
		const { first, second, next, emissions } = await emitting({ isDurable: true });
		expect([first, emissions]).toEqual([first, [undefined]]);
		finish(second);
		expect(await next()).toEqual([second]);
	});

	it('says that a list cannot be read whole, and gives nothing from it', async () => {
		const scenario = await active();
		answerList({ data: [{ job_id: 'a', status: 'finished' }], total: 3 });
		expect(await ids(scenario)).toEqual([]);
		later(MINUTE);
		await expect(pollTrigger(scenario, 'Ends')).rejects.toThrow('Only 1 jobs of the list can be read');
	});
});

describe('a list that does not show the status of jobs', () => {
	const pollHidden = async (scenario: Scenario) => {
		sandbox.faults.clear();
		const listed = sandbox.jobs.map(({ job_id, createdAt }) => ({
			...{ job_id, created_at: new Date(createdAt).toISOString() },
		}));
		answerList({ data: listed.reverse() });
		later(MINUTE);
		return await ids(scenario);
	};
	const STATUS = /\/v2\/jobs\/[^/]+$/;

	it('is no reason to miss an end: the jobs are asked for one by one', async () => {
		const [over = '', running = ''] = await create(2);
		finish(over);
		const scenario = build();
		expect(await pollHidden(scenario)).toEqual([]);
		const [quick = '', slow = ''] = await create(2);
		finish(running, quick);
		expect(await pollHidden(scenario)).toEqual([running]);
		expect(await pollHidden(scenario)).toEqual([quick]);
		expect(await pollHidden(scenario)).toEqual([]);
		finish(slow);
		restart(scenario);
		expect(await pollHidden(scenario)).toEqual([slow]);
		sandbox.clearRequests();
		expect(await pollHidden(scenario)).toEqual([]);
		expect(asked(STATUS)).toEqual([]);
	});
});

it('the test button gives the latest end, again and again, and leaves no trace', async () => {
	const latest = (await ended(3)).slice(2);
	const scenario = { ...build(), mode: 'manual' as const };
	expect(await ids(scenario)).toEqual(latest);
	expect(await ids(scenario)).toEqual(latest);
	expect(Object.values(scenario.staticData ?? {})).toEqual([]);
});
