import type { IDataObject } from 'n8n-workflow';

import type { FieldNames, NamePath, ReadMeaning } from '../service/fieldNames';
import {
	CONTENT_NAMES,
	contentShape,
	isGiven,
	cachedByFields,
	spelledFields,
	type ContentMeaning,
	type Shape,
	LISTS,
} from '../service/names';
import { bareName, isObject } from '../service/types';

/** An object around an entry of a list, directly or further out. */
export interface Level {
	object: IDataObject;
	/** The field that leads to the entry. */
	via: string;
	/** Whether this object is an entry of a list itself. */
	isEntry: boolean;
}

/** The objects around an entry, the nearest first. */
export type Levels = readonly Level[];

export const NO_LEVELS: Levels = [];

/** What follows from the names of an object's fields, see {@link cachedByFields}. */
interface KnownFields {
	shape: Shape<ContentMeaning>;
	/** By bare name. */
	spelled: ReadonlyMap<string, readonly string[]>;
	/** The table's paths that start at one of the fields. */
	dotted: ReadonlyMap<ContentMeaning, readonly NamePath[]>;
}

/** An object in a content, with the objects around it. */
export interface Located {
	object: IDataObject;
	levels: Levels;
	known: KnownFields;
}

/** A value and where it was found: the names lead from the object to the value. */
export interface ValueSource {
	object: IDataObject;
	names: NamePath;
	value: unknown;
}

/** The table's names that lead into an object. They are read after the plain names. */
const DOTTED_NAMES = Object.entries<readonly string[]>(CONTENT_NAMES).flatMap(([meaning, names]) =>
	names
		.filter((name) => name.includes('.'))
		.map((name) => [meaning as ContentMeaning, name.split('.')] as const),
);

/** Whether a field holds the product that surrounds the entries of a content. */
export const isProduct = (field: string) => contentShape({ [field]: 0 }).product.length > 0;

/** Meanings that an entry does not inherit from an entry around it, unless a custom path leads through that entry. */
const NOT_INHERITED: ReadonlySet<ContentMeaning> = new Set([
	...(['name', 'price', 'total', 'author', 'date', 'rating', 'text', 'rank'] as const),
]);

const knownFieldsOf = cachedByFields((object): KnownFields => {
	const spelled = spelledFields(object);
	const dotted = new Map<ContentMeaning, NamePath[]>();
	for (const [meaning, [first = '', ...rest]] of DOTTED_NAMES)
		for (const field of spelled.get(bareName(first)) ?? [])
			dotted.set(meaning, [...(dotted.get(meaning) ?? []), [field, ...rest]]);
	return { shape: contentShape(object), spelled, dotted };
});

/** Prepares an object for reading. */
export const located = (object: IDataObject, levels: Levels = NO_LEVELS): Located => ({
	...{ object, levels },
	known: knownFieldsOf(object),
});

/** Finds the field with a name, preferably in this spelling. Undefined if the object has no such field. */
export function fieldNamed(object: IDataObject, name: string): string | undefined {
	return Object.hasOwn(object, name) ? name : knownFieldsOf(object).spelled.get(bareName(name))?.[0];
}

/** Whether XML may give this name to the elements of a list, such as `offer` in `offers`. */
function isSingular(name: string, list: string): boolean {
	const [singular, plural] = [bareName(name), bareName(list)];
	return [`${singular}s`, `${singular}es`, singular.replace(/y$/, 'ies')].includes(plural);
}

/**
 * Returns the entries of the list in a field: an array's elements, none for null or an empty object, and otherwise the
 * object itself as the only entry. XML without types has its elements one level deeper, as in `{ offers: { offer: […] } }`.
 * Undefined for other values.
 */
export function entriesIn(value: unknown, name: string): readonly unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (value === null) return [];
	if (!isObject(value)) return undefined;
	const [first, ...others] = Object.keys(value);
	if (first === undefined) return [];
	if (others.length > 0 || !isSingular(first, name)) return [value];
	const inner: unknown = value[first];
	return Array.isArray(inner) ? inner : isObject(inner) ? [inner] : [value];
}

/** The value at the end of a path. If lists on the path lead to several filled values, these are returned as a list. */
function valueAt(value: unknown, path: NamePath): unknown {
	const [name, ...rest] = path;
	if (name === undefined) return value;
	if (Array.isArray(value)) {
		const values = value.map((one: unknown) => valueAt(one, path)).filter(isGiven);
		return values.length < 2 ? values[0] : values;
	}
	if (!isObject(value)) return undefined;
	const field = fieldNamed(value, name);
	return field === undefined ? undefined : valueAt(value[field], rest);
}

/**
 * Reads contents by meaning. The user's custom names come first, in the user's order, then the table's names. An entry of a
 * list also inherits fields from around it, the nearest first: by custom names from all surrounding objects, by the table's
 * names only from surrounding entries.
 */
export class ContentReader {
	constructor(readonly customNames: FieldNames = {}) {}

	private customPaths(meaning: ContentMeaning): readonly NamePath[] {
		return this.customNames[(meaning === 'anyShop' ? 'shop' : meaning) as ReadMeaning] ?? [];
	}

	/**
	 * The value at the end of a custom path.
	 *
	 * @param from the index of the level where the path starts; -1 is the entry itself
	 */
	private customSource(
		{ object, levels }: Located,
		path: NamePath,
		from: number,
		meaning: ContentMeaning,
	): ValueSource | undefined {
		let level = from;
		let current = levels[level]?.object ?? object;
		let isInside = level < 0;
		for (const [index, name] of path.entries()) {
			const field = fieldNamed(current, name);
			if (field === undefined) return undefined;
			if (level < 0 || field !== levels[level]?.via) {
				if (NOT_INHERITED.has(meaning) && !isInside) return undefined;
				const names = [field, ...path.slice(index + 1)];
				return { object: current, names, value: valueAt(current, names) };
			}
			level--;
			current = levels[level]?.object ?? object;
			isInside ||= level < 0 || levels[level]?.isEntry === true;
		}
		return { object: current, names: [], value: current };
	}

	/** Whether a meaning is only read from the object itself and by the table's names, as in nearly all cases. */
	private isTableOnly({ levels }: Located, meaning: ContentMeaning): boolean {
		for (const { isEntry } of levels) if (isEntry) return false;
		return this.customPaths(meaning).length === 0;
	}

	/** Yields the filled values of a meaning in order of precedence, with where they were found. */
	*sources(target: Located, meaning: ContentMeaning): Generator<ValueSource, undefined> {
		const { levels } = target;
		for (const path of this.customPaths(meaning))
			for (let from = -1; from < levels.length; from++) {
				const source = this.customSource(target, path, from, meaning);
				if (source !== undefined && isGiven(source.value)) yield source;
			}
		yield* this.tableSources(target, meaning);
		if (NOT_INHERITED.has(meaning)) return;
		for (const { isEntry, object } of levels)
			if (isEntry) yield* this.tableSources(located(object), meaning);
	}

	private *tableSources(
		{ object, known }: Located,
		meaning: ContentMeaning,
	): Generator<ValueSource, undefined> {
		for (const field of known.shape[meaning])
			if (isGiven(object[field])) yield { object, names: [field], value: object[field] };
		for (const names of known.dotted.get(meaning) ?? []) {
			const value = valueAt(object, names);
			if (isGiven(value)) yield { object, names, value };
		}
	}

	/** All filled values of a meaning, in order of precedence. */
	values(target: Located, meaning: ContentMeaning): unknown[] {
		const { known, object } = target;
		if (!this.isTableOnly(target, meaning) || known.dotted.has(meaning))
			return [...this.sources(target, meaning)].map(({ value }) => value);
		const values: unknown[] = [];
		for (const field of known.shape[meaning]) if (isGiven(object[field])) values.push(object[field]);
		return values;
	}

	/** The first filled value of a meaning; undefined if there is none. */
	first(target: Located, meaning: ContentMeaning): unknown {
		const { known, object } = target;
		if (!this.isTableOnly(target, meaning)) return this.values(target, meaning)[0];
		for (const field of known.shape[meaning]) if (isGiven(object[field])) return object[field];
		return known.dotted.has(meaning) ? this.values(target, meaning)[0] : undefined;
	}

	/** Whether a meaning has a field, filled or empty: in the object, in an entry around it, or where a custom path starts. */
	has({ known, levels, object }: Located, meaning: ContentMeaning): boolean {
		if (known.shape[meaning].length > 0 || known.dotted.has(meaning)) return true;
		const objects = [object, ...levels.map((level) => level.object)];
		const leads = ([name = '']: NamePath) => objects.some((one) => fieldNamed(one, name) !== undefined);
		if (this.customPaths(meaning).some(leads)) return true;
		return levels.some((level) => level.isEntry && knownFieldsOf(level.object).shape[meaning].length > 0);
	}

	/** Whether the user has named fields for a meaning. */
	hasOwn(meaning: ContentMeaning): boolean {
		return this.customPaths(meaning).length > 0;
	}

	/**
	 * Returns a reader for the product around the entries. It ignores custom names for shops, because the entries have the
	 * shops, and custom paths that lead through a custom list.
	 */
	withoutEntries(): ContentReader {
		const listNames = LISTS.flatMap((meaning) => this.customNames[meaning] ?? []).flat();
		const namesInLists = new Set(listNames.filter((name) => !isProduct(name)).map(bareName));
		const keptNames = Object.entries(this.customNames)
			.filter(([meaning]) => meaning !== 'shop')
			.map(([meaning, paths]) => [
				meaning,
				paths.filter((path) => !path.some((name) => namesInLists.has(bareName(name)))),
			]);
		return new ContentReader(Object.fromEntries(keptNames) as FieldNames);
	}

	/** Whether custom paths end at a field (`value`) or only lead through it (`way`); undefined if none contains it. */
	namedAs(field: string): 'value' | 'way' | undefined {
		const bare = bareName(field);
		const paths = Object.values(this.customNames).flat();
		if (paths.some((path) => bareName(path.at(-1) ?? '') === bare)) return 'value';
		return paths.some((path) => path.some((name) => bareName(name) === bare)) ? 'way' : undefined;
	}
}
