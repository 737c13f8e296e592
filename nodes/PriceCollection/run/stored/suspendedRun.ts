import type { ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { storedFormat, text } from '../../n8n/storedFormat';
import type { GivenPrices } from '../../output/comparison';
import type { ResultChoice } from '../../output/fetch';
import { isObject } from '../../service/types';
import type { Aside, JobRecord } from '../lookup/record';
import { aside, jobRecord, upgradeRun } from './jobRecord';

/** How the user wants results: for all items alike, except for those that differ. The output is the same for all. */
export interface Choices {
	first: ResultChoice;
	byItem?: Record<string, ResultChoice>;
	/** The prices that items bring along to compare. */
	given?: Record<string, GivenPrices>;
}

/** What a run that waits for its callback keeps in the execution. */
export interface SuspendedRun {
	/** Tells the input of the resumed run from that of another round of the same node. */
	marker: string;
	records: JobRecord[];
	/** What leaves the run besides the results of its jobs. */
	asides: Aside[];
	choices: Choices;
	/** The node whose items asked; absent where n8n does not say, as in tools. */
	source?: ISourceData;
	/** How long it may be suspended at a stretch where somebody takes its jobs up then, in milliseconds. */
	intervalMs: number;
}

export const suspendedRunFormat = storedFormat<SuspendedRun>(
	'The suspended run',
	z.object({
		marker: text,
		records: z.array(jobRecord),
		asides: z.array(aside),
		choices: z.custom<Choices>((choices) => isObject(choices) && isObject(choices.first)),
		source: z.optional(z.custom<ISourceData>(isObject)),
		intervalMs: z.number(),
	}),
	upgradeRun,
);
