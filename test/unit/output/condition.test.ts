import type { IDataObject } from 'n8n-workflow';

import {
	conditionClass,
	conditionName,
	conditionFilter,
} from '../../../nodes/PriceCollection/output/condition';

describe('a condition', () => {
	it.each<[unknown, string]>([
		['Used – very good', 'used_very_good'],
		['used_very_good', 'used_very_good'],
		['--New!--', 'new'],
		['__new__', 'new'],
		['Grade 2', 'grade_2'],
		['https://schema.org/NewCondition', 'newcondition'],
		['http://schema.org/UsedCondition', 'usedcondition'],
		['not https://schema.org/NewCondition', 'not_https_schema_org_newcondition'],
		['', ''],
		[null, ''],
		[1000, ''],
	])('written %j has the name %j', (text, name) => {
		expect(conditionName(text)).toBe(name);
	});

	it.each<[unknown, string | undefined]>([
		['New', 'new'],
		['brand new', 'new'],
		['https://schema.org/NewCondition', 'new'],
		['Refurbished (grade A)', 'refurbished'],
		['certified refurbished', 'refurbished'],
		['Used – very good', 'used'],
		["d'occasion", 'used'],
		['New, open box', undefined],
		['Like new', undefined],
		['Unused', undefined],
		['Not refurbished', undefined],
		['', undefined],
		[undefined, undefined],
	])('written %j means %s', (text, meaning) => {
		expect(conditionClass(text)).toBe(meaning);
	});
});

describe('an offer counts', () => {
	const counts = (offer: IDataObject, wanted?: string[], asked?: unknown) =>
		conditionFilter(wanted, asked)(offer);

	it('by its code, by its text and by what they mean', () => {
		expect(counts({ condition_code: 'open_box' }, ['Open box'])).toBe(true);
		expect(counts({ condition_text: 'Open Box' }, ['open_box'])).toBe(true);
		expect(counts({ condition_code: 'x1', condition_text: 'Gebraucht' }, ['used'])).toBe(true);
	});

	it('not where code and text say another condition than a chosen one, or nothing', () => {
		expect(counts({ condition_code: 'open_box' }, ['new'])).toBe(false);
		expect(counts({ condition_code: null }, ['new'])).toBe(false);
	});

	it('as its code means, whatever its text does', () => {
		expect(counts({ condition_code: 'new', condition_text: 'Wie neu' }, ['new'])).toBe(true);
		expect(counts({ condition_code: 'used', condition_text: 'Newish' }, ['new'])).toBe(false);
	});

	it('where nobody chooses: when it is new, or does not say', () => {
		const offers = ['new', 'Neu', 'unknown', null, 'used', 'Open box', 'Like new'];
		const counted = offers.filter((condition_text) => counts({ condition_text }));
		expect(counted).toEqual(['new', 'Neu', 'unknown', null]);
	});

	it('where the job asked for a condition: unless it is known to be in another one', () => {
		const offers = ['new', null, 'used', 'Open box'];
		const counted = (asked: unknown) =>
			offers.filter((text) => counts({ condition_text: text }, undefined, asked));
		expect(counted('used')).toEqual([null, 'used', 'Open box']);
		expect(counted('any')).toEqual(offers);
	});
});
