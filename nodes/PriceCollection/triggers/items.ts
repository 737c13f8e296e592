import type { IDataObject, IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { apiError } from '../n8n/errors';
import { hint } from '../n8n/hints';
import { RecentMap } from '../n8n/memory';
import { Parameters, RUN } from '../n8n/parameters';
import { Renderer, type RowChoice } from '../rows/rows';
import { readRowChoice } from '../settings/rowChoice';
import type { ServiceClient } from '../service/api/client';
import type { Download } from '../service/api/download';
import { listAllJobs } from '../service/api/jobList';
import { denialIn, NO_RESULTS, reasonOf, unknownStatusText } from '../service/meaning/jobState';
import { explain, type Problem } from '../service/problems';
import type { End } from '../service/statuses';
import { oneLine } from '../service/text';
import type { Job, JobResults } from '../service/types';

type Output = 'entries' | 'job' | 'notification' | 'results';

/** The settings of both triggers. */
export interface TriggerSettings {
	/** Whether an end starts the workflow. */
	wants: (end: End | undefined) => boolean;
	output: Output;
	/** How results become rows, for the outputs that download. */
	rows: () => Omit<RowChoice, 'output'>;
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	/** Shows a sentence about the rows. */
	remark: (message: string) => void;
	/** For the fields of only one trigger. */
	fields: Parameters;
}

/** Shows a remark about the rows: below the output of an execution, otherwise in n8n's log, on one line. */
function remarkOn(context: IExecuteFunctions | IPollFunctions | IWebhookFunctions, message: string): void {
	if ('addExecutionHints' in context) hint(context, message, 'warning');
	else context.logger.info(oneLine(`${context.getNode().name}: ${message}`));
}

/** Reads the fields that both triggers have. */
export function readSettings(
	context: IExecuteFunctions | IPollFunctions | IWebhookFunctions,
	outputs: readonly Output[],
): TriggerSettings {
	// Triggers have no input items.
	const fields = new Parameters(context as ConstructorParameters<typeof Parameters>[0]);
	const events = fields.texts('events', RUN, /[\s,]/);
	return {
		output: fields.choice('output', RUN, outputs, 'results'),
		rows: () => readRowChoice(fields, RUN),
		timeoutMs: fields.timeoutMs(),
		// Without a choice every end counts, so that none is lost.
		wants: (end) => {
			const isAny = events.length === 0 || events.includes('any');
			return end !== undefined && (isAny || events.includes(end === 'results' ? 'finished' : end));
		},
		remark: (message) => remarkOn(context, message),
		fields,
	};
}

/** Identifies a trigger within an n8n instance. */
export function triggerOf(context: IExecuteFunctions | IPollFunctions | IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}\n${context.getNode().id}`;
}

/** The warnings that this process has written, by trigger and text. */
const warned = new RecentMap<string, true>(1_000);

/** Says status words that are in no table in n8n's log, each once: their jobs start no workflow. */
export function warnOfUnknownStatus(
	context: IPollFunctions | IWebhookFunctions,
	client: Pick<ServiceClient, 'knowsStatus'>,
	jobs: readonly Job[],
): void {
	const unknown = new Map(jobs.map((job) => [job.status, job]));
	for (const job of unknown.values()) {
		const text = unknownStatusText([job], client.knowsStatus);
		const mark = `${triggerOf(context)}\n${job.status}`;
		if (text === undefined || warned.has(mark)) continue;
		warned.set(mark, true);
		context.logger.warn(oneLine(`${context.getNode().name}: ${text}`));
	}
}

/** The item for an ended job without available results, so that the end itself is not lost. */
function itemWithReason({ job_id, status }: Job, reason: string): IDataObject {
	return { job_id, status, success: false, found: false, reason };
}

export function itemWithProblem(job: Job, problem: Problem): IDataObject {
	const { message, description } = explain(problem);
	return itemWithReason(job, `${message}. ${description}`);
}

type Ask = () => Promise<Download<JobResults>>;

/**
 * The items for the end of a job. The only place where the triggers render results.
 *
 * @param how `received`: the data of a notification beside the job. `download`: asks for the results, once or several
 *   times; what it returns counts
 * @returns the items as results, or why there are none; the caller decides whether to try again
 */
export async function itemsOfJob(
	client: Pick<ServiceClient, 'clock' | 'connection' | 'download' | 'endOf'>,
	job: Job,
	settings: TriggerSettings,
	how: { received?: IDataObject; download: (ask: Ask) => Promise<Download<JobResults>> },
): Promise<Exclude<Download<IDataObject[]>, { kind: 'none' }>> {
	const { job_id, status } = job;
	const { output, timeoutMs } = settings;
	const items = (value: IDataObject[]) => ({ kind: 'results', value, isEmpty: false }) as const;
	if (output === 'job') return items([job]);
	if (output === 'notification') return items([{ job_id, status, ...how.received }]);
	const end = client.endOf(status);
	const known = { jobId: job_id, isOver: end !== undefined };
	const download = await how.download(async () => await client.download(known, { timeoutMs }));
	// A job without results gets an item as well, because its end must start the workflow.
	if (download.kind === 'none') return items([itemWithReason(job, download.reason)]);
	if (download.kind !== 'results') return download;
	if (download.isEmpty) return items([itemWithReason(job, reasonOf({ job, end }) ?? NO_RESULTS)]);
	const choice = { ...settings.rows(), output };
	const renderer = new Renderer(client);
	const { rows, failed } = await renderer.render(download.value, download.value.results, choice);
	for (const remark of renderer.remarks.sentences()) settings.remark(remark);
	return items(failed === undefined ? rows : [itemWithReason(job, failed.reason)]);
}

/** The sample is the latest of this many jobs. */
const SAMPLE_FROM = 100;

const QUERY = { topic: 'product_and_offers', source: 'test', country: 'us', key: 'gtin' };

/** For accounts without jobs. */
const SAMPLE: JobResults = {
	job_id: '1234567890abcdef12345678',
	status: 'finished',
	...QUERY,
	requested: 1,
	created_at: '2026-01-15T08:00:00Z',
	terminated_at: '2026-01-15T08:00:20Z',
	results: [
		{
			query: { ...QUERY, value: '00885909666966' },
			success: true,
			content: {
				name: 'Sample Product',
				offers: [
					{ price: '12.90', currency: 'USD', condition_text: 'new', shop_name: 'Sample Shop' },
				],
			},
		},
	],
};

/**
 * Sample items for building a workflow in the editor: of the account's list, which usually begins with the
 * latest job, the first end that the trigger listens for. If there is none, or its results were deleted,
 * made-up items that begin with `sample: true`.
 *
 * @throws NodeApiError when the service cannot be reached; made-up data would hide that
 */
export async function accountSample(
	context: IExecuteFunctions | IPollFunctions,
	client: ServiceClient,
	settings: TriggerSettings,
): Promise<IDataObject[]> {
	const jobs = await listAllJobs(client, { limit: SAMPLE_FROM });
	if (!jobs.ok) throw apiError(context.getNode(), jobs.problem);
	const latest = jobs.value.find((job) => settings.wants(client.endOf(job.status)));
	const received_at = new Date(client.clock.now()).toISOString();
	const itemsOf = async ({ download }: Pick<ServiceClient, 'download'>, job: Job) => {
		const payload = { job_id: job.job_id, status: job.status };
		const how = { received: { received_at, payload }, download: async (ask: Ask) => await ask() };
		return await itemsOfJob({ ...client, download }, job, settings, how);
	};
	const items = latest && (await itemsOf(client, latest));
	if (items?.kind === 'results' && items.value.length > 0) return items.value;
	const why = items === undefined || items.kind === 'results' ? undefined : items.why;
	const isDeleted = why === undefined || why.kind === 'notReady' || denialIn(why) === 'gone';
	if (!isDeleted) throw apiError(context.getNode(), why);
	const { results, ...job } = SAMPLE;
	const madeUp = await itemsOf(
		{ download: async () => ({ kind: 'results', value: { ...job, results }, isEmpty: false }) },
		job as Job,
	);
	return madeUp.kind === 'results' ? madeUp.value.map((item) => ({ sample: true, ...item })) : [];
}
