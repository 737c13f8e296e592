import type { SandboxOptions } from './options.ts';
import { Refusal } from './refusals.ts';

/** What a create calls its parameters and keys: as the document does, or by `parameterNames` and `keyNames`. */

type Parameters = Record<string, unknown>;

/** The word of the service for a key of the document. */
export function ownKey(key: string, { keyNames }: SandboxOptions): string {
	return keyNames[key] ?? key;
}

/** Parameters under the names of the document. Throws for one that the service does not have, unless it ignores it. */
export function documentedParameters(
	given: Parameters,
	known: string[],
	{ parameterNames, unknownParameters }: SandboxOptions,
): Parameters {
	const names = new Map([
		...known.filter((name) => !Object.hasOwn(parameterNames, name)).map((name) => [name, name] as const),
		...Object.entries(parameterNames).map(([name, own]) => [own, name] as const),
	]);
	const stranger = Object.keys(given).find((name) => !names.has(name));
	if (stranger !== undefined && unknownParameters === 'refuse')
		throw new Refusal('unknown parameter', stranger, `There is no parameter '${stranger}'.`);
	return Object.fromEntries(
		Object.entries(given).flatMap(([own, value]) => {
			const name = names.get(own);
			return name === undefined ? [] : [[name, value]];
		}),
	);
}

/** A refusal that calls the parameter as the service does. */
export function inOwnNames(refusal: Refusal, { parameterNames }: SandboxOptions): Refusal {
	const { parameter = '', comment } = refusal.body;
	const own = parameterNames[parameter];
	if (own === undefined) return refusal;
	refusal.body.parameter = own;
	refusal.body.comment = comment?.replace(`parameter '${parameter}'`, `parameter '${own}'`);
	return refusal;
}
