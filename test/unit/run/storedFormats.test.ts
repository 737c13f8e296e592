import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import type { Creation, JobRecord } from '../../../nodes/PriceCollection/run/lookup/record';
import {
	fingerprint,
	readState,
	writeState,
	type PollState,
} from '../../../nodes/PriceCollection/trigger/polling/pollingState';
import {
	questionsFormat,
	requestRecordFormat,
	type RequestRecord,
} from '../../../nodes/PriceCollection/run/ledger';
import {
	jobLinksFormat,
	readTicket,
	suspendedRunFormat,
	ticketFormat,
	type SuspendedRun,
} from '../../../nodes/PriceCollection/run/stored';

const NODE = path.resolve(__dirname, '../../../nodes/PriceCollection');
const FIXTURES = path.resolve(__dirname, '../../fixtures/stored');
const NOW = 1_800_000_000_000;

const source = { previousNode: 'Items', previousNodeOutput: 0, previousNodeRun: 1 };
const parameters = { topic: 'search', source: 'test', country: 'de', key: 'term', max_age: 60 };
const job = { job_id: '0123456789abcdef', status: 'working', requested: 2, paid_credits: null };
const request = { parameters, key: 'term', values: ['kettle', 'mug'] };
const unsent = { item: 2, place: 1, row: { query: { topic: 'search', value: null }, reason: 'blank' } };

const creation: Creation = {
	...{ sentAt: NOW, executionId: '42', nonce: 'a-nonce', signatureHash: 'a-hash' },
	...{ jobId: job.job_id, recovered: true, items: [0, 2], group: 'a-group' },
};
const record: JobRecord = {
	...{ job, request, creation, since: NOW, deadline: NOW + 600_000, givenUpBy: ['Prices'] },
	...{ checkedAt: NOW + 5_000, unknownSince: NOW + 6_000, asides: [{ ...unsent, source }] },
	requesters: [
		{ item: 0, source, asks: [[0, 'kettle']] },
		{ item: 2, source, asks: [[0, 'mug']] },
	],
};
const choice = {
	...({ output: 'entries', format: 'xml', columns: 'all', includeNotFound: false } as const),
	...({ onFailedResult: 'skip', contentList: 'offers', binaryPropertyName: 'data' } as const),
	...{ fileName: '', timeoutMs: 30_000, includeInputFields: false },
	bestPrice: { ignoreShops: [], includeShipping: true },
};
const error = { error: 'Values is empty [item 2]', details: { id: 'b' } };

const suspendedRun: SuspendedRun = {
	...{ marker: 'a-marker', records: [record], source, intervalMs: 65_000 },
	asides: [{ item: 1, place: 0, error }, unsent],
	choices: { first: choice, byItem: { 2: { ...choice, contentList: undefined } } },
};
/** What a version without records has kept of the run: plans, states and who asked. */
const suspendedEarlier: SuspendedRun = {
	...{ marker: 'a-marker', source, intervalMs: 65_000, choices: { first: choice } },
	asides: [{ item: 1, place: 0, error }, unsent],
	records: [
		{
			...{ job, request, since: 0, deadline: NOW, givenUpBy: [] },
			creation: { sentAt: 0, executionId: '', signatureHash: 'a-hash' },
			requesters: [
				{ item: 0, asks: [[0, 'kettle']] },
				{ item: 2, asks: [[0, 'mug']] },
			],
		},
		{
			...{ job: { job_id: 'other', status: 'new' }, since: 0, deadline: NOW, givenUpBy: [] },
			...{ request: { ...request, values: ['lid'] }, creation: { sentAt: 0, executionId: '' } },
			requesters: [{ item: 2, asks: [[1, 'lid']] }],
		},
	],
};

const elsewhere: JobRecord = {
	...{ job: { job_id: 'from elsewhere', status: '' }, since: 0, deadline: 0, givenUpBy: [] },
	requesters: [0, 3].map((item) => ({ item, source: { previousNode: 'Items' } })),
};
const jobLinks = { jobs: { [job.job_id]: record, 'from elsewhere': elsewhere } };
const refused = { row: { query: { topic: 'search', value: 'x' }, reason: 'bad' } };
const linksEarlier = {
	jobs: {
		[job.job_id]: {
			...{ job, request, requesters: record.requesters, since: 0, deadline: 0, givenUpBy: [] },
			asides: [{ item: 2, place: 0, source, ...refused }],
		},
		'from elsewhere': elsewhere,
	},
};

const requests = {
	'3 an-identity': creation,
	'3 another': { sentAt: NOW + 1, executionId: '42', lostAt: NOW + 2 },
};
const requestRecord: RequestRecord = {
	...{ round: 3, opened: { by: '42', at: NOW }, lostSince: NOW - 1, requests },
};

const questions = { 'an-identity': creation, another: requests['3 another'] };

const ticket = { since: NOW, givenUpBy: ['Prices', 'Wait'] };

/** As plain as a test can compare it. */
const plainState = ({ known, open, ...rest }: PollState) => ({
	...rest,
	known: [...known],
	open: [...open],
});
const known = new Set(['first', 'second'].map(fingerprint));
const open = new Map([
	['third', {}],
	['fourth', {}],
]);
const pollingState: PollState = {
	...{ account: 'an-account', known, open, newest: NOW, since: NOW - 1_000_000 },
};

interface StoredExample {
	/** What the current version writes of the example. */
	write: () => unknown;
	/** What it reads from something stored, and gives of the example. */
	read: (stored: IDataObject) => unknown;
	value: unknown;
	/** What it reads of what the version before knew, where that knew less. */
	earlier?: unknown;
	/** What the present version was once written with, and is read without. */
	dropped?: object;
}

const kept = (value: unknown) => ({ kind: 'read', value });

/** One example of each format, by its name. */
const EXAMPLES = {
	jobLinks: {
		write: () => jobLinksFormat.write(jobLinks),
		read: (stored) => jobLinksFormat.read(stored),
		value: kept(jobLinks),
		earlier: kept(linksEarlier),
	},
	pollingState: {
		write: () => {
			const data: IDataObject = {};
			writeState(data, pollingState);
			return data;
		},
		read: (stored) => {
			const read = readState(stored);
			return read.kind === 'read' ? plainState(read.value) : read;
		},
		value: plainState(pollingState),
	},
	questions: {
		write: () => questionsFormat.write({ questions }),
		read: (stored) => questionsFormat.read(stored),
		value: kept({ questions }),
		// They were told apart in another way, and are asked anew.
		earlier: kept({ questions: {} }),
	},
	requestRecord: {
		write: () => requestRecordFormat.write(requestRecord),
		read: (stored) => requestRecordFormat.read(stored),
		value: kept(requestRecord),
		// It kept apart the jobs of earlier rounds.
		earlier: kept({
			...requestRecord,
			requests: { earlier: { sentAt: 0, jobId: 'earlier' }, ...requests },
		}),
	},
	suspendedRun: {
		write: () => suspendedRunFormat.write(suspendedRun),
		read: (stored) => suspendedRunFormat.read(stored),
		value: kept(suspendedRun),
		earlier: kept(suspendedEarlier),
	},
	ticket: {
		write: () => ticketFormat.write(ticket),
		read: (stored) => readTicket({ job_id: 'j', status: 'new', still_running: true, ticket: stored }),
		value: { ...ticket, job: { job_id: 'j', status: 'new' } },
		dropped: { unproven: true },
	},
} satisfies Record<string, StoredExample>;

const names = Object.keys(EXAMPLES) as Array<keyof typeof EXAMPLES>;
const fixtureOf = (name: string, version: number) => path.join(FIXTURES, `${name}.v${version}.json`);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as IDataObject;
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as IDataObject;

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

test.each(names)('%s is written as the fixture of its version says', (name) => {
	const { write, dropped }: StoredExample = EXAMPLES[name];
	const written = plain({ ...(write() as object), ...dropped });
	expect(written).toEqual(read(fixtureOf(name, Number(written.version))));
});

test.each(names)('%s is read from what this version and the one before have written', (name) => {
	const { read: readOf, write, value, earlier = value }: StoredExample = EXAMPLES[name];
	const version = Number(plain(write()).version);
	expect(readOf(read(fixtureOf(name, version)))).toEqual(value);
	const before = fixtureOf(name, version - 1);
	if (existsSync(before)) expect(readOf(read(before))).toEqual(earlier);
	const others = [version - 2, version + 1].map((other) => existsSync(fixtureOf(name, other)));
	expect(others).toEqual([false, false]);
});

test('what is older than that cannot be read', () => {
	const older = { kind: 'unreadable', reason: expect.stringContaining('is damaged') };
	for (const { read: readOf } of [EXAMPLES.jobLinks, EXAMPLES.requestRecord, EXAMPLES.suspendedRun])
		expect(readOf({ version: 1, jobs: {}, run: {}, requests: {} })).toEqual(older);
});

describe('what is stored is not read where something is missing that it cannot do without:', () => {
	const plainRecord = { ...elsewhere, since: 1, deadline: 2 };
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
		const run = { ...plain(suspendedRunFormat.write(suspendedRun)), asides: [one] };
		expect(suspendedRunFormat.read(run).kind).toBe('unreadable');
	});
});

test('there is no fixture of anything else', () => {
	const others = readdirSync(FIXTURES).map((file) => /^(\w+)\.v\d+\.json$/.exec(file)?.[1]);
	expect([...new Set(others)].sort()).toEqual([...names].sort());
});
