import type { IDataObject } from 'n8n-workflow';

import { pathOf, type NamePath } from '../service/fieldNames';
import { contentShape, isGiven, words, type ListMeaning } from '../service/names';
import { topicTraits } from '../service/topics';
import { isFilled, isObject, type Result } from '../service/types';
import {
	entriesIn,
	fieldNamed,
	isProduct,
	located,
	type ContentReader,
	type Level,
	type Levels,
	type Located,
} from './contentReader';

/** Entries with the same surrounding objects. */
interface Group {
	entries: readonly unknown[];
	/** The objects around them, the nearest first. */
	levels: Levels;
	/** Whether the list is written as a single object instead of an array. */
	isSingle: boolean;
}

/** A list found in a content. */
export interface ContentList {
	/** Several if lists are joined, or are nested in the entries of another list. */
	groups: readonly Group[];
	/** The meaning of its name; undefined if the user named the list for this node, or if the content itself is the list. */
	meaning?: ListMeaning;
}

/** Details of a single product, which are never the list that a topic collects. */
export const PRODUCT_DETAILS: readonly string[] = words(
	'accessories attributes carousels categories colors dimensions feature_bullets features images options product_links properties ' +
		'questions recommendations related similar specifications tags variants',
);

/** The content and any product in it, with their surrounding objects: lists and prices are searched for in these. */
export function locatedHolders(content: unknown): Located[] {
	if (!isObject(content)) return [];
	const root = located(content);
	const products = root.known.shape.product.flatMap((via) => {
		const object: unknown = content[via];
		return isObject(object) ? [located(object, [{ object: content, via, isEntry: false }])] : [];
	});
	return [root, ...products];
}

export const hasEntries = ({ groups }: ContentList) => groups.some(({ entries }) => entries.length > 0);

/** The entries of a list with their surrounding objects. */
export function* entriesOf({
	groups,
}: ContentList): Generator<{ entry: unknown; levels: Levels; isSingle: boolean }> {
	for (const { entries, levels, isSingle } of groups)
		for (const entry of entries) yield { entry, levels, isSingle };
}

/** The entries at the end of a path, which may lead through lists; empty if there is nothing at the path. */
function groupsAt(
	value: unknown,
	[name = '', ...remaining]: NamePath,
	levels: Levels = [],
	isEntry = false,
): Group[] {
	if (!isObject(value)) return [];
	const via = fieldNamed(value, name);
	const entries = via === undefined ? undefined : entriesIn(value[via], via);
	if (via === undefined || entries === undefined) return [];
	const innerLevels: Level[] = [{ object: value, via, isEntry }, ...levels];
	const isSingle = entries[0] === value[via];
	if (remaining.length === 0) return [{ entries, levels: innerLevels, isSingle }];
	// A single object may be a list of one, so it counts as an entry, unless it is the product around all entries.
	return entries.flatMap((one) => groupsAt(one, remaining, innerLevels, !isProduct(via)));
}

/** The entries at these paths in a content, joined in the order of the paths. */
function joinedLists(content: unknown, paths: readonly NamePath[]): Group[] {
	// If the content is a list, each of its entries is a product.
	const products: readonly unknown[] = Array.isArray(content) ? content : [content];
	return paths.flatMap((path) => products.flatMap((product) => groupsAt(product, path)));
}

/**
 * The lists with a meaning in an object. If the field holds a single object, that object may contain the list under the
 * same name, like schema.org's AggregateOffer; otherwise it is the only entry. An object without a price that contains other
 * lists, as in `offers: { new, used }`, is neither.
 */
function knownLists(
	{ levels, object }: Located,
	field: string,
	meaning: ListMeaning,
	reader: ContentReader,
): Group[] {
	return groupsAt(object, [field], levels).flatMap((group) => {
		const [first] = group.entries;
		if (!group.isSingle || !isObject(first)) return [group];
		if (!isGiven(first)) return [{ ...group, entries: [] }];
		const holder = located(first, group.levels);
		const innerLists = holder.known.shape[meaning].flatMap((name) =>
			groupsAt(first, [name], group.levels),
		);
		if (innerLists.length > 0) return innerLists;
		return reader.has(holder, 'price') || !holdsObjects(first) ? [group] : [];
	});
}

/** Whether a topic has this kind of list and no other kind. */
function isOnlyKind(meaning: ListMeaning, topic: string | undefined): boolean {
	const [only, ...others] = topicTraits(topic).lists;
	return only === meaning && others.length === 0;
}

/** Facts about a content that are not read from it. */
export interface AboutContent {
	/** As echoed or requested. Without it, the content may have any kind of list. */
	topic?: string;
	/** The comma-separated paths of the lists that the user named for this node. */
	contentList?: string;
}

/**
 * Finds the lists with these meanings in a content, in the order of the meanings. For each meaning, the lists that the user
 * named in the credential come first, joined into one, followed by the lists that the table of names knows: first in the
 * content, then in its product. A content that is itself a list is returned if no other list is found. If the user named
 * lists for this node, only these are returned.
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
		const customLists = joinedLists(content, reader.customNames[meaning] ?? []);
		const tableMeanings = isOnlyKind(meaning, topic)
			? ([meaning, 'entries'] as const)
			: ([meaning] as const);
		const known = locatedHolders(content).flatMap((holder) =>
			tableMeanings
				.flatMap((name) => holder.known.shape[name])
				.flatMap((field) => knownLists(holder, field, meaning, reader)),
		);
		return [customLists, ...known.map((group) => [group])]
			.filter(({ length }) => length > 0)
			.map((groups) => ({ groups, meaning }));
	});
	return Array.isArray(content) && lists.length === 0
		? [{ groups: [{ entries: content, levels: [], isSingle: false }] }]
		: lists;
}

/**
 * Returns the first of the topic's lists in `listsIn` that has entries, or else the first one. Undefined if there are no
 * lists.
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
 * Whether a result found anything: it succeeded, and its content has a filled field that is not a counter. A product
 * without offers counts as found; a search without hits does not.
 *
 * @param topic by default, the one that the service echoes
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
 * Returns the paths, such as `offers.new`, to everything in a content that may be a list of entries: arrays of objects,
 * objects with one offer per field, and single objects with a price. Skips the details of a product. If the content is an
 * array, only its first element is searched.
 *
 * @param levels how deep to search
 */
export function pathsToLists(content: unknown, levels = 4): string[] {
	const fields: unknown = Array.isArray(content) ? content[0] : content;
	if (!isObject(fields) || levels === 0) return [];
	const candidates = Object.entries(fields).filter(([name]) => !PRODUCT_DETAILS.includes(name));
	return candidates.flatMap(([name, value]) => {
		const [first] = entriesIn(value, name) ?? [];
		if (isObject(first) && first !== value) return [name];
		const deeper = pathsToLists(value, levels - 1).map((inner) => `${name}.${inner}`);
		const hasOneField = deeper.length > 0 && Object.keys(value as object).length === 1;
		if (!hasOneField && isKeyed(value) && !holdsObjects(value)) return [name];
		return deeper.length === 0 && isPriced(name, value) ? [name] : deeper;
	});
}

/** Whether a value is an array with objects, or contains one at any depth. */
const holdsObjects = (value: unknown): boolean =>
	Array.isArray(value) ? value.some(isObject) : isObject(value) && Object.values(value).some(holdsObjects);

/** Whether an object may be a single offer: it has a price and is not the buybox. */
const isPriced = (name: string, value: unknown) =>
	isObject(value) &&
	contentShape(value).price.length > 0 &&
	contentShape({ [name]: value }).buybox.length === 0;

/** Whether all filled fields of an object are objects, such as offers by the names of their shops. */
function isKeyed(value: unknown): boolean {
	const inner = isObject(value) ? Object.values(value).filter(isGiven) : [];
	return inner.length > 0 && inner.every(isObject);
}

/** The fields of an object. Any other filled value becomes a single field with the fallback name. */
export function entryFields(value: unknown, fallbackName: string): IDataObject {
	if (isObject(value)) return value;
	return isFilled(value) ? { [fallbackName]: value as IDataObject[string] } : {};
}

/**
 * Returns the objects around a list's entries, without the list. Each row repeats their fields, so other lists are left out
 * too, unless the list has no entries.
 */
export function besideEntries(levels: Levels, isListFilled: boolean): IDataObject[] {
	return levels.map(({ object, via }) => {
		const isBeside = ([name, value]: [string, unknown]) =>
			name !== via && (!isListFilled || !holdsList(value));
		return Object.fromEntries(Object.entries(object).filter(isBeside));
	});
}

function holdsList(value: unknown): boolean {
	return Array.isArray(value) || (isObject(value) && Object.values(value).some(holdsList));
}
