import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { parseJson } from '../../../../nodes/PriceCollection/service/decode/json';
import { parseXml } from '../../../../nodes/PriceCollection/service/decode/xml';

// What takes documents of megabytes to see. Mutants are not played against these tests: each takes too long for that.

/** 4,000 times what is written, and comments of 36 MB between them. */
function documentOf(write: (n: number) => string): Buffer {
	const comment = `<!--${'€'.repeat(3_000)}-->`;
	return Buffer.from(`<r>${Array.from({ length: 4_000 }, (_, n) => write(n) + comment).join('')}</r>`);
}

describe('parseJson', () => {
	it('reads large documents in steps: the same value, and others get their turn', async () => {
		const offers = Array.from({ length: 250_000 }, (_, n) => ({
			id: `${n}`,
			name: 'é "x"',
			price: n / 10,
		}));
		const document = { results: [offers, offers.slice(0, 9)], status: 'finished' };
		const bytes = Buffer.from(JSON.stringify(document).replace('"price":0.1', '"price":1e999'));
		let turns = 0;
		const parsed = await parseJson([bytes], async () => {
			turns++;
		});
		const expected = JSON.parse(JSON.stringify(document)) as {
			results: Array<Array<{ price: unknown }>>;
		};
		expected.results[0]![1]!.price = '1e999';
		// A difference between documents of this size would take minutes to print.
		expect(isDeepStrictEqual(parsed, { ok: true, value: expected })).toBe(true);
		expect(turns).toBe(Math.floor(bytes.length / 2 ** 22));
		const cut = await parseJson([bytes.subarray(0, -3)], async () => {});
		expect(cut).toEqual({ ok: false, detail: 'The JSON ends in the middle', truncated: true });
	});

	it('ends when a turn is refused', async () => {
		const bytes = Buffer.from(`[${'1,'.repeat(2_500_000)}1]`);
		const stopped = parseJson([bytes], async () => await Promise.reject(new Error('stopped')));
		await expect(stopped).rejects.toThrow('stopped');
	});

	it('mends a text of several megabytes', async () => {
		const long = 'ä'.repeat(5_000_000);
		const parsed = await parseJson([Buffer.from(JSON.stringify([long, 'x']), 'latin1')], async () => {});
		expect(parsed.ok && isDeepStrictEqual(parsed.value, [long, 'x'])).toBe(true);
		expect(parsed).toMatchObject({ mended: 1 });
	});
});

describe('parseXml', () => {
	it.each([
		['an element', (text: string) => `<a>${text}</a>`],
		['an attribute', (text: string) => `<a b="${text}"/>`],
		['a text beside elements', (text: string) => `<a>${text}<b><c>1</c></b></a>`],
	])('keeps of the document only its values: %s', async (_name, write) => {
		setFlagsFromString('--expose-gc');
		const collectGarbage = runInNewContext('gc') as () => void;
		const heap = () => {
			collectGarbage();
			return process.memoryUsage().heapUsed;
		};
		const bytes = documentOf((n) => write(`a text of some length, ${n}`));
		const before = heap();
		const parsed = await parseXml([bytes], 'utf-8', async () => {});
		// Views of the pieces that they stood in would keep 12 MB.
		expect(heap() - before).toBeLessThan(4_000_000);
		expect(JSON.stringify(parsed)).toContain('a text of some length, 3999');
	});
});
