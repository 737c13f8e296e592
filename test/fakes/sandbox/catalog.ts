/** What the service offers: sources with their countries, topics with their lookup keys. */

export type TopicKind = 'product_and_offers' | 'search' | 'reviews' | 'bestsellers';

const countries = (list: string) => list.split(' ');
const WIDE = countries('at au be ca ch de dk es fr gb ie it jp nl pl pt se us');

/** Sources with their countries; a portal lists offers, a marketplace has a buybox. */
export const SOURCES: Record<string, { countries: string[]; portal: boolean }> = {
	amazon: { countries: countries('au be ca de es fr gb it jp nl pl se us'), portal: false },
	ebay: { countries: countries('at au ca ch de es fr gb ie it nl pl us'), portal: false },
	google_shopping: { countries: WIDE, portal: true },
	idealo: { countries: countries('at de es fr gb it'), portal: true },
	test: { countries: WIDE, portal: false },
};

/** The datasource that reports credits but books none. */
export const TEST_SOURCE = 'test';

const CURRENCIES: Record<string, string> = {
	au: 'AUD',
	ca: 'CAD',
	ch: 'CHF',
	dk: 'DKK',
	gb: 'GBP',
	jp: 'JPY',
	pl: 'PLN',
	se: 'SEK',
	us: 'USD',
};

export function currencyOf(country: string): string {
	return CURRENCIES[country] ?? 'EUR';
}

const KEYS: Record<TopicKind, string[]> = {
	bestsellers: ['id', 'term'],
	product_and_offers: ['gtin', 'id', 'term'],
	reviews: ['gtin', 'id'],
	search: ['gtin', 'term'],
};

/** Treats a topic that is not in the document as a search. */
export function kindOf(topic: string): TopicKind {
	return Object.hasOwn(KEYS, topic) ? (topic as TopicKind) : 'search';
}

export function keysOf(topic: string): string[] {
	return KEYS[kindOf(topic)];
}

/** Name of the main list in a topic's content. */
const LIST_NAMES: Record<TopicKind, string> = {
	product_and_offers: 'offers',
	search: 'search_results',
	reviews: 'reviews',
	bestsellers: 'bestsellers',
};

export const listNameOf = (kind: TopicKind) => LIST_NAMES[kind];

/** The defaults of a create's parameters. */
export const QUERY_DEFAULTS = {
	max_pages: 1,
	max_age: 1200 as number | string,
	sort_by: 'ranking_descending',
	condition: 'any',
	shipping: 'any',
};

export type QueryParameters = typeof QUERY_DEFAULTS;

/** Minutes that a job may take by default. */
export const TIMEOUT_DEFAULT = 1440;
