import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { useSandbox } from '../useSandbox';
import { createJob, DOWN, fail, failureOf, itemsOf, reply, runNode, seedJob, sent } from './core';
import { build, hints, items, said } from './harness';
import { credentialFor, scenario } from './support';

const sandbox = useSandbox({ autoFinish: false });

const list = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'job',
	operation: 'getAll',
	...more,
});
const ALL = list({ returnAll: true });
const idsOf = (rows: IDataObject[]) => rows.map(({ job_id }) => job_id);
const queries = () =>
	sandbox.requests.map(({ query }) =>
		Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'token')),
	);

describe('get many', () => {
	const ids: string[] = [];
	beforeEach(async () => {
		ids.length = 0;
		for (let index = 0; index < 7; index++) ids.unshift(await seedJob(sandbox, [`value ${index}`]));
	});

	test('asks for one page of the limit, and gives whole jobs in the order of the service', async () => {
		const queryParameters = { parameter: [{ name: 'status', value: 'finished & done' }] };
		const jobs = await itemsOf(sandbox, list({ limit: 3, options: { queryParameters } }));
		const query = { token: sandbox.apiKey, page: '1', per_page: '3', status: 'finished & done' };
		expect(sandbox.requests.map(sent)).toEqual([{ method: 'GET', path: '/v2/jobs', query, body: '' }]);
		expect(idsOf(jobs)).toEqual(ids.slice(0, 3));
		expect(jobs[0]).toMatchObject({ status: 'finished', source: 'google_shopping', requested: 1 });
	});

	test('reads on until nothing new comes, and looks for a page 0 where the list says nothing of itself', async () => {
		sandbox.setOptions({ listMaxPageSize: 3 });
		expect(idsOf(await itemsOf(sandbox, ALL))).toEqual(ids);
		expect(queries().map(({ page }) => page)).toEqual(['1', '2', '3', '4', '0']);
	});

	test.each([
		['total', 7],
		['hasMore', 'more'],
	] as const)('says what came where only %s tells that it is not all', async (says, all) => {
		sandbox.setOptions({ listMaxPageSize: 3, listPaging: 'cursor', listSays: [says] });
		const run = await runNode(sandbox, ALL);
		expect(idsOf(items(run, 'Prices'))).toEqual(ids.slice(0, 3));
		const message = `3 jobs came, but the service has ${all}: set Pagination in the options.`;
		expect(hints(run, 'Prices')).toEqual([{ type: 'warning', location: 'outputPane', message }]);
	});

	test('a page that fails on the way fails the item instead of giving half a list', async () => {
		sandbox.setOptions({ listMaxPageSize: 3 });
		fail(sandbox, 'list', DOWN, { nth: [2, 3, 4, 5] });
		expect((await failureOf(sandbox, ALL)).message).toBe('The service is temporarily unavailable');
	});
});

describe('a list', () => {
	test('names its entries that are no jobs, and makes up no status of the others', async () => {
		const job = { job_id: 'a', note: 'x' };
		fail(sandbox, 'list', reply({ data: [job, { status: 'new' }, null], has_more: false }));
		const run = await runNode(sandbox, list());
		expect(items(run, 'Prices')).toEqual([job]);
		const message =
			'Some entries of the list of jobs are left out because they are not jobs (2): [1]; [2].';
		expect(hints(run, 'Prices')).toEqual([{ message, type: 'warning', location: 'outputPane' }]);
	});

	test('is said to repeat itself where nothing shows that all jobs came', async () => {
		fail(sandbox, 'list', reply({ data: [{ job_id: 'a' }, { job_id: 'b' }] }), 3);
		expect(said(await runNode(sandbox, ALL))).toEqual([
			'2 jobs came, and the list repeats itself: set Pagination in the options.',
		]);
	});
});

describe('lists of the editor', () => {
	async function search(
		method: 'searchSources' | 'searchCountries' | 'searchJobs',
		filter?: string,
		settings: IWorkflowSettings = {},
	) {
		const built = build({ ...scenario(credentialFor(sandbox), list()), settings });
		const node = built.workflow.getNode('Prices');
		if (!node) throw new Error('No node');
		const context = new LoadOptionsContext(built.workflow, node, built.additionalData, '');
		return (await new PriceCollection().methods.listSearch[method].call(context, filter)).results;
	}
	const named = (...values: string[]) => values.map((value) => ({ name: value, value }));
	const usual = (...values: string[]) => values.map((value) => ({ name: `${value} (usual)`, value }));
	const jobs = (...given: object[]) => fail(sandbox, 'list', reply({ jobs: given }), 'always');

	test('name sources and countries of recent jobs, each once, in order, filtered by what is typed', async () => {
		for (const more of [{}, { source: 'ebay', country: 'us' }, {}])
			sandbox.finishJob(await createJob(sandbox, { topic: 'search', ...more }));
		expect(await search('searchSources')).toEqual(named('ebay', 'google_shopping'));
		expect(await search('searchCountries')).toEqual(named('de', 'us'));
		expect(await search('searchSources', ' GOOGLE ')).toEqual(named('google_shopping'));
		expect(await search('searchJobs', 'ebay')).toEqual([
			expect.objectContaining({
				name: expect.stringMatching(
					/^\d{4}-\d\d-\d\d \d\d:\d\d · finished · ebay · us · search \([0-9a-f]{24}\)$/,
				),
			}),
		]);
	});

	test('have the time of the creation of jobs in front, in the time zone of the workflow', async () => {
		await createJob(sandbox);
		const timeIn = async (timezone: string) => {
			const [first] = await search('searchJobs', undefined, { timezone });
			return Date.parse(`${first?.name.slice(0, 16).replace(' ', 'T')}Z`);
		};
		expect((await timeIn('Asia/Tokyo')) - (await timeIn('UTC'))).toBe(9 * 3_600_000);
	});

	test('leave out the test source, which has a field of its own', async () => {
		jobs({ job_id: 'a', status: 'finished', source: 'test', country: 'nl' });
		expect(await search('searchSources', 'shopping')).toEqual(usual('google_shopping'));
		expect(await search('searchCountries')).toEqual(named('nl'));
	});

	test('of an account without jobs name the usual ones, and say that there is no job', async () => {
		expect(await search('searchSources')).toEqual(usual('amazon', 'ebay', 'google_shopping'));
		expect(await search('searchCountries', 'gb')).toEqual(usual('gb'));
		await expect(search('searchJobs')).rejects.toMatchObject({
			message: 'The account of this credential has no jobs yet',
			description:
				'Collect or Create starts the first one. To enter the ID of a job, set the field to By ID.',
		});
	});

	test('offer nothing that n8n would run as an expression, and one line for each', async () => {
		const attack = '={{ $env.SECRET }}';
		jobs(
			{ job_id: attack, status: 'new', source: attack, country: ` ${attack}` },
			{ job_id: 'a', status: attack, source: 'eb\nay', country: 'de' },
			{ job_id: 'b', status: `\n= ${attack}\u0000x`, source: 'amazon', country: 'us' },
		);
		for (const method of ['searchSources', 'searchCountries', 'searchJobs'] as const) {
			const choices = await search(method);
			expect(choices.length).toBeGreaterThan(1);
			for (const { name, value } of choices) {
				expect(String(value)).not.toMatch(/^=/);
				expect(name).not.toMatch(/^[=\s]|[\p{Cc}]/u);
			}
		}
		expect((await search('searchJobs')).map(({ value }) => value)).toEqual(['a', 'b']);
	});

	test('say what is wrong', async () => {
		fail(sandbox, 'list', { type: 'refusal', reason: 'unauthorized', parameter: 'token', status: 401 });
		const message = 'The service did not accept the key';
		await expect(search('searchJobs')).rejects.toMatchObject({ message });
	});
});
