import type { IDataObject } from 'n8n-workflow';

import { pathOf, type NamePath } from '../service/fieldNames';
import { contentShape, isGiven, words } from '../service/names';
import { topicTraits, type ListMeaning } from '../service/topics';
import { isFilled, isObject, type Result } from '../service/types';
import {
	entriesIn,
	fieldNamed,
	isProduct,
	placed,
	type ContentReader,
	type Level,
	type Levels,
	type Placed,
} from './contentReader';

/** Entries that lie in the same objects. */
interface Group {
	entries: readonly unknown[];
	/** What they lie in, the nearest first. */
	levels: Levels;
	/** Whether it is an object that stands for a list of one. */
	isSingle: boolean;
}

/** What a topic lists, of a content. */
export interface ContentList {
	/** Several where lists are joined, or lie in the entries of another list. */
	groups: readonly Group[];
	/** What its name means; undefined for a list that the user names for one node, and for a content that is a list. */
	meaning?: ListMeaning;
}

/** Lists that are details of one product and never what a topic collects. */
export const PRODUCT_DETAILS: readonly string[] = words(
	'accessories attributes carousels categories colors dimensions feature_bullets features images options product_links properties ' +
		'questions recommendations related similar specifications tags variants',
);

/** The content and the product in it, with what they lie in: the objects that may have lists and prices. */
export function placedHolders(content: unknown): Placed[] {
	if (!isObject(content)) return [];
	const root = placed(content);
	const products = root.known.shape.product.flatMap((via) => {
		const object: unknown = content[via];
		return isObject(object) ? [placed(object, [{ object: content, via, isEntry: false }])] : [];
	});
	return [root, ...products];
}

/** Whether a list has anything in it. */
export const hasEntries = ({ groups }: ContentList) => groups.some(({ entries }) => entries.length > 0);

/** The entries of a list with what they lie in. */
export function* entriesOf({
	groups,
}: ContentList): Generator<{ entry: unknown; levels: Levels; isSingle: boolean }> {
	for (const { entries, levels, isSingle } of groups)
		for (const entry of entries) yield { entry, levels, isSingle };
}

/** The entries at the end of a path, which may lead through lists; none where it leads nowhere. */
function groupsAt(
	value: unknown,
	[name = '', ...rest]: NamePath,
	levels: Levels = [],
	isEntry = false,
): Group[] {
	if (!isObject(value)) return [];
	const via = fieldNamed(value, name);
	const entries = via === undefined ? undefined : entriesIn(value[via], via);
	if (via === undefined || entries === undefined) return [];
	const inner: Level[] = [{ object: value, via, isEntry }, ...levels];
	const isSingle = entries[0] === value[via];
	if (rest.length === 0) return [{ entries, levels: inner, isSingle }];
	// A list of one may be an object; only the product around all entries is none of them.
	return entries.flatMap((one) => groupsAt(one, rest, inner, !isProduct(via)));
}

/** The entries at these paths of a content, joined in this order. */
function joinedLists(content: unknown, paths: readonly NamePath[]): Group[] {
	// Of a content that is a list, each entry is a product.
	const products: readonly unknown[] = Array.isArray(content) ? content : [content];
	return paths.flatMap((path) => products.flatMap((product) => groupsAt(product, path)));
}

/**
 * The lists of a meaning in an object. An object in the place of a list is an entry, or holds the list under the same name,
 * as schema.org's AggregateOffer does; without a price, but with other lists, it is neither: `offers: { new, used }`.
 */
function knownLists(
	{ levels, object }: Placed,
	field: string,
	meaning: ListMeaning,
	reader: ContentReader,
): Group[] {
	return groupsAt(object, [field], levels).flatMap((group) => {
		const [first] = group.entries;
		if (!group.isSingle || !isObject(first)) return [group];
		if (!isGiven(first)) return [{ ...group, entries: [] }];
		const one = placed(first, group.levels);
		const inner = one.known.shape[meaning].flatMap((name) => groupsAt(first, [name], group.levels));
		if (inner.length > 0) return inner;
		return reader.has(one, 'price') || !holdsObjects(first) ? [group] : [];
	});
}

/** Whether a topic lists nothing else. */
function isOnly(meaning: ListMeaning, topic: string | undefined): boolean {
	const [only, ...others] = topicTraits(topic).lists;
	return only === meaning && others.length === 0;
}

/** What is known about a content besides itself. */
export interface AboutContent {
	/** Only needed if the service does not echo it. */
	topic?: string;
	/** The list or lists that the user names for one node, with commas between their paths. */
	contentList?: string;
}

/**
 * The lists of these meanings in a content, in the order of the meanings: those that the user names in the credential,
 * joined, then those of the table, of which the content's own come before those of its product. Only the lists that the
 * user names for this node, if any.
 */
export function listsIn(
	content: unknown,
	meanings: readonly ListMeaning[],
	reader: ContentReader,
	{ topic, contentList = '' }: AboutContent,
): ContentList[] {
	if (contentList.trim() !== '' && (isObject(content) || Array.isArray(content))) {
		const groups = joinedLists(content, contentList.split(',').map(pathOf));
		return groups.length === 0 ? [] : [{ groups }];
	}
	const lists = meanings.flatMap((meaning): ContentList[] => {
		const own = joinedLists(content, reader.own[meaning] ?? []);
		const names = isOnly(meaning, topic) ? ([meaning, 'entries'] as const) : ([meaning] as const);
		const known = placedHolders(content).flatMap((holder) =>
			names
				.flatMap((name) => holder.known.shape[name])
				.flatMap((field) => knownLists(holder, field, meaning, reader)),
		);
		return [own, ...known.map((group) => [group])]
			.filter(({ length }) => length > 0)
			.map((groups) => ({ groups, meaning }));
	});
	return Array.isArray(content) && lists.length === 0
		? [{ groups: [{ entries: content, levels: [], isSingle: false }] }]
		: lists;
}

/**
 * Finds the list of a content: the first one of the topic that has entries, see `listsIn`. Undefined when there is
 * none.
 */
export function contentListOf(
	content: unknown,
	reader: ContentReader,
	about: AboutContent,
): ContentList | undefined {
	const lists = listsIn(content, topicTraits(about.topic).lists, reader, about);
	return lists.find(hasEntries) ?? lists[0];
}

/**
 * Whether a result found anything: it succeeded, and its content has a filled field that is not a counter. A
 * product without offers is found, a search without hits is not.
 *
 * @param topic only needed if the service does not echo it
 */
export function isFound(result: Result, reader: ContentReader, topic = result.query?.topic): boolean {
	if (!result.success || !isFilled(result.content)) return false;
	if (!isObject(result.content)) return true;
	const about = { topic: topic ?? undefined };
	const list = topicTraits(about.topic).listIsAll
		? contentListOf(result.content, reader, about)
		: undefined;
	if (list) return list.groups.some(({ entries }) => isFilled(entries));
	const isCounter = (name: string, value: unknown) =>
		typeof value === 'number' && /(?:^|_)(?:count|pages?|total)$|^total_/.test(name.slice(-100));
	return Object.entries(result.content).some(([name, value]) => isFilled(value) && !isCounter(name, value));
}

/**
 * Paths such as `offers.new` to the lists of objects in a content that are no details of a product; of a list,
 * only the first entry is searched.
 */
export function pathsToLists(content: unknown, levels = 4): string[] {
	const fields: unknown = Array.isArray(content) ? content[0] : content;
	if (!isObject(fields) || levels === 0) return [];
	const inside = Object.entries(fields).filter(([name]) => !PRODUCT_DETAILS.includes(name));
	return inside.flatMap(([name, value]) => {
		const [first] = entriesIn(value, name) ?? [];
		if (isObject(first) && first !== value) return [name];
		const deeper = pathsToLists(value, levels - 1).map((inner) => `${name}.${inner}`);
		const isOne = deeper.length > 0 && Object.keys(value as object).length === 1;
		if (!isOne && isKeyed(value) && !holdsObjects(value)) return [name];
		return deeper.length === 0 && isPriced(name, value) ? [name] : deeper;
	});
}

/** Whether lists of objects are in an object. */
const holdsObjects = (value: unknown): boolean =>
	Array.isArray(value) ? value.some(isObject) : isObject(value) && Object.values(value).some(holdsObjects);

/** Whether an object may be an offer of its own. */
const isPriced = (name: string, value: unknown) =>
	isObject(value) &&
	contentShape(value).price.length > 0 &&
	contentShape({ [name]: value }).buybox.length === 0;

/** Whether an object holds offers under names of their own, such as those of shops. */
function isKeyed(value: unknown): boolean {
	const inner = isObject(value) ? Object.values(value).filter(isGiven) : [];
	return inner.length > 0 && inner.every(isObject);
}

/** The fields of an object; any other value that says something becomes a field of the given name. */
export function entryFields(value: unknown, nameOfOther: string): IDataObject {
	if (isObject(value)) return value;
	return isFilled(value) ? { [nameOfOther]: value as IDataObject[string] } : {};
}

/**
 * The objects in which entries lie, without the list. Every row repeats their fields, so fields with lists are left out,
 * unless there are no entries.
 */
export function besideEntries(levels: Levels, areEntries: boolean): IDataObject[] {
	return levels.map(({ object, via }) => {
		const isBeside = ([name, value]: [string, unknown]) =>
			name !== via && (!areEntries || !holdsList(value));
		return Object.fromEntries(Object.entries(object).filter(isBeside));
	});
}

function holdsList(value: unknown): boolean {
	return Array.isArray(value) || (isObject(value) && Object.values(value).some(holdsList));
}
