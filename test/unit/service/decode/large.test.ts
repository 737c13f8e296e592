import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { textsOf } from '../../../../nodes/PriceCollection/service/decode/bytes';
import { parseXml } from '../../../../nodes/PriceCollection/service/decode/xml';

// What takes documents of megabytes to see. Mutants are not played against these tests: each takes too long for that.

/** 4,000 times what is written, and comments of 36 MB between them. */
function documentOf(write: (n: number) => string): Buffer {
	const comment = `<!--${'€'.repeat(3_000)}-->`;
	return Buffer.from(`<r>${Array.from({ length: 4_000 }, (_, n) => write(n) + comment).join('')}</r>`);
}

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
		const parsed = await parseXml(textsOf(bytes, 'utf-8'), async () => {});
		// Views of the pieces that they stood in would keep 12 MB.
		expect(heap() - before).toBeLessThan(4_000_000);
		expect(JSON.stringify(parsed)).toContain('a text of some length, 3999');
	});
});
