import type { IDataObject } from 'n8n-workflow';

import { isObject, type Result } from '../service/types';
import { shortenItem } from './answer';
import { cheapestOffers, type OfferContext } from './bestPrice';
import { conditionClass } from './condition';
import type { RowChoice } from './rows';

/** An agent pays for every word: no empty fields, and only the first entries of a list. */
const COMPACT = { entries: 10, text: Infinity };
/** Maximum results of a job that becomes one item. */
const MOST_RESULTS = 100;

/** How the user wants rows, and how their offers are compared. */
type CompactChoice = Pick<RowChoice, 'bestPrice' | 'columns' | 'contentList' | 'output'>;

/** Offers of a content with their ranks, cheapest first, as the best price compares them. */
function ranksIn(content: unknown, { bestPrice, contentList }: CompactChoice, about: OfferContext) {
	const offers = cheapestOffers(content, bestPrice, { contentList, ...about });
	return new Map<unknown, number>(offers.map(({ offer }, rank) => [offer, rank]));
}

/** Entries with the cheapest first; entries that are not offers follow in their order. */
function inOrder<T>(entries: readonly T[], ranks: ReadonlyMap<unknown, number>): T[] {
	const rankOf = (entry: T) => ranks.get(entry) ?? ranks.size;
	return [...entries].sort((one, other) => rankOf(one) - rankOf(other));
}

/** The fields of a content for an agent, with the cheapest entries first in its lists. */
function compactFields(fields: IDataObject, choice: CompactChoice, about: OfferContext): IDataObject {
	const ranks = ranksIn(fields, choice, about);
	const ordered = Object.entries(fields).map(([name, value]) => {
		return [name, Array.isArray(value) ? inOrder<unknown>(value, ranks) : value];
	});
	return shortenItem(Object.fromEntries(ordered) as IDataObject, COMPACT);
}

const topicIn = (topic: unknown) => (typeof topic === 'string' ? { topic } : {});

/** A result in the service's own structure; only its content is shortened. */
function compactResult(result: IDataObject, choice: CompactChoice): IDataObject {
	const { content, query } = result;
	if (!isObject(content)) return result;
	const { topic, condition } = isObject(query) ? query : {};
	const about = { ...topicIn(topic), condition: conditionClass(condition) };
	return { ...result, content: compactFields(content, choice, about) };
}

/** The cheapest entry of each value first, then the second ones, and so on. */
function inTurns(rows: readonly IDataObject[], choice: CompactChoice, about: OfferContext): IDataObject[] {
	const byValue = new Map<unknown, IDataObject[]>();
	for (const row of rows) {
		const others = byValue.get(row.value);
		if (others === undefined) byValue.set(row.value, [row]);
		else others.push(row);
	}
	const turns = [...byValue.values()].flatMap((entries) =>
		inOrder(entries, ranksIn(entries, choice, about)).map((row, turn) => ({ row, turn })),
	);
	return turns.sort((one, other) => one.turn - other.turn).map(({ row }) => row);
}

/**
 * Rows for an AI agent: short, with the cheapest offers first.
 *
 * @param results the results of the rows; all of them were requested in the same condition
 */
export function compactRows(
	rows: readonly IDataObject[],
	choice: CompactChoice,
	[result]: readonly Result[],
): IDataObject[] {
	if (choice.columns === 'raw') return rows.map((row) => compactResult(row, choice));
	const condition = conditionClass(result?.query?.condition);
	const ordered = choice.output === 'entries' ? inTurns(rows, choice, { condition }) : rows;
	return ordered.map((row) => compactFields(row, choice, { ...topicIn(row.topic), condition }));
}

/** A whole job as one item for an AI agent. */
export function compactJob(
	job: IDataObject,
	choice: Pick<RowChoice, 'bestPrice' | 'contentList'>,
): IDataObject {
	const { results } = job;
	if (!Array.isArray(results)) return job;
	const entries: unknown[] = results;
	const shown = entries.slice(0, MOST_RESULTS).filter(isObject);
	return {
		...job,
		results: shown.map((result) =>
			compactResult(result, { ...choice, output: 'results', columns: 'raw' }),
		),
		...(entries.length > MOST_RESULTS && { results_total: entries.length }),
	};
}
