import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPairedItemData,
	ISourceData,
} from 'n8n-workflow';

import type { InputPrices } from '../rows/comparison';
import type { ServiceClient } from '../service/api/client';
import type { Problem } from '../service/problems';
import type { End } from '../service/statuses';
import type { Job } from '../service/types';
import type { Choices } from '../settings/resultChoice';
import type { WaitSettings } from '../settings/waitSettings';

/** A request to create a job. Times in milliseconds since 1970. */
export interface Creation {
	sentAt: number;
	/** The latest time at which it may have reached the service, if its reply was lost; otherwise absent. */
	lostAt?: number;
	/** The execution that sent it, which the job may call back; blank for a request that was not recorded. */
	executionId: string;
	/** The random mark in its callback URL and its label. */
	nonce?: string;
	/** Hash of the signature in its callback URL, to recognise a callback even after the secret changed. */
	signatureHash?: string;
	/** The job that it created; absent while unknown. */
	jobId?: string;
	/** The credits that the service booked or reserved for it, according to its reply. */
	booked?: number;
	/** A sentence that names the jobs that it may have created, while that is unclear. */
	doubt?: string;
	/** Set if its reply was lost and the job list proved which job it created. */
	recovered?: boolean;
}

/** The content of a creation request. */
export interface JobRequest {
	/** The wire parameters except `value` and `values`: topic, key, source, … and the callback URL. */
	parameters: IDataObject;
	key: string;
	/** The values as they are sent, without repeats. */
	values: string[];
}

/** An input item that requests values from a job, or that names the job. */
export interface Requester {
	item: number;
	/** The node that output the item; absent for an item of the current input. */
	source?: ISourceData;
	/** The item's values in the job, each with its position among all values of the item. */
	lookups?: Array<[position: number, value: string]>;
	/** The item's own prices for the comparison. */
	inputPrices?: InputPrices;
	/** Set if its values belong to several items (Execute Once), so that its fields do not belong beside them. */
	isOfSeveral?: true;
	/** Index of the input item that stands in for it, if it is not an item of the current input. Not stored. */
	inputIndex?: number;
}

/** The output of an item without a job: a row for a value that was not sent, or an error item. */
export interface UnsentRequest extends Requester {
	/** Its position among the values of its item. */
	position: number;
	/** The value (null if blank), the parameters that a result would echo, and the reason. */
	row?: { query: IDataObject; reason: string; isForLackOfRoom?: boolean };
	error?: IDataObject;
}

/**
 * A job, from the plan to the output of its results. Contains only JSON, so that it survives a suspended execution. Fields
 * that are not stored say so.
 */
export interface JobRecord {
	/** The job as last seen; its ID is blank until it is created. */
	job: Job;
	/** How it ended, once the service reports an end. */
	end?: End;
	/** Whether only the job list reported that end. */
	isEndListed?: boolean;
	/** Absent for a job that was created elsewhere. */
	request?: JobRequest;
	requesters: Requester[];
	creation?: Creation;
	/** When the wait for it began, in milliseconds since 1970, like all times here. */
	since: number;
	/** When the wait for it ends. */
	deadline: number;
	/** Names of the nodes that gave it up at its deadline. Other nodes wait again; at one of these, a loop ends. */
	timedOutNodes: string[];
	/** Whether another node has begun to wait for it since, so that its deadline counts. */
	isTakenUp?: boolean;
	/** When a reply last described it. */
	checkedAt?: number;
	/** Since when the service has refused to describe it, see `isProven`. */
	deniedSince?: number;
	/** Output that belongs to no job and travels with this record. */
	unsent?: UnsentRequest[];
	/** Whether a node has already output `unsent`. */
	wasUnsentOutput?: boolean;
	/** Set once it is proven that nothing more will be known about it, so waiting is pointless. Not stored. */
	problem?: Problem;
	/** Why the latest request about it failed, if a later one may succeed. Not stored. */
	trouble?: Problem;
	/** Whether this node has cancelled it. Not stored. */
	isCancelledHere?: boolean;
}

/** A run of Collect, Wait or Download, once its jobs exist. */
export interface Run {
	context: IExecuteFunctions;
	client: ServiceClient;
	records: JobRecord[];
	/** The output that belongs to no job: rows of values that were not sent, and error items. */
	unsent: UnsentRequest[];
	choices: Choices;
	/** Absent for Download: only the download itself shows whether a job is over. */
	wait?: Pick<WaitSettings, 'intervalMs' | 'latest' | 'mode' | 'onDeadline'>;
	/** The node that provided the requesting items; absent if n8n does not say, as in tools. */
	source?: ISourceData;
	/** The requesting items, if they are not the node's input: a resumed run gets only a resume item. */
	input?: INodeExecutionData[];
	/** Called with the ID of a job that answered none of its values and so cost nothing. */
	onUnanswered?: (jobId: string) => void;
}

/** A run that waits for its jobs. */
export type WaitingRun = Run & Required<Pick<Run, 'wait'>>;

/** A new record for a job to create, or for an existing job that an item names. */
export function newRecord(jobId: string, requesters: Requester[], request?: JobRequest): JobRecord {
	const times = { since: 0, deadline: 0, timedOutNodes: [] };
	return { job: { job_id: jobId, status: '' }, request, requesters, ...times };
}

/** All output of a run that belongs to no job, including what travels with its records. */
export function allUnsent({ unsent, records }: Pick<Run, 'unsent' | 'records'>): UnsentRequest[] {
	return [...unsent, ...records.flatMap((record) => record.unsent ?? [])];
}

/** Index of the input item that a requester's output is sorted by. */
export function inputIndexOf({ inputIndex, item }: Pick<Requester, 'inputIndex' | 'item'>): number {
	return inputIndex ?? item;
}

export function inputIndexesOf({ requesters }: Pick<JobRecord, 'requesters'>): number[] {
	return [...new Set(requesters.map(inputIndexOf))];
}

/** The item links for requesters; n8n expects a single link without a list around it. */
export function linkOf(
	requesters: ReadonlyArray<Pick<Requester, 'item' | 'source'>>,
): INodeExecutionData['pairedItem'] {
	const links = requesters.map(({ item, source }): IPairedItemData =>
		source ? { item, sourceOverwrite: source } : { item },
	);
	return links.length === 1 ? links[0] : links;
}

/** A copy of an object without the named fields. */
export function without<T extends object, K extends string>(object: T, ...names: K[]): Omit<T, K> {
	const isKept = ([name]: [string, unknown]) => !(names as string[]).includes(name);
	return Object.fromEntries(Object.entries(object).filter(isKept)) as Omit<T, K>;
}
