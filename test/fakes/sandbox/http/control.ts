import type { IncomingMessage } from 'node:http';
import type { FaultRule } from '../faults.ts';
import { inspectJob } from '../inspection.ts';
import { applyOptions } from '../options.ts';
import type { Service } from '../service.ts';

function finished(service: Service, id: string): unknown {
	const job = service.jobs.find(decodeURIComponent(id));
	if (!job) throw new RangeError('There is no such job.');
	service.jobs.finish(job);
	return inspectJob(service, job);
}

/** What other processes can read and change, by `METHOD name`. */
const ROUTES: Record<string, (service: Service, body: unknown) => unknown> = {
	'GET options': ({ options }) => options,
	'POST options': ({ options }, body) => {
		applyOptions(options, body as object);
		return options;
	},
	'POST faults': ({ faults }, body) =>
		[body as FaultRule | FaultRule[]].flat().map((rule) => faults.add(rule)),
	'GET jobs': (service) => service.jobs.list().map((job) => inspectJob(service, job)),
	'GET requests': ({ requests }) => requests,
	'POST reset': (service) => {
		service.reset();
		return { jobs: 0 };
	},
};

/** Control by other processes. Not part of the service: without key, faults and log. */
export function control(service: Service, { method, url = '' }: IncomingMessage, body: string) {
	const name = /\/_sandbox\/([^?]*)/.exec(url)?.[1] ?? '';
	const id = /^jobs\/([^/]+)\/finish$/.exec(name)?.[1];
	try {
		if (method === 'POST' && id !== undefined) return { status: 200, body: finished(service, id) };
		const route = ROUTES[`${method} ${name}`];
		if (!route) return { status: 404, body: { error: 'There is no such control route.' } };
		return { status: 200, body: route(service, body === '' ? {} : JSON.parse(body)) };
	} catch (error) {
		return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
	}
}
