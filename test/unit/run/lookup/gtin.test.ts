import { checkGtin } from '../../../../nodes/PriceCollection/run/lookup/gtin';

test.each([
	['GTIN-8', '96385074'],
	['GTIN-12', '885909666966'],
	['GTIN-13', '4006381333931'],
	['GTIN-14', '10614141000415'],
	['leading zeros added', '00885909666966'],
	['leading zeros stripped', '12345678905'],
	['GTIN-8 without its leading zero', '1234565'],
])('accepts a sound GTIN: %s', (_name, value) => {
	expect(checkGtin(value)).toBeUndefined();
});

test.each([
	['', 'digits'],
	['40063813339 31', 'digits'],
	['B00ABCDEFG', 'digits'],
	['４００６３８１３３３９３１', 'digits'],
	['123456', 'length'],
	['1234567', 'checkDigit'],
	['004006381333931', 'length'],
	['4006381333932', 'checkDigit'],
	['4006381339331', 'checkDigit'],
])('finds what is wrong with %j: %s', (value, problem) => {
	expect(checkGtin(value)).toBe(problem);
});
