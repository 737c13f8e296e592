import type { IDataObject } from 'n8n-workflow';

import { fieldsNamed, words } from '../service/names';
import { topicTraits, type ListMeaning } from '../service/topics';
import { isFilled, isObject, type Result } from '../service/types';

/** A list in a content. */
export interface ContentList {
	entries: unknown[];
	/** The names of the fields that lead to it; none where the content itself is the list. */
	path: readonly string[];
	/** What its name means; undefined for a list that the user names, and for a content that is a list. */
	meaning?: ListMeaning;
}

/** Lists that are details of one product and never what a topic collects. */
export const PRODUCT_DETAILS: readonly string[] = words(
	'carousels feature_bullets images product_links properties specifications variants',
);

/** The content and the product in it, with the names that lead to it: the objects that may have lists and prices. */
function holdersOf(content: unknown): Array<{ holder: IDataObject; path: readonly string[] }> {
	if (!isObject(content)) return [];
	const products = fieldsNamed(content, 'product').filter((name) => isObject(content[name]));
	return [
		{ holder: content, path: [] },
		...products.map((name) => ({ holder: content[name] as IDataObject, path: [name] })),
	];
}

/** The content and the product in it. */
export const holdersIn = (content: unknown) => holdersOf(content).map(({ holder }) => holder);

/**
 * The lists of these meanings in a content, in the order of the meanings; of one meaning the content's own come
 * before those of its product. Only the list at the path `contentList`, if the user named one.
 */
export function listsIn(
	content: unknown,
	meanings: readonly ListMeaning[],
	contentList?: string,
): ContentList[] {
	if (Array.isArray(content)) return [{ entries: content, path: [] }];
	if (contentList && isObject(content)) return listAt(content, contentList.split('.'));
	return meanings.flatMap((meaning) =>
		holdersOf(content).flatMap(({ holder, path }) =>
			fieldsNamed(holder, meaning).flatMap((name) =>
				listAt(holder, [name]).map(({ entries }) => ({ entries, path: [...path, name], meaning })),
			),
		),
	);
}

/**
 * Finds the list of a content: the first one of the topic that has entries, see `listsIn`. Undefined when there is
 * none.
 */
export function contentListOf(
	content: unknown,
	topic: string | undefined,
	contentList?: string,
): ContentList | undefined {
	const lists = listsIn(content, topicTraits(topic).lists, contentList);
	return lists.find(({ entries }) => entries.length > 0) ?? lists[0];
}

/** The list at the end of these names, or none; null is an empty one. */
function listAt(content: IDataObject, path: readonly string[]): ContentList[] {
	let value: unknown = content;
	for (const name of path) {
		if (!isObject(value) || !Object.hasOwn(value, name)) return [];
		value = value[name];
	}
	const entries: unknown = value ?? [];
	return Array.isArray(entries) ? [{ entries, path }] : [];
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

/**
 * Paths such as `offers.new` to the lists of objects in a content that are no details of a product; of a list,
 * only the first entry is searched.
 */
export function pathsToLists(content: unknown, levels = 4): string[] {
	const fields: unknown = Array.isArray(content) ? content[0] : content;
	if (!isObject(fields) || levels === 0) return [];
	const inside = Object.entries(fields).filter(([name]) => !PRODUCT_DETAILS.includes(name));
	return inside.flatMap(([name, value]) =>
		Array.isArray(value) && isObject(value[0])
			? [name]
			: pathsToLists(value, levels - 1).map((inner) => `${name}.${inner}`),
	);
}

/** The fields of an object; any other value that says something becomes a field of the given name. */
export function asFields(value: unknown, nameOfOther: string): IDataObject {
	if (isObject(value)) return value;
	return isFilled(value) ? { [nameOfOther]: value as IDataObject[string] } : {};
}

/**
 * The objects around a list without the list, the nearest first. Every row repeats their fields, so fields with
 * lists are left out, unless the list has no entries.
 */
export function besideList(content: unknown, { entries, path }: ContentList): IDataObject[] {
	const beside: IDataObject[] = [];
	let around: unknown = content;
	for (const listName of path) {
		if (!isObject(around)) break;
		const isBeside = ([name, value]: [string, unknown]) =>
			name !== listName && (entries.length === 0 || !holdsList(value));
		beside.unshift(Object.fromEntries(Object.entries(around).filter(isBeside)));
		around = around[listName];
	}
	return beside;
}

function holdsList(value: unknown): boolean {
	return Array.isArray(value) || (isObject(value) && Object.values(value).some(holdsList));
}
