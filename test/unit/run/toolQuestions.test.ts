import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ToolQuestions } from '../../../nodes/PriceCollection/run/toolQuestions';

const NOW = 1_800_000_000_000;
const DAY_MS = 24 * 3_600_000;
const CREATED = { state: 'created', sentAt: NOW, jobId: 'j', evidence: 'reply' } as const;

interface Place {
	/** The static data of the node, as an execution gets it. */
	stored?: IDataObject;
	/** Another one for each test, because the process remembers. */
	workflow?: string;
	/** That of the node, and the node itself; null for a node without one. */
	credential?: string | null;
	node?: string;
}

let count = 0;
let workflow = '';
beforeEach(() => {
	workflow = `workflow ${count++}`;
});

/** What a tool remembers, some time after now. */
function open(
	{ stored = {}, credential = '1', node = 'tool', ...place }: Place,
	afterMs = 0,
	Questions = ToolQuestions,
) {
	const context: Partial<Record<keyof IExecuteFunctions, unknown>> = {
		getNode: () => ({
			id: node,
			name: 'Look up prices',
			type: 'x',
			...(credential !== null && {
				credentials: { priceCollectionApi: { id: credential, name: 'Prices' } },
			}),
		}),
		getWorkflow: () => ({ id: place.workflow ?? workflow }),
		getWorkflowStaticData: (type: string) => (type === 'node' ? stored : {}),
	};
	return Questions.open(context as unknown as IExecuteFunctions, { now: () => NOW + afterMs });
}

/** The same in another process of n8n, which has the static data only. */
function inAnotherProcess(place: Place, afterMs = 0) {
	let questions: ReturnType<typeof open> | undefined;
	jest.isolateModules(() => {
		const other = jest.requireActual<{ ToolQuestions: typeof ToolQuestions }>(
			'../../../nodes/PriceCollection/run/toolQuestions',
		);
		questions = open(place, afterMs, other.ToolQuestions);
	});
	return questions;
}

/** As n8n saves it. */
const saved = (stored: IDataObject) => JSON.parse(JSON.stringify(stored)) as IDataObject;

describe('a question that was asked before', () => {
	it('is known for less than 24 hours, to any process that has the static data of the workflow', () => {
		const stored: IDataObject = {};
		open({ stored }).set('identity', CREATED);
		const later = { stored: saved(stored) };
		expect(inAnotherProcess(later, DAY_MS - 1)?.get('identity')).toEqual({ ...CREATED, executionId: '' });
		expect(inAnotherProcess(later, DAY_MS)?.get('identity')).toBeUndefined();
		expect(inAnotherProcess(later)?.get('another')).toBeUndefined();
	});

	it('is known to the process although n8n saved nothing, as in the editor', () => {
		open({}).set('identity', CREATED);
		expect(open({}).get('identity')).toMatchObject({ jobId: 'j' });
		expect(inAnotherProcess({})?.get('identity')).toBeUndefined();
	});

	it('is saved again by the last one of several executions at the same time', () => {
		const [first, second]: [IDataObject, IDataObject] = [{}, {}];
		const slow = open({ stored: second });
		open({ stored: first }).set('one', CREATED);
		slow.set('two', { ...CREATED, jobId: 'k' });
		const after = inAnotherProcess({ stored: saved(second) });
		expect([after?.get('one')?.jobId, after?.get('two')?.jobId]).toEqual(['j', 'k']);
	});

	it('is another one in another workflow, and with another account', () => {
		const stored: IDataObject = {};
		open({ stored }).set('identity', CREATED);
		expect(open({ stored, credential: '2' }).get('identity')).toBeUndefined();
		expect(open({ workflow: 'another workflow' }).get('identity')).toBeUndefined();
	});

	it('is known to a node without a credential as well', () => {
		open({ credential: null }).set('identity', CREATED);
		expect(open({ credential: null }).get('identity')).toMatchObject({ jobId: 'j' });
		expect(open({}).get('identity')).toBeUndefined();
	});

	it('is known to the process for the 200 nodes that were used last', () => {
		open({ node: 'first' }).set('identity', CREATED);
		open({ node: 'second' }).set('identity', CREATED);
		for (let n = 0; n < 198; n++) open({ node: `n${n}` });
		expect(open({ node: 'first' }).get('identity')).toBeDefined();
		open({ node: 'last' });
		expect(open({ node: 'second' }).get('identity')).toBeUndefined();
		expect(open({ node: 'first' }).get('identity')).toBeDefined();
	});

	it('outlives its execution, whose callback nobody awaits', () => {
		expect([open({}).outlivesRun, open({}).callsElsewhere()]).toEqual([true, true]);
	});

	it('accounts for its job', () => {
		const questions = open({});
		questions.set('one', CREATED);
		questions.set('two', { ...CREATED, jobId: 'k', evidence: 'results' });
		expect(questions.jobIds()).toEqual({ known: new Set(['j']), claimed: new Set(['k']) });
	});

	it('is forgotten where certainly nothing was created', () => {
		const stored: IDataObject = {};
		open({ stored }).set('identity', CREATED);
		open({ stored }).set('identity', undefined);
		expect(open({ stored }).get('identity')).toBeUndefined();
		expect(inAnotherProcess({ stored: saved(stored) })?.get('identity')).toBeUndefined();
	});

	it('makes room for later ones', () => {
		const questions = open({});
		for (let place = 0; place <= 200; place++) {
			questions.set(`q${place}`, { ...CREATED, sentAt: NOW + place });
		}
		expect(questions.get('q0')).toBeUndefined();
		expect(questions.get('q1')).toBeDefined();
	});

	it('makes room for those that were asked later, in whatever order they are noted', () => {
		const stored: IDataObject = {};
		const questions = open({ stored });
		for (let place = 200; place >= 0; place--) {
			questions.set(`q${place}`, { ...CREATED, sentAt: NOW + place });
		}
		const later = inAnotherProcess({ stored: saved(stored) });
		expect([later?.get('q0'), later?.get('q1')?.jobId, later?.get('q200')?.jobId]).toEqual([
			...[undefined, 'j', 'j'],
		]);
		expect(questions.get('q0')).toBeUndefined();
	});
});

describe('a question that is being asked', () => {
	it('is so for a minute at the most, in the process that asks', () => {
		const stored: IDataObject = {};
		open({ stored }).set('identity', { state: 'sent', sentAt: NOW });
		expect(open({ stored }, 59_999).isBeingAsked('identity')).toBe(true);
		expect(open({ stored }, 60_000).isBeingAsked('identity')).toBe(false);
		expect(inAnotherProcess({ stored: saved(stored) })?.isBeingAsked('identity')).toBe(false);
		open({ stored }).set('identity', CREATED);
		expect(open({ stored }).isBeingAsked('identity')).toBe(false);
	});
});

describe('a question that was answered', () => {
	const answer = (...rows: IDataObject[]): INodeExecutionData[][] => [
		rows.map((json) => ({ json: { job_id: 'j', ...json } })),
	];
	const failed = { success: false, reason: 'failed to access source' };

	it.each([
		['every value failed', answer(failed, failed), undefined],
		['one value has an answer', answer(failed, { success: true }), 'j'],
		[
			'a value was not found, which costs as well',
			answer(failed, { success: false, reason: 'not found' }),
			'j',
		],
		['a value was notfound', answer(failed, { success: false, reason: 'NotFound' }), 'j'],
		['a value has no reason', answer({ success: false, reason: null }), undefined],
		['no output came at all', [], 'j'],
		['its job still runs', answer({ still_running: true }), 'j'],
		['nothing came', answer(), 'j'],
	])('where %s', (_what, output, jobId) => {
		const questions = open({});
		questions.set('identity', CREATED);
		questions.givenOut(output);
		expect(questions.get('identity')?.jobId).toBe(jobId);
	});
});

it('refuses to go on without knowing what is paid for', () => {
	for (const [text, reason] of [
		['{"version":2,"questions":{}}', 'was written by a newer version of this package'],
		['{"version":1,"questions":{"a":{"state":"perhaps"}}}', 'is damaged at questions.a.state'],
		['{', 'has no version'],
	] as const) {
		expect(() => open({ stored: { priceCollectionQuestions: text } })).toThrow(
			expect.objectContaining({
				message: `The memory of this tool ${reason}, so it is not known which questions are paid for already`,
				description:
					'Nothing was sent. Install the newer version again, or put a new node in the place of this one.',
			}) as Error,
		);
	}
});
