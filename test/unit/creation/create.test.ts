import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import { startJobs } from '../../../nodes/PriceCollection/creation/create';
import type { Purchase } from '../../../nodes/PriceCollection/run/formats';
import { Purchases } from '../../../nodes/PriceCollection/creation/purchases';
import { canonical } from '../../../nodes/PriceCollection/values/identity';
import { without, type Creation } from '../../../nodes/PriceCollection/run/record';
import { ENDPOINTS, type Job } from '../../../nodes/PriceCollection/service/types';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import type { Outcome, Problem } from '../../../nodes/PriceCollection/service/problems';
import { fakeClient, type FakeService } from '../fakeClient';
import { nodeContext } from '../nodeContext';
import { ledgerOf, type Store } from './ledgerOf';

const NOW = Date.parse('2026-10-01T12:00:00Z');
const SECRET = { webhookSecret: 'SECRETSECRET' };
const SENT = { topic: 'search', key: 'term' };
const URL_OF_NODE = 'https://n8n.example.test/webhook/x';

const problem = (kind: Problem['kind'], more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.create, effect: 'none' },
	...more,
});

/** How a test creates. Default: a first try of `create` that stops at failures. */
interface How {
	/** What earlier tries have left. */
	left?: readonly Purchase[];
	/** Other properties of the ledger's store. */
	store?: Partial<Store>;
	options?: IDataObject;
	maxCredits?: number;
	goesOn?: boolean;
	webhookUrl?: string;
	latest?: number;
	/** When it begins, in milliseconds after the first try. */
	after?: number;
}

/** Creates a job for each item. The service answers each creation with `reply`, which gets its number from 1. */
async function created(
	items: string[],
	reply: (parameters: IDataObject, count: number) => Outcome<Job> | Promise<Outcome<Job>>,
	service: FakeService = {},
	{ left = [], store, options, maxCredits, goesOn = false, webhookUrl, latest, after = 0 }: How = {},
) {
	let count = 0;
	let time = NOW + after;
	jest.spyOn(Date, 'now').mockImplementation(() => time);
	const create = (parameters: IDataObject) => reply(parameters, ++count);
	const pause = async (milliseconds: number) => void (time += Math.max(0, milliseconds));
	const { client, asked } = fakeClient({ now: () => time, pause, ...service, create });
	const own = store?.purchases ?? new Purchases();
	for (const purchase of left) own.add(structuredClone(purchase));
	/** Notes what is stored at each change. */
	const keep = () => {
		const states = own.all.map(({ creation: { jobId, lostAt } }) => jobId ?? (lostAt ? 'lost' : 'sent'));
		asked.push({ stored: states.join(', ') || 'nothing' });
	};
	const { ledger, purchases } = ledgerOf({ keep, ...store, purchases: own });
	const { context, hints, logged } = nodeContext({
		parameters: {
			...{ topic: 'search', values: '={{ $json.x }}', maxCredits },
			options: { grouping: 'perItem', ...options },
		} as INodeParameters,
		items: items.map(() => ({})),
		expressions: { '={{ $json.x }}': (item) => items[item] },
		more: { continueOnFail: () => goesOn, getExecutionId: () => '7' },
	});
	const onCreated = jest.fn();
	const settings = { fields: new NodeFields(context), ledger, webhookUrl, latest };
	const run = await startJobs(context, client, settings, onCreated).catch((error: Error) => ({ error }));
	return {
		...{ run, ledger, purchases, onCreated, logged, lasted: time - NOW - after },
		hints: hints.map(({ message }) => message),
		jobs: 'records' in run ? run.records.map(({ job }) => job.job_id) : [],
		/** The text of the error that stopped the run, or of each item without a job. */
		said: 'error' in run ? JSON.stringify(run.error) : JSON.stringify(run.unsent),
		/** Everything that was done, in order. */
		done: asked.map((one) => one.stored ?? Object.keys(one)[0]),
		sent: asked.flatMap(({ create: one }) => (one === undefined ? [] : [one as IDataObject])),
	};
}
afterEach(() => jest.restoreAllMocks());

const purchaseOf = (creation: Partial<Creation>, ...values: Purchase['values']): Purchase => ({
	...{ what: 'fields', values, creation: { sentAt: NOW, executionId: '7', ...creation } },
});
const works = (_: IDataObject, count: number) => success({ job_id: `job ${count}`, status: 'new' });
const job = (more: IDataObject = {}): Job => ({
	...{ job_id: 'there', status: 'new', created_at: '2026-10-01T12:00:01Z' },
	...more,
});
const lists = (...jobs: Job[]) => ({
	list: ({ page }: IDataObject) => success(page === undefined ? jobs : []),
});
/** A listed job that shows all we send for these values. */
const shown = (values: string, more: IDataObject = {}) => job({ ...SENT, values, ...more });
/** A list without our job. */
const OTHERS = [job({ job_id: 'another', created_at: '2026-09-30T11:00:00Z' })];

test('creates one job after the other, each noted before and after', async () => {
	const { sent, done, onCreated, purchases } = await created(['a\nb', 'c'], works);
	expect(sent).toEqual([{ values: 'a\nb' }, { value: 'c' }].map((lookup) => ({ ...SENT, ...lookup })));
	expect(done).toEqual(['sent', 'create', 'job 1', 'job 1, sent', 'create', 'job 1, job 2']);
	expect(onCreated.mock.calls).toEqual([['job 1'], ['job 2']]);
	const creation = { sentAt: NOW, executionId: '7', jobId: 'job 2', nonce: expect.any(String) as string };
	expect(purchases[1]).toEqual({ what: 'fields', values: [[1, 'c']], creation });
});

describe('several creations', () => {
	/** Replies that take a while, earlier ones longer, and how many requests were under way at each. */
	function slowly(reply: (parameters: IDataObject, count: number) => Outcome<Job>) {
		const underWay: number[] = [];
		let now = 0;
		const slow = async (parameters: IDataObject, count: number) => {
			underWay.push(++now);
			for (let turns = 12 - (count % 10); turns > 0; turns--) await new Promise(setImmediate);
			now--;
			return reply(parameters, count);
		};
		return { slow, underWay, now: () => now };
	}
	const items = Array.from({ length: 24 }, (_, index) => `v${index}`);

	test('are under way at a time, ten at most, after the first was taken; the jobs are in the order of the items', async () => {
		const { slow, underWay } = slowly((parameters) =>
			success({ job_id: `of ${String(parameters.value)}`, status: 'new' }),
		);
		const { jobs } = await created(items, slow);
		expect([underWay[0], underWay[1], Math.max(...underWay)]).toEqual([1, 1, 10]);
		expect(jobs).toEqual(items.map((item) => `of ${item}`));
	});

	test('stay alone as long as none was taken', async () => {
		const refused = () => failure(problem('invalidValue', { reason: 'invalid value' }));
		const { slow, underWay } = slowly(refused);
		await created(items, slow, {}, { goesOn: true });
		expect(new Set(underWay)).toEqual(new Set([1]));
	});

	test('wait for the search of the job list for one whose reply was lost, and it waits for them', async () => {
		const lostFifth = (parameters: IDataObject, count: number) =>
			count === 5
				? failure(problem('connectionLost', { effect: 'unknown' }))
				: works(parameters, count);
		const { slow, now } = slowly(lostFifth);
		const beside: number[] = [];
		const list = ({ page }: IDataObject) => {
			beside.push(now());
			return success(page === undefined ? [shown('v4', { value: 'v4' })] : []);
		};
		const { jobs, sent } = await created(items, slow, { list });
		expect(beside.length).toBeGreaterThan(0);
		expect(new Set(beside)).toEqual(new Set([0]));
		expect([jobs.length, jobs[4], sent.length]).toEqual([24, 'there', 24]);
	});

	test('are sent only as far as they cannot exceed the limit together', async () => {
		const dear = (_: IDataObject, count: number) =>
			success({ job_id: `job ${count}`, status: 'new', credits_reserved: 2 });
		const { slow, underWay } = slowly(dear);
		const { jobs, said } = await created(items, slow, {}, { maxCredits: 30, goesOn: true });
		expect([jobs.length, underWay.length]).toEqual([15, 15]);
		expect(said).toContain('The service has reserved 30 credits for earlier jobs of this run');
	});
});

describe('the form of the lookup values', () => {
	/** What is sent for the items if the first requests are refused like this. */
	const lookups = async (items: string[], refusals: Array<Partial<Problem>>, how: How = {}) => {
		const refuses = (parameters: IDataObject, count: number) => {
			const refusal = refusals[count - 1];
			return refusal ? failure(problem('refused', refusal)) : works(parameters, count);
		};
		const { sent, said, done } = await created(items, refuses, { pages: [] }, how);
		return { said, done, sent: sent.map((one) => without(one, 'topic', 'key')) };
	};
	/** A refusal that reports a missing parameter. */
	const missing = (parameter: string): Partial<Problem> => ({
		faults: [{ parameter, serviceName: parameter, complaint: 'missing', isSent: true }],
	});
	const TEXT = { values: 'a\nb' };
	const ARRAY = { values: ['a', 'b'] };

	test('is another one after a refusal that names it, of which nothing is kept', async () => {
		const { sent, done } = await lookups(['a', 'b'], [missing('value')]);
		expect(sent).toEqual([{ value: 'a' }, { values: 'a' }, { values: 'b' }]);
		expect(done.slice(0, 6)).toEqual(['sent', 'create', 'nothing', 'sent', 'create', 'job 2']);
	});

	const named = missing('values');
	test.each<[string[], number, IDataObject[]]>([
		[['a', 'c'], 2, [{ value: 'a' }, { values: 'a' }, { values: ['a'] }, { values: ['c'] }]],
		[['a', 'a\nb'], 2, [{ value: 'a' }, { values: 'a' }, { values: ['a'] }, ARRAY]],
		[['a\nb', 'c'], 0, [TEXT, { value: 'c' }]],
		[['a\nb', 'c'], 1, [TEXT, ARRAY, { values: ['c'] }]],
		[['a\nb', 'c'], 2, [TEXT, ARRAY, { value: 'a' }, { value: 'b' }, { value: 'c' }]],
	])('for %j, after %i refusals, is what the service took, from then on', async (items, refused, sent) => {
		const refusals = Array.from({ length: refused }, () => named);
		expect((await lookups(items, refusals)).sent).toEqual(sent);
	});

	test('is tried once each, and the error says what the service said to all of them', async () => {
		const array = { reason: 'values must be an array', comment: 'c' };
		const refusals = [{ reason: 'value is not it' }, array, { reason: 'values are unknown' }].map(
			(one) => ({
				...one,
				...missing('values'),
			}),
		);
		const { sent, said } = await lookups(['a'], refusals);
		expect(sent).toEqual([{ value: 'a' }, { values: 'a' }, { values: ['a'] }]);
		const others = String.raw`The service also refused the other ways to send the values: \"values must be an array: c\", \"values are unknown\".`;
		expect(said).toContain(String.raw`The service says: \"value is not it\". ${others}`);
	});

	test('with Continue, is tried again for the next job: the first one may have been refused for its value', async () => {
		const refusals = Array.from({ length: 4 }, () => named);
		const { sent } = await lookups(['a', 'c'], refusals, { goesOn: true });
		expect(sent.slice(3)).toEqual([{ value: 'c' }, { values: 'c' }]);
	});
});

test('the service may say what it booked, and the limit counts that', async () => {
	const books = (_: IDataObject, count: number) =>
		success({ ...job({ job_id: `job ${count}` }), credits_booked: '3' });
	const how = { maxCredits: 6, goesOn: true };
	const { jobs, said, hints, purchases } = await created(['a', 'b', 'c'], books, {}, how);
	expect(jobs).toEqual(['job 1', 'job 2']);
	expect(purchases.map(({ creation }) => creation.booked)).toEqual([3, 3]);
	expect(said).toContain('The service has reserved 6 credits for earlier jobs of this run');
	expect(hints).toEqual(['The service reserved 6 credits for 2 jobs; the estimate was 2.']);
});

test('nothing is sent when the execution is about to end', async () => {
	const slow = (_: IDataObject, count: number) => {
		jest.spyOn(Date, 'now').mockReturnValue(NOW + 2);
		return works(_, count);
	};
	const how = { latest: NOW + 1, goesOn: true };
	const { jobs, said } = await created(['a', 'b'], slow, { now: () => Date.now() }, how);
	expect(jobs).toEqual(['job 1']);
	const why = 'This execution has run out of time';
	expect(said).toContain(why);
});

test('a failed creation names the jobs of all tries, and those that other requests may have made', async () => {
	const left = [
		purchaseOf({ jobId: 'first' }, [5, 'x']),
		purchaseOf({ doubt: 'one of these may be this job: second.' }, [6, 'x']),
	];
	const { said } = await created(['a'], () => failure(problem('noCredits')), {}, { left });
	expect(said).toMatch(
		/running: first\. .* Another request got no clear answer, so its job may exist as well\. one of these may be this job: second\. /,
	);
});

describe('a lost reply', () => {
	const lost = () => failure(problem('connectionLost', { effect: 'unknown', detail: 'Details: socket' }));

	test('is made up for by a job that is proven, which is said', async () => {
		const { jobs, hints, purchases } = await created(['a'], lost, lists(shown('a')));
		expect(jobs).toEqual(['there']);
		expect(purchases[0]?.creation).toMatchObject({ jobId: 'there', recovered: true });
		expect(hints).toEqual([
			'The answer to a request was lost, but the job list has the job (there), so nothing was created twice.',
		]);
	});

	test('is never made up for without a proof: the job is named', async () => {
		const { said, purchases } = await created(['a'], lost, lists(job()));
		expect(said).toContain('Details: socket. The job list was searched (1 jobs); one of');
		const creation = { sentAt: NOW, lostAt: NOW, doubt: expect.stringContaining('there') as string };
		expect(purchases).toMatchObject([{ values: [[0, 'a']], creation, sent: { values: ['a'] } }]);
	});

	test('casts no doubt on jobs that were not tried', async () => {
		const rateLimited = () => failure(problem('rateLimited', { effect: 'unknown' }));
		const { run } = await created(['a', 'b'], rateLimited, { pages: [] }, { goesOn: true });
		const messages = 'unsent' in run ? run.unsent.map(({ error }) => String(error?.message)) : [];
		expect(messages.map((text) => text.includes('the job may exist'))).toEqual([true, false]);
	});

	describe('of an earlier try', () => {
		/** The next try, this many milliseconds after the lost one. */
		async function again(service: FakeService, after = 30_001, how: How = {}, items = ['a']) {
			const more = how.webhookUrl === undefined ? {} : { fields: SECRET };
			const firstHow = { ...without(how, 'store'), goesOn: true };
			const first = await created(items, lost, { pages: [], ...more }, firstHow);
			const next = { ...how, after, left: first.purchases };
			return await created(items, works, { ...lists(), ...more, ...service }, next);
		}

		test('is looked for before anything is sent, after the time in which a slow service enters it', async () => {
			const { jobs, sent, lasted } = await again(lists(shown('a')), 10_000);
			// The first try ended after 5.5 s of looking.
			expect([jobs, sent, lasted]).toEqual([['there'], [], 20_001]);
		});

		test('is sent again where two lists, 30 s apart, only hold others, and not where one may be it', async () => {
			const others = [shown('x', { job_id: 'b' }), ...OTHERS];
			const absent = await again(lists(...others));
			expect([absent.jobs, absent.lasted]).toEqual([['job 1'], 30_000]);
			expect(absent.logged).toEqual([
				'Price Collection: a lost creation is sent again. The job list was searched (2 jobs); none of them can be this job.',
			]);
			const done = absent.done.filter((one) => one !== 'list');
			expect(done).toEqual(['nothing', 'sent', 'create', 'job 1']);
			const unclear = await again(lists(job()));
			expect(unclear.said).toContain('(1 jobs); one of these may be this job: there.');
			expect([unclear.sent, unclear.lasted]).toEqual([[], 0]);
		});

		test('is sent again with the callback URL of this try', async () => {
			const first = await created(['a'], lost, { pages: [] }, { webhookUrl: URL_OF_NODE });
			const [webhookUrl, left] = ['https://n8n.example.test/of/this', first.purchases];
			const { sent } = await created(['a'], works, lists(), { after: 30_001, left, webhookUrl });
			expect(sent).toEqual([{ ...SENT, value: 'a', webhook_url: webhookUrl }]);
		});

		test('is looked for in the same lists as the others', async () => {
			const { jobs, done } = await again(lists(...OTHERS), 60_000, {}, ['a', 'b']);
			expect(jobs).toEqual(['job 1', 'job 2']);
			// Each of the two lists has two pages; the empty second page ends it.
			expect(done.filter((one) => one === 'list')).toHaveLength(4);
		});

		test('may bear another mark where the ledger has gaps', async () => {
			const marked = lists(shown('a', { webhook_url: `${URL_OF_NODE}?pc_nonce=another` }));
			const how = { webhookUrl: URL_OF_NODE };
			const gaps = { ...how, store: { gap: { from: NOW, to: NOW } } };
			expect((await again(marked, 30_001, how)).jobs).toEqual(['job 1']);
			expect((await again(marked, 30_001, gaps)).jobs).toEqual(['there']);
		});
	});
});

describe('a request that nobody recorded', () => {
	const retried = async (from: number | undefined, ...jobs: Job[]) =>
		await created(['a'], works, lists(...jobs), { store: { gap: { from, to: NOW } }, after: 30_001 });

	test('is made up for by a proven job where it is known since when it can be, and by none where it is not', async () => {
		const { jobs, sent, purchases } = await retried(NOW, shown('a'));
		expect([jobs, sent]).toEqual([['there'], []]);
		expect(purchases).toMatchObject([
			{ values: [[0, 'a']], creation: { jobId: 'there', recovered: true } },
		]);
		const unclear = await retried(undefined, shown('a'));
		expect(unclear.said).toContain('one of these may be this job: there.');
		expect([unclear.jobs, unclear.sent]).toEqual([[], []]);
	});

	test('is sent where two lists, 30 s apart, only hold others', async () => {
		for (const from of [NOW, undefined]) {
			const { jobs, lasted } = await retried(from, shown('x'));
			expect([jobs, lasted]).toEqual([['job 1'], 30_000]);
		}
		// An old job is ruled out only if the gap has a known start.
		const old = job({ created_at: '2026-09-30T11:00:00Z' });
		expect((await retried(NOW, old)).jobs).toEqual(['job 1']);
		expect((await retried(undefined, old)).jobs).toEqual([]);
	});

	test('is not looked for where the job is known', async () => {
		const left = [purchaseOf({ jobId: 'j' }, [0, 'a'])];
		const { jobs, done } = await created(['a'], works, {}, { left, store: { gap: { to: NOW } } });
		expect([jobs, done]).toEqual([['j'], ['j']]);
	});
});

describe('a purchase', () => {
	test('of an earlier try is also that of another item that asks the same with Combine, from then on', async () => {
		const [options, left] = [{ grouping: 'combine' }, [purchaseOf({ jobId: 'j' }, [0, 'a'])]];
		const first = await created(['a', 'a\nb'], works, {}, { left, options });
		expect([first.jobs, first.sent.length]).toEqual([['j', 'job 1'], 1]);
		expect(first.purchases.map(({ values }) => values)).toEqual([
			[
				[0, 'a'],
				[1, 'a'],
			],
			[[1, 'b']],
		]);
		const again = await created(['x', 'a'], works, {}, { left: first.purchases, options });
		expect([again.jobs, again.sent.length]).toEqual([['job 1', 'j'], 1]);
	});

	test('of a value that single jobs and one of several values hold is one record of each job', async () => {
		const left = [purchaseOf({ jobId: 'j' }, [0, 'a']), purchaseOf({ jobId: 'j' }, [1, 'b'])];
		const { jobs, run } = await created(['a', 'b'], works, {}, { left });
		expect(jobs).toEqual(['j']);
		const items = 'records' in run ? run.records[0]?.requesters.map(({ item }) => item) : [];
		expect(items).toEqual([0, 1]);
	});
});

describe('a question of an agent', () => {
	const what = canonical(SENT);
	const asked = (more: Partial<Creation>) => [{ ...purchaseOf(more, [0, 'a']), what }];
	const shared = { outlivesExecution: true };
	const denied = failure(problem('jobNotFound', { reason: 'not found', about: 'job' }));
	const seenAs = (status: string) => success({ job_id: 'j', status });

	test.each<[string, Array<Outcome<Job>>, string, number]>([
		['as it is now', [seenAs('finished')], 'j', 0],
		['although its status cannot be read', [failure(problem('unavailable'))], 'j', 0],
		['although it is denied in the words of others', [failure(problem('jobNotFound'))], 'j', 0],
		['although it was denied once', [denied, seenAs('working')], 'j', 30_000],
		['although nothing is known after a denial', [denied, failure(problem('htmlBody'))], 'j', 30_000],
		['but not one that is denied twice, 30 s apart', [denied], 'job 1', 30_000],
		['although it was said once that it failed', [seenAs('error'), seenAs('finished')], 'j', 30_000],
		['but not one that is cancelled twice, 30 s apart', [seenAs('canceled')], 'job 1', 30_000],
		['but not one that failed twice, 30 s apart', [seenAs('error')], 'job 1', 30_000],
		['but not one that failed, then is unknown', [seenAs('error'), denied], 'job 1', 30_000],
	])('takes up the job of an earlier one %s', async (_name, replies, taken, waits) => {
		let count = 0;
		const getJob = () => replies[Math.min(count++, replies.length - 1)]!;
		const how = { left: asked({ jobId: 'j' }), store: shared };
		const { jobs, sent, lasted } = await created(['a'], works, { getJob }, how);
		expect([jobs, sent.length, lasted]).toEqual([[taken], taken === 'j' ? 0 : 1, waits]);
	});

	/** Another execution whose request is under way. */
	function working(purchases: Purchases, [purchase] = asked({})) {
		purchases.add(purchase!);
		let finish = () => {};
		const isOver = new Promise<void>((resolve) => (finish = resolve));
		void purchases.during(purchase!, async () => await isOver);
		return { purchase: purchase!, finish };
	}

	test.each<[string, string, Partial<Creation> | undefined, number]>([
		['the job', 'j', { jobId: 'there' }, 90_000],
		['nothing', 'job 1', undefined, 90_000],
		['no reply, and is looked for then', 'job 1', { lostAt: NOW + 90_000 }, 150_001],
	])(
		'waits for another one that is under way, however long, and gets %s',
		async (_name, jobId, end, lasts) => {
			const purchases = new Purchases();
			const { purchase, finish } = working(purchases);
			let time = NOW;
			const pause = async (milliseconds: number) => {
				time += Math.max(0, milliseconds);
				if (time !== NOW + 90_000) return;
				if (end === undefined) purchases.remove(purchase);
				else Object.assign(purchase.creation, end);
				finish();
				await new Promise((resolve) => setImmediate(resolve));
			};
			const service = { now: () => time, pause, ...lists(...OTHERS), getJob: () => seenAs('working') };
			const { jobs, sent } = await created(['a'], works, service, { store: { ...shared, purchases } });
			expect([jobs, sent.length, time - NOW]).toEqual([[jobId], jobId === 'j' ? 0 : 1, lasts]);
		},
	);

	test('answers that another one is creating the job where it must answer first', async () => {
		const purchases = new Purchases();
		working(purchases);
		const service = { isOutOfTime: true };
		const { said, sent } = await created(['a'], works, service, { store: { ...shared, purchases } });
		expect([sent, said]).toEqual([[], expect.stringContaining('Another execution is creating this job')]);
	});

	test('takes up what another one has asked since it was planned', async () => {
		const purchases = new Purchases();
		const meanwhile = (parameters: IDataObject, count: number) => {
			const [purchase] = asked({ jobId: 'j' }) as [Purchase];
			if (count === 1) purchases.add({ ...purchase, values: [[0, 'b']] });
			return works(parameters, count);
		};
		const service = { getJob: () => seenAs('new') };
		const how = { store: { ...shared, purchases } };
		const { jobs, sent } = await created(['a', 'b\nc'], meanwhile, service, how);
		expect(jobs).toEqual(['job 1', 'j', 'job 2']);
		expect(sent.map(({ value }) => value)).toEqual(['a', 'c']);
	});
});

test('the callback URL is signed where the credential has a secret, anew for each job', async () => {
	const how = { webhookUrl: URL_OF_NODE };
	const { sent, purchases } = await created(['a', 'b'], works, { fields: SECRET }, how);
	const nonces = sent.map(({ webhook_url: url }) => new URL(String(url)).searchParams.get('pc_nonce'));
	expect(new Set(nonces).size).toBe(2);
	expect(purchases.map(({ creation }) => creation)).toMatchObject(
		nonces.map((nonce) => ({ nonce, signatureHash: expect.any(String) as string })),
	);
	expect((await created(['a'], works, {}, how)).sent[0]?.webhook_url).toBe(URL_OF_NODE);
});
