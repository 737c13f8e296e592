'use strict';

/**
 * For programs that use the nodes without n8n's loader: n8n itself reads the `n8n` section of
 * package.json and never loads this file. Needs a build (`npm run build`) and n8n-workflow.
 */
const {
	PriceCollection,
	PriceCollectionApi,
	PriceCollectionPollingTrigger,
	PriceCollectionTrigger,
} = require('./dist/nodes/PriceCollection/bundle.js');

module.exports = {
	PriceCollection,
	PriceCollectionApi,
	PriceCollectionPollingTrigger,
	PriceCollectionTrigger,
};
