import { pairedTo, OutputByItem } from '../../../nodes/PriceCollection/n8n/pairing';

describe('OutputByItem', () => {
	it('puts everything in the order of the input items, and within one in that of adding', () => {
		const slots = new OutputByItem();
		for (const [item, name] of [
			[10, 'c'],
			[2, 'a'],
			[10, 'd'],
			[2, 'b'],
		] as const) {
			slots.add(item, { json: { name } });
		}
		expect(slots.inInputOrder().map(({ json }) => json.name)).toEqual(['a', 'b', 'c', 'd']);
	});

	it('takes 100,000 rows of one item', () => {
		const slots = new OutputByItem();
		for (let row = 0; row < 100_000; row++) slots.add(0, { json: { row } });
		expect(slots.inInputOrder()).toHaveLength(100_000);
	});
});

describe('pairedTo', () => {
	it('links to one item directly and to several as a list', () => {
		expect(pairedTo([4])).toEqual({ item: 4 });
		expect(pairedTo([1, 2])).toEqual([{ item: 1 }, { item: 2 }]);
	});
});
