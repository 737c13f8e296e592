import { contentLeaves, echoOf, rowItem, unreadable } from './expected';
import type { Expected } from './expected';
import type { Brought } from './jobs';
import { leavesOf, missingLeaves } from './leaves';
import type { Fields, Observed } from './operations';
import type { GeneratedService } from './service';

/** Compares a collect's rows with what the service found, value by value. */

/** Reasons for a value without a result; untrue if the service sent one. */
const UNANSWERED = /not answered|unanswered|ended before/i;

/** A result of the service, and how it names its value. */
interface Sent {
	result: Brought;
	/** The value that it is for. */
	value: string;
	/** Index of the new job that brought it, and its index there. */
	job: number;
	index: number;
	/** Whether the job has no other value. */
	isAlone: boolean;
	/** The value as the service echoes it, if it does. */
	echo: unknown;
}

type Judge = (expected: ReturnType<typeof rowItem>, row: Fields) => string | undefined;

/** The results of all jobs. */
function sentBy({ created, createdResults }: Pick<Observed, 'created' | 'createdResults'>): Sent[] {
	return createdResults.flatMap((results, job) =>
		results.map((result, index) => ({
			...{ result, job, index },
			value: String(result.truth.query.value),
			isAlone: created[job]?.values.length === 1,
			echo: echoOf(result.sent),
		})),
	);
}

/** Whether a row says why it has no result, and contains no content. */
function isHonest(row: Fields): boolean {
	const { success, found, reason, name } = row;
	return success === false && found !== true && leavesOf(reason).length > 0 && name === undefined;
}

/** What is wrong with the rows of a value; undefined if nothing is. */
function problemWithAsked(
	service: GeneratedService,
	own: Sent,
	sent: Sent[],
	rows: Fields[],
	items: Fields[],
	problemOf: (one: Sent, row: Fields) => string | undefined,
): string | undefined {
	const { value } = own;
	const ofJob = sent.filter(({ job }) => job === own.job);
	// If the service echoes several values identically, the result of any of them is right.
	const twins = ofJob.filter(({ echo }) => echo === value || (echo !== undefined && echo === own.echo));
	const isTold = own.echo === value && twins.length === 1;
	const [row] = rows;
	// Results without their value belong to the only value of their job.
	if (own.isAlone && !isTold && rows.some((one) => problemOf(own, one) === undefined)) return undefined;
	if (!row || rows.length > 1) return `${rows.length} rows for "${value}"`;
	if (twins.some((one) => problemOf(one, row) === undefined)) return undefined;
	const problem = problemOf(own, row);
	if (problem === undefined) return undefined;
	if (!isHonest(row)) return `the row of "${value}": ${problem}`;
	if (unreadable(service) !== undefined) return undefined;
	if (!isGivenOut(service, own, items)) return `the result of "${value}" was dropped`;
	if (UNANSWERED.test(String(row.reason)))
		return `the row of "${value}" says in vain: ${String(row.reason)}`;
	return isTold ? `the row of "${value}" tells nothing though the service did` : undefined;
}

/** What is wrong with the rows of a collect, as a sentence; undefined if nothing is. */
export function problemWithCollected(
	{ asked, isEnded }: Extract<Expected, { kind: 'collected' }>,
	{ items, askers, hints, created, createdResults }: Observed,
	service: GeneratedService,
	judge: Judge,
): string | undefined {
	const sent = sentBy({ created, createdResults });
	const strangers = sent.filter(({ value }) => !asked.includes(value));
	const names = new Set<unknown>([null, ...strangers.flatMap(({ value, echo }) => [value, echo])]);
	const problemOf = ({ result, index }: Sent, row: Fields) => {
		const { has, holds, check } = rowItem(service, { id: '', topic: 'search' }, result, index);
		const { success, found } = has;
		return judge({ has: { ...('success' in has ? { success } : {}), found }, holds, check }, row);
	};
	for (const [place, value] of asked.entries()) {
		const own = sent.find((one) => one.value === value);
		if (!own) {
			const said = items.filter((_, item) => askers[item] === place);
			if (!created.some(({ values }) => values.includes(value))) return `nobody asked for "${value}"`;
			if (isEnded && said.length === 1 && said.every(isHonest)) continue;
			return `the row of "${value}", which has no result: ${JSON.stringify(said)}`;
		}
		// A job with only this value may bring more: its rows have the same item, and another value or none.
		const rows = items.filter((row, item) => askers[item] === place && !names.has(row.value));
		const problem = problemWithAsked(service, own, sent, rows, items, problemOf);
		if (problem !== undefined) return problem;
	}
	const said = JSON.stringify(items) + hints.join(' ');
	const dropped = strangers.find((one) => !said.includes(one.value) && !isGivenOut(service, one, items));
	return dropped ? `the result of "${dropped.value}" was dropped without a word` : undefined;
}

/** Whether the items contain all that a result brought. Without an echo, it cannot be found by its value. */
function isGivenOut(service: GeneratedService, { result: { truth } }: Sent, items: Fields[]): boolean {
	const brought = contentLeaves(service, [truth.content, truth.reason]);
	return missingLeaves(brought, items.flatMap(leavesOf), true).length === 0;
}
