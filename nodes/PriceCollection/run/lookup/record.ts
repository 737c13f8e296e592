import type { IDataObject, INodeExecutionData, IPairedItemData, ISourceData } from 'n8n-workflow';

import type { GivenPrices } from '../../output/comparison';
import type { Problem } from '../../service/problems';
import { terminalStatus } from '../../service/status';
import type { Job } from '../../service/types';

/** What is known of a request to create a job. Times in milliseconds since 1970. */
export interface Creation {
	sentAt: number;
	/** Until when it can have reached the service; absent while its reply is awaited, or where it came. */
	lostAt?: number;
	/** The execution that the job calls back, where it calls one. */
	executionId: string;
	/** The mark in its callback URL. */
	nonce?: string;
	/** Hash of the signature in its callback URL, so that it is known again although the secret has changed. */
	signatureHash?: string;
	/** The job that it has made; absent while that is unknown. */
	jobId?: string;
	/** What the job list says of it while that is unknown, a sentence that names the jobs which may be it. */
	doubt?: string;
	/** The items that asked, and what the jobs had in common that shared their parameters. */
	items?: number[];
	group?: string;
	/** Set where the job list proved it, because the reply was lost. */
	recovered?: boolean;
}

/** What is asked for in a job. */
export interface JobRequest {
	/** Wire parameters without `value` and `values`: topic, key, source, … and the callback URL. */
	parameters: IDataObject;
	key: string;
	/** Each purchase once, spelt as it was first asked for. */
	values: string[];
}

/** An input item that asks for values of a job, or names the job. */
export interface Requester {
	item: number;
	/** The node whose item it is; absent for an item of the present input. */
	source?: ISourceData;
	/** Its values in the job, each with its place among all values of the item. */
	asks?: Array<[place: number, value: string]>;
	/** The prices that it brings along to compare. */
	given?: GivenPrices;
	/** The item of the present input that stands for it; the same one when absent. Not stored. */
	at?: number;
}

/** What an item gives without a job: a row for a value that was not sent, or an error item. */
export interface Aside extends Requester {
	/** Where it stands among the values of its item. */
	place: number;
	/** The value, null for a blank one, with the parameters that its result would echo, and what is wrong with it. */
	row?: { query: IDataObject; reason: string };
	error?: IDataObject;
}

/**
 * The one record of a job, from the plan to the delivery of its results. It holds nothing but JSON, so that it survives a
 * suspended execution; what is only of the present look is marked.
 */
export interface JobRecord {
	/** As last seen; the ID is blank until the job is created. */
	job: Job;
	/** Absent for a job that was created elsewhere. */
	request?: JobRequest;
	requesters: Requester[];
	creation?: Creation;
	/** Since when it is waited for. */
	since: number;
	/** Until when it is waited for. */
	deadline: number;
	/** The nodes where its deadline has passed: another one waits anew, and a loop through one of these ends. */
	givenUpBy: string[];
	/** When the service last said something of it. */
	checkedAt?: number;
	/** Since when the service says that it does not know the job. */
	unknownSince?: number;
	/** What leaves with this job, of items that may have no job. */
	asides?: Aside[];
	/** Set when its status cannot be learned, so that waiting on makes no sense. Not stored. */
	problem?: Problem;
	/** Why the latest look brought nothing, where a later one might have. Not stored. */
	trouble?: Problem;
}

/** Whether nothing more is to be learned of a job. */
export function isSettled({ job, problem }: JobRecord): boolean {
	return problem !== undefined || terminalStatus(job.status) !== undefined;
}

/** A record for a job that is to be created, or that somebody names. */
export function newRecord(jobId: string, requesters: Requester[], request?: JobRequest): JobRecord {
	const times = { since: 0, deadline: 0, givenUpBy: [] };
	return { job: { job_id: jobId, status: '' }, request, requesters, ...times };
}

/** The item of this node's input at which the output for a requester stands. */
export function placeOf({ at, item }: Pick<Requester, 'at' | 'item'>): number {
	return at ?? item;
}

/** The items of this node's input at which the output of a job stands. */
export function placesOf({ requesters }: Pick<JobRecord, 'requesters'>): number[] {
	return [...new Set(requesters.map(placeOf))];
}

/** What the output for some requesters is linked to: a single link stands for itself, as n8n has it. */
export function linkOf(
	requesters: ReadonlyArray<Pick<Requester, 'item' | 'source'>>,
): INodeExecutionData['pairedItem'] {
	const links = requesters.map(({ item, source }): IPairedItemData => ({
		item,
		...(source !== undefined && { sourceOverwrite: source }),
	}));
	return links.length === 1 ? links[0] : links;
}

/** An object without some of its fields. */
export function without<T extends object, K extends string>(object: T, ...names: K[]): Omit<T, K> {
	const isKept = ([name]: [string, unknown]) => !(names as string[]).includes(name);
	return Object.fromEntries(Object.entries(object).filter(isKept)) as Omit<T, K>;
}
