'use strict';

const { once } = require('node:events');
const http = require('node:http');

/** What n8n's documentation has a load balancer send to webhook processors. */
const WEBHOOKS = /^\/(webhook|webhook-waiting)\//;

/**
 * Whether a process may be sent calls, as load balancers ask it: for a moment of its start n8n answers 200 to every call,
 * "n8n is starting up", and hands none of them on.
 */
async function isReady(address) {
	const reply = await fetch(`${address}/healthz/readiness`).catch(() => undefined);
	return reply?.ok ?? false;
}

/**
 * The address that users and services know: hands calls of webhooks to the webhook processor and everything else to the
 * main process. A process that breaks off gives 502, and a webhook processor that is not ready 503, as behind every
 * reverse proxy with a health check.
 * @param {{ port: number, main: () => string, webhooks: () => string }} settings addresses of the processes
 */
async function startGateway({ port, main, webhooks }) {
	const server = http.createServer(async (request, response) => {
		const isWebhook = WEBHOOKS.test(request.url);
		const address = isWebhook ? webhooks() : main();
		if (isWebhook && !(await isReady(address))) {
			response.writeHead(503).end('Service unavailable');
			return;
		}
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
