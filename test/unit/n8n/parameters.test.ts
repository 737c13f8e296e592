import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { parameterReader } from '../../../nodes/PriceCollection/n8n/parameters';

/** What the reader gives for the parameter `values`, and whether n8n had to evaluate it. */
function read(stored: string, json: IDataObject): unknown {
	const context: Partial<IExecuteFunctions> = {
		getInputData: () => [{ json }],
		getNode: () => ({
			id: '1',
			name: 'Prices',
			type: 'x',
			typeVersion: 1,
			position: [0, 0],
			parameters: { values: stored },
		}),
		getNodeParameter: (() => 'evaluated') as unknown as IExecuteFunctions['getNodeParameter'],
	};
	return parameterReader.call(context as IExecuteFunctions)('values', 0);
}

const JSON_ITEM = { gtin: '00123', count: 5, none: null, list: ['a'], product: { ean: '77' }, '': 'x' };

test.each([
	['={{ $json.gtin }}', '00123'],
	['={{$json.gtin}}', '00123'],
	['={{ $json.count }}', 5],
	['={{ $json.product.ean }}', '77'],
])('a plain field is read from the item: %s', (stored, value) => {
	expect(read(stored, JSON_ITEM)).toBe(value);
});

test.each([
	'={{ $json.missing }}',
	'={{ $json.none }}',
	'={{ $json.list }}',
	'={{ $json.product }}',
	'={{ $json.gtin.length }}',
	'={{ $json.constructor }}',
	'={{ $json.gtin.trim() }}',
	'={{ $json["gtin"] }}',
	'={{ $json.gtin }} and more',
	'=x {{ $json.gtin }}',
	'={{ $jsonx.gtin }}',
	'={{ $json.gtin + 1 }}',
])('anything else is evaluated by n8n: %s', (stored) => {
	expect(read(stored, JSON_ITEM)).toBe('evaluated');
});
