import { topicTraits, type ListMeaning } from '../service/topics';
import { placedHolders, type AboutContent } from './contentList';
import type { ContentReader, Placed } from './contentReader';
import { pricedOffer, type Trouble } from './offers';
import { troubleTexts, unnamedText } from './reasons';
import { namesOfUnread, unnamedLists, withOuterEntries } from './unnamed';
import { readText, Unreadable, type Currency } from './values';

/** What a person wants to know of an entry, by what it is. */
const NEEDED: Readonly<
	Record<ListMeaning, ReadonlyArray<'currency' | 'price' | 'rating' | 'shop' | 'text'>>
> = {
	hits: ['price', 'shop', 'currency'],
	offers: ['price', 'shop', 'currency'],
	ranks: ['price', 'currency'],
	reviews: ['rating', 'text'],
};

/**
 * What of an entry could not be read, or has no known name.
 *
 * @param usual the currency of amounts that name none
 */
export function entryReasons(
	placed: Placed,
	meaning: ListMeaning | undefined,
	reader: ContentReader,
	usual: Currency,
): string[] {
	if (meaning === undefined) return [];
	const offer = meaning === 'reviews' ? undefined : pricedOffer(placed, reader, usual);
	const isPriced = offer !== undefined && !('part' in offer);
	const lacks = (part: (typeof NEEDED)['offers'][number]) =>
		part === 'currency'
			? isPriced && offer.currency === undefined && offer.troubles.length === 0
			: reader.first(placed, part) === undefined;
	const lacking = NEEDED[meaning].filter(lacks);
	const isInside = lacking.every((part) => part !== 'currency' && part !== 'shop');
	const outer = lacking.includes('currency') ? [placed, ...placed.levels] : withOuterEntries(placed);
	const objects = isInside ? [placed] : outer;
	const fields = lacking.length === 0 ? [] : objects.flatMap((one) => namesOfUnread(one, reader));
	const unnamed = fields.length === 0 ? [] : [unnamedText({ meanings: [...lacking], fields })];
	const texts = (meaning === 'reviews' ? NEEDED.reviews : (['shop'] as const)).flatMap((part) => {
		const read = readText(reader.first(placed, part));
		return read instanceof Unreadable ? [`${part} not readable: ${read.words}`] : [];
	});
	const troubles = offer === undefined ? [] : isPriced ? offer.troubles : [offer as Trouble];
	return [...troubleTexts(troubles), ...texts, ...unnamed];
}

/** What a content has under unknown names beside its list of entries; undefined where all is known. */
export function unlistedText(
	content: unknown,
	about: AboutContent,
	reader: ContentReader,
): string | undefined {
	const holders = placedHolders(content);
	const unnamed = unnamedLists(content, { hasLists: true, holders }, about, reader);
	return unnamed && unnamedText(unnamed);
}

/** Why a content that was found has no entries. */
export function noEntries(
	content: unknown,
	isKnown: boolean,
	about: AboutContent,
	reader: ContentReader,
): { reason: string; isUnread: boolean } {
	const [meaning = 'offers'] = topicTraits(about.topic).lists;
	const holders = placedHolders(content);
	const unnamed = unnamedLists(content, { hasLists: isKnown, holders }, about, reader);
	const isUnread = unnamed !== undefined;
	return { reason: isUnread ? unnamedText(unnamed) : `no ${meaning}`, isUnread };
}
