import type { IDataObject, ISourceData } from 'n8n-workflow';

import type { RunJob } from './run';
import { identityOf } from '../lookup/values';
import { now } from '../../n8n/clock';
import { isObject } from '../../service/types';
import type { Job } from '../../service/types';

/** Who asked for what in a job that `collect` created: enough to give every input item its own rows later. */
export interface Origin {
	/** The node and run whose items asked, for n8n's item linking. */
	source?: ISourceData;
	/** The wire parameters, free of the callback URL. */
	parameters: IDataObject;
	key: string;
	/** The values of the job, as sent. */
	values: string[];
	/** The input items and which values each asked for. */
	asked: Array<{ item: number; values: string[] }>;
	/** Whether the job was taken from the job list after the reply to its creation was lost. */
	adopted: boolean;
}

/** The input items that named a job when it was first waited for: n8n cuts their links at every suspension. */
export interface NamedBy {
	source: ISourceData;
	items: number[];
}

/** What a Still Running item says, besides the service's own fields of the job. */
export interface StillRunning extends IDataObject {
	job_id: string;
	status: string;
	still_running: true;
	/** ISO 8601. */
	checked_at: string;
	/** ISO 8601; until when the job is waited for. */
	deadline: string;
}

/** Fields that belong to the ticket and are not the service's. */
const OWN_FIELDS = [
	'still_running',
	'checked_at',
	'deadline',
	'given_up_by',
	'note',
	'collect_origin',
	'named_by',
];

/** What a ticket says beyond the job. */
export interface TicketExtras {
	origin?: Origin;
	namedBy?: NamedBy;
	/** What the user should know, such as that a callback may have come too early. */
	note?: string;
	/**
	 * The node whose deadline has passed: another one waits anew, and a loop through this one ends.
	 */
	givenUpBy?: string;
}

/** The item for a job that is still running: never to be mistaken for a result, and understood by `wait`. */
export function stillRunningItem(
	job: Job,
	deadline: number,
	{ origin, namedBy, note, givenUpBy }: TicketExtras = {},
): StillRunning {
	const { job_id, status, ...rest } = job;
	const item: StillRunning = {
		job_id,
		status,
		still_running: true,
		checked_at: new Date(now()).toISOString(),
		deadline: new Date(deadline).toISOString(),
		...serviceFields(rest),
	};
	if (givenUpBy !== undefined) item.given_up_by = givenUpBy;
	if (note !== undefined) item.note = note;
	if (origin !== undefined) item.collect_origin = origin as unknown as IDataObject;
	if (namedBy !== undefined) item.named_by = namedBy as unknown as IDataObject;
	return item;
}

/** A job object without what a ticket added to it, or its results. */
export function serviceFields(job: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(job).filter(([name]) => name !== 'results' && !OWN_FIELDS.includes(name)),
	);
}

/** A ticket without what only n8n's item linking needs. */
export function withoutLinks(ticket: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(ticket).filter(([name]) => name !== 'collect_origin' && name !== 'named_by'),
	);
}

/** What an input item of `wait` says about its job when it is a Still Running item. */
export interface Ticket {
	/** Milliseconds since 1970. */
	deadline?: number;
	givenUpBy?: string;
	origin?: Origin;
	namedBy?: NamedBy;
}

const isText = (value: unknown): value is string => typeof value === 'string';

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every(isText);
}

function isSource(value: unknown): boolean {
	return isObject(value) && isText(value.previousNode);
}

function isAsker(value: unknown): boolean {
	return isObject(value) && Number.isInteger(value.item) && isTexts(value.values);
}

/** Items can be edited on their way: an origin that is not whole counts as none. */
function readOrigin(value: unknown): Origin | undefined {
	if (!isObject(value) || !isObject(value.parameters) || !isText(value.key)) return undefined;
	if (!isTexts(value.values) || !Array.isArray(value.asked) || !value.asked.every(isAsker))
		return undefined;
	if (value.source !== undefined && !isSource(value.source)) return undefined;
	return { ...value, adopted: value.adopted === true } as unknown as Origin;
}

function readNamedBy(value: unknown): NamedBy | undefined {
	if (!isObject(value) || !isSource(value.source) || !Array.isArray(value.items)) return undefined;
	return value.items.every(Number.isInteger) ? (value as unknown as NamedBy) : undefined;
}

/** Reads a ticket from an item, for the job it is about; an item about something else says nothing. */
export function readTicket(json: IDataObject, jobId: string): Ticket {
	if (json.job_id !== jobId || json.still_running !== true) return {};
	const deadline = Date.parse(String(json.deadline ?? ''));
	return {
		deadline: Number.isFinite(deadline) ? deadline : undefined,
		givenUpBy: typeof json.given_up_by === 'string' ? json.given_up_by : undefined,
		origin: readOrigin(json.collect_origin),
		namedBy: readNamedBy(json.named_by),
	};
}

/** The origin of a job that `collect` created. */
export function originOf(
	{ planned, adopted }: Pick<RunJob, 'planned' | 'adopted'>,
	asked: ReadonlyMap<number, string[]>,
	source: ISourceData | undefined,
	secretParameters: readonly string[],
): Origin {
	const parameters = Object.fromEntries(
		Object.entries(planned.parameters).filter(([name]) => !secretParameters.includes(name)),
	);
	const mine = new Set(planned.values.map((value) => identityOf(planned.key, value)));
	const isMine = (value: string) => mine.has(identityOf(planned.key, value));
	return {
		source,
		parameters,
		key: planned.key,
		values: planned.values,
		asked: planned.items.map((item) => ({ item, values: (asked.get(item) ?? []).filter(isMine) })),
		adopted,
	};
}

/**
 * Until when an item's job is waited for, in milliseconds since 1970: as its ticket says, even when that has passed, or
 * from now on where another node has given it up. Polling never holds a worker for longer than Max Wait.
 */
export function deadlineOf(
	{ deadline, givenUpBy }: Ticket,
	nodeName: string,
	{ mode, maxWaitMs }: { mode: string; maxWaitMs: number },
): number {
	const latest = now() + maxWaitMs;
	// What comes back to the node that gave it up goes round in a loop, which must end.
	if (givenUpBy === nodeName) return now();
	if (deadline === undefined || givenUpBy !== undefined) return latest;
	return mode === 'poll' ? Math.min(deadline, latest) : deadline;
}
