import type { IDataObject } from 'n8n-workflow';

import {
	CONTENT_NAMES,
	contentShape,
	fieldOf,
	fieldsNamed,
	REPLY_NAMES,
	plainField,
	plainOf,
	reading,
	type ContentMeaning,
	type Meaning,
} from '../../../nodes/PriceCollection/service/names';
import { located } from '../../../nodes/PriceCollection/rows/contentReader';
import { readerOf } from '../rows/reader';

/** The interface's table a second time: what users are promised. */
const OF_REPLIES: Array<[Meaning, string]> = [
	['jobId', 'job_id'],
	['status', 'status state'],
	['results', 'results'],
	['jobs', 'jobs data results items'],
	['reason', 'reason error message errors detail comment failure'],
];
const OF_CONTENTS: Array<[ContentMeaning, string]> = [
	['name', 'name title product_name'],
	['price', 'sale_price price min_price low_price'],
	['total', 'price_with_shipping total_price total'],
	['shipping', 'shipping_costs shipping_cost shipping_price shipping shipping_details.shipping_rate'],
	['currency', 'currency currency_code price_currency'],
	['condition', 'condition_code condition_text condition item_condition'],
	['shop', 'shop_name shop seller merchant store vendor retailer shop_domain shop_id'],
	['anyShop', 'shop_name shop seller merchant store vendor retailer shop_domain shop_id shop_url'],
	['availability', 'availability_text availability stock in_stock delivery_info'],
	['url', 'url link'],
	['author', 'author_name author user'],
	['date', 'created_at date published_at date_published'],
	['rating', 'rating stars score review_rating.rating_value'],
	['text', 'text review_body body'],
	['offers', 'offers'],
	['hits', 'search_results hits'],
	['reviews', 'reviews'],
	['ranks', 'bestsellers ranks'],
	['entries', 'items entries'],
	['product', 'product item'],
];

const camel = (name: string) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
const SPELLINGS = [
	(name: string) => name,
	(name: string) => name.replaceAll('_', '-'),
	camel,
	(name: string) => camel(`_${name}`),
	(name: string) => name.toUpperCase(),
];

test.each(OF_REPLIES)('%s is read under %s, in this order and in any spelling', (meaning, names) => {
	expect(REPLY_NAMES[meaning]).toEqual(names.split(' '));
	for (const name of names.split(' '))
		for (const spell of SPELLINGS) expect(fieldOf({ other: 1, [spell(name)]: 'x' }, meaning)).toBe('x');
	const reversed = Object.fromEntries(
		names
			.split(' ')
			.map((name) => [name, name])
			.reverse(),
	);
	expect(fieldsNamed(reversed, meaning)).toEqual(names.split(' '));
});

test.each(OF_CONTENTS)(
	'%s of a content is read under %s, in this order and in any spelling',
	(meaning, names) => {
		expect(CONTENT_NAMES[meaning]).toEqual(names.split(' '));
		const first = (object: IDataObject) => readerOf().first(located(object), meaning);
		for (const [outer = '', inner] of names.split(' ').map((name) => name.split('.')))
			for (const spell of SPELLINGS)
				expect(first({ other: 1, [spell(outer)]: inner ? { [spell(inner)]: 'x' } : 'x' })).toBe('x');
		const plain = names.split(' ').filter((name) => !name.includes('.'));
		const reversed = Object.fromEntries(plain.map((name) => [name, name]).reverse());
		expect(contentShape(reversed)[meaning]).toEqual(plain);
		expect(first(reversed)).toBe(plain[0]);
	},
);

it('takes no field for others whose names its own holds in lines', () => {
	for (const round of ['first', 'second']) {
		expect([round, contentShape({ price: 1, name: 'a' }).price]).toEqual([round, ['price']]);
		expect([round, contentShape({ 'price\nname': 1 }).price]).toEqual([round, []]);
		expect([round, contentShape({ 'offers\nhits': 1 }).offers]).toEqual([round, []]);
		expect([round, contentShape({ offers: [], hits: [] }).offers]).toEqual([round, ['offers']]);
		expect([round, contentShape({ price: 1, 'name\nhits': 1 }).price]).toEqual([round, ['price']]);
	}
});

it('takes the first name that says something, also false', () => {
	const read = reading({ status: null, state: 'done', success: false });
	expect(read('status')).toBe('done');
	expect(read('success')).toBe(false);
	expect(read('results')).toBeUndefined();
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
	expect(plainField({ status: { id: 3 }, state: { name: 'S' } }, 'status')).toBe('S');
});

it('tells objects with the same letters in other fields apart', () => {
	expect(contentShape({ name: 1, x: 1 }).name).toEqual(['name']);
	expect(contentShape({ na: 1, mex: 1 }).name).toEqual([]);
	expect(contentShape({ namex: 1 }).name).toEqual([]);
});

it('tells objects with the same fields in another order or number apart', () => {
	const many = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, 1]));
	expect(contentShape({ ...many, title: 'x' }).name).toEqual(['title']);
	for (let index = 0; index < 1_200; index++)
		expect(contentShape({ [`a${index}`]: 1, name: 'x' }).name).toEqual(['name']);
});

test('the fields of an object are its own, whatever the object before it had', () => {
	const objects = ['price name', 'price', 'name', 'price name total', 'name total', 'name price'];
	for (const fields of objects.map((names) => names.split(' '))) {
		const object = Object.fromEntries(fields.map((name) => [name, 1]));
		for (const meaning of ['name', 'price', 'total'] as const)
			expect(contentShape(object)[meaning]).toEqual(fields.includes(meaning) ? [meaning] : []);
	}
});
