import type { IDataObject } from 'n8n-workflow';

import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import { faultsIn, settingsFor } from '../../../../nodes/PriceCollection/service/meaning/parameterFaults';
import { messagesIn } from '../../../../nodes/PriceCollection/service/text';
import { dialectOf } from '../../fakeClient';

const BODY = {
	...{ topic: 'search', source: 'test', country: 'de', key: 'gtin', value: '42', max_age: 9, tag: 'x' },
	...{ webhook_url: 'https://n8n.example.test/x', timeout: 5, sort_by: 'price' },
};

/** What a refusal says about parameters, as "source: missing", and the settings that help. */
function read(given: unknown, fields: CredentialFields = {}, sent: object = { body: BODY }) {
	const connection = dialectOf(fields);
	const { parameter, ...words } = (typeof given === 'object' ? given : { given }) as IDataObject;
	const faults = faultsIn(
		[...messagesIn(words).values()],
		parameter as string | undefined,
		sent,
		connection,
	);
	const said = faults.map(({ wireName, parameter: name, complaint, isSent }) =>
		[
			isSent ? '' : 'unsent ',
			wireName === name ? wireName : `${wireName} is ${name}`,
			': ',
			complaint,
		].join(''),
	);
	return { said, setting: settingsFor(faults, sent, connection) };
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
		expect(read(given).said).toEqual(expected);
	});

	test('by the names that the service has', () => {
		const requestNames = { names: [{ meaning: 'source', fields: 'markt' }] };
		const sent = { body: { markt: 'test', ruf: 'https://n8n.example.test' } };
		const named = (given: unknown) =>
			read(given, { requestNames, webhookUrlParameter: 'ruf' }, sent).said;
		expect(named({ errors: { Markt: ['is odd'] } })).toEqual(['markt is source: value']);
		expect(named(word('source is odd'))).toEqual([]);
		expect(named(word("unknown parameter 'ruf'"))).toEqual(['ruf is webhookUrlParameter: unknown']);
	});

	test('also of the job list', () => {
		const sent = { query: { per_page: 100, page: 1, status: 'new' } };
		const named = (message: string) => read(word(message), {}, sent).said;
		expect(named('unknown parameter per_page')).toEqual(['per_page is pageSizeParameter: unknown']);
		expect(named('page must be at least 2')).toEqual(['page is pageParameter: value']);
		expect(named("unknown parameter 'status'")).toEqual(['status: unknown']);
		expect(named('country is missing')).toEqual([]);
	});
});

describe('the setting that helps', () => {
	const HERE = 'under Customize Service in the credential';
	const BY_NAME = `If the service has another name for it, enter that in Request Names ${HERE}`;
	const paging = (own: string, setting: string) =>
		`${own} was sent. Enter the service's own name for it as ${setting} ${HERE}, or leave ${setting} empty, so that it is not sent; Pagination there says how pages are requested`;

	const CASES: Array<[given: unknown, setting: string | undefined, CredentialFields?, sent?: object]> = [
		['topic is missing', `topic was sent. If the service reads forms, set Request Body to Form ${HERE}`],
		[
			{ errors: { topic: ['is missing'], source: ['is missing'] } },
			`topic was sent. If the service reads JSON, set Request Body to JSON ${HERE}`,
			{ requestBody: 'form' },
		],
		[
			'unknown source',
			`The test source was sent as "test". If the service has another name for it, enter that as Test Source ${HERE}`,
		],
		['unknown source', undefined, { testSource: 'demo' }],
		[
			'Unknown country',
			`country was sent as "de". If the service writes it DE, set Country Case to Upper Case ${HERE}. Countries are ISO codes, such as gb instead of uk`,
		],
		['Unknown country', undefined, { countryCase: 'upper' }],
		[
			'Unknown topic',
			'topic was sent as "search". If the service has another word for it, set Topic to Custom',
		],
		[
			'Unknown key',
			`key was sent as "gtin". If the service has another word for it, such as ean for gtin, enter that in Request Names ${HERE}, or set Look Up By to Custom`,
		],
		['unknown parameter source', `source was sent. ${BY_NAME}; with an empty name it is not sent`],
		['unknown parameter max_age', `max_age was sent. ${BY_NAME}; with an empty name it is not sent`],
		['max_age is odd', undefined],
		['value must be a list', undefined],
		[
			'value must be a list',
			`If the service expects the values in another form, choose it as Lookup Values ${HERE}`,
			{ lookupValues: 'single' },
		],
		['value is missing', `value was sent. If the service reads forms, set Request Body to Form ${HERE}`],
		['values is missing', undefined],
		["unknown parameter 'value'", `value was sent. ${BY_NAME}`],
		['value is too short', undefined],
		[
			'unknown parameter webhook_url',
			`webhook_url was sent. Enter the service's own name for it as Webhook URL Parameter ${HERE}`,
		],
		[
			'unknown parameter tag',
			'tag was sent as you entered it. Correct or remove it in Additional Parameters or Query Parameters',
		],
		[
			'unknown parameter tag',
			`tag was sent. Enter the service's own name for it as Label Parameter ${HERE}, or leave that empty`,
			{ labelParameter: 'tag' },
		],
		[
			{ errors: { market: ['is missing'] } },
			`market was not sent. If it is the service's own name for a parameter such as source, enter it in Request Names ${HERE}; otherwise send it through Additional Parameters`,
		],
		[
			'unknown parameter per_page',
			paging('per_page', 'Page Size Parameter'),
			{},
			{ query: { per_page: 100 } },
		],
		['unknown parameter page', paging('page', 'Page Parameter'), {}, { query: { page: 1 } }],
		[
			'unknown parameter offset',
			paging('offset', 'Page Parameter'),
			{ pagination: 'offset' },
			{ query: { offset: 1 } },
		],
		[
			'unknown parameter after',
			paging('after', 'Cursor Parameter'),
			{ cursorParameter: 'after' },
			{ query: { after: 1 } },
		],
		[
			'page must be at least 1',
			`page was sent as "0". Set First Page and Pagination ${HERE} as the service counts`,
			{},
			{ query: { page: 0 } },
		],
		['It is Monday', undefined],
	];
	test.each(CASES.map((one) => ({ one })))('$one', ({ one: [given, setting, fields, sent] }) => {
		const words = typeof given === 'string' ? word(given) : given;
		expect(read(words, fields, sent).setting).toBe(setting);
	});
});
