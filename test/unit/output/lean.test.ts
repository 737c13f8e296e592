import { leanRow } from '../../../nodes/PriceCollection/output/lean';

describe('leanRow', () => {
	it('leaves out what says nothing, and keeps what does', () => {
		expect(leanRow({ a: null, b: '', c: undefined, d: [], e: 0, f: false, g: 'x', h: {} })).toEqual({
			e: 0,
			f: false,
			g: 'x',
			h: {},
		});
	});

	it('cuts long lists and says how long they were', () => {
		const offers = Array.from({ length: 25 }, (_, place) => ({ place }));
		expect(leanRow({ offers })).toEqual({ offers: offers.slice(0, 10), offers_total: 25 });
		expect(leanRow({ offers: offers.slice(0, 10) })).toEqual({ offers: offers.slice(0, 10) });
	});
});
