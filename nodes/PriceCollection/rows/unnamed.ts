import { CONTENT_NAMES, isGiven, words, type ContentMeaning } from '../service/names';
import { eachTopic, topicTraits } from '../service/topics';
import { bareName, isObject } from '../service/types';
import { conditionTest } from './conditions';
import { pathsToLists, PRODUCT_DETAILS, type AboutContent } from './contentList';
import type { ContentReader, Placed } from './contentReader';
import type { BestPriceOptions, OfferContext, PricedOffer, Trouble } from './offers';
import type { Steps } from './steps';

/** What has no field of a known name, and the fields that nothing reads, one of which may be it. */
export interface Unnamed {
	/** The meanings, as Field Names calls them. */
	meanings: string[];
	fields: string[];
}

/** Names that certainly mean something else, of schema.org, of Google's product data, and of barcodes. */
const OF_OTHERS = words(
	'id sku gtin gtin8 gtin12 gtin13 gtin14 ean upc isbn mpn brand image images image_url image_link description color ' +
		'size material pattern category product_type page position rank type',
);

/** Meanings inside an object that stands for a value; beside a price the same names say nothing. */
const INSIDE: readonly string[] = ['amount', 'code', 'label', 'scale'] satisfies ContentMeaning[];

/** All names that are read, and those of recorded fields, which are known not to be anything else. */
const READ_NAMES: ReadonlySet<string> = new Set(
	Object.entries(CONTENT_NAMES)
		.flatMap(([meaning, names]): readonly string[] => (INSIDE.includes(meaning) ? [] : names))
		.map((name) => name.split('.', 1)[0] ?? '')
		.concat(eachTopic((_topic, { content, entry }) => [...content, ...entry]).flat(), PRODUCT_DETAILS)
		.concat(OF_OTHERS)
		.map(bareName),
);

/** What begins with `@` is about the object, as in schema.org's `@type`. */
const isUnread = (field: string, value: unknown, reader: ContentReader) =>
	!field.startsWith('@') &&
	!READ_NAMES.has(bareName(field)) &&
	isGiven(value) &&
	reader.namedAs(field) === undefined;

/** The filled fields of an object that nothing reads; of one that only leads to what is read, those in it. */
export function namesOfUnread({ object }: Pick<Placed, 'object'>, reader: ContentReader): string[] {
	return Object.entries(object).flatMap(([field, value]) => {
		if (isUnread(field, value, reader)) return [field];
		const isWay = !READ_NAMES.has(bareName(field)) && reader.namedAs(field) === 'way';
		if (!isWay || !isObject(value)) return [];
		const inner = Object.keys(value).filter(
			(name) => isGiven(value[name]) && reader.namedAs(name) === undefined,
		);
		return inner.map((name) => `${field}.${name}`);
	});
}

/** An entry with those in which it lies. */
export const withOuterEntries = (one: Placed): Array<Pick<Placed, 'object'>> => [
	one,
	...one.levels.filter(({ isEntry }) => isEntry),
];

/** The filled fields of objects that nothing reads, each once. */
export function* unreadFields(
	all: readonly Placed[],
	reader: ContentReader,
	hasOuter = true,
): Steps<string[]> {
	const names = new Set<string>();
	const seen = new Set<object>();
	for (const one of all) {
		yield 1;
		for (const { object } of hasOuter ? withOuterEntries(one) : [one]) {
			if (seen.has(object)) continue;
			seen.add(object);
			for (const name of namesOfUnread({ object }, reader)) names.add(name);
		}
	}
	return [...names];
}

/** What the settings need and none of these offers has a field for; undefined where all has a known name. */
export function* unnamedIn(
	{
		holders,
		offers,
		unpriced,
	}: Record<'holders' | 'unpriced', readonly Placed[]> & { offers: readonly PricedOffer[] },
	options: BestPriceOptions,
	about: OfferContext,
	reader: ContentReader,
): Steps<Unnamed | undefined> {
	const lack = (all: readonly Placed[], ...meanings: ContentMeaning[]) =>
		all.every((one) => !meanings.some((meaning) => reader.has(one, meaning)));
	const meanings: string[] = [];
	// Where no offer has a price, it may stand under another name beside an empty field.
	const nameless = unpriced.filter((one) => offers.length === 0 || !reader.has(one, 'price'));
	if (nameless.length > 0) meanings.push('price');
	if (offers.length > 0) {
		if (conditionTest(options.conditions, about.condition) && lack(offers, 'condition'))
			meanings.push('condition');
		if (lack(offers, 'anyShop')) meanings.push('shop');
		if (options.includeShipping && lack(offers, 'shipping', 'total')) meanings.push('shipping');
		const isOfCurrency = ({ part }: Trouble) => part === 'currency';
		if (offers.every(({ currency, troubles }) => currency === undefined && !troubles.some(isOfCurrency)))
			meanings.push('currency');
	}
	if (meanings.length === 0) return undefined;
	const around = meanings.includes('currency') ? holders : [];
	// The price of an entry is never in what it lies in.
	const hasOuter = meanings.some((meaning) => meaning !== 'price');
	const fields = yield* unreadFields([...nameless, ...offers, ...around], reader, hasOuter);
	return fields.length === 0 ? undefined : { meanings, fields };
}

/**
 * The lists of a content under unknown names, where no list is known; where one is, only what is called an offer as
 * well.
 */
export function unnamedLists(
	content: unknown,
	{ hasLists, holders }: { hasLists: boolean; holders: readonly Placed[] },
	{ contentList, topic }: AboutContent,
	reader: ContentReader,
): Unnamed | undefined {
	const [meaning = 'offers'] = topicTraits(topic).lists;
	if (contentList !== undefined && contentList !== '') {
		if (hasLists) return undefined;
		const fields = pathsToLists(content);
		return { meanings: [`${meaning} at ${contentList}`], fields };
	}
	if (reader.own[meaning] !== undefined) return undefined;
	const unread = holders.flatMap(({ object }) =>
		Object.entries(object).filter(
			([field, value]) => typeof value === 'object' && isUnread(field, value, reader),
		),
	);
	const named = unread.filter(([field]) => /offer/i.test(field)).map(([field]) => field);
	if (hasLists) return named.length === 0 ? undefined : { meanings: [meaning], fields: named };
	const paths = unreadLists(content, reader);
	// Of a known name, but neither a list nor an entry.
	const unlisted = holders.flatMap(({ known: { shape }, object }) =>
		shape[meaning].filter(
			(field) => isGiven(object[field]) && !paths.some((path) => path.split('.').includes(field)),
		),
	);
	const fields = [...new Set([...named, ...paths, ...unlisted])];
	return fields.length === 0 ? undefined : { meanings: [meaning], fields };
}

const unreadLists = (content: unknown, reader: ContentReader) =>
	pathsToLists(content).filter(
		(path) =>
			!path
				.split('.')
				.every((name) => READ_NAMES.has(bareName(name)) || reader.namedAs(name) !== undefined),
	);

/** The fields of a product without any price, one of which may be it. */
export function unnamedPrice(holders: readonly Placed[], reader: ContentReader): Unnamed[] {
	if (holders.some((one) => reader.has(one, 'price'))) return [];
	const fields = holders.flatMap((one) => namesOfUnread(one, reader));
	return fields.length === 0 ? [] : [{ meanings: ['price'], fields: [...new Set(fields)] }];
}
