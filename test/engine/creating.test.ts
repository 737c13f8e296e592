import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import type { SandboxOptions } from '../sandbox/options';
import { useSandbox } from '../useSandbox';
import { fail, failureOf, itemsOf, LOST, NO_CREDITS, reply, runNode, TERM_PARAMETERS } from './core';
import type { RunOptions } from './core';
import { errorOf, errorText, items, linksOf, outputItems, said } from './harness';
import { locator } from './support';

const sandbox = useSandbox({ autoFinish: false });

const inputOf = (terms: string[]) => terms.map((term) => ({ term }));
const create = async (terms: string[], more: INodeParameters = {}, rest: RunOptions = {}) =>
	await itemsOf(sandbox, { ...TERM_PARAMETERS, ...more }, { input: inputOf(terms), ...rest });
const failing = async (terms: string[], more: INodeParameters = {}, rest: RunOptions = {}) => {
	const { message, description } = await failureOf(
		...[sandbox, { ...TERM_PARAMETERS, ...more }, { input: inputOf(terms), ...rest }],
	);
	return `${message}. ${description}`;
};
const run = async (terms: string[], more: INodeParameters = {}, rest: RunOptions = {}) =>
	await runNode(sandbox, { ...TERM_PARAMETERS, ...more }, { input: inputOf(terms), ...rest });
const bodies = () =>
	sandbox.requests
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => JSON.parse(body) as IDataObject);
const lookups = () => bodies().map(({ value, values }) => ({ value, values }));
const valuesOfJobs = () => sandbox.jobs.map(({ values }) => values);
const CONTINUE: RunOptions = { node: { onError: 'continueRegularOutput' } };

describe('value or values', () => {
	const as = (lookupValues: string): RunOptions => ({
		credential: { lookupValues, customizeService: true },
	});

	test.each([
		['single', 'both', ['a', 'b', 'a'], [{ value: 'a' }, { value: 'b' }]],
		['list', 'both', ['a'], [{ values: 'a' }]],
		['list', 'both', ['a', 'b', 'a'], [{ values: 'a\nb' }]],
		['automatic', 'both', ['a'], [{ value: 'a' }]],
		['automatic', 'both', ['a', 'b'], [{ values: 'a\nb' }]],
		['automatic', 'values', ['a'], [{ value: 'a' }, { values: 'a' }]],
		['array', 'both', ['a'], [{ values: ['a'] }]],
		['array', 'array', ['a', 'b', 'a'], [{ values: ['a', 'b'] }]],
		['automatic', 'array', ['a'], [{ value: 'a' }, { values: 'a' }, { values: ['a'] }]],
		['automatic', 'array', ['a', 'b'], [{ values: 'a\nb' }, { values: ['a', 'b'] }]],
		[
			...(['automatic', 'value', ['a', 'b', 'a']] as const),
			[{ values: 'a\nb' }, { values: ['a', 'b'] }, { value: 'a' }, { value: 'b' }],
		],
	] as Array<[string, SandboxOptions['lookupValues'], string[], object[]]>)(
		'%s where the service takes %s sends %j as %j',
		async (lookupValues, taken, asked, sent) => {
			sandbox.setOptions({ lookupValues: taken });
			expect(errorOf(await run(asked, {}, as(lookupValues)))).toBeUndefined();
			expect(lookups()).toEqual(sent.map((one) => ({ value: undefined, values: undefined, ...one })));
			expect(valuesOfJobs().flat()).toEqual([...new Set(asked)]);
		},
	);

	test('automatic: what the service takes is learned once, and each item has the jobs of its values', async () => {
		sandbox.setOptions({ lookupValues: 'value' });
		const terms = ['a', 'b', 'c', 'd', 'a'];
		expect(linksOf(await run(terms, { options: { maxValuesPerJob: 2 } }))).toEqual([
			[{ item: 0 }, { item: 4 }],
			...[1, 2, 3].map((item) => ({ item })),
		]);
		expect(lookups()).toEqual([
			{ values: 'a\nb' },
			{ values: ['a', 'b'] },
			...['a', 'b', 'c', 'd'].map((value) => ({ value })),
		]);
	});

	test('automatic: in a form body, a list is values[] repeated', async () => {
		sandbox.setOptions({ lookupValues: 'array' });
		const credential = { requestBody: 'form', customizeService: true };
		expect(errorOf(await run(['a', 'b'], {}, { credential }))).toBeUndefined();
		const sent = sandbox.requests.map(({ body }) => new URLSearchParams(body));
		expect(sent.map((body) => [body.get('values'), body.getAll('values[]')])).toEqual([
			['a\nb', []],
			[null, ['a', 'b']],
		]);
		expect(valuesOfJobs()).toEqual([['a', 'b']]);
	});

	test('automatic: too many values are no reason to look for another form', async () => {
		sandbox.setOptions({ maxValues: 1 });
		expect(await failing(['a', 'b'])).toContain('The job asks for too many values');
		expect(sandbox.requests).toHaveLength(1);
	});

	test.each([
		['single', 'values', 'A required parameter is missing: values'],
		['list', 'value', 'A required parameter is missing: value'],
	] as const)('%s is not changed by itself', async (lookupValues, wanted, message) => {
		sandbox.setOptions({ lookupValues: wanted });
		expect(await failing(['a'], {}, as(lookupValues))).toContain(message);
		expect(sandbox.requests).toHaveLength(1);
	});

	test('automatic: another missing parameter is not a reason to send it again', async () => {
		const text = await failing(['a'], { country: locator('code', '') });
		expect(text).toMatch(/^A required parameter is missing: country\. /);
		expect(text).toContain(
			'The service says: "missing parameter" (parameter country): Provide the mandatory parameter \'country\'!',
		);
		expect(sandbox.requests).toHaveLength(1);
	});
});

test('a hint tells when jobs outnumber the items', async () => {
	const many = { values: '={{ ["a", "b", "c"] }}', options: { maxValuesPerJob: 2 } };
	expect(said(await run([''], many))).toEqual([
		expect.stringContaining('This run creates 2 jobs for 1 item.'),
		'Estimate: 3 credits.',
	]);
});

test.each<[string, string[], INodeParameters, string | undefined]>([
	[
		'every item asks for the same list',
		['', '', ''],
		{ values: 'a\nb' },
		"Each of the 3 items asks for the same 2 values. To look up each item's own value, use an expression such as {{ $json.gtin }}; to look up the list once, switch on Execute Once in the settings of the node.",
	],
	['one item asks for a list', [''], { values: 'a\nb' }, undefined],
	['every item asks for the same value', ['', ''], { values: 'a' }, undefined],
	[
		'GTINs are sent as IDs',
		['4006381333931'],
		{ topic: 'reviews', lookupKey: 'id' },
		'Look Up By is ID, but the values are GTINs, such as "4006381333931". If that is not meant, set Look Up By to GTIN.',
	],
	[
		'one of the IDs is no GTIN',
		['4006381333931', '4006381333932'],
		{ topic: 'reviews', lookupKey: 'id' },
		undefined,
	],
	['GTINs are sent as terms', ['4006381333931'], {}, undefined],
])('a hint tells when probably something else is meant: %s', async (_name, terms, parameters, doubt) => {
	const hints = said(await run(terms, parameters));
	expect(hints.filter((text) => !text.startsWith('Estimate'))).toEqual(doubt === undefined ? [] : [doubt]);
});

describe('spend guards', () => {
	const own = (name: string, value: string) => ({ additionalParameters: { parameter: [{ name, value }] } });
	const paged = { maxPages: 2, sortBy: 'price_ascending' };

	test.each<[INodeParameters, string]>([
		[{ maxValues: 2 }, 'This run would look up 3 values, more than Max Values allows (2)'],
		[
			{ maxValues: 2, ...own('values', 'x\ny\nz') },
			'This run would look up 3 values, more than Max Values allows (2)',
		],
		[
			{ maxCredits: 11, ...paged },
			'This run would cost about 12 credits, more than the Spending Limit of 11. Nothing was sent. Raise it to 12, ask for fewer pages, or use fewer items. The estimate is one credit per value and page',
		],
		[
			own('max_pages', 'all'),
			'The cost of this run cannot be estimated, because Max Pages is not a whole number above 0. Nothing was sent. Set it to 0 for no limit',
		],
	])('%j refuses the run before anything is sent', async ({ maxCredits, ...options }, text) => {
		const limit = maxCredits === undefined ? {} : { maxCredits };
		expect(await failing(['a', 'b', 'c'], { ...limit, options })).toContain(text);
		expect(sandbox.requests).toEqual([]);
	});

	test('let through what is within them, and the test source', async () => {
		await create(['a', 'b', 'a'], { options: { maxValues: 2 } });
		const within = await run(['a', 'b', 'c'], { maxCredits: 12, options: paged });
		expect(said(within)).toEqual(['Estimate: 12 credits.']);
		await create(['a', 'b'], { useTestSource: true, maxCredits: 1 });
		await create(['a', 'b'], { maxCredits: 0, ...own('max_pages', 'all') });
		expect(sandbox.jobs).toHaveLength(4);
	});

	/** The service reserves two credits for each of the first jobs, whatever was estimated. */
	const reserve = (credits: number, jobs = 1) => {
		for (let nth = 1; nth <= jobs; nth++)
			fail(sandbox, 'create', reply({ job_id: `j${nth}`, status: 'new', credits_reserved: credits }), {
				nth,
			});
	};

	test('a hint says so where the service reserves more than was estimated', async () => {
		reserve(6);
		const more = await run(['a', 'b', 'c'], { maxCredits: 3 });
		expect(said(more)).toEqual([
			'The service reserved 6 credits for this job; the estimate was 3.',
			'Estimate: 3 credits.',
		]);
		reserve(3);
		expect(said(await run(['a', 'b', 'c']))).toEqual(['Estimate: 3 credits.']);
	});

	const TWICE = { maxCredits: 5, options: { grouping: 'perItem' } };
	const EXCESS = 'This job would exceed the Spending Limit';

	test('what the service reserves counts for the further jobs of the run', async () => {
		reserve(2, 3);
		const ended = await run(['a', 'b', 'c', 'd'], TWICE, CONTINUE);
		expect(items(ended, 'Prices').map(({ job_id, error }) => job_id ?? error)).toEqual([
			...['j1', 'j2', EXCESS, EXCESS],
		]);
		expect(bodies()).toHaveLength(2);
		expect(said(ended)).toContain('The service reserved 4 credits for 2 jobs; the estimate was 2.');
	});

	test('no retry creates what the first try had to leave out, and the error names what there is', async () => {
		reserve(2, 3);
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		expect(await failing(['a', 'b', 'c'], TWICE, { node })).toBe(
			`${EXCESS}. These jobs were created and are running: j1, j2. Use Wait or Download to get their results, or retry this execution. Raise Spending Limit, ask for fewer pages, or use fewer items. The service has reserved 4 credits for earlier jobs of this run, and this job would cost about 2 more; the Spending Limit is 5. Nothing was sent for it. Endpoint: POST /v2/jobs.`,
		);
		expect(bodies()).toHaveLength(2);
	});

	test('the test source is sent under its own name and costs nothing', async () => {
		await create(['a'], { useTestSource: true });
		sandbox.finishJob(sandbox.jobs[0]?.job_id ?? '');
		const credential = { testSource: 'google_shopping', customizeService: true };
		await create(['a'], { useTestSource: true }, { credential });
		expect(sandbox.jobs).toMatchObject([{ source: 'test', charged: 0 }, { source: 'google_shopping' }]);
	});
});

describe('no job too many', () => {
	test.each<[string, Fault, number]>([
		['a reset before', { type: 'reset' }, 0],
		['a reset after', LOST, 1],
		['a 503 in words', { type: 'refusal', reason: 'too many requests', status: 503, when: 'after' }, 1],
		['a truncated reply', { type: 'truncate' }, 1],
		['no answer after', { type: 'noAnswer', when: 'after' }, 1],
		['a web page', { type: 'html', when: 'after' }, 1],
		['other JSON', { type: 'wrongJson', when: 'after' }, 1],
		['JSON that stops', { type: 'brokenJson', when: 'after' }, 1],
		['a 302 after', { type: 'redirect', to: 'otherOrigin', when: 'after' }, 1],
		['408', { type: 'serverError', status: 408, when: 'after' }, 1],
	])('%s: the job is found in the list, or may exist and is said to', async (_name, fault, made) => {
		sandbox.setOptions({ listFields: ['order', 'counters', 'times', 'values'] });
		fail(sandbox, 'create', fault);
		// Only what is never answered has to be given up soon; a busy machine may be slow with all the others.
		const ended = await run(
			['a', 'b'],
			fault.type === 'noAnswer' ? { options: { requestTimeout: 1 } } : {},
		);
		const [job] = sandbox.jobs;
		expect([sandbox.jobs.length, bodies().length]).toEqual([made, 1]);
		if (made === 0) {
			expect(errorText(ended)).toMatch(
				/It is unclear whether the request took effect: the job may exist\. .*The job list was searched \(0 jobs\); none of them can be this one\./,
			);
			return;
		}
		expect(items(ended, 'Prices')).toMatchObject([{ job_id: job?.job_id, requested: 2 }]);
		expect(said(ended)).toEqual([
			`The answer to a request was lost, but the job list has the job (${job?.job_id}), so nothing was created twice.`,
			'Estimate: 2 credits.',
		]);
	});

	test.each<[string, Fault]>([
		['a refusal by 429', { type: 'tooManyRequests' }],
		['a 429 page', reply('<html>Slow</html>', 429, { 'content-type': 'text/html' })],
	])('%s created nothing: it is sent again', async (_name, fault) => {
		fail(sandbox, 'create', fault, { nth: [1, 2] });
		expect(await create(['a'])).toHaveLength(1);
		expect([sandbox.jobs.length, bodies().length]).toEqual([1, 3]);
	});

	test.each([
		['sameOrigin', 301],
		['otherOrigin', 301],
		['otherOrigin', 307],
		['otherOrigin', 308],
	] as const)('a redirect to %s by %i is not followed with a creation', async (to, status) => {
		fail(sandbox, 'create', { type: 'redirect', to, status });
		const text = await failing(['a']);
		expect(text).toContain('The service redirects to another address');
		expect(text).not.toContain('may exist');
		expect([...sandbox.jobs, ...sandbox.otherOriginRequests]).toEqual([]);
	});

	test.each<[Fault, Array<string | RegExp>]>([
		[
			{ type: 'refusal', reason: 'invalid value', parameter: 'value' },
			['The service did not accept a value: value', 'job'],
		],
		[NO_CREDITS, Array(2).fill('There are not enough credits for this job') as string[]],
	])(
		'with Continue, a passing failure of one job does not hold up the others; one of the account does: %j',
		async (fault, expected) => {
			fail(sandbox, 'create', fault);
			const ended = await run(['a', 'b'], { options: { grouping: 'perItem' } }, CONTINUE);
			const given = items(ended, 'Prices').map(({ job_id, error }) =>
				job_id === undefined ? error : 'job',
			);
			expect(given).toEqual(expected);
		},
	);

	test('with Continue, each item that shares a job that was refused has its own error', async () => {
		sandbox.setOptions({ lookupValues: 'value' });
		// Two lists, then the first value of two, then the second one.
		fail(sandbox, 'create', NO_CREDITS, { nth: 4 });
		const given = outputItems(await run(['a', 'b', 'b'], {}, CONTINUE), 'Prices');
		const error = 'There are not enough credits for this job';
		expect(given.map(({ json, pairedItem }) => [json.job_id ?? json.error, pairedItem])).toEqual([
			[sandbox.jobs[0]?.job_id, { item: 0 }],
			[error, { item: 1 }],
			[error, { item: 2 }],
		]);
	});
});
