import { hashOf } from './random.ts';
import { SHOPS } from './vocabulary.ts';

/**
 * Realistic products, shops and prices, for the demo and for pictures. Tests use the vocabulary instead, with its odd
 * characters and arbitrary prices.
 */
const PRODUCTS = [
	{ brand: 'Norvik', name: 'Norvik Kettle 1.7 L, stainless steel', cents: 4_499 },
	{ brand: 'Aurelo', name: 'Aurelo Espresso machine EM 200', cents: 18_990 },
	{ brand: 'Norvik', name: 'Norvik Toaster 2 slices, black', cents: 3_499 },
	{ brand: 'Kessler', name: 'Kessler Cordless drill 18 V with two batteries', cents: 12_999 },
	{ brand: 'Kessler', name: 'Kessler Pressure washer 1,800 W', cents: 15_490 },
	{ brand: 'Lumivo', name: 'Lumivo Desk lamp LED, dimmable', cents: 3_990 },
	{ brand: 'Brisa', name: 'Brisa Hair dryer 2,200 W', cents: 4_290 },
	{ brand: 'Brisa', name: 'Brisa Electric toothbrush, 2 heads', cents: 6_995 },
	{ brand: 'Sonoro', name: 'Sonoro Wireless headphones N40', cents: 8_999 },
	{ brand: 'Sonoro', name: 'Sonoro Bluetooth speaker mini', cents: 5_490 },
	{ brand: 'Aurelo', name: 'Aurelo Coffee grinder, conical burrs', cents: 7_990 },
	{ brand: 'Tavola', name: 'Tavola Cast iron pan 28 cm', cents: 4_990 },
];

/** The products in the examples, with prices close to the shop's prices in their sheets. */
const OF_EXAMPLES: Readonly<Record<number, (typeof PRODUCTS)[number]>> = {
	4006381333931: { brand: 'Norvik', name: 'Norvik Kettle 1.5 L, glass', cents: 4_199 },
	5901234123457: { brand: 'Sonoro', name: 'Sonoro Television 55 inch, 4K', cents: 77_900 },
	9780201379624: { brand: 'Lumivo', name: 'Lumivo Ceiling lamp, 5 spots', cents: 11_490 },
};

const EVERYDAY_SHOPS = [
	{ name: 'Home & Kitchen Direct', domain: 'home-kitchen.example' },
	{ name: 'Elektro Berger', domain: 'elektro-berger.example' },
	{ name: 'ToolHub', domain: 'toolhub.example' },
	{ name: 'Techmarkt24', domain: 'techmarkt24.example' },
	{ name: 'Maison Claire', domain: 'maison-claire.example' },
	{ name: 'Nordshop', domain: 'nordshop.example' },
	{ name: 'Discount Depot', domain: 'discount-depot.example' },
];

const CONDITIONS: Readonly<Record<string, [text: string, part: number]>> = {
	new: ['New', 1],
	open_box: ['Open box', 0.88],
	used: ['Used – very good', 0.72],
	refurbished: ['Refurbished', 0.8],
};

const amount = (cents: number) => (cents / 100).toFixed(2);
const centsOf = (text: unknown) => Math.round(Number(text) * 100);

type Fields = Record<string, unknown>;

/** A price near the usual one that varies a little by shop and time and ends in .99. */
function priceIn(shop: string, usual: number, at: number, part: number): number {
	const byShop = 0.96 + (hashOf(shop) % 21) / 100;
	const byTime = 0.97 + (hashOf(`${shop} ${at}`) % 7) / 100;
	return Math.max(100, Math.round((usual * byShop * byTime * part) / 100) * 100) - 1;
}

/**
 * Replaces the words and prices of a content by everyday ones.
 *
 * @param at when the job was created, in milliseconds since 1970: prices change from job to job
 */
export function everyday(content: unknown, value: string, at: number): unknown {
	const words = value.toLowerCase().match(/[a-z]{4,}/g) ?? [];
	const named = PRODUCTS.find(({ name }) => words.some((word) => name.toLowerCase().includes(word)));
	const ofAny = PRODUCTS[hashOf(value) % PRODUCTS.length] ?? { brand: '', name: '', cents: 0 };
	const product = OF_EXAMPLES[Number(value)] ?? named ?? ofAny;
	const withShop = (text: string) =>
		SHOPS.reduce(
			(so, { domain }, place) => so.replaceAll(domain, EVERYDAY_SHOPS[place]?.domain ?? domain),
			text,
		);
	const rewrite = (node: unknown): unknown => {
		if (Array.isArray(node)) return node.map(rewrite);
		if (typeof node === 'string') return withShop(node);
		if (typeof node !== 'object' || node === null) return node;
		const fields = Object.fromEntries(
			Object.entries(node).map(([name, field]) => [name, rewrite(field)]),
		) as Fields;
		const shop = SHOPS.findIndex(({ name }) => name === fields.shop_name);
		if (shop >= 0) fields.shop_name = EVERYDAY_SHOPS[shop]?.name;
		const [text, part] = CONDITIONS[String(fields.condition_code ?? 'new')] ?? ['New', 1];
		if (typeof fields.condition_text === 'string') fields.condition_text = text;
		if (typeof fields.name === 'string') fields.name = product.name;
		if (typeof fields.brand_name === 'string') fields.brand_name = product.brand;
		const cents = priceIn(`${value} ${String(fields.shop_name ?? '')}`, product.cents, at, part);
		for (const name of ['price', 'min_price'])
			if (typeof fields[name] === 'string') fields[name] = amount(cents);
		if (typeof fields.rrp === 'string') fields.rrp = amount(Math.round(product.cents * 1.2));
		if (typeof fields.max_price === 'string') fields.max_price = amount(Math.round(cents * 1.3));
		if (typeof fields.price_with_shipping === 'string') {
			fields.price_with_shipping = amount(cents + centsOf(fields.shipping_costs ?? 0));
		}
		return fields;
	};
	return rewrite(content);
}
