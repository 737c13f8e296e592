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

/** A service that answers what a test says, for replies that no sandbox gives. */
export class PlainService {
	readonly apiKey = 'PLAINSERVICEKEYQWERTZUIOPASDFG';
	/** Method and address of each request, without the key. */
	readonly requests: string[] = [];
	replies: Record<string, PlainReply> = {};
	url = '';

	private readonly server = createServer((request, response) => this.answer(request, response));

	async listen(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Answers by method and path, such as `GET /v2/jobs`. */
	reset(replies: PlainService['replies'] = {}): void {
		this.requests.length = 0;
		this.replies = replies;
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private answer(request: IncomingMessage, response: ServerResponse): void {
		const url = new URL(request.url ?? '/', this.url);
		url.searchParams.delete('token');
		const { method = 'GET' } = request;
		this.requests.push(`${method} ${url.pathname}${url.search}`);
		const nothing: PlainReply = { status: 404, body: 'Nothing here' };
		const reply = this.replies[`${method} ${url.pathname}`] ?? nothing;
		const { status = 200, headers = {}, body = '', byHand } = reply;
		request.resume();
		if (byHand) return byHand(request, response);
		const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
		response.writeHead(status, headers).end(isRaw ? body : JSON.stringify(body));
	}
}

/** A plain service for all tests of a file, to be called at its top. */
export function usePlainService(): PlainService {
	const service = new PlainService();
	beforeAll(async () => await service.listen());
	afterAll(async () => await service.close());
	return service;
}
