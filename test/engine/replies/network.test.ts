import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import { CredentialTestContext } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { CERTIFICATE } from '../../fakes/sandbox/http/certificate';
import { failureOf, forJob, ONE_TRY, TERM_PARAMETERS } from '../support/core';
import { time } from '../support/virtualClock';

/** Servers and proxies that are broken below HTTP, or are not what the credential says. */

const apiKey = 'BROKENNETWORKKEYQWERTZUIOPASDF';
const READ = { resource: 'usage', operation: 'getToday' };
const BOTH = [
	['a read', READ],
	['a creation', TERM_PARAMETERS],
] as const;
const UNCLEAR = 'It is unclear whether the request took effect';

const open: Server[] = [];
/** The port of a server on this machine, until the end of the test. */
async function portOf(server: Server | HttpServer): Promise<number> {
	open.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}

let connections: number;
/** A server that waits for the start of a request and then does this with the connection. */
const raw = (answer: (socket: Socket) => void) =>
	createServer((socket) => {
		connections++;
		socket.on('error', () => undefined);
		socket.once('data', () => answer(socket));
	});

/** What the credential's test button reports. */
async function testSaid(url: string): Promise<string> {
	const data = { baseUrl: url, apiKey };
	const { message } = await new PriceCollection().methods.credentialTest.priceCollectionApiTest.call(
		new CredentialTestContext() as never,
		{ id: '1', name: 'Test', type: 'priceCollectionApi', data } as never,
	);
	return message;
}

/** What a user reads after a read or a creation. After a read, the credential's test must report the same. */
async function said(url: string, parameters: INodeParameters = READ): Promise<string> {
	const { message, description } = await failureOf({ url, apiKey }, parameters, { input: [{ term: 'a' }] });
	const [text, count] = [`${message}. ${description}`, connections];
	if (parameters === READ) expect(await testSaid(url)).toBe(text);
	connections = count;
	expect(text).not.toContain(apiKey);
	return text;
}

const NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
const before = NAMES.map((name) => process.env[name]);
/** Makes n8n reach all other hosts through this proxy, until the end of the test. */
const useProxy = (url: string) => NAMES.forEach((name) => (process.env[name] = url));

beforeEach(() => {
	connections = 0;
	for (const name of NAMES) delete process.env[name];
});
afterEach(() => {
	for (const server of open.splice(0)) {
		if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
		server.close();
	}
});
afterAll(() =>
	NAMES.forEach((name, index) => {
		if (before[index] === undefined) delete process.env[name];
		else process.env[name] = before[index];
	}),
);

describe('headers', () => {
	const LONG = `HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(20_000)}\r\ncontent-length: 2\r\n\r\n{}`;

	test.each(BOTH)(
		'of more than 16 KB are named, and nobody reads that the connection was lost: %s',
		async (_name, parameters) => {
			const url = `http://127.0.0.1:${await portOf(raw((socket) => socket.end(LONG)))}`;
			const text = await said(url, parameters);
			expect(text).toMatch(/^The response has more headers than n8n can read\. /);
			expect(text).toContain('NODE_OPTIONS=--max-http-header-size=65536.');
			expect(text.includes(UNCLEAR)).toBe(parameters === TERM_PARAMETERS);
		},
	);

	test('that trickle have the time of a request and no more', async () => {
		const trickle = raw((socket) => {
			socket.write('HTTP/1.1 200 OK\r\n');
			const timer = setInterval(() => socket.write('x'), 20);
			socket.on('close', () => clearInterval(timer));
		});
		const url = `http://127.0.0.1:${await portOf(trickle)}`;
		const get = forJob('get', 'x', { options: { requestTimeout: 0.2 } });
		expect(await said(url, get)).toMatch(/^The service did not answer in time\. /);
		expect(connections).toBe(ONE_TRY);
	});

	test('that are none are not HTTP', async () => {
		const url = `http://127.0.0.1:${await portOf(raw((socket) => socket.end('220 mail.example.test ESMTP\r\n')))}`;
		const text = await said(url);
		expect(text).toMatch(/^The response does not follow the rules of HTTP\. Check the Base URL/);
		expect(text).toContain('Details: Parse Error: Expected HTTP/');
	});
});

describe('http and https', () => {
	const secureServer = () => createHttpsServer(CERTIFICATE, (_, response) => response.end('{}'));

	test('an https port that closes a connection in http is suspected', async () => {
		const text = await said(`http://127.0.0.1:${await portOf(secureServer())}`);
		expect(text).toContain('The connection to the service was lost.');
		expect(text).toContain(
			'The Base URL begins with http://. A service that expects https:// may close such',
		);
	});

	test.each(BOTH)('an https port that answers with an alert is named: %s', async (_name, parameters) => {
		const alert = raw((socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])));
		const text = await said(`http://127.0.0.1:${await portOf(alert)}`, parameters);
		expect(text).toMatch(
			/^The server at this address only accepts https\. Enter the Base URL of the credential with https:/,
		);
		expect(text).not.toContain(UNCLEAR);
	});

	test.each(BOTH)('an http port that is asked in https is named: %s', async (_name, parameters) => {
		const plain = createHttpServer((_, response) => response.end('{}'));
		const text = await said(`https://127.0.0.1:${await portOf(plain)}`, parameters);
		expect(text).toMatch(
			/^The server at this address does not use https\. .+ its port, which is probably for http\. Endp/,
		);
		expect(text).not.toMatch(/SSL|openssl|unclear/);
	});

	test('a certificate that n8n does not trust is led to the setting of n8n', async () => {
		const text = await said(`https://localhost:${await portOf(secureServer())}`);
		expect(text).toMatch(/^n8n does not trust the service's certificate\. /);
		expect(text).toContain('set the environment variable NODE_EXTRA_CA_CERTS to the file');
		expect(text).toContain('Details: self-signed certificate');
	});

	test('a failure of TLS is shown in the words of OpenSSL, without the names of its files', async () => {
		const old = raw((socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])));
		const text = await said(`https://127.0.0.1:${await portOf(old)}`, TERM_PARAMETERS);
		expect(text).toMatch(
			/^A secure connection to the service could not be established\. Check the Base URL/,
		);
		expect(text).toMatch(/Details: \w[\w ]+ alert protocol version\. /);
	});

	test('a connection that ends before it is secure is tried again, because nothing was sent', async () => {
		const text = await said(
			`https://127.0.0.1:${await portOf(raw((socket) => socket.end()))}`,
			TERM_PARAMETERS,
		);
		expect(text).toMatch(/^The connection was closed before anything was sent\. /);
		expect(text).not.toContain(UNCLEAR);
		expect(connections).toBe(ONE_TRY);
	});
});

test.each([...BOTH, ['a file', forJob('download', 'a', { output: 'file' })]] as const)(
	'a refusal whose words break off is known by its status: %s',
	async (_name, parameters) => {
		const cut = createHttpServer((request, response) => {
			if (request.url?.startsWith('/v2/jobs/a?'))
				return response.end('{"job_id":"a","status":"finished"}');
			response.writeHead(429, { 'retry-after': '7', 'content-length': '100' }).write('Too');
			setImmediate(() => response.destroy());
		});
		time.pauses.length = 0;
		const text = await said(`http://127.0.0.1:${await portOf(cut)}`, parameters);
		expect(text).toMatch(/^The service received too many requests\. /);
		expect(text).not.toContain(UNCLEAR);
		// A millisecond may pass between the reply and the wait.
		expect(Math.round((time.pauses[0] ?? 0) / 1_000)).toBe(7);
	},
);

test.each(['localhost', '127.0.0.1'])('%s is said to be the machine of n8n', async (host) => {
	const unused = createServer();
	const port = await portOf(unused);
	unused.close();
	const text = await said(`http://${host}:${port}`);
	expect(text).toMatch(/^The service does not accept connections\. /);
	expect(text).toContain(`${host} is the machine or the container in which n8n itself runs.`);
});

describe('a proxy', () => {
	const SERVICE = 'https://api.example.test';
	const PAGE = `<html>${'x'.repeat(3_000)}</html>`;

	/** A proxy that answers CONNECT with this; an empty answer just ends the connection. */
	async function proxied(answer: string): Promise<void> {
		const proxy = createHttpServer().on('connect', (_, socket) => {
			connections++;
			socket.on('error', () => undefined).end(answer);
		});
		useProxy(`http://user:secretOfTheProxy@127.0.0.1:${await portOf(proxy)}`);
	}

	/** The head of a refusal. n8n's proxy library does not read its page. */
	const refusal = (status: string, more = '') =>
		`HTTP/1.1 ${status}\r\n${more}content-type: text/html\r\ncontent-length: ${PAGE.length}\r\n\r\n`;

	test.each(BOTH)('that wants a login is named, and nothing was sent: %s', async (_name, parameters) => {
		await proxied(
			refusal('407 Proxy Authentication Required', 'proxy-authenticate: Basic realm="p"\r\n'),
		);
		const text = await said(SERVICE, parameters);
		expect(text).toMatch(
			/^The proxy that n8n uses did not connect to the service\. Nothing reached the service\. /,
		);
		expect(text).toContain(
			'It requires a user name and a password, or does not accept the ones it received.',
		);
		expect(text).not.toMatch(/unclear|secretOfTheProxy/);
		expect(connections).toBe(ONE_TRY);
	});

	test.each(BOTH)(
		'that ends the connection is named, and nothing was sent: %s',
		async (_name, parameters) => {
			await proxied('');
			const text = await said(SERVICE, parameters);
			expect(text).toMatch(/^The proxy that n8n uses did not connect to the service\. /);
			expect(text).not.toMatch(/unclear|secretOfTheProxy/);
		},
	);

	test('that refuses looks like a refusal of the service, for which it is suspected', async () => {
		for (const page of ['', PAGE]) {
			await proxied(refusal('403 Forbidden') + page);
			const text = await said(SERVICE);
			expect(text).toMatch(/^The service refused the request\. /);
			expect(text).toContain(
				'A firewall, or the proxy that n8n uses, may have refused the request before',
			);
			expect(text).toContain('HTTP 403.');
		}
		expect(connections).toBe(2);
	});

	test.each(BOTH)('that is down is named, without its password: %s', async (_name, parameters) => {
		const unused = createServer();
		const port = await portOf(unused);
		unused.close();
		useProxy(`http://user:secretOfTheProxy@127.0.0.1:${port}`);
		const text = await said(SERVICE, parameters);
		expect(text).toMatch(/^The proxy that n8n uses did not connect to the service\. /);
		expect(text).toContain(`n8n tried 127.0.0.1:${port}, which is not the service's address.`);
		expect(text).not.toMatch(/unclear|secretOfTheProxy/);
	});
});
