import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Starts a server on a free port of the loopback address, and returns that port. */
export async function listen(server: Server): Promise<number> {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return (server.address() as AddressInfo).port;
}

/** A server that receives JSON. It drops requests that break off in the middle. */
export async function listenForJson<T>(hear: (body: T, response: ServerResponse) => void) {
	const server = createServer(async (request: IncomingMessage, response) => {
		const chunks: Buffer[] = [];
		try {
			for await (const chunk of request) chunks.push(chunk as Buffer);
			hear(JSON.parse(Buffer.concat(chunks).toString()) as T, response);
		} catch {
			response.destroy();
		}
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	const close = () => void server.close().closeAllConnections();
	return { url, close };
}
