'use strict';

/**
 * The four classes of the package, for the tools and tests here that look at the built nodes: n8n reads the `n8n` section
 * of package.json and never loads this file. Needs a build (`npm run build`).
 */
module.exports = {
	...require('./dist/nodes/PriceCollection/PriceCollection.node.js'),
	...require('./dist/nodes/PriceCollection/PriceCollectionTrigger.node.js'),
	...require('./dist/nodes/PriceCollection/PriceCollectionPollingTrigger.node.js'),
	...require('./dist/credentials/PriceCollectionApi.credentials.js'),
};
