import { NodeApiError } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

import { ENDPOINTS } from '../../../nodes/PriceCollection/service/endpoints';
import { networkProblem } from '../../../nodes/PriceCollection/service/network';
import { spellingsOf } from '../../../nodes/PriceCollection/service/redact';

const node: INode = { id: '1', name: 'n', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const dialect = { secrets: spellingsOf(['KEYKEYKEY']) };
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

test('what n8n or the credential refused was never sent', () => {
	for (const error of [
		new Error('The IP address is not allowed'),
		new NodeApiError(node, { message: 'Blocked' }),
	]) {
		expect(networkProblem(error, create, dialect, false)).toMatchObject({
			kind: 'notSent',
			effect: 'none',
		});
	}
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
