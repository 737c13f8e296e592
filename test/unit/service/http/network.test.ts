import { type INode, NodeApiError } from 'n8n-workflow';

import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import { networkProblem } from '../../../../nodes/PriceCollection/service/http/network';

const node: INode = { id: '1', name: 'n', type: 't', typeVersion: 1, position: [0, 0], parameters: {} };
const connection = { secrets: ['KEYKEYKEY'] };
const create = ENDPOINTS.create;
const read = ENDPOINTS.list;
const url = new URL('https://api.example.test/v2/jobs');

/** An error as the network's library reports it, or one of n8n's own. */
const errorOf = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);
const ofLibrary = (code?: string, syscall?: string, message = 'It went wrong') =>
	errorOf(message, { isAxiosError: true, ...(code && { code }), ...(syscall && { syscall }) });
const socket = (code: string, syscall: string) =>
	errorOf(`${syscall} ${code} 127.0.0.1:5432`, { code, syscall });
const asN8nThrows = (error: unknown) => [error, new NodeApiError(node, error as never)];

test.each([
	['ECONNREFUSED', undefined, 'connectionRefused', 'none'],
	['EHOSTUNREACH', 'connect', 'connectionRefused', 'none'],
	['EADDRNOTAVAIL', 'bind', 'connectionRefused', 'none'],
	['EHOSTUNREACH', 'read', 'connectionLost', 'unknown'],
	['EHOSTUNREACH', undefined, 'connectionLost', 'unknown'],
	['ERR_INVALID_HTTP_TOKEN', undefined, 'invalidHeader', 'none'],
	['ERR_INVALID_CHAR', undefined, 'invalidHeader', 'none'],
	['ENOTFOUND', undefined, 'hostNotFound', 'none'],
	['EAI_AGAIN', undefined, 'hostNotFound', 'none'],
	['ECONNRESET', undefined, 'connectionLost', 'unknown'],
	['ETIMEDOUT', undefined, 'timedOut', 'unknown'],
	['ETIMEDOUT', 'connect', 'timedOut', 'none'],
	['ECONNABORTED', undefined, 'timedOut', 'unknown'],
	['ERR_CANCELED', undefined, 'stopped', 'unknown'],
	['CERT_HAS_EXPIRED', undefined, 'certificate', 'none'],
	['UNABLE_TO_DECRYPT_CERT_SIGNATURE', undefined, 'certificate', 'none'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', undefined, 'unknownIssuer', 'none'],
	['SELF_SIGNED_CERT_IN_CHAIN', undefined, 'unknownIssuer', 'none'],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', undefined, 'unknownIssuer', 'none'],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', undefined, 'unknownIssuer', 'none'],
	['ERR_TLS_CERT_ALTNAME_INVALID', undefined, 'certificate', 'none'],
	['ERR_SSL_WRONG_VERSION_NUMBER', undefined, 'certificate', 'unknown'],
	// The request is still being written. Errors that are known to come later have no system call.
	['EPROTO', 'write', 'certificate', 'none'],
	['EPROTO', 'read', 'certificate', 'unknown'],
	['ERR_SSL_BAD_RECORD_TYPE', undefined, 'certificate', 'unknown'],
	['HPE_HEADER_OVERFLOW', undefined, 'headersTooLarge', 'unknown'],
	['HPE_INVALID_CONSTANT', undefined, 'invalidHttp', 'unknown'],
	[undefined, undefined, 'connectionLost', 'unknown'],
] as const)('%s of the system call %s is %s; a creation has taken effect: %s', (code, call, kind, effect) => {
	for (const error of asN8nThrows(ofLibrary(code, call))) {
		expect(networkProblem(error, create, connection, url)).toMatchObject({ kind, effect });
		expect(networkProblem(error, read, connection, url)).toMatchObject({ kind, effect: 'none' });
	}
});

const BLOCKED = 'The request was blocked because it resolves to a restricted IP address';
const blocked = errorOf(BLOCKED, { name: 'SsrfBlockedIpError' });
test.each<[string, unknown]>([
	['addressForbidden', blocked],
	['addressForbidden', errorOf('In words of another version', { name: 'SsrfBlockedHostnameError' })],
	// A connection guard's error, as the HTTP library passes it on.
	['addressForbidden', errorOf(BLOCKED, { isAxiosError: true, cause: blocked })],
	['addressForbidden', errorOf('Domain not allowed: This credential is restricted from accessing h.')],
	['addressForbidden', errorOf('No allowed domains specified. Configure allowed domains')],
	['notSent', errorOf('Connection terminated unexpectedly')],
	['notSent', socket('ECONNREFUSED', 'connect')],
	['notSent', socket('ETIMEDOUT', 'connect')],
	['notSent', socket('EAI_AGAIN', 'getaddrinfo')],
	['notSent', errorOf('Credential with ID "7" does not exist for type "priceCollectionApi".')],
	['notSent', { message: 'Blocked' }],
])('n8n itself kept from being sent, %s: %s', (kind, error) => {
	for (const thrown of asN8nThrows(error)) {
		const problem = networkProblem(thrown, create, connection, url);
		expect(problem).toMatchObject({ kind, effect: 'none' });
		if (thrown === error || !(error instanceof Error)) continue;
		const { message } = error.cause instanceof Error ? error.cause : error;
		expect(problem.detail).toBe(`Details: ${message}`);
	}
});

test.each<[unknown, boolean]>([
	[socket('ECONNRESET', 'read'), false],
	[ofLibrary(undefined, undefined, 'Connection terminated unexpectedly'), false],
	// Once anything has come back, nothing is certain.
	[errorOf('Connection terminated'), true],
	[socket('ECONNREFUSED', 'connect'), true],
	[ofLibrary('ECONNREFUSED'), true],
])('may have been on its way, whatever it looks like: %s, begun: %s', (error, begun) => {
	const problem = { kind: 'connectionLost', effect: 'unknown' };
	expect(networkProblem(error, create, connection, begun ? undefined : url)).toMatchObject(problem);
});

test('unknown codes are shown with their words, without secrets; known ones need none', () => {
	const error = ofLibrary('HPE_INVALID_CONSTANT', undefined, 'Parse Error at KEYKEYKEY');
	expect(networkProblem(error, read, connection, url).detail).toBe('Details: Parse Error at ***');
	expect(networkProblem(ofLibrary('ECONNRESET'), read, connection, url).detail).toBeUndefined();
});

describe('the address that n8n tried', () => {
	const refused = (fields: object, message = 'connect ECONNREFUSED') =>
		errorOf(message, { isAxiosError: true, code: 'ECONNREFUSED', syscall: 'connect', ...fields });
	const unknown = (hostname: string) =>
		errorOf('getaddrinfo', { isAxiosError: true, code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname });
	const said = (error: Error, address: string) => {
		const { kind, detail } = networkProblem(error, read, connection, new URL(address));
		return [kind, detail];
	};

	test.each([
		['https://api.example.test/', refused({ address: '192.0.2.1', port: 443 })],
		['http://api.example.test/', refused({ address: '192.0.2.1', port: 80 })],
		['https://api.example.test:8443/', refused({ address: '192.0.2.1', port: 8443 })],
		['https://api.example.test/', refused({})],
		['https://api.example.test/', unknown('API.example.test')],
	])('is the one of the service %s: %s', (address, error) => {
		expect(said(error, address)).toEqual([
			expect.stringMatching(/^(hostNotFound|connectionRefused)$/),
			undefined,
		]);
	});

	test.each([
		['192.0.2.1:3128', refused({ address: '192.0.2.1', port: 3128 })],
		['proxy.example.test', unknown('proxy.example.test')],
	])('is that of a proxy, which is named: %s', (proxy, error) => {
		const detail = `n8n tried ${proxy}, which is not the service's address`;
		expect(said(error, 'https://api.example.test/')).toEqual(['proxyFailed', detail]);
	});
});
