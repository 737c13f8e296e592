import fc from 'fast-check';
import type { IRun } from 'n8n-workflow';

import { runs } from '../../support/runs';
import { errorOf } from '../support/harness';

/** The number of cases in all files together. */
const CASES = runs(2_500);

/** The timeout that finds hangs. It grows with the number of cases, not with their speed. */
const PATIENCE_MS = 120_000 + CASES * 100;

/** A test with this share of all cases. */
export function fuzz<C extends [unknown, ...unknown[]]>(
	name: string,
	share: number,
	cases: { [I in keyof C]: fc.Arbitrary<C[I]> },
	check: (...one: C) => Promise<void>,
): void {
	const numRuns = Math.ceil(CASES * share);
	test(name, async () => await fc.assert(fc.asyncProperty(...cases, check), { numRuns }), PATIENCE_MS);
}

/** Errors that a node may end with. n8n shows them with a sentence and advice. */
const TYPED: ReadonlySet<string> = new Set(['NodeOperationError', 'NodeApiError']);

/** What a programming error reads like. */
const MISTAKE =
	/is not a function|is not iterable|cannot read prop|of undefined|of null|\[object |undefined is|maximum call stack|invalid array length/i;

/** What is wrong with how a run ended; undefined if it ended with items or a readable error. */
export function faultOf(run: IRun): string | undefined {
	const error = errorOf(run);
	if (error === undefined) return run.status === 'success' ? undefined : `The run is ${run.status}`;
	if (!TYPED.has(error.name)) return `${error.name}: ${error.message}`;
	// The description may quote what the service said.
	if (MISTAKE.test(error.message)) return error.message;
	return /^["\p{Lu}].{10}/su.test(error.message) ? undefined : `No sentence: ${error.message}`;
}

/** Any value that JSON can hold, including names with a meaning in JavaScript. */
export const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4, withCrossShrink: true },
		fc.constantFrom<unknown>(null, true, false, 0, -0, 1e308, -1, 0.1, 2 ** 53, '', ' ', '\0', '\uD800'),
		fc.string({ unit: 'binary', maxLength: 30 }),
		fc.double(),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(
			fc.oneof(
				fc.constantFrom('__proto__', 'constructor', 'toString', 'length', 'then', 'hasOwnProperty'),
				fc.string({ maxLength: 8 }),
			),
			tie('value'),
			{ maxKeys: 4 },
		),
	),
})).value;
