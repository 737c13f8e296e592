import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { newRecord, without } from '../../../nodes/PriceCollection/run/lookup/record';
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

const source = { previousNode: 'Items', previousNodeOutput: 0, previousNodeRun: 1 };
const fixtureOf = (name: string, version: number) => path.join(FIXTURES, `${name}.v${version}.json`);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as IDataObject;
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as IDataObject;

/** What is read of what the version before has written, where that knew less. */
function earlierValues() {
	const times = { since: 0, deadline: 0, givenUpBy: [] };
	const parameters = { topic: 'search', source: 'test', country: 'de', key: 'term', max_age: 60 };
	const request = { parameters, key: 'term', values: ['kettle', 'mug'] };
	const job = { job_id: '0123456789abcdef', status: 'working', requested: 2, paid_credits: null };
	const asks = (item: number, place: number, value: string, of?: typeof source) => ({
		...{ item, source: of, asks: [[place, value]] },
	});
	const row = (value: string | null, reason: string) => ({
		row: { query: { topic: 'search', value }, reason },
	});
	const { marker, intervalMs, choice, run } = read(fixtureOf('suspendedRun', 2));
	const { errors } = run as { errors: Array<{ json: IDataObject }> };
	const creation = { sentAt: 0, executionId: '' };
	const requests = Object.entries(read(fixtureOf('requestRecord', 2)).requests as IDataObject);
	return {
		jobLinks: {
			jobs: {
				[job.job_id]: {
					...{
						...times,
						job,
						request,
						asides: [{ item: 2, place: 0, source, ...row('x', 'bad') }],
					},
					requesters: [asks(0, 0, 'kettle', source), asks(2, 0, 'mug', source)],
				},
				'from elsewhere': {
					...{ ...times, job: { job_id: 'from elsewhere', status: '' } },
					requesters: [0, 3].map((item) => ({ item, source: { previousNode: 'Items' } })),
				},
			},
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
			...{ marker, source, intervalMs, choices: { first: choice } },
			asides: [
				{ item: 1, place: 0, error: errors[0]?.json },
				{ item: 2, place: 1, ...row(null, 'blank') },
			],
			records: [
				{
					...{ ...times, job, request, deadline: NOW },
					creation: { ...creation, signatureHash: 'a-hash' },
					requesters: [asks(0, 0, 'kettle'), asks(2, 0, 'mug')],
				},
				{
					...{ ...times, job: { job_id: 'other', status: 'new' }, deadline: NOW, creation },
					request: { ...request, values: ['lid'] },
					requesters: [asks(2, 1, 'lid')],
				},
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

test('every stored format has an example here', () => {
	const files = ['run', 'trigger'].flatMap((room) =>
		readdirSync(path.join(NODE, room), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => path.join(NODE, room, file)),
	);
	const formats = files
		.map((file) => readFileSync(file, 'utf8'))
		.join('')
		.match(/= storedFormat\b/g);
	expect(formats).toHaveLength(names.length);
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
	const value = (earlierValues() as Record<string, object>)[name] ?? current.value;
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
	test.each<[string, unknown]>([
		['no object', null],
		['a list', [plainRecord]],
		['no job', { ...plainRecord, job: undefined }],
		['a job that is a text', { ...plainRecord, job: 'j' }],
		['a job without an ID', { ...plainRecord, job: { status: 'new' } }],
		['a job without a status', { ...plainRecord, job: { job_id: 'j' } }],
		['no time of its creation', { ...plainRecord, since: undefined }],
		['a deadline that is none', { ...plainRecord, deadline: '2' }],
		['nobody who asked', { ...plainRecord, requesters: undefined }],
		['nobody who gave it up', { ...plainRecord, givenUpBy: {} }],
	])('a record with %s', (_what, broken) => {
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

test('there is no fixture of anything else', () => {
	const others = readdirSync(FIXTURES).map((file) => /^(\w+)\.v\d+\.json$/.exec(file)?.[1]);
	expect([...new Set(others)].sort()).toEqual([...names].sort());
});
