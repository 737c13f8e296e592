import type { IDataObject } from 'n8n-workflow';

import { isFilled, isObject } from '../types';

/** What services wrap around what they give. */
const ENVELOPES = ['job', 'data', 'result', 'response', 'payload'] as const;

/** How deep one may stand in another. */
const LEVELS = 2;

/** So many fields of a reply are looked into, whatever they are called. */
export const MOST_FIELDS = 100;

/** An object and those that it wraps, from the outside in. A list of one counts as its only element. */
export function nestedParts(value: unknown, levels = LEVELS): IDataObject[] {
	const whole: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
	if (!isObject(whole)) return [];
	if (levels === 0) return [whole];
	return [whole, ...ENVELOPES.flatMap((name) => nestedParts(whole[name], levels - 1))];
}

/** What stands around a part of `value`: the fields of its envelopes without the part itself. */
export function fieldsAround(value: unknown, part: IDataObject): IDataObject {
	const parts = nestedParts(value);
	const fields = parts.slice(0, Math.max(parts.indexOf(part), 0)).flatMap((one) => Object.entries(one));
	// Made at once, because an assignment to a field called `__proto__` would replace the prototype.
	return Object.fromEntries(
		fields.filter(([, field]) => field !== part && !nestedParts(field).includes(part)),
	);
}

/** What a list holds, and how it is found. */
export interface ListKind {
	/** Names under which it is found, the likeliest first. */
	names: readonly string[];
	/** Whether a value is certainly an element. */
	isOne: (value: unknown) => boolean;
	/** The element that an object is which stands under a name, as one of several or alone. */
	keyed: (name: string, value: IDataObject) => IDataObject | undefined;
}

/**
 * A list wherever it stands: bare, under whatever name, keyed by numbers or names, or one element in its place. Only under
 * the names of its kind it may be empty, or hold what is no element.
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
