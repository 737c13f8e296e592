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

function savedCopy(name: string): Record<string, unknown> {
	return JSON.parse(readFileSync(path.join(SAVED, `${name}.json`), 'utf8')) as Record<string, unknown>;
}

describe('descriptions are those of the saved copy', () => {
	it.each(Object.entries(CLASSES))('%s', (name, Class) => {
		expect(describeClass(Class)).toEqual(savedCopy(name));
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
