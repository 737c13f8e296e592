import type { IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { readRowChoice } from '../descriptions/rowFields';
import { Parameters, RUN } from '../n8n/parameters';
import { terminalStatus } from '../service/status';
import type { ItemSettings } from './items';

/** What both triggers are set to. */
export interface TriggerSettings extends ItemSettings {
	/** Whether a job of this status is over, in a way that the trigger listens for. */
	wants: (status: string) => boolean;
	/** For what only one trigger has. */
	fields: Parameters;
}

/** Reads the fields that both triggers have. */
export function readSettings(
	context: IPollFunctions | IWebhookFunctions,
	outputs: ReadonlyArray<ItemSettings['output']>,
): TriggerSettings {
	// A trigger has no input items.
	const fields = new Parameters(context as ConstructorParameters<typeof Parameters>[0]);
	const events = fields.texts('events', RUN, /[\s,]/);
	return {
		output: fields.choice('output', RUN, outputs, 'job'),
		rows: () => readRowChoice(fields, RUN),
		timeoutMs: fields.timeoutMs(),
		// When nothing is chosen, every end counts: none must get lost.
		wants: (status) => {
			const end = terminalStatus(status);
			const isAny = events.length === 0 || events.includes('any');
			return end !== undefined && (isAny || events.includes(end));
		},
		remark: (message) => context.logger.info(`${context.getNode().name}: ${message}`),
		fields,
	};
}

/** Whether the webhook trigger starts the workflow once for a job. */
export function ignoresDuplicates(fields: Parameters): boolean {
	return fields.flag('options.ignoreDuplicates', RUN, true);
}

/** What tells the triggers of one n8n apart. */
export function triggerOf(context: IExecuteFunctions | IPollFunctions | IWebhookFunctions): string {
	return `${context.getWorkflow().id ?? ''}\n${context.getNode().id}`;
}
