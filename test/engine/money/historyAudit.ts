import type { IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

import { MISTYPED, OWN_WORDS, PLAIN, type History } from './history';
import type { OwnJob, Played } from './historyPlay';

/** A later retry is a new request, because prices age. */
const COUNTS_FOR_MS = 24 * 3_600_000;
/** What a row says about a value whose answer it lacks. */
const WITHOUT_ANSWER = /not matched|not answered|^still running|^status unknown|^results not available/;
/** What an error says if the service denies a job; that the latest request failed proves nothing. */
const IS_UNKNOWN = /(?<!The latest request about this job failed: The service )does not know this job/;
/** What an error says if a job may exist whose ID was never reported. */
const MAY_EXIST = /the job may exist|may be this job|may exist as well/;

/** Whether the output consists of rows. */
const hasRows = ({ output }: History) => output === 'results' || output === 'entries';

/** Two values with the same result are one purchase. */
function bought(key: string, value: string): string {
	return key === 'gtin' ? value.replace(/^0+(?=\d)/, '') : value;
}

/** The indexes of the items, split by entry in n8n's queue. */
function halvesOf({ items, queued }: History): number[][] {
	const indexes = [...items.keys()];
	const size = Math.ceil(items.length / (queued === 'twice' ? 2 : 1));
	return [indexes.slice(0, size), indexes.slice(size)];
}

/** Whether equal values of different items are different requests. */
function isByItem({ grouping, drift }: History): boolean {
	return grouping === 'perItem' || drift === 'byItem' || drift === 'mixed';
}

const jsonOf = (main: Array<INodeExecutionData[] | null> = []) =>
	main.flatMap((items) => (items ?? []).map(({ json }) => json));

/** Everything that one node's runs put out, as n8n last stored it. */
function rowsOf(runs: readonly IRun[], name: string): IDataObject[] {
	const rounds = runs.at(-1)?.data.resultData.runData[name] ?? [];
	return rounds.flatMap(({ data }) => jsonOf(data?.main));
}

/**
 * Items on their way to a node that n8n did not reach because another node stopped the execution. A retry continues
 * with them.
 */
function pendingItems(runs: readonly IRun[]): IDataObject[] {
	const stack = runs.at(-1)?.data.executionData?.nodeExecutionStack ?? [];
	return stack.flatMap(({ data }) => jsonOf(data.main));
}

function errorText(error: unknown): string {
	const { message = '', description = '' } = (error ?? {}) as { message?: string; description?: string };
	return `${message} ${description}`;
}

/** What people can read: the nodes' errors and hints, and what leaves the workflow besides rows. */
function told({ executions }: Played): string {
	const states = executions.flat();
	const rounds = states.flatMap(({ data: { resultData } }) =>
		['Prices', 'Wait'].flatMap((name) => resultData.runData[name] ?? []),
	);
	const hints = rounds.flatMap((round) => (round.hints ?? []).map(({ message }) => message));
	const errors = [...states.map(({ data }) => data.resultData.error), ...rounds.map(({ error }) => error)];
	const left = executions.flatMap((runs) => [...rowsOf(runs, 'Running'), ...rowsOf(runs, 'Failed')]);
	// Errors, and jobs without rows: cancelled ones, or all jobs if no rows are wanted.
	const items = executions
		.flatMap((runs) => rowsOf(runs, 'Done'))
		.filter(({ value }) => value === undefined);
	return [...errors.map(errorText), ...hints, JSON.stringify([left, items])].join('\n');
}

/** Requests of one chain of executions for which more jobs were created than asked for. */
function paidTwice({ history, own, isKilled }: Played): string[] {
	const jobsOf = new Map<string, Array<OwnJob['job']>>();
	for (const { job, round } of own) {
		if (job.state === 'cancelled') continue;
		for (const value of job.values) {
			// After a kill, it is unknown for which round the run created a job.
			const name = `${isKilled ? 'any' : round} ${bought(history.key, value)}`;
			jobsOf.set(name, [...(jobsOf.get(name) ?? []), job]);
		}
	}
	return [...jobsOf].flatMap(([name, jobs]) => {
		const value = name.slice(name.indexOf(' ') + 1);
		const asks = (values: string[]) => values.some((one) => bought(history.key, one) === value);
		const asked = isByItem(history) ? history.items.filter(asks).length : 1;
		// It is also unknown for which half of the items.
		const halves = halvesOf(history).filter((half) =>
			half.some((item) => asks(history.items[item] ?? [])),
		).length;
		const allowed = asked * (isKilled ? history.rounds * Math.max(1, halves) : 1);
		const end = (jobs[0]?.createdAt ?? 0) + COUNTS_FOR_MS;
		const ids = jobs.filter(({ createdAt }) => createdAt < end).map(({ job_id }) => job_id);
		return ids.length > allowed ? [`paid ${ids.length} times: round ${name}, ${ids.join(', ')}`] : [];
	});
}

/**
 * Whether the list cannot distinguish two requests: one of a run that left no record, because it was killed or was
 * stopped before its node began, and a later one of another user.
 */
function hasTwinOfUnrecorded({ history, isKilled, executions: [first = []] }: Played): boolean {
	const hasBegun = first.some(({ data }) => data.resultData.runData.Prices !== undefined);
	return (isKilled || !hasBegun) && history.retries.some(({ twin }) => twin);
}

/** Paid jobs that are not reported anywhere, and their values without a row. */
function lost(played: Played): string[] {
	const { history, own, executions, wasStopped, isKilled } = played;
	if (wasStopped || hasTwinOfUnrecorded(played)) return [];
	// A mistyped value fails its whole item, unless the output consists of rows.
	const failsItem = (values: string[], item: number) =>
		item === history.throwsAt || (!hasRows(history) && values.includes(MISTYPED));
	const text = told(played);
	const done = executions.flatMap((runs) => rowsOf(runs, 'Done'));
	const pending = executions.flatMap(pendingItems);
	return own.flatMap(({ job, items }) => {
		const isAbout = ({ job_id, error, message }: IDataObject) =>
			job_id === job.job_id || (error !== undefined && `${error} ${message}`.includes(job.job_id));
		if (text.includes(job.job_id) || pending.some(isAbout)) return [];
		const rows = done.filter(({ job_id }) => job_id === job.job_id);
		if (rows.length === 0) {
			return MAY_EXIST.test(text) ? [] : [`lost: job ${job.job_id} (${job.values.join(', ')})`];
		}
		return job.values.flatMap((value) => {
			const isIt = (one: unknown) => bought(history.key, String(one)) === bought(history.key, value);
			const isAsker = (item: number) => {
				const itemValues = history.items[item] ?? [];
				return itemValues.some(isIt) && !failsItem(itemValues, item);
			};
			// After a kill, it is unknown which half of the items asked.
			const possible = (isKilled ? halvesOf(history) : [items]).map((half) => half.filter(isAsker));
			const served = rows.filter((row) => isIt(row.value)).map(({ linked }) => linked);
			const isServed = (item: number) => served.includes(`item ${item}`);
			const isEnough = possible.some(
				(askers) =>
					askers.length > 0 && (isByItem(history) ? askers.some(isServed) : askers.every(isServed)),
			);
			const asked = possible.flat();
			if (isEnough || asked.length === 0) return [];
			const missing = asked.filter((item) => !isServed(item)).map((item) => `item ${item}`);
			return [`lost: "${value}" of job ${job.job_id} for ${missing.join(', ')}`];
		});
	});
}

/** Whether a row agrees with what the service found for a value. */
function saysRight({ contents, service }: History, value: string, { success, found }: IDataObject): boolean {
	const { notFoundContent, resultContent = 'content', resultSuccess = 'boolean' } = service;
	const isFailure =
		value.startsWith('fail') || (value.startsWith('notfound') && notFoundContent === 'reason');
	// Whether an unusual content counts as found is not for these tests to judge.
	const isUsual = contents === undefined && /^content$/i.test(resultContent);
	const isFound = isUsual ? !/^(fail|notfound)/.test(value) : found;
	// Without a known content or a success field, the outcome of a lookup is unknown.
	const isTold = isFailure || (isUsual && isFound) || !['absent', 'null'].includes(resultSuccess);
	return found === isFound && (!isTold || success === !isFailure);
}

/** Rows linked to items that did not ask, or from a job that is not ours. */
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
			// Ambiguous results are linked to all items that asked in their job.
			if (place === null || row.value === null) return [];
			const value = String(row.value);
			const same = (one: string) => bought(history.key, one) === bought(history.key, value);
			// An echo in another spelling may match no value; it is linked to all items that asked.
			const isUnmatched = history.service.valueEcho !== undefined && !job.values.some(same);
			if (isUnmatched && history.service.valueEcho !== 'asSent') return [];
			if (!(history.items[Number(place[1])] ?? []).some(same))
				return [`foreign: ${about}, not asked for there`];
			if (!job.values.some(same)) return [`foreign: ${about}, which was not in that job`];
			const answered = row.reason === null || !WITHOUT_ANSWER.test(String(row.reason));
			// A failed or cancelled job lacks answers, and its rows say so.
			const isEnded =
				(job.state === 'cancelled' &&
					/^the (job was cancelled|cancellation of job)/.test(String(row.reason))) ||
				(job.state === 'failed' && /^the job failed/.test(String(row.reason)));
			if (isEnded && row.success === false && row.found === false) return [];
			const isRight = saysRight(history, value, row);
			return answered && !isRight
				? [`foreign: ${about} says ${String(row.success)}, ${String(row.found)}`]
				: [];
		}),
	);
}

/** Rows that one execution returns more than once. */
function doubled({ history, executions }: Played): string[] {
	if (history.output !== 'results') return [];
	return executions.flatMap((runs) => {
		const counts = new Map<string, number>();
		const rows = rowsOf(runs, 'Done');
		// Ambiguous results come with rows that say so.
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

/** Running jobs among the finished ones, and jobs of another source than was asked for. */
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

/**
 * Answers that a run wrongly reports as missing or has too early, and jobs that it wrongly reports as unknown to the
 * service.
 */
function untrue(played: Played): string[] {
	const { history, own, executions } = played;
	const done = executions.flatMap((runs) => rowsOf(runs, 'Done'));
	const unanswered = done.flatMap(({ job_id, linked, value, reason }) => {
		if (!/^(not answered|the job has no results)/.test(String(reason))) return [];
		const job = own.find((one) => one.job.job_id === job_id)?.job;
		const isAnswered = job?.state === 'finished' && job.answered.length === job.values.length;
		return isAnswered || job?.state === 'running'
			? [`untrue: ${String(linked)} ${String(value)} of job ${String(job_id)}: ${String(reason)}`]
			: [];
	});
	const tooEarly = done.flatMap(({ job_id, linked, value, found }) =>
		found === true && own.some(({ job }) => job.job_id === job_id && job.state === 'running')
			? [`untrue: ${String(linked)} ${String(value)} of job ${String(job_id)}, which is still running`]
			: [],
	);
	const isDenied = /job not found|job forbidden|unauthorized/.test(JSON.stringify(history));
	const denied = !isDenied && IS_UNKNOWN.test(told(played)) ? ['untrue: a job is unknown'] : [];
	return [...unanswered, ...tooEarly, ...denied];
}

/** Whether nothing keeps a run from all its answers: the service is merely odd, and there is enough time. */
function isSmooth({ history, wasStopped, isKilled }: Played): boolean {
	const { creations, lookupValues, maxWait = Infinity, service, waitMode, wiring, words } = history;
	const { createReply = 'job', jobEnd = 'finished', valueEcho = 'asSent' } = service;
	const { createDelayMs = 0, jobDurationMs = 0, resultsDelayMs = 0, statusDelayMs = 0 } = service;
	const isPlain = (name: keyof History) => JSON.stringify(history[name]) === JSON.stringify(PLAIN[name]);
	const isCalm = ['drift', 'odd', 'throwsAt', 'timeout', 'twinsBefore', 'twinBeside'] as const;
	// A gateway's words prove nothing, and delay a look by half a minute at most.
	const faultsMs = history.faults.reduce(
		(sum, { fault, times }) => sum + (fault.type === 'gatewayJson' ? Number(times) * 30_000 : Infinity),
		0,
	);
	// A sleeping run looks after a quarter of an hour at the latest.
	const takesMs =
		faultsMs + jobDurationMs + statusDelayMs + resultsDelayMs + (waitMode === 'poll' ? 0.5 : 16) * 60_000;
	const longest = waitMode === 'poll' ? Math.min(maxWait, 10) : maxWait;
	return (
		!wasStopped &&
		// Without a record, the job list must prove which jobs are ours, and often cannot.
		!isKilled &&
		isCalm.every(isPlain) &&
		creations.every((name) => name === 'goesWell') &&
		['job', 'minimal'].includes(createReply) &&
		valueEcho === 'asSent' &&
		// The user's setting may be one that the service refuses.
		(lookupValues === 'automatic' || service.lookupValues === undefined) &&
		jobEnd === 'finished' &&
		!service.partialEnds &&
		!((service.maxOpenJobs || service.createRateLimit) && (jobDurationMs > 10_000 || maxWait === 1)) &&
		createDelayMs < 60_000 &&
		words !== 'unknown' &&
		(waitMode === 'poll' || wiring === 'loop') &&
		takesMs < longest * 60_000
	);
}

/** Jobs that a node which can sleep has cancelled before its Max Wait was over. */
function cancelledEarly({ history, own }: Played): string[] {
	const { maxWait = 1440, onDeadline, service, stopAfter, timeout, waitMode } = history;
	const mayCancel = onDeadline === 'cancel' && stopAfter === undefined && timeout === undefined;
	if (waitMode === 'poll' || !mayCancel || service.jobEnd === 'cancelled') return [];
	return own.flatMap(({ job: { createdAt, endedAt, job_id, state } }) =>
		state === 'cancelled' && endedAt !== null && endedAt - createdAt < maxWait * 60_000
			? [`cancelled early: job ${job_id}`]
			: [],
	);
}

/** Values without an answer although nothing kept the run from it. */
function needless(played: Played): string[] {
	const { history, executions } = played;
	if (!hasRows(history) || !isSmooth(played)) return [];
	const rows = executions.flatMap((runs) => rowsOf(runs, 'Done'));
	const isAnswer = ({ error, reason }: IDataObject) =>
		error === undefined && !(typeof reason === 'string' && WITHOUT_ANSWER.test(reason));
	return history.items.flatMap((values, item) =>
		values
			.filter((value) => value !== '' && value !== MISTYPED)
			.filter((value) => {
				const isIt = (row: IDataObject) =>
					row.linked === `item ${item}` &&
					bought(history.key, String(row.value)) === bought(history.key, value);
				return !rows.some((row) => isIt(row) && isAnswer(row));
			})
			.map((value) => `needless: item ${item} has no answer for ${value}`),
	);
}

/** Values that a run left out although all went well, and items that it passed on unchanged. */
function neverAsked(played: Played): string[] {
	const { history, own, executions, wasStopped, isKilled } = played;
	const last = executions.at(-1) ?? [];
	const [done, failed] = ['Done', 'Failed'].map((name) => rowsOf(last, name)) as [
		IDataObject[],
		IDataObject[],
	];
	const passedOn = [...done, ...failed]
		.filter(({ job_id, error }) => job_id === undefined && error === undefined)
		.map(({ linked }) => `passed on: ${String(linked)}`);
	const isWhole =
		last.at(-1)?.status === 'success' && ![...done, ...failed].some(({ error }) => error !== undefined);
	if (wasStopped || isKilled || !isWhole || history.throwsAt !== undefined) return passedOn;
	const unsent = done.filter(({ job_id }) => job_id === null);
	const isLeftOut = (value: string, item: number) => {
		const isIt = (one: unknown) => bought(history.key, String(one)) === bought(history.key, value);
		return (
			!own.some(({ job, items }) => items.includes(item) && job.values.some(isIt)) &&
			!unsent.some((row) => isIt(row.value))
		);
	};
	const leftOut = history.items.flatMap((values, item) =>
		values
			.filter((value) => value !== '' && value !== MISTYPED && isLeftOut(value, item))
			.map((value) => `left out: item ${item} ${value}`),
	);
	return [...passedOn, ...leftOut];
}

/** Ends that the service reported with an unknown word, and that the run does not report. */
function unsaid(played: Played): string[] {
	const { history, own, knownOver, wasStopped, isKilled } = played;
	if (history.words !== 'unknown' || wasStopped || isKilled) return [];
	// Items on their way to a node report it, too.
	const text = told(played) + JSON.stringify(played.executions.flatMap(pendingItems));
	const isSaid = Object.values(OWN_WORDS.service).some((word) => text.includes(word));
	return isSaid
		? []
		: own
				.filter(({ job }) => knownOver.has(job.job_id))
				.map(({ job }) => `unsaid: the end of ${job.job_id}`);
}

/** The item and value of each cell that is not sent; the value is null for a blank item. */
function badCells({ items, throwsAt }: History): Array<[item: number, value: string | null]> {
	return items.flatMap((values, item): Array<[number, string | null]> => {
		if (item === throwsAt) return [];
		if (values.every((value) => value.trim() === '')) return [[item, null]];
		return values.includes(MISTYPED) ? [[item, MISTYPED]] : [];
	});
}

/** Rows of unsent values that were not asked for, come twice, or are missing although all went well. */
function wrongUnsent({ history, executions, wasStopped }: Played): string[] {
	const bad = badCells(history);
	const last = executions.at(-1) ?? [];
	const done = rowsOf(last, 'Done');
	// Items that flow on after a timer are not linked if no node waits for the jobs.
	const isLinked = (linked: unknown, item: number) =>
		linked === `item ${item}` || (history.wiring !== 'loop' && history.waitMode !== 'poll');
	const without = done.filter(({ job_id }) => job_id === null);
	/** The service had no room for the value, and the linked item asked for it. */
	const isForLackOfRoom = ({ reason, value, linked }: IDataObject) =>
		/^not sent, nothing was paid: /.test(String(reason)) &&
		history.items.some(
			(values, item) =>
				values.some((one) => bought(history.key, one) === bought(history.key, String(value))) &&
				isLinked(linked, item),
		);
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
	if (isWhole && hasRows(history) && rows.length < bad.length) {
		found.push(`not sent: ${rows.length} rows for ${bad.length} cells`);
	}
	return found;
}

/** Everything that must never happen, in words; empty if all is well. */
export function audit(played: Played): string[] {
	const stranded = played.stranded.map((what) => `stranded: ${what}`);
	return [
		...paidTwice(played),
		...lost(played),
		...foreignRows(played),
		...untrue(played),
		...needless(played),
		...cancelledEarly(played),
		...neverAsked(played),
		...unsaid(played),
		...wrongUnsent(played),
		...doubled(played),
		...misled(played),
		...stranded,
	];
}
