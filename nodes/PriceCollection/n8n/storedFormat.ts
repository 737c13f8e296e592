import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { isObject } from '../service/types';

/** The result of reading stored data: absent, the value, or why it is unreadable (without full stop). */
export type StoredRead<T> =
	{ kind: 'absent' } | { kind: 'read'; value: T } | { kind: 'unreadable'; reason: string };

/** Converts data of one version to the next. Data that makes it throw counts as damaged. */
export type Upgrade = (stored: IDataObject) => object;

/**
 * Defines a format for data that outlives a process: an update of the package may find data of an older
 * version, and a downgrade data of a newer one. It writes plain JSON with a version number; reading never
 * throws, because the caller decides how to treat unreadable data.
 *
 * @param name for texts, such as `the suspended run`
 * @param upgrades one per earlier version: the first converts version 1 to 2. So their number determines the
 * version that is written.
 */
export function storedFormat<T extends object>(
	name: string,
	schema: z.ZodMiniType<T>,
	upgrades: readonly Upgrade[] = [],
) {
	const version = upgrades.length + 1;
	const unreadable = (what: string) => ({ kind: 'unreadable', reason: `${name} ${what}` }) as const;
	return {
		write: (value: T): IDataObject => ({ version, ...value }),
		read: (stored: unknown): StoredRead<T> => {
			if (stored === undefined || stored === null) return { kind: 'absent' };
			const written = isObject(stored) && Number.isInteger(stored.version) ? Number(stored.version) : 0;
			if (!isObject(stored) || written < 1) return unreadable('has no version');
			if (written > version) return unreadable('was written by a newer version of this package');
			try {
				const later = upgrades.slice(written - 1);
				const current = later.reduce<object>((data, upgrade) => upgrade(data as IDataObject), stored);
				const parsed = schema.safeParse(current);
				if (parsed.success) return { kind: 'read', value: parsed.data };
				return unreadable(`is damaged at ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
			} catch {
				return unreadable('is damaged');
			}
		},
	};
}

/** A plain object with fields of the service. */
export const looseObject = z.custom<IDataObject>(isObject);
export const text = z.string();
export const texts = z.array(z.string());
/** Milliseconds since 1970. */
export const time = z.number();
