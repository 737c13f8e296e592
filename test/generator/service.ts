import fc from 'fast-check';

import type { SandboxOptions } from '../sandbox/options';
import { defaultOptions } from '../sandbox/options';
import { POINTS } from './points';
import type { Settings } from './points';

/** A service that leaves nothing open, and what a user sets to speak to it. */
export interface GeneratedService {
	/** What it does at the points where it is not the default service: name of the point → name of the choice. */
	choices: Record<string, string>;
	/** For `sandbox.setOptions`, after a reset. */
	options: SandboxOptions;
	/** Fields of the credential beyond address and key. */
	credential: Settings;
	/** Options of the operation getAll. */
	list: Settings;
	/** What get, wait and download are told to ask for. */
	format: 'json' | 'xml';
	/** How a failing service is printed: by what it does otherwise than the default one. */
	[fc.toStringMethod](): string;
}

function printed(this: GeneratedService): string {
	return `serviceOf(${JSON.stringify(this.choices)})`;
}

/** The service with these choices; a point that is not named has its default. Throws for one that does not exist. */
export function serviceOf(choices: Record<string, string>): GeneratedService {
	const service: GeneratedService = {
		choices,
		options: defaultOptions(),
		credential: { customizeService: true },
		list: {},
		format: 'json',
		[fc.toStringMethod]: printed,
	};
	for (const [point, all] of Object.entries(POINTS)) {
		const name = choices[point] ?? Object.keys(all)[0] ?? '';
		const choice = all[name];
		if (!choice) throw new RangeError(`The point ${point} has no choice ${name}`);
		Object.assign(service.options, choice.options);
		Object.assign(service.credential, choice.credential);
		Object.assign(service.list, choice.list);
		service.format = choice.format ?? service.format;
	}
	return service;
}

/** Any service. Most points have their default, so that a failure shrinks to the few that cause it. */
export function arbitraryService(): fc.Arbitrary<GeneratedService> {
	const points = Object.entries(POINTS).map(([point, all]) => {
		const [first = '', ...others] = Object.keys(all);
		const weight = point === 'format' ? 5 : 8;
		return [
			point,
			fc.oneof(
				// A failure shrinks towards the default.
				{ withCrossShrink: true },
				{ weight, arbitrary: fc.constant(first) },
				{ weight: 2, arbitrary: fc.constantFrom(...others) },
			),
		] as const;
	});
	return fc
		.record(Object.fromEntries(points))
		.map((chosen: Record<string, string>) =>
			serviceOf(
				Object.fromEntries(
					Object.entries(chosen).filter(
						([point, name]) => name !== Object.keys(POINTS[point] ?? {})[0],
					),
				),
			),
		);
}

/** Every service that differs from the default one at a single point, in JSON and in XML. */
export function servicesWithOneOddity(): GeneratedService[] {
	return Object.entries(POINTS).flatMap(([point, all]) =>
		Object.keys(all)
			.slice(1)
			.flatMap((name) => [
				...(point.startsWith('xml') ? [] : [serviceOf({ [point]: name })]),
				...(point === 'format' ? [] : [serviceOf({ format: 'xml', [point]: name })]),
			]),
	);
}

/** What a user enters as credential of this service. */
export function credentialOf(service: GeneratedService, address: { url: string; apiKey: string }): Settings {
	const { username, password } = service.options;
	const account =
		service.credential.authentication === 'basic' ? { username, password } : { apiKey: address.apiKey };
	return { baseUrl: address.url, ...account, ...service.credential };
}
