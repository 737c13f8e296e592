import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SandboxClock } from './clock.ts';
import { exactDigits } from './content/exactNumber.ts';
import { FaultList } from './faults.ts';
import type { LoggedRequest } from './http/requestLog.ts';
import { createOtherOrigin, createService } from './http/server.ts';
import { inspectJob } from './inspection.ts';
import { readJobRequest } from './jobRequest.ts';
import { JobStore } from './jobStore.ts';
import { applyOptions, defaultOptions } from './options.ts';
import type { SandboxOptions } from './options.ts';
import type { Result } from './results.ts';
import { trueResults } from './resultShape.ts';
import type { Service } from './service.ts';
import { Webhooks } from './webhooks.ts';

/** A running sandbox. Everything but the addresses may change while it runs. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

function serviceWith(options: SandboxOptions, now?: () => number): Service {
	const initial = structuredClone(options);
	const clock = new SandboxClock(now, options.manualClock);
	const webhooks = new Webhooks(() => service);
	const service: Service = {
		options,
		clock,
		jobs: new JobStore(options, clock, (job) => webhooks.jobEnded(job)),
		faults: new FaultList(),
		webhooks,
		requests: [],
		statusRequests: new Map(),
		creations: new Map(),
		tickets: new Map(),
		addresses: { url: '', otherOriginUrl: '' },
		...{ resets: 0, delayed: 0 },
		reset() {
			service.resets++;
			Object.assign(options, structuredClone(initial));
			service.jobs.clear();
			service.faults.clear();
			service.requests.length = 0;
			service.statusRequests.clear();
			service.creations.clear();
			webhooks.deliveries = [];
		},
	};
	return service;
}

async function listen(server: Server, port = 0, scheme = 'http'): Promise<string> {
	await once(server.listen(port, '127.0.0.1'), 'listening');
	return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Starts the service on the loopback interface, on free ports unless options say otherwise. `now` returns the time in
 * milliseconds, for tests that need a certain date.
 */
export async function startSandbox(changes: Partial<SandboxOptions> = {}, now?: () => number) {
	const options = defaultOptions();
	applyOptions(options, changes);
	const service = serviceWith(options, now);
	const { addresses, clock, faults, jobs, webhooks } = service;
	const [own, other] = [createService(service), createOtherOrigin(service)];
	/** Base address of the service, without a trailing slash. */
	const url = (addresses.url = await listen(own, options.port, options.tls ? 'https' : 'http'));
	/** A foreign host that redirects may lead to. */
	const otherOriginUrl = (addresses.otherOriginUrl = await listen(other));
	const requestsOf = (name: LoggedRequest['listener']) =>
		service.requests.filter(({ listener }) => listener === name);
	return {
		...{ url, otherOriginUrl, options, faults, clock },
		get apiKey() {
			return options.apiKey;
		},
		/** All jobs that exist, oldest first. */
		get jobs() {
			return jobs.list().map((job) => inspectJob(service, job));
		},
		/** All requests to the service's own address, oldest first. */
		get requests() {
			return requestsOf('service');
		},
		get otherOriginRequests() {
			return requestsOf('otherOrigin');
		},
		/** How many creations wait for the clock, see `createDelayMs`. */
		get delayed() {
			return service.delayed;
		},
		/** Every attempt of a callback. */
		get deliveries() {
			return webhooks.deliveries;
		},
		setOptions: (more: Partial<SandboxOptions>) => applyOptions(options, more),
		clearRequests() {
			service.requests.length = 0;
		},
		/** Creates a job of the first account, as a request with these parameters does, and returns its ID. */
		createJob: (order: Record<string, unknown>): string =>
			jobs.create(options.apiKey, readJobRequest(order, options)).id,
		/** Ends a running job now; false when there is no such job. */
		finishJob(id: string): boolean {
			const job = jobs.find(id);
			if (job) jobs.finish(job);
			return job !== undefined;
		},
		/**
		 * The results of a job in the document's shape, however they are sent; numbers too long for a double are texts.
		 * [] if the job does not exist.
		 */
		resultsOf(id: string): Result[] {
			const job = jobs.find(id);
			const results = job ? trueResults(job, clock.now(), options) : [];
			const text = JSON.stringify(results, (_name, field) => exactDigits(field) ?? (field as unknown));
			return JSON.parse(text) as Result[];
		},
		/** The sandbox's time, in milliseconds since 1970. */
		now: () => clock.now(),
		/** Skips time, in milliseconds. */
		advance: (ms: number) => clock.advance(ms),
		/** Forgets jobs, faults and requests, and restores the initial options. */
		reset: () => service.reset(),
		async close(): Promise<void> {
			clock.stop();
			webhooks.stop();
			const servers = [own, other];
			for (const server of servers) server.closeAllConnections();
			await Promise.all(servers.map((server) => once(server.close(), 'close')));
		},
	};
}
