import * as z from '../../../vendor/zod';

import { storedFormat } from '../../../nodes/PriceCollection/n8n/storedFormat';

const schema = z.object({ name: z.string(), inner: z.optional(z.object({ size: z.number() })) });
const format = storedFormat('The record', schema);

describe('a stored format', () => {
	it('writes its version beside the value, and reads it back', () => {
		expect(format.write({ name: 'a' })).toEqual({ version: 1, name: 'a' });
		expect(format.read({ version: 1, name: 'a' })).toEqual({ kind: 'read', value: { name: 'a' } });
		for (const nothing of [undefined, null]) expect(format.read(nothing)).toEqual({ kind: 'absent' });
	});

	const OTHER = 'The record was written by another version of this package';
	it.each<[string, unknown]>([
		...[{ name: 'a' }, { version: '1', name: 'a' }, { version: 0, name: 'a' }, [1], 'text'].map(
			(stored): [string, unknown] => [OTHER, stored],
		),
		[OTHER, { version: 2, name: 'a' }],
		['The record is damaged at name', { version: 1 }],
		['The record is damaged at inner.size', { version: 1, name: 'a', inner: {} }],
	])('says "%s" of %j', (reason, stored) => {
		expect(format.read(stored)).toEqual({ kind: 'unreadable', reason });
	});
});
