import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Parameters } from '../../../nodes/PriceCollection/n8n/parameters';
import type { Ledger } from '../../../nodes/PriceCollection/run/ledger';
import { identityOf, readValues } from '../../../nodes/PriceCollection/run/lookup/values';
import {
	planJobs,
	prepare,
	splitIntoSingles,
	type PlannedJob,
} from '../../../nodes/PriceCollection/run/plan';
import { ChoiceReader, type ItemRequest } from '../../../nodes/PriceCollection/run/readItems';
import { readWaitSettings } from '../../../nodes/PriceCollection/descriptions/waiting';
import { runs } from '../../runs';
import { fakeClient } from '../fakeClient';
import { nodeContext, type FakeNode } from '../nodeContext';

const EXPRESSION = '={{ $json.term.trim() }}';
const LEDGER: Partial<Ledger> = {
	...{ isOfTool: false, round: '0 ', requests: () => [] },
	...{ groupsBy: () => undefined, noteGroups: () => undefined },
};

/** An option that is another one at each item, or in each try. */
const CHANGING = { maxAge: '={{ $now }}' };
const expressions = { '={{ $now }}': (item: number) => item + 1 };

interface How extends FakeNode {
	ledger?: Partial<Ledger>;
	webhookUrl?: string;
	/** More of the stored node. */
	node?: object;
}

/** Prepares a run whose Values are an expression that gives each item's own value. */
async function prepared(
	values: unknown[],
	options: IDataObject = {},
	{ ledger, webhookUrl, node: stored, ...node }: How = {},
) {
	const topic = { topic: 'search', source: 'idealo', lookupKey: 'term', values: EXPRESSION };
	const parameters = { ...topic, options, ...node.parameters } as INodeParameters;
	const fake = nodeContext({
		...node,
		parameters,
		items: values.map(() => ({})),
		expressions: { [EXPRESSION]: (item) => values[item], ...node.expressions },
	});
	Object.assign(fake.context.getNode(), stored);
	const fields = new Parameters(fake.context);
	const choices = new ChoiceReader(fake.context, fields);
	readWaitSettings(fake.context, fields);
	const settings = { fields, webhookUrl, choices, ledger: { ...LEDGER, ...ledger } as Ledger };
	const result = await prepare(fake.context, fakeClient({}).client, settings);
	const jobs = result.plan.map(({ request }) => request.values.join(' '));
	return { ...result, jobs, reads: fake.reads, said: fake.hints.map(({ message }) => message) };
}

test('only what is an expression is evaluated for every item', async () => {
	const terms = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
	const country = { __rl: true, mode: 'code', value: 'de' };
	const parameters = { country } as INodeParameters;
	const { plan, reads } = await prepared(terms, { maxAge: 5 }, { parameters });
	expect(plan).toHaveLength(1);
	expect(reads.filter((path) => path === 'values')).toHaveLength(1_000);
	const others = reads.filter((path) => path !== 'values');
	expect(others).toEqual([...new Set(others)]);
});

test.each([
	['run', false],
	['question of an agent', true],
])('a callback URL of the %s stands in every job, and in no identity', async (_name, isOfTool) => {
	const calling = async (webhookUrl: string) =>
		await prepared(['a'], {}, { webhookUrl, ledger: { isOfTool } });
	const [one, other] = [await calling('https://a.test'), await calling('https://b.test')];
	expect(one.plan[0]?.request.parameters.webhook_url).toBe('https://a.test');
	const identities = [one, other].map(({ plan, identify }) => plan.map(identify));
	expect(identities[0]).toEqual(identities[1]);
});

describe('an identity', () => {
	const of = async (maxAge: number, isOfTool: boolean, id = '1') => {
		const node = { credentials: { priceCollectionApi: { id, name: 'x' } } };
		const { plan, identify } = await prepared(['a'], CHANGING, {
			...{ expressions: { '={{ $now }}': () => maxAge }, ledger: { isOfTool }, node },
		});
		return plan.map(identify)[0];
	};

	test.each<[string, string[], number[], boolean]>([
		['the same, in whatever order the values stand', ['b', 'a'], [0, 1], true],
		['that of another value', ['a', 'c'], [0, 1], false],
		['that of a value less', ['a'], [0, 1], false],
		['that of its values in one', ['a\nb'], [0, 1], false],
		['that of other items', ['a', 'b'], [0, 2], false],
		['that of an item less', ['a', 'b'], [0], false],
	])('is %s', async (_name, values, items, isSame) => {
		const { plan, identify } = await prepared(['a\nb', 'b']);
		const [planned] = plan as [PlannedJob];
		const request = { ...planned.request, values };
		const other = identify({ ...planned, request, requesters: items.map((item) => ({ item })) });
		expect(other === identify(planned)).toBe(isSame);
	});

	test('is the same whatever expressions give, except for the questions of an agent and of an account', async () => {
		const fixed = await prepared(['a'], { maxAge: 1 });
		expect(fixed.plan.map(fixed.identify)[0]).not.toBe(await of(1, false));
		expect(await of(1, false)).toBe(await of(2, false));
		expect(await of(1, true)).not.toBe(await of(2, true));
		expect(await of(1, true)).not.toBe(await of(1, true, '2'));
	});
});

describe('whatever expressions give now', () => {
	/** What an earlier try has asked for in this group: these items. */
	const earlier = (group = '', items: number[] = []): How => ({
		...{ expressions, ledger: { groupsBy: () => ({ [group]: items }) } },
	});

	test('items that an earlier try has asked for together stay together', async () => {
		expect((await prepared(['a', 'b'], CHANGING, { expressions })).jobs).toEqual(['a', 'b']);
		expect((await prepared(['a', 'b'], CHANGING, earlier('group', [0, 1]))).jobs).toEqual(['a b']);
	});

	test('an item that no earlier try has asked for joins none of its groups', async () => {
		const [first, second] = (await prepared(['a', 'b'], CHANGING, { expressions })).plan;
		// What the second item gives now, the first one gave when its job was asked for.
		const again = await prepared(['a', 'b'], CHANGING, earlier(second?.group, [0]));
		expect(again.jobs).toEqual(['a', 'b']);
		expect(again.plan.map(again.identify)[0]).toBe(again.identify(first!));
	});

	test('an item whose job an earlier try could not create still shares its values with the others', async () => {
		const noted: Array<[fieldsHash: string, groups: Record<string, number[]>]> = [];
		const ledger: Partial<Ledger> = {
			noteGroups: (...groups) => noted.push(groups),
			groupsBy: (fieldsHash) => noted.find(([hash]) => hash === fieldsHash)?.[1],
		};
		const options = { ...CHANGING, maxValuesPerJob: 1 };
		const tries = { expressions: { '={{ $now }}': () => noted.length }, ledger };
		for (let round = 0; round < 2; round++)
			expect((await prepared(['a\nb', 'b'], options, tries)).jobs).toEqual(['a', 'b']);
		// Nothing is known of what other fields have asked for.
		const other = await prepared(['a\nb', 'b'], { ...options, condition: '={{ $now }}' }, tries);
		expect(other.plan[0]?.group).not.toBe(Object.keys(noted[0]![1])[0]);
	});
});

test('as many jobs as items are no reason for a hint', async () => {
	expect((await prepared(['a', 'b'], { grouping: 'perItem' })).said).toEqual([]);
});

const base = { topic: 'product_and_offers', source: 'test', country: 'de', key: 'gtin' };
const ask = (item: number, values: string[], parameters: IDataObject = base): ItemRequest => ({
	...{ item, parameters, unsent: [] },
	asks: values.map((value, place) => [place, value]),
});
const plan = (requests: ItemRequest[], maxValuesPerJob = 1000, grouping: 'combine' | 'perItem' = 'combine') =>
	planJobs(requests, grouping, maxValuesPerJob);
/** The values of each job, and who asks for which of them at which place. */
const shown = (jobs: PlannedJob[]) =>
	jobs.map(({ request: { values }, requesters }) => [
		values.join(' '),
		requesters.map(({ item, asks = [] }) => `${item}: ${asks.map((one) => one.join('=')).join(' ')}`),
	]);

describe('combine', () => {
	test('puts equal parameters into one job, whatever the order of their names', () => {
		const nested = { ...base, extra: { a: [1, 2], b: { c: 1, d: undefined } } };
		const { key, ...others } = base;
		const reordered = { extra: { b: { c: '1' }, a: [1, '2'] }, key, ...others };
		const jobs = plan([ask(0, ['1'], nested), ask(1, ['2'], reordered)]);
		expect(jobs).toMatchObject([{ request: { parameters: nested, key: 'gtin' } }]);
		expect(shown(jobs)).toEqual([['1 2', ['0: 0=1', '1: 0=2']]]);
	});

	test('asks for each value once, spelt as it was first asked for where it is no GTIN; each item keeps its own spelling', () => {
		expect(shown(plan([ask(0, ['0012', '7']), ask(1, ['12']), ask(2, ['7', '0012', '012'])]))).toEqual([
			['0012 7', ['0: 0=0012 1=7', '1: 0=12', '2: 0=7 1=0012 2=012']],
		]);
	});

	test.each([
		[['84123458184', '084123458184'], '084123458184'],
		[['084123458184', '84123458184'], '084123458184'],
		[['84123458184', '00084123458184', '0084123458184'], '00084123458184'],
		[['84123458184'], '084123458184'],
		[['1234565'], '01234565'],
		[['96385074'], '96385074'],
		[['000096385074'], '000096385074'],
		[['0000096385074', '4006381333931'], '0000096385074 4006381333931'],
		[['84123458185'], '84123458185'],
	])('of the spellings %j of GTINs the longest is sent, filled up with zeros: %s', (asked, sent) => {
		const jobs = plan(asked.map((value, item) => ask(item, [value])));
		expect(shown(jobs)).toEqual([[sent, asked.map((value, item) => `${item}: 0=${value}`)]]);
	});

	test('leaves other keys, and what the parameters bring themselves, as they are', () => {
		const sent = (parameters: IDataObject) => shown(plan([ask(0, ['84123458184'], parameters)]))[0]?.[0];
		expect(sent({ ...base, key: 'id' })).toBe('84123458184');
		expect(sent({ ...base, values: '84123458184' })).toBe('84123458184');
	});

	test('has no key where the parameters bring their value themselves, and never cuts that', () => {
		const jobs = plan([ask(0, ['a', 'b'], { topic: 'search', value: 'a\nb' })], 1);
		expect(jobs).toMatchObject([{ request: { key: '', values: ['a', 'b'] } }]);
		expect(splitIntoSingles(jobs[0] as PlannedJob)).toEqual(jobs);
	});

	test('cuts at the limit, for those who asked in each job; a limit of nothing is one', () => {
		const requests = [ask(0, ['1', '2', '3']), ask(1, ['3', '1']), ask(2, ['2'])];
		expect(shown(plan(requests, 2))).toEqual([
			['1 2', ['0: 0=1 1=2', '1: 1=1', '2: 0=2']],
			['3', ['0: 2=3', '1: 0=3']],
		]);
		expect(shown(plan([ask(0, ['1', '2'])], 0)).map(([values]) => values)).toEqual(['1', '2']);
	});
});

test('single jobs belong to exactly the items that asked for their value', () => {
	const [job] = plan([ask(0, ['01', '2']), ask(1, ['2', '1', '02'])]);
	expect(shown(splitIntoSingles(job as PlannedJob))).toEqual([
		['01', ['0: 0=01', '1: 1=1']],
		['2', ['0: 1=2', '1: 0=2 2=02']],
	]);
});

describe('any items', () => {
	const digits = fc.stringMatching(/^0{0,3}[1-9]\d{0,12}$/);
	const value = fc.oneof(fc.constantFrom('a', 'A', 'tea pot', 'Tea  Pot', '12', '012'), digits);
	const wires = fc.record({
		topic: fc.constantFrom('offers', 'search'),
		key: fc.constantFrom('gtin', 'id'),
	});
	const rows = fc.array(fc.tuple(fc.array(value, { maxLength: 6 }), wires), { maxLength: 12 });
	const grouping = fc.constantFrom('combine' as const, 'perItem' as const);

	test('make no purchase twice and each once, in as few jobs as the limit allows, split or not', () => {
		fc.assert(
			fc.property(rows, grouping, fc.integer({ min: 1, max: 5 }), (all, chosen, most) => {
				const texts = (raw: unknown) => readValues(raw).map(({ text }) => text);
				const requests = all.map(([raw, wire], item) => ask(item, texts(raw), wire));
				const jobs = plan(requests, most, chosen);
				const groupOf = ({ request, requesters }: PlannedJob) =>
					JSON.stringify([chosen === 'perItem' ? requesters[0]?.item : '', request.parameters]);
				const wanted = requests.flatMap(({ item, parameters, asks }) =>
					asks.map(([place, text]) => JSON.stringify([item, place, text, parameters])),
				);
				for (const some of [jobs, jobs.flatMap(splitIntoSingles)]) {
					const purchases = some.flatMap((job) =>
						job.request.values.map((text) => groupOf(job) + identityOf(job.request.key, text)),
					);
					expect(new Set(purchases).size).toBe(purchases.length);
					const asked = some.flatMap(({ request, requesters }) =>
						requesters.flatMap(({ item, asks = [] }) =>
							asks.map(([place, text]) => {
								const held = request.values.map((one) => identityOf(request.key, one));
								expect(held).toContain(identityOf(request.key, text));
								return JSON.stringify([item, place, text, request.parameters]);
							}),
						),
					);
					expect(asked.sort()).toEqual([...wanted].sort());
				}
				for (const job of jobs) {
					const { length } = job.request.values;
					const isLast = jobs.findLast((one) => groupOf(one) === groupOf(job)) === job;
					expect(isLast ? length > 0 && length <= most : length === most).toBe(true);
				}
			}),
			{ numRuns: runs(500) },
		);
	});
});
