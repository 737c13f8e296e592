import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import { PriceCollectionApi } from '../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { SAVED, describeClass, namesOf, savedNames } from '../../tools/descriptions.cjs';

/**
 * What users see and what their workflows store. A change that is meant is saved with
 * `npm run descriptions:save`, so that it shows in the diff of the commit.
 */
const CLASSES = {
	PriceCollection,
	PriceCollectionApi,
	PriceCollectionPollingTrigger,
	PriceCollectionTrigger,
};

/** More would hide the first, and one inserted field moves all that follow. */
const SHOWN = 8;

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null;

/** Fields are found by their names, not by their place in a list: `properties[7 "country"]`. */
function label(index: number, entry: unknown): string {
	const name = isObject(entry) ? (entry.name ?? entry.value) : undefined;
	return name === undefined ? `[${index}]` : `[${index} ${JSON.stringify(name)}]`;
}

const show = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));

/** One line per field that differs, with its path. */
function differences(saved: unknown, current: unknown, at: string): string[] {
	if (Array.isArray(saved) && Array.isArray(current)) {
		return Array.from({ length: Math.max(saved.length, current.length) }).flatMap((_, index) =>
			differences(saved[index], current[index], at + label(index, saved[index] ?? current[index])),
		);
	}
	if (isObject(saved) && isObject(current) && Array.isArray(saved) === Array.isArray(current)) {
		const names = new Set([...Object.keys(saved), ...Object.keys(current)]);
		return [...names].flatMap((name) => differences(saved[name], current[name], `${at}.${name}`));
	}
	return Object.is(saved, current) ? [] : [`${at}: ${show(saved)} → ${show(current)}`];
}

function savedCopy(name: string): Record<string, unknown> {
	return JSON.parse(readFileSync(path.join(SAVED, `${name}.json`), 'utf8')) as Record<string, unknown>;
}

describe('descriptions are those of the saved copy', () => {
	it.each(Object.entries(CLASSES))('%s', (name, Class) => {
		expect(differences(savedCopy(name), describeClass(Class), name).slice(0, SHOWN)).toEqual([]);
	});

	it('of every class, and of no class that is gone', () => {
		expect(readdirSync(SAVED).sort()).toEqual(Object.keys(CLASSES).map((name) => `${name}.json`));
	});
});

test.each(Object.entries(CLASSES))(
	'%s has every name that it ever had: workflows hold them',
	(name, Class) => {
		const saved = savedNames(name);
		expect(saved).toContain(`.${name[0]?.toLowerCase()}${name.slice(1)}`);
		const current = new Set(namesOf(describeClass(Class)));
		expect(saved.filter((one) => !current.has(one))).toEqual([]);
	},
);
