import { comparePrices } from '../../../nodes/PriceCollection/rows/bestPrice';
import { priceReasons } from '../../../nodes/PriceCollection/rows/reasons';
import { atOnce } from '../atOnce';
import { readerOf } from './reader';

test('offers in more currencies than a call takes arguments have no best price, and say why', () => {
	const offers = Array.from({ length: 130_000 }, (_, place) => ({ price: '1.00', currency: `C${place}` }));
	const options = { conditions: ['any'], ignoreShops: [], includeShipping: true };
	const compared = atOnce(comparePrices)({ offers }, options, { topic: 'product_and_offers' }, readerOf());
	expect([compared.best.best_price, compared.best.priced_offers]).toEqual([null, 130_000]);
	expect(priceReasons(compared)).toEqual(['prices in several currencies: C0, C1, C10, C100, …']);
});
