import { isDeepStrictEqual } from 'node:util';
import type { IDataObject } from 'n8n-workflow';

import { kindOf, listNameOf } from '../sandbox/catalog.ts';
import type { InspectedJob } from '../sandbox/inspection.ts';
import type { Result } from '../sandbox/results.ts';
import type { Stored } from './executions.ts';
import { bought, valuesOf, type Case } from './plan.ts';

/** A job of the service's own ledger, with what it found. */
export interface LedgerJob extends Pick<
	InspectedJob,
	'job_id' | 'status' | 'topic' | 'key' | 'values' | 'answered' | 'createdAt' | 'endedAt' | 'webhookUrl'
> {
	service: number;
	account: number;
	results: Result[];
}

/** A case with all of its executions, oldest first: the first one, and the retries by hand. */
export interface Story {
	one: Case;
	executions: Stored[];
}

/** What a trigger started. */
export interface Heard {
	kind: 'webhook' | 'polling';
	service: number;
	/** The account that it listens to. */
	account: number;
	executions: Stored[];
}

export type Kind = 'lost' | 'doubled' | 'mispaired';

export interface Finding {
	kind: Kind;
	/** The cases concerned, or the trigger. */
	about: string[];
	text: string;
}

export interface Evidence {
	stories: Story[];
	jobs: LedgerJob[];
	heard: Heard[];
}

/** What an error says where a job may exist whose ID nobody was told. */
const MAY_EXIST = /the job may exist|may be this one|may exist as well/;
/** What the node says of a value that the service has not answered, or not so that it can be told whose answer it is. */
const NOT_ANSWERED = /not answered|told apart|not matched/;
const CANCELLED = /^cancel/i;
/** In the address of every webhook trigger of the storm. */
export const TRIGGER_PATH = '/ends-of-';

/**
 * What Bull says in queue mode where Redis has lost an entry that a worker was at work on. n8n 2.41.1 then throws away what
 * was left of the execution (its stack is empty), so that a retry ends at once, green and with nothing. No node can help that.
 */
const THROWN_AWAY = /Missing key for job \d+/;

const finding = (kind: Kind, about: string[], text: string): Finding => ({ kind, about, text });
const lastOf = ({ executions }: Story): Stored | undefined => executions.at(-1);
const jobOf = (row: IDataObject): string | undefined =>
	typeof row.job_id === 'string' ? row.job_id : undefined;
const isError = (row: IDataObject): boolean => row.error !== undefined && row.error !== null;

/** Whether n8n itself has thrown a run away: whoever wants its rows has to start it anew. */
export const isThrownAway = ({ executions }: Story): boolean =>
	executions.some(({ error }) => THROWN_AWAY.test(error));

/**
 * Whether a row is about an item: n8n links it there, or, where it comes out of a suspension, across which n8n links
 * nothing rightly, it brings the item along.
 */
function isAboutItem(row: IDataObject, { id }: Case['items'][number]): boolean {
	const details = row.details as IDataObject | undefined;
	// What leaves by the error output of n8n has the fields of the item that failed.
	return row.linked === id || details?.id === id || (isError(row) && row.id === id);
}

/** Everything about one group of cases: what they asked for, and the jobs that were made for it. */
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
		for (const value of items.flatMap(({ values }) => valuesOf(key, values))) {
			owners.set([service, account, key, bought(key, value)].join(' '), found);
		}
	}
	for (const job of jobs) {
		const place = [job.service, job.account, job.key];
		const found = job.values.map((value) => owners.get([...place, bought(job.key, value)].join(' ')));
		for (const owner of new Set(found)) owner?.jobs.push(job);
	}
	return [...groups.values()];
}

/**
 * How often a value may be bought by the workflows of a group:
 * - once by each of them, whoever else asks for the same, and by each call of it and each retry of the same execution,
 *   because a new execution is a new request;
 * - with Grouping: Per Item once for each item that asks, because that is what the setting says.
 *
 * Not allowed are: once more for Retry On Fail or a retry by hand, because both take up the jobs of the earlier try; after
 * a lost reply, because the job list tells what became of it; and for a job that failed, expired or was cancelled on the
 * service, because that is its answer, and buying it anew takes a new execution.
 */
function allowedPurchases({ stories, key }: Group, value: string): number {
	return stories.reduce((sum, { one, executions }) => {
		// Who calls twice, or retries one execution twice, asks twice: neither try could know of the other.
		const ends = executions.filter(({ id }) => !executions.some(({ retryOf }) => retryOf === id));
		const calls = Math.max(1, ends.length);
		const asking = one.items.filter(({ values }) =>
			valuesOf(key, values).some((asked) => bought(key, asked) === value),
		);
		return sum + calls * (one.grouping === 'perItem' ? asking.length : Math.min(1, asking.length));
	}, 0);
}

const namesOf = ({ stories }: Group): string[] => stories.map(({ one }) => one.name);

function boughtTwice(group: Group): Finding[] {
	const byValue = new Map<string, LedgerJob[]>();
	for (const job of group.jobs) {
		for (const value of new Set(job.values.map((text) => bought(group.key, text)))) {
			byValue.set(value, [...(byValue.get(value) ?? []), job]);
		}
	}
	return [...byValue].flatMap(([value, jobs]): Finding[] => {
		const allowed = allowedPurchases(group, value);
		if (jobs.length <= allowed) return [];
		const ids = jobs.map(({ job_id }) => job_id).join(', ');
		const text = `"${value}" was bought ${jobs.length} times instead of ${allowed}: ${ids}`;
		return [finding('doubled', namesOf(group), text)];
	});
}

/** The entries of a result that become rows of their own; one row where there are none, or where nobody asked for them. */
function rowsExpected({ output, topic }: Case, result: Result | undefined): number {
	if (output === 'results' || result === undefined) return 1;
	return Math.max(1, entriesOf(topic, result).length);
}

function entriesOf(topic: string, { content }: Result): IDataObject[] {
	const list = (content as Record<string, unknown> | null)?.[listNameOf(kindOf(topic))];
	return Array.isArray(list) ? (list as IDataObject[]) : [];
}

/** The value that a row answers: a column of its own, or a part of the service's own structure. */
function valueOf(row: IDataObject): string | undefined {
	const { value } = row;
	if (typeof value === 'string') return value;
	const query = row.query as IDataObject | undefined;
	const echoed = query?.value ?? query?.gtin ?? query?.id ?? query?.term;
	return typeof echoed === 'string' ? echoed : undefined;
}

/** Services of the storm may echo in lower case; no two values of a case differ by that alone. */
function sameValue(key: string, left: string, right: string): boolean {
	return bought(key, left).toLowerCase() === bought(key, right).toLowerCase();
}

const resultIn = (job: LedgerJob | undefined, value: string): Result | undefined => {
	const index = job?.answered.findIndex((one) => sameValue(job.key, one, value)) ?? -1;
	if (job === undefined || index < 0) return undefined;
	return job.results.find(({ query }) => sameValue(job.key, String(query.value), value));
};

function rowsTwice(story: Story, jobs: ReadonlyMap<string, LedgerJob>): Finding[] {
	const { one } = story;
	if (one.flow === 'createForTriggers') return [];
	const counts = new Map<string, { rows: number; expected: number }>();
	for (const row of lastOf(story)?.rows ?? []) {
		const value = valueOf(row);
		const id = jobOf(row);
		if (isError(row) || value === undefined || id === undefined) continue;
		// What Wait gives out belongs to the job, of which several items may have asked for a part.
		const place = one.flow === 'collect' ? String(row.linked) : id;
		const name = `"${value}" for ${place}`;
		const expected = rowsExpected(one, resultIn(jobs.get(id), value));
		counts.set(name, { rows: (counts.get(name)?.rows ?? 0) + 1, expected });
	}
	const tooMany = [...counts].filter(([, { rows, expected }]) => rows > expected);
	return tooMany.map(([name, { rows, expected }]) =>
		finding('doubled', [one.name], `${rows} rows instead of ${expected} of ${name}`),
	);
}

/** The rows that say of an item or a job that it failed. */
function errorRows(story: Story): IDataObject[] {
	const { rows = [], failed = [] } = lastOf(story) ?? {};
	return [...rows.filter(isError), ...failed];
}

/**
 * Whether the job of a value ended without an answer to it, and another node than the one that asked waited for the job.
 * Wait and the triggers give out the results that there are: which values a job was asked for they are not told.
 */
function isUnnameable({ one }: Story, holding: LedgerJob[], value: string): boolean {
	return (
		one.flow === 'createAndWait' &&
		holding.some((job) => job.endedAt !== null && resultIn(job, value) === undefined)
	);
}

/** Whether a row or an error says what became of a value of an item. */
function isExplained(story: Story, group: Group, item: Case['items'][number], value: string): boolean {
	const { one } = story;
	const last = lastOf(story);
	const holding = group.jobs.filter((job) => job.values.some((held) => sameValue(one.key, held, value)));
	const isAbout = (row: IDataObject) => {
		const text = JSON.stringify(row);
		return isAboutItem(row, item) || holding.some(({ job_id }) => text.includes(job_id));
	};
	if (errorRows(story).some(isAbout)) return true;
	if (isUnnameable(story, holding, value)) return true;
	return (last?.rows ?? []).some((row) => {
		if (isError(row)) return false;
		const id = jobOf(row);
		const isHolding = holding.some(({ job_id }) => job_id === id);
		// A job as such: one that Create made, or one that somebody cancelled, which has no rows.
		if (one.flow === 'createForTriggers') return isHolding;
		if (CANCELLED.test(String(row.status)) && isHolding) return true;
		const answered = valueOf(row);
		if (answered === undefined || !sameValue(one.key, answered, value)) return false;
		return one.flow === 'collect' ? row.linked === item.id : isHolding;
	});
}

/** Jobs that were paid for, and of which neither a row nor an error tells anybody. */
function untoldJobs(group: Group): Finding[] {
	const told = group.stories
		.flatMap(({ executions }) => executions)
		.map(({ text }) => text)
		.join('\n');
	if (MAY_EXIST.test(told) || group.stories.some(isThrownAway)) return [];
	const untold = group.jobs.filter(({ job_id }) => !told.includes(job_id));
	return untold.map(({ job_id, values }) =>
		finding('lost', namesOf(group), `nobody is told of job ${job_id} (${values.join(', ')})`),
	);
}

function lostValues(story: Story, group: Group): Finding[] {
	const { one } = story;
	const last = lastOf(story);
	const lost = (text: string) => [finding('lost', [one.name], text)];
	if (last === undefined) return lost('never ran');
	if (isThrownAway(story)) return [];
	if (['new', 'running', 'waiting'].includes(last.status)) return lost(`is still ${last.status}`);
	if (last.status !== 'success') {
		return last.error === '' ? lost(`is ${last.status} and does not say why`) : [];
	}
	return one.items.flatMap((item) => {
		const values = valuesOf(one.key, item.values);
		if (values.length === 0) {
			// A suspension that nobody woke gives out the rows of what was not sent without links.
			const isLinkless = one.waitMode === 'webhook' && !one.isWired;
			const isTold = [...last.rows, ...last.failed].some(
				(row) =>
					(isError(row) && isAboutItem(row, item)) ||
					(row.success === false &&
						jobOf(row) === undefined &&
						(isLinkless || row.linked === item.id)),
			);
			return isTold ? [] : lost(`the blank ${item.id} has no row`);
		}
		return values.flatMap((value) =>
			isExplained(story, group, item, value) ? [] : lost(`"${value}" of ${item.id} has no row`),
		);
	});
}

const isPlain = (field: unknown): boolean => field === null || typeof field !== 'object';

/** Whether a row holds every plain field of an object, under its own name or, where that was taken, with a prefix. */
function holds(row: IDataObject, fields: IDataObject): boolean {
	return Object.entries(fields).every(
		([name, field]) =>
			!isPlain(field) ||
			Object.entries(row).some(
				([column, cell]) => (column === name || column.endsWith(`_${name}`)) && cell === field,
			),
	);
}

/** What is wrong with the content of a row, in words; undefined where it is what the service found for the value. */
function wrongContent(
	one: Pick<Case, 'topic' | 'output' | 'columns'>,
	row: IDataObject,
	result: Result | undefined,
): string | undefined {
	const reason = String(row.reason ?? '');
	if (result === undefined) return row.success === false ? undefined : 'says that it was answered';
	if (NOT_ANSWERED.test(reason)) return `says "${reason}" although it was answered`;
	if (row.success !== result.success) return `says success ${String(row.success)}`;
	if (!result.success)
		return reason.includes(String(result.reason).trim()) ? undefined : `says "${reason}"`;
	const content = result.content as IDataObject | null;
	if (content === null || Array.isArray(content)) return undefined;
	const entries = entriesOf(one.topic, result);
	const isEntry = one.output === 'entries' && entries.length > 0;
	if (isEntry) {
		return entries.some((entry) => holds(row, entry) || holds((row.content ?? {}) as IDataObject, entry))
			? undefined
			: 'holds none of the entries';
	}
	const isRight = one.columns === 'all' ? holds(row, content) : isDeepStrictEqual(row.content, content);
	return isRight ? undefined : 'holds another content';
}

function mispairedRows(story: Story, group: Group, jobs: ReadonlyMap<string, LedgerJob>): Finding[] {
	const { one } = story;
	const own = new Set(group.jobs.map(({ job_id }) => job_id));
	return (lastOf(story)?.rows ?? []).flatMap((row): Finding[] => {
		const id = jobOf(row);
		if (isError(row) || id === undefined) return [];
		const mispaired = (text: string) => [
			finding('mispaired', [one.name], `a row of job ${id}, ${String(row.linked)}: ${text}`),
		];
		const job = jobs.get(id);
		if (job === undefined || !own.has(id)) return mispaired('is not of a job of this workflow');
		const value = valueOf(row);
		if (one.flow === 'createForTriggers' || value === undefined) return [];
		if (!job.values.some((held) => sameValue(one.key, held, value))) {
			return mispaired(`"${value}" was not in that job`);
		}
		const item = one.items.find((asking) => asking.id === row.linked);
		const asked = valuesOf(one.key, item?.values ?? '');
		if (one.flow === 'collect' && !asked.some((text) => sameValue(one.key, text, value))) {
			return mispaired(`"${value}" was not asked for there`);
		}
		const wrong = wrongContent(one, row, resultIn(job, value));
		return wrong === undefined ? [] : mispaired(`"${value}" ${wrong}`);
	});
}

/** How often the successful executions of a trigger's workflow handled each job. */
function timesHeard({ executions }: Pick<Heard, 'executions'>): Map<string, number> {
	const times = new Map<string, number>();
	for (const { status, rows } of executions) {
		if (status !== 'success') continue;
		for (const id of new Set(rows.flatMap((row) => jobOf(row) ?? []))) {
			times.set(id, (times.get(id) ?? 0) + 1);
		}
	}
	return times;
}

/** Whether a job was told to call the webhook trigger. */
const callsTrigger = ({ webhookUrl }: LedgerJob): boolean => webhookUrl?.includes(TRIGGER_PATH) === true;

/** Ends that started a workflow twice by one trigger, and rows there that are not what the service found. */
function heardWrongly({ jobs, heard }: Evidence): Finding[] {
	const ledger = new Map(jobs.map((job) => [job.job_id, job]));
	return heard.flatMap((one) => {
		const about = [`${one.kind} trigger of service ${one.service}`];
		// Whoever retries an execution by hand wants it to run, whether another one has heard of the same end or not.
		const unasked = one.executions.filter(({ retryOf = null }) => retryOf === null);
		const repeated = [...timesHeard({ executions: unasked })].filter(([, times]) => times > 1);
		const rows = one.executions
			.filter(({ status }) => status === 'success')
			.flatMap((stored) => stored.rows);
		return [
			...repeated.map(([id, times]) =>
				finding('doubled', about, `the end of job ${id} started the workflow ${times} times`),
			),
			...rows.flatMap((row): Finding[] => {
				const id = jobOf(row) ?? '';
				const job = ledger.get(id);
				const value = valueOf(row);
				if (value === undefined || CANCELLED.test(String(row.status))) return [];
				const settings = { topic: job?.topic ?? '', output: 'results', columns: 'all' } as const;
				const wrong =
					job?.values.some((held) => sameValue(job.key, held, value)) === true
						? wrongContent(settings, row, resultIn(job, value))
						: 'was not in that job';
				if (wrong === undefined) return [];
				return [finding('mispaired', about, `a row of job ${id}: "${value}" ${wrong}`)];
			}),
		];
	});
}

/**
 * Ends that neither trigger heard of, where both could. `docs/triggers.md` says what each of them can miss when n8n dies;
 * that together they miss nothing is what they promise.
 */
function endsLost({ jobs, heard }: Evidence): Finding[] {
	const lists = heard.map((one) => ({ ...one, times: timesHeard(one) }));
	const lost = jobs.filter((job) => {
		// An end without any answer gives a trigger no rows to start with, and nobody calls for a cancelled job.
		if (job.endedAt === null || job.answered.length === 0 || CANCELLED.test(job.status)) return false;
		const own = lists.filter(
			({ service, account }) => service === job.service && account === job.account,
		);
		return own.length === 2 && callsTrigger(job) && !own.some(({ times }) => times.has(job.job_id));
	});
	return lost.map(({ job_id: id, service }) =>
		finding('lost', [`triggers of service ${service}`], `neither trigger heard the end of job ${id}`),
	);
}

/** Everything that must not be; nothing where all is well. */
export function audit(evidence: Evidence): Finding[] {
	const jobs = new Map(evidence.jobs.map((job) => [job.job_id, job]));
	const ofGroups = groupsOf(evidence).flatMap((group) => [
		...boughtTwice(group),
		...untoldJobs(group),
		...group.stories.flatMap((story) => [
			...rowsTwice(story, jobs),
			...lostValues(story, group),
			...mispairedRows(story, group, jobs),
		]),
	]);
	return [...ofGroups, ...heardWrongly(evidence), ...endsLost(evidence)];
}
