import { PriceCollectionApi } from '../../../credentials/PriceCollectionApi.credentials';
import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { PriceCollectionPollingTrigger } from '../../../nodes/PriceCollection/PriceCollectionPollingTrigger.node';
import { PriceCollectionTrigger } from '../../../nodes/PriceCollection/PriceCollectionTrigger.node';
import { namesOf, savedNames } from '../../../tools/names.cjs';

const CLASSES = {
	PriceCollection,
	PriceCollectionApi,
	PriceCollectionPollingTrigger,
	PriceCollectionTrigger,
};

/** `missing`: users' workflows hold these, so restore them. `unsaved`: add what is new with `npm run names:add`. */
test.each(Object.entries(CLASSES))(
	'%s has every name, default and choice that was ever saved',
	(name, Class) => {
		const saved = savedNames(name);
		const current = namesOf(Class);
		const missing = saved.filter((one) => !current.includes(one));
		const unsaved = current.filter((one) => !saved.includes(one));
		expect({ missing, unsaved }).toEqual({ missing: [], unsaved: [] });
	},
);
