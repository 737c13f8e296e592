import { useStill } from './support.ts';

const client = useStill();

it('everyday texts: a product, its shops and prices are as in shops, around one price, and change with the time', async () => {
	client.sandbox.setOptions({ texts: 'everyday' });
	const offersAt = async () => {
		const [result] = await client.results({
			topic: 'product_and_offers',
			key: 'gtin',
			value: '4006381333931',
		});
		return (result as unknown as { content: { offers: Array<Record<string, string>> } }).content.offers;
	};
	const [first, second] = [await offersAt(), (client.sandbox.advance(60_000), await offersAt())];
	const prices = first
		.filter(({ condition_code }) => condition_code === 'new')
		.map(({ price }) => Number(price));
	expect(Math.max(...prices) / Math.min(...prices)).toBeLessThan(1.4);
	expect(JSON.stringify(first)).not.toMatch(/Müller|[^\x20-\x7e–]/);
	expect(second.map(({ price }) => price)).not.toEqual(first.map(({ price }) => price));
});
