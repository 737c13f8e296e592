import type { IDataObject } from 'n8n-workflow';

import type { StoredRead } from '../../../nodes/PriceCollection/n8n/storedFormat';
import type { Choices } from '../../../nodes/PriceCollection/settings/resultChoice';
import {
	executionLedgerFormat,
	jobLinksFormat,
	suspendedRunFormat,
	ticketFormat,
	toolLedgerFormat,
	type Purchase,
} from '../../../nodes/PriceCollection/run/formats';
import { newRecord } from '../../../nodes/PriceCollection/run/record';

const request = { parameters: { topic: 'search' }, key: 'term', values: ['kettle'] };
const aside = { item: 2, position: 1, row: { query: { value: null }, reason: 'blank' } };
const creation = { sentAt: 1, executionId: '42', jobId: 'j', booked: 2 };
const record = {
	...newRecord('j', [{ item: 0, lookups: [[0, 'kettle']] }], request),
	...{ since: 1, deadline: 2, timedOutNodes: ['Prices'], creation, unsent: [aside], deniedSince: 3 },
};
const purchase: Purchase = { what: 'hash', values: [[0, 'kettle']], creation, sent: request };
const run = {
	...{ marker: 'a', records: [record], unsent: [aside], choices: { first: {} } as Choices },
	...{ source: { previousNode: 'Items' }, intervalMs: 65_000 },
};
const opening = { round: 1, opened: { by: '42', time: 5 }, gap: { from: 4 } };
const ledger = { ...opening, purchases: [purchase], earlier: ['k'] };

/** What can be read of a value after n8n's database has stored it. */
function stored<T extends object>(
	format: { read: (stored: unknown) => StoredRead<T>; write: (value: T) => IDataObject },
	value: unknown,
): StoredRead<T> {
	return format.read(JSON.parse(JSON.stringify(format.write(value as T))));
}

test.each([
	[
		'a ticket',
		ticketFormat,
		{ since: 1, timedOutNodes: ['Prices'], deniedSince: 3, wasUnsentOutput: true },
	],
	['the records of jobs', jobLinksFormat, { jobs: { j: record } }],
	['a suspended run', suspendedRunFormat, run],
	['the purchases of an execution', executionLedgerFormat, ledger],
	['those without a gap', executionLedgerFormat, { ...ledger, gap: undefined }],
	['the purchases of a tool', toolLedgerFormat, { purchases: [purchase] }],
] as Array<[string, Parameters<typeof stored>[0], object]>)(
	'%s is read as it was written',
	(_name, format, value) => {
		expect(stored(format, value)).toEqual({ kind: 'read', value });
	},
);

describe('nothing is read where something is missing that it cannot do without:', () => {
	const noJobs = [undefined, 'j', { status: 'new' }, { job_id: 'j' }].map((job) => ({ job }));
	const noMore = [
		{ since: undefined },
		{ deadline: '2' },
		{ requesters: undefined },
		{ timedOutNodes: {} },
	];
	const broken = [...noJobs, ...noMore].map((more) => ({ ...record, ...more }));
	test.each<unknown>([null, [[record]], ...broken])('the record %j', (broken) => {
		const reason = 'The record of the items that asked for the running jobs is damaged at jobs.j';
		expect(stored(jobLinksFormat, { jobs: { j: broken } })).toEqual({ kind: 'unreadable', reason });
	});

	test.each<[object, string]>([
		[{ what: 1 }, 'what'],
		[{ values: [['0', 'a']] }, 'values.0'],
		[{ values: '0' }, 'values'],
		[{ creation: {} }, 'creation'],
		[{ creation: { sentAt: '1' } }, 'creation'],
		[{ sent: {} }, 'sent'],
	])('the purchase %j', (broken, where) => {
		const reason = `The memory of this tool is damaged at purchases.0.${where}`;
		const purchases = [{ ...purchase, ...broken }];
		expect(stored(toolLedgerFormat, { purchases })).toEqual({ kind: 'unreadable', reason });
	});

	test.each<[object, string]>([
		[{ unsent: [{ item: 0.5 }] }, 'unsent.0'],
		[{ unsent: [null] }, 'unsent.0'],
		[{ choices: {} }, 'choices'],
		[{ records: [{}] }, 'records.0'],
		[{ source: 'Items' }, 'source'],
		[{ marker: undefined }, 'marker'],
	])('the suspended run %j', (broken, where) => {
		const reason = `The suspended run is damaged at ${where}`;
		expect(stored(suspendedRunFormat, { ...run, ...broken })).toEqual({ kind: 'unreadable', reason });
	});
});
