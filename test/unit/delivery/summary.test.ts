import type { IDataObject } from 'n8n-workflow';

import { newRecord, type UnsentRequest } from '../../../nodes/PriceCollection/run/record';
import { creditsOf, summaryOf, unsentText } from '../../../nodes/PriceCollection/delivery/summary';
import { dialectOf } from '../fakeClient';

const COUNTS = { found: 0, notFound: 0, failed: 0, unanswered: 0 };

/** A delivered job: its root object, and what was asked for if this run asked. */
function job(root: IDataObject = {}, parameters?: IDataObject, values = 1) {
	const request = parameters && { parameters, key: 'id', values: Array<string>(values).fill('x') };
	return { record: newRecord('j', [], request), root };
}
const said = (jobs: Array<ReturnType<typeof job>>, counts: Partial<typeof COUNTS> = {}) =>
	summaryOf(jobs, { ...COUNTS, ...counts }, dialectOf());

test.each<[IDataObject[], string | undefined]>([
	[[{ paid_credits: 2, free_credits: 1 }, { paid_credits: '3' }, {}], 'Credits used: 5 paid, 1 free.'],
	[[{ paid_credits: 0, free_credits: 3 }], 'Credits used: 0 paid, 3 free.'],
	[[{ paid_credits: 1 }], 'Credits used: 1 paid.'],
	[[{}, { paid_credits: null }, { paid_credits: '', free_credits: true }], undefined],
])('credits are added up where the service says any: %j', (roots, text) => {
	expect(creditsOf(roots)).toBe(text);
});

describe('what a run has given out', () => {
	it('is summed up with what became of the values, where there are rows of them', () => {
		expect(said([job()])).toBe('1 job.');
		expect(said([job(), job({ paid_credits: 4 })], { found: 2, notFound: 3, failed: 1 })).toBe(
			'2 jobs, 6 values: 2 found, 3 not found, 1 failed. Credits used: 4 paid.',
		);
		const unanswered = '1 job, 1 value: 0 found, 0 not found, 0 failed, 1 unanswered.';
		expect(said([job()], { unanswered: 1 })).toBe(unanswered);
	});

	it('shows the estimate beside it where every job has one', () => {
		const asked = job({ paid_credits: 4 }, { topic: 'search', source: 'idealo', max_pages: 2 }, 2);
		expect(said([asked])).toBe('1 job. Credits used: 4 paid. Estimate: 4 credits.');
		expect(said([asked, job()])).toBe('2 jobs. Credits used: 4 paid.');
		const free = job({}, { topic: 'search', source: 'test' });
		expect(said([free])).toBe('1 job. The test source costs nothing.');
	});
});

const unsent = (...values: Array<string | null>) =>
	values.map((value, item): UnsentRequest => ({
		item,
		position: 0,
		row: { query: { value }, reason: 'x' },
	}));

it('counts and names values that were not sent', () => {
	expect(unsentText([{ item: 9, position: 0, error: {} }], true)).toBeUndefined();
	const blank = '1 value was not sent and cost nothing (1 blank). Its row says why.';
	expect(unsentText(unsent(null), true)).toBe(blank);
	expect(unsentText(unsent('a', null, 'b', 'c', 'd'), false)).toBe(
		'5 values were not sent and cost nothing (1 blank; 4 not valid: "a", "b", "c", …). They have no rows.',
	);
});
