import type { IDataObject } from 'n8n-workflow';

import type { FieldNames, NamePath, ReadMeaning } from '../service/fieldNames';
import {
	CONTENT_NAMES,
	contentShape,
	isGiven,
	keptByFields,
	spelledFields,
	type ContentMeaning,
	type Shape,
} from '../service/names';
import { LISTS } from '../service/topics';
import { bareName, isObject } from '../service/types';

/** An object in which an entry of a list lies, perhaps not directly. */
export interface Level {
	object: IDataObject;
	/** Its field that leads to the entry. */
	via: string;
	/** Whether it is an entry of a list itself. */
	isEntry: boolean;
}

/** What an entry lies in, the nearest first. */
export type Levels = readonly Level[];

export const NO_LEVELS: Levels = [];

/** The fields of an object: by meaning, by their bare names, and the paths of the table that may lead to a meaning. */
interface KnownFields {
	shape: Shape<ContentMeaning>;
	spelled: ReadonlyMap<string, readonly string[]>;
	dotted: ReadonlyMap<ContentMeaning, readonly NamePath[]>;
}

/** An object of a content, and what it lies in. */
export interface Placed {
	object: IDataObject;
	levels: Levels;
	known: KnownFields;
}

/** Where a value stands: the names that lead to it from an object. */
export interface ValueSource {
	object: IDataObject;
	names: NamePath;
	value: unknown;
}

/** Names of the table that lead into an object; they come after those that do not. */
const DOTTED = Object.entries<readonly string[]>(CONTENT_NAMES).flatMap(([meaning, names]) =>
	names
		.filter((name) => name.includes('.'))
		.map((name) => [meaning as ContentMeaning, name.split('.')] as const),
);

/** Whether a field is the product of a content, around its entries. */
export const isProduct = (field: string) => contentShape({ [field]: 0 }).product.length > 0;

/** What an entry is itself: it never has these from another entry in which it lies, unless a path says so. */
const OF_ENTRIES: ReadonlySet<ContentMeaning> = new Set([
	...(['name', 'price', 'total', 'author', 'date', 'rating', 'text', 'rank'] as const),
]);

const knownFieldsOf = keptByFields((object): KnownFields => {
	const spelled = spelledFields(object);
	const dotted = new Map<ContentMeaning, NamePath[]>();
	for (const [meaning, [first = '', ...rest]] of DOTTED)
		for (const field of spelled.get(bareName(first)) ?? [])
			dotted.set(meaning, [...(dotted.get(meaning) ?? []), [field, ...rest]]);
	return { shape: contentShape(object), spelled, dotted };
});

/** An object with what it lies in, to be read. */
export const placed = (object: IDataObject, levels: Levels = NO_LEVELS): Placed => ({
	...{ object, levels },
	known: knownFieldsOf(object),
});

/** The field of an object with a name in any spelling. */
export function fieldNamed(object: IDataObject, name: string): string | undefined {
	return Object.hasOwn(object, name) ? name : knownFieldsOf(object).spelled.get(bareName(name))?.[0];
}

/** Whether an element of a list may have this name in XML that has no types: `offer` in `offers`. */
function isSingular(name: string, list: string): boolean {
	const [one, many] = [bareName(name), bareName(list)];
	return [`${one}s`, `${one}es`, one.replace(/y$/, 'ies')].includes(many);
}

/**
 * The entries of a list by its name: those of a list, none of null, the object itself of a single one, and those of the
 * elements of XML that does not say that it is a list. Undefined for anything else.
 */
export function entriesIn(value: unknown, name: string): readonly unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (value === null) return [];
	if (!isObject(value)) return undefined;
	const [only, ...others] = Object.keys(value);
	if (only === undefined) return [];
	if (others.length > 0 || !isSingular(only, name)) return [value];
	const inner: unknown = value[only];
	return Array.isArray(inner) ? inner : isObject(inner) ? [inner] : [value];
}

/** The value at the end of a path, through lists with one value; of several the list of them. */
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
 * Reads contents by meaning: under the names of the user first, in the user's order, then under those of the table. An
 * entry of a list also has the fields of what it lies in, the nearest first, under the names of the user; under those of
 * the table it has the fields of the entries in which it lies.
 */
export class ContentReader {
	constructor(readonly own: FieldNames = {}) {}

	private ownPaths(meaning: ContentMeaning): readonly NamePath[] {
		return this.own[(meaning === 'anyShop' ? 'shop' : meaning) as ReadMeaning] ?? [];
	}

	/** What the user's path leads to from an object that the entry lies in; -1 is the entry itself. */
	private ownSource(
		{ object, levels }: Placed,
		path: NamePath,
		from: number,
		meaning: ContentMeaning,
	): ValueSource | undefined {
		let level = from;
		let here = levels[level]?.object ?? object;
		let isInside = level < 0;
		for (const [index, name] of path.entries()) {
			const field = fieldNamed(here, name);
			if (field === undefined) return undefined;
			if (level < 0 || field !== levels[level]?.via) {
				if (OF_ENTRIES.has(meaning) && !isInside) return undefined;
				const names = [field, ...path.slice(index + 1)];
				return { object: here, names, value: valueAt(here, names) };
			}
			level--;
			here = levels[level]?.object ?? object;
			isInside ||= level < 0 || levels[level]?.isEntry === true;
		}
		return { object: here, names: [], value: here };
	}

	/** Whether a meaning is read in the object alone, as nearly all are, and under names of the table. */
	private isTableOnly({ levels }: Placed, meaning: ContentMeaning): boolean {
		for (const { isEntry } of levels) if (isEntry) return false;
		return this.ownPaths(meaning).length === 0;
	}

	/** Where the filled values of a meaning stand, the first one first. */
	*sources(one: Placed, meaning: ContentMeaning): Generator<ValueSource, undefined> {
		const { levels } = one;
		for (const path of this.ownPaths(meaning))
			for (let from = -1; from < levels.length; from++) {
				const source = this.ownSource(one, path, from, meaning);
				if (source !== undefined && isGiven(source.value)) yield source;
			}
		yield* this.tableSources(one, meaning);
		if (OF_ENTRIES.has(meaning)) return;
		for (const { isEntry, object } of levels)
			if (isEntry) yield* this.tableSources(placed(object), meaning);
	}

	private *tableSources(
		{ object, known }: Placed,
		meaning: ContentMeaning,
	): Generator<ValueSource, undefined> {
		for (const field of known.shape[meaning])
			if (isGiven(object[field])) yield { object, names: [field], value: object[field] };
		for (const names of known.dotted.get(meaning) ?? []) {
			const value = valueAt(object, names);
			if (isGiven(value)) yield { object, names, value };
		}
	}

	/** All filled values of a meaning, the first one first. */
	values(one: Placed, meaning: ContentMeaning): unknown[] {
		const { known, object } = one;
		if (!this.isTableOnly(one, meaning) || known.dotted.has(meaning))
			return [...this.sources(one, meaning)].map(({ value }) => value);
		const values: unknown[] = [];
		for (const field of known.shape[meaning]) if (isGiven(object[field])) values.push(object[field]);
		return values;
	}

	/** The first filled value of a meaning; undefined where there is none. */
	first(one: Placed, meaning: ContentMeaning): unknown {
		const { known, object } = one;
		if (!this.isTableOnly(one, meaning)) return this.values(one, meaning)[0];
		for (const field of known.shape[meaning]) if (isGiven(object[field])) return object[field];
		return known.dotted.has(meaning) ? this.values(one, meaning)[0] : undefined;
	}

	/** Whether an object has a field of a meaning, filled or empty. */
	has({ known, levels, object }: Placed, meaning: ContentMeaning): boolean {
		if (known.shape[meaning].length > 0 || known.dotted.has(meaning)) return true;
		const objects = [object, ...levels.map((level) => level.object)];
		const leads = ([name = '']: NamePath) => objects.some((one) => fieldNamed(one, name) !== undefined);
		if (this.ownPaths(meaning).some(leads)) return true;
		return levels.some((level) => level.isEntry && knownFieldsOf(level.object).shape[meaning].length > 0);
	}

	/** Whether the user has named fields for a meaning. */
	hasOwn(meaning: ContentMeaning): boolean {
		return this.ownPaths(meaning).length > 0;
	}

	/**
	 * A reader of the product around entries: without the names of its shops, which are in the entries, and without paths that
	 * lead through a list that the user has told.
	 */
	withoutEntries(): ContentReader {
		const lists = LISTS.flatMap((meaning) => this.own[meaning] ?? []).flat();
		const inLists = new Set(lists.filter((name) => !isProduct(name)).map(bareName));
		const own = Object.entries(this.own)
			.filter(([meaning]) => meaning !== 'shop')
			.map(([meaning, paths]) => [
				meaning,
				paths.filter((path) => !path.some((name) => inLists.has(bareName(name)))),
			]);
		return new ContentReader(Object.fromEntries(own) as FieldNames);
	}

	/** How the user has named a field: as what is read, or as part of the way to that; undefined where not at all. */
	namedAs(field: string): 'value' | 'way' | undefined {
		const bare = bareName(field);
		const paths = Object.values(this.own).flat();
		if (paths.some((path) => bareName(path.at(-1) ?? '') === bare)) return 'value';
		return paths.some((path) => path.some((name) => bareName(name) === bare)) ? 'way' : undefined;
	}
}
