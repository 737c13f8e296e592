'use strict';

const { readFileSync } = require('node:fs');
const path = require('node:path');

const EXAMPLES = path.join(__dirname, '../../examples');

/** The sheet in the examples, which a user replaces by the address of another one. */
const SHEET = 'PASTE-THE-ADDRESS-OF-YOUR-SHEET-HERE';

/** The credential that a node of an example asks for. */
const NEEDED = {
	'n8n-nodes-price-collection.priceCollection': 'priceCollectionApi',
	'n8n-nodes-price-collection.priceCollectionTool': 'priceCollectionApi',
	'n8n-nodes-price-collection.priceCollectionTrigger': 'priceCollectionApi',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.wooCommerce': 'wooCommerceApi',
};

/**
 * An example as its file has it.
 * @param {string} name
 * @returns {{ name: string, nodes: import('n8n-workflow').INode[], connections: import('n8n-workflow').IConnections }}
 */
const readExample = (name) => JSON.parse(readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8'));

/**
 * The nodes with their credentials, if there are any.
 * @param {import('n8n-workflow').INode[]} nodes
 * @param {Record<string, { id: string, name: string }>} credentials by their type
 * @returns {import('n8n-workflow').INode[]}
 */
function withCredentials(nodes, credentials) {
	return nodes.map((node) => {
		const type = NEEDED[node.type] ?? '';
		const credential = credentials[type];
		return { ...node, ...(credential && { credentials: { [type]: credential } }) };
	});
}

/**
 * The trigger for running a workflow by hand: its first one.
 * @param {import('n8n-workflow').INode[]} nodes
 * @returns {string}
 */
const startOf = (nodes) => nodes.find(({ type }) => /trigger$/i.test(type))?.name ?? '';

module.exports = { SHEET, readExample, startOf, withCredentials };
