import { asTooMany, formsFor, lookupIn, refusesForm } from '../../../nodes/PriceCollection/creation/forms';
import type { Problem } from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';

test('the forms of the lookup values are those of the credential, or all, the usual one first', () => {
	expect(formsFor('array', 1)).toEqual(['array']);
	expect(formsFor('automatic', 1)).toEqual(['single', 'list', 'array']);
	expect(formsFor('automatic', 2)).toEqual(['list', 'array', 'single']);
	const forms = (['single', 'list', 'array'] as const).map((form) => lookupIn(form, ['a', 'b']));
	expect(forms).toEqual([{ value: 'a\nb' }, { values: 'a\nb' }, { values: ['a', 'b'] }]);
});

test.each<[Partial<Problem>, boolean]>([
	[{ parameter: 'value' }, true],
	[{ parameter: 'values' }, true],
	[{ parameter: 'values[]', reason: 'is required' }, true],
	[{ reason: 'parameter value invalid', parameter: 'values' }, true],
	[{ reason: "Value can't be blank" }, true],
	[{ reason: 'missing parameter', comment: "Provide the mandatory parameter 'values'!" }, true],
	[{ reason: 'values[] is missing' }, true],
	[{ effect: 'unknown', parameter: 'value' }, false],
	[{ kind: 'unauthorized', parameter: 'value' }, false],
	[{ parameter: 'country', reason: 'parameter value invalid' }, false],
	[{ reason: 'parameter value invalid', comment: 'It must be a country.' }, false],
	[{ reason: 'invalid value', parameter: 'value' }, false],
	[{ reason: 'value disabled', parameter: 'value' }, false],
	[{ reason: 'too many values', parameter: 'values' }, false],
	[{ reason: 'the valued customer is unknown' }, false],
])('another form may only be accepted after a refusal that names it: %j: %j', (more, isNamed) => {
	const refusal: Problem = { kind: 'refused', endpoint: ENDPOINTS.create, effect: 'none', ...more };
	expect(refusesForm(refusal)).toBe(isNamed);
});

test.each<[Problem['kind'], string, Problem['kind']]>([
	['refused', 'At most 60 items per request', 'tooManyValues'],
	['rateLimited', 'At most 60 lookups a minute', 'rateLimited'],
	['noCredits', 'There are 60 credits left for lookups', 'noCredits'],
])('a number in a refusal limits the values unless it is about the account: %s, %s', (kind, reason, said) => {
	const refusal: Problem = { kind, endpoint: ENDPOINTS.create, effect: 'none', reason };
	expect(asTooMany(refusal, 100).kind).toBe(said);
});
