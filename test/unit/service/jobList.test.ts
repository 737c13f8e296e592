import { DEFAULT_PAGING, listAllJobs } from '../../../nodes/PriceCollection/service/jobList';
import { failure, success } from '../../../nodes/PriceCollection/service/problems';
import { fakeClient } from '../fakeClient';

const job = (id: string, more = {}) => ({ job_id: id, status: 'finished', ...more });
const pages = (...lists: string[][]) => lists.map((list) => list.map((id) => job(id)));

async function listed(lists: string[][], limit = Infinity) {
	const { client, asked } = fakeClient({ pages: pages(...lists) });
	const jobs = await listAllJobs(client, { limit, paging: DEFAULT_PAGING });
	return { ids: jobs.ok ? jobs.value.map(({ job_id }) => job_id) : undefined, asked };
}

test('reads until a page is empty', async () => {
	const { ids, asked } = await listed([['a', 'b'], ['c'], []]);
	expect(ids).toEqual(['a', 'b', 'c']);
	expect(asked).toEqual([1, 2, 3].map((page) => ({ list: { page, per_page: 100 } })));
});

test('reads until a page brings nothing new', async () => {
	expect(
		await listed([
			['a', 'b'],
			['a', 'b'],
		]),
	).toMatchObject({ ids: ['a', 'b'], asked: { length: 2 } });
});

test('gives each job once when pages shift between requests', async () => {
	expect((await listed([['a', 'b'], ['b', 'c'], ['c', 'd'], []])).ids).toEqual(['a', 'b', 'c', 'd']);
});

test('stops at the limit, and asks for no larger pages than that', async () => {
	const { ids, asked } = await listed([['a', 'b', 'c']], 2);
	expect(ids).toEqual(['a', 'b']);
	expect(asked).toEqual([{ list: { page: 1, per_page: 2 } }]);
});

test('asks once without paging', async () => {
	const { client, asked } = fakeClient({ pages: pages(['a'], ['b']) });
	await listAllJobs(client, { limit: Infinity, query: { status: 'new' } });
	expect(asked).toEqual([{ list: { status: 'new' } }]);
});

test('parameters of the user win over those of paging', async () => {
	const { client, asked } = fakeClient({ pages: pages(['a'], ['a']) });
	await listAllJobs(client, { limit: 5, paging: DEFAULT_PAGING, query: { per_page: '3' } });
	expect(asked[0]).toEqual({ list: { page: 1, per_page: '3' } });
});

test('half a list is no list', async () => {
	let page = 0;
	const problem = { kind: 'unavailable', endpoint: 'GET /v2/jobs', effect: 'none' } as const;
	const { client } = fakeClient({ list: () => (++page === 1 ? success([job('a')]) : failure(problem)) });
	expect(await listAllJobs(client, { limit: 9, paging: DEFAULT_PAGING })).toEqual(failure(problem));
});
