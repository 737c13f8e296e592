import type { IDataObject, IExecuteFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { readBestPrice, readColumns } from '../descriptions/rowFields';
import { collectionOf, Parameters, RUN, textOf, timeoutMsOf } from '../n8n/parameters';
import type { RowChoice } from '../output/rows';
import { terminalStatus, type JobEnd } from '../service/status';

export type TriggerOutput = 'entries' | 'job' | 'notification' | 'results';

/** What both triggers are set to. */
export interface TriggerSettings {
	output: TriggerOutput;
	/** How results become rows, for the outputs that download. */
	rows: Omit<RowChoice, 'output'>;
	/** How long the service may be silent, in milliseconds. */
	timeoutMs?: number;
	/** Whether a job of this status is over, in a way that the trigger listens for. */
	wants: (status: string) => boolean;
	/** Tells what a node would show as a hint: triggers have the log only. */
	remark: (message: string) => void;
	/** The collection Options, for what only one trigger has. */
	options: IDataObject;
}

const OUTPUTS: readonly TriggerOutput[] = ['entries', 'job', 'notification', 'results'];

/** Whether the field Trigger On names an end. When nothing is chosen, every end counts: none must get lost. */
export function wantsEnd(events: unknown, end: JobEnd): boolean {
	const chosen: unknown[] = Array.isArray(events) ? events : [events];
	return chosen.length === 0 || chosen.includes('any') || chosen.includes(end);
}

/** Reads the fields that both triggers have. */
export function readSettings(context: IPollFunctions | IWebhookFunctions): TriggerSettings {
	const fields = new Parameters(context as ConstructorParameters<typeof Parameters>[0]);
	const options = collectionOf(context.getNodeParameter('options', {}));
	const events = context.getNodeParameter('events', ['finished']);
	const output = context.getNodeParameter('output', 'job');
	return {
		output: OUTPUTS.find((known) => known === output) ?? 'job',
		rows: {
			simplify: context.getNodeParameter('simplify', true) !== false,
			includeNotFound: options.includeNotFound !== false,
			onFailedResult: options.onFailedResult === 'skip' ? 'skip' : 'include',
			contentList: textOf(options.contentList) || undefined,
			...readColumns(fields),
			...(fields.flag('bestPrice', RUN, true) && { bestPrice: readBestPrice(fields, RUN) }),
		},
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
