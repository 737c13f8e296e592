import { eachTopic, topicTraits, type TopicChoice } from '../service/topics';

/** The columns of every flat row, before sorting. */
export const CONTEXT_COLUMNS = [
	'job_id',
	'topic',
	'source',
	'country',
	'key',
	'value',
	'success',
	'found',
	'reason',
	'from_cache',
	'collected_at',
] as const;

/** The columns of the best price; null if there is none. */
export interface BestPrice {
	best_price: number | null;
	/** With shipping; null if unknown. */
	best_total: number | null;
	best_currency: string | null;
	best_shop: string | null;
	/** The service's code, or else its text. */
	best_condition: string | null;
	best_url: string | null;
	/** How many counting offers have a price, in any currency. */
	priced_offers: number;
}

/** The columns of a result without a price. */
export const NO_PRICE: BestPrice = {
	best_price: null,
	best_total: null,
	best_currency: null,
	best_shop: null,
	best_condition: null,
	best_url: null,
	priced_offers: 0,
};

/** The columns of a comparison without amounts, in order. */
export const NO_OWN_PRICE = { own_price: null, price_gap: null, price_gap_percent: null, price_rank: null };
export const NO_PREVIOUS_PRICE = { previous_price: null, price_change: null, price_change_percent: null };
export const NO_COMPARISON = { ...NO_OWN_PRICE, ...NO_PREVIOUS_PRICE };

/** Every known column, with the topics that have it. */
export function columnsByTopics(): Map<string, TopicChoice[]> {
	const found = new Map<string, TopicChoice[]>();
	for (const { topic, columns } of eachTopic((topic) => ({ topic, columns: columnsOf(topic) }))) {
		for (const name of columns) found.set(name, [...(found.get(name) ?? []), topic]);
	}
	// A topic named by the user may have any column.
	for (const topics of found.values()) if (!topics.includes('custom')) topics.push('custom');
	return found;
}

/** The columns of a topic's flat rows, as far as its fields were observed in practice. */
function columnsOf(topic: TopicChoice): Set<string> {
	const { content, entry, lists } = topicTraits(topic);
	return new Set([
		...named([...CONTEXT_COLUMNS, ...Object.keys(NO_PRICE), ...content, ...lists.slice(0, 1)]),
		...named([...CONTEXT_COLUMNS, ...entry, ...content]),
		...Object.keys(NO_COMPARISON),
	]);
}

/** The columns of these fields: of fields with the same name, the first one keeps it. */
function named(fields: readonly string[]): Set<string> {
	const columns = new Set<string>();
	for (const name of fields) {
		let column = name;
		while (columns.has(column)) column = `content_${column}`;
		columns.add(column);
	}
	return columns;
}
