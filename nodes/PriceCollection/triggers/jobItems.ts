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

/** The settings that both triggers have. */
export interface TriggerSettings {
	/** Whether a job's end starts the workflow; false for a running job. */
	wants: (end: End | undefined) => boolean;
	output: Output;
	/** Reads how results become rows, for outputs that download. */
	rows: () => Omit<RowChoice, 'output'>;
	/** How long the service may be silent before a request is aborted, in milliseconds. */
	timeoutMs?: number;
	/** Shows a remark about the rows. */
	remark: (message: string) => void;
	/** Reads the fields that only one of the triggers has. */
	fields: Parameters;
}

/** Shows a remark about the rows: below the output in an execution, otherwise as one line in n8n's log. */
function showRemark(context: IExecuteFunctions | IPollFunctions | IWebhookFunctions, message: string): void {
	if ('addExecutionHints' in context) hint(context, message, 'warning');
	else context.logger.info(oneLine(`${context.getNode().name}: ${message}`));
}

/** Reads the settings that both triggers have. */
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
		// If no events are chosen, every end counts, so that none is lost.
		wants: (end) => {
			const isAny = events.length === 0 || events.includes('any');
			return end !== undefined && (isAny || events.includes(end === 'results' ? 'finished' : end));
		},
		remark: (message) => showRemark(context, message),
		fields,
	};
}

/** Returns a key that identifies a trigger within an n8n instance. */
export function triggerOf(context: IExecuteFunctions | IPollFunctions | IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}\n${context.getNode().id}`;
}

/** The status words that this process has warned of, by trigger. */
const warned = new RecentMap<string, true>(1_000);

/** Warns in n8n's log, once per word, of status words in no table: jobs with them do not start the workflow. */
export function warnOfUnknownStatus(
	context: IPollFunctions | IWebhookFunctions,
	client: Pick<ServiceClient, 'knowsStatus'>,
	jobs: readonly Job[],
): void {
	const unknown = new Map(jobs.map((job) => [job.status, job]));
	for (const job of unknown.values()) {
		const text = unknownStatusText([job], client.knowsStatus);
		const warningKey = `${triggerOf(context)}\n${job.status}`;
		if (text === undefined || warned.has(warningKey)) continue;
		warned.set(warningKey, true);
		context.logger.warn(oneLine(`${context.getNode().name}: ${text}`));
	}
}

/** Returns the item for an ended job without available results, so that the end itself is not lost. */
function itemWithReason({ job_id, status }: Job, reason: string): IDataObject {
	return { job_id, status, success: false, found: false, reason };
}

export function itemWithProblem(job: Job, problem: Problem): IDataObject {
	const { message, description } = explain(problem);
	return itemWithReason(job, `${message}. ${description}`);
}

type Ask = () => Promise<Download<JobResults>>;

/**
 * Returns the items for a job's end.
 *
 * @param how `received`: the notification's data besides the job. `download`: requests the results, once or repeatedly;
 *   its return value counts
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
	// A job without results also gets an item, because its end must start the workflow.
	if (download.kind === 'none') return items([itemWithReason(job, download.reason)]);
	if (download.kind !== 'results') return download;
	if (download.isEmpty) return items([itemWithReason(job, reasonOf({ job, end }) ?? NO_RESULTS)]);
	const choice = { ...settings.rows(), output };
	const renderer = new Renderer(client);
	const { rows, failed } = await renderer.render(download.value, download.value.results, choice);
	for (const remark of renderer.remarks.sentences()) settings.remark(remark);
	return items(failed === undefined ? rows : [itemWithReason(job, failed.reason)]);
}

/** How many jobs of the list to search for a sample. */
const SAMPLE_FROM = 100;

const QUERY = { topic: 'product_and_offers', source: 'test', country: 'us', key: 'gtin' };

/** Made-up results for accounts without suitable jobs. */
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
 * Returns sample items for building a workflow in the editor. They come from the first listed job whose end the trigger
 * listens for; the list usually starts with the newest job. If there is no such job, or its results are not available,
 * the items are made up and begin with `sample: true`.
 *
 * @throws NodeApiError when the service fails; made-up data would hide that
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
	const problem = items === undefined || items.kind === 'results' ? undefined : items.why;
	const isUnavailable =
		problem === undefined || problem.kind === 'notReady' || denialIn(problem) === 'gone';
	if (!isUnavailable) throw apiError(context.getNode(), problem);
	const { results, ...job } = SAMPLE;
	const madeUp = await itemsOf(
		{ download: async () => ({ kind: 'results', value: { ...job, results }, isEmpty: false }) },
		job as Job,
	);
	return madeUp.kind === 'results' ? madeUp.value.map((item) => ({ sample: true, ...item })) : [];
}
