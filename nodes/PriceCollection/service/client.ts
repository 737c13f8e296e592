import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { pause, random } from '../n8n/clock';
import { askFor, readDialect } from './dialect';
import type { CredentialFields, Dialect, DownloadFormat } from './dialect';
import { ENDPOINTS } from './endpoints';
import { inputError } from '../n8n/errors';
import { fetchFile } from './file';
import type { OpenDownload } from './file';
import { failure } from './problem';
import type { Outcome } from './problem';
import { checked, readReply } from './reply';
import type { Conversation } from './reply';
import { delayBeforeRepeat } from './retry';
import { readJob, readJobList, readResults, readUsage } from './schemas';
import type { Read } from './schemas';
import type { Job, JobResults } from './types';
import { exchange, stopSignal } from './wire';
import type { RequestContext, WireRequest } from './wire';

export type { OpenDownload };

/** How long the service may be silent when the user says nothing else, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 60_000;
export interface CallOptions {
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	format?: DownloadFormat;
	/** Whether a problem that passes is waited out; switched off where the caller has its own clock. */
	repeat?: boolean;
}

/** The service, spoken to with one credential on behalf of one node. Nothing here throws. */
export interface ServiceClient {
	readonly dialect: Dialect;
	/** A time of n8n's clock in that of the service, in milliseconds; undefined until the service has told its own. */
	serviceTime(time: number): number | undefined;
	/** Creates a job. Sent again only where nothing can have been created. */
	createJob(parameters: IDataObject, options?: CallOptions): Promise<Outcome<Job>>;
	getJob(jobId: string, options?: CallOptions): Promise<Outcome<Job>>;
	/** One page of the account's jobs, as the service sorts them. */
	listJobs(query: IDataObject, options?: CallOptions): Promise<Outcome<Job[]>>;
	/** The results of a finished job, as typed objects; the same for JSON and XML. */
	download(jobId: string, options?: CallOptions): Promise<Outcome<JobResults>>;
	/** Hands the untouched body of a download to `store`; starts over when the connection breaks. */
	downloadFile<T>(
		jobId: string,
		store: (download: OpenDownload) => Promise<T>,
		options?: CallOptions,
	): Promise<Outcome<T>>;
	cancelJob(jobId: string, options?: CallOptions): Promise<Outcome<IDataObject>>;
	getUsage(period: 'today' | 'month', options?: CallOptions): Promise<Outcome<IDataObject>>;
}

/** Does something until it works, fails for good or may not be repeated. */
async function repeatedly<T>(
	talk: Conversation,
	changes: boolean,
	repeat: boolean,
	attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
	const signal = stopSignal(talk.context);
	for (let count = 1; ; count++) {
		const outcome = await attempt();
		if (outcome.ok || !repeat) return outcome;
		const delay = delayBeforeRepeat(outcome.problem, count, changes, random());
		if (delay === undefined) return outcome;
		await pause(delay, signal);
		if (signal?.aborted === true) return failure({ ...outcome.problem, kind: 'stopped' });
	}
}

/** One request from sending to typed data, repeated where that is safe. */
async function call<T>(
	talk: Conversation,
	request: WireRequest,
	read: (value: unknown) => Read<T>,
	{ repeat = true, mayBeEmpty = false }: { repeat?: boolean; mayBeEmpty?: boolean },
): Promise<Outcome<T>> {
	return await repeatedly(talk, request.method === 'POST', repeat, async () => {
		const reply = await exchange.call(talk.context, request, talk.dialect);
		if (!reply.ok) return reply;
		const answer = await readReply(talk, request, reply.value, mayBeEmpty);
		return answer.ok ? checked(request, answer.value, read, talk.dialect.secrets) : answer;
	});
}

/** A request to an endpoint, in the form that the dialect asks for a format in. */
function requestTo(
	{ dialect }: Conversation,
	endpoint: string,
	path: string,
	{ timeoutMs = DEFAULT_TIMEOUT_MS, format = 'json' }: CallOptions = {},
): WireRequest {
	const { accept, suffix, query } = askFor(format, dialect);
	const method = endpoint.startsWith('POST') ? 'POST' : 'GET';
	return { method, endpoint, path: path + suffix, query, accept, timeoutMs };
}

function pathOf(jobId: string): string {
	return `/v2/jobs/${encodeURIComponent(jobId)}`;
}

/** The endpoints that change something. */
function changes(talk: Conversation): Pick<ServiceClient, 'createJob' | 'cancelJob'> {
	return {
		createJob: async (parameters, options = {}) => {
			const request = { ...requestTo(talk, ENDPOINTS.create, '/v2/jobs', options), body: parameters };
			return await call(talk, request, (value) => readJob(value, undefined, 'new'), options);
		},
		cancelJob: async (jobId, options = {}) => {
			const request = requestTo(talk, ENDPOINTS.cancel, `${pathOf(jobId)}/cancel`, options);
			return await call(talk, request, readUsage, { ...options, mayBeEmpty: true });
		},
	};
}

/** The endpoints that only read. */
function reads(
	talk: Conversation,
): Pick<ServiceClient, 'download' | 'downloadFile' | 'getJob' | 'getUsage' | 'listJobs'> {
	return {
		getJob: async (jobId, options = {}) => {
			const request = requestTo(talk, ENDPOINTS.get, pathOf(jobId), options);
			return await call(talk, request, (value) => readJob(value, jobId), options);
		},
		listJobs: async (query, options = {}) => {
			const request = requestTo(talk, ENDPOINTS.list, '/v2/jobs', options);
			return await call(talk, { ...request, query }, readJobList, options);
		},
		download: async (jobId, options = {}) => {
			const request = requestTo(talk, ENDPOINTS.download, `${pathOf(jobId)}/download`, options);
			return await call(talk, request, (value) => readResults(value, jobId), options);
		},
		downloadFile: async (jobId, store, options = {}) => {
			const request = requestTo(talk, ENDPOINTS.download, `${pathOf(jobId)}/download`, options);
			const fetch = async () => await fetchFile(talk, request, options.format ?? 'json', store);
			return await repeatedly(talk, false, true, fetch);
		},
		getUsage: async (period, options = {}) => {
			const endpoint = period === 'today' ? ENDPOINTS.usageToday : ENDPOINTS.usageMonth;
			const request = requestTo(talk, endpoint, `/v2/me/usage_${period}`, options);
			return await call(talk, request, readUsage, options);
		},
	};
}

/** Builds the client for a checked credential. */
function clientFor(talk: Conversation): ServiceClient {
	return {
		dialect: talk.dialect,
		serviceTime: (time) => (talk.clockAheadMs === undefined ? undefined : time + talk.clockAheadMs),
		...changes(talk),
		...reads(talk),
	};
}

/**
 * The client for the credential of this node.
 *
 * @throws NodeOperationError with a clear sentence when the credential's address cannot be used
 */
export async function serviceClient(this: RequestContext): Promise<ServiceClient> {
	const fields = await this.getCredentials<CredentialFields>('priceCollectionApi');
	const read = readDialect(fields);
	if (!read.ok) {
		throw inputError(
			this.getNode(),
			read.message,
			'Open the Price Collection API credential to correct it.',
		);
	}
	return clientFor({ context: this, dialect: read.dialect });
}

/**
 * The client for requests that must outlive the stop of an execution, such as cancelling its jobs.
 *
 * @throws like {@link serviceClient}
 */
export async function detachedClient(this: IExecuteFunctions): Promise<ServiceClient> {
	const { helpers, logger } = this;
	const detached = {
		helpers,
		logger,
		getNode: this.getNode.bind(this),
		getCredentials: this.getCredentials.bind(this),
	};
	// n8n looks for the stop signal on the context that it is called with; the rest of it is not needed.
	return await serviceClient.call(detached as unknown as RequestContext);
}
