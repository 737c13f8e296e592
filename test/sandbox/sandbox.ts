import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SandboxClock } from './clock.ts';
import { exactDigits } from './content/exactNumber.ts';
import { FaultList } from './faults.ts';
import type { LoggedRequest } from './http/requestLog.ts';
import { createLegacy, createOtherOrigin, createService } from './http/server.ts';
import { inspectJob } from './inspection.ts';
import type { InspectedJob } from './inspection.ts';
import { JobStore } from './jobStore.ts';
import { applyOptions, defaultOptions } from './options.ts';
import type { SandboxOptions } from './options.ts';
import type { Result } from './results.ts';
import { trueResults } from './resultShape.ts';
import type { Service } from './service.ts';
import { Webhooks } from './webhooks.ts';
import type { Delivery } from './webhooks.ts';

/** A running sandbox. Everything but the addresses may change while it runs. */
export interface Sandbox {
	/** Base address of the service, with the path prefix, without a trailing slash. */
	readonly url: string;
	/** The retired address, which refuses everything. */
	readonly legacyUrl: string;
	/** A foreign host that redirects may lead to. */
	readonly otherOriginUrl: string;
	readonly apiKey: string;
	readonly options: SandboxOptions;
	readonly faults: FaultList;
	readonly clock: SandboxClock;
	/** All jobs that exist, oldest first. */
	readonly jobs: InspectedJob[];
	/** All requests to the service's own address, oldest first. */
	readonly requests: LoggedRequest[];
	readonly legacyRequests: LoggedRequest[];
	readonly otherOriginRequests: LoggedRequest[];
	/** Every attempt to call back. */
	readonly deliveries: Delivery[];
	setOptions(changes: Partial<SandboxOptions>): void;
	clearRequests(): void;
	/**
	 * The results of a job in the document's own shape, however they are sent, with numbers that no double can hold as
	 * their texts; [] for a job that does not exist.
	 */
	resultsOf(id: string): Result[];
	/** Ends a running job now; false when there is no such job. */
	finishJob(id: string): boolean;
	/** The time there, in milliseconds since 1970. */
	now(): number;
	/** Skips time, in milliseconds. */
	advance(ms: number): void;
	/** Forgets jobs, faults and requests, and puts the options back to those of the start. */
	reset(): void;
	close(): Promise<void>;
}

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
		tickets: new Map(),
		addresses: { url: '', legacyUrl: '', otherOriginUrl: '' },
		resets: 0,
		reset() {
			service.resets++;
			Object.assign(options, structuredClone(initial));
			service.jobs.clear();
			service.faults.clear();
			service.requests.length = 0;
			service.statusRequests.clear();
			webhooks.deliveries = [];
		},
	};
	return service;
}

async function listen(server: Server, host: string, port: number): Promise<string> {
	await once(server.listen(port, host), 'listening');
	return `http://${host}:${(server.address() as AddressInfo).port}`;
}

/**
 * Starts the service on the loopback interface, on free ports unless options say otherwise.
 * `now` gives the time in milliseconds, for tests that need a date of their own.
 */
export async function startSandbox(
	changes: Partial<SandboxOptions> = {},
	now?: () => number,
): Promise<Sandbox> {
	const options = defaultOptions();
	applyOptions(options, changes);
	const service = serviceWith(options, now);
	const { addresses, clock, jobs, webhooks } = service;
	const { host, port, legacyPort, otherOriginPort, pathPrefix } = options;
	const [own, legacy, other] = [createService(service), createLegacy(service), createOtherOrigin(service)];
	addresses.url = (await listen(own, host, port)) + pathPrefix;
	addresses.legacyUrl = await listen(legacy, host, legacyPort);
	addresses.otherOriginUrl = await listen(other, host, otherOriginPort);
	const requestsOf = (name: LoggedRequest['listener']) =>
		service.requests.filter(({ listener }) => listener === name);
	return {
		...addresses,
		options,
		faults: service.faults,
		clock,
		get apiKey() {
			return options.apiKey;
		},
		get jobs() {
			return jobs.list().map((job) => inspectJob(service, job));
		},
		get requests() {
			return requestsOf('service');
		},
		get legacyRequests() {
			return requestsOf('legacy');
		},
		get otherOriginRequests() {
			return requestsOf('otherOrigin');
		},
		get deliveries() {
			return webhooks.deliveries;
		},
		setOptions: (more) => applyOptions(options, more),
		clearRequests() {
			service.requests.length = 0;
		},
		finishJob(id) {
			const job = jobs.find(id);
			if (job) jobs.finish(job);
			return job !== undefined;
		},
		resultsOf(id) {
			const job = jobs.find(id);
			const results = job ? trueResults(job, clock.now(), options) : [];
			const text = JSON.stringify(results, (_name, field) => exactDigits(field) ?? (field as unknown));
			return JSON.parse(text) as Result[];
		},
		now: () => clock.now(),
		advance: (ms) => clock.advance(ms),
		reset: () => service.reset(),
		async close() {
			clock.stop();
			webhooks.stop();
			const servers = [own, legacy, other];
			for (const server of servers) server.closeAllConnections();
			await Promise.all(servers.map((server) => once(server.close(), 'close')));
		},
	};
}
