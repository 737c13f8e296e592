'use strict';

/**
 * The practical floor: a node that does nothing but fetch a finished job's JSON and put its results, or the
 * offers in them with two fields of their product, into items. Only the benchmarks load it.
 */
class LeastDownload {
	constructor() {
		const field = (name) => ({ displayName: name, name, type: 'string', default: '' });
		this.description = {
			displayName: 'Least Download',
			name: 'leastDownload',
			group: ['input'],
			version: 1,
			description: 'Downloads results',
			defaults: { name: 'Least Download' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [field('url'), field('output')],
		};
	}

	async execute() {
		const url = this.getNodeParameter('url', 0);
		const { results } = JSON.parse(await this.helpers.httpRequest({ url, encoding: 'text' }));
		const pairedItem = { item: 0 };
		if (this.getNodeParameter('output', 0) === 'results') {
			return [results.map((json) => ({ json, pairedItem }))];
		}
		const items = results.flatMap(({ query, content }) =>
			content.offers.map((offer) => ({
				json: { value: query.value, name: content.name, ...offer },
				pairedItem,
			})),
		);
		return [items];
	}
}

module.exports = { LeastDownload };
