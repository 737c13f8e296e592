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

	it('is cut between characters', () => {
		expect(oneLine('abcdef', 3)).toBe('abc');
		expect(oneLine('ab👍', 3)).toBe('ab');
		expect(oneLine('a b', 2)).toBe('a');
	});

	it('is cleaned before it is cut, so that no half of a secret remains', () => {
		const clean = (text: string) => text.replaceAll('SECRETSECRET', '***');
		expect(oneLine('xSECRETSECRETy', 5, clean)).toBe('x***y');
		expect(oneLine('xSECRETSECRETy', 3, clean)).toBe('x**');
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

describe('the name of a file', () => {
	test.each([
		['5f3a9c', '5f3a9c'],
		['../../etc/passwd', '__.._etc_passwd'],
		['..\\x', '__x'],
		['.bashrc', '_bashrc'],
		['a/b:c*d?"e"<f>|g\n', 'a_b_c_d__e__f__g'],
		['', '_'],
		['\u0000', '_'],
	])('of %j is %j', (text, name) => {
		expect(fileNameOf(text)).toBe(name);
	});

	it('is no longer than file systems allow', () => {
		expect(fileNameOf('x'.repeat(1_000))).toHaveLength(100);
	});
});
