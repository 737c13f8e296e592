import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a path is answered: with a status, headers and a body, or by hand. */
export interface PlainReply {
	status?: number;
	headers?: Record<string, string>;
	/** A text or bytes as they are; anything else as JSON. */
	body?: unknown;
	byHand?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A service for all tests of a file. It gives the answers that a test sets, for replies that no sandbox gives. */
export function usePlainService() {
	const service = {
		apiKey: 'PLAINSERVICEKEYQWERTZUIOPASDFG',
		url: '',
		/** Method and address of each request, without the key. */
		requests: [] as string[],
		replies: {} as Record<string, PlainReply>,
		/** Answers by method and path, such as `GET /v2/jobs`. */
		reset(replies: Record<string, PlainReply> = {}): void {
			service.requests.length = 0;
			service.replies = replies;
		},
	};
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? '/', service.url);
		url.searchParams.delete('token');
		const { method = 'GET' } = request;
		service.requests.push(`${method} ${url.pathname}${url.search}`);
		const nothing: PlainReply = { status: 404, body: 'Nothing here' };
		const reply = service.replies[`${method} ${url.pathname}`] ?? nothing;
		const { status = 200, headers = {}, body = '', byHand } = reply;
		request.resume();
		if (byHand) return byHand(request, response);
		const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
		response.writeHead(status, headers).end(isRaw ? body : JSON.stringify(body));
	});
	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return service;
}
