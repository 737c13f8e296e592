import { topicTraits } from '../service/topics';
import { locatedHolders, type AboutContent } from './contentList';
import type { ContentReader, Located } from './contentReader';
import { pricedOffer, type UnreadPart } from './offers';
import { unreadPartTexts, unnamedText } from './reasons';
import { namesOfUnread, unnamedLists, withOuterEntries } from './unnamed';
import { readText, Unreadable, type Currency } from './values';
import { type ListMeaning } from '../service/names';

/** The meanings that users expect an entry to have, by the kind of its list. */
const EXPECTED_MEANINGS: Readonly<
	Record<ListMeaning, ReadonlyArray<'condition' | 'currency' | 'price' | 'rating' | 'shop' | 'text'>>
> = {
	hits: ['price', 'condition', 'shop', 'currency'],
	offers: ['price', 'condition', 'shop', 'currency'],
	ranks: ['price', 'currency'],
	reviews: ['rating', 'text'],
};

/** Meanings that an entry may have from what it lies in. */
const INHERITED: readonly string[] = ['condition', 'currency', 'shop'];

/**
 * Returns what could not be read in an entry, and which expected meanings have no field with a known name.
 *
 * @param defaultCurrency the currency of amounts that name none
 */
export function entryReasons(
	located: Located,
	meaning: ListMeaning | undefined,
	reader: ContentReader,
	defaultCurrency: Currency,
): string[] {
	if (meaning === undefined) return [];
	const offer = meaning === 'reviews' ? undefined : pricedOffer(located, reader, defaultCurrency);
	const isPriced = offer !== undefined && !('part' in offer);
	const lacks = (part: (typeof EXPECTED_MEANINGS)['offers'][number]) => {
		if (part === 'currency')
			return isPriced && offer.currency === undefined && offer.unreadParts.length === 0;
		// A condition that is null is not stated, and is in no other field.
		return part === 'condition' ? !reader.has(located, part) : reader.first(located, part) === undefined;
	};
	const lacking = EXPECTED_MEANINGS[meaning].filter(lacks);
	const isInEntry = !lacking.some((part) => INHERITED.includes(part));
	const outer = lacking.includes('currency') ? [located, ...located.levels] : withOuterEntries(located);
	const objects = isInEntry ? [located] : outer;
	const fields = lacking.length === 0 ? [] : objects.flatMap((one) => namesOfUnread(one, reader));
	const unnamed = fields.length === 0 ? [] : [unnamedText({ meanings: [...lacking], fields })];
	const unreadable = (meaning === 'reviews' ? EXPECTED_MEANINGS.reviews : (['shop'] as const)).flatMap(
		(part) => {
			const read = readText(reader.first(located, part));
			return read instanceof Unreadable ? [`${part} not readable: ${read.words}`] : [];
		},
	);
	const unreadParts = offer === undefined ? [] : isPriced ? offer.unreadParts : [offer as UnreadPart];
	return [...unreadPartTexts(unreadParts), ...unreadable, ...unnamed];
}

/** A text about fields beside a content's list that may be offers under unknown names; undefined if there are none. */
export function unlistedText(
	content: unknown,
	about: AboutContent,
	reader: ContentReader,
): string | undefined {
	const holders = locatedHolders(content);
	const unnamed = unnamedLists(content, { hasLists: true, holders }, about, reader);
	return unnamed && unnamedText(unnamed);
}

/**
 * Says why a found content has no entries.
 *
 * @param hasList whether its list was found, although without entries
 * @returns `isUnread`: whether there may be entries that the node did not find
 */
export function noEntries(
	content: unknown,
	hasList: boolean,
	about: AboutContent,
	reader: ContentReader,
): { reason: string; isUnread: boolean } {
	const [meaning = 'offers'] = topicTraits(about.topic).lists;
	const holders = locatedHolders(content);
	const unnamed = unnamedLists(content, { hasLists: hasList, holders }, about, reader);
	const isUnread = unnamed !== undefined;
	return { reason: isUnread ? unnamedText(unnamed) : `no ${meaning}`, isUnread };
}
