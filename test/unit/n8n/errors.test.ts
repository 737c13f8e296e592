import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode } from 'n8n-workflow';

import {
	apiError,
	errorForAgent,
	failedResultError,
	failureOfTool,
	operationError,
} from '../../../nodes/PriceCollection/n8n/errors';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import {
	explain,
	PROBLEMS,
	type Problem,
	type ProblemKind,
} from '../../../nodes/PriceCollection/service/problems';

const node: INode = { id: '1', name: 'Prices', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };

const problem = (kind: ProblemKind, more: Partial<Problem> = {}): Problem => ({
	...{ kind, endpoint: ENDPOINTS.get, effect: 'none', ...more },
});

test('an error says what happened, what to do, the endpoint and the item', () => {
	const error = apiError(node, problem('unavailable', { status: 503 }), 2);
	expect([error.message, error.description]).toEqual([
		'The service is temporarily unavailable',
		'Try again later. Endpoint: GET /v2/jobs/{job_id}, HTTP 503.',
	]);
	expect([error.httpCode, error.context.itemIndex]).toEqual(['503', 2]);
});

test.each(Object.entries(PROBLEMS))(
	'n8n leaves the words for %s as they are',
	(kind, { message, advice }) => {
		for (const status of [undefined, 401, 429, 503]) {
			const error = apiError(node, problem(kind as ProblemKind, { status }));
			expect([error.message, error.messages]).toEqual([message, []]);
			expect(error.description).toContain(advice);
			expect(error.description).not.toMatch(/undefined|\.\.|\s\s/);
			expect(error.httpCode).toBe(status === undefined ? null : String(status));
		}
	},
);

/** How n8n sees a problem: the cause by which it backs off, and whether the problem concerns an item at all. */
test.each<[string | undefined, boolean, ProblemKind[]]>([
	['rate-limited', false, ['rateLimited']],
	['quota-exhausted', false, ['noCredits']],
	['credential-invalid', false, ['unauthorized']],
	['configuration-invalid', false, ['invalidHeader', 'redirectedAway', 'wrongAddress']],
	['temporarily-unavailable', false, ['connectionRefused']],
	['temporarily-unavailable', true, ['connectionLost', 'timedOut', 'unavailable']],
	[undefined, false, ['certificate', 'hostNotFound', 'notSent', 'stopped']],
	[undefined, true, ['forbidden', 'invalidValue', 'jobNotFound', 'refused', 'truncatedBody']],
])('n8n is told %s, of an item: %j, where the problem is %j', (cause, isOfItem, kinds) => {
	for (const kind of kinds) {
		const error = apiError(node, problem(kind), 2);
		expect((error as { failure?: { cause: string } }).failure?.cause).toBe(cause);
		expect(error.context.itemIndex).toBe(isOfItem ? 2 : undefined);
	}
});

test.each([
	[{ reason: 'bad' }, '"bad".'],
	[{ reason: 'bad', comment: 'Use gtin!' }, '"bad": Use gtin!'],
	[{ comment: 'Use gtin' }, 'Use gtin.'],
	[{ reason: 'bad', parameter: 'key', comment: 'Use gtin.' }, '"bad" (parameter key): Use gtin.'],
])('the words of the service are shown: %j', (words, said) => {
	expect(explain(problem('refused', words)).description).toBe(
		`The service says: ${said} Endpoint: GET /v2/jobs/{job_id}.`,
	);
});

test('the parameter is named in the headline where it is not about the account', () => {
	const headline = (kind: ProblemKind, parameter: string) => explain(problem(kind, { parameter })).message;
	expect(headline('missingParameter', 'country')).toBe('A required parameter is missing: country');
	for (const kind of ['invalidValue', 'refused', 'unsupported'] as const)
		expect(headline(kind, 'key')).toBe(`${PROBLEMS[kind].message}: key`);
	expect(headline('unauthorized', 'token')).toBe('The service did not accept the key');
});

const MAY_EXIST =
	'It is unclear whether the request took effect: the job may exist. Check the job list (Get Many) before you run again, or you may pay twice.';
const MAY_RUN =
	'It is unclear whether the job was cancelled: check its status (Get) before you continue. Check the Base URL';
test.each<[ProblemKind, 'cancel' | 'create', string]>([
	['timedOut', 'create', `${MAY_EXIST} Endpoint: POST /v2/jobs.`],
	['unexpectedBody', 'cancel', MAY_RUN],
	[
		'htmlBody',
		'create',
		`Check the Base URL of the credential. If it is right, a proxy or a login page is in between. ${MAY_EXIST}`,
	],
])('where the effect is unknown, no one is told to try again: %s of a %s', (kind, endpoint, text) => {
	const unknown = problem(kind, { endpoint: ENDPOINTS[endpoint], effect: 'unknown' });
	expect(explain(unknown).description.slice(0, text.length)).toBe(text);
});

test('a long wait that the service asks for is named', () => {
	const { description } = explain(problem('rateLimited', { retryAfterMs: 600_400 }));
	expect(description).toContain('The service asks to wait 601 seconds.');
});

test('facts that matter more come first', () => {
	const facts = 'These jobs were created and are running: a.';
	expect(apiError(node, problem('noCredits'), 0, facts).description).toMatch(
		`${facts} Ask for fewer values`,
	);
});

test('n8n does not replace a message because of a word in it that it takes for a code', () => {
	for (const word of ['EEXIST', 'ENOENT', 'ECONNREFUSED', 'preexisting', 'EPERM', 'GETADDRINFO']) {
		const message = `"${word}" is not a job ID`;
		expect(operationError(node, message, 'Correct it.').message).toBe(message);
		const refused = apiError(node, problem('refused', { parameter: word }));
		expect(refused.message).toBe(`The service refused the request: ${word}`);
	}
});

test('words that would end the run as cancelled are spelt otherwise in messages', () => {
	const failed = { value: 'canceled', reason: 'canceling was canceled' };
	expect(failedResultError(node, failed, 'a', 0).message).toBe(
		'The service could not look up "cancelled": cancelling was cancelled',
	);
});

test('only one item is blamed, and several none', () => {
	const blamed = [3, [3], [3, 4], undefined].map((items) => {
		const { itemIndex } = apiError(node, problem('refused'), items).context;
		expect(operationError(node, 'x', 'y', items).context.itemIndex).toBe(itemIndex);
		return itemIndex as unknown;
	});
	expect(blamed).toEqual([3, 3, undefined, undefined]);
});

test('tells n8n why, so that its back-off fits', () => {
	const failure = (kind: ProblemKind, more = {}) =>
		(apiError(node, problem(kind, more)) as { failure?: unknown }).failure;
	expect(failure('rateLimited', { retryAfterMs: 5 })).toEqual({ cause: 'rate-limited', retryAfterMs: 5 });
	expect(failure('unavailable', { retryAfterMs: 5 })).toMatchObject({ retryAfterMs: 5 });
	expect(failure('noCredits', { retryAfterMs: 5 })).toEqual({ cause: 'quota-exhausted' });
	expect(failure('jobNotFound')).toBeUndefined();
});

describe('for an agent', () => {
	/** A tool as n8n's engine runs it, or as an agent runs it directly. */
	function contextOf(more: Partial<INode> = {}, byAgent = true): IExecuteFunctions {
		const context = { getNode: () => ({ ...node, ...more }), isToolExecution: () => byAgent };
		return context as unknown as IExecuteFunctions;
	}
	const refusal = () => operationError(node, 'Values is empty', 'Enter what to look up.', 0);
	const sentence = 'Values is empty. Enter what to look up.';

	it('an error is an answer that says what went wrong and what to do', () => {
		for (const onError of [undefined, 'continueRegularOutput'] as const)
			expect(failureOfTool(contextOf({ onError }), refusal())).toEqual([
				{ json: { error: sentence }, pairedItem: { item: 0 } },
			]);
	});

	it('it is shown to n8n where that runs the tool, tries again or is to stop', () => {
		const contexts = [contextOf({ retryOnFail: true }), contextOf({ onError: 'stopWorkflow' })];
		for (const context of [...contexts, contextOf({}, false)])
			expect(() => failureOfTool(context, refusal())).toThrow(sentence);
	});

	it.each([
		['Try again later.', 'Try again later.', 'Try again later.'],
		['What now?', 'Nothing.', 'What now? Nothing.'],
		['It broke', undefined, 'It broke'],
		['x'.repeat(5_000), undefined, 'x'.repeat(2_000)],
	])('no text is said twice, or without an end, or at length: %#', (message, description, error) => {
		const thrown = new NodeOperationError(node, message, { description });
		expect(failureOfTool(contextOf(), thrown)).toMatchObject([{ json: { error } }]);
	});

	it('an error item is one text, and other items stay as they are', () => {
		const item = { json: { error: 'Values is empty [item 1]', message: 'Enter it.', id: 'a' } };
		expect(errorForAgent(item).json).toEqual({ error: 'Values is empty. Enter it.', id: 'a' });
		const row = { json: { value: 'kettle', message: 'kept' } };
		expect(errorForAgent(row)).toBe(row);
	});
});
