import { linkOf } from '../../../nodes/PriceCollection/run/record';

test('a link is to one item directly, to several as a list, and names the node where they are those of another', () => {
	expect(linkOf([{ item: 4 }])).toEqual({ item: 4 });
	expect(linkOf([{ item: 1 }, { item: 2 }])).toEqual([{ item: 1 }, { item: 2 }]);
	const source = { previousNode: 'Items' };
	expect(linkOf([{ item: 4, source }])).toEqual({ item: 4, sourceOverwrite: source });
});
