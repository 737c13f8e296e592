import { codeOfCountry, countryCodes, nameOfCountry } from '../../../nodes/PriceCollection/values/country';

test.each([
	['Germany', 'de'],
	[' GERMANY ', 'de'],
	['United Kingdom', 'gb'],
	['Serbia', 'rs'],
	['Curaçao', 'cw'],
	['Deutschland', undefined],
	['de', undefined],
	['', undefined],
	['Eurozone', undefined],
	['Unknown Region', undefined],
])('the country %j is written %s', (name, code) => {
	expect(codeOfCountry(name)).toBe(code);
});

test.each([
	['de', 'Germany'],
	['DE', 'Germany'],
	['xq', undefined],
	['deu', undefined],
	['d', undefined],
])('the code %j is that of %s', (code, name) => {
	expect(nameOfCountry(code)).toBe(name);
});

test('each country has one code, which leads back to it', () => {
	const codes = countryCodes();
	expect(codes.length).toBeGreaterThan(240);
	for (const other of ['eu', 'ez', 'un', 'xa', 'zz']) expect(codes).not.toContain(other);
	expect(new Set(codes).size).toBe(codes.length);
	// This includes the shortest names, such as Chad. No name is as short as a code.
	for (const code of codes) expect(codeOfCountry(nameOfCountry(code) ?? '')).toBe(code);
});
