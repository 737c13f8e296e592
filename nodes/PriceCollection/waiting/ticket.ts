import type { IDataObject, ISourceData } from 'n8n-workflow';

import type { PlannedJob } from '../collection/plan';
import { identityOf } from '../collection/values';
import { now } from '../service/clock';
import { isObject } from '../service/types';
import type { Job } from '../service/types';

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
const OWN_FIELDS = ['still_running', 'checked_at', 'deadline', 'given_up_by', 'note', 'collect_origin'];

/**
 * The item for a job that is still running: never to be mistaken for a result, and understood by `wait`.
 *
 * @param more `note`: what the user should know, such as that a callback may have come too early; `givenUpBy`:
 * the Wait node whose deadline has passed, so that a loop through it ends
 */
export function stillRunningItem(
	job: Job,
	deadline: number,
	{ origin, note, givenUpBy }: { origin?: Origin; note?: string; givenUpBy?: string } = {},
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
	return item;
}

/** A job object without what a ticket added to it, or its results. */
export function serviceFields(job: IDataObject): IDataObject {
	return Object.fromEntries(
		Object.entries(job).filter(([name]) => name !== 'results' && !OWN_FIELDS.includes(name)),
	);
}

/** What an input item of `wait` says about its job when it is a Still Running item. */
export interface Ticket {
	/** Milliseconds since 1970. */
	deadline?: number;
	givenUpBy?: string;
	origin?: Origin;
}

function readOrigin(value: unknown): Origin | undefined {
	if (!isObject(value) || !Array.isArray(value.values) || !Array.isArray(value.asked)) return undefined;
	if (!isObject(value.parameters)) return undefined;
	return value as unknown as Origin;
}

/** Reads a ticket from an item, for the job it is about; an item about something else says nothing. */
export function readTicket(json: IDataObject, jobId: string): Ticket {
	if (json.job_id !== jobId || json.still_running !== true) return {};
	const deadline = Date.parse(String(json.deadline ?? ''));
	return {
		deadline: Number.isFinite(deadline) ? deadline : undefined,
		givenUpBy: typeof json.given_up_by === 'string' ? json.given_up_by : undefined,
		origin: readOrigin(json.collect_origin),
	};
}

/** The origin of a planned job. */
export function originOf(
	planned: PlannedJob,
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
	};
}
