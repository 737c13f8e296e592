import type { Result } from '../sandbox/results';
import type { Brought, Known, KnownJob } from './jobs';
import { leavesOf } from './leaves';
import { COLLECTED_VALUES, CREATED_VALUES, UNKNOWN_SOURCE } from './operations';
import type { Fields, Operation } from './operations';
import type { GeneratedService } from './service';

/** Names of the main lists of contents, by topic. */
const LISTS: Record<string, string> = {
	product_and_offers: 'offers',
	search: 'search_results',
	reviews: 'reviews',
	bestsellers: 'bestsellers',
};

/** One right item: fields that it must have as they are, and leaves that must be somewhere in it. */
export interface ExpectedItem {
	has: Fields;
	holds: string[];
	/** Names of fields that must be lists of so many. */
	lists?: Record<string, number>;
}

/**
 * These items, in their order unless `isUnordered`. `errorIsRight` says why an error is right as well; `hintIsRight`:
 * fewer items beside a hint are; `unknowable`: why nobody can know that there are more.
 */
export interface ExpectedItems {
	kind: 'items';
	items: ExpectedItem[];
	isUnordered?: boolean;
	hintIsRight?: boolean;
	errorIsRight?: string;
	unknowable?: string;
	/** Jobs that must exist afterwards and did not before. */
	creates?: number;
}

/** What is right for one operation. Computed from what is true and from the options; no code of the node is in it. */
export type Expected =
	/** Nothing but an error, which must name these words. */
	| { kind: 'error'; naming: string[] }
	| ExpectedItems
	/** Rows of which only the sum counts; `count` where it can be told. */
	| { kind: 'sum'; count?: number; holds: string[]; errorIsRight?: string }
	/** Each of these values has a row of its own, paired to its input item, out of so many new jobs. */
	| { kind: 'collected'; asked: string[]; creates: number; errorIsRight?: string }
	/** One of these files, byte by byte. */
	| { kind: 'file'; bodies: Buffer[]; errorIsRight?: string };

/** Whether everything comes as in JSON: then structures must be equal, not only their leaves. */
export function isExact({ format, options }: GeneratedService): boolean {
	if (format === 'json') return true;
	return (
		options.xmlTypes === 'all' &&
		options.xmlEntries === 'elements' &&
		!options.xmlMixedText &&
		['nil', 'iNil', 'upperCase'].includes(options.xmlNil)
	);
}

function isFound({ success, content }: Result): boolean {
	if (!success || content === null) return false;
	if (Array.isArray(content)) return content.length > 0;
	return typeof content !== 'object' || Object.values(content).some((field) => leavesOf(field).length > 0);
}

/** Whether the result at this place has the oddities of the service. */
function isOdd({ options }: GeneratedService, index: number): boolean {
	return options.oddResults === 'every' || index === 1;
}

/** What a result says of its success, where it says it; nothing where null or no field leaves it open. */
function successField(service: GeneratedService, result: Result, index: number): Fields {
	const untold = ['null', 'absent'].includes(service.options.resultSuccess);
	// A reason without any word on success is a failure all the same.
	if (untold && isOdd(service, index) && result.reason === undefined) return {};
	return { success: result.success };
}

/** A result in the service's own structure. */
function wholeItem(
	service: GeneratedService,
	job: Pick<KnownJob, 'id'>,
	{ truth: result, sent: { query, metadata } }: Brought,
	index: number,
): ExpectedItem {
	const objects = Object.entries({ query, metadata }).filter(
		([, field]) => typeof field === 'object' && field !== null && !Array.isArray(field),
	);
	const exact = isExact(service);
	// A list without entries among the fields of a result is nothing that a reader could tell from them.
	const isHidden = service.options.resultContent === 'flat' && !isFound(result);
	const content = exact && !isHidden ? { content: result.content } : {};
	const parts = exact ? Object.fromEntries(objects) : {};
	return {
		has: { job_id: job.id, ...successField(service, result, index), ...content, ...parts },
		holds: [
			...leavesOf(result.content),
			...objects.flatMap(([, field]) => leavesOf(field)),
			...leavesOf(result.reason),
		],
	};
}

/** A result as a flat row. */
export function rowItem(
	service: GeneratedService,
	job: Pick<KnownJob, 'id'>,
	{ truth: result, sent }: Brought,
	index: number,
): ExpectedItem {
	const value = echoOf(sent);
	return {
		has: {
			job_id: job.id,
			...(value === undefined ? {} : { value }),
			...successField(service, result, index),
			found: isFound(result),
		},
		holds: [...leavesOf(result.content), ...leavesOf(result.reason)],
	};
}

/** The echoed value of a result, where it is at its documented place. */
export function echoOf({ query }: Fields): unknown {
	return typeof query === 'object' && query !== null ? (query as Fields).value : undefined;
}

/** Why an error is right although there are right items: the service leaves too much in the dark. */
function darkness({ format, options }: GeneratedService): string | undefined {
	const wide = /^utf16(le|be)$/.test(options.xmlEncoding);
	const undeclared = options.charset === 'omitted' || options.contentType !== '';
	if (format !== 'xml') return undefined;
	if (wide) return 'UTF-16 without a byte order mark';
	if (options.xmlEncoding === 'latin1' && undeclared && options.xmlDeclaration !== 'plain')
		return 'an encoding that is not told at its place';
	return undefined;
}

function resultItems(service: GeneratedService, job: KnownJob, toItem: typeof rowItem): ExpectedItems {
	const items = job.results.map((result, index) => toItem(service, job, result, index));
	return { kind: 'items', items, errorIsRight: darkness(service) };
}

/** Rows of entries: the leaves of the main list and plain fields must be among them, or all of them where it is unclear. */
function entriesOf(service: GeneratedService, job: KnownJob): Expected {
	const isTold = ['plain', 'exactNumbers'].includes(service.options.contentShape);
	const expected = job.results.map(({ truth: { content, reason } }) => {
		const fields = typeof content === 'object' && content !== null ? (content as Fields) : {};
		const main = fields[LISTS[job.topic] ?? ''];
		const isList = isTold && Array.isArray(main) && main.length > 0;
		const plain = Object.values(fields).filter((field) => typeof field !== 'object');
		return {
			count: isList ? main.length : 1,
			holds: leavesOf([isList ? [main, plain] : content, reason]),
		};
	});
	return {
		kind: 'sum',
		...(isTold && { count: expected.reduce((sum, { count }) => sum + count, 0) }),
		holds: expected.flatMap(({ holds }) => holds),
		errorIsRight: darkness(service),
	};
}

function rootItem(service: GeneratedService, job: KnownJob): Expected {
	const items = job.results.map(({ sent }) => sent);
	const whole: ExpectedItem = {
		has: { job_id: job.id },
		lists: { results: items.length },
		// However success is written, it is true or false.
		holds: items.flatMap((item) => leavesOf({ ...item, success: null })),
	};
	return { kind: 'items', items: [whole], errorIsRight: darkness(service) };
}

/** A status as this service spells it. */
export function spelledStatus({ options }: GeneratedService, status: string): string {
	if (options.statusCase === 'upper') return status.toUpperCase();
	return options.statusCase === 'lower' ? status : status.charAt(0).toUpperCase() + status.slice(1);
}

function orderOf({ options }: GeneratedService, job: KnownJob): Fields {
	const topic = options.topicEcho[job.topic] ?? job.topic;
	return { source: job.source, country: 'de', topic, key: job.key };
}

function jobItem(service: GeneratedService, job: KnownJob): Expected {
	const { statusReply, resultsIn } = service.options;
	const status = spelledStatus(service, 'finished');
	const has: Record<typeof statusReply, Fields> = {
		job: { job_id: job.id, status, ...orderOf(service, job) },
		minimal: { job_id: job.id, status },
		withResults: { job_id: job.id, status },
		counters: { status },
	};
	const withResults = statusReply === 'withResults' || resultsIn !== 'download';
	const results = job.results.map(({ sent }) => sent);
	// What was looked up and not found is counted as a success, however its result says it.
	const asked = job.results.filter(({ truth }) => job.values.includes(String(truth.query.value)));
	const successes = asked.filter(
		({ truth: { success, reason } }) => success || reason === 'not found',
	).length;
	const counted = statusReply === 'counters' ? [String(successes)] : [];
	const item: ExpectedItem = {
		has: has[statusReply],
		holds: [...(withResults ? results.flatMap(leavesOf) : []), ...counted],
		lists: withResults ? { results: results.length } : {},
	};
	return { kind: 'items', items: [item], errorIsRight: darkness(service) };
}

function listItems(service: GeneratedService, { jobs }: Known): Expected {
	const { listOrder, listFields, workingSpelling } = service.options;
	const statusOf = (job: KnownJob) => (job.over ? 'finished' : workingSpelling);
	const items = jobs.map((job): ExpectedItem => ({
		has: {
			job_id: job.id,
			status: spelledStatus(service, statusOf(job)),
			...(listFields.includes('order') ? orderOf(service, job) : {}),
		},
		holds: [],
	}));
	return {
		kind: 'items',
		items: listOrder === 'newest' ? items.toReversed() : items,
		isUnordered: listOrder === 'shuffled',
		hintIsRight: true,
		...(isMute(service) && { unknowable: 'a bare list of which only a cursor could ask for more' }),
	};
}

/** A bare list has no room to say that it goes on: where pages have no numbers either, nobody can know. */
function isMute({ options: { listShape, listPaging, listSays } }: GeneratedService): boolean {
	return listShape === 'array' && listPaging === 'cursor' && !listSays.includes('link');
}

const UNKNOWN_OUTCOME: Partial<Record<GeneratedService['options']['createReply'], string>> = {
	empty: 'the reply names no job',
	notSuccess: 'the reply says that it failed',
	timedOut: 'the reply says that it failed',
};

/** Why an error is right after a creation that went well. */
function creationDarkness({ options }: GeneratedService): string | undefined {
	const located = options.createLocation !== 'none' && options.createReply === 'empty';
	return located ? undefined : UNKNOWN_OUTCOME[options.createReply];
}

function createdItems(service: GeneratedService): Expected {
	const { createReply, lookupValues } = service.options;
	const jobs = lookupValues === 'value' ? CREATED_VALUES.map((value) => [value]) : [CREATED_VALUES];
	const status = spelledStatus(service, 'new');
	// A job that is looked for because its reply is odd may work by the time that it is found.
	const told = !['empty', 'timedOut'].includes(createReply) && service.options.statusLagMs === 0;
	const items = jobs.map((values): ExpectedItem => ({
		has: told ? { status } : {},
		holds: ['minimal', 'list', 'jobAndCredits', 'job'].includes(createReply)
			? [String(values.length)]
			: [],
	}));
	const errorIsRight = creationDarkness(service);
	return { kind: 'items', items, isUnordered: true, creates: jobs.length, errorIsRight };
}

function usageItem({ usage }: Known): Expected {
	const reply = JSON.parse(usage.toString()) as Fields;
	// Flag and envelope are the service's packing; what counts are the figures.
	const figures = 'data' in reply && typeof reply.data === 'object' ? reply.data : reply;
	const holds = leavesOf(figures).filter((leaf) => leaf !== 'true');
	return { kind: 'items', items: [{ has: {}, holds }] };
}

/** What is right for an operation of this service: on the first job, which is over, or on the second, which runs. */
export function expectedFor(operation: Operation, service: GeneratedService, known: Known): Expected {
	const [done, running] = known.jobs;
	if (!done || !running) throw new Error('The oracle needs a job that is over and one that runs');
	const { resultsIn } = service.options;
	switch (operation) {
		case 'create':
			return createdItems(service);
		case 'createRefused':
			return { kind: 'error', naming: [`There is no source '${UNKNOWN_SOURCE}'`] };
		case 'get':
			return jobItem(service, done);
		case 'getUnknown':
		case 'downloadEarly':
		case 'downloadEarlyFile':
			return { kind: 'error', naming: [] };
		case 'getAll':
			return listItems(service, known);
		case 'downloadResults':
			return resultItems(service, done, wholeItem);
		case 'downloadRows':
		case 'wait':
			return resultItems(service, done, rowItem);
		case 'downloadEntries':
			return entriesOf(service, done);
		case 'downloadJob':
			return rootItem(service, done);
		case 'downloadFile':
			return resultsIn === 'status'
				? { kind: 'file', bodies: [done.statusBody], errorIsRight: 'the download has no results' }
				: { kind: 'file', bodies: [done.file] };
		case 'collect':
			return {
				kind: 'collected',
				asked: COLLECTED_VALUES,
				creates: service.options.lookupValues === 'value' ? COLLECTED_VALUES.length : 1,
				errorIsRight: creationDarkness(service) ?? darkness(service),
			};
		case 'usage':
			return usageItem(known);
		case 'cancel':
			return { kind: 'items', items: [{ has: { job_id: running.id }, holds: [] }] };
	}
}
