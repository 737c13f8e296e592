import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { Parameters } from '../../../nodes/PriceCollection/n8n/parameters';
import type { Ledger } from '../../../nodes/PriceCollection/run/ledger';
import { prepare } from '../../../nodes/PriceCollection/run/prepare';
import { ChoiceReader } from '../../../nodes/PriceCollection/run/resultChoice';
import { readWaitSettings } from '../../../nodes/PriceCollection/descriptions/waiting';
import { fakeClient } from '../fakeClient';
import { nodeContext, type FakeNode } from '../nodeContext';

const EXPRESSION = '={{ $json.term.trim() }}';
const LEDGER: Partial<Ledger> = { isOfTool: false, round: '0 ', requests: () => [] };

interface How extends FakeNode {
	ledger?: Partial<Ledger>;
	webhookUrl?: string;
}

/** Prepares a run whose Values are an expression that gives each item's own value. */
async function prepared(
	values: unknown[],
	options: IDataObject = {},
	{ ledger, webhookUrl, ...node }: How = {},
) {
	const topic = { topic: 'search', source: 'idealo', lookupKey: 'term', values: EXPRESSION };
	const parameters = { ...topic, options, ...node.parameters } as INodeParameters;
	const fake = nodeContext({
		...node,
		parameters,
		items: values.map(() => ({})),
		expressions: { [EXPRESSION]: (item) => values[item], ...node.expressions },
	});
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
	const { plan, reads } = await prepared(
		terms,
		{ maxAge: 5 },
		{ parameters: { country } as INodeParameters },
	);
	expect(plan).toHaveLength(1);
	expect(reads.filter((path) => path === 'values')).toHaveLength(1_000);
	const others = reads.filter((path) => path !== 'values');
	expect(others).toEqual([...new Set(others)]);
});

test('a callback URL of the run stands in every job, and in no identity', async () => {
	const calling = async (webhookUrl: string) => await prepared(['a'], {}, { webhookUrl });
	const [one, other] = [await calling('https://a.test'), await calling('https://b.test')];
	expect(one.plan[0]?.request.parameters.webhook_url).toBe('https://a.test');
	const identities = [one, other].map(({ plan, identify }) => plan.map(identify));
	expect(identities[0]).toEqual(identities[1]);
});

describe('an identity', () => {
	const of = async (maxAge: number, isOfTool: boolean, credential = '1') => {
		const credentials = { priceCollectionApi: { id: credential, name: 'x' } };
		const parameters = {
			topic: 'search',
			lookupKey: 'term',
			values: 'a',
			options: { maxAge: '={{ $now }}' },
		};
		const { context } = nodeContext({ parameters, expressions: { '={{ $now }}': () => maxAge } });
		const node = { ...context.getNode(), credentials };
		const fields = new Parameters({ ...context, getNode: () => node });
		const ledger = { ...LEDGER, isOfTool } as Ledger;
		const asking = { ...context, getNode: () => node };
		const { plan, identify } = await prepare(asking, fakeClient({}).client, { fields, ledger });
		return plan.map(identify)[0];
	};

	test('is the same whatever expressions give, except for the questions of an agent and of an account', async () => {
		expect(await of(1, false)).toBe(await of(2, false));
		expect(await of(1, true)).not.toBe(await of(2, true));
		expect(await of(1, true)).not.toBe(await of(1, true, '2'));
	});
});

test('items that an earlier try has asked for together stay together, whatever expressions give now', async () => {
	const expressions = { '={{ $now }}': (item: number) => item + 1 };
	const options = { maxAge: '={{ $now }}' };
	expect((await prepared(['a', 'b'], options, { expressions })).jobs).toEqual(['a', 'b']);
	const known = { sentAt: 0, executionId: '', items: [0, 1], group: 'group' };
	const ledger = { requests: () => [known] };
	expect((await prepared(['a', 'b'], options, { expressions, ledger })).jobs).toEqual(['a b']);
});

test.each<[unknown[], IDataObject, INodeParameters, string[]]>([
	[['a', 'b'], { grouping: 'perItem' }, {}, []],
	[
		['a\nb\nc'],
		{ maxValuesPerJob: 1 },
		{},
		[expect.stringContaining('creates 3 jobs for 1 item.') as string],
	],
	[
		['4006381333931', '9780201379624'],
		{},
		{ topic: 'product_and_offers', lookupKey: 'id' },
		[expect.stringContaining('All values look like GTINs, but Look Up By is ID') as string],
	],
	[['4006381333931', 'B00ABCDEFG'], {}, { topic: 'product_and_offers', lookupKey: 'id' }, []],
	[['4006381333932', '96385074'], {}, { topic: 'product_and_offers', lookupKey: 'id' }, []],
])('warns of what is seldom meant: %j with %j and %j', async (values, options, parameters, said) => {
	expect((await prepared(values, options, { parameters })).said).toEqual(said);
});
