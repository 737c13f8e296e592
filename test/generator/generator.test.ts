import fc from 'fast-check';

import { applyOptions, defaultOptions } from '../sandbox/options';
import { startSandbox } from '../sandbox/sandbox';
import type { Sandbox } from '../sandbox/sandbox';
import { expectedFor } from './expected';
import type { Expected } from './expected';
import { arbitraryJobs, becomeService, EVERY_KIND_OF_JOB } from './jobs';
import type { Known } from './jobs';
import { asItem } from './leaves';
import { COLLECTED_VALUES, OPERATIONS } from './operations';
import type { Fields, Observed, Operation } from './operations';
import { parametersFor } from './parameters';
import { POINTS } from './points';
import { arbitraryService, credentialOf, serviceOf, servicesWithOneOddity } from './service';
import type { GeneratedService } from './service';
import { verdictOn } from './verdict';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ manualClock: true });
});
afterAll(async () => await sandbox.close());

test('every service consists of options that the sandbox has, and differs from the default one', () => {
	const services = servicesWithOneOddity();
	expect(services.length).toBeGreaterThan(150);
	for (const service of services) {
		expect(() => applyOptions(defaultOptions(), service.options)).not.toThrow();
		expect({ ...service, choices: {} }).not.toEqual({ ...serviceOf({}), choices: {} });
	}
	expect(() => serviceOf({ envelope: 'paper' })).toThrow('The point envelope has no choice paper');
});

test('the same seed makes up the same services, and all choices of all points come up', () => {
	const sample = () =>
		fc.sample(arbitraryService(), { seed: 7, numRuns: 1500 }).map(({ choices }) => choices);
	const first = sample();
	expect(sample()).toEqual(first);
	const seen = new Set(
		first.flatMap((choices) => Object.entries(choices).map(([point, name]) => `${point} ${name}`)),
	);
	const all = Object.entries(POINTS).flatMap(([point, choices]) =>
		Object.keys(choices)
			.slice(1)
			.map((name) => `${point} ${name}`),
	);
	expect(all.filter((one) => !seen.has(one))).toEqual([]);
});

test('a service that fails shrinks to the choices that make it fail', () => {
	const details = fc.check(
		fc.property(
			arbitraryService(),
			({ choices }) => choices.listWay !== 'cursor' || choices.format !== 'xml',
		),
		{ seed: 3, numRuns: 3000 },
	);
	expect(details.counterexample?.[0].choices).toEqual({ format: 'xml', listWay: 'cursor' });
	const report = fc.defaultReportMessage(details) ?? '';
	expect(report).toContain('serviceOf({"format":"xml","listWay":"cursor"})');
	expect(report).toContain(`seed: 3, path: "${details.counterexamplePath}"`);
});

test('the credential names what the service wants', () => {
	const address = { url: 'http://127.0.0.1:1', apiKey: 'KEY' };
	expect(credentialOf(serviceOf({ authentication: 'ownParameter' }), address)).toMatchObject({
		baseUrl: 'http://127.0.0.1:1',
		apiKey: 'KEY',
		parameterName: 'api_key',
	});
	expect(credentialOf(serviceOf({ authentication: 'basic' }), address)).toMatchObject({
		authentication: 'basic',
		username: 'sandbox',
		password: 'sandbox-password',
	});
});

test('a plain client can read every service of which it knows the settings', async () => {
	for (const service of servicesWithOneOddity().filter(({ format }) => format === 'json')) {
		const known = await becomeService(sandbox, service, EVERY_KIND_OF_JOB);
		const [done] = known.jobs;
		expect(done?.results).toHaveLength(5 + service.options.extraResults);
		expect(done?.file.length).toBeGreaterThan(0);
		expect(sandbox.requests).toEqual([]);
		const [status] = (await fetchedStatuses(service, known)).slice(0, 1);
		expect(status).toBe(200);
	}
});

test('what is true of today stays true for half a day, at whatever time it is asked', async () => {
	for (const hour of [0, 11, 12, 23]) {
		const midnight = new Date(sandbox.now()).setUTCHours(24, 0, 0, 0);
		sandbox.advance(midnight - sandbox.now() + hour * 3_600_000 + 3_500_000);
		await becomeService(sandbox, serviceOf({}), EVERY_KIND_OF_JOB);
		const left = new Date(sandbox.now()).setUTCHours(24, 0, 0, 0) - sandbox.now();
		expect([hour, left > 11 * 3_600_000]).toEqual([hour, true]);
	}
});

/** HTTP statuses that the jobs' own addresses answer with, asked with the settings of the credential alone. */
async function fetchedStatuses(service: GeneratedService, { jobs }: Known): Promise<number[]> {
	const credential = credentialOf(service, sandbox) as Record<string, string>;
	const {
		authentication,
		apiKey = '',
		username,
		password,
		parameterName = 'token',
		headerName,
	} = credential;
	const headers: Record<string, string> = {};
	if (authentication === 'bearer') headers.authorization = `Bearer ${apiKey}`;
	if (authentication === 'header') headers[headerName ?? 'X-API-Key'] = apiKey;
	if (authentication === 'basic')
		headers.authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
	return await Promise.all(
		jobs.map(async ({ id }) => {
			const url = new URL(`${sandbox.url}/v2/jobs/${id}`);
			if (authentication === 'queryParameter' || authentication === undefined)
				url.searchParams.set(parameterName, apiKey);
			return (await fetch(url, { headers })).status;
		}),
	);
}

describe('the oracle', () => {
	const service = serviceOf({});
	let known: Known;
	beforeAll(async () => {
		known = await becomeService(sandbox, service, EVERY_KIND_OF_JOB);
	});

	const nothing = (): Observed => ({
		...{ items: [], askers: [], files: [], hints: [] },
		...{ created: [], createdResults: [], jobs: sandbox.jobs },
	});
	const judged = (operation: Operation, observed: Partial<Observed>, of: GeneratedService = service) =>
		verdictOn(operation, of, known, expectedFor(operation, of, known), { ...nothing(), ...observed });
	const items = (expected: Expected): Fields[] =>
		expected.kind === 'items' ? expected.items.map(({ has, holds }) => ({ ...has, holds })) : [];
	const right = (operation: Operation) => items(expectedFor(operation, service, known));
	const whole = (): Fields[] =>
		(known.jobs[0]?.results ?? []).map((result) => ({
			job_id: known.jobs[0]?.id,
			...(asItem(result) as Fields),
		}));

	test('knows an answer that is right', () => {
		expect(judged('downloadResults', { items: whole() }).kind).toBe('right');
		expect(judged('downloadRows', { items: right('downloadRows') }).kind).toBe('right');
		expect(judged('getAll', { items: right('getAll') }).kind).toBe('right');
		const bytes = known.jobs[0]?.file ?? Buffer.alloc(0);
		expect(judged('downloadFile', { items: [{}], files: [bytes] }).kind).toBe('right');
	});

	test.each<[string, (rows: Fields[]) => Fields[]]>([
		['a result that is missing', (rows) => rows.slice(1)],
		['results in another order', (rows) => rows.toReversed()],
		['a result too many', (rows) => [...rows, ...rows.slice(0, 1)]],
		['a failure that became a success', (rows) => rows.map((row) => ({ ...row, success: true }))],
		['a job of somebody else', (rows) => rows.map((row) => ({ ...row, job_id: 'other' }))],
		['a field that is missing', (rows) => rows.map((row) => ({ ...row, metadata: undefined }))],
		[
			'a price that became a number',
			(rows) =>
				JSON.parse(JSON.stringify(rows).replace(/"price":"([\d.]+)"/, '"price":$1')) as Fields[],
		],
		[
			'a null that became 0',
			(rows) => JSON.parse(JSON.stringify(rows).replace('"tax":null', '"tax":0')) as Fields[],
		],
		[
			'an offer that is lost',
			(rows) =>
				JSON.parse(JSON.stringify(rows).replace(/"offers":\[\{.*?\},/, '"offers":[')) as Fields[],
		],
	])('finds %s', (_name, spoilt) => {
		expect(judged('downloadResults', { items: spoilt(whole()) }).kind).toBe('wrong');
	});

	test('takes fewer jobs of a list only where a hint says so', () => {
		const some = right('getAll').slice(0, 2);
		expect(judged('getAll', { items: some }).kind).toBe('wrong');
		expect(judged('getAll', { items: some, hints: ['2 of more jobs came'] }).kind).toBe('clear');
		expect(judged('downloadRows', { items: [], hints: ['?'] }).kind).toBe('wrong');
	});

	test('takes fewer jobs in silence only where nobody can know that there are more', () => {
		const mute = serviceOf({ listShape: 'array', listWay: 'cursorOnlyMore' });
		const all = right('getAll');
		expect(judged('getAll', { items: all.slice(0, 2) }, mute).kind).toBe('clear');
		expect(judged('getAll', { items: [] }, mute).kind).toBe('wrong');
		expect(judged('getAll', { items: [...all.slice(0, 1), ...all.slice(0, 1)] }, mute).kind).toBe(
			'wrong',
		);
		const linked = serviceOf({ listShape: 'array', listWay: 'cursorLink' });
		expect(judged('getAll', { items: all.slice(0, 2) }, linked).kind).toBe('wrong');
	});

	test('tells errors that are right, needless and of no help', () => {
		const error = (message: string) => ({ error: { message, description: '' } });
		expect(judged('downloadEarly', error('The job is not over')).kind).toBe('clear');
		expect(judged('downloadEarly', { items: [] }).kind).toBe('wrong');
		expect(judged('downloadRows', error('The answer is not what this endpoint gives')).kind).toBe(
			'needless',
		);
		expect(judged('get', error("Cannot read properties of undefined (reading 'status')")).kind).toBe(
			'unclear',
		);
		expect(judged('createRefused', error('Refused')).kind).toBe('unclear');
		expect(judged('createRefused', error("Refused: There is no source 'nowhere'.")).kind).toBe('clear');
		const late = serviceOf({ createReply: 'timedOut' });
		expect(judged('create', error('It is not known whether the job exists'), late).kind).toBe('clear');
	});

	test('finds a job that is paid twice or lost, even behind an error, and one that is not cancelled', () => {
		const created = sandbox.jobs.slice(0, 2);
		expect(judged('create', { created, error: { message: 'No answer', description: '' } })).toMatchObject(
			{
				kind: 'wrong',
				why: '2 jobs were created in place of 1',
			},
		);
		const one = { created: sandbox.jobs.slice(0, 1) };
		const refused = (description: string) => ({ ...one, error: { message: 'Refused', description } });
		expect(judged('create', refused('Correct it and run again'))).toMatchObject({
			kind: 'wrong',
			why: 'says nothing of the job that was created: Refused Correct it and run again',
		});
		expect(judged('create', refused(`Job: ${known.jobs[0]?.id}`)).kind).toBe('needless');
		expect(judged('cancel', { items: [{ job_id: known.jobs[1]?.id }] })).toMatchObject({
			kind: 'wrong',
			why: 'the job is working in place of cancelled',
		});
	});

	describe('of a collect', () => {
		/** A run that asked for all values in one job, and the rows that stand beside their items. */
		const collected = async (choices: Record<string, string>) => {
			const of = serviceOf(choices);
			const account = await becomeService(sandbox, of, EVERY_KIND_OF_JOB);
			const id = await seeded(COLLECTED_VALUES);
			const createdResults = sandbox.resultsOf(id);
			const rowFor = (value: string): Fields => {
				const result = createdResults.find(({ query }) => query.value === value);
				const { success, reason, content } = result ?? {};
				return { value, success, found: success === true && content !== null, reason, content };
			};
			const rows = COLLECTED_VALUES.map(rowFor);
			const strangers = ['unasked-1', 'unasked-2'].map(rowFor);
			const verdict = (items: Fields[], askers: number[] = items.map((_, item) => item)) =>
				verdictOn('collect', of, account, expectedFor('collect', of, account), {
					...nothing(),
					...{ items, askers, createdResults },
					created: sandbox.jobs.filter(({ job_id: created }) => created === id),
				});
			return { rows, strangers, verdict };
		};
		const seeded = async (values: string[]): Promise<string> => {
			const body = { topic: 'search', source: 'google_shopping', country: 'de', key: 'term', values };
			const answer = await fetch(`${sandbox.url}/v2/jobs?token=${sandbox.apiKey}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			});
			const { job_id: id } = (await answer.json()) as { job_id: string };
			sandbox.finishJob(id);
			return id;
		};

		test('takes a row for each value, beside its own item', async () => {
			const { rows, verdict } = await collected({});
			expect(verdict(rows)).toEqual({ kind: 'right', why: '' });
			expect(verdict(rows, [1, 0, 2, 3, 4, 5])).toMatchObject({ kind: 'wrong' });
			expect(verdict(rows.slice(1), [1, 2, 3, 4, 5])).toMatchObject({ why: '0 rows for "iPhone 15"' });
		});

		test('takes a row that cannot tell only where the service did not', async () => {
			const cannotTell = {
				success: false,
				found: false,
				reason: 'the answers could not be told apart',
			};
			const dark = await collected({ valueEcho: 'lowerCase' });
			const [first, ...others] = dark.rows;
			const places = [0, 1, 2, 3, 4, 5];
			expect(dark.verdict([cannotTell, ...others, { ...first, value: null }], places).kind).toBe(
				'right',
			);
			expect(dark.verdict([cannotTell, ...others], places).why).toBe(
				'the result of "iPhone 15" was dropped',
			);
			const untrue = { ...cannotTell, reason: 'not answered: the job ended before' };
			expect(dark.verdict([untrue, ...others, { ...first, value: null }], places).why).toContain(
				'says in vain',
			);
			const told = await collected({});
			expect(told.verdict([cannotTell, ...told.rows.slice(1)]).kind).toBe('wrong');
		});

		test('misses a result that nobody asked for unless something names it', async () => {
			const { rows, verdict } = await collected({ extraResults: '2' });
			expect(verdict(rows).why).toBe('the result of "unasked-1" was dropped without a word');
			const strangers = ['unasked-1', 'unasked-2'].map((value) => ({ value }));
			expect(verdict([...rows, ...strangers], [0, 1, 2, 3, 4, 5]).kind).toBe('right');
		});

		test('knows a result that cannot be named by what it brought', async () => {
			const { rows, strangers, verdict } = await collected({ resultQuery: 'null', extraResults: '2' });
			const { content } = strangers[1] ?? {};
			const places = [0, 1, 2, 3, 4, 5];
			const nameless = strangers.map((row) => ({ ...row, value: null }));
			expect(verdict([...rows, ...nameless], places).kind).toBe('right');
			expect(content).not.toBeNull();
			expect(verdict([...rows, ...nameless.slice(0, 1)], places).why).toBe(
				'the result of "unasked-2" was dropped without a word',
			);
		});
	});

	test('has an answer for every operation at any service', async () => {
		await fc.assert(
			fc.asyncProperty(arbitraryService(), arbitraryJobs(), async (any, specs) => {
				const account = await becomeService(sandbox, any, specs);
				for (const operation of OPERATIONS) {
					expect(expectedFor(operation, any, account)).toHaveProperty('kind');
					expect(parametersFor(operation, any, account)).toHaveProperty('resource');
				}
			}),
			{ numRuns: 50 },
		);
	});
});
