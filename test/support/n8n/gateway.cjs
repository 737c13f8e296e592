'use strict';

const { once } = require('node:events');
const http = require('node:http');

/** What a load balancer sends to webhook processors, by n8n's documentation. */
const WEBHOOKS = /^\/(webhook|webhook-waiting)\//;

/**
 * Whether a process can take calls, checked as by a load balancer. For a moment of its start, n8n answers every call
 * with 200, "n8n is starting up", and does not handle it.
 */
async function isReady(address) {
	const reply = await fetch(`${address}/healthz/readiness`).catch(() => undefined);
	return reply?.ok ?? false;
}

/**
 * The public address: sends webhook calls to the webhook processor and everything else to the main process. As with any
 * reverse proxy with a health check, a broken connection gives 502, and a webhook processor that is not ready 503.
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
