import type { IDataObject } from 'n8n-workflow';

import { hint } from '../n8n/hints';
import { counted } from '../service/text';
import type { ConnectionSettings } from '../service/connection';
import { figureOf } from '../service/types';
import type { ValueCounts } from './pairing';
import { makesRows } from '../settings/resultChoice';
import type { UnsentRequest, JobRecord, Run } from '../run/record';
import type { JobOutcome } from './jobOutcome';
import { estimateOf, estimateText } from '../creation/spending';

const MOST_VALUES = 3;

/** A sentence with the total credits that the downloads report; undefined if none reports any. */
export function creditsOf(roots: readonly IDataObject[]): string | undefined {
	const kinds = ['paid', 'free'].flatMap((kind) => {
		const numbers = roots.flatMap((root) => figureOf(root[`${kind}_credits`]) ?? []);
		return numbers.length === 0 ? [] : [`${numbers.reduce((a, b) => a + b)} ${kind}`];
	});
	return kinds.length === 0 ? undefined : `Credits used: ${kinds.join(', ')}.`;
}

const notSent = (count: number) =>
	`${counted(count, 'value')} ${count === 1 ? 'was' : 'were'} not sent and cost nothing`;

/** A sentence about values that were not sent because the service accepted no more jobs; undefined if there are none. */
export function withoutRoomText(unsent: readonly UnsentRequest[]): string | undefined {
	const count = unsent.filter(({ row }) => row?.isForLackOfRoom === true).length;
	if (count === 0) return undefined;
	return `${notSent(count)}, because the service accepted no more jobs. Run the workflow again for them, or raise Max Wait.`;
}

/** A sentence about values that were not sent because they are blank or invalid; undefined if there are none. */
export function unsentText(unsent: readonly UnsentRequest[], haveRows: boolean): string | undefined {
	const rows = unsent.flatMap(({ row }) => (row === undefined || row.isForLackOfRoom ? [] : [row]));
	if (rows.length === 0) return undefined;
	const values = rows.flatMap(({ query: { value } }) => (value ? [`"${String(value)}"`] : []));
	const examples = values.length > MOST_VALUES ? [...values.slice(0, MOST_VALUES), '…'] : values;
	const blankCount = rows.length - values.length;
	const pointer = rows.length === 1 ? 'Its row says why.' : 'Their rows say why.';
	const kinds = [
		blankCount && `${blankCount} blank`,
		values.length && `${values.length} not valid: ${examples.join(', ')}`,
	];
	return `${notSent(rows.length)} (${kinds.filter(Boolean).join('; ')}). ${haveRows ? pointer : 'They have no rows.'}`;
}

/**
 * "1 job, 700 values: 650 found, 40 not found, 10 failed, 2 unanswered. Credits used: 690 free. Estimate: …"
 *
 * @param jobs the jobs that are output, each with its root object
 */
export function summaryOf(
	jobs: ReadonlyArray<{ record: JobRecord; root: IDataObject }>,
	{ found, notFound, failed, unanswered }: ValueCounts,
	connection: ConnectionSettings,
): string {
	const values = found + notFound + failed + unanswered;
	const kinds = `${found} found, ${notFound} not found, ${failed} failed`;
	const unansweredText = unanswered === 0 ? '' : `, ${unanswered} unanswered`;
	const records = jobs.map(({ record }) => record);
	// Jobs with the test source are free, although they report credits.
	const charged = jobs.flatMap(({ record: { request }, root }) =>
		(root.source ?? request?.parameters.source) === connection.testSource ? [] : [root],
	);
	const sentences = [
		`${counted(jobs.length, 'job')}${values === 0 ? '' : `, ${counted(values, 'value')}: ${kinds}${unansweredText}`}.`,
		creditsOf(charged),
		charged.length < jobs.length ? 'The test source costs nothing.' : undefined,
		estimateText(estimateOf(records, connection)),
	];
	return sentences.filter((text) => text !== undefined).join(' ');
}

/** Shows hints about the run as a whole below its output. */
export function summarize(
	{ context, client, choices: { first } }: Run,
	counts: ValueCounts,
	{ unsent, outcomes, tickets }: { unsent: UnsentRequest[]; outcomes: JobOutcome[]; tickets: number },
): void {
	const haveRows = makesRows(first) && first.onFailedResult === 'include';
	for (const text of [unsentText(unsent, haveRows), withoutRoomText(unsent)])
		if (text !== undefined) hint(context, text, 'warning');
	const delivered = outcomes.flatMap(({ record, item, root = item?.json }) =>
		root === undefined ? [] : [{ record, root }],
	);
	if (delivered.length > 0) hint(context, summaryOf(delivered, counts, client.connection));
	if (tickets === 0) return;
	const advice = 'A Price Collection node set to Wait, connected there, gets the results.';
	hint(context, `On the output Still Running: ${counted(tickets, 'job')}. ${advice}`);
}
