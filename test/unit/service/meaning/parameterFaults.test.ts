import type { IDataObject } from 'n8n-workflow';

import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import { faultsIn } from '../../../../nodes/PriceCollection/service/meaning/parameterFaults';
import { messagesIn } from '../../../../nodes/PriceCollection/service/text';
import { dialectOf } from '../../fakeClient';

const BODY = {
	...{ topic: 'search', source: 'test', country: 'de', key: 'gtin', value: '42', max_age: 9, tag: 'x' },
	...{ webhook_url: 'https://n8n.example.test/x', timeout: 5, sort_by: 'price' },
};

/** What a refusal says about parameters, as "source: missing". */
function read(given: unknown, fields: CredentialFields = {}, sent: object = { body: BODY }) {
	const { parameter, ...words } = (typeof given === 'object' ? given : { given }) as IDataObject;
	const texts = [...messagesIn(words).values()];
	const faults = faultsIn(texts, parameter as string | undefined, sent, dialectOf(fields));
	return faults.map(({ serviceName, parameter: name, complaint, isSent }) =>
		[
			isSent ? '' : 'unsent ',
			serviceName === name ? serviceName : `${serviceName} is ${name}`,
			': ',
			complaint,
		].join(''),
	);
}

const word = (message: string) => ({ message });

describe('which parameters a refusal is about', () => {
	test.each<[unknown, string[]]>([
		// As the document has it.
		[{ parameter: 'country', reason: 'parameter value invalid' }, ['country: value']],
		[{ parameter: 'source', reason: 'missing parameter' }, ['source: missing']],
		[{ parameter: 'marketplace', reason: 'missing parameter' }, ['unsent marketplace: missing']],
		[{ parameter: 'values[]', reason: 'is required' }, ['unsent values: missing']],
		[{ parameter: 'source', reason: 'source disabled' }, []],
		// As frameworks do.
		[
			{ detail: ['source', 'country'].map((name) => ({ loc: ['body', name], msg: 'field required' })) },
			['source: missing', 'country: missing'],
		],
		[
			{
				errors: [
					{ field: 'source', message: 'required' },
					{ field: 'key', message: 'odd' },
				],
			},
			['source: missing', 'key: value'],
		],
		[{ errors: { source: ['is missing'], country: ['is odd'] } }, ['source: missing', 'country: value']],
		[
			{ violations: [{ propertyPath: 'values[0]', message: 'This value is odd.' }] },
			['unsent values: value'],
		],
		[{ source: ['This field is required.'] }, ['source: missing']],
		[{ errors: { marketplace: ["can't be blank"] } }, ['unsent marketplace: missing']],
		[{ errors: { base: ["Country can't be blank"] } }, ['country: missing']],
		[{ detail: [{ loc: ['body', 'tag'], msg: 'Extra inputs are not permitted' }] }, ['tag: unknown']],
		// In sentences.
		[word('topic is missing'), ['topic: missing']],
		[word("The parameter 'value' must not be blank"), ['value: missing']],
		[word('Parameter webhook_url is not known'), ['webhook_url is webhookUrlParameter: unknown']],
		[word('found unpermitted parameters: :max_age, :timeout'), ['max_age: unknown']],
		[word('"max_age" is not allowed'), ['max_age: unknown']],
		[word('"value" is not allowed'), ['value: unknown']],
		[word('webhookUrl: unexpected'), ['webhook_url is webhookUrlParameter: unknown']],
		[word("Unknown country 'de'"), ['country: value']],
		[word("'test' is not available"), ['source: value']],
		[word('sort_by "price" is not known'), ['sort_by: value']],
		[word('Unknown parameter tag. Required are topic and source.'), ['tag: unknown']],
		// The value itself, and its form.
		[word('value must be an array'), ['value: form']],
		[{ errors: { value: ['Input should be a valid list'] } }, ['value: form']],
		[{ errors: { value: ['This value should be of type string.'] } }, ['value: form']],
		[{ errors: { value: ['str type expected'] } }, ['value: form']],
		[{ errors: { value: ['is too short'] } }, ['value: value']],
		[{ errors: { value: ['must be a string of 8 to 14 digits'] } }, ['value: value']],
		[word('Value must be a list of at most 500'), ['value: value']],
		// Ordinary words.
		[word('The API key is not valid'), []],
		[word('Your topic is missing'), []],
		[word('constructor is missing'), []],
		[word('Login required'), []],
		[{ errors: { code: 'REQUIRED', message: 'Something is odd' } }, []],
		[word('Source test is not provided'), ['source: value']],
		[word('Country was not provided'), ['country: missing']],
		[word('There is a limit on the source of it'), []],
		[word('Source'), ['source: value']],
		[word('the page size is odd'), []],
	])('%j: %j', (given, expected) => {
		expect(read(given)).toEqual(expected);
	});

	test('by the names that the service has', () => {
		const requestNames = { names: [{ meaning: 'source', fields: 'markt' }] };
		const sent = { body: { markt: 'test', ruf: 'https://n8n.example.test' } };
		const named = (given: unknown) => read(given, { requestNames, webhookUrlParameter: 'ruf' }, sent);
		expect(named({ errors: { Markt: ['is odd'] } })).toEqual(['markt is source: value']);
		expect(named(word('source is odd'))).toEqual([]);
		expect(named(word("unknown parameter 'ruf'"))).toEqual(['ruf is webhookUrlParameter: unknown']);
	});

	test('also of the job list', () => {
		const sent = { query: { per_page: 100, page: 1, status: 'new' } };
		const named = (message: string) => read(word(message), {}, sent);
		expect(named('unknown parameter per_page')).toEqual(['per_page is pageSizeParameter: unknown']);
		expect(named('page must be at least 2')).toEqual(['page is pageParameter: value']);
		expect(named("unknown parameter 'status'")).toEqual(['status: unknown']);
		expect(named('country is missing')).toEqual([]);
	});
});
