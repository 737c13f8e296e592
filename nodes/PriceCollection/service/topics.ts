/**
 * The one place that knows topics: which lookup keys and options each offers. Only the four names are documented;
 * which key and option goes with which topic is what practice shows (`docs/not-shown.md`). Every other combination
 * can be sent through Custom and Additional Parameters.
 */
export const TOPICS = ['bestsellers', 'product_and_offers', 'reviews', 'search'] as const;
export type Topic = (typeof TOPICS)[number];
/** What the Topic field can hold. */
export type TopicChoice = Topic | 'custom';

export type LookupKey = 'gtin' | 'id' | 'term';
export type JobOption = 'condition' | 'maxAge' | 'maxPages' | 'shipping' | 'sortBy';

interface TopicTraits {
	/** The keys offered, besides Custom; the first is the default. */
	keys: readonly [LookupKey, ...LookupKey[]];
	options: readonly JobOption[];
}

export const TRAITS: Readonly<Record<TopicChoice, TopicTraits>> = {
	bestsellers: { keys: ['id', 'term'], options: ['maxAge', 'maxPages'] },
	product_and_offers: {
		keys: ['gtin', 'id', 'term'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
	},
	reviews: { keys: ['id', 'gtin'], options: ['maxAge', 'maxPages', 'sortBy'] },
	search: { keys: ['term', 'gtin'], options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'] },
	custom: {
		keys: ['id', 'gtin', 'term'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
	},
};

/** Whether the Topic field set so offers an option. */
export function offersOption(choice: string, option: JobOption): boolean {
	const topic = TOPICS.find((name) => name === choice) ?? 'custom';
	return TRAITS[topic].options.includes(option);
}

/** The topics for which an option is offered. */
export function topicsWith(option: JobOption): TopicChoice[] {
	return [...TOPICS, 'custom' as const].filter((topic) => TRAITS[topic].options.includes(option));
}
