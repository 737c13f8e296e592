/** Products of the sheets in the examples' tests, and what a market returns for them. */

export const PEN = '4006381333931';
export const MUG = '5901234123457';
/** Sheets drop the leading zeros of such a GTIN. */
export const LAMP = '0012345678905';
export const BAG = '9780201379624';

export const offer = (price: string, shop_name: string, more: object = {}) => ({
	...{ price, currency: 'EUR', condition_code: 'new', shop_name, url: `https://${shop_name}.example/` },
	...more,
});

export const product = (name: string, ...offers: object[]) => ({ name, offers });
