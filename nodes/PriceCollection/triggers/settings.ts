import type { IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { hint } from '../n8n/hints';
import { RecentMap } from '../n8n/memory';
import { NodeFields, RUN } from '../n8n/nodeFields';
import type { RowChoice } from '../rows/rows';
import { readRowChoice } from '../settings/rowChoice';
import type { ServiceClient } from '../service/api/client';
import { unknownStatusText } from '../service/meaning/jobState';
import type { End } from '../service/statuses';
import { oneLine } from '../service/text';
import type { Job } from '../service/types';

/* What both triggers read from their fields, and what they show to the user. */

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
	fields: NodeFields;
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
	const fields = new NodeFields(context as ConstructorParameters<typeof NodeFields>[0]);
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
