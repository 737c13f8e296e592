import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import { networkProblem } from '../../../nodes/PriceCollection/service/network';

const node: INode = { id: '1', name: 'n', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const dialect = { secrets: ['KEYKEYKEY'] };
const create = ENDPOINTS.create;
const read = ENDPOINTS.list;

/** An error as the network's library reports it and n8n wraps it. */
function wrapped(code: string | undefined, message = 'It went wrong', syscall?: string): NodeApiError {
	const cause = Object.assign(new Error(message), {
		isAxiosError: true,
		...(code && { code }),
		...(syscall && { syscall }),
	});
	return new NodeApiError(node, cause as never);
}

test.each([
	['ECONNREFUSED', 'connectionRefused', 'none'],
	['ERR_INVALID_HTTP_TOKEN', 'invalidHeader', 'none'],
	['ERR_INVALID_CHAR', 'invalidHeader', 'none'],
	['ENOTFOUND', 'hostNotFound', 'none'],
	['EAI_AGAIN', 'hostNotFound', 'none'],
	['ECONNRESET', 'connectionLost', 'unknown'],
	['EPIPE', 'connectionLost', 'unknown'],
	['ETIMEDOUT', 'timedOut', 'unknown'],
	['ECONNABORTED', 'timedOut', 'unknown'],
	['ERR_CANCELED', 'stopped', 'unknown'],
	['CERT_HAS_EXPIRED', 'certificate', 'none'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', 'none'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', 'none'],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'certificate', 'unknown'],
	['HPE_INVALID_CONSTANT', 'connectionLost', 'unknown'],
	[undefined, 'connectionLost', 'unknown'],
] as const)('%s is %s; a creation has taken effect: %s', (code, kind, effect) => {
	for (const error of [wrapped(code), wrapped(code).cause]) {
		expect(networkProblem(error, create, dialect, false)).toMatchObject({ kind, effect });
		expect(networkProblem(error, read, dialect, false)).toMatchObject({ kind, effect: 'none' });
	}
});

test.each([
	['EHOSTUNREACH', 'connect', 'connectionRefused', 'none'],
	['ENETUNREACH', 'connect', 'connectionRefused', 'none'],
	['EADDRNOTAVAIL', 'bind', 'connectionRefused', 'none'],
	['EHOSTUNREACH', 'read', 'connectionLost', 'unknown'],
	['ENETUNREACH', 'write', 'connectionLost', 'unknown'],
	['EHOSTUNREACH', undefined, 'connectionLost', 'unknown'],
] as const)(
	'%s of the system call %s is %s; a creation has taken effect: %s',
	(code, syscall, kind, effect) => {
		const error = wrapped(code, 'It went wrong', syscall);
		expect(networkProblem(error, create, dialect, false)).toMatchObject({ kind, effect });
	},
);

describe('what n8n itself kept from being sent', () => {
	const named = (name: string, message: string, more: object = {}) =>
		Object.assign(new Error(message), { name, ...more });
	const socket = (code: string, syscall: string) =>
		Object.assign(new Error(`${syscall} ${code} 127.0.0.1:5432`), { code, syscall });

	test.each<[string, unknown]>([
		[
			'addressForbidden',
			named(
				'SsrfBlockedIpError',
				'The request was blocked because it resolves to a restricted IP address',
			),
		],
		['addressForbidden', named('SsrfBlockedHostnameError', 'In words of another version')],
		[
			'addressForbidden',
			// The guard of a connection, as the library for requests hands it on.
			Object.assign(new Error('blocked', { cause: named('SsrfBlockedIpError', 'x') }), {
				isAxiosError: true,
			}),
		],
		[
			'addressForbidden',
			new Error('Domain not allowed: This credential is restricted from accessing h.example.'),
		],
		['addressForbidden', new Error('No allowed domains specified. Configure allowed domains')],
		['notSent', new Error('Connection terminated unexpectedly')],
		['notSent', socket('ECONNREFUSED', 'connect')],
		['notSent', socket('ETIMEDOUT', 'connect')],
		['notSent', socket('EAI_AGAIN', 'getaddrinfo')],
		['notSent', new Error('Credential with ID "7" does not exist for type "priceCollectionApi".')],
		['notSent', new Error('Credentials could not be decrypted')],
		['notSent', { message: 'Blocked' }],
	])('%s: %s', (kind, error) => {
		for (const thrown of [error, new NodeApiError(node, error as never)]) {
			const problem = networkProblem(thrown, create, dialect, false);
			expect(problem).toMatchObject({ kind, effect: 'none' });
			if (thrown === error || !(error instanceof Error)) continue;
			const { message } = error.cause instanceof Error ? error.cause : error;
			expect(problem.detail).toBe(`Details: ${message}`);
		}
	});

	test('is nothing that was on its way, whatever it looks like', () => {
		const refused = Object.assign(socket('ECONNREFUSED', 'connect'), { isAxiosError: true });
		expect(networkProblem(refused, create, dialect, false).kind).toBe('connectionRefused');
		const reset = socket('ECONNRESET', 'read');
		expect(networkProblem(reset, create, dialect, false)).toMatchObject({
			kind: 'connectionLost',
			effect: 'unknown',
		});
		const words = Object.assign(new Error('Connection terminated unexpectedly'), { isAxiosError: true });
		expect(networkProblem(words, create, dialect, false)).toMatchObject({
			kind: 'connectionLost',
			effect: 'unknown',
		});
		for (const error of [new Error('Connection terminated'), socket('ECONNREFUSED', 'connect')]) {
			expect(networkProblem(error, create, dialect, true)).toMatchObject({
				kind: 'connectionLost',
				effect: 'unknown',
			});
		}
	});
});

test('once something had come back, nothing is certain', () => {
	expect(networkProblem(wrapped('ECONNREFUSED'), create, dialect, true).effect).toBe('unknown');
	expect(networkProblem(new Error('odd'), create, dialect, true)).toMatchObject({
		kind: 'connectionLost',
		effect: 'unknown',
	});
});

test('unknown codes are shown with their words, without secrets; known ones need none', () => {
	const error = wrapped('HPE_INVALID_CONSTANT', 'Parse Error at https://h/?key=KEYKEYKEY').cause;
	expect(networkProblem(error, read, dialect, false).detail).toBe(
		'Details: Parse Error at https://h/?key=***',
	);
	expect(networkProblem(wrapped('ECONNRESET').cause, read, dialect, false).detail).toBeUndefined();
});
