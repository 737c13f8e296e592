import { besideInput } from '../../../nodes/PriceCollection/output/inputFields';

const merged = (input: object, row: object) =>
	Object.entries(besideInput(structuredClone(input) as never, row as never));

describe('a row behind the fields of its item', () => {
	test('renews answers in their place, and steps aside with any other column', () => {
		const input = { best_price: 1, name: 'mine', sku: 'A', found: false };
		const row = { value: 'x', found: true, name: 'theirs', best_price: 9 };
		expect(merged(input, row)).toEqual([
			['best_price', 9],
			['name', 'mine'],
			['sku', 'A'],
			['found', true],
			['value', 'x'],
			['result_name', 'theirs'],
		]);
	});

	test('renews what an earlier row has left, so that a sheet does not grow', () => {
		const input = { name: 'mine', result_name: 'old', value: 'x', result_value: 'y' };
		expect(merged(input, { value: 'z', name: 'new' })).toEqual([
			['name', 'mine'],
			['result_name', 'new'],
			['value', 'x'],
			['result_value', 'z'],
		]);
	});

	test('loses no column of its own, and takes any name of the item', () => {
		const input = JSON.parse('{"__proto__":{"a":1},"name":1,"constructor":2,"":3}') as object;
		const row = { name: 'a', result_name: 'b' };
		expect(merged(input, row)).toEqual([
			['__proto__', { a: 1 }],
			['name', 1],
			['constructor', 2],
			['', 3],
			['result_name', 'a'],
			['result_result_name', 'b'],
		]);
	});
});
