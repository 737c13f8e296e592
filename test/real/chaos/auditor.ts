import type { IDataObject } from 'n8n-workflow';

import type { InspectedJob } from '../../fakes/sandbox/inspection.ts';
import type { Result } from '../../fakes/sandbox/results.ts';
import type { Stored } from './executions.ts';
import { bought, branchesOf, valuesOf, type Case } from './plan.ts';

/** A job in the service's ledger, with its results. */
export interface LedgerJob extends Pick<
	InspectedJob,
	'job_id' | 'status' | 'key' | 'values' | 'answered' | 'createdAt' | 'endedAt'
> {
	service: number;
	account: number;
	results: Result[];
}

/** A case with all its executions, oldest first: the first one, and the retries by hand. */
export interface Story {
	one: Case;
	executions: Stored[];
}

export interface Evidence {
	stories: Story[];
	jobs: LedgerJob[];
}

export interface Finding {
	kind: 'lost' | 'doubled' | 'mispaired';
	/** The cases concerned. */
	about: string[];
	text: string;
}

/** The words of an error about a job that may exist, and whose ID is unknown. */
const MAY_EXIST = /the job may exist|may be this job|may exist as well/;
/** The node's words for a value without an answer, or without one that clearly belongs to it. */
const NOT_ANSWERED = /not answered|told apart|not matched/;

/**
 * What Bull says in queue mode if Redis has lost the entry of a running execution. n8n 2.41.1 then drops the rest of
 * the execution (its stack is empty), so a retry succeeds at once without any rows. No node can prevent that.
 */
const THROWN_AWAY = /Missing key for job \d+/;

const lastOf = ({ executions }: Story): Stored | undefined => executions.at(-1);
const isError = (row: IDataObject): boolean => row.error !== undefined && row.error !== null;
const jobOf = ({ job_id, result_job_id: own = job_id }: IDataObject): string | undefined =>
	typeof own === 'string' ? own : undefined;

/** Whether n8n itself dropped a run. Only a new execution can then get its rows. */
export const isThrownAway = ({ executions }: Story): boolean =>
	executions.some(({ error }) => THROWN_AWAY.test(error));

/** A group of cases, and the jobs that were created for them. */
interface Group {
	stories: Story[];
	jobs: LedgerJob[];
	key: string;
}

function groupsOf({ stories, jobs }: Evidence): Group[] {
	const groups = new Map<string, Group>();
	const owners = new Map<string, Group>();
	for (const story of stories) {
		const { group, key, items, service, account } = story.one;
		const found: Group = groups.get(group) ?? { stories: [], jobs: [], key };
		found.stories.push(story);
		groups.set(group, found);
		for (const value of items.flatMap(({ values }) => valuesOf(key, values)))
			owners.set([service, account, key, bought(key, value)].join(' '), found);
	}
	for (const job of jobs) {
		const place = [job.service, job.account, job.key];
		const found = job.values.map((value) => owners.get([...place, bought(job.key, value)].join(' ')));
		for (const owner of new Set(found)) owner?.jobs.push(job);
	}
	return [...groups.values()];
}

/**
 * How often the workflows of a group may buy a value:
 * - once per workflow, even if others ask for the same, and again for each further call and each further retry of the
 *   same execution, because a new execution is a new request;
 * - with Grouping: Per Item, once for each item that asks, because the setting says so;
 * - once for each branch that leads items to the node that asks, because each is another run of it.
 *
 * Another purchase is not allowed for Retry On Fail or a retry by hand, because both take up the jobs of the earlier
 * try; after a lost reply, because the job list shows what became of it; or for a job that failed or expired on the
 * service, because that is its answer, and buying the value again takes a new execution.
 */
function allowedPurchases({ stories, key }: Group, value: string): number {
	return stories.reduce((sum, { one, executions }) => {
		// Two calls, or two retries of one execution, ask twice: neither could know of the other.
		const ends = executions.filter(({ id }) => !executions.some(({ retryOf }) => retryOf === id));
		const asking = branchesOf(one).map((items) =>
			items.filter(({ values }) => valuesOf(key, values).some((asked) => bought(key, asked) === value)),
		);
		const each = asking.map(({ length }) => (one.grouping === 'perItem' ? length : Math.min(1, length)));
		return sum + Math.max(1, ends.length) * each.reduce((all, times) => all + times, 0);
	}, 0);
}

function boughtTwice(group: Group): string[] {
	const values = new Set(group.jobs.flatMap((job) => job.values.map((text) => bought(group.key, text))));
	return [...values].flatMap((value) => {
		const jobs = group.jobs.filter((job) => job.values.some((text) => bought(group.key, text) === value));
		const allowed = allowedPurchases(group, value);
		if (jobs.length <= allowed) return [];
		const ids = jobs.map(({ job_id }) => job_id).join(', ');
		return [`"${value}" was bought ${jobs.length} times instead of ${allowed}: ${ids}`];
	});
}

/** Paid jobs that no row and no error mentions. */
function untoldJobs(group: Group): string[] {
	const told = group.stories.flatMap(({ executions }) => executions.map(({ text }) => text)).join('\n');
	if (MAY_EXIST.test(told) || group.stories.some(isThrownAway)) return [];
	const untold = group.jobs.filter(({ job_id }) => !told.includes(job_id));
	return untold.map(({ job_id, values }) => `nobody is told of job ${job_id} (${values.join(', ')})`);
}

/** Ignores case: services may echo in lower case, and no two values of a case differ only in case. */
const sameValue = (key: string, left: string, right: string): boolean =>
	bought(key, left).toLowerCase() === bought(key, right).toLowerCase();

/** The value that a row answers. */
const valueOf = ({ result_value }: IDataObject): string | undefined =>
	typeof result_value === 'string' ? result_value : undefined;

const resultIn = ({ key, answered, results }: LedgerJob, value: string): Result | undefined =>
	answered.some((one) => sameValue(key, one, value))
		? results.find(({ query }) => sameValue(key, String(query.value), value))
		: undefined;

function rowsTwice(story: Story): string[] {
	const { one } = story;
	const counts = new Map<string, number>();
	for (const row of lastOf(story)?.rows ?? []) {
		const [value, id] = [valueOf(row), jobOf(row)];
		if (isError(row) || value === undefined || id === undefined) continue;
		// Rows from Wait belong to the job, and several items may each have asked for a part of it.
		const name = `"${value}" for ${one.flow === 'collect' ? String(row.linked) : id}`;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts].filter(([, rows]) => rows > 1).map(([name, rows]) => `${rows} rows of ${name}`);
}

/**
 * Whether a row is about an item. Usually n8n links it to the item. After a suspension, n8n's links are wrong, so the
 * row brings the item along.
 */
function isAboutItem(row: IDataObject, id: string): boolean {
	const details = row.details as IDataObject | undefined;
	// Items on n8n's error output have the fields of the item that failed.
	return row.linked === id || details?.id === id || (isError(row) && row.id === id);
}

/** Whether a row or an error says what became of a value of an item. */
function isExplained({ one, executions }: Story, group: Group, id: string, value: string): boolean {
	const { rows = [], failed = [] } = executions.at(-1) ?? {};
	const holding = group.jobs.filter((job) => job.values.some((held) => sameValue(one.key, held, value)));
	const isHolding = (row: IDataObject) => holding.some(({ job_id }) => job_id === jobOf(row));
	const errors = [...rows.filter(isError), ...failed];
	const text = (row: IDataObject) => JSON.stringify(row);
	if (errors.some((row) => isAboutItem(row, id) || holding.some((job) => text(row).includes(job.job_id))))
		return true;
	// Wait outputs the results that exist. It does not know which values the job was asked for.
	if (
		one.flow === 'createAndWait' &&
		holding.some((job) => job.endedAt !== null && resultIn(job, value) === undefined)
	)
		return true;
	return rows.some((row) => {
		const answered = valueOf(row);
		if (isError(row) || answered === undefined || !sameValue(one.key, answered, value)) return false;
		return one.flow === 'collect' ? row.linked === id : isHolding(row);
	});
}

function lostValues(story: Story, group: Group): string[] {
	const { one } = story;
	const last = lastOf(story);
	if (last === undefined) return ['never ran'];
	if (isThrownAway(story)) return [];
	if (['new', 'running', 'waiting'].includes(last.status)) return [`is still ${last.status}`];
	if (last.status !== 'success') return last.error === '' ? [`is ${last.status} and does not say why`] : [];
	// If nothing woke a suspended run, its rows for values that were not sent have no links.
	const isLinkless = one.waitMode === 'webhook' && !one.isWired;
	return one.items.flatMap(({ id, values: lines }) => {
		const values = valuesOf(one.key, lines);
		if (values.length > 0) {
			const untold = values.filter((value) => !isExplained(story, group, id, value));
			return untold.map((value) => `"${value}" of ${id} has no row`);
		}
		const isTold = [...last.rows, ...last.failed].some((row) => {
			if (isError(row)) return isAboutItem(row, id);
			return (
				row.result_success === false && jobOf(row) === undefined && (isLinkless || row.linked === id)
			);
		});
		return isTold ? [] : [`the blank ${id} has no row`];
	});
}

/** Whether a row holds every plain field of an object, under its own name or with a prefix. */
function holds(row: IDataObject, fields: object): boolean {
	return Object.entries(fields).every(
		([name, field]) =>
			(typeof field === 'object' && field !== null) ||
			Object.entries(row).some(
				([column, cell]) => (column === name || column.endsWith(`_${name}`)) && cell === field,
			),
	);
}

/** What is wrong with a row's content; undefined if the content is what the service found for the value. */
function wrongContent(row: IDataObject, result: Result | undefined): string | undefined {
	const reason = String(row.result_reason ?? '');
	if (result === undefined) return row.result_success === false ? undefined : 'says that it was answered';
	if (NOT_ANSWERED.test(reason)) return `says "${reason}" although it was answered`;
	if (row.result_success !== result.success) return `says success ${String(row.result_success)}`;
	if (!result.success)
		return reason.includes(String(result.reason).trim()) ? undefined : `says "${reason}"`;
	return holds(row, result.content ?? {}) ? undefined : 'holds another content';
}

function mispairedRows(story: Story, group: Group): string[] {
	const { one } = story;
	return (lastOf(story)?.rows ?? []).flatMap((row) => {
		const id = jobOf(row);
		if (isError(row) || id === undefined) return [];
		const mispaired = (what: string) => [`a row of job ${id}, ${String(row.linked)}: ${what}`];
		const job = group.jobs.find(({ job_id }) => job_id === id);
		if (job === undefined) return mispaired('is not of a job of this workflow');
		const value = valueOf(row);
		if (value === undefined) return [];
		const isIn = (values: string[]) => values.some((held) => sameValue(one.key, held, value));
		if (!isIn(job.values)) return mispaired(`"${value}" was not in that job`);
		const item = one.items.find((asking) => asking.id === row.linked);
		if (one.flow === 'collect' && !isIn(valuesOf(one.key, item?.values ?? '')))
			return mispaired(`"${value}" was not asked for there`);
		const wrong = wrongContent(row, resultIn(job, value));
		return wrong === undefined ? [] : mispaired(`"${value}" ${wrong}`);
	});
}

/** Everything that is wrong; empty if all is well. */
export function audit(evidence: Evidence): Finding[] {
	const found = (kind: Finding['kind'], stories: Story[], texts: string[]): Finding[] =>
		texts.map((text) => ({ kind, about: stories.map(({ one }) => one.name), text }));
	return groupsOf(evidence).flatMap((group) => [
		...found('doubled', group.stories, boughtTwice(group)),
		...found('lost', group.stories, untoldJobs(group)),
		...group.stories.flatMap((story) => [
			...found('doubled', [story], rowsTwice(story)),
			...found('lost', [story], lostValues(story, group)),
			...found('mispaired', [story], mispairedRows(story, group)),
		]),
	]);
}
