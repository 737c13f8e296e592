import type { ContentMeaning } from '../service/names';
import { topicTraits, type ListMeaning } from '../service/topics';
import { placedHolders, type AboutContent } from './contentList';
import type { ContentReader, Placed } from './contentReader';
import { pricedOffer } from './offers';
import { troubleTexts, unnamedText } from './reasons';
import { namesOfUnread, unnamedLists } from './unnamed';
import { readText, Unreadable } from './values';

/** What a person wants to know of an entry, by what it is. */
const NEEDED: Readonly<Record<ListMeaning, readonly ContentMeaning[]>> = {
	hits: ['price', 'shop'],
	offers: ['price', 'shop'],
	ranks: ['price'],
	reviews: ['rating', 'text'],
};

/** What of an entry could not be read, or has no known name. */
export function entryReasons(
	placed: Placed,
	meaning: ListMeaning | undefined,
	reader: ContentReader,
): string[] {
	if (meaning === undefined) return [];
	const lacking = NEEDED[meaning].filter((part) => !reader.has(placed, part));
	const fields = lacking.length === 0 ? [] : namesOfUnread(placed, reader);
	const unnamed = fields.length === 0 ? [] : [unnamedText({ meanings: [...lacking], fields })];
	if (meaning === 'reviews') {
		const texts = NEEDED.reviews.map((part) => [part, readText(reader.first(placed, part))] as const);
		const unreadable = texts.flatMap(([part, read]) =>
			read instanceof Unreadable ? [`${part} not readable: ${read.words}`] : [],
		);
		return [...unreadable, ...unnamed];
	}
	const offer = pricedOffer(placed, reader);
	if (offer === undefined) return unnamed;
	const troubles = 'part' in offer ? [offer] : offer.troubles;
	return [...troubleTexts(troubles), ...unnamed];
}

/** Why a content that was found has no entries. */
export function noEntries(
	content: unknown,
	isKnown: boolean,
	about: AboutContent,
	reader: ContentReader,
): { reason: string; isUnread: boolean } {
	const [meaning = 'offers'] = topicTraits(about.topic).lists;
	const holders = placedHolders(content, reader);
	const unnamed = unnamedLists(content, { hasLists: isKnown, holders }, about, reader);
	const isUnread = unnamed !== undefined;
	return { reason: isUnread ? unnamedText(unnamed) : `no ${meaning}`, isUnread };
}
