import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { SandboxClock } from './clock.ts';
import { FaultList } from './faults.ts';
import { createApp } from './http/app.ts';
import type { ServiceRoute } from './http/app.ts';
import { createLegacyApp, createOtherOriginApp } from './http/otherListeners.ts';
import { RateLimit } from './http/rateLimit.ts';
import { RequestLog } from './http/requestLog.ts';
import type { LoggedRequest } from './http/requestLog.ts';
import { Tickets } from './http/tickets.ts';
import { inspectJob, resetService } from './inspection.ts';
import type { InspectedJob } from './inspection.ts';
import { trueResults } from './jobResults.ts';
import { JobStore } from './jobStore.ts';
import { applyOptions, defaultOptions } from './options.ts';
import type { SandboxOptions } from './options.ts';
import type { Result } from './results.ts';
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
	/** The routes of the service and of its control, for comparison with the description. */
	readonly routes: ServiceRoute[];
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
	/** The results of a job in the document's own shape, however they are sent; [] for a job that does not exist. */
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

function createService(options: SandboxOptions, now?: () => number): Service {
	const clock = new SandboxClock(now, options.manualClock);
	const webhooks = new Webhooks(() => service);
	const service: Service = {
		options,
		initialOptions: structuredClone(options),
		clock,
		jobs: new JobStore(options, clock, (job) => webhooks.jobEnded(job)),
		faults: new FaultList(),
		log: new RequestLog(() => options.requestLogLimit),
		rateLimit: new RateLimit(options, clock),
		tickets: new Tickets(),
		webhooks,
		addresses: { url: '', legacyUrl: '', otherOriginUrl: '' },
	};
	return service;
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
	await app.listen({ host, port });
	const { port: taken } = app.server.address() as AddressInfo;
	return `http://${host}:${taken}`;
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
	const service = createService(options, now);
	const routes: ServiceRoute[] = [];
	const apps = [
		createApp(service, routes),
		createLegacyApp(service),
		createOtherOriginApp(service),
	] as const;
	const { addresses } = service;
	addresses.url = (await listen(apps[0], options.host, options.port)) + options.pathPrefix;
	addresses.legacyUrl = await listen(apps[1], options.host, options.legacyPort);
	addresses.otherOriginUrl = await listen(apps[2], options.host, options.otherOriginPort);
	const requestsOf = (name: LoggedRequest['listener']) =>
		service.log.entries.filter(({ listener }) => listener === name);
	return {
		...addresses,
		routes,
		options,
		faults: service.faults,
		clock: service.clock,
		get apiKey() {
			return options.apiKey;
		},
		get jobs() {
			return service.jobs.list().map((job) => inspectJob(service, job));
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
			return service.webhooks.deliveries;
		},
		setOptions: (more) => applyOptions(options, more),
		clearRequests: () => service.log.clear(),
		finishJob(id) {
			const job = service.jobs.find(id);
			if (job) service.jobs.finish(job);
			return job !== undefined;
		},
		resultsOf(id) {
			const job = service.jobs.find(id);
			return job ? trueResults(job, service.clock.now(), options) : [];
		},
		now: () => service.clock.now(),
		advance: (ms) => service.clock.advance(ms),
		reset: () => resetService(service),
		async close() {
			service.clock.stop();
			service.webhooks.stop();
			await Promise.all(apps.map((one) => one.close()));
		},
	};
}
