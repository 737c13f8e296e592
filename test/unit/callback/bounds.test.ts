import { isWithinBounds } from '../../../nodes/PriceCollection/callback/bounds';

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('what can be a notification', () => {
	it.each([undefined, null, 'x'.repeat(10_000), 7, {}, [], { job_id: 'a', data: [null, 'x'] }])(
		'is what is small: %#',
		(data) => {
			expect(isWithinBounds(data)).toBe(true);
		},
	);

	it('has 5,000 fields and elements, all levels together', () => {
		expect(isWithinBounds(fields(5_000))).toBe(true);
		expect(isWithinBounds(fields(5_001))).toBe(false);
		expect(isWithinBounds({ a: fields(2_499), b: fields(2_499) })).toBe(true);
		expect(isWithinBounds({ a: fields(2_499), b: fields(2_500) })).toBe(false);
		expect(isWithinBounds(Array.from({ length: 5_001 }, () => 1))).toBe(false);
	});

	it('has 40 levels', () => {
		expect(isWithinBounds(nested(40))).toBe(true);
		expect(isWithinBounds(nested(41))).toBe(false);
		expect(isWithinBounds({ flat: 1, deep: nested(40) })).toBe(false);
	});

	it('may hold bytes, which are not looked into', () => {
		expect(isWithinBounds(Buffer.alloc(10_000))).toBe(true);
		expect(isWithinBounds({ body: Buffer.alloc(10_000) })).toBe(true);
	});
});
