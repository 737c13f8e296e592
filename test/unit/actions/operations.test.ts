import { readdirSync } from 'node:fs';
import path from 'node:path';

import { operationOf, RESOURCES } from '../../../nodes/PriceCollection/actions/operations';

const ACTIONS = path.resolve(__dirname, '../../../nodes/PriceCollection/actions');
const FILE = /^(\w+)\/(\w+)\.operation\.ts$/;

/** Every file of an operation, as `resource/name`. */
const files = readdirSync(ACTIONS, { recursive: true, encoding: 'utf8' })
	.map((file) => FILE.exec(file.split(path.sep).join('/')))
	.flatMap((match) => (match === null ? [] : [`${match[1]}/${match[2]}`]))
	.sort();

test('every file of an operation is registered under its own name, and nothing else is', () => {
	const registered = Object.entries(RESOURCES).flatMap(([resource, { operations }]) =>
		Object.keys(operations).map((operation) => `${resource}/${operation}`),
	);
	expect(registered.sort()).toEqual(files);
	expect(files.length).toBeGreaterThan(5);
});

test.each(files)('%s is what its file defines', (file) => {
	const [resource = '', name = ''] = file.split('/');
	const module = jest.requireActual<Record<string, unknown>>(path.join(ACTIONS, `${file}.operation.ts`));
	expect(operationOf(resource, name)).toBe(module[name]);
	expect(module[name]).toBeDefined();
});

test('nothing is found under a name that every object has', () => {
	expect([operationOf('job', 'constructor'), operationOf('constructor', 'get')]).toEqual([
		undefined,
		undefined,
	]);
});
