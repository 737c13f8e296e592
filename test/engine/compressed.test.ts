import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { binaryContent, errorOf, items, outputItems, runWorkflow } from './harness';
import { locator, scenario } from './support';

const BODY = JSON.stringify({
	job_id: 'a',
	status: 'finished',
	results: [{ query: { value: 'pen' }, success: true, content: { name: 'Füller' } }],
});

/** A server, or a proxy before it, that compresses whatever it sends. */
let server: Server;
let encoding: 'br' | 'gzip';
beforeAll(async () => {
	server = createServer((_request, response) => {
		const compressed = encoding === 'br' ? brotliCompressSync(BODY) : gzipSync(BODY);
		response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
		response.end(compressed);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
	server.close();
	server.closeAllConnections();
});

const credential = () => ({
	baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
	apiKey: 'KEYKEYKEYKEY',
});
const download = { resource: 'job', operation: 'download', jobId: locator('id', 'a') };

describe.each(['gzip', 'br'] as const)('a reply in %s', (name) => {
	beforeEach(() => {
		encoding = name;
	});

	test('becomes rows', async () => {
		const run = await runWorkflow(scenario(credential(), download));
		expect(errorOf(run)).toBeUndefined();
		expect(items(run, 'Prices')).toMatchObject([{ value: 'pen', found: true, name: 'Füller' }]);
	});

	test('becomes the uncompressed file', async () => {
		const run = await runWorkflow(scenario(credential(), { ...download, output: 'file' }));
		expect(errorOf(run)).toBeUndefined();
		expect((await binaryContent(outputItems(run, 'Prices')[0]!)).toString()).toBe(BODY);
	});
});
