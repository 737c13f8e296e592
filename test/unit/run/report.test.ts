import type { IDataObject } from 'n8n-workflow';

import type { ResultChoice } from '../../../nodes/PriceCollection/output/fetch';
import { newRecord, type Aside } from '../../../nodes/PriceCollection/run/lookup/record';
import { creditsOf, estimateText, Report } from '../../../nodes/PriceCollection/run/report';
import { fakeClient } from '../fakeClient';
import { nodeContext } from '../nodeContext';

const CHOICE: ResultChoice = {
	...{ output: 'results', format: 'json', columns: 'all', includeNotFound: true },
	...{ onFailedResult: 'include', binaryPropertyName: 'data', fileName: '', includeInputFields: false },
	bestPrice: { ignoreShops: [], includeShipping: true },
};

/** A report, and what it says under the output. */
function reported(choice: Partial<ResultChoice> = {}) {
	const { client } = fakeClient({});
	const report = new Report(client, { ...CHOICE, ...choice });
	const add = (values: number, root: IDataObject, parameters?: IDataObject) => {
		const request = parameters && { parameters, key: 'id', values: Array<string>(values).fill('x') };
		report.addJob(newRecord('j', [], request), request ? root : { requested: values, ...root });
	};
	const said = (asides: Aside[] = [], stillRunning = 0) => {
		const { context, hints } = nodeContext({});
		report.show(context, asides, stillRunning);
		return hints.map(({ message }) => message);
	};
	return { report, add, said };
}

test.each<[IDataObject[], string | undefined]>([
	[[{ paid_credits: 2, free_credits: 1 }, { paid_credits: '3' }, {}], 'Credits used: 5 paid, 1 free.'],
	[[{ paid_credits: 0, free_credits: 3 }], '3 free credits used.'],
	[[{ paid_credits: 1 }], '1 paid credit used.'],
	[[{}, { paid_credits: null }], undefined],
	[[{ paid_credits: '', free_credits: true }], undefined],
	[[{ paid_credits: 0 }], 'No credits used.'],
])('credits are added up where the service says any: %j', (roots, said) => {
	expect(creditsOf(roots)).toBe(said);
});

test.each<[number | undefined, string | undefined]>([
	[undefined, undefined],
	[0, undefined],
	[1, 'Estimate: 1 credit.'],
	[20, 'Estimate: 20 credits.'],
])('an estimate of %p is %p', (estimate, text) => {
	expect(estimateText(estimate)).toBe(text);
});

describe('what a run has given out', () => {
	it('is summed up with what became of the values, where that is known', () => {
		const { report, add, said } = reported();
		expect(said()).toEqual([]);
		add(6, {});
		expect(said()).toEqual(['1 job, 6 values.']);
		Object.assign(report.counts, { found: 2, notFound: 3, failed: 1 });
		add(1, { paid_credits: 4 });
		expect(said()).toEqual(['2 jobs, 6 values: 2 found, 3 not found, 1 failed. 4 paid credits used.']);
		report.counts.unanswered = 1;
		expect(said()[0]).toContain('7 values: 2 found, 3 not found, 1 failed, 1 unanswered.');
	});

	it('says what is missing in jobs that are given out whole, and nothing of jobs of unknown size', () => {
		const { add, said } = reported({ output: 'job' });
		add(3, { results: [{}, {}] });
		expect(said()).toEqual(['1 job, 3 values: 1 unanswered.']);
		const unknown = reported();
		unknown.add(0, {});
		expect(unknown.said()).toEqual(['1 job.']);
	});

	it('says that the test source costs nothing, whatever its jobs state', () => {
		for (const root of [{ source: 'test' }, { results: [{ query: { source: 'test' } }] }]) {
			const { add, said } = reported();
			add(1, { ...root, paid_credits: 2 });
			expect(said()).toEqual(['1 job, 1 value. The test source costs nothing.']);
			add(1, { results: [{ query: { source: 'ebay' } }], paid_credits: 2 });
			expect(said()).toEqual(['2 jobs, 2 values. 2 paid credits used. The test source costs nothing.']);
		}
	});

	it('shows the estimate beside it where every job has one', () => {
		const { add, said } = reported();
		const parameters = { topic: 'search', source: 'idealo', max_pages: 2 };
		add(2, { paid_credits: 4 }, parameters);
		expect(said()).toEqual(['1 job, 2 values. 4 paid credits used. Estimate: 4 credits.']);
		add(1, {});
		expect(said()).toEqual(['2 jobs, 3 values. 4 paid credits used.']);
	});

	const unsent = (...values: Array<string | null>) =>
		values.map((value, item): Aside => ({ item, place: 0, row: { query: { value }, reason: 'x' } }));

	it.each<[Aside[], Partial<ResultChoice>, string]>([
		[unsent(null), {}, '1 value was not sent and cost nothing (1 blank). Their rows say why.'],
		[
			unsent('a', null, 'b', 'c', 'd'),
			{ onFailedResult: 'skip' },
			'5 values were not sent and cost nothing (1 blank; 4 not valid: "a", "b", "c", …). They have no rows.',
		],
		[
			unsent('a'),
			{ onFailedResult: 'error' },
			'1 value was not sent and cost nothing (1 not valid: "a"). Their items fail.',
		],
		[
			unsent('a'),
			{ output: 'job' },
			'1 value was not sent and cost nothing (1 not valid: "a"). They have no rows.',
		],
	])('counts and names values that were not sent: %j with %j', (asides, choice, text) => {
		expect(reported(choice).said([...asides, { item: 9, place: 0, error: {} }])).toEqual([text]);
	});

	it('remarks on the rows first, and on what still runs last', () => {
		const { report, add, said } = reported({ output: 'job' });
		report.renderer.remarks.note('unmatched', {});
		add(1, {});
		expect(said([], 2)).toEqual([
			expect.stringMatching(/^1 result cannot be told to belong/),
			'1 job, 1 value.',
			'Not over yet: 2 jobs, see the output Still Running.',
		]);
	});
});
