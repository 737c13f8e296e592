import type { IDataObject } from 'n8n-workflow';

import type { FieldNames, NamePath, ReadMeaning } from '../service/fieldNames';
import {
	CONTENT_NAMES,
	contentShape,
	isGiven,
	keptByFields,
	spelledFields,
	type ContentMeaning,
} from '../service/names';
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

/** An object of a content, and what it lies in. */
export interface Placed {
	object: IDataObject;
	levels: Levels;
}

/** Where a value stands: the names that lead to it from an object. */
export interface Source {
	object: IDataObject;
	names: NamePath;
	value: unknown;
}

/** Names of the table that lead into an object; they come after those that do not. */
const DOTTED = new Map<ContentMeaning, NamePath[]>();
for (const [meaning, names] of Object.entries<readonly string[]>(CONTENT_NAMES)) {
	const dotted = names.filter((name) => name.includes('.')).map((name) => name.split('.'));
	if (dotted.length > 0) DOTTED.set(meaning as ContentMeaning, dotted);
}

/** What an entry is itself: it never has these from another entry in which it lies, unless a path says so. */
const OF_ENTRIES: ReadonlySet<ContentMeaning> = new Set([
	...(['name', 'price', 'total', 'author', 'date', 'rating', 'text', 'rank'] as const),
]);

const spelledOf = keptByFields(spelledFields);

/** The field of an object with a name in any spelling. */
export function fieldNamed(object: IDataObject, name: string): string | undefined {
	return Object.hasOwn(object, name) ? name : spelledOf(object).get(bareName(name))?.[0];
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
	const [only = '', ...others] = Object.keys(value);
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

	/** The fields of an object that have a meaning by the table, as it spells them. */
	fields(object: IDataObject, meaning: ContentMeaning): readonly string[] {
		return contentShape(object)[meaning];
	}

	private ownPaths(meaning: ContentMeaning): readonly NamePath[] {
		return this.own[(meaning === 'anyShop' ? 'shop' : meaning) as ReadMeaning] ?? [];
	}

	/** What the user's path leads to from an object that the entry lies in; -1 is the entry itself. */
	private ownSource(
		{ object, levels }: Placed,
		path: NamePath,
		from: number,
		meaning: ContentMeaning,
	): Source | undefined {
		let at = from;
		let here = levels[at]?.object ?? object;
		let isInside = at < 0;
		for (const [index, name] of path.entries()) {
			const field = fieldNamed(here, name);
			if (field === undefined) return undefined;
			if (at < 0 || field !== levels[at]?.via) {
				if (OF_ENTRIES.has(meaning) && !isInside) return undefined;
				const names = [field, ...path.slice(index + 1)];
				return { object: here, names, value: valueAt(here, names) };
			}
			at--;
			here = levels[at]?.object ?? object;
			isInside ||= at < 0 || levels[at]?.isEntry === true;
		}
		return { object: here, names: [], value: here };
	}

	/** Where the filled values of a meaning stand, the first one first. */
	*sources(placed: Placed, meaning: ContentMeaning): Generator<Source, undefined> {
		const { object, levels } = placed;
		for (const path of this.ownPaths(meaning))
			for (let from = -1; from < levels.length; from++) {
				const source = this.ownSource(placed, path, from, meaning);
				if (isGiven(source?.value) && source !== undefined) yield source;
			}
		yield* this.tableSources(object, meaning);
		if (OF_ENTRIES.has(meaning)) return;
		for (const level of levels) if (level.isEntry) yield* this.tableSources(level.object, meaning);
	}

	private *tableSources(object: IDataObject, meaning: ContentMeaning): Generator<Source, undefined> {
		const paths = [
			...contentShape(object)[meaning].map((name) => [name]),
			...(DOTTED.get(meaning) ?? []),
		];
		for (const names of paths) {
			const value = valueAt(object, names);
			if (isGiven(value)) yield { object, names, value };
		}
	}

	/** All filled values of a meaning, the first one first. */
	values(placed: Placed, meaning: ContentMeaning): unknown[] {
		const { object, levels } = placed;
		const isPlain = levels.every(({ isEntry }) => !isEntry) && this.ownPaths(meaning).length === 0;
		// Nearly all objects need no more, and there are many of them.
		if (isPlain && !DOTTED.has(meaning))
			return contentShape(object)
				[meaning].map((field) => object[field])
				.filter(isGiven);
		return [...this.sources(placed, meaning)].map(({ value }) => value);
	}

	/** The first filled value of a meaning; undefined where there is none. */
	first(placed: Placed, meaning: ContentMeaning): unknown {
		return this.values(placed, meaning)[0];
	}

	/** Whether an object has a field of a meaning, filled or empty. */
	has({ object, levels }: Placed, meaning: ContentMeaning): boolean {
		if (contentShape(object)[meaning].length > 0) return true;
		const objects = [object, ...levels.map((level) => level.object)];
		const leads = ([name = '']: NamePath) => objects.some((one) => fieldNamed(one, name) !== undefined);
		if (this.ownPaths(meaning).some(leads) || (DOTTED.get(meaning) ?? []).some(leads)) return true;
		return levels.some(
			({ isEntry, object: outer }) => isEntry && contentShape(outer)[meaning].length > 0,
		);
	}

	/** Whether the user has named fields for a meaning. */
	hasOwn(meaning: ContentMeaning): boolean {
		return this.ownPaths(meaning).length > 0;
	}

	/** Whether the user has named a field for any meaning. */
	isNamed(field: string): boolean {
		const bare = bareName(field);
		return Object.values(this.own).some((paths) =>
			paths.some((path) => path.some((name) => bareName(name) === bare)),
		);
	}
}
