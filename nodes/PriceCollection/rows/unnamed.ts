import { CONTENT_NAMES, isGiven, words, type ContentMeaning } from '../service/names';
import { eachTopic, topicTraits } from '../service/topics';
import { bareName, isObject } from '../service/types';
import { conditionTest } from './conditions';
import { pathsToLists, PRODUCT_DETAILS, type AboutContent } from './contentList';
import type { ContentReader, Located } from './contentReader';
import type { BestPriceOptions, OfferContext, PricedOffer, UnreadPart } from './offers';
import type { Steps } from './steps';

/** Meanings without a field of a known name, and the unread fields that may have them. */
export interface Unnamed {
	/** As Field Names calls them. */
	meanings: string[];
	fields: string[];
	/** Where to enter them, if not under Field Names. */
	setting?: 'Content List';
}

/** Names with a different, well-known meaning: in schema.org, in Google's product data, and of barcodes. */
const UNRELATED_NAMES = words(
	'id sku gtin gtin8 gtin12 gtin13 gtin14 ean upc isbn mpn brand image images image_url image_link description color ' +
		'size material pattern category product_type page position rank type',
);

/** Meanings that only apply inside an object that stands for a value. Beside a price, their names mean nothing. */
const INNER_MEANINGS: readonly string[] = ['amount', 'code', 'label', 'scale'] satisfies ContentMeaning[];

/** Bare names that do not count as unread: names that are read, fields observed in practice, and unrelated names. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(
	Object.entries(CONTENT_NAMES)
		.flatMap(([meaning, names]): readonly string[] => (INNER_MEANINGS.includes(meaning) ? [] : names))
		.map((name) => name.split('.', 1)[0] ?? '')
		.concat(eachTopic((_topic, { content, entry }) => [...content, ...entry]).flat(), PRODUCT_DETAILS)
		.concat(UNRELATED_NAMES)
		.map(bareName),
);

/** Whether a field is filled but never read. Names with `@` describe the object itself, like schema.org's `@type`. */
const isUnread = (field: string, value: unknown, reader: ContentReader) =>
	!field.startsWith('@') &&
	!KNOWN_NAMES.has(bareName(field)) &&
	isGiven(value) &&
	reader.namedAs(field) === undefined;

/** The filled fields of an object that are never read, also inside objects that custom paths only lead through. */
export function namesOfUnread({ object }: Pick<Located, 'object'>, reader: ContentReader): string[] {
	return Object.entries(object).flatMap(([field, value]) => {
		if (isUnread(field, value, reader)) return [field];
		const isStep = !KNOWN_NAMES.has(bareName(field)) && reader.namedAs(field) === 'way';
		if (!isStep || !isObject(value)) return [];
		const inner = Object.keys(value).filter(
			(name) => isGiven(value[name]) && reader.namedAs(name) === undefined,
		);
		return inner.map((name) => `${field}.${name}`);
	});
}

/** An entry and the entries around it. */
export const withOuterEntries = (one: Located): Array<Pick<Located, 'object'>> => [
	one,
	...one.levels.filter(({ isEntry }) => isEntry),
];

/** The filled fields of these objects that are never read, without repeats. */
export function* unreadFields(
	all: readonly Located[],
	reader: ContentReader,
	includesOuter = true,
): Steps<string[]> {
	const names = new Set<string>();
	const seen = new Set<object>();
	for (const one of all) {
		yield 1;
		for (const { object } of includesOuter ? withOuterEntries(one) : [one]) {
			if (seen.has(object)) continue;
			seen.add(object);
			for (const name of namesOfUnread({ object }, reader)) names.add(name);
		}
	}
	return [...names];
}

/**
 * Finds the meanings that the comparison needs but the offers have no field for. Undefined if there are none, or if no unread
 * field could have them.
 */
export function* unnamedIn(
	{
		holders,
		offers,
		unpriced,
	}: Record<'holders' | 'unpriced', readonly Located[]> & { offers: readonly PricedOffer[] },
	options: BestPriceOptions,
	about: OfferContext,
	reader: ContentReader,
): Steps<Unnamed | undefined> {
	const areWithout = (all: readonly Located[], ...meanings: ContentMeaning[]) =>
		all.every((one) => !meanings.some((meaning) => reader.has(one, meaning)));
	const meanings: string[] = [];
	// If no offer has a price, an unread field may have it even where a known price field exists but is empty.
	const withUnnamedPrice = unpriced.filter((one) => offers.length === 0 || !reader.has(one, 'price'));
	if (withUnnamedPrice.length > 0) meanings.push('price');
	if (offers.length > 0) {
		if (conditionTest(options.conditions, about.condition) && areWithout(offers, 'condition'))
			meanings.push('condition');
		if (areWithout(offers, 'anyShop')) meanings.push('shop');
		if (options.includeShipping && areWithout(offers, 'shipping', 'total')) meanings.push('shipping');
		const isUnreadCurrency = ({ part }: UnreadPart) => part === 'currency';
		if (
			offers.every(
				({ currency, unreadParts }) => currency === undefined && !unreadParts.some(isUnreadCurrency),
			)
		)
			meanings.push('currency');
	}
	if (meanings.length === 0) return undefined;
	const currencyHolders = meanings.includes('currency') ? holders : [];
	// An entry's price is never in an entry around it.
	const includesOuter = meanings.some((meaning) => meaning !== 'price');
	const fields = yield* unreadFields(
		[...withUnnamedPrice, ...offers, ...currencyHolders],
		reader,
		includesOuter,
	);
	return fields.length === 0 ? undefined : { meanings, fields };
}

/**
 * Finds fields that may be lists under unknown names. If a list was found, only fields with `offer` in their names count.
 * If the user named lists for this node and none was found there, returns all possible paths instead. Undefined if the user
 * named the topic's list in the credential.
 */
export function unnamedLists(
	content: unknown,
	{ hasLists, holders }: { hasLists: boolean; holders: readonly Located[] },
	{ contentList, topic }: AboutContent,
	reader: ContentReader,
): Unnamed | undefined {
	const [meaning = 'offers'] = topicTraits(topic).lists;
	if (contentList !== undefined && contentList !== '') {
		if (hasLists) return undefined;
		const fields = pathsToLists(content);
		return { meanings: [`${meaning} at ${contentList}`], fields, setting: 'Content List' };
	}
	if (reader.customNames[meaning] !== undefined) return undefined;
	const unread = holders.flatMap(({ object }) =>
		Object.entries(object).filter(
			([field, value]) => typeof value === 'object' && isUnread(field, value, reader),
		),
	);
	const offerFields = unread.filter(([field]) => /offer/i.test(field)).map(([field]) => field);
	if (hasLists) return offerFields.length === 0 ? undefined : { meanings: [meaning], fields: offerFields };
	const paths = unreadLists(content, reader);
	// These have a known name, but are neither a list nor an entry.
	const unlisted = holders.flatMap(({ known: { shape }, object }) =>
		shape[meaning].filter(
			(field) => isGiven(object[field]) && !paths.some((path) => path.split('.').includes(field)),
		),
	);
	const fields = [...new Set([...offerFields, ...paths, ...unlisted])];
	return fields.length === 0 ? undefined : { meanings: [meaning], fields };
}

const unreadLists = (content: unknown, reader: ContentReader) =>
	pathsToLists(content).filter(
		(path) =>
			!path
				.split('.')
				.every((name) => KNOWN_NAMES.has(bareName(name)) || reader.namedAs(name) !== undefined),
	);

/** The unread fields that may be the price of a product without a price field. */
export function unnamedPrice(holders: readonly Located[], reader: ContentReader): Unnamed[] {
	if (holders.some((one) => reader.has(one, 'price'))) return [];
	const fields = holders.flatMap((one) => namesOfUnread(one, reader));
	return fields.length === 0 ? [] : [{ meanings: ['price'], fields: [...new Set(fields)] }];
}
