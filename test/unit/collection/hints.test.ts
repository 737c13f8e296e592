import {
	counted,
	creditsOf,
	manyJobsWarning,
	runSummary,
} from '../../../nodes/PriceCollection/collection/hints';

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
			'Credits: 5 paid, 1 free.',
		);
		expect(creditsOf([{}, { paid_credits: null }])).toBeUndefined();
		expect(creditsOf([{ paid_credits: 0 }])).toBe('Credits: 0 paid, 0 free.');
	});

	it('sums up a run, with results or without', () => {
		const counts = { found: 1, notFound: 2, failed: 3, unanswered: 0 };
		expect(runSummary(1, 6, counts, undefined)).toBe('1 job, 6 values: 1 found, 2 not found, 3 failed.');
		expect(runSummary(2, 7, { ...counts, unanswered: 1 }, 'Credits: 1 paid, 0 free.')).toBe(
			'2 jobs, 7 values: 1 found, 2 not found, 3 failed, 1 unanswered. Credits: 1 paid, 0 free.',
		);
		expect(runSummary(2, 7, undefined, undefined)).toBe('2 jobs, 7 values.');
	});
});
