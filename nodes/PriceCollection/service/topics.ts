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
	aliases?: readonly string[];
	/** Fields of the content that hold its entries, the likeliest first; one named like the topic is found as well. */
	lists: readonly string[];
	/** Whether that list is the whole find: what stands beside an empty one only describes the question. */
	listIsAll?: true;
	/** Fields of its content, besides the list of entries, as far as practice shows them. */
	content: readonly string[];
	/** Fields of an entry, likewise. */
	entry: readonly string[];
	/** The plain columns that matter most, up to six; absent where nobody knows the contents. */
	main?: Readonly<Record<'entries' | 'results', readonly string[]>>;
}

/** Many names, easier to read in one text. */
const words = (text: string) => text.split(' ');

const BEST_OFFER = words('best_price best_total best_currency best_shop best_condition best_url');
const OFFER = words('price price_with_shipping currency shop_name condition_text url');

export type LookupKey = 'gtin' | 'id' | 'term';
/** What the editor calls the values of a key. */
export function nameOfValues(key: string): string {
	return (
		new Map([
			['gtin', 'GTINs'],
			['id', 'IDs'],
			['term', 'Search Terms'],
		]).get(key) ?? 'Values'
	);
}
export type JobOption = 'condition' | 'maxAge' | 'maxPages' | 'shipping' | 'sortBy';

export const TOPICS = {
	bestsellers: {
		name: 'Bestsellers',
		description: 'Ranks of a category or term',
		keys: ['id', 'term'],
		options: ['maxAge', 'maxPages'],
		lists: ['bestsellers', 'products', 'results'],
		listIsAll: true,
		content: words('category_name category_path'),
		entry: words('rank id name url image_url price currency review_count review_rating'),
		main: {
			results: words('category_name'),
			entries: words('rank price currency review_rating review_count url'),
		},
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
		main: { results: BEST_OFFER, entries: OFFER },
	},
	reviews: {
		name: 'Reviews',
		description: 'What buyers wrote about a product',
		keys: ['id', 'gtin'],
		options: ['maxAge', 'maxPages', 'sortBy'],
		lists: ['reviews'],
		content: words('id name url review_count review_rating'),
		entry: words('id title text rating author_name created_at page position'),
		main: {
			results: words('id review_rating review_count url'),
			entries: words('rating title text author_name created_at id'),
		},
	},
	search: {
		name: 'Search',
		description: 'The hits for a term',
		keys: ['term', 'gtin'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		aliases: ['search_results'],
		lists: ['search_results', 'results'],
		listIsAll: true,
		content: words('total_search_result_count'),
		entry: words(
			'type id name url image_url condition_text price min_price max_price shipping_costs price_with_shipping ' +
				'currency shop_name shop_url shop_id shop_domain review_count review_rating page position flags',
		),
		main: { results: BEST_OFFER, entries: OFFER },
	},
	/** Any other topic of the service, named by the user. */
	custom: {
		name: 'Custom',
		description: 'Another topic of the service',
		keys: ['id', 'gtin', 'term'],
		options: ['condition', 'maxAge', 'maxPages', 'shipping', 'sortBy'],
		lists: [],
		content: [],
		entry: [],
	},
} as const satisfies Readonly<Record<string, TopicTraits>>;

/** What the Topic field can hold. */
export type TopicChoice = keyof typeof TOPICS;
/** A topic that the table knows by name. */
export type Topic = Exclude<TopicChoice, 'custom'>;

const CHOICES = Object.keys(TOPICS) as TopicChoice[];

/** What the table knows of a topic, under its name or another one; the traits of Custom for any other. */
export function topicTraits(topic: string | undefined): TopicTraits {
	const isMeant = ([name, { aliases = [] }]: [string, TopicTraits]) =>
		[name, ...aliases].includes(topic ?? '');
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
