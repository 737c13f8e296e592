import type { IDataObject } from 'n8n-workflow';
import * as z from 'zod/v4-mini';

import { isObject } from '../service/types';

/** What was read of something stored: nothing there, the value, or why it cannot be read (a sentence without full stop). */
export type StoredRead<T> =
	{ kind: 'absent' } | { kind: 'read'; value: T } | { kind: 'unreadable'; reason: string };

/**
 * The form in which something outlives a process: an update of the package meets what an earlier one has written, and
 * after a step back what a later one has.
 */
export interface StoredFormat<T> {
	/** Plain JSON, marked with the version. */
	write(value: T): IDataObject;
	/** Never throws: whoever reads decides what an unreadable one means. */
	read(stored: unknown): StoredRead<T>;
}

/** Turns what one version has written into what the next one would have; what it trips over is damaged. */
export type Upgrade = (stored: IDataObject) => object;

/**
 * Defines a stored format.
 *
 * @param name for texts, such as `the suspended run`
 * @param upgrades one for each version before this one: the first turns version 1 into 2. So their number says which
 * version is written.
 */
export function storedFormat<T extends object>(
	name: string,
	schema: z.ZodMiniType<T>,
	upgrades: readonly Upgrade[] = [],
): StoredFormat<T> {
	const version = upgrades.length + 1;
	const unreadable = (what: string) => ({ kind: 'unreadable', reason: `${name} ${what}` }) as const;
	return {
		write: (value) => ({ version, ...value }),
		read: (stored) => {
			if (stored === undefined || stored === null) return { kind: 'absent' };
			const written = isObject(stored) && Number.isInteger(stored.version) ? Number(stored.version) : 0;
			if (!isObject(stored) || written < 1) return unreadable('has no version');
			if (written > version) return unreadable('was written by a newer version of this package');
			try {
				const current = upgrades
					.slice(written - 1)
					.reduce((data, upgrade) => upgrade(data) as IDataObject, stored);
				const parsed = schema.safeParse(current);
				if (parsed.success) return { kind: 'read', value: parsed.data };
				return unreadable(`is damaged at ${parsed.error.issues[0]?.path.join('.') ?? ''}`);
			} catch {
				return unreadable('is damaged');
			}
		},
	};
}

/** A plain object whose fields are the service's business. */
export const looseObject = z.custom<IDataObject>(isObject);
export const text = z.string();
export const texts = z.array(z.string());
/** In milliseconds since 1970. */
export const time = z.number();
