import type { SandboxClock } from './clock.ts';
import type { FaultList } from './faults.ts';
import type { RateLimit } from './http/rateLimit.ts';
import type { RequestLog } from './http/requestLog.ts';
import type { Tickets } from './http/tickets.ts';
import type { JobStore } from './jobStore.ts';
import type { SandboxOptions } from './options.ts';
import type { Webhooks } from './webhooks.ts';

/** All parts of one running sandbox. */
export interface Service {
	options: SandboxOptions;
	/** What a reset goes back to. */
	initialOptions: SandboxOptions;
	clock: SandboxClock;
	jobs: JobStore;
	faults: FaultList;
	log: RequestLog;
	rateLimit: RateLimit;
	tickets: Tickets;
	webhooks: Webhooks;
	/** Base addresses of the three listeners; known once they listen. */
	addresses: { url: string; legacyUrl: string; otherOriginUrl: string };
}
