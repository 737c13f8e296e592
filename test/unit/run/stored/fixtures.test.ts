import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { jobLinksFormat, type JobLinks } from '../../../../nodes/PriceCollection/run/stored/jobLinks';
import {
	KnownJobs,
	readState,
	writeState,
	type PollState,
} from '../../../../nodes/PriceCollection/run/stored/pollingState';
import { questionsFormat } from '../../../../nodes/PriceCollection/run/stored/questions';
import {
	requestRecordFormat,
	type RequestRecord,
} from '../../../../nodes/PriceCollection/run/stored/requestRecord';
import {
	suspendedRunFormat,
	type SuspendedRun,
} from '../../../../nodes/PriceCollection/run/stored/suspendedRun';
import {
	readTicket,
	stillRunningItem,
	type Ticket,
} from '../../../../nodes/PriceCollection/run/stored/ticket';

const STORED = path.resolve(__dirname, '../../../../nodes/PriceCollection/run/stored');
const FIXTURES = path.resolve(__dirname, '../../../fixtures/stored');

const source = { previousNode: 'Items', previousNodeOutput: 0, previousNodeRun: 1 };
const parameters = { topic: 'search', source: 'test', country: 'de', key: 'term', max_age: 60 };
const job = { job_id: '0123456789abcdef', status: 'working', requested: 2, paid_credits: null };

const suspendedRun: SuspendedRun = {
	marker: 'a-marker',
	run: {
		jobs: [
			{
				planned: { parameters, key: 'term', values: ['kettle', 'mug'], items: [0, 2], group: 0 },
				...{ job, evidence: 'reply', callsBack: true, signatureHash: 'a-hash' },
			},
			{
				planned: { parameters, key: 'term', values: ['lid'], items: [2], group: 0 },
				...{ job: { job_id: 'other', status: 'new' }, evidence: 'results', callsBack: false },
			},
		],
		asked: [
			[0, ['kettle']],
			[2, ['mug', 'lid']],
		],
		unsent: [{ item: 2, place: 1, query: { topic: 'search', value: null }, reason: 'blank' }],
		errors: [{ item: 1, json: { error: 'Values is empty [item 2]', details: { id: 'b' } } }],
		source,
		deadline: 1_800_000_000_000,
	},
	choice: {
		output: 'entries',
		format: 'xml',
		simplify: true,
		includeNotFound: false,
		onFailedResult: 'skip',
		contentList: 'offers',
		binaryPropertyName: 'data',
		fileName: '',
		timeoutMs: 30_000,
	},
	intervalMs: 65_000,
};

const requestRecord: RequestRecord = {
	round: 3,
	requests: {
		'an-identity': {
			state: 'created',
			sentAt: 1_800_000_000_000,
			nonce: 'a-nonce',
			signatureHash: 'a-hash',
			jobId: '0123456789abcdef',
			evidence: 'list',
			executionId: '41',
		},
		another: { state: 'unknown', sentAt: 1_800_000_000_001, nonce: 'b-nonce', executionId: '42' },
		'a third': { state: 'sent', sentAt: 1_800_000_000_002, executionId: '42' },
	},
};

const jobLinks: { jobs: Record<string, JobLinks> } = {
	jobs: {
		'0123456789abcdef': {
			origin: {
				source,
				parameters,
				key: 'term',
				values: ['kettle', 'mug'],
				asked: [
					{ item: 0, values: ['kettle'] },
					{ item: 2, values: ['mug'] },
				],
				evidence: 'list',
				unsent: [{ item: 2, place: 0, query: { topic: 'search', value: 'x' }, reason: 'bad' }],
			},
			fields: job,
		},
		'from elsewhere': {
			namedBy: { source: { previousNode: 'Items' }, items: [0, 3] },
			fields: { job_id: 'from elsewhere', status: '' },
		},
	},
};

const ticket: Ticket = { since: 1_800_000_000_000, givenUpBy: ['Prices', 'Wait'], unproven: true };
const ticketItem = (stored: unknown) =>
	({ job_id: 'j', status: 'new', still_running: true, ticket: stored }) as IDataObject;

/** As plain as a test can compare it. */
const plainState = ({ known, open, ...rest }: PollState) => ({
	...rest,
	known: known.stored(),
	open: [...open],
});
const known = new KnownJobs();
for (const jobId of ['first', 'second']) known.add(jobId);
const pollingState: PollState = {
	account: 'an-account',
	known,
	open: new Map([
		['third', {}],
		['fourth', {}],
	]),
	newest: 1_800_000_000_000,
	since: 1_799_999_000_000,
};

interface StoredExample {
	/** What the current version writes of the example. */
	write: () => unknown;
	/** What it reads from something stored. */
	read: (stored: IDataObject) => unknown;
	/** The example, as `read` is to give it. */
	value: unknown;
	/** The example as earlier versions knew it, by the version, where they knew less. */
	earlier?: Readonly<Record<number, unknown>>;
}

/** A copy in which every list of values that were not sent is another one. */
const withUnsent = (value: unknown, unsent: unknown) =>
	JSON.parse(
		JSON.stringify(value, (name, inner: unknown) => (name === 'unsent' ? unsent : inner)),
	) as unknown;

/** One example of each format, by the file that defines it. */
const EXAMPLES: Record<string, StoredExample> = {
	jobLinks: {
		write: () => jobLinksFormat.write(jobLinks),
		read: (stored) => jobLinksFormat.read(stored),
		value: { kind: 'read', value: jobLinks },
		earlier: { 1: { kind: 'read', value: withUnsent(jobLinks, undefined) } },
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
		write: () => questionsFormat.write({ questions: requestRecord.requests }),
		read: (stored) => questionsFormat.read(stored),
		value: { kind: 'read', value: { questions: requestRecord.requests } },
	},
	requestRecord: {
		write: () => requestRecordFormat.write(requestRecord),
		read: (stored) => requestRecordFormat.read(stored),
		value: { kind: 'read', value: requestRecord },
	},
	suspendedRun: {
		write: () => suspendedRunFormat.write(suspendedRun),
		read: (stored) => suspendedRunFormat.read(stored),
		value: { kind: 'read', value: suspendedRun },
		earlier: { 1: { kind: 'read', value: withUnsent(suspendedRun, []) } },
	},
	ticket: {
		write: () => stillRunningItem(job, { checkedAt: 0, deadline: 0 }, ticket).ticket,
		read: (stored) => readTicket(ticketItem(stored)),
		value: ticket,
	},
};

const names = Object.keys(EXAMPLES);
const fixtureOf = (name: string, version: number) => path.join(FIXTURES, `${name}.v${version}.json`);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as IDataObject;
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as IDataObject;

test('every file that defines a stored format has an example here', () => {
	const files = readdirSync(STORED).filter((file) => file !== 'format.ts');
	expect(files.map((file) => file.replace('.ts', '')).sort()).toEqual(names);
	for (const file of files) {
		const text = readFileSync(path.join(STORED, file), 'utf8');
		expect([file, text.match(/= storedFormat\b/g)?.length]).toEqual([file, 1]);
	}
});

test.each(names)('%s is written as the fixture of its version says', (name) => {
	const written = plain(EXAMPLES[name]?.write());
	expect(written).toEqual(read(fixtureOf(name, Number(written.version))));
});

test.each(names)('%s is read from what every version so far has written', (name) => {
	const example = EXAMPLES[name];
	const { version } = plain(example?.write());
	for (let earlier = 1; earlier <= Number(version); earlier++) {
		const value = example?.earlier?.[earlier] ?? example?.value;
		expect(example?.read(read(fixtureOf(name, earlier)))).toEqual(value);
	}
	expect(existsSync(fixtureOf(name, Number(version) + 1))).toBe(false);
});

test('there is no fixture of anything else', () => {
	const known = readdirSync(FIXTURES).map((file) => /^(\w+)\.v\d+\.json$/.exec(file)?.[1]);
	expect([...new Set(known)].sort()).toEqual(names);
});
