import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from './connection';
import { words } from './names';

/**
 * The only table of topics: what the editor offers for each, where its list of entries is, and what counts as
 * found. The four names are documented; their keys, options and list names were observed in practice
 * (`docs/contributing/not-shown.md`). Custom and Additional Parameters can send everything else.
 */
interface TopicTraits {
	name: string;
	description: string;
	/** The keys offered besides Custom; the first is the default. */
	keys: readonly [LookupKey, ...LookupKey[]];
	options: readonly JobOption[];
	/** Other names that services use for it. */
	aliases?: readonly string[];
	/** What its content lists, by the names of `names.ts`; for a topic of the user, the first of these. */
	lists: readonly ListMeaning[];
	/** Whether only that list counts as a find: fields beside an empty list just repeat the request. */
	listIsAll?: true;
	/** Fields of the content besides the list of entries, as observed in practice. */
	content: readonly string[];
	/** Fields of an entry, as observed in practice. */
	entry: readonly string[];
	/** The most important plain columns of a result, up to six; absent when the contents are unknown. */
	main?: readonly string[];
}

/** The lists of a content. */
export const LISTS = ['offers', 'hits', 'reviews', 'ranks'] as const;

export type ListMeaning = (typeof LISTS)[number];

export const BEST_OFFER = words('best_price best_total best_currency best_shop best_availability best_url');

export type LookupKey = 'gtin' | 'id' | 'term';

const NAMES_OF_VALUES: Readonly<Record<LookupKey, string>> = {
	gtin: 'GTINs',
	id: 'IDs',
	term: 'Search Terms',
};

/** The editor's name for the values of a key. */
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
	/** Any other topic of the service, named by the user. */
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

/** The choice of the Topic field where nothing is chosen. */
export const USUAL_TOPIC: TopicChoice = 'product_and_offers';

/** The traits of a topic by its name or an alias; those of Custom for any other topic. */
export function topicTraits(topic: string | undefined): TopicTraits {
	const isMeant = ([name, { aliases = [] }]: [string, TopicTraits]) =>
		[name, ...aliases].includes(topic ?? '');
	return Object.entries<TopicTraits>(TOPICS).find(isMeant)?.[1] ?? TOPICS.custom;
}

/** Whether an option is offered for a choice of the Topic field. */
export function offersOption(choice: string, option: JobOption): boolean {
	return topicTraits(choice).options.includes(option);
}

/** The topics for which an option is offered. */
export function topicsWith(option: JobOption): TopicChoice[] {
	return TOPIC_CHOICES.filter((topic) => offersOption(topic, option));
}

/** Maps every choice of the Topic field, in the order in which the editor shows them. */
export function eachTopic<T>(make: (topic: TopicChoice, traits: TopicTraits) => T): T[] {
	return TOPIC_CHOICES.map((topic) => make(topic, TOPICS[topic]));
}

/** Parameters that do not change what a value costs, as observed in practice. */
const WITHOUT_PRICE =
	/^(topic|source|country|key|values?|timeout|max_pages|webhook_(url|method|download_format))$/;

/** The service's own defaults, as observed in practice: sending one of these does not change the price. */
const USUAL_DEFAULTS: IDataObject = { max_age: '1200', condition: 'any', shipping: 'any' };

/**
 * Estimates the credits of a job the way services of this kind charge (`docs/contributing/not-shown.md`): one for each of
 * so many values and pages, two when a wire parameter other than `max_pages` differs from the service's default.
 * Undefined when the number of pages cannot be read.
 */
export function estimatedCredits(
	parameters: IDataObject,
	values: number,
	{ testSource, webhookUrlParameter }: Pick<ConnectionSettings, 'testSource' | 'webhookUrlParameter'>,
): number | undefined {
	if (parameters.source === testSource) return 0;
	const pages = Number(parameters.max_pages ?? 1);
	if (!Number.isInteger(pages) || pages < 1) return undefined;
	const isPriced = ([name, value]: [string, unknown]) =>
		!WITHOUT_PRICE.test(name) && name !== webhookUrlParameter && USUAL_DEFAULTS[name] !== String(value);
	return values * pages * (Object.entries(parameters).some(isPriced) ? 2 : 1);
}
