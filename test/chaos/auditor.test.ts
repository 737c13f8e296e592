import type { IDataObject } from 'n8n-workflow';

import type { Result } from '../sandbox/results.ts';
import {
	audit,
	sharedJobs,
	unheard,
	unnameable,
	type Evidence,
	type Finding,
	type LedgerJob,
} from './auditor.ts';
import type { Stored } from './executions.ts';
import type { Case } from './plan.ts';

const BEGUN = Date.UTC(2026, 10, 22, 8);
const at = (seconds: number) => BEGUN + seconds * 1_000;

const one: Case = {
	...{ name: 'case 0', group: 'group 0', flow: 'collect', service: 0, account: 0 },
	...{ topic: 'product_and_offers', source: 'idealo', country: 'de', key: 'term' },
	items: [
		{ id: 'item 0', values: 'kettle\n\nkettle' },
		{ id: 'item 1', values: 'mug\nkettle' },
		{ id: 'item 2', values: '' },
	],
	...{ waitMode: 'poll', isWired: false, output: 'results', columns: 'all', grouping: 'combine' },
	...{ maxValuesPerJob: 1000, onError: 'stopWorkflow', retryOnFail: false, pollInterval: 65, startsAt: 0 },
};

const resultOf = (value: string): Result => ({
	query: { key: 'term', value },
	success: true,
	metadata: {},
	content: { name: `The ${value}`, price: value === 'mug' ? '4.50' : '20.0', offers: [] },
});

const jobWith = (id: string, values: string[], more: Partial<LedgerJob> = {}): LedgerJob => ({
	...{ job_id: id, status: 'finished', topic: one.topic, key: 'term', values, answered: values },
	...{ createdAt: at(2), endedAt: at(4), webhookUrl: null, service: 0, account: 0 },
	results: values.map(resultOf),
	...more,
});

const rowOf = (linked: string, value: string, more: IDataObject = {}): IDataObject => ({
	...{ linked, job_id: 'job1', value, success: true, found: true, reason: null },
	...(resultOf(value).content as IDataObject),
	...more,
});

const BLANK: IDataObject = { linked: 'item 2', job_id: null, value: null, success: false, found: false };
const ROWS = [rowOf('item 0', 'kettle'), rowOf('item 1', 'mug'), rowOf('item 1', 'kettle'), BLANK];

const stored = (more: Partial<Stored> = {}): Stored => ({
	...{ id: '1', workflowId: 'w', status: 'success', failed: [], error: '', remarks: '' },
	startedAt: new Date(at(0)).toISOString(),
	stoppedAt: new Date(at(5)).toISOString(),
	text: 'names job1',
	rows: ROWS,
	...more,
});

const evidence = (executions: Stored[], jobs = [jobWith('job1', ['kettle', 'mug'])]): Evidence => ({
	stories: [{ one, executions }],
	jobs,
	heard: [],
});

const kinds = (findings: Finding[]) => findings.map(({ kind, text }) => `${kind}: ${text}`);
const without = (index: number) => ROWS.filter((_, place) => place !== index);

it('finds nothing where every value of every item has its row', () => {
	expect(audit(evidence([stored()]))).toEqual([]);
});

describe('a planted loss', () => {
	it.each([
		['a row that is missing', stored({ rows: without(2) }), ['lost: "kettle" of item 1 has no row']],
		['the row of a blank cell', stored({ rows: without(3) }), ['lost: the blank item 2 has no row']],
		['a run that never ends', stored({ status: 'waiting', rows: [] }), ['lost: is still waiting']],
		[
			'a run that fails without a word',
			stored({ status: 'error', rows: [] }),
			['lost: is error and does not say why'],
		],
	])('is found: %s', (_name, execution, expected) => {
		expect(kinds(audit(evidence([execution])))).toEqual(expected);
	});

	it('is found: a job that was paid for and that nobody is told of', () => {
		const text = 'names nothing';
		expect(kinds(audit(evidence([stored({ text })])))).toEqual([
			'lost: nobody is told of job job1 (kettle, mug)',
		]);
	});

	it.each([
		['an error row of the item', { linked: 'item 1', error: 'refused' }],
		[
			'an error row that brings the item along',
			{ linked: 'no link', details: { id: 'item 1' }, error: 'refused' },
		],
		['an error row that names the job', { linked: 'no link', error: 'job1 cannot be downloaded' }],
		['a job that somebody cancelled', { linked: 'no link', job_id: 'job1', status: 'cancelled' }],
	])('is none where something says why: %s', (_name, row) => {
		expect(audit(evidence([stored({ rows: [...without(2), row] })]))).toEqual([]);
	});

	it('is none where Wait is not told what a job that expired was asked for', () => {
		const story = {
			one: { ...one, flow: 'createAndWait' as const },
			executions: [stored({ rows: [rowOf('no link', 'kettle'), BLANK] })],
		};
		const expired = jobWith('job1', ['kettle', 'mug'], { answered: ['kettle'] });
		const all = { stories: [story], jobs: [expired], heard: [] };
		expect(audit(all)).toEqual([]);
		expect(unnameable(all)).toBe(1);
		expect(kinds(audit({ ...all, jobs: [jobWith('job1', ['kettle', 'mug'])] }))).toEqual([
			'lost: "mug" of item 1 has no row',
		]);
	});

	it('is none where n8n itself has thrown the run away', () => {
		const cut = { status: 'error', error: 'Missing key for job 28 updateProgress', rows: [], text: '' };
		expect(audit(evidence([stored(cut), stored({ rows: [], text: '' })]))).toEqual([]);
		// The same without n8n's fault.
		const failed = { ...cut, error: 'broken' };
		expect(kinds(audit(evidence([stored(failed), stored({ rows: [], text: '' })])))).not.toEqual([]);
	});

	it('is found: an end that neither trigger hears of', () => {
		const job = jobWith('heard', ['pen'], {
			webhookUrl: 'http://n8n/webhook/ends-of-0/price-collection',
		});
		const silent = { service: 0, account: 0, executions: [] };
		const heard = [
			{ ...silent, kind: 'webhook' as const },
			{ ...silent, kind: 'polling' as const },
		];
		const all = { stories: [], jobs: [job], heard };
		expect(kinds(audit(all))).toEqual(['lost: neither trigger heard the end of job heard']);
		const row = rowOf('', 'pen', { job_id: 'heard' });
		const byOne = { ...all, heard: [heard[0]!, { ...heard[1]!, executions: [stored({ rows: [row] })] }] };
		expect(audit(byOne)).toEqual([]);
		expect(unheard(byOne).byOne.map(({ job_id }) => job_id)).toEqual(['heard']);
	});
});

describe('a planted double', () => {
	const again = jobWith('job2', ['mug'], { createdAt: at(12) });
	const startedAt = new Date(at(10)).toISOString();
	const retry = stored({ id: '2', retryOf: '1', startedAt, text: 'names job1, job2' });

	it('is found: a value bought again by a retry of an execution that names the job', () => {
		const failed = stored({ status: 'error', error: 'broken', rows: [] });
		const jobs = [jobWith('job1', ['kettle', 'mug']), again];
		expect(kinds(audit(evidence([failed, retry], jobs)))).toEqual([
			'doubled: "mug" was bought 2 times instead of 1: job1, job2',
		]);
	});

	it.each(['crashed', 'canceled', 'error'])(
		'is found: a value bought again by a retry of an execution that n8n has cut short (%s)',
		(status) => {
			const cut = stored({ status, error: 'n8n ended', rows: [], text: 'names nothing' });
			const rows = ROWS.map((row) => (row.job_id === 'job1' ? { ...row, job_id: 'job2' } : row));
			const jobs = [
				jobWith('lost', ['kettle', 'mug']),
				jobWith('job2', ['kettle', 'mug'], { createdAt: at(12) }),
			];
			const found = kinds(audit(evidence([cut, { ...retry, rows }], jobs)));
			expect(found).toContain('doubled: "mug" was bought 2 times instead of 1: lost, job2');
		},
	);

	it('is none where the workflow was called twice, or one execution retried twice', () => {
		const jobs = [jobWith('job1', ['kettle', 'mug']), again];
		expect(audit(evidence([stored(), { ...retry, retryOf: null }], jobs))).toEqual([]);
		const failed = stored({ id: '0', status: 'error', error: 'broken', rows: [] });
		const retries = [stored({ retryOf: '0' }), { ...retry, retryOf: '0' }];
		expect(audit(evidence([failed, ...retries], jobs))).toEqual([]);
	});

	it('is none where each item is to have a job of its own', () => {
		const perItem = { ...one, grouping: 'perItem' as const };
		const jobs = [jobWith('job1', ['kettle']), jobWith('job3', ['mug', 'kettle'])];
		const rows = ROWS.map((row) => (row.linked === 'item 1' ? { ...row, job_id: 'job3' } : row));
		const story = { one: perItem, executions: [stored({ rows, text: 'names job1, job3' })] };
		expect(audit({ stories: [story], jobs, heard: [] })).toEqual([]);
	});

	it('is found: a row that is given out twice', () => {
		const rows = [...ROWS, rowOf('item 1', 'mug')];
		expect(kinds(audit(evidence([stored({ rows })])))).toEqual([
			'doubled: 2 rows instead of 1 of "mug" for item 1',
		]);
	});

	it('is found where two workflows give out one job and each has paid for its own', () => {
		const twin = { one: { ...one, name: 'case 1' }, executions: [stored()] };
		const own = jobWith('job1', ['kettle', 'mug']);
		const both = (jobs: LedgerJob[]) => {
			const alone = evidence([stored()], jobs);
			return { ...alone, stories: [...alone.stories, twin] };
		};
		expect(kinds(audit(both([own, jobWith('job2', ['kettle', 'mug'])])))).toEqual([
			'lost: nobody is told of job job2 (kettle, mug)',
		]);
		// One job for both is what the second one gets whose own request was lost.
		expect(audit(both([own]))).toEqual([]);
		expect(sharedJobs(both([own]))).toEqual(['job1']);
	});

	it('is found: an end that starts a workflow twice', () => {
		const executions = [stored({ rows: ROWS.slice(0, 2) }), stored({ rows: ROWS.slice(0, 2) })];
		const heard = [{ kind: 'polling' as const, service: 0, account: 0, executions }];
		expect(kinds(audit({ ...evidence([stored()]), heard }))).toEqual([
			'doubled: the end of job job1 started the workflow 2 times',
		]);
		// Whoever retries by hand asks for it.
		const byHand = [stored({ rows: ROWS.slice(0, 2) }), stored({ rows: ROWS.slice(0, 2), retryOf: '0' })];
		expect(audit({ ...evidence([stored()]), heard: [{ ...heard[0]!, executions: byHand }] })).toEqual([]);
	});
});

describe('a planted mispair', () => {
	it.each([
		[
			'another value’s content',
			{ name: 'The kettle' },
			'a row of job job1, item 1: "mug" holds another content',
		],
		[
			'a failure that was none',
			{ success: false },
			'a row of job job1, item 1: "mug" says success false',
		],
	])('is found: %s', (_name, more, text) => {
		const rows = [...without(1), rowOf('item 1', 'mug', more)];
		expect(kinds(audit(evidence([stored({ rows })])))).toEqual([`mispaired: ${text}`]);
	});

	it('is found: a row beside an item that did not ask', () => {
		const rows = [...ROWS, rowOf('item 0', 'mug')];
		expect(kinds(audit(evidence([stored({ rows })])))).toEqual([
			'mispaired: a row of job job1, item 0: "mug" was not asked for there',
		]);
	});

	it('is found: a row of a job that is another workflow’s', () => {
		const jobs = [jobWith('job1', ['kettle', 'mug']), jobWith('foreign', ['pen'])];
		const rows = [...without(1), rowOf('item 1', 'mug', { job_id: 'foreign' })];
		expect(kinds(audit(evidence([stored({ rows })], jobs)))).toContain(
			'mispaired: a row of job foreign, item 1: is not of a job of this workflow',
		);
	});

	it('is found: a row without a link, where items were asked for', () => {
		const rows = [...without(1), rowOf('no link: none', 'mug')];
		expect(kinds(audit(evidence([stored({ rows })])))).toContain(
			'mispaired: a row of job job1, no link: none: "mug" was not asked for there',
		);
	});
});
