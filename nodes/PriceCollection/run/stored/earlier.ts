import type { IDataObject, ISourceData } from 'n8n-workflow';

import type { ResultChoice } from '../../output/fetch';
import type { Upgrade } from '../../n8n/storedFormat';
import type { Job } from '../../service/types';
import { newRecord, type Aside, type JobRecord } from '../lookup/record';
import { identityOf } from '../lookup/values';

/** What version 2 of the stored formats kept apart of a job: its plan, who asked, and values that were not sent. */
interface Plan {
	parameters: IDataObject;
	key: string;
	values: string[];
	source?: ISourceData;
}
interface Asked {
	item: number;
	values: string[];
}
interface Unsent {
	item: number;
	place: number;
	query: IDataObject;
	reason: string;
}
interface Links {
	fields: Job;
	origin?: Plan & { asked: Asked[]; unsent?: Unsent[] };
	namedBy?: { items: number[]; source?: ISourceData };
}
interface Run {
	jobs: Array<{
		planned: Plan & { items: number[] };
		job: Job;
		callsBack?: boolean;
		signatureHash?: string;
	}>;
	asked: Array<[item: number, values: string[]]>;
	unsent?: Unsent[];
	errors: Array<{ item: number; json: IDataObject }>;
	source?: ISourceData;
	deadline: number;
}

function recordOf(job: Job, { source, ...request }: Plan, asked: readonly Asked[]): JobRecord {
	const { parameters, key, values } = request;
	const held = new Set(values.map((value) => identityOf(key, value)));
	const requesters = asked.map(({ item, values: own }) => ({
		...{ item, ...(source && { source }) },
		asks: own
			.map((value, place): [number, string] => [place, value])
			.filter(([, value]) => held.has(identityOf(key, value))),
	}));
	return { ...newRecord(job.job_id, requesters, { parameters, key, values }), job };
}

function asidesOf(unsent: readonly Unsent[] = [], source?: ISourceData): Aside[] {
	return unsent.map(({ item, place, query, reason }) => ({
		...{ item, place, row: { query, reason } },
		...(source && { source }),
	}));
}

/** Nothing of version 1 is read any more. */
const unread: Upgrade = () => ({});

/** Upgrades the records of jobs that left by Still Running. */
export const linksFromAskers: readonly Upgrade[] = [
	unread,
	({ jobs }) => {
		const recordFor = ([jobId, { fields, origin, namedBy }]: [string, Links]): [string, JobRecord] => {
			const job = { ...fields, job_id: jobId };
			const named = namedBy?.items.map((item) => ({ item, source: namedBy.source })) ?? [];
			return origin === undefined
				? [jobId, { ...newRecord(jobId, named), job }]
				: [
						jobId,
						{
							...recordOf(job, origin, origin.asked),
							asides: asidesOf(origin.unsent, origin.source),
						},
					];
		};
		return { jobs: Object.fromEntries(Object.entries(jobs as Record<string, Links>).map(recordFor)) };
	},
];

/** Upgrades a suspended run. */
export const runFromPlans: readonly Upgrade[] = [
	unread,
	({ marker, run, executionId = '', choice, intervalMs }) => {
		const { jobs, asked, unsent, errors, deadline, source } = run as unknown as Run;
		const valuesOf = new Map(asked);
		const records = jobs.map(({ planned, job, callsBack, signatureHash }) => ({
			...recordOf(
				job,
				planned,
				planned.items.map((item) => ({ item, values: valuesOf.get(item) ?? [] })),
			),
			deadline,
			creation: { sentAt: 0, executionId: callsBack ? executionId : '', signatureHash },
		}));
		const failed = errors.map(({ item, json }) => ({ item, place: 0, error: json }));
		const choices = { first: choice as unknown as ResultChoice };
		return { marker, intervalMs, choices, records, asides: [...failed, ...asidesOf(unsent)], source };
	},
];
