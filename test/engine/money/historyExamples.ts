import { LAMPS, PLAIN, type History } from './history';

const STATUS = { method: 'GET', pathPattern: '/jobs/[^/]+$' };
const LIST = { method: 'GET', pathPattern: '^/v2/jobs$' };
const HOUR_MS = 3_600_000;

/** Ten minutes later somebody retries what has failed. */
const RETRY: History['retries'] = [
	{ minutes: 10, twin: false, crowd: false, isRepaired: true, isKilled: false },
];
const TWO: Partial<History> = { items: [['4006381333931'], ['96385074']], queued: 'twice' };
const LOST: Partial<History> = { creations: ['lostAfter'], retries: RETRY };
const slow = { jobDurationMs: 120_000 };

/** Of a product whose only offer is an object, and no list. */
const ONE_OFFER = { name: 'Kettle', offers: { price: '9.00', currency: 'EUR', shop: 'A', condition: 'new' } };

/** What random histories have found, or rarely come to, by the fault that it is about. */
const RARE: Record<string, Partial<History>> = {
	'a node that is queued twice passes on what it has not asked for': {
		...{ ...TWO, waitMode: 'durable', service: slow },
	},
	'… also where it sleeps until it is called': { ...TWO, waitMode: 'webhook', service: slow },
	'… also in the older order': { ...TWO, waitMode: 'durable', executionOrder: 'v0', service: slow },
	'a job that never ends is waited for without end': { words: 'unknown', maxWait: 1 },
	'… and its word is not said by a node that sleeps': {
		...{ words: 'unknown', maxWait: 1, waitMode: 'durable', service: { jobDurationMs: 10_000 } },
	},
	'… nor after a cancellation': {
		...{ words: 'unknown', maxWait: 30, onDeadline: 'cancel', service: { jobDurationMs: HOUR_MS } },
	},
	'… nor in an error about another job': {
		...{ words: 'unknown', maxWait: 30, waitMode: 'durable', wiring: 'disabled', queued: 'twice' },
		...{ key: 'term', items: LAMPS.slice(0, 14), maxValuesPerJob: 1 },
	},
	'late replies count as later ones': {
		...{ key: 'term', items: LAMPS.slice(0, 14), maxValuesPerJob: 1 },
		service: { jobDurationMs: 10_000, resultsDelayMs: 20_000, lateResults: 'emptyResults' },
	},
	'the words of the credential are not read': { words: 'told', waitMode: 'durable', service: slow },
	'a job is cancelled before its time': {
		...{ waitMode: 'durable', wiring: 'disabled', onDeadline: 'cancel', service: slow },
	},
	'late results are waited for in vain': {
		onDeadline: 'error',
		service: { jobDurationMs: 500, resultsDelayMs: 120_000, lateResults: 'conflict' },
	},
	'… by a node that sleeps': {
		waitMode: 'durable',
		service: { jobDurationMs: 500, resultsDelayMs: 120_000, lateResults: 'noResults' },
	},
	'a job that runs is lost beside late results': {
		...{
			waitMode: 'durable',
			maxValuesPerJob: 1,
			items: [['4006381333931'], ['96385074'], ['4008400401621']],
		},
		service: { jobDurationMs: 120_000, resultsDelayMs: 600_000, lateResults: 'refuse', maxOpenJobs: 2 },
	},
	'an empty list is believed at once': {
		service: { jobDurationMs: 500, resultsDelayMs: 20_000, lateResults: 'emptyResults' },
	},
	'results so far are given as the results': {
		...{ key: 'term', items: LAMPS, maxValuesPerJob: 1, maxWait: 1, wiring: 'loose', onDeadline: 'rows' },
		service: {
			...{ jobDurationMs: HOUR_MS, statusRateLimit: 60 },
			...{ runningResults: 'soFar', earlyDownload: 'soFarBare' },
		},
		faults: [{ match: LIST, times: 'always', fault: { type: 'serverError' } }],
	},
	'the words of a gateway prove that a job is gone': {
		service: slow,
		faults: [{ match: STATUS, times: 12, fault: { type: 'gatewayJson', shape: 'route' } }],
	},
	'the clock of the replies proves that a job is not ours': {
		...LOST,
		service: { jobDurationMs: 500, dateSkewMs: 22 * 60_000, listFields: ['times'] },
	},
	'local time proves that a job is not ours': {
		...LOST,
		service: { jobDurationMs: 500, jobTimes: 'localWithZ', zoneMinutes: -240, listFields: ['times'] },
	},
	'a number for a source proves that a job is not ours': {
		...LOST,
		service: { jobDurationMs: 500, listSpelling: ['numbers'], listFields: ['order', 'times'] },
	},
	'a service without room ends the run': {
		...{ key: 'term', items: LAMPS.slice(0, 5), maxValuesPerJob: 1 },
		service: { jobDurationMs: 10_000, maxOpenJobs: 2 },
	},
	'a remark is taken for a failure': {
		service: { jobDurationMs: 500, resultSuccess: 'absent', resultComment: 'price incl. VAT' },
	},
	'an offer that is no list is lost': {
		output: 'entries',
		contents: { market: { '4006381333931': ONE_OFFER }, fieldNamesText: '' },
	},
	'many jobs are not over in the time': {
		...{ key: 'term', items: LAMPS, maxValuesPerJob: 1, maxWait: 1 },
		service: { jobDurationMs: 10_000, statusRateLimit: 60 },
	},
};

/** Histories that are played besides those that are drawn. */
export const EXAMPLES: History[] = [
	...Object.values(RARE).map((history) => ({ ...PLAIN, ...history })),
	{
		...PLAIN,
		items: [['4006381333932', '4006381333931'], ['4006381333931']],
		waitMode: 'webhook',
		timeout: { minutes: 12, used: 0 },
		faults: [{ match: STATUS, times: 6, fault: { type: 'serverError' } }],
	},
	{
		...PLAIN,
		key: 'term',
		items: [['kettle', 'notfound-x']],
		waitMode: 'durable',
		maxWait: 1,
		onError: 'continueRegularOutput',
		retryOnFail: true,
		creations: ['emptyAfter'],
		faults: [{ match: STATUS, times: 3, fault: { type: 'tooManyRequests', retryAfterSeconds: 20 } }],
		steps: [{ step: 'pass', minutes: 300 }],
	},
	{
		...PLAIN,
		items: [['4006381333932', '4006381333931']],
		waitMode: 'durable',
		maxWait: 1,
		onError: 'continueRegularOutput',
		faults: [{ match: STATUS, times: 9, fault: { type: 'serverError' } }],
		steps: [{ step: 'pass', minutes: 300 }],
	},
	{
		...PLAIN,
		items: [['4006381333932', '4006381333931']],
		waitMode: 'webhook',
		service: { jobDurationMs: 3_600_000 },
		faults: [
			{
				match: { method: 'GET', pathPattern: '/download' },
				times: 6,
				fault: { type: 'tooManyRequests', retryAfterSeconds: 20 },
			},
		],
		steps: [
			{ step: 'pass', minutes: 20 },
			{ step: 'callback', job: 0, isOver: true, times: 1, how: 'genuine' },
			{ step: 'pass', minutes: 20 },
		],
	},
	{
		...PLAIN,
		service: { jobDurationMs: 500, listFields: ['order', 'values', 'times'] },
		twinBeside: true,
		creations: ['lostBefore'],
	},
];
