import type { IDataObject } from 'n8n-workflow';
import * as z from '../../../vendor/zod';

import { isObject } from '../service/types';

/** The result of reading stored data: absent, the value, or why it is unreadable (without a full stop). */
export type StoredRead<T> =
	{ kind: 'absent' } | { kind: 'read'; value: T } | { kind: 'unreadable'; reason: string };

/** The version written with the data. Raise it when a format changes: data with another version is not read. */
const VERSION = 1;

/**
 * Defines a format for data that outlives a process. `write` returns plain JSON with a version number, because a
 * downgraded package may find data from a newer version. `read` never throws: the caller decides what to do with
 * unreadable data.
 *
 * @param name the subject of error messages, such as `The suspended run`
 */
export function storedFormat<T extends object>(name: string, schema: z.ZodMiniType<T>) {
	const unreadable = (predicate: string) =>
		({ kind: 'unreadable', reason: `${name} ${predicate}` }) as const;
	return {
		write: (value: T): IDataObject => ({ version: VERSION, ...value }),
		read: (stored: unknown): StoredRead<T> => {
			if (stored === undefined || stored === null) return { kind: 'absent' };
			if (!isObject(stored) || stored.version !== VERSION)
				return unreadable('was written by another version of this package');
			const parsed = schema.safeParse(stored);
			if (parsed.success) return { kind: 'read', value: parsed.data };
			return unreadable(`is damaged at ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
		},
	};
}

/** A plain object with the service's fields. */
export const looseObject = z.custom<IDataObject>(isObject);
export const textFormat = z.string();
export const textsFormat = z.array(z.string());
/** Milliseconds since 1970. */
export const timeFormat = z.number();
