import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	IPairedItemData,
	ISourceData,
} from 'n8n-workflow';

import type { GivenPrices } from '../rows/comparison';
import type { ServiceClient } from '../service/api/client';
import type { Problem } from '../service/problems';
import type { End } from '../service/statuses';
import type { Job } from '../service/types';
import type { Choices } from '../settings/resultChoice';
import type { WaitSettings } from '../settings/waitSettings';

/** A request to create a job. Times in milliseconds since 1970. */
export interface Creation {
	sentAt: number;
	/** Latest time at which it can have reached the service; absent while its reply is pending or known. */
	lostAt?: number;
	/** The execution that the job calls back, if any. */
	executionId: string;
	/** The random mark in its callback URL. */
	nonce?: string;
	/** Hash of the signature in its callback URL, to recognise it after the secret changed. */
	signatureHash?: string;
	/** The job that it created; absent while unknown. */
	jobId?: string;
	/** The credits that the service said it booked or reserved for it. */
	booked?: number;
	/** A sentence that names the jobs which may be this one, while that is unknown. */
	doubt?: string;
	/** Set when the reply was lost and the job list proved the job. */
	recovered?: boolean;
}

/** The content of a creation request. */
export interface JobRequest {
	/** Wire parameters without `value` and `values`: topic, key, source, … and the callback URL. */
	parameters: IDataObject;
	key: string;
	/** Each value once, as it is sent. */
	values: string[];
}

/** An input item that requests values of a job, or names the job. */
export interface Requester {
	item: number;
	/** The node whose item it is; absent for the current input. */
	source?: ISourceData;
	/** Its values in the job, each with its position among all values of the item. */
	lookups?: Array<[position: number, value: string]>;
	/** The item's own prices for the comparison. */
	givenPrices?: GivenPrices;
	/** Set where its values are those of several items (Execute Once), so that its own fields do not belong to them. */
	isOfSeveral?: true;
	/** The current input item that represents it, if another one. Not stored. */
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
 * The only record of a job, from the plan to the output of its results. Contains only JSON, so that it
 * survives a suspended execution; fields that are not stored say so.
 */
export interface JobRecord {
	/** The job as last seen; its ID is blank until it is created. */
	job: Job;
	/** How it ended, once the service has said so. */
	end?: End;
	/** Whether only the job list has said so. */
	isEndListed?: boolean;
	/** Absent for a job that was created elsewhere. */
	request?: JobRequest;
	requesters: Requester[];
	creation?: Creation;
	/** When the wait for it began. */
	since: number;
	/** When the wait for it ends. */
	deadline: number;
	/** Nodes at which its deadline passed: other nodes wait again, a loop through one of these ends. */
	timedOutNodes: string[];
	/** When the service last described it. */
	checkedAt?: number;
	/** Since when the service has denied it, see `jobState`. */
	deniedSince?: number;
	/** Output of items without a job that is sent along with this job. */
	unsent?: UnsentRequest[];
	/** Whether a node has output the asides. */
	isUnsentOutput?: boolean;
	/** Set when it is proven that nothing more will be known of it, so that waiting is pointless. Not stored. */
	problem?: Problem;
	/** Why the latest request about it failed, if a later one may succeed. Not stored. */
	trouble?: Problem;
	/** Whether this node has cancelled it. Not stored. */
	isCancelledHere?: boolean;
}

/** A run of Collect, Wait or Download with existing jobs. */
export interface Run {
	context: IExecuteFunctions;
	client: ServiceClient;
	records: JobRecord[];
	/** Output of the run besides the results of its jobs. */
	unsent: UnsentRequest[];
	choices: Choices;
	/** Absent for Download: only the download itself shows whether a job is over. */
	wait?: Pick<WaitSettings, 'intervalMs' | 'latest' | 'mode' | 'onDeadline'>;
	/** The node whose items asked; absent when n8n does not provide it, as in tools. */
	source?: ISourceData;
	/** The items that asked, if they are not the input: n8n resumes a suspended node with its own item. */
	input?: INodeExecutionData[];
	/** Called for a job of which no value was answered, so that nothing was paid for it. */
	onUnanswered?: (jobId: string) => void;
}

/** A run that waits for its jobs. */
export type WaitingRun = Run & Required<Pick<Run, 'wait'>>;

/** A record for a job to create, or for one that an item names. */
export function newRecord(jobId: string, requesters: Requester[], request?: JobRequest): JobRecord {
	const times = { since: 0, deadline: 0, timedOutNodes: [] };
	return { job: { job_id: jobId, status: '' }, request, requesters, ...times };
}

/** All output of a run besides the results of its jobs. */
export function allUnsent({ unsent, records }: Pick<Run, 'unsent' | 'records'>): UnsentRequest[] {
	return [...unsent, ...records.flatMap((record) => record.unsent ?? [])];
}

/** Index of this node's input item at which the output for a requester appears. */
export function inputIndexOf({ inputIndex, item }: Pick<Requester, 'inputIndex' | 'item'>): number {
	return inputIndex ?? item;
}

export function inputIndexesOf({ requesters }: Pick<JobRecord, 'requesters'>): number[] {
	return [...new Set(requesters.map(inputIndexOf))];
}

/** The item links for some requesters; n8n expects a single link without a list. */
export function linkOf(
	requesters: ReadonlyArray<Pick<Requester, 'item' | 'source'>>,
): INodeExecutionData['pairedItem'] {
	const links = requesters.map(({ item, source }): IPairedItemData =>
		source ? { item, sourceOverwrite: source } : { item },
	);
	return links.length === 1 ? links[0] : links;
}

/** An object without some of its fields. */
export function without<T extends object, K extends string>(object: T, ...names: K[]): Omit<T, K> {
	const isKept = ([name]: [string, unknown]) => !(names as string[]).includes(name);
	return Object.fromEntries(Object.entries(object).filter(isKept)) as Omit<T, K>;
}
