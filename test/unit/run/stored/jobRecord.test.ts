import { newRecord } from '../../../../nodes/PriceCollection/run/lookup/record';
import { aside, creation, jobRecord } from '../../../../nodes/PriceCollection/run/stored/jobRecord';

const RECORD = { ...newRecord('j', [{ item: 0 }]), since: 1, deadline: 2 };
const read = (value: unknown) => jobRecord.safeParse(value).success;

describe('the record of a job', () => {
	it('is read with what it cannot do without', () => expect(read(RECORD)).toBe(true));

	it.each([
		['no object', null],
		['a list', [RECORD]],
		['without a job', { ...RECORD, job: undefined }],
		['of a job that is a text', { ...RECORD, job: 'j' }],
		['of a job without an ID', { ...RECORD, job: { status: 'new' } }],
		['of a job without a status', { ...RECORD, job: { job_id: 'j' } }],
		['without the time of its creation', { ...RECORD, since: undefined }],
		['with a deadline that is none', { ...RECORD, deadline: '2' }],
		['without who asked', { ...RECORD, requesters: undefined }],
		['without who gave it up', { ...RECORD, givenUpBy: {} }],
	])('is not read where it is %s', (_what, value) => expect(read(value)).toBe(false));
});

it.each([
	[{ sentAt: 1 }, true],
	[{ sentAt: '1' }, false],
	[{}, false],
	[null, false],
])('a creation is known by when it was sent: %j', (value, isRead) => {
	expect(creation.safeParse(value).success).toBe(isRead);
});

it.each([
	[{ item: 0 }, true],
	[{ item: 0.5 }, false],
	[{}, false],
	[null, false],
])('a value that was not sent is known by its item: %j', (value, isRead) => {
	expect(aside.safeParse(value).success).toBe(isRead);
});
