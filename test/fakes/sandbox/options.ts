/**
 * All options of the sandbox. Where the service's document leaves a point open, the default is the document's wording
 * or the best documented practice; the other choices are listed beside it.
 */

import { CHOICES, SET_DEFAULTS, SETS } from './choices.ts';
import type { Choices, Sets } from './choices.ts';
import { SETTINGS } from './settings.ts';

export { CHOICES, SETS };

export type SandboxOptions = Choices & Sets & typeof SETTINGS;

/** A fresh set of default options. */
export function defaultOptions(): SandboxOptions {
	const firsts = Object.fromEntries(Object.entries(CHOICES).map(([name, list]) => [name, list[0]]));
	return { ...structuredClone(SETTINGS), ...structuredClone(SET_DEFAULTS), ...(firsts as Choices) };
}

const DEFAULTS = defaultOptions() as Record<string, unknown>;

function problem(name: string, value: unknown): string | undefined {
	const wanted = DEFAULTS[name];
	if (wanted === undefined) return `there is no option "${name}"`;
	const choices: readonly unknown[] | undefined = (CHOICES as Record<string, readonly unknown[]>)[name];
	if (choices && !choices.includes(value)) return `"${name}" is one of ${choices.join(', ')}`;
	if (Array.isArray(wanted)) {
		if (!Array.isArray(value)) return `"${name}" is a list`;
		const set: readonly unknown[] | undefined = (SETS as Record<string, readonly unknown[]>)[name];
		if (set && !value.every((entry) => set.includes(entry))) return `"${name}" holds ${set.join(', ')}`;
		return undefined;
	}
	return typeof value === typeof wanted && value !== null ? undefined : `"${name}" is a ${typeof wanted}`;
}

/** Applies `changes` to `options`; throws on an unknown name or a wrong value, and then changes nothing. */
export function applyOptions(options: SandboxOptions, changes: object): void {
	for (const [name, value] of Object.entries(changes)) {
		const wrong = problem(name, value);
		if (wrong) throw new RangeError(`Sandbox options: ${wrong}`);
	}
	Object.assign(options, changes);
}

/** Converts an option from text (a flag, an environment variable) to its type. */
export function optionFromText(name: string, text: string): unknown {
	const wanted = DEFAULTS[name];
	if (typeof wanted === 'number') return Number(text);
	if (typeof wanted === 'boolean') return !['false', '0', 'no', 'off'].includes(text.toLowerCase());
	if (Array.isArray(wanted)) return text.split(',').filter((entry) => entry !== '');
	return typeof wanted === 'object' ? JSON.parse(text) : text;
}
