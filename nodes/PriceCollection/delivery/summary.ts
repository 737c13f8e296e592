import type { IDataObject } from 'n8n-workflow';

import { hint } from '../n8n/hints';
import { counted } from '../service/text';
import { unknownStatusText } from '../service/meaning/jobState';
import type { ConnectionSettings } from '../service/connection';
import { figureOf } from '../service/types';
import type { ValueCounts } from './pairing';
import { makesRows } from '../settings/resultChoice';
import type { UnsentRequest, JobRecord, Run } from '../run/record';
import type { JobOutcome } from './results';
import { estimateOf, estimateText } from '../creation/spending';

const MOST_VALUES = 3;

/** The sum of the credits that downloads state; undefined when none does. */
export function creditsOf(roots: readonly IDataObject[]): string | undefined {
	const kinds = ['paid', 'free'].flatMap((kind) => {
		const numbers = roots.flatMap((root) => figureOf(root[`${kind}_credits`]) ?? []);
		return numbers.length === 0 ? [] : [`${numbers.reduce((a, b) => a + b)} ${kind}`];
	});
	return kinds.length === 0 ? undefined : `Credits used: ${kinds.join(', ')}.`;
}

const notSent = (count: number) =>
	`${counted(count, 'value')} ${count === 1 ? 'was' : 'were'} not sent and cost nothing`;

/** A sentence about values for which the service had no room; undefined when it had for all. */
export function withoutRoomText(unsent: readonly UnsentRequest[]): string | undefined {
	const count = unsent.filter(({ row }) => row?.isForLackOfRoom === true).length;
	if (count === 0) return undefined;
	return `${notSent(count)}, because the service took no more jobs. Run the workflow again for them, or raise Max Wait.`;
}

/** A sentence about values that cannot be sent; undefined when all can. */
export function unsentText(unsent: readonly UnsentRequest[], haveRows: boolean): string | undefined {
	const rows = unsent.flatMap(({ row }) => (row === undefined || row.isForLackOfRoom ? [] : [row]));
	if (rows.length === 0) return undefined;
	const values = rows.flatMap(({ query: { value } }) => (value ? [`"${String(value)}"`] : []));
	const named = values.length > MOST_VALUES ? [...values.slice(0, MOST_VALUES), '…'] : values;
	const blank = rows.length - values.length;
	const whereSaid = rows.length === 1 ? 'Its row says why.' : 'Their rows say why.';
	const kinds = [
		blank && `${blank} blank`,
		values.length && `${values.length} not valid: ${named.join(', ')}`,
	];
	return `${notSent(rows.length)} (${kinds.filter(Boolean).join('; ')}). ${haveRows ? whereSaid : 'They have no rows.'}`;
}

/**
 * "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. Credits used: 690 free. Estimate: …"
 *
 * @param jobs the jobs that are output, with the root object of each
 */
export function summaryOf(
	jobs: ReadonlyArray<{ record: JobRecord; root: IDataObject }>,
	{ found, notFound, failed, unanswered }: ValueCounts,
	connection: ConnectionSettings,
): string {
	const values = found + notFound + failed + unanswered;
	const kinds = `${found} found, ${notFound} not found, ${failed} failed`;
	const left = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
	const records = jobs.map(({ record }) => record);
	// Jobs of the test source are free although they state credits.
	const booked = jobs.flatMap(({ record: { request }, root }) =>
		(root.source ?? request?.parameters.source) === connection.testSource ? [] : [root],
	);
	const sentences = [
		`${counted(jobs.length, 'job')}${values === 0 ? '' : `, ${counted(values, 'value')}: ${kinds}${left}`}.`,
		creditsOf(booked),
		booked.length < jobs.length ? 'The test source costs nothing.' : undefined,
		estimateText(estimateOf(records, connection)),
	];
	return sentences.filter((text) => text !== undefined).join(' ');
}

/** Shows a hint about status words that are in no table. */
export function sayUnknownStatuses({ context, client }: Run, running: readonly JobRecord[]): void {
	const unknown = unknownStatusText(
		running.map(({ job }) => job),
		client.knowsStatus,
	);
	if (unknown !== undefined) hint(context, unknown, 'warning');
}

/** Shows what the run as a whole has to say, below its output. */
export function summarize(
	{ context, client, choices: { first } }: Run,
	counts: ValueCounts,
	{ unsent, outcomes, tickets }: { unsent: UnsentRequest[]; outcomes: JobOutcome[]; tickets: number },
): void {
	const haveRows = makesRows(first) && first.onFailedResult === 'include';
	for (const text of [unsentText(unsent, haveRows), withoutRoomText(unsent)])
		if (text !== undefined) hint(context, text, 'warning');
	const given = outcomes.flatMap(({ record, item, root = item?.json }) =>
		root === undefined ? [] : [{ record, root }],
	);
	if (given.length > 0) hint(context, summaryOf(given, counts, client.connection));
	if (tickets === 0) return;
	const next = 'A Price Collection node set to Wait, connected there, gets the results.';
	hint(context, `On the output Still Running: ${counted(tickets, 'job')}. ${next}`);
}
