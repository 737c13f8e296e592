import type { ParameterFault } from '../../../../nodes/PriceCollection/service/problems';

/** What a creation sends in the tables of parameters, whose introductions list it. */
export const REFUSED_BODY = {
	...{ topic: 'search', source: 'test', country: 'de', key: 'gtin', value: '42', max_age: 9, tag: 'x' },
	...{ webhook_url: 'https://n8n.example.test/x', timeout: 5, sort_by: 'price' },
};

/** What a refusal says of parameters, as in "source: missing" or "unsent markt is source: missing". */
export const faultTexts = (faults: readonly ParameterFault[]) =>
	faults.map(({ serviceName, parameter, complaint, isSent }) =>
		[
			isSent ? '' : 'unsent ',
			serviceName === parameter ? parameter : `${serviceName} is ${parameter}`,
			': ',
			complaint,
		].join(''),
	);
