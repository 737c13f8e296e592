import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../sandbox/faults';
import { useSandbox } from '../useSandbox';
import { errorOf, hints, items, outputItems } from './harness';
import { failureOf, itemsOf, runNode, seedJob, TERM_PARAMETERS } from './core';
import { GTIN_PARAMETERS, locator } from './support';

const sandbox = useSandbox({ autoFinish: false });

const terms = (...list: string[]) => list.map((term) => ({ term }));
const bodies = () =>
	sandbox.requests
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
const lookups = () => bodies().map(({ value, values }) => ({ value, values }));

describe('value or values', () => {
	const cases: Array<[string, string[], Array<{ value?: string; values?: string }>]> = [
		['single', ['a', 'b', 'a'], [{ value: 'a' }, { value: 'b' }]],
		['list', ['a'], [{ values: 'a' }]],
		['list', ['a', 'b', 'a'], [{ values: 'a\nb' }]],
		['automatic', ['a'], [{ value: 'a' }]],
		['automatic', ['a', 'b'], [{ values: 'a\nb' }]],
	];
	test.each(cases)('%s sends %j as %j', async (lookupValues, asked, sent) => {
		const credential = { lookupValues, customizeService: true };
		await itemsOf(sandbox, TERM_PARAMETERS, { credential, input: terms(...asked) });
		expect(lookups()).toEqual(sent.map((one) => ({ value: undefined, values: undefined, ...one })));
	});

	test('automatic: one value is sent again as "values" where the service asks for that', async () => {
		sandbox.setOptions({ lookupValues: 'values' });
		const created = await itemsOf(sandbox, TERM_PARAMETERS, { input: terms('a') });
		expect(lookups()).toEqual([{ value: 'a' }, { values: 'a' }]);
		expect(created).toHaveLength(1);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['a']]);
	});

	test('automatic: several values become single jobs where the service takes "value" only', async () => {
		sandbox.setOptions({ lookupValues: 'value' });
		const run = await runNode(sandbox, TERM_PARAMETERS, { input: terms('a', 'b', 'a') });
		expect(errorOf(run)).toBeUndefined();
		expect(lookups()).toEqual([{ values: 'a\nb' }, { value: 'a' }, { value: 'b' }]);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['a'], ['b']]);
		expect(outputItems(run, 'Prices').map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 0 }, { item: 2 }],
			{ item: 1 },
		]);
	});

	test('automatic: what the service takes is learned once', async () => {
		sandbox.setOptions({ lookupValues: 'value' });
		const options = { maxValuesPerJob: 2 };
		await itemsOf(sandbox, { ...TERM_PARAMETERS, options }, { input: terms('a', 'b', 'c', 'd') });
		expect(lookups()).toEqual([{ values: 'a\nb' }, ...['a', 'b', 'c', 'd'].map((value) => ({ value }))]);
	});

	test.each([
		['single', 'values', 'A required parameter is missing: values'],
		['list', 'value', 'A required parameter is missing: value'],
	] as const)('%s is not changed by itself', async (lookupValues, wanted, message) => {
		sandbox.setOptions({ lookupValues: wanted });
		const credential = { lookupValues, customizeService: true };
		const failure = await failureOf(sandbox, TERM_PARAMETERS, { credential, input: terms('a') });
		expect(failure.message).toBe(message);
		expect(sandbox.requests).toHaveLength(1);
	});

	test('automatic: another missing parameter is not a reason to send it again', async () => {
		const parameters = { ...TERM_PARAMETERS, country: locator('code', '') };
		const failure = await failureOf(sandbox, parameters, { input: terms('a') });
		expect(failure.message).toBe('A required parameter is missing: country');
		expect(failure.description).toContain(
			'The service says: "missing parameter" (parameter country): Provide the mandatory parameter \'country\'!',
		);
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('grouping', () => {
	test('combine: items that differ in another parameter have jobs of their own', async () => {
		const parameters = { ...TERM_PARAMETERS, country: locator('code', '={{ $json.country }}') };
		const run = await runNode(sandbox, parameters, {
			input: [
				{ term: 'a', country: 'de' },
				{ term: 'a', country: 'fr' },
				{ term: 'b', country: 'de' },
			],
		});
		expect(sandbox.jobs.map(({ country, values }) => [country, values])).toEqual([
			['de', ['a', 'b']],
			['fr', ['a']],
		]);
		expect(outputItems(run, 'Prices').map(({ pairedItem }) => pairedItem)).toEqual([
			[{ item: 0 }, { item: 2 }],
			{ item: 1 },
		]);
	});

	test('perItem: every item has its own job, repeats included', async () => {
		await itemsOf(
			sandbox,
			{ ...TERM_PARAMETERS, options: { grouping: 'perItem' } },
			{ input: terms('a', 'a') },
		);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['a'], ['a']]);
	});

	test('jobs are cut at Max Values per Job, and a hint tells when they outnumber the items', async () => {
		const parameters = {
			...TERM_PARAMETERS,
			values: '={{ ["a", "b", "c"] }}',
			options: { maxValuesPerJob: 2 },
		};
		const run = await runNode(sandbox, parameters);
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['a', 'b'], ['c']]);
		expect(hints(run, 'Prices')).toMatchObject([
			{ type: 'warning', message: expect.stringContaining('This run creates 2 jobs for 1 item.') },
			{ message: 'Estimate: 3 credits.' },
		]);
	});
});

describe('spend guards', () => {
	test('Max Values refuses the run before anything is sent', async () => {
		const parameters = { ...TERM_PARAMETERS, options: { maxValues: 2 } };
		expect(await failureOf(sandbox, parameters, { input: terms('a', 'b', 'c') })).toMatchObject({
			message: 'This run would look up 3 values, more than Max Values allows (2)',
		});
		expect(sandbox.requests).toEqual([]);
		expect(await itemsOf(sandbox, parameters, { input: terms('a', 'b', 'a') })).toHaveLength(1);
	});

	test('Max Credits refuses a run that is estimated to cost more, before anything is sent', async () => {
		const parameters = (maxCredits: number) => ({
			...TERM_PARAMETERS,
			options: { maxCredits, maxPages: 2, sortBy: 'price_ascending' },
		});
		expect(await failureOf(sandbox, parameters(11), { input: terms('a', 'b', 'c') })).toMatchObject({
			message: 'This run would cost about 12 credits, more than Max Credits allows (11)',
			description: expect.stringContaining(
				'Nothing was sent. The estimate is one credit per value and page',
			),
		});
		expect(sandbox.requests).toEqual([]);
		const run = await runNode(sandbox, parameters(12), { input: terms('a', 'b', 'c') });
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['a', 'b', 'c']]);
		expect(hints(run, 'Prices')).toMatchObject([{ message: 'Estimate: 12 credits.' }]);
	});

	test.each([
		['maxValues', 'Max Values'],
		['maxCredits', 'Max Credits'],
	])('%s that is no number stops the run instead of being no limit', async (option, label) => {
		const parameters = { ...TERM_PARAMETERS, options: { [option]: 'a few' } };
		expect((await failureOf(sandbox, parameters, { input: terms('a') })).message).toBe(
			`${label} cannot be "a few"`,
		);
		expect(sandbox.requests).toEqual([]);
	});

	test('Max Credits stops a run whose pages cannot be counted, and lets the test source through', async () => {
		const options = {
			maxCredits: 0,
			additionalParameters: { parameter: [{ name: 'max_pages', value: 'all' }] },
		};
		expect(
			(await failureOf(sandbox, { ...TERM_PARAMETERS, options }, { input: terms('a') })).message,
		).toBe('The cost of this run cannot be estimated, because Max Pages is not a whole number above 0');
		expect(sandbox.requests).toEqual([]);
		await itemsOf(
			sandbox,
			{ ...TERM_PARAMETERS, useTestSource: true, options: { maxCredits: 0 } },
			{ input: terms('a') },
		);
		expect(sandbox.jobs).toHaveLength(1);
	});

	test('a GTIN with a wrong check digit is refused before it costs anything', async () => {
		const parameters: INodeParameters = { ...GTIN_PARAMETERS, operation: 'create' };
		const input = [{ gtin: '4006381333931' }, { gtin: '4006381333932' }];
		expect((await failureOf(sandbox, parameters, { input })).message).toBe(
			'"4006381333932" is not a valid GTIN: its check digit is wrong, so there is a typing error in it',
		);
		expect(sandbox.requests).toEqual([]);
		await itemsOf(sandbox, { ...parameters, options: { validateValues: false } }, { input });
		expect(sandbox.jobs[0]?.values).toEqual(['4006381333931', '4006381333932']);
	});

	test('the test source is sent under its own name and costs nothing', async () => {
		const parameters = { ...TERM_PARAMETERS, useTestSource: true };
		await itemsOf(sandbox, parameters, { input: terms('a') });
		sandbox.finishJob(sandbox.jobs[0]?.job_id ?? '');
		expect(sandbox.jobs[0]).toMatchObject({ source: 'test', charged: 0 });
		const credential = { testSource: 'google_shopping', customizeService: true };
		await itemsOf(sandbox, parameters, { input: terms('a'), credential });
		expect(sandbox.jobs[1]?.source).toBe('google_shopping');
	});
});

describe('topics', () => {
	test.each([
		['bestsellers', 'id'],
		['product_and_offers', 'gtin'],
		['reviews', 'id'],
		['search', 'term'],
	])('%s looks up by %s unless told otherwise', async (topic, key) => {
		const parameters: INodeParameters = { ...TERM_PARAMETERS, topic };
		delete parameters.lookupKey;
		await itemsOf(sandbox, parameters, { input: terms('4006381333931') });
		expect(bodies()).toMatchObject([{ topic, key }]);
	});

	test('a custom topic and a custom key are sent as they are', async () => {
		sandbox.setOptions({ topics: ['shops'], extraKeys: ['asin'] });
		const parameters = {
			...TERM_PARAMETERS,
			topic: 'custom',
			customTopic: ' shops ',
			lookupKey: 'custom',
			customKey: 'asin',
		};
		await itemsOf(sandbox, parameters, { input: terms('B01') });
		expect(bodies()).toEqual([
			{ topic: 'shops', source: 'google_shopping', country: 'de', key: 'asin', value: 'B01' },
		]);
	});

	test('an option that the topic does not offer is not sent, even when it was set before', async () => {
		const options = { condition: 'new', shipping: 'any', sortBy: 'price_ascending', maxPages: 2 };
		await itemsOf(sandbox, { ...TERM_PARAMETERS, topic: 'bestsellers', options }, { input: terms('a') });
		expect(bodies()).toEqual([
			{
				topic: 'bestsellers',
				source: 'google_shopping',
				country: 'de',
				key: 'term',
				max_pages: 2,
				value: 'a',
			},
		]);
	});
});

describe('additional parameters win', () => {
	const withMore = (more: Record<string, unknown>, rest: INodeParameters = {}) =>
		({
			...TERM_PARAMETERS,
			...rest,
			options: {
				...(rest.options as object | undefined),
				additionalParameters: {
					parameter: Object.entries(more).map(([name, value]) => ({ name, value })),
				},
			},
		}) as INodeParameters;

	test('over fields and options', async () => {
		const more = { country: 'fr', max_pages: '5', topic: 'search_results' };
		await itemsOf(sandbox, withMore(more, { options: { maxPages: 2 } }), { input: terms('a') });
		expect(bodies()).toEqual([
			{
				topic: 'search_results',
				source: 'google_shopping',
				country: 'fr',
				key: 'term',
				max_pages: '5',
				value: 'a',
			},
		]);
	});

	test.each([
		['value', { value: 'own' }, { key: 'term', value: 'own' }, ['own']],
		['values', { values: 'own\nother' }, { key: 'term', values: 'own\nother' }, ['own', 'other']],
	])('over Values: %s', async (_name, more, sent, values) => {
		await itemsOf(sandbox, withMore(more), { input: terms('field') });
		expect(bodies()).toEqual([{ topic: 'search', source: 'google_shopping', country: 'de', ...sent }]);
		expect(sandbox.jobs[0]?.values).toEqual(values);
	});

	test.each(['json', 'form'])(
		'a list from an expression reaches the service in a %s body',
		async (requestBody) => {
			const parameters = withMore({ values: '={{ ["own", "other"] }}' });
			await itemsOf(sandbox, parameters, {
				input: terms('field'),
				credential: { requestBody, customizeService: true },
			});
			expect(sandbox.jobs[0]?.values).toEqual(['own', 'other']);
		},
	);

	test.each([
		['term', 'search', 'own'],
		['id', 'reviews', '123'],
	])('in the older form: %s instead of key and value', async (name, topic, value) => {
		const parameters = withMore({ [name]: value }, { topic, values: '={{ "" }}' });
		await itemsOf(sandbox, parameters);
		expect(bodies()).toEqual([{ topic, source: 'google_shopping', country: 'de', [name]: value }]);
		expect(sandbox.jobs[0]?.values).toEqual([value]);
	});

	test('one job is created for many lines of their own, whatever the limits and forms', async () => {
		const values = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
		const parameters = withMore({ values }, { options: { maxValuesPerJob: 10 } });
		for (const lookupValues of ['single', 'list', 'automatic']) {
			await itemsOf(sandbox, parameters, {
				input: terms('field'),
				credential: { lookupValues, customizeService: true },
			});
		}
		expect(sandbox.jobs.map((job) => job.values.length)).toEqual([30, 30, 30]);
	});

	test('their lines count for Max Values', async () => {
		const parameters = withMore({ values: 'a\nb\nc' }, { options: { maxValues: 2 } });
		expect((await failureOf(sandbox, parameters, { input: terms('field') })).message).toBe(
			'This run would look up 3 values, more than Max Values allows (2)',
		);
	});

	test('a blank one does not keep the field Values from being sent', async () => {
		await itemsOf(sandbox, withMore({ values: '' }), { input: terms('field') });
		expect(lookups()).toEqual([{ value: 'field' }]);
	});
});

describe('no job too many', () => {
	const faults: Array<[string, Fault, number]> = [
		['a reset before', { type: 'reset' }, 0],
		['a reset after', { type: 'reset', when: 'after' }, 1],
		['500 before', { type: 'serverError' }, 0],
		['500 after', { type: 'serverError', when: 'after' }, 1],
		['a 503 page before', { type: 'htmlUnavailable' }, 0],
		['a 503 page after', { type: 'htmlUnavailable', when: 'after' }, 1],
		['a truncated reply', { type: 'truncate' }, 1],
		['no answer before', { type: 'noAnswer' }, 0],
		['no answer after', { type: 'noAnswer', when: 'after' }, 1],
		['an empty reply', { type: 'emptyBody', when: 'after' }, 1],
		['a web page', { type: 'html', when: 'after' }, 1],
		['other JSON', { type: 'wrongJson', when: 'after' }, 1],
		['JSON that stops', { type: 'brokenJson', when: 'after' }, 1],
		['a 302 after', { type: 'redirect', to: 'otherOrigin', when: 'after' }, 1],
		['408', { type: 'serverError', status: 408, when: 'after' }, 1],
	];
	const parameters = { ...TERM_PARAMETERS, options: {} };
	/** Only what is never answered has to be given up soon; a busy machine may be slow with all the others. */
	const parametersFor = ({ type }: Fault) =>
		type === 'noAnswer' ? { ...parameters, options: { requestTimeout: 1 } } : parameters;

	test.each(faults)(
		'%s: the job is found in the list, or may exist and is said to',
		async (_name, fault, made) => {
			sandbox.setOptions({ listFields: ['order', 'counters', 'times', 'values'] });
			sandbox.faults.add({ match: { method: 'POST' }, fault });
			const run = await runNode(sandbox, parametersFor(fault), { input: terms('a', 'b') });
			expect(sandbox.jobs).toHaveLength(made);
			expect(sandbox.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
			const error = errorOf(run);
			if (made === 1) {
				expect(error).toBeUndefined();
				expect(items(run, 'Prices')).toMatchObject([
					{ job_id: sandbox.jobs[0]?.job_id, requested: 2 },
				]);
				expect(hints(run, 'Prices')).toMatchObject([
					{
						message: `The reply to 1 creation was lost; the job list had the job (${sandbox.jobs[0]?.job_id}), so nothing was created twice.`,
					},
					{ message: 'Estimate: 2 credits.' },
				]);
			} else {
				expect(error).toMatchObject({
					description: expect.stringMatching(
						/^It is unclear whether the request took effect: the job may exist\. .*The job list was looked through \(0 jobs\); none of them can be this one\./,
					),
				});
			}
		},
	);

	test.each([
		['a refusal by 429', { type: 'tooManyRequests' }],
		[
			'a 429 page',
			{
				type: 'reply',
				status: 429,
				headers: { 'content-type': 'text/html' },
				body: '<html>Slow</html>',
			},
		],
	] as const)('%s created nothing: it is sent again', async (_name, fault) => {
		sandbox.faults.add({ match: { method: 'POST', nth: [1, 2] }, fault });
		expect(await itemsOf(sandbox, parameters, { input: terms('a') })).toHaveLength(1);
		expect(sandbox.jobs).toHaveLength(1);
		expect(sandbox.requests).toHaveLength(3);
	});

	test('a 503 that says "too many requests" may have created something: it is not', async () => {
		const fault: Fault = { type: 'refusal', reason: 'too many requests', status: 503, when: 'after' };
		sandbox.setOptions({ listFields: ['order', 'times', 'values'] });
		sandbox.faults.add({ match: { method: 'POST' }, fault });
		expect(await itemsOf(sandbox, parameters, { input: terms('a') })).toHaveLength(1);
		expect(sandbox.jobs).toHaveLength(1);
	});

	test('307 and 308 on the same origin are followed with the body, once', async () => {
		for (const status of [307, 308]) {
			sandbox.faults.add({
				match: { method: 'POST', nth: 1 },
				fault: { type: 'redirect', to: 'sameOrigin', status },
			});
			expect(await itemsOf(sandbox, parameters, { input: terms('a') })).toHaveLength(1);
			sandbox.faults.clear();
		}
		expect(sandbox.jobs.map(({ values }) => values)).toEqual([['a'], ['a']]);
	});

	test.each([
		['sameOrigin', 301],
		['otherOrigin', 301],
		['otherOrigin', 307],
		['otherOrigin', 308],
	] as const)('a redirect to %s by %i is not followed with a creation', async (to, status) => {
		sandbox.faults.add({ match: { method: 'POST' }, fault: { type: 'redirect', to, status } });
		const failure = await failureOf(sandbox, parameters, { input: terms('a') });
		expect(failure.message).toBe('The service redirects to another address');
		expect(failure.description).not.toContain('may exist');
		expect([...sandbox.jobs, ...sandbox.otherOriginRequests]).toEqual([]);
	});

	test('a single one that only looks like it is named, and neither taken nor created again', async () => {
		sandbox.faults.add({ match: { method: 'POST' }, fault: { type: 'reset', when: 'after' } });
		const failure = await failureOf(sandbox, parameters, { input: terms('a', 'b') });
		expect(failure.description).toContain(`may be this one: ${sandbox.jobs[0]?.job_id}`);
		expect(sandbox.jobs).toHaveLength(1);
	});

	test('the one whose callback URL bears our mark is taken, whatever else could be it', async () => {
		sandbox.setOptions({ listFields: ['order', 'times', 'webhookUrl'] });
		await seedJob(sandbox, ['a', 'b'], { running: true });
		sandbox.faults.add({ match: { method: 'POST' }, fault: { type: 'reset', when: 'after' } });
		const options = {
			...parameters.options,
			webhookUrl: 'https://n8n.example.test/webhook/1/price-collection',
		};
		const found = await itemsOf(
			sandbox,
			{ ...parameters, options },
			{
				input: terms('a', 'b'),
				credential: { webhookSecret: 'a secret for callbacks' },
			},
		);
		const [ours] = sandbox.jobs.filter(({ webhookUrl }) => webhookUrl?.includes('pc_nonce'));
		expect(found).toMatchObject([{ job_id: ours?.job_id }]);
		expect(sandbox.jobs).toHaveLength(2);
	});

	test('two that could be it are both named, and nothing is created again', async () => {
		const other = await seedJob(sandbox, ['x', 'y'], { running: true });
		sandbox.faults.add({ match: { method: 'POST' }, fault: { type: 'reset', when: 'after' } });
		const failure = await failureOf(sandbox, parameters, { input: terms('a', 'b') });
		expect(failure.description).toContain('one of these jobs may be this one:');
		for (const { job_id } of sandbox.jobs) expect(failure.description).toContain(job_id);
		expect(failure.description).toContain(other);
		expect(sandbox.jobs).toHaveLength(2);
	});

	test('jobs that were created before one failed are named', async () => {
		sandbox.faults.add({
			match: { method: 'POST', nth: 2 },
			fault: { type: 'refusal', reason: 'not enough free credits', status: 402 },
		});
		const failure = await failureOf(
			sandbox,
			{ ...parameters, options: { grouping: 'perItem' } },
			{ input: terms('a', 'b', 'c') },
		);
		expect(failure.message).toBe('There are not enough credits for this job');
		expect(failure.description).toContain(
			`These jobs were created and are running: ${sandbox.jobs[0]?.job_id}.`,
		);
		expect(sandbox.jobs).toHaveLength(1);
	});

	test('with Continue, a passing failure of one job does not hold up the others; one of the account does', async () => {
		const go = async (fault: Fault) => {
			sandbox.reset();
			sandbox.setOptions({ autoFinish: false });
			sandbox.faults.add({ match: { method: 'POST', nth: 1 }, fault });
			const run = await runNode(
				sandbox,
				{ ...parameters, options: { grouping: 'perItem' } },
				{
					input: terms('a', 'b'),
					node: { onError: 'continueRegularOutput' },
				},
			);
			return items(run, 'Prices').map(({ job_id, error }) => (job_id === undefined ? error : 'job'));
		};
		expect(await go({ type: 'refusal', reason: 'invalid value', parameter: 'value' })).toEqual([
			'The service did not accept a value: value',
			'job',
		]);
		expect(await go({ type: 'refusal', reason: 'not enough free credits', status: 402 })).toEqual([
			'There are not enough credits for this job',
			'There are not enough credits for this job',
		]);
	});

	test('with Continue, each item that shares a job that was refused has its own error', async () => {
		sandbox.reset();
		sandbox.setOptions({ lookupValues: 'value', autoFinish: false });
		const fault: Fault = { type: 'refusal', reason: 'not enough free credits', status: 402 };
		// The list, then the first value of two, then the second one.
		sandbox.faults.add({ match: { method: 'POST', nth: 3 }, fault });
		const run = await runNode(sandbox, parameters, {
			input: terms('a', 'b', 'b'),
			node: { onError: 'continueRegularOutput' },
		});
		const [id] = sandbox.jobs.map(({ job_id }) => job_id);
		expect(
			outputItems(run, 'Prices').map(({ json, pairedItem }) => [json.job_id ?? json.error, pairedItem]),
		).toEqual([
			[id, { item: 0 }],
			['There are not enough credits for this job', { item: 1 }],
			['There are not enough credits for this job', { item: 2 }],
		]);
	});
});
