import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

import { MISTYPED, type History } from './history';
import type { OwnJob, Played } from './historyPlay';

/** A late retry is a new request: prices age. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** What an error says where a job may exist whose ID nobody was told. */
const MAY_EXIST = /the job may exist|may be this job|may exist as well/;

/** What makes two values one purchase. */
function bought(key: string, value: string): string {
	return key === 'gtin' ? value.replace(/^0+(?=\d)/, '') : value;
}

/** Whether equal values of different items are different requests. */
function isByItem({ grouping, drift }: History): boolean {
	return grouping === 'perItem' || drift === 'byItem' || drift === 'mixed';
}

const jsonOf = (main: Array<INodeExecutionData[] | null> = []) =>
	main.flatMap((items) => (items ?? []).map(({ json }) => json));

/** All that the runs of one node put out, as n8n has stored them last. */
function rowsOf(runs: readonly IRun[], name: string): IDataObject[] {
	const rounds = runs.at(-1)?.data.resultData.runData[name] ?? [];
	return rounds.flatMap(({ data }) => jsonOf(data?.main));
}

/** Rows on their way to a node that n8n did not reach, because another one stopped the execution; a retry goes on with them. */
function pendingRows(runs: readonly IRun[]): IDataObject[] {
	const stack = runs.at(-1)?.data.executionData?.nodeExecutionStack ?? [];
	return stack.filter(({ node }) => node.name === 'Done').flatMap(({ data }) => jsonOf(data.main));
}

function errorText(error: unknown): string {
	const { message = '', description = '' } = (error ?? {}) as { message?: string; description?: string };
	return `${message} ${description}`;
}

/** What people are told: the errors and the remarks of the nodes, and what leaves the workflow besides rows. */
function told({ executions }: Played): string {
	const states = executions.flat();
	const rounds = states.flatMap(({ data: { resultData } }) =>
		['Prices', 'Wait'].flatMap((name) => resultData.runData[name] ?? []),
	);
	const hints = rounds.flatMap((round) => (round.hints ?? []).map(({ message }) => message));
	const errors = [...states.map(({ data }) => data.resultData.error), ...rounds.map(({ error }) => error)];
	const left = executions.flatMap((runs) => [...rowsOf(runs, 'Running'), ...rowsOf(runs, 'Failed')]);
	// Errors, and jobs as such: those that were cancelled, or all where no rows are wanted.
	const items = executions
		.flatMap((runs) => rowsOf(runs, 'Done'))
		.filter(({ value }) => value === undefined);
	return [...errors.map(errorText), ...hints, JSON.stringify([left, items])].join('\n');
}

/** Requests of one chain of executions that were created more often than they were made. */
function paidTwice({ history, own, isKilled }: Played): string[] {
	const jobsOf = new Map<string, Array<OwnJob['job']>>();
	for (const { job, round } of own) {
		if (/cancel/i.test(job.status)) continue;
		for (const value of job.values) {
			// Nobody knows any more for which of its rounds a killed run has created a job.
			const name = `${isKilled ? 'any' : round} ${bought(history.key, value)}`;
			jobsOf.set(name, [...(jobsOf.get(name) ?? []), job]);
		}
	}
	return [...jobsOf].flatMap(([name, jobs]) => {
		const value = name.slice(name.indexOf(' ') + 1);
		const asks = (values: string[]) => values.some((one) => bought(history.key, one) === value);
		const asked = isByItem(history) ? history.items.filter(asks).length : 1;
		const allowed = asked * (isKilled ? history.rounds : 1);
		const end = (jobs[0]?.createdAt ?? 0) + COUNTS_FOR_MS;
		const ids = jobs.filter(({ createdAt }) => createdAt < end).map(({ job_id }) => job_id);
		return ids.length > allowed ? [`paid ${ids.length} times: round ${name}, ${ids.join(', ')}`] : [];
	});
}

/**
 * Whether the list tells no difference between what a run has asked for that left no record, because it was killed or
 * because it was stopped before its node began, and what somebody else has asked for since.
 */
function hasTwinOfUnrecorded({ history, isKilled, executions: [first = []] }: Played): boolean {
	const hasBegun = first.some(({ data }) => data.resultData.runData.Prices !== undefined);
	return (isKilled || !hasBegun) && history.retries.some(({ twin }) => twin);
}

/** Paid jobs of which nobody hears, and values of them without a row. */
function lost(played: Played): string[] {
	const { history, own, executions, wasStopped } = played;
	if (wasStopped || hasTwinOfUnrecorded(played)) return [];
	// Only where there are rows does a mistyped value not fail its whole item.
	const failsItem = (values: string[], item: number) =>
		item === history.throwsAt || (history.output !== 'results' && values.includes(MISTYPED));
	const text = told(played);
	const done = executions.flatMap((runs) => rowsOf(runs, 'Done'));
	const pending = executions.flatMap(pendingRows);
	return own.flatMap(({ job }) => {
		if (pending.some(({ job_id }) => job_id === job.job_id)) return [];
		if (text.includes(job.job_id)) return [];
		const rows = done.filter(({ job_id }) => job_id === job.job_id);
		if (rows.length === 0) {
			return MAY_EXIST.test(text) ? [] : [`lost: job ${job.job_id} (${job.values.join(', ')})`];
		}
		return job.values.flatMap((value) => {
			const isIt = (one: unknown) => bought(history.key, String(one)) === bought(history.key, value);
			const askers = history.items.flatMap((values, item) =>
				values.some(isIt) && !failsItem(values, item) ? [`item ${item}`] : [],
			);
			const served = rows.filter((row) => isIt(row.value)).map(({ linked }) => linked);
			const missing = askers.filter((asker) => !served.includes(asker));
			const isEnough = isByItem(history) ? missing.length < askers.length : missing.length === 0;
			return isEnough ? [] : [`lost: "${value}" of job ${job.job_id} for ${missing.join(', ')}`];
		});
	});
}

/** Rows that stand beside somebody who did not ask, or come from a job that is not ours. */
function foreignRows(played: Played): string[] {
	const { history, own, executions } = played;
	const isAlike = hasTwinOfUnrecorded(played);
	const jobs = new Map(own.map((one) => [String(one.job.job_id), one.job]));
	return executions.flatMap((runs) =>
		rowsOf(runs, 'Done').flatMap((row) => {
			if (row.error !== undefined || row.job_id === undefined || row.job_id === null) return [];
			const job = jobs.get(String(row.job_id));
			const about = `${String(row.linked)}: ${String(row.value)} of job ${String(row.job_id)}`;
			if (job === undefined) return isAlike ? [] : [`foreign: ${about}, which is not ours`];
			if (row.value === undefined) return [];
			const place = /^item (\d+)$/.exec(String(row.linked));
			// What cannot be told apart is linked to all who asked in its job.
			if (place === null || row.value === null) return [];
			const value = String(row.value);
			const same = (one: string) => bought(history.key, one) === bought(history.key, value);
			// What the service echoes in another spelling may match no value, and is linked to all who asked.
			const isUnmatched = history.service.valueEcho !== undefined && !job.values.some(same);
			if (isUnmatched && history.service.valueEcho !== 'asSent') return [];
			if (!(history.items[Number(place[1])] ?? []).some(same))
				return [`foreign: ${about}, not asked for there`];
			if (!job.values.some(same)) return [`foreign: ${about}, which was not in that job`];
			const answered =
				row.reason === null || !/told apart|not matched|not answered/.test(String(row.reason));
			// A job that failed or was cancelled lacks answers, and says so.
			const isEnded =
				(/cancel/i.test(job.status) &&
					/^the (job was cancelled|cancellation of job)/.test(String(row.reason))) ||
				(/fail/i.test(job.status) && /^the job failed/.test(String(row.reason)));
			if (isEnded && row.success === false && row.found === false) return [];
			const isRight =
				row.success === !value.startsWith('fail') && row.found === !/^(fail|notfound)/.test(value);
			return answered && !isRight
				? [`foreign: ${about} says ${String(row.success)}, ${String(row.found)}`]
				: [];
		}),
	);
}

/** Rows that one execution gives out more than once. */
function doubled({ history, executions }: Played): string[] {
	if (history.output !== 'results') return [];
	return executions.flatMap((runs) => {
		const counts = new Map<string, number>();
		const rows = rowsOf(runs, 'Done');
		// What cannot be told apart stands beside rows that say so.
		const unclear = rows.filter(({ reason }) => /^not matched/.test(String(reason)));
		const unclearJobs = new Set(unclear.map(({ job_id }) => job_id));
		for (const { linked, value, job_id, error } of rows) {
			if (error !== undefined || typeof value !== 'string' || typeof job_id !== 'string') continue;
			if (unclearJobs.has(job_id)) continue;
			const name = `${String(linked)}: ${value} of job ${job_id}`;
			counts.set(name, (counts.get(name) ?? 0) + 1);
		}
		const twice = [...counts].filter(([, count]) => count > 1);
		return twice.map(([name, count]) => `doubled: ${name}, ${count} times`);
	});
}

/** Jobs that still run among what is finished, and jobs of another source than was asked for. */
function misled({ own, executions }: Played): string[] {
	const done = executions.flatMap((runs) => rowsOf(runs, 'Done'));
	const tickets = done.filter(({ still_running }) => still_running === true);
	return [
		...tickets.map(({ job_id }) => `a ticket among the rows: ${String(job_id)}`),
		...own
			.filter(({ job }) => job.source !== 'google_shopping')
			.map(({ job }) => `asked of ${job.source}: ${job.job_id}`),
	];
}

/** The value of each cell that is not sent, with its item: null for an item that is blank. */
function badCells({ items, throwsAt }: History): Array<[item: number, value: string | null]> {
	return items.flatMap((values, item): Array<[number, string | null]> => {
		if (item === throwsAt) return [];
		if (values.every((value) => value.trim() === '')) return [[item, null]];
		return values.includes(MISTYPED) ? [[item, MISTYPED]] : [];
	});
}

/** Rows of what was not sent that nobody asked for, that come twice, or that are missing although all went well. */
function wrongUnsent({ history, executions, wasStopped }: Played): string[] {
	const bad = badCells(history);
	const last = executions.at(-1) ?? [];
	const done = rowsOf(last, 'Done');
	// What flows on from a timer with nobody to take the jobs up is not linked.
	const isLinked = (linked: unknown, item: number) =>
		linked === `item ${item}` || (history.wiring !== 'loop' && history.waitMode !== 'poll');
	const without = done.filter(({ job_id }) => job_id === null);
	/** The service had no room for it, and it was asked for there. */
	const isForLackOfRoom = ({ reason, value, linked }: IDataObject) =>
		/^not sent, nothing was paid: /.test(String(reason)) &&
		history.items.some((values, item) => values.includes(String(value)) && isLinked(linked, item));
	const rows = without.filter((row) => !isForLackOfRoom(row));
	const wrong = rows.filter(
		(row) =>
			row.success !== false ||
			row.found !== false ||
			!/^not looked up: /.test(String(row.reason)) ||
			!bad.some(([item, value]) => value === row.value && isLinked(row.linked, item)),
	);
	const found = wrong.map((row) => `not sent: ${String(row.linked)} ${String(row.value)}`);
	if (rows.length > bad.length * history.rounds) found.push(`not sent: ${rows.length} rows`);
	const failed = [...done, ...rowsOf(last, 'Failed')].some(({ error }) => error !== undefined);
	const isWhole = last.at(-1)?.status === 'success' && !wasStopped && !failed && executions.length === 1;
	if (isWhole && history.output === 'results' && rows.length < bad.length) {
		found.push(`not sent: ${rows.length} rows for ${bad.length} cells`);
	}
	return found;
}

/** Everything that must never be, in words; nothing where all is well. */
export function audit(played: Played): string[] {
	const stranded = played.stranded.map((what) => `stranded: ${what}`);
	return [
		...paidTwice(played),
		...lost(played),
		...foreignRows(played),
		...wrongUnsent(played),
		...doubled(played),
		...misled(played),
		...stranded,
	];
}
