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
	/** What was asked of the sandbox, oldest first, up to `requestLogLimit`. */
	requests: LoggedRequest[];
	/** When the status was asked for, and when jobs were created, by account. */
	statusRequests: Map<string, number[]>;
	creations: Map<string, number[]>;
	/** How many replies are held back by `createDelayMs` now. */
	delayed: number;
	/** Addresses of pre-rendered downloads by their names: whoever knows one may read the file, no key needed. */
	tickets: Map<string, { jobId: string; format: string }>;
	/** Base addresses of the two listeners; known once they listen. */
	addresses: { url: string; otherOriginUrl: string };
	/** How often it was reset: what was asked before is not done afterwards. */
	resets: number;
	/** Forgets jobs, faults and requests, and puts the options back to those of the start; clock and addresses stay. */
	reset: () => void;
}
