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

/** One right item: fields that it must have as they are, and leaves that must be somewhere in it. */
export interface ExpectedItem {
	has: Fields;
	holds: string[];
	/** Names of fields that must be lists of so many. */
	lists?: Record<string, number>;
	/** What else is wrong with an item, in a sentence, where the hints do not say it. */
	check?: (item: Fields, hints: string[]) => string | undefined;
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
	/** There may be rows more for values that have no result, which say why. */
	mayMissMore?: boolean;
	/** Jobs that must exist afterwards and did not before. */
	creates?: number;
}

/** What is right for one operation. Computed from what is true and from the options; no code of the node is in it. */
export type Expected =
	/** Nothing but an error, which must name these words. */
	| { kind: 'error'; naming: string[] }
	| ExpectedItems
	/** Each item says that there is no result, and why; an error that says so is right too. */
	| { kind: 'unserved' }
	/** Nothing but that the job still runs: a ticket or an error. These words must be said. */
	| { kind: 'running'; naming: string; creates?: number }
	/** Rows of which only the sum counts; `count` where it can be told. */
	| { kind: 'sum'; count?: number; holds: string[]; errorIsRight?: string }
	/**
	 * Each of these values has a row of its own, paired to its input item, out of so many new jobs. `isEnded`: a value
	 * without a result has one that says why.
	 */
	| { kind: 'collected'; asked: string[]; creates: number; isEnded: boolean; errorIsRight?: string }
	/** One of these files, byte by byte. */
	| { kind: 'file'; bodies: Buffer[]; errorIsRight?: string };

/** Whether everything comes as in JSON: then structures must be equal, not only their leaves. */
export function isExact({ format, options }: GeneratedService): boolean {
	if (format === 'json') return true;
	return options.fieldSpelling !== 'dash' && options.xmlNil === 'nil';
}

/**
 * Whether contents stand under the documented name; under another one a hint must name what came. Only the fields of an
 * object can stand beside those of the result.
 */
const isContentRead = ({ options: { resultContent, contentShape } }: GeneratedService) =>
	['content', 'Content'].includes(resultContent) || (resultContent === 'flat' && contentShape === 'text');

function isFound(service: GeneratedService, { success, content }: Result): boolean {
	if (!success || content === null || !isContentRead(service)) return false;
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

/** The leaves of a content: of two fields for a condition, only one is sent under a name of its own. */
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
	const content = exact && isContentRead(service) ? { content: fieldNamed(sent, 'content') } : {};
	// Beside names in capitals, rows of the documented names may stand.
	const whole = exact && service.options.fieldSpelling !== 'pascal' ? Object.fromEntries(objects) : {};
	return {
		has: { job_id: job.id, ...successField(service, result, index), ...content, ...whole },
		holds: [
			...contentLeaves(service, result.content),
			...objects.flatMap(([, field]) => leavesOf(field)),
			...leavesOf(result.reason),
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
			found: isFound(service, result),
		},
		holds: [...contentLeaves(service, result.content), ...leavesOf(result.reason)],
		check: (row) =>
			problemWithContent(service, result, saidIn(row)) ??
			problemWithBest(service, result, job.topic, row, saidIn(row)),
	};
}

/** What a row says about itself. */
const saidIn = (row: Fields): string[] => leavesOf(row.reason);

/** Where contents stand under other names, the row names a field that came. */
function problemWithContent(service: GeneratedService, result: Result, hints: string[]): string | undefined {
	const { names, resultContent } = service.options;
	if (isContentRead(service) || !result.success || leavesOf(result.content).length === 0) return undefined;
	const isList = typeof result.content !== 'object' || Array.isArray(result.content);
	// The fields may stand under other names there.
	const flat = isList ? ['content'] : [...Object.keys(result.content ?? {}), ...Object.values(names)];
	const said = bare(hints.join(' '));
	return (resultContent === 'flat' ? flat : [resultContent]).some((name) => said.includes(bare(name)))
		? undefined
		: 'the row does not name the fields that came in the place of the content';
}

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

/** The echoed value of a result, where it is at its documented place. */
export const echoOf = (sent: Fields): unknown => fieldNamed(fieldNamed(sent, 'query'), 'value');

/** Why an error is right although there are right items: the service leaves too much in the dark. */
function darkness({ format, options }: GeneratedService): string | undefined {
	const undeclared = options.charset === 'omitted' || options.contentType !== '';
	if (format !== 'xml') return undefined;
	if (options.xmlEncoding === 'latin1' && undeclared && options.xmlDeclaration === 'none')
		return 'an encoding that is not told at its place';
	if (options.xmlEncoding === 'latin1' && options.contentType.includes('utf-16'))
		return 'a charset that the body does not have';
	return undefined;
}

/** Whether a word for an end is in no table and not in the credential: then the job runs on. */
function isUnknownEnd({ options, credential }: GeneratedService): boolean {
	return options.finishedSpelling === 'wrapped_up' && credential.finishedStatuses === undefined;
}

/** Why an error is right where results are asked for: they cannot be read, or the job seems to run. */
export function unreadable(service: GeneratedService): string | undefined {
	return darkness(service) ?? (isUnknownEnd(service) ? 'the status is in no table' : undefined);
}

/** Whether the service gives no results of a job that is over. */
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

/** Rows of main columns of entries, for contents whose list is where it is looked for. */
function mainEntries(service: GeneratedService, job: KnownJob): Expected {
	if (isUnserved(service)) return { kind: 'unserved' };
	const isTold = ['plain', 'exactNumbers'].includes(service.options.contentShape) && isContentRead(service);
	if (!isTold) return { kind: 'sum', holds: [], errorIsRight: unreadable(service) };
	const items = job.results.flatMap((result, index): ExpectedItem[] => {
		const { content } = result.truth;
		const list = isFound(service, result.truth) ? (content as Fields)[LISTS[job.topic] ?? ''] : [];
		if (!Array.isArray(list) || list.length === 0)
			return [{ ...mainItem(service, job, result, index), check: undefined }];
		return list.map((entry: Fields) => ({
			has: { found: true },
			holds: [],
			check: (row) => problemWithEntry(service, entry, job.topic, row, saidIn(row)),
		}));
	});
	const mayMissMore = service.options.jobEnd !== 'finished' || service.options.partialEnds;
	return { kind: 'items', items, mayMissMore, errorIsRight: unreadable(service) };
}

/** Rows of entries: the leaves of the main list and plain fields must be among them, or all of them where it is unclear. */
function entriesOf(service: GeneratedService, job: KnownJob): Expected {
	if (isUnserved(service)) return { kind: 'unserved' };
	const isTold = ['plain', 'exactNumbers'].includes(service.options.contentShape) && isContentRead(service);
	const isWhole = service.options.jobEnd === 'finished' && !service.options.partialEnds;
	const expected = job.results.map(({ truth: { content, reason } }) => {
		const fields = typeof content === 'object' && content !== null ? (content as Fields) : {};
		const main = fields[LISTS[job.topic] ?? ''];
		const isList = isTold && Array.isArray(main) && main.length > 0;
		const plain = Object.values(fields).filter((field) => typeof field !== 'object');
		return {
			count: isList ? main.length : 1,
			holds: contentLeaves(service, [isList ? [main, plain] : content, reason]),
		};
	});
	return {
		kind: 'sum',
		...(isTold && isWhole && { count: expected.reduce((sum, { count }) => sum + count, 0) }),
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
		// However success is written, it is true or false.
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

/** The word with which jobs of this service end. */
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
	return { kind: 'items', items: [item], errorIsRight: darkness(service) };
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
		hintIsRight: true,
		...(service.faults.length > 0 && { errorIsRight: 'a page of the list cannot be read' }),
		...(isMute(service) && { unknowable: 'a bare list of which only a cursor could ask for more' }),
	};
}

/** A bare list has no room to say that it goes on: where pages have no numbers either, nobody can know. */
function isMute({ options: { listShape, listPaging, listSays } }: GeneratedService): boolean {
	return listShape === 'array' && listPaging === 'cursor' && !listSays.includes('link');
}

const UNKNOWN_OUTCOME: Partial<Record<GeneratedService['options']['createReply'], string>> = {
	empty: 'the reply names no job',
	list: 'the reply is a list',
	notSuccess: 'the reply says that it failed',
	timedOut: 'the reply says that it failed',
};

/** Why an error is right after a creation that went well. */
function creationDarkness({ options }: GeneratedService): string | undefined {
	return UNKNOWN_OUTCOME[options.createReply];
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

/** One job, or more where values differ in nothing but case: those are never in the same job. */
const FEWEST_JOBS =
	1 + COLLECTED_VALUES.length - new Set(COLLECTED_VALUES.map((one) => one.toLowerCase())).size;
const collectedJobs = ({ options }: GeneratedService) =>
	options.lookupValues === 'value' ? COLLECTED_VALUES.length : FEWEST_JOBS;

const stillRunning = (service: GeneratedService) =>
	({ kind: 'running', naming: spelledStatus(service, endWord(service)) }) as const;

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
			return resultItems(service, done, rowItem);
		case 'downloadMain':
			return resultItems(service, done, mainItem);
		case 'downloadMainEntries':
			return mainEntries(service, done);
		case 'wait':
			return isUnknownEnd(service) ? stillRunning(service) : resultItems(service, done, rowItem);
		case 'downloadEntries':
			return entriesOf(service, done);
		case 'downloadJob':
			return rootItem(service, done);
		case 'storeFile':
			if (isUnserved(service)) return { kind: 'error', naming: [] };
			if (service.options.jobEnd !== 'finished' || isUnknownEnd(service))
				return {
					kind: 'file',
					bodies: [done.file, done.statusBody],
					errorIsRight: 'the job has failed',
				};
			return resultsIn === 'status'
				? { kind: 'file', bodies: [done.statusBody], errorIsRight: 'the download has no results' }
				: { kind: 'file', bodies: [done.file], errorIsRight: darkness(service) };
		case 'collect':
			if (isUnknownEnd(service)) {
				// Where the creation is in doubt, there may be no status to be said.
				const doubt = creationDarkness(service) !== undefined && { naming: '' };
				return { ...stillRunning(service), creates: collectedJobs(service), ...doubt };
			}
			return {
				kind: 'collected',
				asked: COLLECTED_VALUES,
				creates: collectedJobs(service),
				isEnded: service.options.jobEnd !== 'finished' || service.options.partialEnds,
				errorIsRight: creationDarkness(service) ?? unreadable(service),
			};
		case 'usage':
			return usageItem(known);
		case 'cancel':
			return { kind: 'items', items: [{ has: { job_id: running.id }, holds: [] }] };
	}
}
