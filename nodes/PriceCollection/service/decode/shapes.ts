import type { IDataObject } from 'n8n-workflow';

import { isFilled, isObject } from '../types';

/** Names that services use for envelopes around their data. */
const ENVELOPES = ['job', 'data', 'result', 'response', 'payload'] as const;

/** How deep envelopes may be nested. */
const LEVELS = 2;

/** How many fields of a reply are examined. */
export const MOST_FIELDS = 100;

/** An object and those that it wraps, outermost first. A list with one element counts as that element. */
export function nestedParts(value: unknown, levels = LEVELS): IDataObject[] {
	const whole: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	if (!isObject(whole)) return [];
	if (levels === 0) return [whole];
	return [whole, ...ENVELOPES.flatMap((name) => nestedParts(whole[name], levels - 1))];
}

/** The fields of the envelopes around a part of `value`, without the part itself. */
export function fieldsAround(value: unknown, part: IDataObject): IDataObject {
	const parts = nestedParts(value);
	const fields = parts.slice(0, Math.max(parts.indexOf(part), 0)).flatMap((one) => Object.entries(one));
	// Built in one call, because assigning to a field named `__proto__` would replace the prototype.
	return Object.fromEntries(
		fields.filter(([, field]) => field !== part && !nestedParts(field).includes(part)),
	);
}

/** What a list contains, and how to find it. */
export interface ListKind {
	/** Names under which it is found, likeliest first. */
	names: readonly string[];
	/** Whether a value is certainly an element. */
	isOne: (value: unknown) => boolean;
	/** The element that a named object represents, alone or as one of several. */
	keyed: (name: string, value: IDataObject) => IDataObject | undefined;
}

/**
 * Finds a list: bare, under any name, keyed by numbers or names, or a single element in its place. Only a
 * list under a name of its kind may be empty or contain other values.
 */
export function listIn(value: unknown, kind: ListKind, levels = LEVELS): unknown[] | undefined {
	if (Array.isArray(value)) return value;
	if (typeof value === 'string' && !isFilled(value)) return [];
	if (!isObject(value)) return undefined;
	const fields = Object.entries(value);
	const keyed = fields.map(([name, field]) => (isObject(field) ? kind.keyed(name, field) : undefined));
	if (fields.length > 0 && keyed.every((one) => one !== undefined)) return keyed;
	const known = kind.names.filter((name) => Object.hasOwn(value, name));
	const others = Object.keys(value)
		.slice(0, MOST_FIELDS)
		.filter((name) => !known.includes(name));
	const lists = (levels === 0 ? [] : [...known, ...others]).flatMap((name) => {
		const list = value[name] === null ? [] : listIn(value[name], kind, levels - 1);
		return list && (known.includes(name) || list.some(kind.isOne)) ? [list] : [];
	});
	return lists.find((list) => list.some(kind.isOne)) ?? (kind.isOne(value) ? [value] : lists[0]);
}
