import type { IDataObject, IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { collectionOf, timeoutMsOf } from '../n8n/parameters';
import { terminalStatus, type JobEnd } from '../service/status';
import { readRowChoice, type ItemSettings } from './items';

/** What both triggers are set to. */
export interface TriggerSettings extends ItemSettings {
	/** Whether a job of this status is over, in a way that the trigger listens for. */
	wants: (status: string) => boolean;
	/** The collection Options, for what only one trigger has. */
	options: IDataObject;
}

/** Whether the field Trigger On names an end. When nothing is chosen, every end counts: none must get lost. */
export function wantsEnd(events: unknown, end: JobEnd): boolean {
	const chosen: unknown[] = Array.isArray(events) ? events : [events];
	return chosen.length === 0 || chosen.includes('any') || chosen.includes(end);
}

/** Whether the webhook trigger starts the workflow once for a job. */
export function ignoresDuplicates(options: unknown): boolean {
	return collectionOf(options).ignoreDuplicates !== false;
}

/** What each trigger offers as Output. */
export const POLLING_OUTPUTS = ['entries', 'job', 'results'] as const;
export const WEBHOOK_OUTPUTS = [...POLLING_OUTPUTS, 'notification'] as const;

/** Reads the fields that both triggers have. */
export function readSettings(
	context: IPollFunctions | IWebhookFunctions,
	outputs: ReadonlyArray<ItemSettings['output']>,
): TriggerSettings {
	const read = (name: string, fallback: unknown): unknown => context.getNodeParameter(name, fallback);
	const options = collectionOf(read('options', {}));
	const events = read('events', ['finished']);
	const output = read('output', 'job');
	return {
		output: outputs.find((known) => known === output) ?? 'job',
		rows: readRowChoice(read, options),
		timeoutMs: timeoutMsOf(options),
		wants: (status) => {
			const end = terminalStatus(status);
			return end !== undefined && wantsEnd(events, end);
		},
		remark: (message) => context.logger.info(`${context.getNode().name}: ${message}`),
		options,
	};
}

/** What tells the triggers of one n8n apart. */
export function triggerOf(context: IExecuteFunctions | IPollFunctions | IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}\n${context.getNode().id}`;
}
