import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INode } from 'n8n-workflow';

import { node } from '../../engine/workflow';

/** What workflows do with their items, as somebody outside n8n sees it: one request per item. */
export interface Effects {
	received: Array<Record<string, unknown>>;
	/** The node "Report", which makes the requests. */
	report: () => INode;
	server: Server;
}

export async function startEffects(): Promise<Effects> {
	const received: Effects['received'] = [];
	const server = createServer((request, response) => {
		let text = '';
		request.on('data', (chunk: Buffer) => (text += chunk.toString()));
		request.on('end', () => {
			// n8n was ended in the middle of it.
			if (!request.complete) return;
			received.push(JSON.parse(text) as Record<string, unknown>);
			response.end('{}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const parameters = {
		method: 'POST',
		url: `http://127.0.0.1:${port}/`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: '={{ JSON.stringify($json) }}',
		options: {},
	};
	const report = () => node('Report', 'n8n-nodes-base.httpRequest', parameters, { typeVersion: 4.2 });
	return { received, report, server };
}

/** Does the work with so many at once, in its order. */
export async function inParallel<T>(
	work: readonly T[],
	concurrency: number,
	run: (entry: T) => Promise<void>,
): Promise<void> {
	const queue = [...work];
	const worker = async () => {
		for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) await run(entry);
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
}
