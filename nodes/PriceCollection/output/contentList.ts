import type { IDataObject } from 'n8n-workflow';
import { topicTraits, words } from '../service/topics';
import { isFilled, isObject, type Result } from '../service/types';

/** The list in a content; without a name the content itself is the list. */
export interface ContentList {
	name?: string;
	entries: unknown[];
	/** Only used for lack of others, so it may be the wrong one. */
	isGuess?: true;
}

/** Lists that are details of one product and never what a topic collects. */
export const PRODUCT_DETAILS: readonly string[] = words(
	'carousels feature_bullets images product_links properties specifications variants',
);

/**
 * Finds the list of a content: the content itself, the field named by `contentList`, the one named after the
 * topic, or else the only list of objects. Undefined when there is none or several are possible.
 */
export function contentListOf(
	content: unknown,
	topic: string | undefined,
	contentList?: string,
): ContentList | undefined {
	if (Array.isArray(content)) return { entries: content };
	if (!isObject(content)) return undefined;
	if (contentList) return listNamed(content, contentList);
	const named = namesFor(topic).map((name) => listNamed(content, name));
	return named.find((list) => list !== undefined) ?? onlyList(content);
}

/**
 * Whether a result found anything: it succeeded, and its content has a filled field that is not a counter. A
 * product without offers is found, a search without hits is not.
 *
 * @param topic only needed if the service does not echo it
 */
export function isFound(result: Result, topic = result.query?.topic): boolean {
	if (!result.success || !isFilled(result.content)) return false;
	if (!isObject(result.content)) return true;
	const { listIsAll } = topicTraits(topic ?? undefined);
	const list = listIsAll ? contentListOf(result.content, topic ?? undefined) : undefined;
	if (list) return isFilled(list.entries);
	const isCounter = (name: string, value: unknown) =>
		typeof value === 'number' && /(?:^|_)(?:count|pages?|total)$|^total_/.test(name.slice(-100));
	return Object.entries(result.content).some(([name, value]) => isFilled(value) && !isCounter(name, value));
}

/** Possible names of the list of a topic, likeliest first. */
export function namesFor(topic: string | undefined): readonly string[] {
	return topic ? [...topicTraits(topic).lists, topic] : [];
}

/** Paths such as `offers.new` to the fields that are meant; of a list, only the first entry is searched. */
export function pathsIn(
	content: unknown,
	isMeant: (name: string, value: unknown) => boolean,
	levels = 4,
): string[] {
	const fields: unknown = Array.isArray(content) ? content[0] : content;
	if (!isObject(fields) || levels === 0) return [];
	return Object.entries(fields).flatMap(([name, value]) =>
		isMeant(name, value)
			? [name]
			: pathsIn(value, isMeant, levels - 1).map((inner) => `${name}.${inner}`),
	);
}

/** Null under the name of the list means an empty list. A name may be a path, as in `offers.new`. */
function listNamed(content: IDataObject, name: string): ContentList | undefined {
	if (!Object.hasOwn(content, name)) {
		const [first = ''] = name.split('.', 1);
		const inner = Object.hasOwn(content, first) ? content[first] : undefined;
		if (!isObject(inner)) return undefined;
		const list = listNamed(inner, name.slice(first.length + 1));
		return list && { ...list, name: first };
	}
	const entries = entriesIn(content[name]);
	return entries && { name, entries };
}

/** Any of these fields makes an object an entry of a list. */
const ENTRY_FIELDS = ['price', 'min_price', 'shop_name', 'rank', 'rating'];

const isEntry = (value: unknown): value is IDataObject =>
	isObject(value) && ENTRY_FIELDS.some((name) => Object.hasOwn(value, name));

/** Keys of entries that are not their shop: numbers and XML element names. */
const NO_SHOP = /^(?:\d{1,9}|(?:search_)?(?:offer|item|entry|result|product|hit|bestseller))$/;

/** The entries of a list in any form: a list, null, keyed by number or shop, or a single entry. */
export function entriesIn(list: unknown): unknown[] | undefined {
	if (list === null) return [];
	if (!isObject(list)) return Array.isArray(list) ? list : undefined;
	const fields = Object.entries(list);
	if (fields.length === 0 || !fields.every(([, value]) => isEntry(value)))
		return isEntry(list) ? [list] : undefined;
	return fields.map(([name, value]) =>
		NO_SHOP.test(name) ? value : { shop_name: name, ...(value as IDataObject) },
	);
}

function onlyList(content: IDataObject): ContentList | undefined {
	const lists = Object.entries(content).flatMap(([name, entries]): ContentList[] =>
		Array.isArray(entries) && !PRODUCT_DETAILS.includes(name) ? [{ name, entries, isGuess: true }] : [],
	);
	const filled = lists.filter(({ entries }) => isObject(entries[0]));
	const [only, ...others] = filled.length > 0 ? filled : lists;
	return others.length === 0 && (filled.length > 0 || only?.entries.length === 0) ? only : undefined;
}

/** The fields of an object; any other value that says something becomes a field of the given name. */
export function asFields(value: unknown, nameOfOther: string): IDataObject {
	if (isObject(value)) return value;
	return isFilled(value) ? { [nameOfOther]: value as IDataObject[string] } : {};
}

/**
 * For each entry of a list its fields, then the content's own fields beside the list. Without entries there is
 * one element: everything beside an empty list, or the whole content if no list was recognised.
 */
export function fieldsOfEntries(content: unknown, list: ContentList | undefined): IDataObject[][] {
	if (list === undefined) return [[asFields(content, 'content')]];
	const { name: listName, entries, isGuess } = list;
	// Every row repeats these fields, so they have no lists, unless the chosen list may be the wrong one.
	const withLists = entries.length === 0 || isGuess;
	const isBeside = ([name, value]: [string, unknown]) =>
		name !== listName && (withLists || !holdsList(value));
	const hasBeside = listName !== undefined && isObject(content);
	const beside = hasBeside ? Object.fromEntries(Object.entries(content).filter(isBeside)) : {};
	return entries.length === 0 ? [[beside]] : entries.map((entry) => [asFields(entry, 'entry'), beside]);
}

function holdsList(value: unknown): boolean {
	return Array.isArray(value) || (isObject(value) && Object.values(value).some(holdsList));
}
