import { linkOf } from '../../../../nodes/PriceCollection/run/lookup/record';

describe('linkOf', () => {
	it('links to one item directly and to several as a list', () => {
		expect(linkOf([{ item: 4 }])).toEqual({ item: 4 });
		expect(linkOf([{ item: 1 }, { item: 2 }])).toEqual([{ item: 1 }, { item: 2 }]);
	});

	it('names the node where the items are those of another one', () => {
		const source = { previousNode: 'Items' };
		expect(linkOf([{ item: 4, source }])).toEqual({ item: 4, sourceOverwrite: source });
	});
});
