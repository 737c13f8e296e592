import type { SandboxOptions } from './options.ts';
import { Refusal } from './refusals.ts';

/** Names of the parameters and keys in a create: the document's, or by `parameterNames` and `keyNames`. */

type Parameters = Record<string, unknown>;

/** The service's word for a key of the document. */
export function ownKey(key: string, { keyNames }: SandboxOptions): string {
	return keyNames[key] ?? key;
}

/** Parameters under the document's names. Throws on an unknown one, unless the service ignores these. */
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

/** Puts the service's name of the parameter into a refusal. */
export function inOwnNames(refusal: Refusal, { parameterNames }: SandboxOptions): Refusal {
	const { parameter = '', comment } = refusal.body;
	const own = parameterNames[parameter];
	if (own === undefined) return refusal;
	refusal.body.parameter = own;
	refusal.body.comment = comment?.replace(`parameter '${parameter}'`, `parameter '${own}'`);
	return refusal;
}
