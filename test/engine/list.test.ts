import { LoadOptionsContext } from 'n8n-core';
import type { INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import type { SandboxOptions } from '../sandbox/options';
import { startSandbox } from '../sandbox/sandbox';
import type { Sandbox } from '../sandbox/sandbox';
import { build, errorOf, hints, items } from './harness';
import { failureOf, itemsOf, runNode, seedJob, sent } from './core';
import { credentialFor, scenario } from './support';

let sandbox: Sandbox;
const ids: string[] = [];
beforeAll(async () => {
	sandbox = await startSandbox({ autoFinish: false });
	for (let index = 0; index < 7; index++) ids.unshift(await seedJob(sandbox, [`value ${index}`]));
});
afterAll(async () => await sandbox.close());
beforeEach(() => {
	sandbox.faults.clear();
	sandbox.clearRequests();
	sandbox.setOptions({ listShape: 'data', listPaging: 'pages', listOrder: 'newest', listMaxPageSize: 100 });
});

const list = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'job',
	operation: 'getAll',
	...more,
});
const listed = async (more: INodeParameters = {}) =>
	(await itemsOf(sandbox, list(more))).map(({ job_id }) => job_id);
const queries = () =>
	sandbox.requests.map(({ query }) =>
		Object.fromEntries(Object.entries(query).filter(([name]) => name !== 'token')),
	);

describe('get many', () => {
	test('asks for one page of the limit, and gives whole jobs in the order of the service', async () => {
		const jobs = await itemsOf(sandbox, list({ limit: 3 }));
		expect(sandbox.requests.map(sent)).toEqual([
			{
				method: 'GET',
				path: '/v2/jobs',
				query: { token: sandbox.apiKey, page: '1', per_page: '3' },
				body: '',
			},
		]);
		expect(jobs.map(({ job_id }) => job_id)).toEqual(ids.slice(0, 3));
		expect(jobs[0]).toMatchObject({ status: 'finished', source: 'google_shopping', requested: 1 });
	});

	test('reads on until nothing new comes, and looks for a page 0 where the list says nothing of itself', async () => {
		sandbox.setOptions({ listMaxPageSize: 3 });
		expect(await listed({ returnAll: true })).toEqual(ids);
		expect(queries().map(({ page }) => page)).toEqual(['1', '2', '3', '4', '0']);
	});

	const DEFAULTS: Partial<SandboxOptions> = { listPaging: 'pages', listSays: [], refusalStatuses: {} };
	test.each<[string, Partial<SandboxOptions>]>([
		['a Link header', { listPaging: 'cursor', listSays: ['link'] }],
		['a cursor', { listPaging: 'cursor', listSays: ['cursor', 'hasMore'] }],
		['page numbers up to a total', { listSays: ['total'] }],
		['page numbers up to a refusal with 404', { listPaging: 'refuse' }],
		[
			'page numbers up to a refusal with 400',
			{ listPaging: 'refuse', refusalStatuses: { 'page not found': 400 } },
		],
	])('is whole, in silence, by %s', async (_name, server) => {
		sandbox.setOptions({ ...DEFAULTS, listMaxPageSize: 3, ...server });
		const run = await runNode(sandbox, list({ returnAll: true }));
		sandbox.setOptions(DEFAULTS);
		expect(items(run, 'Prices').map(({ job_id }) => job_id)).toEqual(ids);
		expect(hints(run, 'Prices')).toEqual([]);
	});

	test.each<[string, Partial<SandboxOptions>, string]>([
		['a total', { listPaging: 'cursor', listSays: ['total'] }, 'The service has 7'],
		['has_more', { listPaging: 'cursor', listSays: ['hasMore'] }, 'The service says that there are more'],
	])('says what came where only %s tells that it is not all', async (_name, server, known) => {
		sandbox.setOptions({ ...DEFAULTS, listMaxPageSize: 3, ...server });
		const run = await runNode(sandbox, list({ returnAll: true }));
		sandbox.setOptions(DEFAULTS);
		expect(items(run, 'Prices').map(({ job_id }) => job_id)).toEqual(ids.slice(0, 3));
		expect(hints(run, 'Prices')).toEqual([
			{
				type: 'warning',
				location: 'outputPane',
				message: `3 jobs came, but not all. ${known}, and it is not clear how the next ones are asked for: set Pagination in the options.`,
			},
		]);
	});

	const shapes = ['data', 'jobs', 'array'] as const;
	const pagings = ['pages', 'ignored', 'repeatLast'] as const;
	const orders = ['newest', 'oldest', 'shuffled'] as const;
	const servers = shapes.flatMap((listShape) =>
		pagings.flatMap((listPaging) => orders.map((listOrder) => ({ listShape, listPaging, listOrder }))),
	);
	test.each(servers)('gives each job once: $listShape, $listPaging, $listOrder', async (server) => {
		sandbox.setOptions({ ...server, listMaxPageSize: 3 });
		const all = await listed({ returnAll: true });
		expect([...all].sort()).toEqual([...ids].sort());
		const some = await listed({ limit: 5 });
		expect(some).toEqual(all.slice(0, 5));
		expect(sandbox.requests.length).toBeLessThanOrEqual(7);
	});

	test.each(shapes)('reads XML: %s', async (listShape) => {
		sandbox.setOptions({ listShape, defaultFormat: 'xml', formatSelection: ['suffix'] });
		expect(await listed()).toEqual(ids);
		sandbox.setOptions({ defaultFormat: 'json', formatSelection: ['accept', 'suffix', 'parameter'] });
	});

	test('without pagination asks once', async () => {
		sandbox.setOptions({ listPaging: 'ignored' });
		expect(await listed({ returnAll: true, options: { pagination: 'none' } })).toEqual(ids);
		expect(queries()).toEqual([{}]);
	});

	test('sends other parameter names, and further parameters as given', async () => {
		const options = {
			pageParameter: 'p',
			pageSizeParameter: 'size',
			queryParameters: { parameter: [{ name: 'status', value: 'finished & done' }] },
		};
		await listed({ limit: 2, options });
		expect(queries()[0]).toEqual({ p: '1', size: '2', status: 'finished & done' });
	});

	test.each(['{"data":[]}', '[]', '{"jobs":null}', '<jobs type="array"/>'])(
		'an empty list gives no item: %s',
		async (body) => {
			sandbox.faults.add({ fault: { type: 'reply', status: 200, body } });
			const run = await runNode(sandbox, list());
			expect(errorOf(run)).toBeUndefined();
			expect(sandbox.requests).toHaveLength(1);
		},
	);

	test.each<[unknown[], string[], string]>([
		[[{}, null], [], '(2): [0]; [1].'],
		[[{ job_id: 'a', status: 'new' }, { status: 'new' }], ['a'], '(1): [1].'],
	])('names what of a list is no job: %j', async (data, jobs, named) => {
		const body = JSON.stringify({ data, has_more: false });
		sandbox.faults.add({ times: 'always', fault: { type: 'reply', status: 200, body } });
		const run = await runNode(sandbox, list());
		expect(items(run, 'Prices').map(({ job_id }) => job_id)).toEqual(jobs);
		expect(hints(run, 'Prices')).toEqual([
			{
				message: `Some entries of the list of jobs are left out because they are no jobs ${named}`,
				type: 'warning',
				location: 'outputPane',
			},
		]);
	});

	/** Answers the pages of the list one after the other; each is the body of a reply, or has headers beside it. */
	function answerPages(pages: Array<{ body: unknown; headers?: Record<string, string> }>) {
		for (const [at, { body, headers }] of pages.entries()) {
			sandbox.faults.add({
				match: { pathPattern: '/v2/jobs$', nth: [at + 1] },
				fault: { ...{ type: 'reply', status: 200, headers }, body: JSON.stringify(body) },
			});
		}
	}
	const jobsOf = (...names: string[]) => names.map((job_id) => ({ job_id, status: 'finished' }));

	test.each(['deprecation', 'sunset', 'help', 'canonical', 'self', 'preload'])(
		'is not ended by a Link header about something else: %s',
		async (relation) => {
			const headers = { link: `<https://example.test/notes>; rel="${relation}"` };
			answerPages([
				{ headers, body: { data: jobsOf('a', 'b') } },
				{ headers, body: { data: jobsOf('c') } },
				...[1, 2].map(() => ({ headers, body: { data: [] } })),
			]);
			const run = await runNode(sandbox, list({ returnAll: true }));
			expect(items(run, 'Prices').map(({ job_id }) => job_id)).toEqual(['a', 'b', 'c']);
			expect(hints(run, 'Prices')).toEqual([]);
		},
	);

	test('goes on by the number that it gives to the next page, and beyond the total of a page', async () => {
		answerPages([
			{ body: { data: jobsOf('a', 'b'), total: 2, pagination: { page: 1, next: 2 } } },
			{ body: { data: jobsOf('c', 'd'), total: 2, pagination: { page: 2, next: 3 } } },
			{ body: { data: jobsOf('e'), total: 1, pagination: { page: 3, next: null } } },
		]);
		expect(await listed({ returnAll: true })).toEqual(['a', 'b', 'c', 'd', 'e']);
		expect(queries().map(({ page, cursor }) => [page, cursor])).toEqual([
			['1', undefined],
			['2', undefined],
			['3', undefined],
		]);
	});

	test('says so where nothing shows that all came: the newest ones may come whatever page is asked for', async () => {
		sandbox.setOptions({ listPaging: 'ignored', listMaxPageSize: 3 });
		answerPages([1, 2, 3].map(() => ({ body: { data: jobsOf('a', 'b') } })));
		const run = await runNode(sandbox, list({ returnAll: true }));
		expect(items(run, 'Prices')).toHaveLength(2);
		expect(hints(run, 'Prices')).toMatchObject([
			{
				message:
					'2 jobs came. The list repeats itself and does not say whether that is all: set Pagination in the options.',
			},
		]);
		sandbox.faults.clear();
		sandbox.setOptions({ listPaging: 'pages' });
	});

	test('makes up no status', async () => {
		answerPages([
			{
				body: {
					data: [
						{ job_id: 'a', note: 'x' },
						{ id: 'b', status: 'new' },
					],
					has_more: false,
				},
			},
		]);
		expect(await itemsOf(sandbox, list())).toEqual([
			{ job_id: 'a', note: 'x' },
			{ job_id: 'b', id: 'b', status: 'new' },
		]);
	});

	test('a page that fails on the way fails the item instead of giving half a list', async () => {
		sandbox.setOptions({ listMaxPageSize: 3 });
		sandbox.faults.add({ match: { nth: [2, 3, 4, 5] }, fault: { type: 'serverError' } });
		expect((await failureOf(sandbox, list({ returnAll: true }))).message).toBe(
			'The service is temporarily unavailable',
		);
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

	beforeAll(async () => {
		await seedJob(sandbox, ['other'], { more: { source: 'ebay', country: 'us' } });
	});

	test('sources and countries of recent jobs, each once, by name', async () => {
		expect(await search('searchSources')).toEqual([
			{ name: 'ebay', value: 'ebay' },
			{ name: 'google_shopping', value: 'google_shopping' },
		]);
		expect(await search('searchCountries')).toEqual([
			{ name: 'de', value: 'de' },
			{ name: 'us', value: 'us' },
		]);
	});

	test('are filtered by what is typed', async () => {
		expect(await search('searchSources', ' GOOGLE ')).toEqual([
			{ name: 'google_shopping', value: 'google_shopping' },
		]);
		const [job, ...others] = await search('searchJobs', 'ebay');
		expect(others).toEqual([]);
		expect(job?.name).toMatch(
			/^\d{4}-\d\d-\d\d \d\d:\d\d · finished · ebay · us · search \([0-9a-f]{24}\)$/,
		);
	});

	test('jobs have the time of their creation in front, in the time zone of the workflow', async () => {
		const times = async (timezone: string) => {
			const [first] = await search('searchJobs', undefined, { timezone });
			return Date.parse(`${first?.name.slice(0, 16).replace(' ', 'T')}Z`);
		};
		expect((await times('Asia/Tokyo')) - (await times('UTC'))).toBe(9 * 3_600_000);
	});

	test('leave out the test source, which has a field of its own', async () => {
		const job = { job_id: 'a', status: 'finished', source: 'test', country: 'nl' };
		sandbox.faults.add({
			match: { pathPattern: '/v2/jobs$' },
			times: 'always',
			fault: { type: 'reply', status: 200, body: JSON.stringify({ jobs: [job] }) },
		});
		expect(await search('searchSources', 'shopping')).toEqual([
			{ name: 'google_shopping (usual)', value: 'google_shopping' },
		]);
		expect(await search('searchCountries')).toEqual([{ name: 'nl', value: 'nl' }]);
	});

	test('of an account without jobs name the usual ones, and say that there is no job', async () => {
		sandbox.faults.add({
			match: { pathPattern: '/v2/jobs$' },
			times: 'always',
			fault: { type: 'reply', status: 200, body: '{"jobs":[]}' },
		});
		expect(await search('searchSources')).toEqual([
			{ name: 'amazon (usual)', value: 'amazon' },
			{ name: 'ebay (usual)', value: 'ebay' },
			{ name: 'google_shopping (usual)', value: 'google_shopping' },
		]);
		expect(await search('searchCountries', 'gb')).toEqual([{ name: 'gb (usual)', value: 'gb' }]);
		await expect(search('searchJobs')).rejects.toMatchObject({
			message: 'The account of this credential has no jobs yet',
			description:
				'Collect or Create starts the first one. To enter the ID of a job, set the field to By ID.',
		});
	});

	test('offer nothing that n8n would run as an expression, and one line for each', async () => {
		const attack = '={{ $env.SECRET }}';
		const jobs = [
			{ job_id: attack, status: 'new', source: attack, country: ` ${attack}` },
			{ job_id: 'a', status: attack, source: 'eb\nay', country: 'de' },
			{ job_id: 'b', status: `\n= ${attack}\u0000x`, source: 'amazon', country: 'us' },
		];
		sandbox.faults.add({
			match: { pathPattern: '/v2/jobs$' },
			times: 'always',
			fault: { type: 'reply', status: 200, body: JSON.stringify({ jobs }) },
		});
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
		sandbox.faults.add({
			fault: { type: 'refusal', reason: 'unauthorized', parameter: 'token', status: 401 },
		});
		await expect(search('searchJobs')).rejects.toMatchObject({
			message: 'The service did not accept the key',
		});
	});
});
