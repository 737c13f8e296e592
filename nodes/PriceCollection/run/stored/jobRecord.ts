import type { IDataObject, ISourceData } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import type { Upgrade } from '../../n8n/storedFormat';
import { isObject, type Job } from '../../service/types';
import {
	newRecord,
	without,
	type Aside,
	type Creation,
	type JobRecord,
	type Requester,
} from '../lookup/record';
import { identityOf } from '../lookup/values';

/** See `JobRecord`. What this package has written is checked for what it cannot do without. */
export const jobRecord = z.custom<JobRecord>(
	(record) =>
		isObject(record) &&
		isObject(record.job) &&
		[record.job.job_id, record.job.status].every((field) => typeof field === 'string') &&
		[record.since, record.deadline].every(Number.isFinite) &&
		[record.requesters, record.givenUpBy].every(Array.isArray),
);

/** See `Creation`. */
export const creation = z.custom<Creation>((one) => isObject(one) && Number.isFinite(one.sentAt));

/** See `Aside`. */
export const aside = z.custom<Aside>((one) => isObject(one) && Number.isInteger(one.item));

/**
 * A record without what is only of the present look.
 *
 * @param source the node whose items asked, for another node, which does not have the present input
 */
export function forStorage({ requesters, asides, ...record }: JobRecord, source?: ISourceData): JobRecord {
	const linked = <T extends Requester>(all: T[]) =>
		all.map((one) => ({ ...without(one, 'at'), ...(source && { source: one.source ?? source }) }) as T);
	const stored = { ...without(record, 'problem', 'trouble'), requesters: linked(requesters) };
	return asides === undefined ? stored : { ...stored, asides: linked(asides) };
}

/** What version 2 kept of a job that a node had created: its plan, who asked, and values that were not sent. */
interface Plan {
	parameters: IDataObject;
	key: string;
	values: string[];
	asked: Array<{ item: number; values: string[] }>;
	unsent?: Array<{ item: number; place: number; query: IDataObject; reason: string }>;
	source?: ISourceData;
}

function recordOf(job: Job, { parameters, key, values, asked, source }: Plan): JobRecord {
	const held = new Set(values.map((value) => identityOf(key, value)));
	const requesters = asked.map(({ item, values: own }) => ({
		...{ item, ...(source && { source }) },
		asks: own
			.map((value, place): [number, string] => [place, value])
			.filter(([, value]) => held.has(identityOf(key, value))),
	}));
	return { ...newRecord(job.job_id, requesters, { parameters, key, values }), job };
}

function asidesOf({ unsent = [], source }: Pick<Plan, 'source' | 'unsent'>): Aside[] {
	return unsent.map(({ query, reason, ...where }) => ({
		...where,
		...{ row: { query, reason }, ...(source && { source }) },
	}));
}

/** Nothing of version 1 is read any more. */
const unread: Upgrade = () => ({});

/** Upgrades the records of jobs that left by Still Running. */
export const upgradeLinks: readonly Upgrade[] = [
	unread,
	({ jobs }) => {
		type Link = { fields: Job; origin?: Plan; namedBy?: { items: number[]; source?: ISourceData } };
		const records = Object.entries(jobs as Record<string, Link>).map(([jobId, link]) => {
			const { fields, origin, namedBy } = link;
			const job = { ...fields, job_id: jobId };
			const named = namedBy?.items.map((item) => ({ item, source: namedBy.source })) ?? [];
			const record = origin
				? { ...recordOf(job, origin), asides: asidesOf(origin) }
				: { ...newRecord(jobId, named), job };
			return [jobId, record] as const;
		});
		return { jobs: Object.fromEntries(records) };
	},
];

/** Upgrades a suspended run. */
export const upgradeRun: readonly Upgrade[] = [
	unread,
	({ run, executionId = '', choice: first, ...rest }) => {
		type Planned = Omit<Plan, 'asked'> & { items: number[] };
		const { jobs, asked, errors, deadline, ...more } = run as unknown as Pick<
			Plan,
			'source' | 'unsent'
		> & {
			jobs: Array<{ planned: Planned; job: Job; callsBack?: boolean; signatureHash?: string }>;
			asked: Array<[item: number, values: string[]]>;
			errors: Array<{ item: number; json: IDataObject }>;
			deadline: number;
		};
		const valuesOf = new Map(asked);
		const records = jobs.map(({ planned, job, callsBack, signatureHash }) => ({
			...recordOf(job, {
				...planned,
				asked: planned.items.map((item) => ({ item, values: valuesOf.get(item) ?? [] })),
			}),
			...{
				deadline,
				creation: { sentAt: 0, executionId: callsBack ? executionId : '', signatureHash },
			},
		}));
		const failed = errors.map(({ item, json }) => ({ item, place: 0, error: json }));
		const asides = [...failed, ...asidesOf({ unsent: more.unsent })];
		return { ...rest, choices: { first }, records, asides, source: more.source };
	},
];
