import * as z from 'zod/v4-mini';

import { storedFormat } from '../../../nodes/PriceCollection/n8n/storedFormat';

const schema = z.object({ name: z.string(), inner: z.optional(z.object({ size: z.number() })) });
const first = storedFormat('The record', schema);

describe('a stored format', () => {
	it('writes its version beside the value, and reads it back', () => {
		expect(first.write({ name: 'a' })).toEqual({ version: 1, name: 'a' });
		expect(first.read({ version: 1, name: 'a' })).toEqual({ kind: 'read', value: { name: 'a' } });
		for (const nothing of [undefined, null]) expect(first.read(nothing)).toEqual({ kind: 'absent' });
	});

	it.each<[string, unknown]>([
		...[{ name: 'a' }, { version: '1', name: 'a' }, { version: 1.5, name: 'a' }, [1], 'text'].map(
			(stored): [string, unknown] => ['The record has no version', stored],
		),
		['The record was written by a newer version of this package', { version: 2, name: 'a' }],
		['The record is damaged at name', { version: 1 }],
		['The record is damaged at inner.size', { version: 1, name: 'a', inner: {} }],
	])('says "%s" of %j', (reason, stored) => {
		expect(first.read(stored)).toEqual({ kind: 'unreadable', reason });
	});
});

describe('a later version', () => {
	const third = storedFormat('The record', schema, [
		({ title, ...rest }) => ({ ...rest, name: title }),
		(stored) => ({ ...stored, inner: { size: 3 } }),
	]);

	it.each([
		['first', { version: 1, title: 'a' }, { name: 'a', inner: { size: 3 } }],
		['second', { version: 2, name: 'a' }, { name: 'a', inner: { size: 3 } }],
		['third', { version: 3, name: 'a', inner: { size: 1 } }, { name: 'a', inner: { size: 1 } }],
	])('reads what the %s has written, and writes its own number', (_name, stored, value) => {
		expect(third.read(stored)).toEqual({ kind: 'read', value });
		expect(third.write(value)).toEqual({ ...value, version: 3 });
	});
});
