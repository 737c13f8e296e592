import { endOf, statusMeaning } from '../../../nodes/PriceCollection/service/statuses';

const NONE = { finishedStatuses: '', failedStatuses: '', cancelledStatuses: '' };

test.each([
	['results', 'finished completed complete done success succeeded ready timed_out timeout partial'],
	['failed', 'failed failure error errored aborted expired rejected'],
	['cancelled', 'cancelled canceled'],
	[undefined, 'new created queued working in_progress finishing unheard_of archived'],
])('%s is the end that is meant by: %s', (end, words) => {
	for (const word of words.split(' '))
		for (const spelled of [
			word,
			word.toUpperCase(),
			` ${word.replace('_', '-')} `,
			word.replace('_', ' '),
		])
			expect(endOf(spelled, NONE)).toBe(end);
});

it('knows that a job runs from words that are in no table: those are said', () => {
	expect(statusMeaning('In Progress', NONE)).toBe('running');
	for (const odd of ['archived', '', null, undefined, 3, ['finished'], { status: 'finished' }])
		expect(statusMeaning(odd, NONE)).toBeUndefined();
});

it('takes the words of the credential as well', () => {
	const own = {
		...{ finishedStatuses: 'Archived, all-done', failedStatuses: 'gave_up, queued' },
		cancelledStatuses: 'withdrawn, 17',
	};
	expect(['archived', 'All done'].map((word) => endOf(word, own))).toEqual(['results', 'results']);
	expect(['gave-up', 'queued'].map((word) => endOf(word, own))).toEqual(['failed', 'failed']);
	expect(['Withdrawn', 17].map((word) => endOf(word, own))).toEqual(['cancelled', 'cancelled']);
	expect(endOf('', own)).toBeUndefined();
});
