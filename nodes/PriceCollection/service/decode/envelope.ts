import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../types';

/** What services wrap around what they give. */
export const ENVELOPES = ['data', 'job', 'result', 'response', 'payload'] as const;

/** How deep one may stand in another. */
const LEVELS = 2;

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
	const outer = parts.slice(0, Math.max(parts.indexOf(part), 0));
	const fields = outer.flatMap((one) => Object.entries(one));
	// Made at once, because an assignment to a field called `__proto__` would replace the prototype.
	return Object.fromEntries(fields.filter(([, field]) => !nestedParts(field).includes(part)));
}
