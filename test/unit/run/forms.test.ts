import { formsFor, lookupIn, refusesForm } from '../../../nodes/PriceCollection/run/forms';
import type { Problem } from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';

const refusal = (more: Partial<Problem>): Problem => ({
	...{ kind: 'refused', endpoint: ENDPOINTS.create, effect: 'none' },
	...more,
});

test('the forms of the lookup values are those of the credential, or all, the usual one first', () => {
	expect(formsFor('array', 1)).toEqual(['array']);
	expect(formsFor('automatic', 1)).toEqual(['single', 'list', 'array']);
	expect(formsFor('automatic', 2)).toEqual(['list', 'array', 'single']);
	const forms = (['single', 'list', 'array'] as const).map((form) => lookupIn(form, ['a', 'b']));
	expect(forms).toEqual([{ value: 'a\nb' }, { values: 'a\nb' }, { values: ['a', 'b'] }]);
});

test.each<[Partial<Problem>]>([
	[{ parameter: 'value' }],
	[{ parameter: 'values' }],
	[{ parameter: 'values[]', reason: 'is required' }],
	[{ reason: 'parameter value invalid', parameter: 'values' }],
	[{ reason: "Value can't be blank" }],
	[{ reason: 'missing parameter', comment: "Provide the mandatory parameter 'values'!" }],
	[{ reason: 'values[] is missing' }],
])('another form may be accepted after a refusal that names it: %j', (more) => {
	expect(refusesForm(refusal(more))).toBe(true);
});

test.each<[Partial<Problem>]>([
	[{ effect: 'unknown', parameter: 'value' }],
	[{ kind: 'unauthorized', parameter: 'value' }],
	[{ parameter: 'country', reason: 'parameter value invalid' }],
	[{ reason: 'parameter value invalid', comment: 'It must be a country.' }],
	[{ reason: 'invalid value', parameter: 'value' }],
	[{ reason: 'value disabled', parameter: 'value' }],
	[{ reason: 'too many values', parameter: 'values' }],
	[{ reason: 'the valued customer is unknown' }],
])('no other form is after any other refusal: %j', (more) => {
	expect(refusesForm(refusal(more))).toBe(false);
});
