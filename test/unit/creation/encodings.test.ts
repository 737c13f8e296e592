import {
	asTooMany,
	encodingsFor,
	encodedLookup,
	refusesEncoding,
} from '../../../nodes/PriceCollection/creation/encodings';
import type { ParameterFault, Problem } from '../../../nodes/PriceCollection/service/problems';
import { ENDPOINTS } from '../../../nodes/PriceCollection/service/types';

test('the forms of the lookup values are those of the credential, or all, the usual one first', () => {
	expect(encodingsFor('array', 1)).toEqual(['array']);
	expect(encodingsFor('automatic', 1)).toEqual(['single', 'list', 'array']);
	expect(encodingsFor('automatic', 2)).toEqual(['list', 'array', 'single']);
	const forms = (['single', 'list', 'array'] as const).map((form) => encodedLookup(form, ['a', 'b']));
	expect(forms).toEqual([{ value: 'a\nb' }, { values: 'a\nb' }, { values: ['a', 'b'] }]);
});

type Fault = [parameter: string, complaint: ParameterFault['complaint']];

test.each<[Fault[], Partial<Problem>, boolean]>([
	[[['value', 'missing']], {}, true],
	[[['values', 'form']], { kind: 'invalidValue' }, true],
	[
		[
			['value', 'unknown'],
			['values', 'missing'],
		],
		{},
		true,
	],
	[[['value', 'value']], {}, false],
	[
		[
			['value', 'missing'],
			['country', 'missing'],
		],
		{},
		false,
	],
	[[['country', 'missing']], {}, false],
	[[['value', 'missing']], { effect: 'unknown' }, false],
	[[['values', 'form']], { kind: 'tooManyValues' }, false],
	[[], { reason: 'the valued customer is unknown' }, false],
])('another form may only be accepted after a refusal of it alone: %j, %j: %j', (said, more, isOfForm) => {
	const faults = said.map(([parameter, complaint]) => ({
		parameter,
		complaint,
		serviceName: parameter,
		isSent: true,
	}));
	const refusal: Problem = { kind: 'refused', endpoint: ENDPOINTS.create, effect: 'none', faults, ...more };
	expect(refusesEncoding(refusal)).toBe(isOfForm);
});

describe('a limit of the number of values', () => {
	const said = (values: number, more: Partial<Problem>) => {
		const { kind, detail } = asTooMany(
			{ kind: 'refused', endpoint: ENDPOINTS.create, effect: 'none', ...more },
			values,
		);
		return kind === 'tooManyValues' ? detail : kind;
	};

	test.each<[string, number | undefined]>([
		['At most 500 items per request', 500],
		['at most 500 items', 500],
		['values: List should have at most 500 items after validation, not 501', 500],
		['This collection should contain 500 elements or less.', 500],
		['size must be between 1 and 500', 500],
		['may not have more than 500 items', 500],
		['Requests are limited to 500 values', 500],
		['maximum 500', 500],
		['limit is 500', 500],
		['Maximum batch size is 500', 500],
		['must be less than or equal to 500; got 501', 500],
		['The maximum is 500 per request', 500],
		['Too many items', 0],
		['too many products in this job', 0],
		['At most 600 items', undefined],
		['At most 50 characters', undefined],
		['is too long (maximum is 50 characters)', undefined],
		['A maximum of 60 status requests per minute', undefined],
		['at most 20 open jobs', undefined],
		['See rule 17 of the values', undefined],
		['too many requests', undefined],
	])('is read in "%s": %j', (reason, limit) => {
		const number = limit === 0 ? '' : `. Set Max Values per Job in the credential to ${limit}`;
		const detail = `The job asked for 501 values${number}`;
		expect(said(501, { reason })).toBe(limit === undefined ? 'refused' : detail);
	});

	test('is also written with a comma', () => {
		expect(said(1001, { reason: 'maximum of 1,000' })).toContain('to 1000');
	});

	test('is not that of another parameter', () => {
		const faults = [
			{ parameter: 'max_pages', serviceName: 'max_pages', complaint: 'value', isSent: true } as const,
		];
		expect(said(501, { reason: 'max_pages: at most 100', faults })).toBe('refused');
	});

	test.each<[Problem['kind'], string]>([
		['rateLimited', 'At most 60 lookups a minute'],
		['noCredits', 'There are 60 credits left for lookups'],
	])('is not one of the account: %s, %s', (kind, reason) => {
		expect(said(100, { kind, reason })).toBe(kind);
	});
});
