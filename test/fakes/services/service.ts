import fc from 'fast-check';

import type { SandboxOptions } from '../sandbox/options';
import { defaultOptions } from '../sandbox/options';
import { POINTS } from './points';
import type { Settings } from './points';

/** A service that leaves nothing open, and what a user sets to use it. */
export interface GeneratedService {
	/** Its choices other than the defaults: name of the point → name of the choice. */
	choices: Record<string, string>;
	/** For `sandbox.setOptions`, after a reset. */
	options: SandboxOptions;
	/** Fields of the credential beyond address and key. */
	credential: Settings;
	/** The format that get, wait and download request. */
	format: 'json' | 'xml';
}

/** The service with these choices, and the default of all other points. Throws on an unknown choice. */
export function serviceOf(choices: Record<string, string>): GeneratedService {
	const service: GeneratedService = {
		choices,
		options: defaultOptions(),
		credential: { customizeService: true },
		format: 'json',
	};
	const names: Record<string, string> = {};
	const fieldNames: string[] = [];
	for (const [point, all] of Object.entries(POINTS)) {
		const name = choices[point] ?? Object.keys(all)[0] ?? '';
		const choice = all[name];
		if (!choice) throw new RangeError(`The point ${point} has no choice ${name}`);
		Object.assign(service.options, choice.options);
		Object.assign(names, choice.options?.names);
		Object.assign(service.credential, choice.credential);
		fieldNames.push(...(choice.fieldNames ?? []));
		service.format = choice.format ?? service.format;
	}
	service.options.names = names;
	if (fieldNames.length > 0) service.credential.fieldNamesText = fieldNames.join('\n');
	return service;
}

/** Whether a choice is not the default of its point. */
const isOdd = ([point, name]: [string, string]) => name !== Object.keys(POINTS[point] ?? {})[0];

/** How many services reach every choice of every point in one format. */
export const SERVICES = Math.max(...Object.values(POINTS).map((choices) => Object.keys(choices).length));

/**
 * Services that reach every choice of every point in this format. At each point the seed shuffles the choices, filled
 * up with the default, so that every seed combines other choices.
 */
export function arbitraryServices(format: 'json' | 'xml'): fc.Arbitrary<GeneratedService[]> {
	const points = Object.entries(POINTS).filter(([point]) => point !== 'format');
	const turns = points.map(([point, choices]) => {
		const names = Object.keys(choices);
		const [usual = ''] = names;
		const filled = Array.from({ length: SERVICES }, (_, turn) => names[turn] ?? usual);
		const all = filled.map((name, turn): [number, string] => [turn, name]);
		const order = fc.shuffledSubarray(all, { minLength: SERVICES });
		return order.map((list) => list.map(([, name]): [string, string] => [point, name]));
	});
	return fc.tuple(...turns).map((lists) =>
		Array.from({ length: SERVICES }, (_, turn) => {
			const chosen = lists.flatMap((list) => list.slice(turn, turn + 1)).filter(isOdd);
			return serviceOf({ ...Object.fromEntries(chosen), ...(format === 'xml' && { format }) });
		}),
	);
}

/** The fewest choices of a service with which it still fails. */
export async function simplest(
	service: GeneratedService,
	fails: (other: GeneratedService) => Promise<boolean>,
): Promise<GeneratedService> {
	for (const point of Object.keys(service.choices)) {
		const others = Object.entries(service.choices).filter(([name]) => name !== point);
		const other = serviceOf(Object.fromEntries(others));
		if (await fails(other)) return await simplest(other, fails);
	}
	return service;
}

/** What a user enters in the credential of this service. */
export function credentialOf(service: GeneratedService, address: { url: string; apiKey: string }): Settings {
	const { username, password } = service.options;
	const account =
		service.credential.authentication === 'basic' ? { username, password } : { apiKey: address.apiKey };
	return { baseUrl: address.url, ...account, ...service.credential };
}
