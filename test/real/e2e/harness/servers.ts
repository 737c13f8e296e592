import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Has a server listen on a free port of the loopback address, and gives that port. */
export async function listen(server: Server): Promise<number> {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return (server.address() as AddressInfo).port;
}

/** A server to which others send JSON; those that hang up in the middle of it are not heard. */
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
