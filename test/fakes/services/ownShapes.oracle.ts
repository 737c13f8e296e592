import {
	areHits,
	isKeyed,
	MEANINGS,
	PATHS,
	PRICES,
	SHIPPINGS,
	SHOP_WAYS,
	SHOPS,
	SIGNS,
	WAYS,
	inOrder,
	type Condition,
	type Meaning,
	type OwnService,
	type Settings,
	type Shape,
	type Told,
	type TrueOffer,
	type Truth,
	type Way,
} from './ownShapes';

/**
 * Decides by the contract's text alone what a row about a truth may say: what can be read under the names of the
 * contract and of the user, what cannot, and which of the known offers is the best.
 */

/** What a reader gets of a field: its value, nothing, something under an unknown name, or something unreadable. */
type State = 'hidden' | 'none' | 'read' | 'unreadable';

/** What a reader knows about an offer; a value is missing if the reader does not get it. */
interface Known {
	price?: number;
	total?: number;
	/** Undefined if nothing says it. */
	currency?: string;
	condition?: Condition;
	shops: string[];
	/** Filled fields whose name is unknown or whose value is unreadable. */
	doubts: Set<Doubt>;
	states: Partial<Record<Meaning, State>>;
}

/** What is missing from a row, as its reason calls it. */
type Doubt = Meaning | 'hits' | 'offers';

interface Answer {
	price: number;
	total: number | null;
	currency: string | null;
	shops: string[];
	condition: Condition | null;
}

export interface Row {
	best_price: number | null;
	best_total: number | null;
	best_currency: string | null;
	best_shop: string | null;
	best_condition: string | null;
	reason: string | null;
}

const cents = (amount: number) => amount / 100;

/** What a reader gets of a field if the user has named this much. */
function stateOf(meaning: Meaning, shape: Shape, told: Told): State {
	const field = shape.fields[meaning];
	if (field === undefined) return 'none';
	const isTold = told === 'all' || (told === 'price' && meaning === 'price');
	const { readable } = (WAYS[meaning] as Record<string, Way<unknown>>)[field.way] ?? { readable: 'never' };
	if (!isTold && (field.isOwn || field.place === 'inner')) return 'hidden';
	if (readable === 'never' || (readable === 'path' && !isTold)) return 'unreadable';
	return 'read';
}

/** Which lists of this kind are read: the ones with a name from the contract or from the user. */
function listsRead(shape: Shape, told: Told): 'all' | 'none' | 'some' {
	const { list } = shape;
	if (isKeyed(shape)) return 'none';
	// The offers in an aggregate offer have the contract's name, too.
	if (told !== 'none' || PATHS[list].length === 0 || list === 'aggregate') return 'all';
	return list === 'offersAndFeatured' ? 'some' : 'none';
}

/** The words that the column may have for the shop of an offer. */
function writtenShops(offer: TrueOffer, shape: Shape): string[] {
	const shop = SHOPS[offer.shop];
	const way = SHOP_WAYS[shape.fields.shop?.way ?? ''];
	if (shop === undefined || way === undefined) return [];
	const written = JSON.stringify(way.write(shop, offer));
	return Object.values(shop).filter((word: string) => written.includes(JSON.stringify(word)));
}

/** The shops to ignore, written as this service names them, or by name if it names none. */
export function ignoredShops({ ignored }: Settings, shape: Shape): string[] {
	const way = shape.fields.shop?.way ?? 'name';
	const written = way === 'domain' ? 'domain' : way === 'id' ? 'id' : 'name';
	return ignored.flatMap((index) => SHOPS[index]?.[written] ?? []);
}

function knownOf(offer: TrueOffer, shape: Shape, told: Told): Known {
	const states: Known['states'] = {};
	const doubts = new Set<Doubt>();
	const isFilled: Partial<Record<Meaning, boolean>> = {
		...{ price: offer.price !== null || shape.noPrice === 'words', shipping: offer.shipping !== null },
		...{ total: offer.price !== null && offer.shipping !== null },
		...{ currency: true, condition: offer.condition !== null, shop: true },
	};
	for (const meaning of ['price', 'shipping', 'total', 'currency', 'condition', 'shop'] as const) {
		const state = isFilled[meaning] === true ? stateOf(meaning, shape, told) : 'none';
		const isWords = meaning === 'price' && offer.price === null;
		states[meaning] = state === 'read' && isWords ? 'unreadable' : state;
		if (isWords ? state !== 'none' : state === 'hidden' || state === 'unreadable') doubts.add(meaning);
	}
	const known: Known = { shops: [], doubts, states };
	if (states.price === 'read' && offer.price !== null) known.price = cents(offer.price);
	const sign = shape.fields.price && PRICES[shape.fields.price.way]?.currency;
	if (states.price === 'read' && sign !== undefined)
		known.currency = sign === 'code' ? offer.currency : fromSign(SIGNS[offer.currency]);
	if (states.currency === 'read')
		known.currency =
			shape.fields.currency?.way === 'sign'
				? (known.currency ?? fromSign(SIGNS[offer.currency]))
				: offer.currency;
	if (states.condition === 'read' && offer.condition !== null) known.condition = offer.condition;
	if (states.shop === 'read') known.shops = writtenShops(offer, shape);
	// Shipping costs in a currency cannot be added to a price without one.
	const isOfCurrency = SHIPPINGS[shape.fields.shipping?.way ?? '']?.currency !== undefined;
	const isFree = offer.shipping === 0 && shape.fields.shipping?.way === 'freeOrAmount';
	if (states.shipping === 'read' && isOfCurrency && known.currency === undefined && !isFree) {
		states.shipping = 'unreadable';
		doubts.add('shipping');
	}
	// With shipping costs, a total under an unknown name is not missed, but an unreadable total is.
	if (states.shipping === 'read' && states.total === 'hidden') doubts.delete('total');
	if (states.total === 'read') doubts.delete('shipping');
	const isSummed = states.total === 'read' || (states.shipping === 'read' && states.total !== 'unreadable');
	if (isSummed && offer.price !== null && offer.shipping !== null)
		known.total = cents(offer.price + offer.shipping);
	return known;
}

/** The code for a sign of only one currency; other signs stay as they are. */
const fromSign = (sign: string) =>
	(Object.entries(SIGNS).find(([code, one]) => one === sign && code !== 'USD') ?? [sign])[0];

const sameCurrency = (one: string | undefined, other: string) =>
	one === other || (one === '$' && other === 'USD');

/** Whether an offer counts by what is known of it; in doubt it does not. */
function counts(known: Known, settings: Settings, ignored: string[]): boolean {
	const { condition, states } = known;
	const { conditions } = settings;
	const isAny = conditions.includes('any');
	if (!isAny) {
		if (states.condition === 'unreadable') return false;
		const wanted = conditions.length === 0 ? ['new', undefined] : conditions;
		if (!wanted.includes(condition)) return false;
	}
	if (ignored.length > 0) {
		if (known.shops.some((shop) => ignored.includes(shop))) return false;
		if (states.shop === 'unreadable') return false;
	}
	if (states.currency === 'unreadable') return false;
	return settings.currency === undefined || sameCurrency(known.currency, settings.currency);
}

/** The best of these offers: several if they cost the same, none if nothing can be compared. */
function bestOf(all: Known[], settings: Settings, ignored: string[], mayBeAny = false): Answer[] {
	const priced = all.filter(({ price }) => price !== undefined);
	const counting = priced.filter((one) => counts(one, settings, ignored));
	const named = counting.flatMap(({ currency }) => currency ?? []);
	const often = (currency: string) => named.filter((one) => one === currency).length;
	const most = Math.max(0, ...named.map(often));
	const leading = [...new Set(named.filter((one) => often(one) === most))];
	if (leading.length > 1) return [];
	const compared = counting.filter(({ currency }) => currency === leading[0]);
	const cost = ({ price = 0, total = price }: Known) => (settings.includeShipping ? total : price);
	const least = Math.min(...compared.map(cost));
	const best = compared.filter((one) => cost(one) === least);
	// Among equal offers, known shipping is safer, unless shipping may be unreadable.
	const safer = best.filter(({ total }) => total !== undefined);
	return (settings.includeShipping && safer.length > 0 && !mayBeAny ? safer : best).map(
		({ price = 0, total = null, currency, shops, condition = null }) => ({
			...{ price, total, shops, condition },
			currency: settings.currency ?? currency ?? null,
		}),
	);
}

/** Whether an offer may be the same as another one with more details. */
function mayBe(one: Known, other: Known): boolean {
	const agrees = <T>(its: T | undefined, others: T | undefined) =>
		its === undefined || others === undefined || its === others;
	// An unreadable field is never the same.
	const isUnread = ({ states }: Known) =>
		(['condition', 'shop', 'shipping', 'total'] as const).some((part) => states[part] === 'unreadable');
	return (
		!isUnread(one) &&
		!isUnread(other) &&
		one.price === other.price &&
		agrees(one.currency, other.currency) &&
		agrees(one.condition, other.condition) &&
		(one.total === undefined || one.total === other.total) &&
		(one.shops.length === 0 || other.shops.length === 0 || one.shops[0] === other.shops[0])
	);
}

/** Kinds of lists in which the first offer is outside the list, and may be in it as well. */
const WITH_SINGLE: readonly string[] = ['buybox', 'featuredAndOthers', 'offersAndFeatured'];

/** All offers and, if the first one may repeat another, all without it: either reading is right. */
function readingsOf(all: Known[], { list }: Shape, lists: 'all' | 'none' | 'some'): Known[][] {
	const [single, ...others] = all;
	const isSingle = single !== undefined && WITH_SINGLE.includes(list) && lists !== 'some';
	return isSingle && others.some((other) => mayBe(single, other)) ? [all, others] : [all];
}

/** What can be known of a result: the right answers, the answers from readable fields, and the doubts. */
export interface Expected {
	/** One of these is right. Empty: there is no best price. */
	right: Answer[];
	/** Whether none is right as well: two currencies lead, unless two offers are the same. */
	mayBeNone: boolean;
	/** What a reader finds in the readable fields, which may be wrong. */
	readable: Answer[];
	/** Filled fields that are unreadable or have no known name. */
	doubts: Set<Doubt>;
	/** The doubts that may have led a reader to a wrong best price. */
	causes: Set<Doubt>;
}

/** Gives a field of a shape the contract's name and a plain value; its currency stays as it was. */
function withPlain(shape: Shape, meaning: Meaning): Shape {
	const field = shape.fields[meaning];
	if (field === undefined) return shape;
	const ways = WAYS[meaning] as Record<string, Way<unknown>>;
	const { currency, readable } = ways[field.way] ?? {};
	const [plain = ''] = Object.keys(ways).filter(
		(name) => ways[name]?.readable === 'plain' && ways[name].currency === currency,
	);
	const way = readable === 'plain' ? field.way : plain;
	const place = field.place === 'inner' ? 'entry' : field.place;
	return { ...shape, fields: { ...shape.fields, [meaning]: { ...field, isOwn: false, place, way } } };
}

function ownPriceOf(
	{ name, ownPrice, offers }: Truth,
	shape: Shape,
	told: Told,
	settings: Settings,
): Answer[] {
	if (ownPrice === null || areHits(shape) || ['bareList', 'wrapped'].includes(shape.list)) return [];
	const { currency } = shape.fields;
	const isAround = currency?.place === 'around' && stateOf('currency', shape, told) === 'read';
	const code = isAround ? offers[0]?.currency : undefined;
	const said = code !== undefined && currency?.way === 'sign' ? fromSign(SIGNS[code]) : code;
	if (settings.currency !== undefined && !sameCurrency(said, settings.currency)) return [];
	const wantsNew = settings.conditions.length > 0 && !settings.conditions.includes('any');
	if (wantsNew || (shape.ownPrice === 'own' && told !== 'all' && told !== 'price')) return [];
	// If nothing shows that there are lists, a shop field called `name` is the name of the product.
	const isAlone = shape.list === 'ownByKey' || (shape.list === 'oneOrMore' && offers.length === 0);
	const shops = isAlone && shape.fields.shop?.name === 'name' ? [name, ''] : [];
	const answer = { price: cents(ownPrice), total: null, shops, condition: null };
	return [{ ...answer, currency: settings.currency ?? said ?? null }];
}

/** What an aggregate offer says: only the lowest price of its offers. */
function lowestOf(offers: TrueOffer[]): Answer[] {
	const prices = offers.flatMap(({ price }) => price ?? []);
	const answer = { price: cents(Math.min(...prices)), total: null, shops: [], condition: null };
	return prices.length === 0 ? [] : [{ ...answer, currency: null }];
}

/** Whether each of these answers, or none, is still right with these others; the sign `$` equals its code. */
function isStillRight(some: Answer[], others: Answer[]): boolean {
	const said = (all: Answer[]) =>
		all.map(({ price, total, currency }) => [price, total, currency === 'USD' ? '$' : currency].join());
	const right = new Set(said(others));
	return some.length === 0 ? right.size === 0 : said(some).every((answer) => right.has(answer));
}

export function expectedOf(truth: Truth, { shape, settings, told }: OwnService): Expected {
	const ignored = ignoredShops(settings, shape);
	const offers = inOrder(truth, shape);
	const lists = listsRead(shape, told);
	const plain = MEANINGS.reduce(withPlain, shape);
	const isPriced = offers.some(({ price }) => price !== null);
	const all = offers.map((offer) => knownOf(offer, plain, 'all'));
	const best = (ones: Known[], mayBeAny?: boolean) =>
		readingsOf(ones, shape, lists).flatMap((one) => bestOf(one, settings, ignored, mayBeAny));
	const doubts = new Set<Doubt>();
	if (lists !== 'all' && offers.length > 0) doubts.add(areHits(shape) ? 'hits' : 'offers');
	const seen = lists === 'all' ? offers : lists === 'none' ? [] : offers.slice(1);
	const known = seen.map((offer) => knownOf(offer, shape, told));
	for (const one of known) for (const doubt of one.doubts) doubts.add(doubt);
	// With Include Shipping off, shipping does not matter: it may be missing if no field has a known name.
	const isHidden = (meaning: 'shipping' | 'total') =>
		!['read', 'unreadable'].includes(stateOf(meaning, shape, told));
	const isShippingLeft = !settings.includeShipping && isHidden('shipping') && isHidden('total');
	if (isShippingLeft) for (const doubt of ['shipping', 'total'] as const) doubts.delete(doubt);
	const withoutTotal = (answers: Answer[]) =>
		isShippingLeft ? answers.flatMap((one) => [one, { ...one, total: null }]) : answers;
	// Offers without a field for the price may have one under any name.
	const isThere = shape.nulls || shape.noPrice !== 'empty';
	const isUnsaid = !isThere || stateOf('price', shape, told) === 'hidden';
	if (offers.length > 0 && !isPriced && isUnsaid) doubts.add('price');
	if (truth.ownPrice !== null && !isPriced && shape.ownPrice === 'own') {
		if (told !== 'all' && told !== 'price') doubts.add('price');
	}
	const isSeen = known.some(({ price, states }) => price !== undefined || states.price === 'unreadable');
	const readable = isSeen ? best(known) : ownPriceOf(truth, shape, told, settings);
	if (shape.list === 'aggregate' && !isSeen) readable.push(...lowestOf(offers));
	const isCause = (doubt: Doubt) => {
		if (doubt === 'offers' || doubt === 'hits') return true;
		// If no price is read, the only cause is a list that is not read, or else the price.
		if (!isSeen) return doubt === 'price' && lists === 'all';
		const other = withPlain(shape, doubt);
		const others = seen.map((offer) => knownOf(offer, other, told));
		const found = best(others);
		return !isStillRight(readable, found);
	};
	const causes = new Set([...doubts].filter((doubt) => isCause(doubt)));
	// The right answers follow from the truth, whether or not a reader can know it.
	const right = isPriced
		? best(all, doubts.has('shipping') || doubts.has('total'))
		: ownPriceOf(truth, plain, 'all', settings);
	const isNone = (one: Known[]) => bestOf(one, settings, ignored).length === 0;
	const mayBeNone = isPriced && readingsOf(all, shape, lists).some(isNone);
	return { right: withoutTotal(right), mayBeNone, readable: withoutTotal(readable), doubts, causes };
}

/** How a row compares with what can be known. */
type Verdict =
	| 'empty without a word'
	| 'right'
	| 'said'
	| 'shop without a word'
	| 'silently wrong'
	| 'total without a word'
	| 'wrong though readable'
	| 'wrong though said';

const isAnswer = (row: Row, { price, total, currency }: Answer) =>
	row.best_price === price && row.best_total === total && row.best_currency === currency;

const isOneOf = (row: Row, answers: Answer[]) =>
	answers.length === 0 ? row.best_price === null : answers.some((one) => isAnswer(row, one));

/** Words for a doubt in a reason, if they differ from its name. */
const NAMED_AS: Partial<Record<Doubt, string[]>> = {
	...{ shipping: ['shipping', 'total'], total: ['total', 'shipping'] },
	currency: ['currency', 'no offer in'],
	condition: ['condition', 'no offer counts'],
	price: ['price', 'no known field for the offers'],
	offers: ['offers', 'hits', 'no known field for the price'],
	hits: ['offers', 'hits'],
};

const isNamed = (reason: string, { doubts, causes }: Expected) => {
	const names = (doubt: Doubt) => (NAMED_AS[doubt] ?? [doubt]).some((word) => reason.includes(word));
	// A long reason is cut.
	return [...doubts].some(names) && ([...causes].every(names) || reason.endsWith('…'));
};

/** Whether a reason names a field that leaves offers out because it cannot be read, whatever else is missing. */
const isLeftOut = (reason: string, { doubts }: Expected) =>
	(['condition', 'currency', 'shop'] as const).some(
		(doubt) => doubts.has(doubt) && reason.includes(`${doubt} not readable`),
	);

interface Judged {
	verdict: Verdict;
	/** Whether there is a reason although all is right and readable. */
	isNeedless: boolean;
}

export function judge(row: Row, expected: Expected): Judged {
	const { mayBeNone, readable, doubts } = expected;
	const { reason } = row;
	// If the code is hidden, the sign beside the price is as right.
	const right = expected.right.flatMap((answer) =>
		doubts.has('currency') && answer.currency === 'USD'
			? [answer, { ...answer, currency: '$' }]
			: [answer],
	);
	const verdict = ((): Verdict => {
		if (isOneOf(row, right) || (mayBeNone && row.best_price === null)) {
			if (row.best_price === null) return reason === null ? 'empty without a word' : 'right';
			const same = right.filter((one) => isAnswer(row, one));
			const isOfShop = same.some(({ shops }) =>
				shops.length === 0 ? row.best_shop === null : shops.includes(row.best_shop ?? ''),
			);
			if (isOfShop) return 'right';
			// Another offer at the same price, with less that can be read.
			const isOfOther = readable.some(
				(one) => isAnswer(row, one) && one.shops.includes(row.best_shop ?? ''),
			);
			if (isOfOther && reason !== null && isNamed(reason, expected)) return 'said';
			return row.best_shop === null && reason !== null && doubts.size > 0
				? 'right'
				: 'shop without a word';
		}
		if (doubts.size === 0) return 'wrong though readable';
		if (row.best_price === null)
			return reason === null
				? 'empty without a word'
				: isNamed(reason, expected) || isLeftOut(reason, expected)
					? 'said'
					: 'wrong though said';
		if (reason === null) {
			const isTotal = right.some((one) => isAnswer({ ...row, best_total: one.total }, one));
			return isTotal ? 'total without a word' : 'silently wrong';
		}
		return isOneOf(row, readable) && isNamed(reason, expected) ? 'said' : 'wrong though said';
	})();
	return {
		verdict,
		isNeedless: verdict === 'right' && reason !== null && doubts.size === 0 && right.length > 0,
	};
}

/** The row of an offer, a hit or the like. */
export interface EntryRow {
	price: unknown;
	currency: unknown;
	shop_name: unknown;
	reason: string | null;
}

/** What is wrong with the rows of a content's entries, as a sentence; undefined if they are right or explained. */
export function problemWithEntries(
	rows: EntryRow[],
	truth: Truth,
	{ shape, told }: Pick<OwnService, 'shape' | 'told'>,
): string | undefined {
	const offers = inOrder(truth, shape);
	const lists = listsRead(shape, told);
	const isSaid = (row: EntryRow | undefined) => (row?.reason ?? null) !== null;
	if (offers.length === 0)
		return rows.length === 1 && isSaid(rows[0]) ? undefined : 'no entry, and nothing says so';
	if (lists === 'none')
		return rows.length === 1 && isSaid(rows[0])
			? undefined
			: 'the list has no known name, and nothing says so';
	// A buybox is not an entry of the list.
	const listed = shape.list === 'buybox' || lists === 'some' ? offers.slice(1) : offers;
	if (listed.length === 0)
		return rows.length === 1 && isSaid(rows[0]) ? undefined : 'no entry, without a word';
	// An object without a readable price may be an offer or contain some.
	const isPriced = listed.some((offer) => knownOf(offer, shape, told).price !== undefined);
	const isSingle = shape.list === 'oneOrMore' && listed.length === 1;
	if (isSingle && !isPriced && rows[0]?.reason?.includes('offers') === true) return undefined;
	if (rows.length !== listed.length) return `${rows.length} rows of ${listed.length} entries`;
	if (lists === 'some' && !rows.every(isSaid)) return 'an offer is in no row, and nothing says so';
	for (const [index, offer] of listed.entries()) {
		const row = rows[index];
		const known = knownOf(offer, shape, told);
		if (row === undefined) continue;
		const written = PRICES[shape.fields.price?.way ?? '']?.write(offer.price ?? 0, offer);
		const says = (column: unknown, values: unknown[]) => values.some((value) => value === column);
		if (offer.price === null) {
			if (row.price !== null && row.price !== 0 && !isSaid(row))
				return `price of entry ${index} is ${String(row.price)} in place of null`;
		} else if (known.price !== undefined) {
			const words = JSON.stringify(written);
			const isText = typeof row.price === 'string' && words.includes(JSON.stringify(row.price));
			if (row.price !== known.price && !isText)
				return `price of entry ${index} is ${String(row.price)} in place of ${known.price}`;
		} else if (!isSaid(row)) return `price of entry ${index} is not read, and nothing says so`;
		else if (typeof row.price === 'number')
			return `price of entry ${index} is ${row.price}, which is no amount`;
		const { shop, currency } = known.states;
		const isShopRight = shop === 'read' ? says(row.shop_name, known.shops) : row.shop_name === null;
		if (!isShopRight) return `shop of entry ${index} is ${String(row.shop_name)}`;
		// Without a price, the rest of an offer does not matter.
		if (offer.price === null) continue;
		if (shop !== 'read' && shop !== 'none' && !isSaid(row))
			return `shop of entry ${index} is null, without a word`;
		// A price that is a text with its currency stays in its column as it came.
		const isInPrice = typeof row.price === 'string' && PRICES[shape.fields.price?.way ?? '']?.currency;
		if (currency === 'none' || row.currency !== null || isInPrice) continue;
		if (currency === 'read' || !isSaid(row)) return `currency of entry ${index} is null, without a word`;
	}
	return undefined;
}
