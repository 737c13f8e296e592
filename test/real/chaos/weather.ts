import { Dice } from '../../fakes/sandbox/content/random.ts';
import type { Fault, FaultRule } from '../../fakes/sandbox/faults.ts';
import type { SandboxOptions } from '../../fakes/sandbox/options.ts';
import { SERVICES } from './plan.ts';

/** A service's settings and faults from the beginning. */
export interface ServicePlan {
	options: Partial<SandboxOptions>;
	/** By request number, so that a seed breaks the same requests. */
	faults: FaultRule[];
	/** Whether the credential of each account signs its callbacks. */
	isSigned: boolean[];
}

const ENDPOINTS = {
	create: { method: 'POST', pathPattern: '^/v2/jobs$' },
	list: { method: 'GET', pathPattern: '^/v2/jobs$' },
	status: { method: 'GET', pathPattern: '^/v2/jobs/[^/]+$' },
	download: { method: 'GET', pathPattern: '^/v2/jobs/[^/]+/download$' },
};
type Endpoint = keyof typeof ENDPOINTS;

/** The percentage of requests that break. */
const SHARES: Record<Endpoint, number> = { create: 12, list: 8, status: 8, download: 15 };
const REQUESTS = 4_000;

const LATE: Fault = { type: 'delay', ms: 4_000 };
const BUSY: Fault[] = [
	{ type: 'tooManyRequests', retryAfterSeconds: 2 },
	{ type: 'serverError' },
	{ type: 'htmlUnavailable' },
	{ type: 'textBadGateway' },
	{ type: 'reset' },
	LATE,
];
const FAULTS: Record<Endpoint, Fault[]> = {
	// A reply that is lost after the job was created can cost money.
	create: [
		...BUSY,
		{ type: 'reset', when: 'after' },
		{ type: 'reset', when: 'after' },
		{ type: 'htmlUnavailable', when: 'after' },
		{ type: 'emptyBody', when: 'after' },
		{ type: 'truncate' },
		{ type: 'noAnswer', when: 'after' },
	],
	list: [...BUSY, { type: 'truncate' }, { type: 'brokenJson' }],
	status: [
		...BUSY,
		{ type: 'truncate' },
		{ type: 'brokenJson' },
		{ type: 'refusal', reason: 'job not found', status: 404 },
	],
	download: [
		...BUSY,
		{ type: 'truncate' },
		{ type: 'truncate', length: false },
		{ type: 'html' },
		{ type: 'brokenJson' },
		{ type: 'drip', bytes: 4_096, intervalMs: 50 },
		{ type: 'stall', bytes: 100 },
	],
};

function faultsOf(dice: Dice): FaultRule[] {
	const broken = new Map<string, FaultRule & { match: { nth: number[] } }>();
	for (const endpoint of Object.keys(ENDPOINTS) as Endpoint[]) {
		for (let request = 1; request <= REQUESTS; request++) {
			if (!dice.chance(SHARES[endpoint])) continue;
			const fault = dice.pick(FAULTS[endpoint]);
			const name = `${endpoint} ${JSON.stringify(fault)}`;
			const rule = broken.get(name) ?? { match: { ...ENDPOINTS[endpoint], nth: [] }, fault };
			rule.match.nth.push(request);
			broken.set(name, rule);
		}
	}
	return [...broken.values()];
}

/** Services that differ in what the document leaves open, such as whether job lists have values and callback URLs. */
export function servicesOf(seed: string): ServicePlan[] {
	const dice = new Dice(`${seed} services`);
	return Array.from({ length: SERVICES }, (_, service) => ({
		options: {
			requestLogLimit: 1_000_000,
			// A value that is never answered keeps a job for half a minute.
			timeoutMinuteMs: 30_000,
			jobDurationMs: 2_000,
			statusRateLimit: dice.pick([0, 60]),
			retryAfter: 'seconds',
			listFields: [
				['order', 'values', 'counters', 'times'],
				['order', 'values', 'webhookUrl', 'times'],
				['order', 'counters', 'times'],
			][service] as SandboxOptions['listFields'],
			listLagMs: dice.pick([0, 3_000, 15_000]),
			statusLagMs: dice.pick([0, 0, 2_000]),
			statusDelayMs: dice.pick([0, 0, 5_000]),
			listOrder: dice.pick(['newest', 'oldest', 'shuffled']),
			listShape: dice.pick(['data', 'array', 'dataJobs']),
			createReply: dice.pick(['minimal', 'minimal', 'job']),
			lookupValues: dice.pick(['both', 'both', 'values', 'value']),
			resultsOrder: dice.pick(['asAsked', 'reversed', 'shuffled']),
			// Not `underKey`: the package cannot match such results, and the audit would take them for lost.
			valueEcho: dice.pick(['asSent', 'asSent', 'lowerCase', 'lowerCase']),
			gtinEcho: dice.pick(['padded', 'stripped', 'asSent']),
			cachedJobs: dice.pick(['likeOthers', 'finishedAtOnce']),
		},
		faults: faultsOf(dice),
		isSigned: [dice.chance(50), dice.chance(50)],
	}));
}

/** A service's next settings: how long new jobs take, and what happens to callbacks. */
export const changed = (dice: Dice): Partial<SandboxOptions> => ({
	jobDurationMs: dice.pick([300, 2_000, 8_000, 30_000, 75_000]),
	webhookLossEvery: dice.pick([0, 0, 2, 3, 5]),
	webhookDuplicates: dice.pick([0, 0, 1, 2]),
	webhookDelayMs: dice.pick([0, 0, 3_000, 20_000]),
	webhookRetries: dice.pick([0, 0, 4]),
	webhookRetryDelayMs: 5_000,
});

/** A service after the storm: no callback is lost, and the service repeats those that are not accepted. */
export const CALM: Partial<SandboxOptions> = {
	jobDurationMs: 1_000,
	webhookLossEvery: 0,
	webhookDuplicates: 0,
	webhookDelayMs: 0,
	webhookRetries: 6,
	webhookRetryDelayMs: 5_000,
};
