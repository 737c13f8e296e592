import { counted } from '../../../nodes/PriceCollection/n8n/hints';
import {
	creditsOf,
	gtinsAsIdsWarning,
	manyJobsWarning,
	Tally,
	unsentHint,
} from '../../../nodes/PriceCollection/run/tally';

describe('hints', () => {
	it('counts in words', () => {
		expect([counted(0, 'job'), counted(1, 'job'), counted(2, 'job')]).toEqual([
			'0 jobs',
			'1 job',
			'2 jobs',
		]);
	});

	it('warns of more jobs than items only', () => {
		expect(manyJobsWarning(2, 2)).toBeUndefined();
		expect(manyJobsWarning(3, 1)).toContain('This run creates 3 jobs for 1 item.');
	});

	it('adds up credits where the service says any', () => {
		expect(creditsOf([{ paid_credits: 2, free_credits: 1 }, { paid_credits: '3' }, {}])).toBe(
			'Credits used: 5 paid, 1 free.',
		);
		expect(creditsOf([{ paid_credits: 0, free_credits: 3 }])).toBe('3 free credits used.');
		expect(creditsOf([{ paid_credits: 1 }])).toBe('1 paid credit used.');
		expect(creditsOf([{}, { paid_credits: null }])).toBeUndefined();
		expect(creditsOf([{ paid_credits: '', free_credits: true }])).toBeUndefined();
		expect(creditsOf([{ paid_credits: 0 }])).toBe('No credits used.');
	});

	it('sums up a run, with results or without', () => {
		const counts = { found: 1, notFound: 2, failed: 3, unanswered: 0 };
		const tally = new Tally('test');
		expect(tally.summary()).toBeUndefined();
		tally.addJob({}, 6);
		expect(tally.summary()).toBe('1 job, 6 values.');
		tally.addCounts(counts);
		expect(tally.summary()).toBe('1 job, 6 values: 1 found, 2 not found, 3 failed.');
		tally.addJob({ paid_credits: 4 }, 1);
		tally.addCounts({ ...counts, unanswered: 1 });
		expect(tally.summary()).toBe(
			'2 jobs, 7 values: 2 found, 4 not found, 6 failed, 1 unanswered. 4 paid credits used.',
		);
	});

	it('says that the test source charges nothing, whatever its jobs state', () => {
		const tally = new Tally('test');
		tally.addJob({ source: 'test', free_credits: 3 }, 3);
		expect(tally.summary()).toBe('1 job, 3 values. Test source: nothing is charged.');
		tally.addJob({ results: [{ query: { source: 'test' } }], paid_credits: 2 }, 2);
		expect(tally.summary()).toBe('2 jobs, 5 values. Test source: nothing is charged.');
		tally.addJob({ results: [{ query: { source: 'ebay' } }], paid_credits: 2 }, 2);
		expect(tally.summary()).toBe(
			'3 jobs, 7 values. 2 paid credits used. The test source among them costs nothing.',
		);
	});

	it('shows the estimate beside what was booked, where every job has one and there is something to pay', () => {
		const tally = new Tally('test');
		tally.addJob({ paid_credits: 4 }, 2, 4);
		tally.addJob({}, 1, 0);
		expect(tally.summary()).toBe('2 jobs, 3 values. 4 paid credits used. Estimate: 4 credits.');
		tally.addJob({}, 1);
		expect(tally.summary()).toBe('3 jobs, 4 values. 4 paid credits used.');
		const free = new Tally('test');
		free.addJob({}, 1, 0);
		expect(free.summary()).toBe('1 job, 1 value.');
	});

	it('sums up jobs of unknown size', () => {
		const tally = new Tally('test');
		tally.addJob({}, 0);
		expect(tally.summary()).toBe('1 job.');
	});
});

describe('GTINs that are looked up as IDs', () => {
	const job = (key: string, ...values: string[]) => ({ key, values });

	it('are named where all values are such', () => {
		const plan = [job('id', '4006381333931'), job('id', '9780201379624')];
		expect(gtinsAsIdsWarning(plan)).toContain('All values look like GTINs, but Look Up By is ID');
	});

	it.each([
		['no value', []],
		['another key', [job('gtin', '4006381333931')]],
		['an ID among them', [job('id', '4006381333931'), job('id', 'B00ABCDEFG')]],
		['a number without a check digit', [job('id', '4006381333932')]],
		['a short number', [job('id', '96385074')]],
	])('are not there: %s', (_name, plan) => {
		expect(gtinsAsIdsWarning(plan)).toBeUndefined();
	});
});

describe('values that were not sent', () => {
	const unsent = (...values: Array<string | null>) => values.map((value) => ({ query: { value } }));

	it.each([
		[unsent(null), 'include', '1 value was not sent and cost nothing (1 blank). Their rows say why.'],
		[
			unsent('a', null, 'b', 'c', 'd'),
			'skip',
			'5 values were not sent and cost nothing (1 blank; 4 refused by Validate Values: "a", "b", "c", …). They have no rows.',
		],
		[
			unsent('a'),
			'error',
			'1 value was not sent and cost nothing (1 refused by Validate Values: "a"). Their items fail.',
		],
	] as const)('are counted and named: %j with %s', (values, rows, text) => {
		expect(unsentHint(values, rows)).toBe(text);
	});
});
