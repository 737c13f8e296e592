import type { IDataObject } from 'n8n-workflow';
import { topicTraits } from '../service/topics';
import { isFilled, isObject, type Result } from '../service/types';

/** The list in a content; without a name the content itself is the list. */
export interface ContentList {
	name?: string;
	entries: unknown[];
}

/** Lists that are details of one product and never what a topic collects. */
export const PRODUCT_DETAILS: readonly string[] = [
	'carousels',
	'feature_bullets',
	'images',
	'product_links',
	'properties',
	'specifications',
	'variants',
];

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
	for (const name of namesFor(topic)) {
		const list = listNamed(content, name);
		if (list) return list;
	}
	return onlyList(content);
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
	return Object.entries(result.content).some(([name, value]) => isFilled(value) && !isCounter(name, value));
}

/** Longer echoed topics are ignored. */
const LONGEST_TOPIC = 100;

/** Possible names of the list of a topic, likeliest first. */
export function namesFor(topic: string | undefined): readonly string[] {
	return topic && topic.length <= LONGEST_TOPIC ? [...topicTraits(topic).lists, topic] : [];
}

/** How deep lists are searched to name them. */
const LEVELS = 3;

/** Names of the lists of objects in a content, with paths as in `offers.new`, as candidates for the user. */
export function listsIn(content: unknown, levels = LEVELS): string[] {
	if (!isObject(content) || levels === 0) return [];
	return Object.entries(content).flatMap(([name, value]) => {
		if (Array.isArray(value)) return isObject(value[0]) ? [name] : [];
		return listsIn(value, levels - 1).map((inner) => `${name}.${inner}`);
	});
}

/** Null under the name of the list means an empty list. A name may be a path, as in `offers.new`. */
function listNamed(content: IDataObject, name: string): ContentList | undefined {
	if (!Object.hasOwn(content, name)) {
		const [first = '', ...rest] = name.split('.');
		const inner = Object.hasOwn(content, first) ? content[first] : undefined;
		if (!isObject(inner)) return undefined;
		const list = listNamed(inner, rest.join('.'));
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
	if (Array.isArray(list)) return list;
	if (!isObject(list)) return undefined;
	const fields = Object.entries(list);
	if (fields.length === 0 || !fields.every(([, value]) => isEntry(value)))
		return isEntry(list) ? [list] : undefined;
	return fields.map(([name, value]) =>
		NO_SHOP.test(name) ? value : { shop_name: name, ...(value as IDataObject) },
	);
}

function onlyList(content: IDataObject): ContentList | undefined {
	const lists = Object.entries(content).flatMap(([name, entries]): ContentList[] =>
		Array.isArray(entries) && !PRODUCT_DETAILS.includes(name) ? [{ name, entries }] : [],
	);
	const filled = lists.filter(({ entries }) => isObject(entries[0]));
	if (filled.length > 0) return filled.length === 1 ? filled[0] : undefined;
	return lists.length === 1 && lists[0]?.entries.length === 0 ? lists[0] : undefined;
}

/** Whether a value is null, undefined, an empty text, an empty list or an object without fields. */
export function isBlank(value: unknown): boolean {
	if (typeof value === 'object') return Object.keys(value ?? {}).length === 0;
	return value === undefined || value === '';
}

function isCounter(name: string, value: unknown): boolean {
	return typeof value === 'number' && /(?:^|_)(?:count|pages?|total)$|^total_/.test(name.slice(-100));
}
