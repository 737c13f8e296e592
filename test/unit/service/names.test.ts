import {
	fieldOf,
	fieldsNamed,
	NAMES,
	plainField,
	plainOf,
	reading,
	type Meaning,
} from '../../../nodes/PriceCollection/service/names';

/** The table of the interface, written down a second time: what users are promised. */
const PROMISED: Array<[Meaning, string]> = [
	['jobId', 'job_id'],
	['status', 'status state'],
	['results', 'results'],
	['jobs', 'jobs data results items'],
	['reason', 'reason error message errors detail comment failure'],
	['name', 'name title'],
	['price', 'price min_price'],
	['total', 'price_with_shipping total_price total'],
	['shipping', 'shipping_costs shipping_cost shipping_price shipping'],
	['currency', 'currency currency_code price_currency'],
	['condition', 'condition_code condition_text condition'],
	['shop', 'shop_name shop seller merchant store vendor shop_domain shop_id'],
	['availability', 'availability_text availability stock in_stock delivery_info'],
	['author', 'author_name author user'],
	['date', 'created_at date published_at'],
	['rating', 'rating stars score'],
	['offers', 'offers'],
	['hits', 'search_results hits'],
	['reviews', 'reviews'],
	['ranks', 'bestsellers ranks'],
];

const camel = (name: string) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
const SPELLINGS = [
	(name: string) => name,
	(name: string) => name.replaceAll('_', '-'),
	camel,
	(name: string) => camel(`_${name}`),
	(name: string) => name.toUpperCase(),
];

test.each(PROMISED)('%s is read under %s, in this order and in any spelling', (meaning, names) => {
	expect(NAMES[meaning]).toEqual(names.split(' '));
	for (const name of names.split(' '))
		for (const spell of SPELLINGS) expect(fieldOf({ other: 1, [spell(name)]: 'x' }, meaning)).toBe('x');
	const reversed = Object.fromEntries(
		names
			.split(' ')
			.reverse()
			.map((name) => [name, name]),
	);
	expect(fieldsNamed(reversed, meaning)).toEqual(names.split(' '));
});

it('takes no field for others whose names its own holds in lines', () => {
	expect(fieldOf({ price: 1, name: 'a' }, 'price')).toBe(1);
	expect(fieldsNamed({ 'price\nname': 1 }, 'price')).toEqual([]);
	expect(fieldsNamed({ 'offers\nhits': 1 }, 'offers')).toEqual([]);
	expect(fieldsNamed({ offers: [], hits: [] }, 'offers')).toEqual(['offers']);
});

it('takes the first name that says something, also false', () => {
	const read = reading({
		shop_name: null,
		seller: '',
		merchant: { name: '' },
		vendor: 'V',
		in_stock: false,
	});
	expect(read('shop')).toBe('V');
	expect(read('availability')).toBe(false);
	expect(read('price')).toBeUndefined();
});

test.each([
	['12.90', '12.90'],
	[7, 7],
	[{ amount: '12.90', currency: 'EUR' }, '12.90'],
	[{ value: 3 }, 3],
	[{ id: 4, name: 'Shop' }, 'Shop'],
	[{ amount: { value: 3 } }, undefined],
	[[1], undefined],
	[true, undefined],
	[null, undefined],
])('of %j, %j is meant', (value, plain) => {
	expect(plainOf(value)).toBe(plain);
});

it('reads a text under the next name where the first has none', () => {
	expect(plainField({ shop: { id: 3 }, seller: { name: 'S' } }, 'shop')).toBe('S');
});

it('tells objects with the same letters in other fields apart', () => {
	expect(fieldsNamed({ name: 1, x: 1 }, 'name')).toEqual(['name']);
	expect(fieldsNamed({ na: 1, mex: 1 }, 'name')).toEqual([]);
	expect(fieldsNamed({ namex: 1 }, 'name')).toEqual([]);
});

it('tells objects with the same fields in another order or number apart', () => {
	const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, 1]));
	expect(fieldsNamed({ ...many, title: 'x' }, 'name')).toEqual(['title']);
	for (let index = 0; index < 1_200; index++)
		expect(fieldsNamed({ [`a${index}`]: 1, name: 'x' }, 'name')).toEqual(['name']);
});

test('the fields of an object are its own, whatever the object before it had', () => {
	const objects = ['price name', 'price', 'name', 'price name total', 'name total', 'name price'];
	for (const fields of objects.map((names) => names.split(' '))) {
		const object = Object.fromEntries(fields.map((name) => [name, 1]));
		for (const meaning of ['name', 'price', 'total'] as const)
			expect(fieldsNamed(object, meaning)).toEqual(fields.includes(meaning) ? [meaning] : []);
	}
});
