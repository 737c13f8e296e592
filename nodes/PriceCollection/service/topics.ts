/**
 * The one table of topics: what the editor offers for each, where its list of entries is found and what counts as
 * found. The four names are documented; which key and option goes with which topic, and the names of the lists, are
 * what practice shows (`docs/not-shown.md`). Everything else can be sent through Custom and Additional Parameters.
 */
interface TopicTraits {
	/** As the editor names it. */
	name: string;
	description: string;
	/** The keys offered, besides Custom; the first is the default. */
	keys: readonly [LookupKey, ...LookupKey[]];
	options: readonly JobOption[];
	/** Other names under which services know it. */
	aliases: readonly string[];
	/** Fields of the content that hold its entries, the likeliest first; one named like the topic is found as well. */
	lists: readonly string[];
	/** Whether that list is the whole find: what stands beside an empty one only describes the question. */
	listIsAll: boolean;
}

export type LookupKey = 'gtin' | 'id' | 'term';
export type JobOption = 'condition' | 'maxAge' | 'maxPages' | 'shipping' | 'sortBy';

export const TOPICS = {
	bestsellers: {
		name: 'Bestsellers',
		description: 'Ranks of a category or term',
		keys: ['id', 'term'],
		options: ['maxAge', 'maxPages'],
		aliases: [],
		lists: ['bestsellers', 'products', 'results'],
		listIsAll: true,
	},
	product_and_offers: {
		name: 'Product and Offers',
		description: 'A product and who sells it at which price',
		keys: ['gtin', 'id', 'term'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		aliases: [],
		lists: ['offers'],
		listIsAll: false,
	},
	reviews: {
		name: 'Reviews',
		description: 'What buyers wrote about a product',
		keys: ['id', 'gtin'],
		options: ['maxAge', 'maxPages', 'sortBy'],
		aliases: [],
		lists: ['reviews'],
		listIsAll: false,
	},
	search: {
		name: 'Search',
		description: 'The hits for a term',
		keys: ['term', 'gtin'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		aliases: ['search_results'],
		lists: ['search_results', 'results'],
		listIsAll: true,
	},
	/** Any other topic of the service, named by the user. */
	custom: {
		name: 'Custom',
		description: 'Another topic of the service',
		keys: ['id', 'gtin', 'term'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		aliases: [],
		lists: [],
		listIsAll: false,
	},
} as const satisfies Readonly<Record<string, TopicTraits>>;

/** What the Topic field can hold. */
export type TopicChoice = keyof typeof TOPICS;
/** A topic that the table knows by name. */
export type Topic = Exclude<TopicChoice, 'custom'>;

const CHOICES = Object.keys(TOPICS) as TopicChoice[];

/** What the table knows of a topic, under its name or another one; the traits of Custom for any other. */
export function topicTraits(topic: string | undefined): TopicTraits {
	const isMeant = ([name, { aliases }]: [string, TopicTraits]) => [name, ...aliases].includes(topic ?? '');
	return Object.entries<TopicTraits>(TOPICS).find(isMeant)?.[1] ?? TOPICS.custom;
}

/** Whether the Topic field set so offers an option. */
export function offersOption(choice: string, option: JobOption): boolean {
	return topicTraits(choice).options.includes(option);
}

/** The topics for which an option is offered. */
export function topicsWith(option: JobOption): TopicChoice[] {
	return CHOICES.filter((topic) => offersOption(topic, option));
}

/** Something for every choice of the Topic field, in the order of the names that the editor shows. */
export function eachTopic<T>(make: (topic: TopicChoice, traits: TopicTraits) => T): T[] {
	return CHOICES.map((topic) => make(topic, TOPICS[topic]));
}
