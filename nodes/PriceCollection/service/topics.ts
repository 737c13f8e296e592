import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from './connection';
import { words, type ListMeaning } from './names';

/**
 * A row of the table of topics: what the editor offers, which lists the content has, and what counts as found. The four
 * topic names are documented; their keys, options and lists were observed in practice (`docs/contributing/not-shown.md`).
 * Custom and Additional Parameters can send anything else.
 */
interface TopicTraits {
	name: string;
	description: string;
	/** The keys offered in addition to Custom; the first is the default. */
	keys: readonly [LookupKey, ...LookupKey[]];
	options: readonly JobOption[];
	/** Other names that services use for the topic. */
	aliases?: readonly string[];
	/** The lists in its content, by their meaning in `names.ts`. A custom topic's list is the first one present. */
	lists: readonly ListMeaning[];
	/** Set if only a list with entries counts as found: fields beside an empty list just repeat the request. */
	listIsAll?: true;
	/** Fields of the content other than the list, as observed in practice. */
	content: readonly string[];
	/** Fields of an entry, as observed in practice. */
	entry: readonly string[];
	/** The main columns of a result's row, up to six; absent if the content is unknown. Those of entries: `MAIN_OF_ENTRIES`. */
	main?: readonly string[];
}

export const BEST_OFFER = words('best_price best_total best_currency best_shop best_availability best_url');

export type LookupKey = 'gtin' | 'id' | 'term';

const NAMES_OF_VALUES: Readonly<Record<LookupKey, string>> = {
	gtin: 'GTINs',
	id: 'IDs',
	term: 'Search Terms',
};

/** The editor's name for a key's values. */
export function nameOfValues(key: string): string {
	return Object.hasOwn(NAMES_OF_VALUES, key) ? NAMES_OF_VALUES[key as LookupKey] : 'Values';
}

export type JobOption = 'condition' | 'maxAge' | 'maxPages' | 'shipping' | 'sortBy';

export const TOPICS = {
	bestsellers: {
		name: 'Bestsellers',
		description: 'Ranks of a category or term',
		keys: ['id', 'term'],
		options: ['maxAge', 'maxPages'],
		lists: ['ranks'],
		listIsAll: true,
		content: words('category_name category_path'),
		entry: words('rank id name url image_url price currency review_count review_rating'),
		main: words('category_name'),
	},
	product_and_offers: {
		name: 'Product and Offers',
		description: 'A product and who sells it at which price',
		keys: ['gtin', 'id', 'term'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		lists: ['offers'],
		content: words(
			'id name url image_url description brand_name price rrp review_count review_rating category_name ' +
				'category_path offer_count offers_url gtins eans mpns feature_bullets properties specifications buybox',
		),
		entry: words(
			'id product_id price price_with_shipping shipping_costs tax currency condition_text condition_code url ' +
				'shop_name shop_id shop_url shop_domain shop_review_count shop_review_rating page position',
		),
		main: BEST_OFFER,
	},
	reviews: {
		name: 'Reviews',
		description: 'What buyers wrote about a product',
		keys: ['id', 'gtin'],
		options: ['maxAge', 'maxPages', 'sortBy'],
		lists: ['reviews'],
		content: words('id name url review_count review_rating'),
		entry: words('id title text rating author_name created_at page position'),
		main: words('id review_rating review_count url'),
	},
	search: {
		name: 'Search',
		description: 'The hits for a term',
		keys: ['term', 'gtin'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		aliases: ['search_results'],
		lists: ['hits'],
		listIsAll: true,
		content: words('total_search_result_count'),
		entry: words(
			'type id name url image_url condition_text price min_price max_price shipping_costs price_with_shipping ' +
				'currency shop_name shop_url shop_id shop_domain review_count review_rating page position flags',
		),
		main: BEST_OFFER,
	},
	/** Any other topic of the service; the user enters its name. */
	custom: {
		name: 'Custom',
		description: 'Another topic of the service',
		keys: ['id', 'gtin', 'term'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		lists: ['offers', 'hits', 'reviews', 'ranks'],
		content: [],
		entry: [],
	},
} as const satisfies Readonly<Record<string, TopicTraits>>;

export type TopicChoice = keyof typeof TOPICS;
export type Topic = Exclude<TopicChoice, 'custom'>;

const TOPIC_CHOICES = Object.keys(TOPICS) as TopicChoice[];

/** The default of the Topic field. */
export const DEFAULT_TOPIC: TopicChoice = 'product_and_offers';

/** Looks up a topic's traits by name or alias; any other topic gets the traits of Custom. */
export function topicTraits(topic: string | undefined): TopicTraits {
	const isMatch = ([name, { aliases = [] }]: [string, TopicTraits]) =>
		[name, ...aliases].includes(topic ?? '');
	return Object.entries<TopicTraits>(TOPICS).find(isMatch)?.[1] ?? TOPICS.custom;
}

/** Whether the editor offers an option for this choice in the Topic field. */
export function offersOption(choice: string, option: JobOption): boolean {
	return topicTraits(choice).options.includes(option);
}

/** The topics for which the editor offers an option. */
export function topicsWith(option: JobOption): TopicChoice[] {
	return TOPIC_CHOICES.filter((topic) => offersOption(topic, option));
}

/** Maps every choice of the Topic field, in the editor's order. */
export function eachTopic<T>(make: (topic: TopicChoice, traits: TopicTraits) => T): T[] {
	return TOPIC_CHOICES.map((topic) => make(topic, TOPICS[topic]));
}

/** Parameters that do not change the price of a value and page, as observed in practice. */
const WITHOUT_PRICE =
	/^(topic|source|country|key|values?|timeout|max_pages|webhook_(url|method|download_format))$/;

/** The service's defaults, as observed in practice: sending one of these values does not change the price. */
const USUAL_DEFAULTS: IDataObject = { max_age: '1200', condition: 'any', shipping: 'any' };

/**
 * Estimates a job's credits as services of this kind charge them (`docs/contributing/not-shown.md`): one per value and
 * page, or two if the job has a parameter that costs extra. The test source is free. Undefined if the number of pages
 * is not a whole number of at least 1.
 */
export function estimatedCredits(
	parameters: IDataObject,
	valueCount: number,
	{ testSource, webhookUrlParameter }: Pick<ConnectionSettings, 'testSource' | 'webhookUrlParameter'>,
): number | undefined {
	if (parameters.source === testSource) return 0;
	const pages = Number(parameters.max_pages ?? 1);
	if (!Number.isInteger(pages) || pages < 1) return undefined;
	const costsExtra = ([name, value]: [string, unknown]) =>
		!WITHOUT_PRICE.test(name) && name !== webhookUrlParameter && USUAL_DEFAULTS[name] !== String(value);
	return valueCount * pages * (Object.entries(parameters).some(costsExtra) ? 2 : 1);
}
