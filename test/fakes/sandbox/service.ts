import type { SandboxClock } from './clock.ts';
import type { FaultList } from './faults.ts';
import type { LoggedRequest } from './http/requestLog.ts';
import type { JobStore } from './jobStore.ts';
import type { SandboxOptions } from './options.ts';
import type { Webhooks } from './webhooks.ts';

/** All parts of one running sandbox. */
export interface Service {
	options: SandboxOptions;
	clock: SandboxClock;
	jobs: JobStore;
	faults: FaultList;
	webhooks: Webhooks;
	/** Requests to the sandbox, oldest first, at most `requestLogLimit`. */
	requests: LoggedRequest[];
	/** Times of status requests and of creations, by account. */
	statusRequests: Map<string, number[]>;
	creations: Map<string, number[]>;
	/** How many replies `createDelayMs` is holding back. */
	delayed: number;
	/** Pre-rendered downloads by name. The name is enough to read the file, without a key. */
	tickets: Map<string, { jobId: string; format: string }>;
	/** Base addresses of the two listeners; known once they listen. */
	addresses: { url: string; otherOriginUrl: string };
	/** How often it was reset. Requests from before a reset are dropped. */
	resets: number;
	/** Forgets jobs, faults and requests, and restores the initial options; clock and addresses stay. */
	reset: () => void;
}
