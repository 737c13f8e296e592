import type { IDataObject, IExecuteFunctions, INode } from 'n8n-workflow';

import { choiceOf, parameterReader } from '../../../nodes/PriceCollection/n8n/parameters';

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

describe('a field with a list of choices', () => {
	const node = { id: '1', name: 'Prices', type: 'x', typeVersion: 1, position: [0, 0], parameters: {} };
	const choose = (value: unknown) => choiceOf(node as INode, 'Wait Mode', value, ['poll', 'durable']);

	test('gives what is among them', () => {
		expect(choose('durable')).toBe('durable');
	});

	test.each<[unknown, string]>([
		['later', '"later"'],
		['x'.repeat(60), `"${'x'.repeat(50)}"`],
		[0, 'what its expression gives'],
		[undefined, 'what its expression gives'],
	])('refuses %j, and names them', (value, shown) => {
		expect(() => choose(value)).toThrow(
			expect.objectContaining({
				message: `Wait Mode cannot be ${shown}`,
				description:
					'Choose one from the list, or let the expression give one of these: poll, durable. Nothing was sent.',
			}),
		);
	});
});
