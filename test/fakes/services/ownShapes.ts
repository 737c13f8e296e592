import fc from 'fast-check';

/**
 * Makes up services that write the same truth in different shapes: where the offers are, what each field is called, and
 * how its value is written. `ownShapes.oracle` knows what can be read of it.
 */

/** The truth about an offer. Amounts are in cents. */
export interface TrueOffer {
	price: number | null;
	shipping: number | null;
	currency: Currency;
	condition: Condition | null;
	shop: number;
	isAvailable: boolean;
}

export interface Truth {
	name: string;
	/** The product's own price, as on a page that sells nothing itself. */
	ownPrice: number | null;
	offers: TrueOffer[];
}

type Currency = 'EUR' | 'GBP' | 'PLN' | 'USD';
export type Condition = 'new' | 'refurbished' | 'used';
type Fields = Record<string, unknown>;

interface Shop {
	name: string;
	id: string;
	domain: string;
}

export const SHOPS: readonly Shop[] = [
	{ name: 'Teehaus Müller', id: 'S-17', domain: 'teehaus-mueller.example' },
	{ name: 'Kettle & Co', id: 'S-204', domain: 'kettles.example' },
	{ name: 'ALFA', id: 'S-9', domain: 'alfa.example' },
	{ name: 'Own Shop', id: 'S-1', domain: 'own-shop.example' },
];

/** Names that the package's contract lists (`table`), and names that it does not list (`own`). */
export const NAMES = {
	price: {
		table: ['price', 'sale_price', 'min_price', 'low_price'],
		own: ['amount_gross', 'preis', 'our_figure', 'price_gross', 'amount', 'value'],
	},
	shipping: {
		table: ['shipping_costs', 'shipping_cost', 'shipping_price', 'shipping'],
		own: ['freight', 'versand', 'postage', 'delivery_fee'],
	},
	total: { table: ['price_with_shipping', 'total_price', 'total'], own: ['sum_gross', 'all_in'] },
	currency: {
		table: ['currency', 'currency_code', 'price_currency'],
		own: ['waehrung', 'money', 'iso', 'code'],
	},
	condition: {
		table: ['condition_code', 'condition_text', 'condition', 'item_condition'],
		own: ['state', 'zustand', 'grade'],
	},
	shop: {
		table: ['shop_name', 'shop', 'seller', 'merchant', 'store', 'vendor', 'retailer'],
		own: ['dealer', 'haendler', 'offered_by', 'name'],
	},
	availability: { table: ['availability_text', 'availability', 'stock'], own: ['lieferbarkeit'] },
	url: { table: ['url', 'link'], own: ['deeplink', 'href'] },
} as const;

export type Meaning = keyof typeof NAMES;
export const MEANINGS = Object.keys(NAMES) as Meaning[];

/**
 * How a value is written. `plain`: as a text, a number, a list of one or an object with known names; `path`: in an
 * object with unknown names, where a path leads to it; `never`: not as an exact value.
 */
export interface Way<T> {
	write: (value: T, offer: TrueOffer) => unknown;
	readable: 'never' | 'path' | 'plain';
	/** The path from the field to the value, as a user enters it. */
	path?: string;
	/** Whether the value contains the currency, as a code or as a sign. */
	currency?: 'code' | 'sign';
}

const plain = <T>(write: Way<T>['write'], currency?: 'code' | 'sign'): Way<T> => ({
	...{ write, readable: 'plain' },
	...(currency && { currency }),
});
const at = <T>(path: string, write: Way<T>['write'], currency?: 'code' | 'sign'): Way<T> => ({
	...plain(write, currency),
	...{ readable: 'path', path },
});
const never = <T>(write: Way<T>['write'], currency?: 'code' | 'sign'): Way<T> => ({
	...plain(write, currency),
	readable: 'never',
});

export const SIGNS: Record<Currency, string> = { EUR: '€', GBP: '£', PLN: 'zł', USD: '$' };
const NUMERIC: Record<Currency, string> = { EUR: '978', GBP: '826', PLN: '985', USD: '840' };

const decimal = (cents: number) => (cents / 100).toFixed(2);
const grouped = (cents: number, [thousands, point]: readonly [string, string]) =>
	decimal(cents)
		.replace('.', point)
		.replace(/\B(?=(\d{3})+(?!\d)[^\d]?\d\d$)/, thousands);
const german = (cents: number) => grouped(cents, ['.', ',']);
const english = (cents: number) => grouped(cents, [',', '.']);
const signed = (cents: number, { currency }: TrueOffer) => {
	if (currency === 'USD' || currency === 'GBP') return `${SIGNS[currency]}${english(cents)}`;
	return `${german(cents)} ${SIGNS[currency]}`;
};

export const PRICES: Record<string, Way<number>> = {
	text: plain((cents) => decimal(cents)),
	number: plain((cents) => cents / 100),
	listOfOne: plain((cents) => [decimal(cents)]),
	amount: plain((cents) => ({ amount: cents / 100 })),
	value: plain((cents) => ({ value: decimal(cents) })),
	valueAndCurrency: plain((cents, { currency }) => ({ value: decimal(cents), currency }), 'code'),
	amountAndCode: plain((cents, { currency }) => ({ currencyCode: currency, amount: cents / 100 }), 'code'),
	fourDecimals: plain((cents) => `${decimal(cents)}00`),
	german: plain((cents) => german(cents)),
	english: plain((cents) => english(cents)),
	withSign: plain(signed, 'sign'),
	withCode: plain((cents, { currency }) => `${decimal(cents)} ${currency}`, 'code'),
	objectWithSign: plain((cents, offer) => ({ text: signed(cents, offer) }), 'sign'),
	current: at('current', (cents) => ({ current: cents / 100, previous: (cents + 500) / 100 })),
	gross: at('gross', (cents) => ({ gross: { value: decimal(cents) }, net: { value: decimal(cents - 1) } })),
	raw: at('raw', (cents, offer) => ({ formatted: signed(cents, offer), raw: decimal(cents) })),
	deep: at(
		'now.gross',
		(cents, { currency }) => ({ now: { gross: { amount: decimal(cents), currency } } }),
		'code',
	),
	star: plain((cents, offer) => `${signed(cents, offer)} *`, 'sign'),
	codeBefore: plain((cents, { currency }) => `${currency} ${german(cents)}`, 'code'),
	nestedValue: at('value', (cents) => ({ value: { amount: decimal(cents) }, unit: 1 })),
	from: never((cents, offer) => `ab ${signed(cents, offer)}`),
	perMonth: never((cents, offer) => `${signed(cents, offer)} / Monat`),
	divisor: never((cents) => ({ amount: cents, divisor: 100 })),
	centAmount: never((cents, { currency }) => ({ centAmount: cents, currencyCode: currency })),
	exponent: never((cents) => ({ value: cents, exponent: 2 })),
	nanos: never((cents) => ({ units: String(Math.trunc(cents / 100)), nanos: (cents % 100) * 10_000_000 })),
	range: never((cents) => ({ min: cents / 100, max: (cents + 900) / 100 })),
	span: never((cents) => `${decimal(cents)} - ${decimal(cents + 300)}`),
	retail: never((cents) => `RRP ${decimal(cents)}`),
	withTax: never((cents, offer) => `${signed(cents, offer)} inkl. MwSt.`),
	twoTexts: never((cents) => [decimal(cents), decimal(cents + 300)]),
};

/** Unknown shipping costs are not written. */
export const SHIPPINGS: Record<string, Way<number>> = {
	text: plain((cents) => decimal(cents)),
	number: plain((cents) => cents / 100),
	listOfOne: plain((cents) => [cents / 100]),
	amount: plain((cents) => ({ amount: decimal(cents) })),
	valueAndCurrency: plain((cents, { currency }) => ({ value: decimal(cents), currency }), 'code'),
	cost: plain((cents) => ({ type: 'standard', cost: cents / 100 })),
	byCountry: plain(
		(cents, { currency }) => [{ country: 'DE', price: `${decimal(cents)} ${currency}` }],
		'code',
	),
	freeOrAmount: plain((cents, offer) => (cents === 0 ? 'free' : signed(cents, offer)), 'sign'),
	kostenlos: plain((cents) => (cents === 0 ? 'Kostenlos' : decimal(cents))),
	plusMark: plain((cents, offer) => `+ ${signed(cents, offer)}`, 'sign'),
	costOfOwn: at('cost', (cents) => ({ type: 'PARCEL', cost: { value: decimal(cents) } })),
	parcel: at('parcel.gross', (cents) => ({ parcel: { gross: decimal(cents), days: 2 } })),
	// Not free: the offer may cost less than 29 €.
	plus: never((cents, offer) =>
		cents === 99 ? 'free from 29 €' : `zzgl. ${signed(cents, offer)} Versand`,
	),
	divisor: never((cents) => ({ amount: cents, divisor: 100 })),
};

const TOTALS: Record<string, Way<number>> = {
	text: plain((cents) => decimal(cents)),
	number: plain((cents) => cents / 100),
	value: plain((cents) => ({ value: decimal(cents) })),
	gross: at('gross', (cents) => ({ gross: cents / 100, tax: 1.9 })),
	centAmount: never((cents) => ({ centAmount: cents })),
};

const CURRENCIES: Record<string, Way<Currency>> = {
	code: plain((currency) => currency),
	lowerCase: plain((currency) => currency.toLowerCase()),
	codeObject: plain((currency) => ({ code: currency })),
	name: plain((currency) => ({ name: currency, id: 7 })),
	listOfOne: plain((currency) => [currency]),
	sign: plain((currency) => SIGNS[currency]),
	clearSign: plain((currency) => (currency === 'USD' ? 'US$' : SIGNS[currency])),
	isoObject: at('iso', (currency) => ({ iso: currency, decimals: 2 })),
	numeric: never((currency) => NUMERIC[currency]),
	number: never((currency) => Number(NUMERIC[currency])),
	flags: never((currency) => ({ [`is${currency}`]: true })),
};

const by = (words: Record<Condition, unknown>) => (condition: Condition) => words[condition];

const CONDITIONS: Record<string, Way<Condition>> = {
	code: plain((condition) => condition),
	words: plain(by({ new: 'New', used: 'Used - very good', refurbished: 'Refurbished' })),
	german: plain(by({ new: 'Neu', used: 'Gebraucht', refurbished: 'Generalüberholt' })),
	capitals: plain((condition) => condition.toUpperCase()),
	schemaOrg: plain(
		by({
			new: 'https://schema.org/NewCondition',
			used: 'https://schema.org/UsedCondition',
			refurbished: 'https://schema.org/RefurbishedCondition',
		}),
	),
	schemaOrgHttp: plain(
		by({
			new: 'http://schema.org/NewCondition',
			used: 'http://schema.org/UsedCondition',
			refurbished: 'http://schema.org/RefurbishedCondition',
		}),
	),
	label: plain(
		by({
			new: { id: 1000, label: 'New' },
			used: { id: 3000, label: 'Used' },
			refurbished: { id: 2000, label: 'Refurbished' },
		}),
	),
	codeObject: plain((condition) => ({ code: condition })),
	listOfOne: plain((condition) => [condition]),
	display: at('display', (condition) => ({ id: 3, display: condition })),
	deep: at('item.shown', (condition) => ({
		item: { shown: condition },
		box: { opened: condition !== 'new' },
	})),
	id: never(by({ new: { id: 1000 }, used: { id: 3000 }, refurbished: { id: 2000 } })),
	flag: never((condition) => ({ is_new: condition === 'new' })),
	number: never(by({ new: 1000, used: 3000, refurbished: 2000 })),
};

export const SHOP_WAYS: Record<string, Way<Shop>> = {
	name: plain(({ name }) => name),
	domain: plain(({ domain }) => domain),
	id: plain(({ id }) => id),
	nameAndId: plain(({ name, id }) => ({ id, name })),
	label: plain(({ name }) => ({ label: name, rating: 4.5 })),
	schemaOrg: plain(({ name, domain }) => ({ '@type': 'Organization', name, url: `https://${domain}/` })),
	listOfOne: plain(({ name }) => [name]),
	username: at('username', ({ name, id }) => ({ user_no: id, username: name })),
	company: at('company.name', ({ name }) => ({ company: { name, town: 'Ulm' }, since: 2009 })),
};

/** Availability is only shown as words in a column and never compared. */
const AVAILABILITIES: Record<string, Way<boolean>> = {
	text: plain((isThere) => (isThere ? 'In stock' : 'Sold out')),
	schemaOrg: plain((isThere) => `https://schema.org/${isThere ? 'InStock' : 'OutOfStock'}`),
	flag: plain((isThere) => isThere),
	label: plain((isThere) => ({ code: isThere ? 'A' : 'X', label: isThere ? 'Available' : 'Gone' })),
};

export const WAYS = {
	...{ price: PRICES, shipping: SHIPPINGS, total: TOTALS, currency: CURRENCIES, condition: CONDITIONS },
	...{ shop: SHOP_WAYS, availability: AVAILABILITIES, url: { text: plain((url: string) => url) } },
} as const;

/** Where a field is: beside the offers, in the offer, in an object inside it, or in the offer's shop. */
type Place = 'around' | 'entry' | 'inner' | 'outer';

interface FieldShape {
	/** In lower case with `_`. */
	name: string;
	isOwn: boolean;
	way: string;
	place: Place;
}

/** Where the offers of a service are. */
export const LISTS = [
	...(['offers', 'productOffers', 'schemaOffers', 'hits', 'bareList', 'buybox'] as const),
	...(['ownList', 'nested', 'twoLists', 'featuredAndOthers', 'offersAndFeatured'] as const),
	...(['byShop', 'byShopPlain', 'oneOrMore', 'ownHits', 'deepHits'] as const),
	...(['byShopSingles', 'detailList'] as const),
	...(['aggregate', 'byCondition', 'byKey', 'ownByKey', 'wrapped'] as const),
];
type ListKind = (typeof LISTS)[number];

export interface Shape {
	list: ListKind;
	/** How the service and the user spell the names of fields. */
	spelling: keyof typeof SPELLINGS;
	toldSpelling: keyof typeof SPELLINGS;
	/** The fields of the service, which may lack some. */
	fields: Partial<Record<Meaning, FieldShape>>;
	/** Whether there is a higher `price` beside the price that one pays. */
	hasRegularPrice: boolean;
	/** The documented topic of the list, or an unknown one. */
	topic: 'deals' | 'usual';
	/** Fields and lists that must not affect the best price. */
	extras: readonly Extra[];
	/** Whether the path of a field in the shop names the list of shops (`far`) or begins at the field. */
	paths: 'far' | 'near';
	/** Whether an offer has a field even without a value. */
	nulls: boolean;
	/** What is written in place of a missing price. */
	noPrice: 'empty' | 'words' | 'zero';
	/** Whether the name of the product's own price is in the contract. */
	ownPrice: 'own' | 'usual';
}

export const SPELLINGS = {
	snake: (name: string) => name,
	kebab: (name: string) => name.replaceAll('_', '-'),
	camel: (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
	pascal: (name: string) => name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()),
};

export const EXTRAS = {
	warranty: { entry: { warranty: '24 months' } },
	deliveryDays: { entry: { delivery_days: 3 } },
	badges: { entry: { badges: ['top', 'eco'] } },
	ratings: {
		content: {
			rating_histogram: [
				{ stars: 5, count: 12 },
				{ stars: 4, count: 2 },
			],
		},
	},
	images: { content: { images: [{ url: 'https://img.example/1.png', width: 400 }] } },
	variants: {
		content: {
			variants: [
				{ color: 'red', price: '0.50' },
				{ color: 'blue', price: '0.60' },
			],
		},
	},
	options: { content: { options: [{ name: 'Size', values: ['S', 'M'] }] } },
	text: { content: { description: 'Boils water.', brand_name: 'Hot' } },
	tracking: { content: { tracking: { campaign: 'x1' } }, entry: { tracking: { position: 3 } } },
	taxes: { entry: { tax: 0.19 } },
	flags: { entry: { marks: [{ code: 'eco' }] } },
	history: { content: { price_history: [{ day: '2026-01-02', price: '1.00' }] } },
	unitPrice: { entry: { unit_price: '1,29 € / 100 g' } },
	emptySale: { entry: { sale_price: '' } },
	oldPrice: { entry: { old_price: 9999.5, rrp: '9999.50' } },
} as const satisfies Record<string, { content?: Fields; entry?: Fields }>;
type Extra = keyof typeof EXTRAS;

/** What the user has named: everything possible, only the lists, nothing, or the lists and the price. */
export type Told = 'all' | 'lists' | 'none' | 'price';

/** The paths to the lists of a kind, in the order of Field Names; none if the contract's names suffice. */
export const PATHS: Record<ListKind, readonly string[]> = {
	...{ offers: [], productOffers: [], schemaOffers: [], hits: [], bareList: [], buybox: [] },
	ownList: ['listings'],
	nested: ['market.lots'],
	twoLists: ['new_offers', 'used_offers'],
	featuredAndOthers: ['featured_offer', 'other_offers'],
	offersAndFeatured: ['featured_offer', 'offers'],
	byShop: ['product.competitors.price_points'],
	byShopPlain: ['dealers.items_sold'],
	byShopSingles: ['product.rivals.lots'],
	detailList: ['variants'],
	oneOrMore: [],
	ownHits: ['treffer'],
	deepHits: ['page.found'],
	aggregate: ['offers.offers'],
	byCondition: ['offers.new_ones', 'offers.used_ones'],
	...{ byKey: [], ownByKey: [] },
	wrapped: ['data.offers'],
};

/** Whether no path leads to the offers, because the names in their object are shops. */
export const isKeyed = ({ list }: Shape) => list === 'byKey' || list === 'ownByKey';

export const areHits = ({ list }: Shape) => ['hits', 'ownHits', 'deepHits'].includes(list);

export function topicOf(shape: Shape): string {
	if (shape.topic === 'deals') return 'deals';
	return areHits(shape) ? 'search' : 'product_and_offers';
}

/** Whether each shop has its own list, with the shop's fields around it. */
const isByShop = (list: ListKind) => list.startsWith('byShop');

/** The name of a product's own price if it is not in the contract. */
const OWN_PRICE = 'product_figure';

/** The name of the object around fields at the place `inner`. */
const INNER = 'commercial';

const usual = (value: unknown) => (value === undefined ? null : value);

/** How a missing price is written. */
const IN_PLACE_OF_PRICE = { empty: null, words: 'auf Anfrage', zero: 0 } as const;

function valueOf(meaning: Meaning, offer: TrueOffer, index: number, { fields, noPrice }: Shape): unknown {
	const total = offer.price === null || offer.shipping === null ? null : offer.price + offer.shipping;
	const values: Record<Meaning, unknown> = {
		...{ price: offer.price, shipping: offer.shipping, total, currency: offer.currency },
		...{ condition: offer.condition, shop: SHOPS[offer.shop], availability: offer.isAvailable },
		url: `https://go.example/${index}`,
	};
	const value = values[meaning];
	const field = fields[meaning];
	if (meaning === 'price' && value === null) return IN_PLACE_OF_PRICE[noPrice];
	if (field === undefined || value === null || value === undefined) return null;
	const ways = WAYS[meaning] as Record<string, Way<unknown>>;
	return usual(ways[field.way]?.write(value, offer));
}

/** The fields at a place, as the service spells them. */
function fieldsAt(place: Place, offer: TrueOffer, index: number, shape: Shape): Fields {
	const found: Fields = {};
	for (const meaning of MEANINGS) {
		const field = shape.fields[meaning];
		if (field?.place !== place) continue;
		const value = valueOf(meaning, offer, index, shape);
		if (value === null && !shape.nulls) continue;
		found[SPELLINGS[shape.spelling](field.name)] = value;
	}
	return found;
}

function entryOf(offer: TrueOffer, index: number, shape: Shape): Fields {
	const inner = fieldsAt('inner', offer, index, shape);
	const extras = shape.extras.map((extra) => ('entry' in EXTRAS[extra] ? EXTRAS[extra].entry : {}));
	const regular =
		shape.hasRegularPrice && offer.price !== null ? { price: (offer.price + 1000) / 100 } : {};
	return Object.assign(
		{ id: `o${index + 1}` },
		...extras,
		regular,
		fieldsAt('entry', offer, index, shape),
		Object.keys(inner).length > 0 ? { [INNER]: inner } : {},
	) as Fields;
}

const nest = (path: string, value: unknown): Fields => {
	const [name = '', ...rest] = path.split('.');
	return { [name]: rest.length === 0 ? value : nest(rest.join('.'), value) };
};

/** The offers in the order in which a reader of all lists finds them. */
export function inOrder({ offers }: Truth, { list }: Shape): TrueOffer[] {
	if (list === 'twoLists' || list === 'byCondition') {
		const isNew = ({ condition }: TrueOffer) => condition === null || condition === 'new';
		return [...offers.filter(isNew), ...offers.filter((offer) => !isNew(offer))];
	}
	if (!isByShop(list)) return [...offers];
	const shops = [...new Set(offers.map((offer) => outerKey(offer)))];
	return shops.flatMap((key) => offers.filter((offer) => outerKey(offer) === key));
}

/** What offers in the same object of a shop have in common. */
const outerKey = ({ shop, condition, currency, isAvailable }: TrueOffer) =>
	[shop, condition, currency, isAvailable].join();

/** The content that a service of this shape sends for a truth. */
export function contentOf(truth: Truth, shape: Shape): unknown {
	const spell = (path: string) => path.split('.').map(SPELLINGS[shape.spelling]).join('.');
	const paths = PATHS[shape.list].map(spell);
	const offers = inOrder(truth, shape);
	const entries = offers.map((offer, index) => entryOf(offer, index, shape));
	const extras = shape.extras.map((extra) => ('content' in EXTRAS[extra] ? EXTRAS[extra].content : {}));
	const [first] = offers;
	const around = first === undefined ? {} : fieldsAt('around', first, 0, shape);
	const ownName = shape.ownPrice === 'own' ? spell(OWN_PRICE) : 'price';
	const own = truth.ownPrice === null ? {} : { [ownName]: truth.ownPrice / 100 };
	const product = Object.assign({ name: truth.name }, own, around, ...extras) as Fields;
	const [featured, ...others] = entries;
	const [near = ''] = paths;
	switch (shape.list) {
		case 'offers':
			return { ...product, offers: entries };
		case 'schemaOffers':
			return { '@type': 'Product', ...product, Offers: entries };
		case 'oneOrMore':
			return {
				...product,
				...(entries.length > 0 && { offers: others.length > 0 ? entries : featured }),
			};
		case 'productOffers':
			return { product: { ...product, offers: entries } };
		case 'buybox':
			return { ...product, buybox: featured ?? null, offers: others };
		case 'bareList':
			return entries;
		case 'hits':
			return { ...around, search_results: entries };
		case 'ownHits':
			return { ...around, ...nest(near, entries) };
		case 'deepHits':
			return nest('page', { ...around, [spell('found')]: entries });
		case 'detailList':
		case 'ownList':
			return { ...product, [near]: entries };
		case 'nested':
			return { ...product, market: { region: 'de', [near.split('.')[1] ?? '']: entries } };
		case 'wrapped':
			return nest('data', { ...product, [spell('offers')]: entries });
		case 'byKey':
		case 'ownByKey': {
			const keyed = Object.fromEntries(entries.map((entry, index) => [`seller_${index + 1}`, entry]));
			return { ...product, [spell(shape.list === 'byKey' ? 'offers' : 'by_seller')]: keyed };
		}
		case 'aggregate': {
			const amounts = offers.flatMap(({ price }) => price ?? []).map((price) => price / 100);
			const ends = {
				[spell('low_price')]: Math.min(...amounts),
				[spell('high_price')]: Math.max(...amounts),
			};
			const about = { [spell('offer_count')]: entries.length, ...(amounts.length > 0 && ends) };
			return { ...product, offers: { ...about, [spell('offers')]: entries } };
		}
		case 'byCondition':
		case 'twoLists': {
			const isNew = (_entry: unknown, index: number) =>
				['new', null].includes(offers[index]?.condition ?? null);
			const isOther = (entry: unknown, index: number) => !isNew(entry, index);
			const [one, other] = [entries.filter(isNew), entries.filter(isOther)];
			const [, second = ''] = paths;
			if (shape.list === 'twoLists') return { ...product, [near]: one, [second]: other };
			const nameOf = (path: string) => path.split('.').at(-1) ?? '';
			return { ...product, offers: { [nameOf(near)]: one, [nameOf(second)]: other } };
		}
		case 'featuredAndOthers':
		case 'offersAndFeatured':
			return { ...product, [near]: featured ?? null, [paths[1] ?? '']: others };
		default: {
			const groups: Fields[] = [];
			const [inner = '', outer = ''] = near.split('.').toReversed();
			let last = '';
			offers.forEach((offer, index) => {
				const key = outerKey(offer);
				if (key !== last) groups.push({ ...fieldsAt('outer', offer, index, shape), [inner]: [] });
				last = key;
				(groups.at(-1)?.[inner] as unknown[]).push(entries[index]);
			});
			if (shape.list === 'byShopPlain') return { ...product, [outer]: groups };
			if (shape.list === 'byShop') return { product: { ...product, [outer]: groups } };
			// A single one is an object here, not a list of one.
			const single = (list: unknown) =>
				Array.isArray(list) && list.length === 1 ? (list[0] as unknown) : list;
			const singles = groups.map((group) => ({ ...group, [inner]: single(group[inner]) }));
			return { product: { ...product, [outer]: single(singles) } };
		}
	}
}

/** Whether the user must name a meaning for it to be read. */
function mustBeTold(meaning: Meaning, shape: Shape): boolean {
	const { fields } = shape;
	const field = fields[meaning];
	if (field === undefined) return false;
	const ways = WAYS[meaning] as Record<string, Way<unknown>>;
	return field.isOwn || field.place === 'inner' || ways[field.way]?.readable === 'path';
}

/** What a user enters in Field Names for this service: a line for each meaning. */
export function fieldNamesOf(shape: Shape, told: Told): string {
	if (told === 'none') return '';
	const spell = (path: string) => path.split('.').map(SPELLINGS[shape.toldSpelling]).join('.');
	const paths = PATHS[shape.list];
	const kind = areHits(shape) ? 'hits' : 'offers';
	const lines = paths.length === 0 ? [] : [`${kind}: ${paths.map(spell).join(', ')}`];
	const ownPrice = shape.ownPrice === 'own' ? [OWN_PRICE] : [];
	for (const meaning of MEANINGS) {
		const field = shape.fields[meaning];
		if (told === 'lists' || (told === 'price' && meaning !== 'price')) continue;
		const isTold = field !== undefined && mustBeTold(meaning, shape);
		const others = meaning === 'price' ? ownPrice : [];
		if (!isTold && others.length > 0) lines.push(`${meaning}: ${others.map(spell).join(', ')}`);
		if (!isTold) continue;
		const ways = WAYS[meaning] as Record<string, Way<unknown>>;
		const inside = ways[field.way]?.path;
		const outer = paths[0]?.split('.').at(-2);
		const before = {
			...{ entry: [], around: [], inner: [INNER] },
			outer: shape.paths === 'far' && outer !== undefined ? [outer] : [],
		}[field.place];
		const path = [...before, field.name, ...(inside ? [inside] : [])].join('.');
		lines.push(`${meaning}: ${[path, ...others].map(spell).join(', ')}`);
	}
	return lines.join('\n');
}

const truthOf = (currencies: fc.Arbitrary<Currency>, cents: fc.Arbitrary<number>): fc.Arbitrary<Truth> =>
	fc.record({
		name: fc.constantFrom('Kettle', 'Tee "Grün" 100 g'),
		ownPrice: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: cents }),
		offers: fc.array(
			fc.record({
				price: fc.oneof(
					{ weight: 7, arbitrary: cents },
					{ weight: 1, arbitrary: fc.constant<number | null>(null) },
				),
				shipping: fc.constantFrom(null, 0, 495, 99, 390),
				currency: currencies,
				condition: fc.constantFrom<Condition | null>('new', null, 'new', 'used', 'refurbished'),
				shop: fc.nat(SHOPS.length - 1),
				isAvailable: fc.boolean(),
			}),
			{ maxLength: 6 },
		),
	});

const amounts = fc.oneof(
	fc.constantFrom(1290, 1250, 900, 999, 129_900),
	fc.integer({ min: 1, max: 2000 }),
	fc.integer({ min: 100_000, max: 200_000 }),
);

/** The possible places of a field in a list of this kind. */
function placesOf(meaning: Meaning, list: ListKind): Place[] {
	const places: Place[] = ['entry', 'entry', 'inner'];
	const isOuter = ['shop', 'currency', 'condition', 'availability'].includes(meaning);
	if (isOuter && isByShop(list)) return [...places, 'outer', 'outer'];
	return meaning === 'currency' && list !== 'bareList'
		? ['entry', 'entry', 'around', 'around', 'inner']
		: places;
}

function fieldShape(
	meaning: Meaning,
	list: ListKind,
	ownNames: boolean,
): fc.Arbitrary<FieldShape | undefined> {
	const { table, own } = NAMES[meaning];
	const named = fc.oneof(
		{
			weight: ownNames ? 1 : 8,
			arbitrary: fc.record({ name: fc.constantFrom<string>(...table), isOwn: fc.constant(false) }),
		},
		{
			weight: ownNames ? 4 : 1,
			arbitrary: fc.record({ name: fc.constantFrom<string>(...own), isOwn: fc.constant(true) }),
		},
	);
	const ways = Object.keys(WAYS[meaning]);
	// Prefers the usual ways, so that most fields of a service can be read.
	const way = fc.oneof(fc.constantFrom(...ways.slice(0, 2)), fc.constantFrom(...ways));
	const there = fc
		.tuple(named, way, fc.constantFrom(...placesOf(meaning, list)))
		.map(([name, written, place]) => ({ ...name, way: written, place }));
	if (meaning === 'price') return there;
	// Most services have the field. A failing case shrinks towards the first alternative.
	return fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 5, arbitrary: there });
}

function shapeOf(list: ListKind, ownNames: boolean): fc.Arbitrary<Shape> {
	const fields = fc.record(
		Object.fromEntries(MEANINGS.map((meaning) => [meaning, fieldShape(meaning, list, ownNames)])),
	) as fc.Arbitrary<Shape['fields']>;
	const spellings = Object.keys(SPELLINGS) as Array<keyof typeof SPELLINGS>;
	return fc.record({
		list: fc.constant(list),
		spelling: fc.constantFrom(...spellings),
		toldSpelling: fc.constantFrom(...spellings),
		fields: fields.map(consistent),
		hasRegularPrice: fc.constantFrom(false, false, true),
		topic: fc.constantFrom('usual', 'usual', 'usual', 'deals'),
		extras: fc.subarray(Object.keys(EXTRAS) as Extra[], { maxLength: 3 }),
		paths: fc.constantFrom('near', 'far'),
		nulls: fc.boolean(),
		noPrice: fc.constantFrom('empty', 'empty', 'zero', 'words'),
		ownPrice: fc.constantFrom('usual', 'usual', 'own'),
	});
}

/** Drops the currency if the price already states it. */
function consistent(fields: Shape['fields']): Shape['fields'] {
	const { price, currency, shipping, total, ...others } = fields;
	const inPrice = price && PRICES[price.way]?.currency;
	// A service states its currency once, or a sign and a code beside it.
	const isSaid = inPrice === 'code' || (inPrice === 'sign' && !/code/i.test(currency?.way ?? ''));
	const kept = {
		...others,
		...{ price, shipping, total },
		currency: isSaid ? undefined : currency,
	};
	return Object.fromEntries(Object.entries(kept).filter(([, field]) => field !== undefined));
}

/** What the user of a service sets. */
export interface Settings {
	conditions: string[];
	currency?: string;
	/** Indexes in `SHOPS`. */
	ignored: number[];
	includeShipping: boolean;
}

export interface OwnService {
	shape: Shape;
	truths: Truth[];
	settings: Settings;
	told: Told;
}

const settings: fc.Arbitrary<Settings> = fc.record(
	{
		conditions: fc.constantFrom([], [], ['any'], ['used'], ['new', 'refurbished']),
		currency: fc.constantFrom(undefined, undefined, undefined, 'EUR', 'USD'),
		ignored: fc.constantFrom([], [], [3], [0, 2]),
		includeShipping: fc.constantFrom(true, true, false),
	},
	{ requiredKeys: ['conditions', 'ignored', 'includeShipping'] },
);

/** Makes a shape possible: nothing is stated twice, and no path leads nowhere. */
function possible(shape: Shape): Shape {
	const { extras, fields, hasRegularPrice, list, noPrice } = shape;
	const { price } = fields;
	// There is a higher `price` only if the price that one pays has an unknown name or is the `sale_price`.
	const paysLess = price?.isOwn === true || (price?.name === 'sale_price' && price.place === 'entry');
	const isTwice = (extra: Extra) =>
		(extra === 'variants' && list === 'detailList') ||
		(extra === 'emptySale' && price?.name === 'sale_price');
	const isInside = PRICES[price?.way ?? '']?.readable === 'path';
	return {
		...shape,
		extras: extras.filter((extra) => !isTwice(extra)),
		hasRegularPrice: hasRegularPrice && paysLess,
		noPrice: isInside ? 'empty' : noPrice,
	};
}

/** What the user has named: at least what a reader cannot know. */
function toldOf({ fields: { price, shop }, hasRegularPrice, list }: Shape): fc.Arbitrary<Told> {
	// The `name` in an offer may be the product's.
	if (shop?.name === 'name') return fc.constant('all');
	// A reader may take `price` for the price that one pays.
	if (hasRegularPrice && price?.isOwn === true) return fc.constantFrom('all', 'price');
	// A reader takes `variants` for details of the product.
	if (list === 'detailList') return fc.constantFrom('all', 'lists', 'price');
	return fc.constantFrom('all', 'none', 'lists', 'all', 'price');
}

/** A service, the truth about some products, and what its user sets. */
export function arbitraryOwnService(results = 3): fc.Arbitrary<OwnService> {
	return fc
		.tuple(fc.constantFrom(...LISTS), fc.boolean())
		.chain(([list, ownNames]) => shapeOf(list, ownNames))
		.map(possible)
		.chain((shape) => {
			const inPrice = PRICES[shape.fields.price?.way ?? '']?.currency;
			// If the currency is stated once for all offers or not at all, they have the same one.
			const isOne = shape.fields.currency
				? shape.fields.currency.place === 'around'
				: inPrice === undefined;
			const one = fc.constantFrom<Currency>('EUR', 'USD', 'GBP', 'PLN');
			const several = fc.constantFrom<Currency>('EUR', 'EUR', 'EUR', 'EUR', 'USD', 'PLN');
			const truths = (
				isOne ? one.map((currency) => fc.constant(currency)) : fc.constant(several)
			).chain((currencies) =>
				fc.array(truthOf(currencies, amounts), { minLength: 1, maxLength: results }),
			);
			return fc.record({
				shape: fc.constant(shape),
				truths,
				settings,
				told: toldOf(shape),
			});
		});
}
