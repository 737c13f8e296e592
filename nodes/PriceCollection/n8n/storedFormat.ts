import type { IDataObject } from 'n8n-workflow';
import * as z from '../../../vendor/zod';

import { isObject } from '../service/types';

/** The result of reading stored data: absent, the value, or why it is unreadable (without full stop). */
export type StoredRead<T> =
	{ kind: 'absent' } | { kind: 'read'; value: T } | { kind: 'unreadable'; reason: string };

/** The version that is written. Whoever changes a format raises it: data of another version is not read. */
const VERSION = 1;

/**
 * Defines a format for data that outlives a process: after a downgrade of the package there may be data of a
 * newer version. It writes plain JSON with a version number; reading never throws, because the caller decides
 * how to treat unreadable data.
 *
 * @param name for texts, such as `The suspended run`
 */
export function storedFormat<T extends object>(name: string, schema: z.ZodMiniType<T>) {
	const unreadable = (what: string) => ({ kind: 'unreadable', reason: `${name} ${what}` }) as const;
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

/** A plain object with fields of the service. */
export const looseObject = z.custom<IDataObject>(isObject);
export const textFormat = z.string();
export const textsFormat = z.array(z.string());
/** Milliseconds since 1970. */
export const timeFormat = z.number();
