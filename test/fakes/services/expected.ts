import type { Result } from '../sandbox/results';
import type { Brought, Known, KnownJob } from './jobs';
import { bare, fieldNamed, leavesOf } from './leaves';
import { COLLECTED_VALUES, CREATED_VALUES, UNKNOWN_SOURCE } from './operations';
import type { Fields, Operation } from './operations';
import { problemWithBest, problemWithEntry } from './prices';
import type { GeneratedService } from './service';

/** Names of the main lists of contents, by topic. */
const LISTS: Record<string, string> = {
	product_and_offers: 'offers',
	search: 'search_results',
	reviews: 'reviews',
	bestsellers: 'bestsellers',
};

/** One right item: the fields that it must have exactly, and the leaves that it must contain somewhere. */
export interface ExpectedItem {
	has: Fields;
	holds: string[];
	/** Fields that must be lists of this length. */
	lists?: Record<string, number>;
	/** What else is wrong with an item, as a sentence, unless the hints say it. */
	check?: (item: Fields, hints: string[]) => string | undefined;
}

/**
 * These items, in their order unless `isUnordered`. `errorIsRight` says why an error is right as well; `unknowable`
 * says why a client cannot know that there are more.
 */
export interface ExpectedItems {
	kind: 'items';
	items: ExpectedItem[];
	isUnordered?: boolean;
	errorIsRight?: string;
	unknowable?: string;
	/** There may be more rows, which say why a value has no result. */
	mayMissMore?: boolean;
	/** How many new jobs must exist afterwards. */
	creates?: number;
}

/** What is right for one operation, computed from the truth and the options without any code of the node. */
export type Expected =
	/** Only an error, which must contain these words. */
	| { kind: 'error'; naming: string[] }
	| ExpectedItems
	/** Each item says why there is no result; an error that says so is right too. */
	| { kind: 'unserved' }
	/** Rows that are checked as a whole only; `count` if it is known. */
	| { kind: 'sum'; count?: number; holds: string[]; errorIsRight?: string }
	/**
	 * Each of these values has its own row, paired to its input item, from this many new jobs. `isEnded`: a value
	 * without a result has a row that says why.
	 */
	| { kind: 'collected'; asked: string[]; creates: number; isEnded: boolean; errorIsRight?: string }
	/** One of these files, byte by byte. */
	| { kind: 'file'; bodies: Buffer[]; errorIsRight?: string };

/** Whether everything arrives as in JSON. Then structures must be equal, not only their leaves. */
export function isExact({ format, options }: GeneratedService): boolean {
	if (format === 'json') return true;
	return options.fieldSpelling !== 'dash' && options.xmlNil === 'nil';
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

/** A result's success field; empty if null or a missing field leaves it open. */
function successField(service: GeneratedService, result: Result, index: number): Fields {
	const untold = ['null', 'absent'].includes(service.options.resultSuccess);
	// A reason means failure even without a success field.
	if (untold && isOdd(service, index) && result.reason === undefined) return {};
	return { success: result.success };
}

/** A content's leaves. If the condition has another name, its code is not sent. */
export function contentLeaves({ options }: GeneratedService, content: unknown): string[] {
	if (options.names.condition === undefined) return leavesOf(content);
	const text = JSON.stringify(content ?? null, (name, field: unknown) =>
		name === 'condition_code' ? undefined : field,
	);
	return leavesOf(JSON.parse(text));
}

/** A result in the service's own structure. */
function wholeItem(
	service: GeneratedService,
	job: Pick<KnownJob, 'id'>,
	{ truth: result, sent }: Brought,
	index: number,
): ExpectedItem {
	const parts = ['query', 'metadata'].map((name): [string, unknown] => [name, fieldNamed(sent, name)]);
	const objects = parts.filter(
		([, field]) => typeof field === 'object' && field !== null && !Array.isArray(field),
	);
	const exact = isExact(service);
	const content = exact ? { content: fieldNamed(sent, 'content') } : {};
	// With capitalised names, an item may have fields under the documented names as well.
	const whole = exact && service.options.fieldSpelling !== 'pascal' ? Object.fromEntries(objects) : {};
	return {
		has: { job_id: job.id, ...successField(service, result, index), ...content, ...whole },
		holds: [
			...contentLeaves(service, result.content),
			...objects.flatMap(([, field]) => leavesOf(field)),
			...leavesOf(result.reason),
			...leavesOf(service.options.resultComment),
		],
	};
}

/** A result as a flat row. */
export function rowItem(
	service: GeneratedService,
	job: Pick<KnownJob, 'id' | 'topic'>,
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
		holds: [...contentLeaves(service, result.content), ...leavesOf(result.reason)],
		check: (row) => problemWithBest(service, result, job.topic, row, saidIn(row)),
	};
}

/** What a row says about itself. */
const saidIn = (row: Fields): string[] => leavesOf(row.reason);

/** A result as a row of main columns. */
function mainItem(service: GeneratedService, job: KnownJob, brought: Brought, index: number): ExpectedItem {
	const { has, check } = rowItem(service, job, brought, index);
	const { value, found } = has;
	const { content, reason } = brought.truth;
	const { name } = typeof content === 'object' && content !== null ? (content as Fields) : {};
	const isNamed = found === true && typeof name === 'string';
	const main = { found, ...(value !== undefined && { value }), ...(isNamed && { name }) };
	return { has: main, holds: leavesOf(reason), check };
}

/** The echoed value of a result, if it is at its documented place. */
export const echoOf = (sent: Fields): unknown => fieldNamed(fieldNamed(sent, 'query'), 'value');

/** Why an error is right although there are right items: the service declares no usable encoding. */
export function unreadable({ format, options }: GeneratedService): string | undefined {
	const undeclared = options.charset === 'omitted' || options.contentType !== '';
	if (format !== 'xml') return undefined;
	if (options.xmlEncoding === 'latin1' && undeclared && options.xmlDeclaration === 'none')
		return 'an encoding that is not told at its place';
	if (options.xmlEncoding === 'latin1' && options.contentType.includes('utf-16'))
		return 'a charset that the body does not have';
	return undefined;
}

/** Whether the service refuses the results of its ended jobs. */
const isUnserved = ({ options: { jobEnd, endedDownload } }: GeneratedService) =>
	jobEnd !== 'finished' && endedDownload === 'refuse';

function resultItems(
	service: GeneratedService,
	job: KnownJob,
	toItem: (...given: Parameters<typeof mainItem>) => ExpectedItem,
): Expected {
	if (isUnserved(service)) return { kind: 'unserved' };
	const items = job.results.map((result, index) => toItem(service, job, result, index));
	const mayMissMore = service.options.jobEnd !== 'finished' || service.options.partialEnds;
	return { kind: 'items', items, mayMissMore, errorIsRight: unreadable(service) };
}

/** A content's main list, which may be in an object that the user has named. */
function mainList({ options }: GeneratedService, { topic }: KnownJob, { content }: Result): Fields[] {
	const fields = typeof content === 'object' && content !== null ? (content as Fields) : {};
	const inner = options.contentShape === 'listInObject' ? (fields.list as Fields | undefined) : undefined;
	const list = inner === undefined ? fields[LISTS[topic] ?? ''] : inner.entries;
	return Array.isArray(list) ? (list as Fields[]) : [];
}

/** Entries as rows of main columns. */
function mainEntries(service: GeneratedService, job: KnownJob): Expected {
	if (isUnserved(service)) return { kind: 'unserved' };
	const items = job.results.flatMap((result, index): ExpectedItem[] => {
		const list = isFound(result.truth) ? mainList(service, job, result.truth) : [];
		if (list.length === 0) return [{ ...mainItem(service, job, result, index), check: undefined }];
		return list.map((entry) => ({
			has: { found: true },
			holds: [],
			check: (row) => problemWithEntry(service, entry, job.topic, row),
		}));
	});
	const mayMissMore = service.options.jobEnd !== 'finished' || service.options.partialEnds;
	return { kind: 'items', items, mayMissMore, errorIsRight: unreadable(service) };
}

/** Rows of entries. They must contain the leaves of the main list and of plain fields; without a list, all leaves. */
function entriesOf(service: GeneratedService, job: KnownJob): Expected {
	if (isUnserved(service)) return { kind: 'unserved' };
	const isWhole = service.options.jobEnd === 'finished' && !service.options.partialEnds;
	const expected = job.results.map(({ truth }) => {
		const { content, reason } = truth;
		const fields = typeof content === 'object' && content !== null ? (content as Fields) : {};
		const main = mainList(service, job, truth);
		const isList = main.length > 0;
		const plain = Object.values(fields).filter((field) => typeof field !== 'object');
		return {
			count: isList ? main.length : 1,
			holds: contentLeaves(service, [isList ? [main, plain] : content, reason]),
		};
	});
	return {
		kind: 'sum',
		...(isWhole && { count: expected.reduce((sum, { count }) => sum + count, 0) }),
		holds: expected.flatMap(({ holds }) => holds),
		errorIsRight: unreadable(service),
	};
}

function rootItem(service: GeneratedService, job: KnownJob): Expected {
	if (isUnserved(service)) {
		const status = spelledStatus(service, endWord(service));
		const item: ExpectedItem = { has: { job_id: job.id, status }, holds: [] };
		return { kind: 'items', items: [item], errorIsRight: 'the job has no results' };
	}
	const items = job.results.map(({ sent }) => sent);
	const whole: ExpectedItem = {
		has: { job_id: job.id },
		lists: { results: items.length },
		// However the service writes success, the item has true or false.
		holds: items.flatMap((item) =>
			leavesOf(
				Object.entries(item)
					.filter(([name]) => bare(name) !== 'success')
					.map(([, field]) => field),
			),
		),
	};
	return { kind: 'items', items: [whole], errorIsRight: unreadable(service) };
}

/** A status as this service spells it. */
export function spelledStatus({ options }: GeneratedService, status: string): string {
	switch (options.statusCase) {
		case 'upper':
			return status.toUpperCase();
		case 'capitalised':
			return status.charAt(0).toUpperCase() + status.slice(1);
		case 'dash':
			return status.split('_').join('-');
		case 'blank':
			return status.split('_').join(' ');
		case 'camel':
			return status.replace(/_\w/g, (end) => end.slice(1).toUpperCase());
		case 'lower':
			return status;
	}
}

/** The status word of this service's ended jobs. */
function endWord({ options }: GeneratedService): string {
	const { finishedSpelling, failedSpelling, cancelledSpelling, jobEnd } = options;
	return { finished: finishedSpelling, failed: failedSpelling, cancelled: cancelledSpelling }[jobEnd];
}

function orderOf({ options }: GeneratedService, job: KnownJob): Fields {
	const topic = options.topicEcho[job.topic] ?? job.topic;
	return { source: job.source, country: 'de', topic, key: job.key };
}

function jobItem(service: GeneratedService, job: KnownJob): Expected {
	const { statusReply, resultsIn } = service.options;
	const status = spelledStatus(service, endWord(service));
	const has: Record<typeof statusReply, Fields> = {
		job: { job_id: job.id, status, ...orderOf(service, job) },
		minimal: { job_id: job.id, status },
		withResults: { job_id: job.id, status },
	};
	const withResults = statusReply === 'withResults' || resultsIn !== 'download';
	const results = job.results.map(({ sent }) => sent);
	const why = service.options.jobEnd === 'failed' ? [service.options.failureReason] : [];
	const item: ExpectedItem = {
		has: has[statusReply],
		holds: [...(withResults ? results.flatMap(leavesOf) : []), ...why],
		lists: withResults ? { results: results.length } : {},
	};
	return { kind: 'items', items: [item], errorIsRight: unreadable(service) };
}

function listItems(service: GeneratedService, { jobs }: Known): Expected {
	const { listOrder, listFields, workingSpelling } = service.options;
	const statusOf = (job: KnownJob) => (job.over ? endWord(service) : workingSpelling);
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
		...(isMute(service) && { unknowable: 'a bare list of which only a cursor could ask for more' }),
		...(isMiscounted(service) && { unknowable: 'an offset may count entries that are no jobs' }),
	};
}

/** Whether a client cannot know how many jobs an offset skips. */
const isMiscounted = ({ options }: GeneratedService) =>
	options.listOddEntries && options.listPaging === 'offset';

/** A bare list cannot say that it continues. Without page numbers, a client cannot know it. */
function isMute({ options: { listShape, listPaging, listSays } }: GeneratedService): boolean {
	return listShape === 'array' && listPaging === 'cursor' && !listSays.includes('link');
}

/** Why an error is right if the reply to a creation reports a failure, and an ID that may be the request's. */
const contradictory = ({ options }: GeneratedService): string | undefined =>
	options.createReply === 'notSuccess' && options.names.jobId === 'id'
		? 'a failure with an ID that may be of the request'
		: undefined;

function createdItems(service: GeneratedService): Expected {
	const { createReply, lookupValues } = service.options;
	const jobs = lookupValues === 'value' ? CREATED_VALUES.map((value) => [value]) : [CREATED_VALUES];
	const status = spelledStatus(service, 'new');
	// A job that is hidden at first may be working by the time it appears.
	const told = service.options.statusLagMs === 0;
	const items = jobs.map((values): ExpectedItem => ({
		has: told ? { status } : {},
		holds: ['minimal', 'jobAndCredits', 'job'].includes(createReply) ? [String(values.length)] : [],
	}));
	return {
		...{ kind: 'items', items, isUnordered: true, creates: jobs.length },
		errorIsRight: contradictory(service),
	};
}

function usageItem({ usage }: Known): Expected {
	const reply = JSON.parse(usage.toString()) as Fields;
	// Only the figures count, not the flag and the envelope around them.
	const figures = 'data' in reply && typeof reply.data === 'object' ? reply.data : reply;
	const holds = leavesOf(figures).filter((leaf) => leaf !== 'true');
	return { kind: 'items', items: [{ has: {}, holds }] };
}

/** One job, or more if values differ only in case: such values are never in the same job. */
const FEWEST_JOBS =
	1 + COLLECTED_VALUES.length - new Set(COLLECTED_VALUES.map((one) => one.toLowerCase())).size;
const collectedJobs = ({ options }: GeneratedService) =>
	options.lookupValues === 'value' ? COLLECTED_VALUES.length : FEWEST_JOBS;

/** What is right for an operation on the first job, which has ended, or on the second, which is running. */
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
			return resultItems(service, done, rowItem);
		case 'downloadMain':
			return resultItems(service, done, mainItem);
		case 'downloadMainEntries':
			return mainEntries(service, done);
		case 'wait':
			return resultItems(service, done, rowItem);
		case 'downloadEntries':
			return entriesOf(service, done);
		case 'downloadJob':
			return rootItem(service, done);
		case 'storeFile':
			if (isUnserved(service)) return { kind: 'error', naming: [] };
			if (service.options.jobEnd !== 'finished')
				return {
					kind: 'file',
					bodies: [done.file, done.statusBody],
					errorIsRight: 'the job has failed',
				};
			return resultsIn === 'status'
				? { kind: 'file', bodies: [done.statusBody], errorIsRight: 'the download has no results' }
				: { kind: 'file', bodies: [done.file], errorIsRight: unreadable(service) };
		case 'collect':
			return {
				kind: 'collected',
				asked: COLLECTED_VALUES,
				creates: collectedJobs(service),
				isEnded: service.options.jobEnd !== 'finished' || service.options.partialEnds,
				errorIsRight: contradictory(service) ?? unreadable(service),
			};
		case 'usage':
			return usageItem(known);
		case 'cancel':
			return { kind: 'items', items: [{ has: { job_id: running.id }, holds: [] }] };
	}
}
