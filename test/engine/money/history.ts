import fc from 'fast-check';

import type { FaultRule } from '../../fakes/sandbox/faults';
import { CHOICES as CHOICES_OF_SANDBOX, SETS, type SandboxOptions } from '../../fakes/sandbox/options';
import { arbitraryOwnService, contentOf, fieldNamesOf, type Truth } from '../../fakes/services/ownShapes';
import { ODD, ODD_READS } from '../support/odd';

/** Terms whose echoes may look alike, terms that steer the sandbox, and an empty one that cannot be sent. */
const TERMS = ['kettle', 'Kettle', 'mug', 'Café', 'cafe', 'notfound-x', 'fail-y', ''];
/** Never sent. Unless the output has rows, its whole item fails. */
export const MISTYPED = '4006381333932';
/** The same GTINs with and without leading zeros, and a mistyped one. */
const GTINS = ['4006381333931', '04006381333931', '96385074', '0096385074', '4008400401621', MISTYPED];

/** What happens to one request that creates a job. */
export const CREATIONS = {
	goesWell: undefined,
	lostBefore: { type: 'reset', when: 'before' },
	lostAfter: { type: 'reset', when: 'after' },
	fails: { type: 'serverError', when: 'before' },
	failsAfter: { type: 'htmlUnavailable', when: 'after' },
	emptyAfter: { type: 'emptyBody', when: 'after' },
	noCredits: { type: 'refusal', reason: 'not enough free credits' },
	refused: { type: 'refusal', reason: 'source disabled' },
	tooMany: { type: 'tooManyRequests' },
	pageAfter: { type: 'pageRefusal', when: 'after' },
	pageBefore: { type: 'pageRefusal' },
	error: { type: 'errorHead', shape: 'meta' },
	route: { type: 'gatewayJson', shape: 'route' },
} as const satisfies Record<string, FaultRule['fault'] | undefined>;

/** Expressions for a parameter that changes with each try. With `mixed`, the items it tells apart change, too. */
export const DRIFTS = {
	none: undefined,
	byRun: '={{ 60 + ($now.toMillis() % 1000) }}',
	byItem: '={{ 60 + ($now.toMillis() % 1000) + 1000 * $itemIndex }}',
	mixed: '={{ 60 + ((7 * Math.floor($now.toMillis() / 1000) + $itemIndex) % 2) }}',
} as const;

/**
 * The parts of a history that have a few choices. The first choice is the plain one; repeated ones are more frequent.
 */
const CHOICES = {
	/** Rounds of the node in a loop of one execution. */
	rounds: [1, 1, 1, 2, 3],
	grouping: ['combine', 'combine', 'perItem'],
	maxValuesPerJob: [1, 2, 1000],
	waitMode: ['poll', 'durable', 'webhook'],
	/** Whether the second half of the items is queued for the same node before the first half sleeps. */
	queued: ['once', 'twice'],
	/** How n8n decides which of several nodes comes next. */
	executionOrder: ['v1', 'v1', 'v0'],
	/** Whether jobs end with words from the table, with unknown words, or with words that the credential names. */
	words: ['known', 'known', 'known', 'known', 'unknown', 'told'],
	/** Whether Still Running leads to a Wait node that loops, past it, or to a disabled one. */
	wiring: ['loop', 'loop', 'loop', 'loop', 'loose', 'disabled'],
	/**
	 * How the jobs are named a second time on their way to that node: as tickets, or by ID after or before the tickets.
	 */
	namedAgain: [undefined, undefined, 'tickets', 'behind', 'before'],
	output: ['results', 'results', 'results', 'entries', 'job', 'status'],
	onError: ['stopWorkflow', 'stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'],
	retryOnFail: [false, true],
	drift: ['none', 'none', 'none', 'byRun', 'byItem', 'mixed'],
	/** Whether switches, numbers and choices keep their types, or come from expressions as texts or one-entry lists. */
	kinds: ['plain', 'plain', 'texts', 'lists'],
	/** The item for which the expression of Values fails. */
	throwsAt: [...Array<undefined>(6), 0, 1],
	/** Minutes until n8n ends an execution, and how many of them pass before the node begins. */
	timeout: [
		undefined,
		undefined,
		undefined,
		{ minutes: 12, used: 8 },
		{ minutes: 12, used: 0 },
		{ minutes: 90, used: 1 },
	],
	maxWait: [undefined, undefined, 1, 30],
	onDeadline: ['stillRunning', 'stillRunning', 'cancel', 'error', 'rows', 'rows'],
	/** n8n is killed right before it stores the end of the first execution, unless that was suspended. */
	killed: [undefined, undefined, undefined, 'with its event log', 'without its event log'],
	/** What n8n then knows about the start of the execution; `days ago`: it was more than a day before. */
	beginning: ['known', 'unknown', 'days ago'],
	/** Seconds into a run after which somebody stops it. */
	stopAfter: [...Array<undefined>(6), 0, 5, 40],
	secret: ['', 'a secret for callbacks of the model'],
	lookupValues: ['automatic', 'automatic', 'single', 'list'],
} as const;

type Choices = { [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };
type Generated<One> = One extends fc.Arbitrary<infer Value> ? Value : never;

/** Words for ends that are in no table, and the credential fields that name them. */
export const OWN_WORDS = {
	service: { finishedSpelling: 'wrapped_up', failedSpelling: 'gave_up', cancelledSpelling: 'withdrawn' },
	credential: { finishedStatuses: 'Wrapped up', failedStatuses: 'gave-up', cancelledStatuses: 'withdrawn' },
} as const;

/** A random history of a run: what it asks for, how the service behaves, and what happens on the way. */
export interface History extends Choices {
	key: 'term' | 'gtin';
	/** The values that each item asks for. */
	items: string[][];
	service: Partial<SandboxOptions>;
	/** Contents in the service's own shape, and the Field Names that the user enters for them. */
	contents: { market: SandboxOptions['market']; fieldNamesText: string } | undefined;
	/** By request number. */
	creations: Array<keyof typeof CREATIONS>;
	faults: FaultRule[];
	/** Odd replies, each at the request with that number. */
	odd: FaultRule[];
	/** Another user of the account asks for the same before the run; the seconds that pass after each request. */
	twinsBefore: number[];
	/**
	 * Whether another user asks for more pages of the same right before the run, and for the same during a slow
	 * creation.
	 */
	twinBeside: boolean;
	steps: Step[];
	retries: Array<Generated<typeof retry>>;
	/** Whether the jobs' callbacks come in the end. */
	callbacksCome: boolean;
}

const plainChoices = Object.entries(CHOICES).map(([name, [first]]) => [name, first] as const);
/** A history in which nothing special happens. */
export const PLAIN: History = {
	...(Object.fromEntries(plainChoices) as unknown as Choices),
	...{ key: 'gtin', items: [['4006381333931']], service: { jobDurationMs: 500 }, callbacksCome: false },
	...{
		contents: undefined,
		creations: [],
		faults: [],
		odd: [],
		twinsBefore: [],
		twinBeside: false,
		steps: [],
		retries: [],
	},
};

/** One of these values; repeated ones are more frequent. */
const one = <const T>(...values: [T, ...T[]]) => fc.constantFrom(...values);

const step = fc.oneof(
	fc.record({ step: one('pass'), minutes: one(1, 5, 20, 300) }),
	/** A callback for the job with this number; `isOver`: at its end, else before. */
	fc.record({
		step: one('callback'),
		job: fc.nat(5),
		isOver: fc.boolean(),
		times: one(1, 1, 2),
		how: one('genuine', 'genuine', 'forged', 'foreign', 'bare'),
	}),
	fc.record({ step: one('newSecret') }),
);
/** What happens to a suspended run. */
export type Step = Generated<typeof step>;

/**
 * Minutes until somebody retries a failed execution; whether another user has asked for the same in between, or for
 * many other things; and whether n8n is killed right before it stores the end of the retry, unless that is suspended.
 */
const retry = fc.record({
	minutes: one(0, 1, 10, 300),
	twin: fc.boolean(),
	crowd: one(false, false, true),
	isRepaired: fc.boolean(),
	isKilled: one(false, false, true),
});

const creation = fc.oneof(
	{ weight: 1, arbitrary: one('goesWell') },
	{ weight: 1, arbitrary: fc.constantFrom(...(Object.keys(CREATIONS) as Array<keyof typeof CREATIONS>)) },
);

type Service = Partial<SandboxOptions>;

/** What a service may do where its document leaves it open. Options that are only odd together are drawn together. */
const AXES = {
	statusLag: fc.record({ statusLagMs: one(2_000, 15_000) }),
	listLag: fc.record({ listLagMs: one(3_000, 20_000) }),
	statusDelay: fc.record({ statusDelayMs: one(5_000, 90_000) }),
	cachedJobs: fc.record({ cachedJobs: one('finishedAtOnce') }),
	list: fc.record({
		listOrder: one('newest', 'oldest', 'shuffled'),
		listShape: one('data', 'array', 'dataJobs'),
		listPaging: one('pages', 'pages', 'capped', 'ignored', 'repeatLast'),
		listMaxPageSize: one(100, 20),
	}),
	listFields: fc.record({
		listFields: one(
			['order', 'values', 'times'],
			['order', 'values', 'webhookUrl', 'times'],
			['order', 'values'],
			['times'],
			[],
		),
	}),
	listSpelling: fc.record({ listSpelling: fc.subarray([...SETS.listSpelling], { minLength: 1 }) }),
	/** Whether the list shows parameters that were not sent. */
	listDefaults: fc.record({ listDefaults: one('sentOnly', 'all') }),
	// Replies may pass through something with a wrong clock, and jobs may be dated by local time.
	date: fc.record({ dateSkewMs: one(6 * 3_600_000, -6 * 3_600_000, 300_000, 1_320_000) }),
	jobTimes: fc.record({
		jobTimes: one('localWithZ', 'withoutZone', 'absent'),
		zoneMinutes: one(-240, 330),
	}),
	// The jobs are stamped by another clock than the replies.
	clock: fc.record({ clockSkewMs: one(3_000, 90_000, 240_000, -3_000, -90_000, -240_000) }),
	// Longer or shorter than a request may take.
	createDelay: fc.record({ createDelayMs: one(3_000, 90_000) }),
	createReply: fc.record({ createReply: one('job', 'empty', 'timedOut') }),
	valueEcho: fc.record({ valueEcho: one('lowerCase', 'plain', 'underKey', 'nothing') }),
	gtinEcho: fc.record({ gtinEcho: one('stripped', 'asSent') }),
	resultsOrder: fc.record({ resultsOrder: one('reversed', 'shuffled') }),
	dateHeader: fc.record({ dateHeader: one('absent') }),
	lookupValues: fc.record({ lookupValues: one('value', 'values') }),
	// A lower limit, such as two a minute, leaves the state of some jobs unknown at the deadline.
	statusRateLimit: fc.record({ statusRateLimit: one(60) }),
	// For all open jobs of the account, and for creations per minute.
	room: fc.record({
		maxOpenJobs: one(0, 2, 5),
		createRateLimit: one(0, 4),
		retryAfter: one('none', 'seconds'),
	}),
	cancelReply: fc.record({ cancelReply: one('empty') }),
	end: fc.record({
		jobEnd: one('finished', 'failed', 'cancelled'),
		endedDownload: one('serve', 'refuse'),
		partialEnds: fc.boolean(),
		reasonField: one('reason', 'failure'),
		endReason: one('', 'out of quota'),
	}),
	running: fc.record({
		runningResults: one('none', 'soFar'),
		earlyDownload: fc.constantFrom(...CHOICES_OF_SANDBOX.earlyDownload),
	}),
	results: fc.record({
		resultSuccess: one('boolean', 'absent', 'null', 'text'),
		resultContent: one('content', 'Content', 'flat', 'beside'),
		resultComment: one('', 'price incl. VAT'),
		resultMetadata: one('object', 'absent'),
		oddResults: one('every', 'second'),
	}),
	content: fc.record({
		contentShape: fc.constantFrom(...CHOICES_OF_SANDBOX.contentShape),
		productContent: fc.constantFrom(...CHOICES_OF_SANDBOX.productContent),
		notFoundContent: fc.constantFrom(...CHOICES_OF_SANDBOX.notFoundContent),
		nesting: fc.subarray([...SETS.nesting]),
		offerTraits: fc.subarray([...SETS.offerTraits]),
	}),
	late: fc.oneof(
		fc.record({
			resultsDelayMs: one(2_000, 20_000, 120_000, 600_000),
			lateResults: one('refuse', 'notFound', 'noContent', 'conflict', 'noResults'),
		}),
		// An empty list counts once it is repeated half a minute later, so it stays empty for less than that.
		fc.record({ resultsDelayMs: one(2_000, 20_000), lateResults: one('emptyResults') }),
	),
} satisfies Record<string, fc.Arbitrary<Service>>;

const ALL_AXES = Object.values(AXES);
/** Drawn more often, because a history that never sees a job shows none of this. */
const FREQUENT = [AXES.late, AXES.running, AXES.end, AXES.room, AXES.date, AXES.jobTimes, AXES.listSpelling];

/** Services that are odd in a few respects, and some that are odd in half of them. */
const service: fc.Arbitrary<Service> = fc
	.tuple(
		fc.record({ jobDurationMs: one(500, 10_000, 10_000, 120_000, 3_600_000) }),
		fc.oneof(
			{ weight: 3, arbitrary: fc.subarray([...ALL_AXES, ...FREQUENT], { maxLength: 8 }) },
			{ weight: 1, arbitrary: fc.subarray(ALL_AXES) },
		),
	)
	.chain(([plain, axes]) => fc.tuple(...axes).map((all): Service => Object.assign({}, plain, ...all)));

const STATUS = '/jobs/[^/]+$';
const fault: fc.Arbitrary<FaultRule> = fc.record({
	match: one(
		{ method: 'GET', pathPattern: '^/v2/jobs$' },
		{ method: 'GET', pathPattern: STATUS },
		{ method: 'GET', pathPattern: '/download' },
	),
	times: one(1, 3, 6, 500),
	fault: fc.constantFrom<FaultRule['fault']>(
		{ type: 'serverError' },
		{ type: 'reset' },
		{ type: 'tooManyRequests', retryAfterSeconds: 20 },
		{ type: 'refusal', reason: 'job not found', status: 404 },
		{ type: 'refusal', reason: 'job forbidden', status: 403 },
		{ type: 'gatewayJson', shape: 'route' },
		{ type: 'gatewayJson', shape: 'cannot' },
		{ type: 'gatewayJson', shape: 'framework' },
		{ type: 'nullList', shape: 'jobs' },
		{ type: 'nullList', shape: 'data' },
		{ type: 'errorHead', shape: 'head', code: 503 },
	),
});

/** Odd replies after which a creation may still have taken effect. A refusal says that it has not. */
const MISLEADING = Object.fromEntries(Object.entries(ODD).filter(([name]) => name !== 'a refusal in 200'));
const oneOf = (all: Readonly<Record<string, FaultRule['fault']>>) => fc.constantFrom(...Object.values(all));
const nth = fc.integer({ min: 1, max: 30 });
const odd: fc.Arbitrary<FaultRule> = fc.oneof(
	fc.record({ match: fc.record({ nth }), fault: oneOf(ODD) }),
	fc.record({
		match: fc.record({ nth }),
		fault: oneOf(MISLEADING).map((one) => ({ ...one, when: 'after' }) as FaultRule['fault']),
	}),
	fc.record({ match: fc.record({ method: one('GET'), nth }), fault: oneOf(ODD_READS) }),
);

const choices = Object.fromEntries(
	Object.entries(CHOICES).map(([name, values]) => [name, fc.constantFrom<unknown>(...values)]),
) as { [Name in keyof Choices]: fc.Arbitrary<Choices[Name]> };

/** Contents in one shape for the values that find something. */
const contents = arbitraryOwnService(4).map(({ shape, told, truths }) => ({
	market: Object.fromEntries(
		[...TERMS, ...GTINS]
			.filter((value) => !/^(notfound|fail|$)/.test(value))
			.map((value, index) => [
				value,
				contentOf(truths[index % truths.length] as Truth, shape) as object,
			]),
	),
	fieldNamesText: fieldNamesOf(shape, told),
}));

/** Items, each with a different value. */
export const LAMPS = Array.from({ length: 200 }, (_, index) => [`lamp ${index}`]);
/** Enough of them that the node reads their states from the job list. */
const MANY = LAMPS.slice(0, 14);
const items = (key: History['key']) =>
	fc.oneof(
		{
			weight: 7,
			arbitrary: fc.array(
				fc.array(fc.constantFrom(...(key === 'term' ? TERMS : GTINS)), {
					minLength: 1,
					maxLength: 3,
				}),
				{ minLength: 1, maxLength: 4 },
			),
		},
		{ weight: key === 'term' ? 1 : 0, arbitrary: fc.constant(MANY) },
	);

/**
 * Anything that keeps a run from its rows. Each history has some of it, so that some runs reach rows, and others meet
 * it all.
 */
const TROUBLE = [
	...(['rounds', 'queued', 'wiring', 'namedAgain', 'output', 'onError', 'retryOnFail', 'drift'] as const),
	...(['kinds', 'words', 'throwsAt', 'timeout', 'maxWait', 'onDeadline', 'killed', 'stopAfter'] as const),
	...(['contents', 'creations', 'faults', 'odd', 'twinsBefore', 'twinBeside', 'retries'] as const),
];
const pick = <T extends object, Name extends keyof T>(object: T, names: Name[]): Pick<T, Name> =>
	Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, Name>;

export const histories: fc.Arbitrary<History> = fc
	.constantFrom('term', 'gtin')
	.chain((key) =>
		fc.record({
			key: fc.constant(key),
			items: items(key),
			...choices,
			service,
			contents: fc.oneof({ weight: 5, arbitrary: one(undefined) }, { weight: 1, arbitrary: contents }),
			creations: fc.array(creation, { maxLength: 5 }),
			faults: fc.array(fault, { maxLength: 2 }),
			odd: fc.array(odd, { maxLength: 3 }),
			twinsBefore: fc.array(one(20, 400, 80_000), { maxLength: 2 }),
			twinBeside: one(false, false, true),
			steps: fc.array(step, { maxLength: 6 }),
			retries: fc.array(retry, { maxLength: 3 }),
			callbacksCome: fc.boolean(),
			plain: fc.oneof(
				{ weight: 3, arbitrary: fc.subarray(TROUBLE) },
				{ weight: 1, arbitrary: fc.constant(TROUBLE) },
			),
		}),
	)
	.map(({ plain, ...history }) => ({ ...history, ...pick(PLAIN, plain) }))
	.map((history): History => ({
		...history,
		...(history.items === MANY && { maxValuesPerJob: 1 }),
		// A node before a disabled one gets the jobs, whatever comes next.
		...(history.wiring === 'disabled' && { namedAgain: undefined }),
		// The node checks a job that seems to run until the deadline, so there must be one.
		...(history.words === 'unknown' && { maxWait: history.maxWait ?? 30 }),
		// With a wrong clock, our jobs look like those that another user asked for seconds apart.
		...(history.service.clockSkewMs !== undefined && {
			twinsBefore: [],
			retries: history.retries.map((retry) => ({ ...retry, twin: false })),
		}),
		// Local time is derived from an older job in whole quarters of an hour, which requires a right clock.
		...(history.service.jobTimes === 'localWithZ' && {
			service: { ...history.service, clockSkewMs: 0 },
		}),
	}));
