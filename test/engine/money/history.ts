import fc from 'fast-check';

import type { FaultRule } from '../../fakes/sandbox/faults';
import { CHOICES as CHOICES_OF_SANDBOX, SETS, type SandboxOptions } from '../../fakes/sandbox/options';
import { arbitraryOwnService, contentOf, fieldNamesOf, type Truth } from '../../fakes/services/ownShapes';
import { ODD, ODD_READS } from '../support/odd';

/** Terms whose echo may look alike, steered ones, and one value that cannot be asked for. */
const TERMS = ['kettle', 'Kettle', 'mug', 'Café', 'cafe', 'notfound-x', 'fail-y', ''];
/** Refused before anything is sent, and its item with it. */
export const MISTYPED = '4006381333932';
/** The same GTINs with and without zeros, and a mistyped one. */
const GTINS = ['4006381333931', '04006381333931', '96385074', '0096385074', '4008400401621', MISTYPED];

/** What becomes of one request to create a job. */
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

/** What a parameter that is another one in each try is by; `mixed`: which items it tells apart changes as well. */
export const DRIFTS = {
	none: undefined,
	byRun: '={{ 60 + ($now.toMillis() % 1000) }}',
	byItem: '={{ 60 + ($now.toMillis() % 1000) + 1000 * $itemIndex }}',
	mixed: '={{ 60 + ((7 * Math.floor($now.toMillis() / 1000) + $itemIndex) % 2) }}',
} as const;

/** What a history is made of that is one of a few choices. The first is the plain one; some are more frequent than others. */
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
	/** Whether jobs end with words that are in the table, with words in no table, or with such that the credential names. */
	words: ['known', 'known', 'known', 'known', 'unknown', 'told'],
	/** Whether Still Running leads to a Wait node that loops, past it, or to one that is disabled. */
	wiring: ['loop', 'loop', 'loop', 'loop', 'loose', 'disabled'],
	/** How the jobs are named once more on their way to that node: as tickets, or by their ID behind or before the ticket. */
	namedAgain: [undefined, undefined, 'tickets', 'behind', 'before'],
	output: ['results', 'results', 'results', 'entries', 'job', 'status'],
	onError: ['stopWorkflow', 'stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'],
	retryOnFail: [false, true],
	drift: ['none', 'none', 'none', 'byRun', 'byItem', 'mixed'],
	/** Whether switches, numbers and choices are what they are, or come by expressions as texts or in lists of one. */
	kinds: ['plain', 'plain', 'texts', 'lists'],
	/** The item for which the expression of Values fails. */
	throwsAt: [...Array<undefined>(6), 0, 1],
	/** Minutes after which n8n ends an execution, and how many of them are used up before the node begins. */
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
	/** n8n is killed right before it stores the end of the first execution, where that has not been suspended. */
	killed: [undefined, undefined, undefined, 'with its event log', 'without its event log'],
	/** What n8n knows then of the beginning of the execution: nothing, or that it was more than a day before. */
	beginning: ['known', 'unknown', 'days ago'],
	/** After so many seconds of a run n8n is told to stop it. */
	stopAfter: [...Array<undefined>(6), 0, 5, 40],
	secret: ['', 'a secret for callbacks of the model'],
	lookupValues: ['automatic', 'automatic', 'single', 'list'],
} as const;

type Choices = { [Name in keyof typeof CHOICES]: (typeof CHOICES)[Name][number] };
type Generated<One> = One extends fc.Arbitrary<infer Value> ? Value : never;

/** Words for ends that are in no table, and the fields of the credential that name them. */
export const OWN_WORDS = {
	service: { finishedSpelling: 'wrapped_up', failedSpelling: 'gave_up', cancelledSpelling: 'withdrawn' },
	credential: { finishedStatuses: 'Wrapped up', failedStatuses: 'gave-up', cancelledStatuses: 'withdrawn' },
} as const;

/** A random history of a run: what is asked for, how the service is, and what happens on the way. */
export interface History extends Choices {
	key: 'term' | 'gtin';
	/** The values that each item asks for. */
	items: string[][];
	service: Partial<SandboxOptions>;
	/** Contents in a shape of the service's own, and what the user tells of them. */
	contents: { market: SandboxOptions['market']; fieldNamesText: string } | undefined;
	/** By the number of the request. */
	creations: Array<keyof typeof CREATIONS>;
	faults: FaultRule[];
	/** One odd reply each, at the request of that number. */
	odd: FaultRule[];
	/** Jobs of somebody else with the same account that were asked for the same, seconds before the run. */
	twinsBefore: number[];
	/** Whether somebody else asks for more pages of the same at the moment of the run, and for the same beside a slow creation. */
	twinBeside: boolean;
	steps: Step[];
	retries: Array<Generated<typeof retry>>;
	/** Whether the callbacks of the jobs come in the end. */
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

/** One of these, of which some are more frequent than others. */
const one = <const T>(...values: [T, ...T[]]) => fc.constantFrom(...values);

const step = fc.oneof(
	fc.record({ step: one('pass'), minutes: one(1, 5, 20, 300) }),
	/** A call for the job of this number; `isOver`: at its end, else before. */
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
 * Minutes until somebody retries a failed execution; whether somebody else has asked for the same meanwhile, or for
 * many other things, and whether n8n is killed right before it stores the end of the retry, where that is not suspended.
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

/** What a service may do at the points that its document leaves open; what is only odd together is drawn together. */
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
	/** Whether the list shows what nobody sent. */
	listDefaults: fc.record({ listDefaults: one('sentOnly', 'all') }),
	// Where the replies come through something whose clock is wrong, and where jobs are dated by local time.
	date: fc.record({ dateSkewMs: one(6 * 3_600_000, -6 * 3_600_000, 300_000, 1_320_000) }),
	jobTimes: fc.record({
		jobTimes: one('localWithZ', 'withoutZone', 'absent'),
		zoneMinutes: one(-240, 330),
	}),
	// Where the jobs are stamped by another clock than the replies.
	clock: fc.record({ clockSkewMs: one(3_000, 90_000, 240_000, -3_000, -90_000, -240_000) }),
	// Longer than a request may take, or not.
	createDelay: fc.record({ createDelayMs: one(3_000, 90_000) }),
	createReply: fc.record({ createReply: one('job', 'empty', 'timedOut') }),
	valueEcho: fc.record({ valueEcho: one('lowerCase', 'plain', 'underKey', 'nothing') }),
	gtinEcho: fc.record({ gtinEcho: one('stripped', 'asSent') }),
	resultsOrder: fc.record({ resultsOrder: one('reversed', 'shuffled') }),
	dateHeader: fc.record({ dateHeader: one('absent') }),
	lookupValues: fc.record({ lookupValues: one('value', 'values') }),
	// Two a minute are too few for some jobs, of which nothing is known at the deadline.
	statusRateLimit: fc.record({ statusRateLimit: one(60) }),
	// Of all its jobs at a time, and of creations in a minute.
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
		// An empty list counts when it is repeated half a minute later, so that it stays empty for less.
		fc.record({ resultsDelayMs: one(2_000, 20_000), lateResults: one('emptyResults') }),
	),
} satisfies Record<string, fc.Arbitrary<Service>>;

const ALL_AXES = Object.values(AXES);
/** What is drawn more often: of a job that a history never comes to see, none of this shows. */
const FREQUENT = [AXES.late, AXES.running, AXES.end, AXES.room, AXES.date, AXES.jobTimes, AXES.listSpelling];

/** Services that are odd in a few respects, and some that are odd in half of all. */
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

/** Odd replies behind which a creation may have had its effect all the same; a refusal says that it had none. */
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

/** Items with a value of their own. */
export const LAMPS = Array.from({ length: 200 }, (_, index) => [`lamp ${index}`]);
/** So many of them that the job list is read for their states. */
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

/** Whatever keeps a run from its rows. Each history has a part of it, so that some come to rows, and others to all at once. */
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
		// A node before one that is disabled gets the jobs, whatever comes behind.
		...(history.wiring === 'disabled' && { namedAgain: undefined }),
		// A job that seems to run is looked at until the deadline.
		...(history.words === 'unknown' && { maxWait: history.maxWait ?? 30 }),
		// By a wrong clock ours cannot be told from what somebody else has asked for seconds apart.
		...(history.service.clockSkewMs !== undefined && {
			twinsBefore: [],
			retries: history.retries.map((retry) => ({ ...retry, twin: false })),
		}),
		// Local time is told from the time of an older job by whole quarters of an hour, if its clock is right.
		...(history.service.jobTimes === 'localWithZ' && {
			service: { ...history.service, clockSkewMs: 0 },
		}),
	}));
