import { answersOf, type ItemResults } from '../../../nodes/PriceCollection/delivery/pairing';
import { newRecord, type UnsentRequest, type Requester } from '../../../nodes/PriceCollection/run/record';
import { RowTable } from '../../../nodes/PriceCollection/delivery/rowTable';
import { Renderer, type RowChoice } from '../../../nodes/PriceCollection/rows/rows';
import type { Result } from '../../../nodes/PriceCollection/service/types';
import { requestedIn } from '../../../nodes/PriceCollection/values/match';
import { fixedClock } from '../fixedClock';
import { readerOf, serviceOf } from '../rows/reader';

const CHOICE: RowChoice = {
	...{ output: 'results', columns: 'all', includeNotFound: true, onFailedResult: 'include' },
	bestPrice: { ignoreShops: [], includeShipping: true },
};
const NOT_ANSWERED = 'not answered: the job ended without a result for this value';

/** What jobs, and values without a job, become: where their rows go, the counts and the remarks. */
async function assembled(
	jobs: Array<ReturnType<typeof job>>,
	choice: Partial<RowChoice> | ((item: number) => RowChoice) = {},
	unsent: UnsentRequest[] = [],
) {
	const renderer = new Renderer(serviceOf(fixedClock()));
	const choiceAt = typeof choice === 'function' ? choice : () => ({ ...CHOICE, ...choice });
	const answers: ItemResults[] = [];
	const table = new RowTable(async (answer) => {
		answers.push(answer);
		const { job: of, results, inputIndex, requested } = answer;
		return await renderer.render(of, results, choiceAt(inputIndex), requested);
	});
	const isRequested = requestedIn(jobs.map(({ record }) => record));
	const matching = { isRequested, reader: readerOf() };
	for (const { record, download } of jobs) await table.add(answersOf(record, download, matching));
	await table.addUnsent(unsent);
	const unmatched = answers.filter(({ isUnmatched }) => isUnmatched).flatMap(({ results }) => results);
	return { placed: table.rows(), counts: Object.values(table.counts), unmatched };
}

/** A job of these values. The item with the same number asks for each, unless other requesters are given. */
function job(values: string[], results: Result[], more: { key?: string; requesters?: Requester[] } = {}) {
	const { key = 'term' } = more;
	const parameters = { topic: 'search', source: 'x', key, webhook_url: 'secret' };
	const each = values.map((value, item): Requester => ({ item, lookups: [[0, value]] }));
	const record = newRecord('j', more.requesters ?? each, { parameters, key, values });
	return { record, download: { job_id: 'j', status: 'finished', results } };
}
const answer = (value: string, more: Partial<Result> = {}): Result => ({
	...{ query: { value, topic: 'product_and_offers' }, success: true, content: { name: `about ${value}` } },
	...more,
});
const failed = (value: string) => answer(value, { success: false, reason: 'refused', content: undefined });
/** Where rows go, whose they are, and which values they have. */
const shown = ({ placed }: Awaited<ReturnType<typeof assembled>>) =>
	placed.map(({ inputIndex, requesters, rows }) => {
		const items = requesters.map(({ item }) => item);
		return `${inputIndex}: ${[...items, ...rows.map(({ value }) => value)].join(' ')}`;
	});

describe('a value', () => {
	test('without an answer has a row that says what was asked for', async () => {
		const { placed, counts } = await assembled([job(['a'], [])]);
		const row = { job_id: 'j', topic: 'search', source: 'x', value: 'a', reason: NOT_ANSWERED };
		expect(placed).toMatchObject([
			{ inputIndex: 0, position: 0, requesters: [{ item: 0 }], rows: [row] },
		]);
		expect(JSON.stringify(placed)).not.toContain('secret');
		expect(counts).toEqual([0, 0, 0, 1]);
	});

	test('counts once, whoever asks for it, and so does a result that is given twice', async () => {
		const second: Requester['lookups'] = [
			[0, 'b'],
			[1, 'a'],
		];
		const requesters = [
			{ item: 0, lookups: second.slice(1) },
			{ item: 3, lookups: second },
		];
		const both = await assembled([job(['a', 'b'], [answer('a'), answer('a')], { requesters })]);
		expect(shown(both)).toEqual(['0: 0 a', '3: 3 b', '3: 3 a']);
		expect(both.counts).toEqual([1, 0, 0, 1]);
	});

	test('has the spelling of each item that asks for it', async () => {
		const requesters = ['0012', '12'].map((value, item): Requester => ({ item, lookups: [[0, value]] }));
		const { placed } = await assembled([job(['0012'], [answer('12')], { key: 'gtin', requesters })]);
		expect(placed.map(({ rows }) => rows[0]?.value)).toEqual(['0012', '12']);
	});

	test('is not found by the topic of the job where the results do not echo it', async () => {
		const result = { query: { term: 'a' }, success: true, content: { name: 'a', search_results: [] } };
		expect((await assembled([job(['a'], [result])])).counts).toEqual([0, 1, 0, 0]);
	});

	test('repeats a long echo in part only, because a sheet refuses long cells', async () => {
		const { placed } = await assembled([job(['a', 'b'], [answer('a'), answer('x'.repeat(50_000))])]);
		const reason = String(placed[1]?.rows[0]?.reason);
		expect(reason).toMatch(/^not matched: no result of the job \(e\.g\. for "x{40,}/);
		expect(reason.length).toBeLessThan(1_000);
	});

	test('fails its item where the user wants it so, and no other', async () => {
		const results = [answer('a'), failed('b'), answer('c', { content: null })];
		const { placed } = await assembled([job(['a', 'b', 'c', 'd'], results)], { onFailedResult: 'error' });
		expect(placed.map((one) => [one.rows.length, one.failed])).toEqual([
			[1, undefined],
			[0, { value: 'b', reason: 'refused', jobId: 'j' }],
			[1, undefined],
			[0, { value: 'd', reason: NOT_ANSWERED, jobId: 'j' }],
		]);
	});

	test('has no row where failed ones are skipped, by the choice of its own item', async () => {
		const choiceAt = (item: number) =>
			({ ...CHOICE, onFailedResult: item === 0 ? 'skip' : 'include' }) as const;
		const { placed } = await assembled([job(['a', 'b'], [failed('a'), failed('b')])], choiceAt);
		expect(placed.map(({ rows }) => rows.length)).toEqual([0, 1]);
	});
});

/** Requesters from "item inputIndex value", where the place in the input is not the item's own. */
const asking = (...texts: string[]) =>
	texts.map((text): Requester => {
		const [item, inputIndex, value = ''] = text.split(' ');
		return {
			item: Number(item),
			inputIndex: Number(inputIndex),
			lookups: [[value === 'a' ? 1 : 0, value]],
		};
	});

test('results of nobody stand behind the last item that asked in the job, linked to all, and are remarked on', async () => {
	const results = [answer('zzz'), failed('yyy'), answer('a')];
	const all = await assembled([job(['a', 'b'], results, { requesters: asking('4 1 a', '9 0 b') })]);
	expect(shown(all)).toEqual(['0: 9 b', '1: 4 a', '1: 4 9 zzz yyy']);
	expect(all.counts).toEqual([1, 0, 0, 1]);
	expect(all.unmatched).toEqual(results.slice(0, 2));
});

test('as many items as a large sheet has can ask for one job', async () => {
	const many = 130_000;
	const requesters = Array.from({ length: many }, (_, item): Requester => ({ item, lookups: [[0, 'a']] }));
	const results = [answer('a'), answer('other')];
	const { placed } = await assembled([job(['a'], results, { requesters })], { columns: 'raw' });
	expect([placed.length, placed.at(-1)?.inputIndex]).toEqual([many + 1, many - 1]);
});

test('rows of several items at one place stand in the order of these items', async () => {
	const requesters = asking('9 0 b', '4 0 a');
	const both = await assembled([job(['a', 'b'], [answer('a'), answer('b')], { requesters })]);
	expect(shown(both)).toEqual(['0: 4 a', '0: 9 b']);
});

test('a job that was created elsewhere gives all of its rows to each item that names it', async () => {
	const record = newRecord('j', [{ item: 2 }, { item: 5 }]);
	// A repeated result counts once.
	const results = [answer('a'), failed('b'), answer('a')];
	const download = { job_id: 'j', status: 'finished', requested: 3, results };
	const all = await assembled([{ record, download }]);
	expect(shown(all)).toEqual(['2: 2 a', '2: 2 b', '5: 5 a', '5: 5 b']);
	expect(all.counts).toEqual([1, 0, 1, 1]);
	const told = { ...record, job: { ...record.job, requested: 4 } };
	const silent = { ...download, requested: undefined };
	expect((await assembled([{ record: told, download: silent }])).counts).toEqual([1, 0, 1, 2]);
});

describe('values that were not sent', () => {
	const bad = (item: number, position: number, value: string | null): UnsentRequest => ({
		...{ item, position },
		row: { query: { topic: 'product_and_offers', key: 'gtin', value }, reason: 'it is bad' },
	});

	test('stand among the others of their item, and alone in an item without others', async () => {
		const two: [number, string] = [3, '2'];
		const first: Requester = { item: 0, lookups: [[1, '1'], two] };
		const requesters = [first, { item: 2, lookups: [two] }];
		const jobs = [job(['1', '2'], [answer('1'), failed('2')], { key: 'gtin', requesters })];
		const unsent = [bad(1, 0, null), bad(0, 4, 'z'), bad(0, 0, 'x'), bad(0, 2, 'y')];
		const all = await assembled(jobs, {}, [...unsent, { item: 2, position: 0, error: { error: 'x' } }]);
		expect(shown(all)).toEqual(['0: 0 x', '0: 0 1', '0: 0 y', '0: 0 2', '0: 0 z', '1: 1 ', '2: 2 2']);
		expect(all.placed.find(({ inputIndex }) => inputIndex === 1)?.rows).toMatchObject([
			{ value: null, job_id: null, source: null, key: 'gtin', success: false, reason: 'it is bad' },
		]);
		expect(all.counts).toEqual([1, 0, 1, 0]);
	});

	test('are left out with the failed results, or fail their item, at its place in this input', async () => {
		const moved = [{ ...bad(7, 0, 'x'), inputIndex: 3 }];
		expect((await assembled([], { onFailedResult: 'skip' }, moved)).placed[0]?.rows).toEqual([]);
		const failure = { value: 'x', reason: 'it is bad' };
		const placed = [{ requesters: moved, inputIndex: 3, position: 0, rows: [], failed: failure }];
		expect((await assembled([], { onFailedResult: 'error' }, moved)).placed).toEqual(placed);
	});
});
