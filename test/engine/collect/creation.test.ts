import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../fakes/sandbox/faults';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import { useSandbox } from '../../support/useSandbox';
import {
	createJob,
	fail,
	failureOf,
	itemsOf,
	LOST,
	NO_CREDITS,
	reply,
	runNode,
	TERM_PARAMETERS,
} from '../support/core';
import type { RunOptions } from '../support/core';
import { errorOf, errorText, items, outputItems, said } from '../support/harness';
import { locator, valuesPerJob } from '../support/common';

const sandbox = useSandbox({ autoFinish: false });

const inputOf = (terms: string[]) => terms.map((term) => ({ term }));
const create = async (terms: string[], more: INodeParameters = {}, rest: RunOptions = {}) =>
	await itemsOf(sandbox, { ...TERM_PARAMETERS, ...more }, { input: inputOf(terms), ...rest });
const failing = async (terms: string[], more: INodeParameters = {}, rest: RunOptions = {}) => {
	const options = { input: inputOf(terms), ...rest };
	const { message, description } = await failureOf(sandbox, { ...TERM_PARAMETERS, ...more }, options);
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
	const TEXT = { values: 'a\nb' };

	test.each<[string, SandboxOptions['lookupValues'], string[], object[]]>([
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
			'automatic',
			'value',
			['a', 'b', 'a'],
			[TEXT, { values: ['a', 'b'] }, { value: 'a' }, { value: 'b' }],
		],
	])('%s where the service takes %s sends %j as %j', async (lookupValues, taken, asked, sent) => {
		sandbox.setOptions({ lookupValues: taken });
		expect(errorOf(await run(asked, {}, as(lookupValues)))).toBeUndefined();
		expect(lookups()).toEqual(sent.map((one) => ({ value: undefined, values: undefined, ...one })));
		expect(valuesOfJobs().flat()).toEqual([...new Set(asked)]);
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

	test.each(['too many values', 'At most 2 items per request', 'Requests are limited to 2 values'])(
		'automatic: too many values are no reason to look for another form: %s',
		async (tooManyWords) => {
			sandbox.setOptions({ maxValues: 2, tooManyWords });
			const said = await failing(['a', 'b', 'c']);
			expect(said).toContain('The job asks for too many values');
			if (/2/.test(tooManyWords))
				expect(said).toContain('Set Max Values per Job in the credential to 2.');
			expect(sandbox.requests).toHaveLength(1);
		},
	);

	test.each<[string, Partial<SandboxOptions>]>([
		['too many open jobs', { maxOpenJobs: 1 }],
		['too many requests', { createRateLimit: 1 }],
	])('automatic: nor are %s, in which no value is too many', async (reason, limits) => {
		sandbox.setOptions(limits);
		await createJob(sandbox, { values: 'first' });
		expect(await failing(['a', 'b'])).toContain(`"${reason}"`);
		expect(new Set(lookups().map(({ values }) => values))).toEqual(new Set(['first', 'a\nb']));
	});

	test.each([
		['single', 'values', 'A required parameter is missing: values'],
		['list', 'value', 'A required parameter is missing: value'],
	] as const)('%s is not changed by itself', async (lookupValues, wanted, message) => {
		sandbox.setOptions({ lookupValues: wanted });
		expect(await failing(['a'], {}, as(lookupValues))).toContain(message);
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('a service with names of its own', () => {
	const GTIN = '4006381333931';
	const named = (credential: IDataObject): RunOptions => ({
		credential: { customizeService: true, ...credential },
	});
	const requestNames = {
		names: [
			{ meaning: 'source', fields: 'marketplace' },
			{ meaning: 'values', fields: 'items' },
			{ meaning: 'value', fields: 'item' },
			{ meaning: 'gtin', fields: 'ean' },
		],
	};
	const asked = {
		topic: 'product_and_offers',
		lookupKey: 'gtin',
		source: locator('name', 'Google_Shopping'),
	};

	test.each<[string, IDataObject]>([
		['as n8n stores them', { requestNames }],
		['as text', { requestNamesText: 'source: marketplace\nvalues: items\nvalue: item\ngtin: ean' }],
	])('is sent its names, %s, and GTINs keep their check and their zeros', async (_form, credential) => {
		const parameterNames = { source: 'marketplace', values: 'items', value: 'item' };
		sandbox.setOptions({ parameterNames, keyNames: { gtin: 'ean' }, countryCase: 'upper' });
		const own = named({ countryCase: 'upper', ...credential });
		expect(errorOf(await run([GTIN], asked, own))).toBeUndefined();
		expect(errorOf(await run(['885909666966', '0885909666966', GTIN], asked, own))).toBeUndefined();
		const common = {
			topic: 'product_and_offers',
			marketplace: 'google_shopping',
			country: 'DE',
			key: 'ean',
		};
		expect(bodies()).toEqual([
			{ ...common, item: GTIN },
			{ ...common, items: `0885909666966\n${GTIN}` },
		]);
		expect(await failing(['4006381333932'], asked, own)).toContain('is not a valid GTIN');
		expect(bodies()).toHaveLength(2);
	});

	test.each<[string, INodeParameters]>([
		['Custom Key', { lookupKey: 'custom', customKey: 'ean' }],
		[
			'Additional Parameters',
			{ options: { additionalParameters: { parameter: [{ name: 'key', value: 'ean' }] } } },
		],
	])('keeps zeros and check of GTINs also where its own key is given in %s', async (_field, key) => {
		sandbox.setOptions({ keyNames: { gtin: 'ean' } });
		const own = named({ requestNamesText: 'gtin: ean' });
		const values = ['885909666966', '0885909666966', GTIN];
		expect(errorOf(await run(values, { ...asked, ...key }, own))).toBeUndefined();
		const job = { topic: 'product_and_offers', source: 'google_shopping', country: 'de', key: 'ean' };
		expect(bodies()).toEqual([{ ...job, values: `0885909666966\n${GTIN}` }]);
		expect(await failing(['4006381333932'], { ...asked, ...key }, own)).toContain('is not a valid GTIN');
	});

	test('gets an ISBN-10 as it is where GTINs are not checked, and not as the UPC of its digits', async () => {
		const unchecked = { ...asked, options: { validateValues: false } };
		expect(errorOf(await run(['0201750414', '885909666966'], unchecked))).toBeUndefined();
		expect(bodies().map(({ values }) => values)).toEqual(['0201750414\n885909666966']);
	});

	test('is not understood without them, and says what it misses', async () => {
		sandbox.setOptions({ parameterNames: { country: 'market' }, unknownParameters: 'ignore' });
		expect(await failing(['a'])).toContain('A required parameter is missing: market');
		expect(await create(['a'], {}, named({ requestNamesText: 'country: market' }))).toHaveLength(1);
	});

	test('gets another form of the values where it refuses one by its own name', async () => {
		sandbox.setOptions({ parameterNames: { value: 'item', values: 'items' }, lookupValues: 'array' });
		const own = named({ requestNamesText: 'value: item\nvalues: items' });
		expect(errorOf(await run(['a', 'b'], {}, own))).toBeUndefined();
		expect(bodies().map(({ items: sent }) => sent)).toEqual(['a\nb', ['a', 'b']]);
	});

	test('gets Additional Parameters as they are given', async () => {
		sandbox.setOptions({ parameterNames: { country: 'market' } });
		const own = named({ requestNamesText: 'country: market' });
		const given = (name: string) => ({
			options: { additionalParameters: { parameter: [{ name, value: 'FR' }] } },
		});
		await run(['a'], given('country'), own);
		await run(['a'], given('market'), own);
		const { source, key, topic } = bodies()[0] ?? {};
		const others = { topic, source, key, value: 'a' };
		expect(bodies()).toEqual([
			{ ...others, country: 'FR' },
			{ ...others, market: 'FR' },
		]);
	});

	test('and a line that cannot be read stops every run before it asks', async () => {
		expect(await failing(['a'], {}, named({ requestNamesText: 'gtin ean' }))).toContain(
			'The line "gtin ean" of Request Names has no colon.',
		);
		expect(sandbox.requests).toEqual([]);
	});
});

const SAME_LIST =
	"Each of the 3 items asks for the same 2 values. To look up each item's own value, use an expression such as {{ $json.gtin }}; to look up the list once, switch on Execute Once in the settings of the node.";
const NO_IDS =
	'Look Up By is ID, but the values are GTINs, such as "4006381333931". If you did not intend this, set Look Up By to GTIN.';
const MANY_JOBS =
	'This run creates 2 jobs for 1 item. With Grouping set to Combine, and Lookup Values not set to Single in the credential, one job takes many values.';
const [BY_ID, LIST] = [{ topic: 'reviews', lookupKey: 'id' }, { values: 'a\nb' }];
test.each<[string, string[], INodeParameters, string[], IDataObject?]>([
	['every item asks for the same list', ['', '', ''], LIST, [SAME_LIST]],
	['one item asks for a list', [''], LIST, []],
	['every item asks for the same value', ['', ''], { values: 'a' }, []],
	['GTINs are sent as IDs', ['4006381333931'], BY_ID, [NO_IDS]],
	['one of the IDs is no GTIN', ['4006381333931', '4006381333932'], BY_ID, []],
	['GTINs are sent as terms', ['4006381333931'], {}, []],
	['as many jobs as items', ['a', 'b'], { options: { grouping: 'perItem' } }, []],
	['jobs outnumber the items', [''], LIST, [MANY_JOBS], valuesPerJob(1)],
])(
	'a hint tells when probably something else is meant: %s',
	async (_name, terms, parameters, doubts, ...[credential]) => {
		const hints = said(await run(terms, parameters, { credential }));
		expect(hints.filter((text) => !text.startsWith('Estimate'))).toEqual(doubts);
	},
);

test('an expression that names nothing of the items does not make one job of each', async () => {
	const parameter = [
		{ name: 'max_age', value: '={{ Math.ceil(Math.random() * 1000) }}' },
		{ name: 'country', value: '={{ $json.term.startsWith("a") ? "de" : "fr" }}' },
	];
	await run(['a1', 'b1', 'a2', 'b2'], { options: { additionalParameters: { parameter } } });
	const asked = bodies();
	expect(asked.map(({ country, values }) => [country, values])).toEqual([
		['de', 'a1\na2'],
		['fr', 'b1\nb2'],
	]);
	expect(new Set(asked.map(({ max_age }) => max_age)).size).toBe(1);
});

describe('spend guards', () => {
	test('a run is refused above a limit before anything is sent, and goes on within it', async () => {
		const own = { additionalParameters: { parameter: [{ name: 'values', value: 'x\ny\nz' }] } };
		const tooMany = 'This run would look up 3 values, more than Max Values allows (2)';
		expect(await failing(['a'], { options: { maxValues: 2, ...own } })).toContain(tooMany);
		const options = { maxValues: 3, maxPages: 2, sortBy: 'price_ascending' };
		const asked = ['a', 'b', 'c', 'a'];
		expect(await failing(asked, { maxCredits: 11, options })).toContain(
			'This run would cost about 12 credits, more than the Spending Limit of 11. Nothing was sent. Raise it to 12, ask for fewer pages, or use fewer items. The estimate is one credit per value and page',
		);
		expect(sandbox.requests).toEqual([]);
		expect(said(await run(asked, { maxCredits: 12, options }))).toEqual(['Estimate: 12 credits.']);
	});

	test('the estimate knows pages by the name that the service gives them', async () => {
		const pages = { parameter: [{ name: 'pages', value: '5' }] };
		const parameters = { maxCredits: 4, options: { additionalParameters: pages } };
		const credential = { customizeService: true, requestNamesText: 'max_pages: pages' };
		expect(await failing(['a'], parameters, { credential })).toContain(
			'This run would cost about 5 credits',
		);
	});

	test('no retry creates what the first try had to leave out, and the error names what there is', async () => {
		// The service reserves two credits for each of the first jobs, whatever the estimate was.
		const jobs = ['j1', 'j2'].map((job_id) => ({ job_id, status: 'new', credits_reserved: 2 }));
		for (const job of jobs) fail(sandbox, 'create', reply(job));
		const node = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const parameters = { maxCredits: 5, options: { grouping: 'perItem' } };
		expect(await failing(['a', 'b', 'c'], parameters, { node })).toBe(
			'This job would exceed the Spending Limit. These jobs were created and are running: j1, j2. Use Wait or Download to get their results, or retry this execution. Raise Spending Limit, ask for fewer pages, or use fewer items. The service has reserved 4 credits for earlier jobs of this run, and this job would cost about 2 more; the Spending Limit is 5. Nothing was sent for it. Endpoint: POST /v2/jobs.',
		);
		expect(bodies()).toHaveLength(2);
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
		// Only an unanswered request needs a short timeout; a busy machine may be slow with the others.
		const options = fault.type === 'noAnswer' ? { requestTimeout: 1 } : {};
		const ended = await run(['a', 'b'], { options });
		const [job] = sandbox.jobs;
		expect([sandbox.jobs.length, bodies().length]).toEqual([made, 1]);
		if (made === 0) {
			expect(errorText(ended)).toMatch(
				/It is unclear whether the request took effect: the job may exist\. .*The job list was searched \(0 jobs\); none of them can be this job\./,
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

	const INVALID = 'The service did not accept a value: value';
	const POOR = 'There are not enough credits for this job';
	const invalid: Fault = { type: 'refusal', reason: 'invalid value', parameter: 'value' };
	test.each<[string, Fault, string[]]>([
		['a failure of one job does not hold up others', invalid, [INVALID, 'job']],
		['one of the account does', NO_CREDITS, [POOR, POOR]],
	])('with Continue, %s', async (_name, fault, expected) => {
		fail(sandbox, 'create', fault);
		const given = items(await run(['a', 'b'], { options: { grouping: 'perItem' } }, CONTINUE), 'Prices');
		expect(given.map(({ job_id, error }) => (job_id === undefined ? error : 'job'))).toEqual(expected);
	});

	test('with Continue, each item that shares a job that was refused has its own error', async () => {
		sandbox.setOptions({ lookupValues: 'value' });
		// Requests 1 and 2 send lists, 3 the first value, 4 the second.
		fail(sandbox, 'create', NO_CREDITS, { nth: 4 });
		const given = outputItems(await run(['a', 'b', 'b'], {}, CONTINUE), 'Prices');
		const [{ job_id } = {}] = sandbox.jobs;
		expect(given.map(({ json }) => json.job_id ?? json.error)).toEqual([job_id, POOR, POOR]);
		expect(given.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
	});
});
