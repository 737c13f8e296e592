import type { CredentialFields } from '../../../../nodes/PriceCollection/service/connection';
import { settingsFor } from '../../../../nodes/PriceCollection/service/meaning/parameterAdvice';
import { faultsIn } from '../../../../nodes/PriceCollection/service/meaning/parameterFaults';
import { messagesIn } from '../../../../nodes/PriceCollection/service/text';
import { dialectOf } from '../../fakeClient';

const BODY = {
	...{ topic: 'search', source: 'test', country: 'de', key: 'gtin', value: '42', max_age: 9, tag: 'x' },
	...{ webhook_url: 'https://n8n.example.test/x', timeout: 5, sort_by: 'price' },
};

/** The advice on what a refusal says about parameters. */
function adviceOn(given: object, fields: CredentialFields = {}, sent: object = { body: BODY }) {
	const connection = dialectOf(fields);
	return settingsFor(
		faultsIn([...messagesIn(given).values()], undefined, sent, connection),
		sent,
		connection,
	);
}

describe('the setting that helps', () => {
	const HERE = 'under Customize Service in the credential';
	const BY_NAME = `If the service has another name for it, enter that in Request Names ${HERE}`;
	const paging = (own: string, setting: string) =>
		`${own} was sent. Enter the service's own name for it as ${setting} ${HERE}, or leave ${setting} empty, so that it is not sent; Pagination there says how pages are requested`;

	const CASES: Array<
		[given: object | string, setting: string | undefined, CredentialFields?, sent?: object]
	> = [
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
		const words = typeof given === 'string' ? { message: given } : given;
		expect(adviceOn(words, fields, sent)).toBe(setting);
	});
});
