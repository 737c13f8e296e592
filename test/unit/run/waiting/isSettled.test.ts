import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/endpoints';
import type { JobState } from '../../../../nodes/PriceCollection/run/waiting/poll';
import { isSettled } from '../../../../nodes/PriceCollection/run/waiting/poll';

const problem = { kind: 'jobNotFound', endpoint: ENDPOINTS.get, effect: 'none' } as const;

test.each<[boolean, string, Partial<JobState> & { status: string }]>([
	[true, 'finished', { status: 'finished' }],
	[true, 'cancelled in another spelling', { status: 'Canceled' }],
	[true, 'beyond reach for good', { status: 'working', problem }],
	[false, 'working', { status: 'working' }],
	[false, 'in a status that nobody has heard of', { status: 'resting' }],
	[false, 'not to be reached for now', { status: 'working', trouble: problem }],
	[false, 'never seen', { status: '' }],
])('is settled: %p for a job that is %s', (expected, _name, { status, ...more }) => {
	expect(isSettled({ job: { job_id: 'j', status }, ...more })).toBe(expected);
});
