import { fileNameOf, oneLine } from '../../../nodes/PriceCollection/service/text';

describe('a line', () => {
	test.each([
		['as it is', 'as it is'],
		['  two\r\n\n lines\t', 'two lines'],
		['a\u0000b\u001b[31mc\u007fd\u0085e', 'a b [31mc d e'],
		['a\u2028b\u2029c', 'a b c'],
		['a\u202eb\u2066c\u200fd', 'a b c d'],
		['Ünïcode 日本 👍🏽', 'Ünïcode 日本 👍🏽'],
		['\n\t ', ''],
	])('of %j is %j', (text, line) => {
		expect(oneLine(text)).toBe(line);
	});

	it('is cut between characters, when it was cleaned, so that no half of a secret remains', () => {
		expect([oneLine('abcdef', 3), oneLine('ab👍', 3), oneLine('a b', 2)]).toEqual(['abc', 'ab', 'a']);
		expect(oneLine('xSECRETy', 5, (text) => text.replaceAll('SECRET', '***'))).toBe('x***y');
	});

	it('is made of the beginning of a text of any length', () => {
		let seen = 0;
		oneLine(' \n'.repeat(1_000_000), 100, (text) => {
			seen = text.length;
			return text;
		});
		expect(seen).toBeLessThan(5_000);
	});
});

test.each([
	['5f3a9c', '5f3a9c'],
	['../../etc/passwd', '__.._etc_passwd'],
	['.bashrc\\x', '_bashrc_x'],
	['a/b:c*d?"e"<f>|g\n', 'a_b_c_d__e__f__g'],
	['\u0000', '_'],
	['x'.repeat(1_000), 'x'.repeat(100)],
])('the name of a file of %j is %j', (text, name) => {
	expect(fileNameOf(text)).toBe(name);
});
