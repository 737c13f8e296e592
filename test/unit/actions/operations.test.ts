import { readdirSync } from 'node:fs';
import path from 'node:path';

import { operationOf, RESOURCES } from '../../../nodes/PriceCollection/actions/operations';

const ACTIONS = path.resolve(__dirname, '../../../nodes/PriceCollection/actions');
/** What the operation files define, as `resource/name`. */
const defined = new Map(
	readdirSync(ACTIONS, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.description.ts'))
		.flatMap((file) => {
			const module = jest.requireActual<Record<string, unknown>>(path.join(ACTIONS, file));
			return Object.entries(module).map(
				([name, operation]) => [`${path.dirname(file)}/${name}`, operation] as const,
			);
		}),
);

test('every operation that a file defines is registered under its own name, and nothing else is', () => {
	const registered = Object.entries(RESOURCES).flatMap(([resource, { operations }]) =>
		Object.keys(operations).map((name) => [`${resource}/${name}`, operationOf(resource, name)] as const),
	);
	expect(new Map(registered)).toEqual(defined);
	expect(defined.size).toBeGreaterThan(5);
});

test('nothing is found under a name that every object has', () => {
	expect(operationOf('job', 'constructor')).toBeUndefined();
	expect(operationOf('constructor', 'get')).toBeUndefined();
});
