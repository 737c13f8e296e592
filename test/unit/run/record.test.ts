import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { isSettled, linkOf, newRecord } from '../../../nodes/PriceCollection/run/record';

test('a link is to one item directly, to several as a list, and names the node where they are those of another', () => {
	expect(linkOf([{ item: 4 }])).toEqual({ item: 4 });
	expect(linkOf([{ item: 1 }, { item: 2 }])).toEqual([{ item: 1 }, { item: 2 }]);
	const source = { previousNode: 'Items' };
	expect(linkOf([{ item: 4, source }])).toEqual({ item: 4, sourceOverwrite: source });
});

test('a job is settled when it has ended, or when it cannot be asked for', () => {
	const record = newRecord('j', []);
	expect(isSettled(record)).toBe(false);
	// Only the service's word counts that was read by its table of status words.
	expect(isSettled({ ...record, job: { job_id: 'j', status: 'finished' } })).toBe(false);
	for (const end of ['results', 'failed', 'cancelled'] as const)
		expect(isSettled({ ...record, end })).toBe(true);
	const problem = { kind: 'jobNotFound', endpoint: ENDPOINTS.get, effect: 'none' } as const;
	expect(isSettled({ ...record, problem })).toBe(true);
});
