import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, INodeParameters, IWorkflowSettings } from 'n8n-workflow';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import type { CredentialFields } from '../../../nodes/PriceCollection/service/connection';
import type { Fault } from '../../fakes/sandbox/faults';
import type { SandboxOptions } from '../../fakes/sandbox/options';
import { useSandbox } from '../../support/useSandbox';
import { createJob, DOWN, fail, failureOf, itemsOf, reply, runNode, seedJob, sent } from '../support/core';
import { build, hints, items, said } from '../support/harness';
import { usePlainService } from '../support/plainService';
import { credentialFor, scenario } from '../support/common';

const sandbox = useSandbox({ autoFinish: false });
const plain = usePlainService();

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

function withoutSize(query: Record<string, string>): string {
	const parameters = new URLSearchParams(query);
	parameters.delete('per_page');
	return String(parameters);
}

/** The sandbox's cursor after this many jobs. */
const after = (count: number) => Buffer.from(`after ${count}`).toString('base64url');

describe('get many', () => {
	const ids: string[] = [];
	beforeEach(async () => {
		ids.length = 0;
		for (let index = 0; index < 7; index++) ids.unshift(await seedJob(sandbox, [`value ${index}`]));
	});

	test('asks for one page of the limit, and gives whole jobs in the order of the service', async () => {
		const queryParameters = { parameter: [{ name: 'status', value: 'finished & done' }] };
		const jobs = await itemsOf(sandbox, list({ limit: 3, options: { queryParameters } }));
		const query = { token: sandbox.apiKey, per_page: '3', status: 'finished & done' };
		expect(sandbox.requests.map(sent)).toEqual([{ method: 'GET', path: '/v2/jobs', query, body: '' }]);
		expect(idsOf(jobs)).toEqual(ids.slice(0, 3));
		expect(jobs[0]).toMatchObject({ status: 'finished', source: 'google_shopping', requested: 1 });
	});

	test('reads page by page until one is empty', async () => {
		sandbox.setOptions({ listMaxPageSize: 3 });
		expect(idsOf(await itemsOf(sandbox, ALL))).toEqual(ids);
		expect(queries().map(({ page }) => page)).toEqual([undefined, '1', '2', '3', '4']);
	});

	test.each<[string, Partial<SandboxOptions>, CredentialFields, string[]]>([
		[
			'by pages from 0',
			{ listFirstPage: 0 },
			{ firstPage: '0' },
			['page=0', 'page=1', 'page=2', 'page=3'],
		],
		[
			'by offset',
			{ listPaging: 'offset', listPageParameter: 'offset' },
			{ pagination: 'offset' },
			['offset=0', 'offset=3', 'offset=6', 'offset=7'],
		],
		[
			'by an offset with its own name',
			{ listPaging: 'offset', listPageParameter: 'skip' },
			{ pagination: 'offset', pageParameter: 'skip' },
			['skip=0', 'skip=3', 'skip=6', 'skip=7'],
		],
		[
			'by a cursor that it names',
			{ listPaging: 'cursor', listSays: ['cursor'] },
			{},
			['', `cursor=${after(3)}`, `cursor=${after(6)}`],
		],
		[
			'by a cursor with its own parameter',
			{ listPaging: 'cursor', listSays: ['cursor'], listCursorParameter: 'after' },
			{ pagination: 'cursor', cursorParameter: 'after' },
			['', `after=${after(3)}`, `after=${after(6)}`],
		],
		['by the header Link', { listSays: ['link'] }, {}, ['', 'page=2', 'page=3']],
		['by pages from 0, which nobody said', { listFirstPage: 0 }, {}, ['', 'page=1', 'page=2', 'page=3']],
		['by pages from 1', {}, { firstPage: '1' }, ['page=1', 'page=2', 'page=3', 'page=4']],
	])('reads the whole list %s', async (_name, options, credential, asked) => {
		sandbox.setOptions({ listMaxPageSize: 3, ...options });
		const run = await runNode(sandbox, ALL, { credential: { ...credential } });
		expect([idsOf(items(run, 'Prices')), hints(run, 'Prices')]).toEqual([ids, []]);
		expect(queries().map(withoutSize)).toEqual(asked);
	});

	const PAGING = 'Set Pagination in the credential (Customize Service).';
	test.each<[string, Partial<SandboxOptions>, string]>([
		['a total', { listPaging: 'cursor', listSays: ['total'] }, 'but the service has 7'],
		['has_more', { listPaging: 'cursor', listSays: ['hasMore'] }, 'but the service has more'],
		[
			'a total beside an offset',
			{ listPaging: 'offset', listPageParameter: 'offset', listSays: ['total', 'offset'] },
			'but the service has 7',
		],
		['pages that repeat', { listPaging: 'capped' }, 'but the list repeats itself'],
	])('says what came where only %s shows that it is not all', async (_name, options, why) => {
		sandbox.setOptions({ listMaxPageSize: 3, ...options });
		const run = await runNode(sandbox, ALL);
		expect(idsOf(items(run, 'Prices'))).toEqual(ids.slice(0, 3));
		const message = `Received 3 jobs, ${why}. ${PAGING}`;
		expect(hints(run, 'Prices')).toEqual([{ type: 'warning', location: 'outputPane', message }]);
	});

	test.each<[string, Fault, string]>([
		['is down', DOWN, 'The service is temporarily unavailable'],
		[
			'gives a web page',
			reply('<html><h1>Not Found</h1></html>', 404, { 'content-type': 'text/html' }),
			'There is no Price Collection',
		],
		[
			'refuses access',
			{ type: 'refusal', reason: 'forbidden', status: 403 },
			'The key has no access to this',
		],
		['gives no list', reply({ message: 'maintenance' }), 'The '],
	])(
		'gives the jobs that came, and says which page did not, where the service %s',
		async (_name, fault, why) => {
			sandbox.setOptions({ listMaxPageSize: 3 });
			fail(sandbox, 'list', fault, { nth: [2, 3, 4, 5] });
			const run = await runNode(sandbox, ALL);
			expect(idsOf(items(run, 'Prices'))).toEqual(ids.slice(0, 3));
			expect(said(run)).toEqual([
				expect.stringContaining(`Received 3 jobs, but page 2 of the list could not be read: ${why}`),
			]);
		},
	);

	test('takes the refusal of a page behind the last one for the end', async () => {
		sandbox.setOptions({ listMaxPageSize: 3, listPaging: 'refuse' });
		const run = await runNode(sandbox, ALL);
		expect([idsOf(items(run, 'Prices')), said(run)]).toEqual([ids, []]);
	});

	test('fails where the first page cannot be read', async () => {
		fail(sandbox, 'list', DOWN, 'always');
		expect((await failureOf(sandbox, ALL)).message).toBe('The service is temporarily unavailable');
	});
});

describe('a list', () => {
	test('counts its entries that are no jobs, and makes up no status of the others', async () => {
		const job = { job_id: 'a', note: 'x' };
		fail(sandbox, 'list', reply({ data: [job, { status: 'new' }, null], has_more: false }));
		const run = await runNode(sandbox, list());
		expect(items(run, 'Prices')).toEqual([job]);
		const message = 'Entries of the list without a job ID are left out: 2.';
		expect(hints(run, 'Prices')).toEqual([{ message, type: 'warning', location: 'outputPane' }]);
	});

	test('is said to repeat itself where nothing shows that all jobs came', async () => {
		fail(sandbox, 'list', reply({ data: [{ job_id: 'a' }, { job_id: 'b' }] }), 3);
		expect(said(await runNode(sandbox, ALL))).toEqual([
			'Received 2 jobs, but the list repeats itself. Set Pagination in the credential (Customize Service).',
		]);
	});
});

describe('lists of the editor', () => {
	async function search(
		method: 'searchSources' | 'searchCountries' | 'searchJobs',
		filter?: string,
		settings: IWorkflowSettings = {},
		credential = credentialFor(sandbox),
		currentNodeParameters?: INodeParameters,
	) {
		const built = build({ ...scenario(credential, list()), settings });
		Object.assign(built.additionalData, { currentNodeParameters });
		const node = built.workflow.getNode('Prices');
		if (!node) throw new Error('No node');
		const context = new LoadOptionsContext(built.workflow, node, built.additionalData, '');
		return (await new PriceCollection().methods.listSearch[method].call(context, filter)).results;
	}
	const named = (...values: string[]) => values.map((value) => ({ name: value, value }));
	const NAMES = {
		...{ fr: 'France', de: 'Germany', it: 'Italy', nl: 'Netherlands', es: 'Spain' },
		...{ gb: 'United Kingdom', us: 'United States' },
	};
	type Code = keyof typeof NAMES;
	const country = (value: Code, more = '') => ({ name: `${NAMES[value]} (${value})${more}`, value });
	const COMMON = ' – common, not used by you yet';
	const COUNTRIES: Code[] = ['fr', 'de', 'it', 'es', 'gb', 'us'];
	const countries = (...values: Code[]) => values.map((value) => country(value));
	const usualCountries = (...values: Code[]) => values.map((value) => country(value, COMMON));
	const usual = (...values: string[]) => values.map((value) => ({ name: `${value}${COMMON}`, value }));
	const TEST = { name: 'test – free, with made-up data', value: 'test' };
	const jobs = (...given: object[]) => fail(sandbox, 'list', reply({ jobs: given }), 'always');

	test('name sources and countries of recent jobs, each once, then the usual ones, filtered by what is typed', async () => {
		for (const more of [{}, { source: 'ebay', country: 'us' }, {}])
			sandbox.finishJob(await createJob(sandbox, { topic: 'search', ...more }));
		expect(await search('searchSources')).toEqual([
			...named('ebay', 'google_shopping'),
			...usual('amazon'),
			TEST,
		]);
		expect(await search('searchCountries')).toEqual([
			...countries('de', 'us'),
			...usualCountries('fr', 'it', 'es', 'gb'),
		]);
		expect(await search('searchSources', ' GOOGLE ')).toEqual(named('google_shopping'));
		expect(await search('searchJobs', 'ebay')).toEqual([
			expect.objectContaining({
				name: expect.stringMatching(
					/^\d{4}-\d\d-\d\d \d\d:\d\d · finished · ebay · us · search \([0-9a-f]{24}\)$/,
				),
			}),
		]);
	});

	test('find countries by their English names, and those that are not common only so', async () => {
		expect(await search('searchCountries', ' germ ')).toEqual(usualCountries('de'));
		expect(await search('searchCountries', 'Netherl')).toEqual(
			[
				country('nl', ' – not used by you yet'),
				{ name: 'Caribbean Netherlands (bq) – not used by you yet', value: 'bq' },
			].reverse(),
		);
		jobs(
			{ job_id: 'a', status: 'new', country: 'nl' },
			{ job_id: 'b', status: 'new', country: 'everywhere' },
		);
		expect(await search('searchCountries', '(nl)')).toEqual(countries('nl'));
		expect(await search('searchCountries', 'every')).toEqual(named('everywhere'));
	});

	test('of Cancel have the jobs that run', async () => {
		jobs({ job_id: 'a', status: 'finished' }, { job_id: 'b', status: 'working' });
		const shown = async (operation: string) =>
			(await search('searchJobs', undefined, {}, undefined, { resource: 'job', operation })).map(
				({ value }) => value,
			);
		expect(await shown('get')).toEqual(['a', 'b']);
		expect(await shown('cancel')).toEqual(['b']);
		sandbox.reset();
		jobs({ job_id: 'a', status: 'finished' });
		await expect(shown('cancel')).rejects.toMatchObject({
			message: 'None of the latest jobs of this account is running',
			description:
				'There is nothing to cancel. To enter the ID of an older job, set the field to By ID.',
		});
	});

	test('have the time of the creation of jobs in front, in the time zone of the workflow', async () => {
		await createJob(sandbox);
		const timeIn = async (timezone: string) => {
			const [first] = await search('searchJobs', undefined, { timezone });
			return Date.parse(`${first?.name.slice(0, 16).replace(' ', 'T')}Z`);
		};
		expect((await timeIn('Asia/Tokyo')) - (await timeIn('UTC'))).toBe(9 * 3_600_000);
	});

	test('have the test source last, whatever was collected from it', async () => {
		jobs({ job_id: 'a', status: 'finished', source: 'test', country: 'nl' });
		expect(await search('searchSources', 'shopping')).toEqual(usual('google_shopping'));
		expect(await search('searchSources', 'test')).toEqual([TEST]);
		expect(await search('searchCountries')).toEqual([
			...countries('nl'),
			...usualCountries(...COUNTRIES),
		]);
	});

	test('name what jobs say in other spellings, and nothing twice', async () => {
		jobs({ job_id: 'a', status: 'new', Source: { name: 'Amazon' }, COUNTRY: 'GB' });
		expect(await search('searchSources')).toEqual([
			...named('Amazon'),
			...usual('ebay', 'google_shopping'),
			TEST,
		]);
		expect(await search('searchCountries', 'gb')).toEqual([{ name: 'United Kingdom (GB)', value: 'GB' }]);
	});

	test('show what came of a list of which a page could not be read', async () => {
		sandbox.setOptions({ listMaxPageSize: 1 });
		for (let count = 0; count < 2; count++) await createJob(sandbox, { topic: 'search', country: 'nl' });
		fail(sandbox, 'list', DOWN, { nth: [2, 3, 4, 5] });
		expect(await search('searchCountries')).toEqual([
			...countries('nl'),
			...usualCountries(...COUNTRIES),
		]);
	});

	test('of an account without jobs name the usual ones, and say that there is no job', async () => {
		expect(await search('searchSources')).toEqual([...usual('amazon', 'ebay', 'google_shopping'), TEST]);
		expect(await search('searchCountries', 'gb')).toEqual(usualCountries('gb'));
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

	test('ask as the credential says, as Get Many does: a service may refuse what it does not know', async () => {
		plain.reset({
			'GET /v2/jobs': {
				byHand: ({ url = '' }, response) => {
					const isKnown = [...new URL(url, plain.url).searchParams.keys()].join() === 'token';
					const body = isKnown ? [{ job_id: 'a', country: 'nl' }] : { error: 'unknown parameter' };
					response.writeHead(isKnown ? 200 : 422).end(JSON.stringify(body));
				},
			},
		});
		for (const more of [{ pagination: 'none' }, { pagination: 'cursor', pageSizeParameter: '' }]) {
			const credential = credentialFor(plain, more);
			expect((await search('searchCountries', 'nl', {}, credential)).map(({ value }) => value)).toEqual(
				// Finland and Greenland contain these letters.
				['nl', 'fi', 'gl'],
			);
			expect(idsOf(await itemsOf(plain, ALL, { credential }))).toEqual(['a']);
		}
		expect(plain.requests).toEqual(Array.from({ length: 4 }, () => 'GET /v2/jobs'));
	});

	test('keep repeated parameters of the address of the next page', async () => {
		const next = '</v2/jobs?f[]=a&g=1&f[]=b%26c&g=2&page=2>; rel="next"';
		plain.reset({
			'GET /v2/jobs': {
				byHand: ({ url = '' }, response) => {
					const isSecond = new URL(url, plain.url).searchParams.has('page');
					response.writeHead(200, isSecond ? {} : { link: next });
					response.end(JSON.stringify([{ job_id: isSecond ? 'b' : 'a', status: 'new' }]));
				},
			},
		});
		expect(idsOf(await itemsOf(plain, ALL, { credential: credentialFor(plain) }))).toEqual(['a', 'b']);
		const asked = plain.requests.map((request) => [...new URL(request.slice(4), plain.url).searchParams]);
		const own = [
			['f[]', 'a'],
			['f[]', 'b&c'],
			['g', '1'],
			['g', '2'],
			['page', '2'],
		];
		expect(asked).toEqual([[['per_page', '100']], own]);
	});

	test('say what is wrong', async () => {
		fail(sandbox, 'list', { type: 'refusal', reason: 'unauthorized', parameter: 'token', status: 401 });
		const message = 'The service did not accept the key';
		await expect(search('searchJobs')).rejects.toMatchObject({ message });
	});
});
