import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { NodeFields } from '../../../nodes/PriceCollection/n8n/nodeFields';
import type { Ledger } from '../../../nodes/PriceCollection/creation/ledger';
import type { PlannedJob } from '../../../nodes/PriceCollection/creation/plan';
import { prepare } from '../../../nodes/PriceCollection/creation/prepare';
import { ChoiceReader } from '../../../nodes/PriceCollection/settings/resultChoice';
import { readWaitSettings } from '../../../nodes/PriceCollection/settings/waitSettings';
import { fakeClient } from '../fakeClient';
import { nodeContext, type FakeNode } from '../nodeContext';
import { ledgerOf } from './ledgerOf';
import { shown } from './shownJobs';

const EXPRESSION = '={{ $json.term.trim() }}';

interface How extends FakeNode {
	ledger?: Ledger;
	webhookUrl?: string;
}

/** Prepares a run whose Values expression gives each item its own value. */
async function prepared(
	values: unknown[],
	options: IDataObject = {},
	{ ledger = ledgerOf().ledger, webhookUrl, ...node }: How = {},
) {
	const topic = { topic: 'search', source: 'idealo', lookupKey: 'term', values: EXPRESSION };
	const parameters = { ...topic, options, ...node.parameters } as INodeParameters;
	const fake = nodeContext({
		...node,
		parameters,
		items: values.map(() => ({})),
		expressions: { [EXPRESSION]: (item) => values[item], ...node.expressions },
	});
	const fields = new NodeFields(fake.context);
	const choiceReader = new ChoiceReader(fake.context, fields);
	readWaitSettings(fake.context, fields);
	const settings = { fields, webhookUrl, choiceReader, ledger };
	const result = await prepare(fake.context, fakeClient({}).client, settings);
	return { plan: result.plan, reads: fake.reads };
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

describe('a list that every item asks for', () => {
	const list = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
	const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

	test('may make 10,000 rows, and more where an item asks for something else, or where there are no rows', async () => {
		expect((await prepared(times(100, list(100)))).plan).toHaveLength(1);
		await expect(prepared(times(100, list(101)))).rejects.toThrow(
			'Each of the 100 items asks for the same 101 values, which would make 10100 rows',
		);
		const others = [...times(100, list(101)), list(100)];
		expect((await prepared(others)).plan).toHaveLength(1);
		const parameters = { output: 'job' };
		expect((await prepared(times(100, list(101)), {}, { parameters })).plan).toHaveLength(1);
	});
});

describe('what an earlier try has bought', () => {
	/** An option whose value differs for each item and in each try. */
	const CHANGING = { maxAge: '={{ $json.age + 1 }}' };
	let now = 0;
	const expressions = { '={{ $json.age + 1 }}': () => ++now };
	const creation = { sentAt: Date.now(), executionId: '7', jobId: 'j' };
	/** The plan of a try after these items have bought these values in one job. */
	async function again(
		values: string[],
		bought: Array<[item: number, value: string]>,
		options: IDataObject = {},
		{ sent, parameters }: { sent?: PlannedJob['request']; parameters?: INodeParameters } = {},
	) {
		const { ledger } = ledgerOf();
		const purchase = ledger.enter('fields', bought, creation, sent);
		const { plan } = await prepared(values, options, { expressions, ledger, parameters });
		return { plan, purchase };
	}

	test('goes to its job, whatever expressions give now, and the rest is planned alone', async () => {
		const bought: Array<[number, string]> = [
			[0, 'a'],
			[1, 'c'],
		];
		const { plan, purchase } = await again(['a\nb', 'c\na'], bought, CHANGING);
		expect(shown(plan)).toEqual([
			['a c', ['0: 0=a', '1: 0=c']],
			['b', ['0: 1=b']],
			['a', ['1: 1=a']],
		]);
		expect(plan.map((job) => job.purchase)).toEqual([purchase, undefined, undefined]);
	});

	test('is planned as it is asked for now, with what was sent beside it', async () => {
		const sent = { parameters: { topic: 'reviews' }, key: 'id', values: ['a', 'b'] };
		const { plan } = await again(['a'], [[0, 'a']], {}, { sent });
		const request = { parameters: { topic: 'search' }, key: 'term', values: ['a'] };
		expect(plan).toMatchObject([{ request, purchase: { sent } }]);
	});

	test('is found by the number of a GTIN', async () => {
		const parameters = { lookupKey: 'gtin', topic: 'product_and_offers' };
		const { plan, purchase } = await again(['0000096385074'], [[0, '96385074']], {}, { parameters });
		expect(plan.map((job) => job.purchase)).toEqual([purchase]);
	});

	test('is shared by an item that asks the same with Combine, and by no other', async () => {
		const bought: Array<[number, string]> = [[0, 'a']];
		const shares = (await again(['a', 'a\nb'], bought)).plan;
		expect(shown(shares)).toEqual([
			['a', ['0: 0=a', '1: 0=a']],
			['b', ['1: 1=b']],
		]);
		const apart = [
			['a', ['0: 0=a']],
			['a b', ['1: 0=a 1=b']],
		];
		expect(shown((await again(['a', 'a\nb'], bought, CHANGING)).plan)).toEqual(apart);
		expect(shown((await again(['a', 'a\nb'], bought, { grouping: 'perItem' })).plan)).toEqual(apart);
	});

	test('is what a question of an agent asks of the service, whichever item asks', async () => {
		const { ledger } = ledgerOf({ outlivesExecution: true });
		const parameters = { topic: 'search', source: 'idealo', key: 'term', max_age: 1 };
		const purchase = ledger.enter(ledger.whatOf(parameters, ''), [[3, 'a']], creation, undefined);
		now = 0;
		const how = { expressions, ledger, webhookUrl: 'https://a.test' };
		const { plan } = await prepared(['a', 'a'], CHANGING, how);
		expect(plan.map((job) => job.purchase)).toEqual([purchase, undefined]);
		expect(plan.map((job) => job.request.parameters.max_age)).toEqual([1, 2]);
	});
});
