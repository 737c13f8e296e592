'use strict';

/**
 * The four classes of the package, for the tools and tests here that look at the built nodes: n8n reads the `n8n` section
 * of package.json and never loads this file. Needs a build (`npm run build`).
 */
const {
	PriceCollection,
	PriceCollectionApi,
	PriceCollectionPollingTrigger,
	PriceCollectionTrigger,
} = require('./dist/nodes/PriceCollection/nodes.js');

module.exports = {
	PriceCollection,
	PriceCollectionApi,
	PriceCollectionPollingTrigger,
	PriceCollectionTrigger,
};
