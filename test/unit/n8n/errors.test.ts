import type { INode } from 'n8n-workflow';

import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';
import { apiError, failedResultError, inputError } from '../../../nodes/PriceCollection/n8n/errors';
import {
	explain,
	PROBLEMS,
	traitsOf,
	type Problem,
	type ProblemKind,
} from '../../../nodes/PriceCollection/service/problems';

const node: INode = { id: '1', name: 'Prices', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };

const kinds = Object.keys(PROBLEMS) as ProblemKind[];
const problem = (kind: ProblemKind, more: Partial<Problem> = {}): Problem => ({
	kind,
	endpoint: ENDPOINTS.get,
	effect: 'none',
	...more,
});

test.each(kinds)(
	'%s is said by n8n as it is meant: what happened, what to do, endpoint and the item, if it is about one',
	(kind) => {
		for (const status of [undefined, 401, 429, 503]) {
			const error = apiError(node, problem(kind, { status }), 2);
			const { message, description } = explain(problem(kind, { status }));
			expect(error.message).toBe(message);
			expect(error.description).toBe(description);
			expect(error.messages).toEqual([]);
			expect(error.description).toContain(
				`Endpoint: GET /v2/jobs/{job_id}${status ? `, HTTP ${status}` : ''}.`,
			);
			expect(error.httpCode).toBe(status === undefined ? null : String(status));
			expect(error.context.itemIndex).toBe(traitsOf({ kind }).accountWide ? undefined : 2);
		}
	},
);

test.each(kinds)('%s follows the style of texts', (kind) => {
	const { message, description } = explain(problem(kind));
	expect(message).toMatch(/^[A-Zn].*[^.!]$/);
	expect(description).toMatch(/\.$/);
	expect(`${message} ${description}`).not.toMatch(
		/\b(error|failure|mistake|problem)\b|undefined|\.\.|\s\s/i,
	);
	expect(message.includes('canceled')).toBe(kind === 'stopped');
});

describe('the words of the service', () => {
	test.each([
		[{ reason: 'bad' }, 'The service says: "bad".'],
		[{ reason: 'bad', parameter: 'key' }, 'The service says: "bad" (parameter key).'],
		[{ reason: 'bad', comment: 'Use gtin!' }, 'The service says: "bad": Use gtin!'],
		[{ comment: 'Use gtin' }, 'The service says: Use gtin.'],
		[
			{ reason: 'bad', parameter: 'key', comment: 'Use gtin.' },
			'The service says: "bad" (parameter key): Use gtin.',
		],
	])('%j', (words, sentence) => {
		expect(explain(problem('refused', words)).description).toBe(
			`Correct what the response names and run again. ${sentence} Endpoint: GET /v2/jobs/{job_id}.`,
		);
	});

	test('name the parameter in the headline where it is not about the account', () => {
		expect(explain(problem('missingParameter', { parameter: 'country' })).message).toBe(
			'A required parameter is missing: country',
		);
		expect(explain(problem('unauthorized', { parameter: 'token' })).message).toBe(
			'The service did not accept the key',
		);
	});
});

describe('where the effect is unknown', () => {
	test('a creation is said to have made a job perhaps, instead of "try again"', () => {
		const { description } = explain(
			problem('timedOut', { endpoint: ENDPOINTS.create, effect: 'unknown' }),
		);
		expect(description).toBe(
			'It is unclear whether the request took effect: the job may exist. Check the job list (Get Many) before you run again, or you may pay twice. Endpoint: POST /v2/jobs.',
		);
	});

	test('a cancel speaks of cancelling', () => {
		const { description } = explain(
			problem('unexpectedBody', { endpoint: ENDPOINTS.cancel, effect: 'unknown' }),
		);
		expect(description).toMatch(
			/^It is unclear whether the job was cancelled: check its status \(Get\) before you continue\. Check the Base URL/,
		);
	});

	test('a web page has the Base URL looked at before jobs are', () => {
		const { description } = explain(
			problem('htmlBody', { endpoint: ENDPOINTS.create, effect: 'unknown' }),
		);
		expect(description).toBe(
			'Check the Base URL of the credential. If it is right, a proxy or a login page is in between. It is unclear whether the request took effect: the job may exist. Check the job list (Get Many) before you run again, or you may pay twice. Endpoint: POST /v2/jobs.',
		);
	});
});

test('a long wait that the service asks for is named', () => {
	expect(explain(problem('rateLimited', { retryAfterMs: 600_400 })).description).toContain(
		'The service asks to wait 601 seconds.',
	);
});

test('facts that matter more come first', () => {
	expect(
		apiError(node, problem('noCredits'), 0, 'These jobs were created and are running: a.').description,
	).toMatch(/^These jobs were created and are running: a\. Ask for fewer values/);
});

test.each(['EEXIST', 'ENOENT', 'ECONNREFUSED', 'preexisting', 'EPERM', 'GETADDRINFO', 'ENOTFOUND'])(
	'n8n does not replace a message because of "%s"',
	(word) => {
		expect(inputError(node, `"${word}" is not a job ID`, 'Correct it.').message).toBe(
			`"${word}" is not a job ID`,
		);
		expect(apiError(node, problem('refused', { parameter: word })).message).toBe(
			`The service refused the request: ${word}`,
		);
	},
);

test('words that would end the run as cancelled are spelt otherwise in messages', () => {
	const failed = { value: 'canceled', reason: 'canceling was canceled' };
	expect(failedResultError(node, failed, 'a', 0).message).toBe(
		'The service could not look up "cancelled": cancelling was cancelled',
	);
});

test('tells n8n why, so that its back-off fits', () => {
	const failure = (kind: ProblemKind, more = {}) =>
		(apiError(node, problem(kind, more)) as { failure?: unknown }).failure;
	expect(failure('rateLimited', { retryAfterMs: 5 })).toEqual({ cause: 'rate-limited', retryAfterMs: 5 });
	expect(failure('noCredits')).toEqual({ cause: 'quota-exhausted' });
	expect(failure('unavailable')).toMatchObject({ cause: 'temporarily-unavailable' });
	expect(failure('unauthorized')).toEqual({ cause: 'credential-invalid' });
	expect(failure('retired')).toEqual({ cause: 'configuration-invalid' });
	expect(failure('jobNotFound')).toBeUndefined();
});
