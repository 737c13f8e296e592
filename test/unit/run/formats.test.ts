import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { newRecord, without, type JobRecord } from '../../../nodes/PriceCollection/run/lookup/record';
import type { StoredRead } from '../../../nodes/PriceCollection/n8n/storedFormat';
import {
	readState,
	writeState,
	type PollState,
} from '../../../nodes/PriceCollection/trigger/polling/pollingState';
import { questionsFormat, requestRecordFormat } from '../../../nodes/PriceCollection/run/ledger';
import { jobLinksFormat, suspendedRunFormat, ticketFormat } from '../../../nodes/PriceCollection/run/stored';

const NODE = path.resolve(__dirname, '../../../nodes/PriceCollection');
const FIXTURES = path.resolve(__dirname, '../../fixtures/stored');
const NOW = 1_800_000_000_000;

const fixtureOf = (name: string, version: number) => path.join(FIXTURES, `${name}.v${version}.json`);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as IDataObject;
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as IDataObject;

/** What is read of what the version before has written, where that knew less than the examples of this one. */
function earlierValues(): Record<string, object> {
	const { jobs } = read(fixtureOf('jobLinks', 3)) as { jobs: Record<string, JobRecord> };
	const [left, elsewhere] = Object.values(jobs) as [JobRecord, JobRecord];
	const { job, request, requesters } = left;
	const known = { since: 0, deadline: 0, givenUpBy: [], job, request };
	const { marker, source, intervalMs, asides, choices } = read(fixtureOf('suspendedRun', 3));
	const creation = { sentAt: 0, executionId: '' };
	const asking = requesters.map((one) => without(one, 'source'));
	const requests = Object.entries(read(fixtureOf('requestRecord', 2)).requests as IDataObject);
	const unsent = {
		item: 2,
		place: 0,
		source,
		row: { query: { topic: 'search', value: 'x' }, reason: 'bad' },
	};
	const lid = { job: { job_id: 'other', status: 'new' }, request: { ...request, values: ['lid'] } };
	return {
		jobLinks: {
			jobs: { [job.job_id]: { ...known, requesters, asides: [unsent] }, 'from elsewhere': elsewhere },
		},
		// They were told apart in another way, and are asked anew.
		questions: { questions: {} },
		// It kept apart the jobs of earlier rounds.
		requestRecord: {
			...without(read(fixtureOf('requestRecord', 3)), 'version', 'groups'),
			requests: {
				earlier: { sentAt: 0, jobId: 'earlier' },
				...Object.fromEntries(requests.map(([identity, one]) => [`3 ${identity}`, one])),
			},
		},
		suspendedRun: {
			...{ marker, source, intervalMs, asides, choices: { first: (choices as IDataObject).first } },
			records: [
				{
					...known,
					deadline: NOW,
					creation: { ...creation, signatureHash: 'a-hash' },
					requesters: asking,
				},
				{ ...known, ...lid, deadline: NOW, creation, requesters: [{ item: 2, asks: [[1, 'lid']] }] },
			],
		},
	};
}

/** The formats by name, as they read and write. */
const FORMATS = {
	jobLinks: jobLinksFormat,
	pollingState: {
		read: readState,
		write: (state: PollState) => {
			const data: IDataObject = {};
			writeState(data, state);
			return data;
		},
	},
	questions: questionsFormat,
	requestRecord: requestRecordFormat,
	suspendedRun: suspendedRunFormat,
	ticket: ticketFormat,
} as Record<
	string,
	{ read: (stored: IDataObject) => StoredRead<object>; write: (value: never) => IDataObject }
>;

const names = Object.keys(FORMATS);

test('every stored format has an example here, and there is no fixture of anything else', () => {
	const texts = ['run', 'trigger'].flatMap((room) =>
		readdirSync(path.join(NODE, room), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => readFileSync(path.join(NODE, room, file), 'utf8')),
	);
	expect(texts.join('').match(/= storedFormat\b/g)).toHaveLength(names.length);
	const fixtures = readdirSync(FIXTURES).map((file) => /^(\w+)\.v\d+\.json$/.exec(file)?.[1]);
	expect([...new Set(fixtures)].sort()).toEqual([...names].sort());
});

test.each(names)('%s is read from what this version and the one before have written', (name) => {
	const format = FORMATS[name]!;
	const version = Math.max(...[1, 2, 3].filter((one) => existsSync(fixtureOf(name, one))));
	const stored = read(fixtureOf(name, version));
	const current = format.read(stored);
	if (current.kind !== 'read') throw new Error(JSON.stringify(current));
	// A field of the ticket that was once written is read no more.
	expect(plain({ ...format.write(current.value as never) })).toEqual(without(stored, 'unproven'));
	const before = fixtureOf(name, version - 1);
	const value = earlierValues()[name] ?? current.value;
	if (existsSync(before)) expect(format.read(read(before))).toEqual({ kind: 'read', value });
	const others = [version - 2, version + 1].map((other) => existsSync(fixtureOf(name, other)));
	expect(others).toEqual([false, false]);
});

test('what is older than that cannot be read', () => {
	const older = { kind: 'unreadable', reason: expect.stringContaining('is damaged') };
	for (const format of [jobLinksFormat, requestRecordFormat, suspendedRunFormat])
		expect(format.read({ version: 1, jobs: {}, run: {}, requests: {} })).toEqual(older);
});

describe('what is stored is not read where something is missing that it cannot do without:', () => {
	const plainRecord = { ...newRecord('j', []), since: 1, deadline: 2 };
	test.each<[unknown]>([
		[null],
		[[plainRecord]],
		...[undefined, 'j', { status: 'new' }, { job_id: 'j' }].map(
			(job) => [{ ...plainRecord, job }] as [unknown],
		),
		[{ ...plainRecord, since: undefined }],
		[{ ...plainRecord, deadline: '2' }],
		[{ ...plainRecord, requesters: undefined }],
		[{ ...plainRecord, givenUpBy: {} }],
	])('the record %j', (broken) => {
		const kindOf = (one: unknown) => jobLinksFormat.read({ version: 3, jobs: { one } }).kind;
		expect([kindOf(plainRecord), kindOf(broken)]).toEqual(['read', 'unreadable']);
	});

	test.each([{ sentAt: '1' }, {}, null])('the creation %j', (one) => {
		expect(questionsFormat.read({ version: 2, questions: { one } }).kind).toBe('unreadable');
	});

	test.each([{ item: 0.5 }, {}, null])('the value %j that was not sent', (one) => {
		const run = { ...read(fixtureOf('suspendedRun', 3)), asides: [one] };
		expect(suspendedRunFormat.read(run).kind).toBe('unreadable');
	});
});
