import type { ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { GivenPrices } from '../../output/comparison';
import type { ResultChoice } from '../../output/fetch';
import { isObject } from '../../service/types';
import type { Aside, JobRecord } from '../lookup/record';
import { storedFormat, text, type Upgrade } from './format';
import { aside, jobRecord, objectsIn, upgradedAsides, upgradedRecord } from './jobRecord';

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
	/** The node whose items asked. */
	source?: ISourceData;
	/** How long it may be suspended at a stretch where somebody takes its jobs up then, in milliseconds. */
	intervalMs: number;
}

/** Version 1 had no values that were not sent. Version 2 kept plans, states and who asked apart. */
const asRecords: Upgrade = ({ run, executionId, choice: first, ...rest }) => {
	if (!isObject(run)) return rest;
	const { jobs, asked, unsent, errors, deadline, source } = run;
	const valuesOf = new Map((Array.isArray(asked) ? asked : []) as Array<[number, unknown]>);
	const records = objectsIn(jobs).map(({ planned, job, callsBack, signatureHash }) => {
		const plan = isObject(planned) ? planned : {};
		const items = (Array.isArray(plan.items) ? plan.items : []) as number[];
		const record = upgradedRecord(
			job,
			plan,
			items.map((item) => [item, valuesOf.get(item)]),
		);
		const called = callsBack === true ? String(executionId ?? '') : '';
		return { ...record, deadline, creation: { sentAt: 0, executionId: called, signatureHash } };
	});
	const failed = objectsIn(errors).map(({ item, json }) => ({ item, place: 0, error: json }));
	return { ...rest, choices: { first }, records, asides: [...failed, ...upgradedAsides(unsent)], source };
};

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
	[(stored) => stored, asRecords],
);
