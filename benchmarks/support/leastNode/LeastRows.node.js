'use strict';

/** The practical floor: a node that does nothing but put ready-made main columns beside each item. */
class LeastRows {
	constructor() {
		this.description = {
			displayName: 'Least Rows',
			name: 'leastRows',
			group: ['input'],
			version: 1,
			description: 'Adds columns',
			defaults: { name: 'Least Rows' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		};
	}

	async execute() {
		const rowOf = ({ json }, item) => ({
			...json,
			result_value: json.value,
			found: true,
			result_name: `Coffee grinder ${item}`,
			best_price: 81.44,
			best_total: 85.43,
			best_currency: 'EUR',
			best_shop: 'Sample Shop',
			best_availability: null,
			best_url: 'https://shop.example/o/0?ref=google_shopping&c=de',
			reason: null,
		});
		const items = this.getInputData();
		return [items.map((one, item) => ({ json: rowOf(one, item), pairedItem: { item } }))];
	}
}

module.exports = { LeastRows };
