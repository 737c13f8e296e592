import { echoedValue } from '../../../nodes/PriceCollection/service/types';

test('the value of a result is what its query says', () => {
	expect(echoedValue({ value: 'a', values: 'b', gtin: 'c' })).toBe('a');
	for (const query of [{ value: '' }, { value: null }, { gtin: '123' }, {}, undefined])
		expect(echoedValue(query)).toBeUndefined();
});
