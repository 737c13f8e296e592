import {
	conditionClass,
	conditionName,
	isInCondition,
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

describe('an offer is in a condition', () => {
	const wanted = (name: string) => new Set([name]);

	it('by its code, by its text and by what they mean', () => {
		expect(isInCondition({ condition_code: 'open_box' }, wanted('open_box'))).toBe(true);
		expect(isInCondition({ condition_text: 'Open Box' }, wanted('open_box'))).toBe(true);
		expect(isInCondition({ condition_code: 'x1', condition_text: 'Gebraucht' }, wanted('used'))).toBe(
			true,
		);
	});

	it('not where code and text say another one, or nothing', () => {
		expect(isInCondition({ condition_code: 'open_box' }, wanted('new'))).toBe(false);
		expect(isInCondition({ condition_code: null }, wanted('new'))).toBe(false);
	});

	it('as its code means, whatever its text does', () => {
		expect(isInCondition({ condition_code: 'new', condition_text: 'Wie neu' }, wanted('new'))).toBe(true);
		expect(isInCondition({ condition_code: 'used', condition_text: 'Newish' }, wanted('new'))).toBe(
			false,
		);
	});
});
