'use strict';

const { once } = require('node:events');
const http = require('node:http');

/** What n8n's documentation has a load balancer send to webhook processors. */
const WEBHOOKS = /^\/(webhook|webhook-waiting)\//;

/**
 * The address that users and services know: hands calls of webhooks to the webhook processor and everything else to the
 * main process. A process that is down, or breaks off, gives 502, as behind every reverse proxy.
 * @param {{ port: number, main: () => string, webhooks: () => string }} settings addresses of the processes
 */
async function startGateway({ port, main, webhooks }) {
	const server = http.createServer((request, response) => {
		const address = WEBHOOKS.test(request.url) ? webhooks() : main();
		const { method, headers } = request;
		const onward = http.request(address + request.url, { method, headers, agent: false }, (reply) => {
			response.writeHead(reply.statusCode, reply.headers);
			reply.pipe(response);
			reply.on('error', () => response.destroy());
		});
		onward.on('error', () => {
			if (response.headersSent) response.destroy();
			else response.writeHead(502).end('Bad gateway');
		});
		request.pipe(onward);
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	return {
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

module.exports = { startGateway };
