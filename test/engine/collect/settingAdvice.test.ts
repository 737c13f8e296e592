import type { IncomingMessage } from 'node:http';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { runNode, TERM_PARAMETERS } from '../support/core';
import { errorText, items, said } from '../support/harness';
import { usePlainService, type PlainReply } from '../support/plainService';
import { valuesPerJob } from '../support/common';

const service = usePlainService();

const EAN = '4006381333931';
/** What a first-time user enters. */
const FIRST: INodeParameters = {
	...TERM_PARAMETERS,
	...{ topic: 'product_and_offers', lookupKey: 'gtin', values: EAN, useTestSource: true },
};
const SENT = { topic: 'product_and_offers', source: 'test', country: 'de', key: 'gtin' };
const LIST: INodeParameters = { resource: 'job', operation: 'getAll', returnAll: true };
const ALL = { topic: 'is missing', source: 'is missing', value: 'is missing' };

/** The service's answer to a request with this body or query. */
type Answer = (asked: IDataObject, request: IncomingMessage) => PlainReply;

/** The body or query of each request, in order. */
const asked: IDataObject[] = [];

async function bodyOf(request: IncomingMessage): Promise<IDataObject> {
	let text = '';
	for await (const chunk of request) text += String(chunk);
	if (!(request.headers['content-type'] ?? '').includes('form')) return JSON.parse(text || '{}');
	return Object.fromEntries(new URLSearchParams(text));
}

function becomes(answers: Record<string, Answer>): void {
	const replies = Object.entries(answers).map(([address, answer]): [string, PlainReply] => {
		const byHand: PlainReply['byHand'] = async (request, response) => {
			const query = Object.fromEntries(new URL(request.url ?? '', service.url).searchParams);
			delete query.token;
			const sent = { ...query, ...(await bodyOf(request)) };
			asked.push(sent);
			const { status = 200, body = '' } = answer(sent, request);
			response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
		};
		return [address, { byHand }];
	});
	service.reset(Object.fromEntries(replies));
}

/** What a user reads after a run, and what was sent. */
async function told(parameters: INodeParameters, credential: IDataObject = {}) {
	asked.length = 0;
	const run = await runNode(service, parameters, { credential: { customizeService: true, ...credential } });
	return { text: errorText(run), hints: said(run), jobs: items(run, 'Prices'), asked: [...asked] };
}

/** What the credential's test button reports. */
async function tested(credential: IDataObject = {}): Promise<string> {
	const data = { baseUrl: service.url, apiKey: service.apiKey, ...credential };
	const { priceCollectionApiTest: test } = new PriceCollection().methods.credentialTest;
	const given = { id: '1', name: 'Test', type: 'priceCollectionApi', data } as never;
	return (await test.call(new CredentialTestContext() as never, given)).message;
}

const CREATE = 'POST /v2/jobs';
const END = 'Endpoint: POST /v2/jobs, HTTP';
const REFUSED = 'The service refused the request';
const HERE = 'under Customize Service in the credential';
const TEST_SOURCE = `The test source was sent as "test". If the service has another name for it, enter that as Test Source ${HERE}.`;
const COUNTRY_CASE = `country was sent as "de". If the service writes it DE, set Country Case to Upper Case ${HERE}. Countries are ISO codes, such as gb instead of uk.`;
const WORD_OF_KEY = `key was sent as "gtin". If the service has another word for it, such as ean for gtin, enter that in Request Names ${HERE}, or set Look Up By to Custom.`;
const WEBHOOK = `webhook_url was sent. Enter the service's name for it as Webhook URL Parameter ${HERE}.`;
const BODY = (name: string) =>
	`${name} was sent. If the service reads forms, set Request Body to Form ${HERE}.`;
const OWN_NAME = (name: string) =>
	`${name} was sent. If the service has another name for it, enter that in Request Names ${HERE}; with an empty name it is not sent.`;

const fastApi = (...faults: Array<[place: string, msg: string]>): PlainReply => ({
	status: 422,
	// The newer version also repeats the whole body.
	body: {
		detail: faults.map(([place, msg]) => ({ type: 'missing', loc: ['body', place], msg, input: SENT })),
	},
});
const rails = (errors: object): PlainReply => ({ status: 422, body: { errors } });
const symfony = (propertyPath: string, message: string): PlainReply => ({
	status: 422,
	body: { title: 'Validation Failed', violations: [{ propertyPath, message, code: 'c1051bb4' }] },
});
const plain = (message: string, status = 400): PlainReply => ({ status, body: { message } });
const xml = (message: string): PlainReply => ({
	status: 400,
	body: `<?xml version="1.0"?><error><message>${message}</message></error>`,
});

describe('what a service says in its own words names the setting that helps, after one request', () => {
	test.each<[PlainReply, string]>([
		[
			fastApi(['source', 'no such source']),
			`${REFUSED}: source The service says: "source: no such source". ${TEST_SOURCE}`,
		],
		[
			plain("Unknown source 'test'", 404),
			`${REFUSED}: source The service says: "Unknown source 'test'". ${TEST_SOURCE}`,
		],
		[
			plain('unknown source'),
			`The service does not know this source The service says: "unknown source". ${TEST_SOURCE}`,
		],
		[
			rails({ country: ['is not included in the list'] }),
			`${REFUSED}: country The service says: "country: is not included in the list". ${COUNTRY_CASE}`,
		],
		[
			symfony('country', 'This value is not a valid country.'),
			`${REFUSED}: country The service says: "Validation Failed; country: This value is not a valid country." ${COUNTRY_CASE}`,
		],
		[
			xml('Country code must have capital letters'),
			`${REFUSED}: country The service says: "Country code must have capital letters". ${COUNTRY_CASE}`,
		],
		[
			plain("Key 'gtin' is not supported"),
			`${REFUSED}: key The service says: "Key 'gtin' is not supported". ${WORD_OF_KEY}`,
		],
		[
			xml("'gtin' is none of ean, asin"),
			`${REFUSED}: key The service says: "'gtin' is none of ean, asin". ${WORD_OF_KEY}`,
		],
		[
			plain('Parameter webhook_url is not known'),
			`${REFUSED}: webhook_url The service says: "Parameter webhook_url is not known". ${WEBHOOK}`,
		],
		[
			plain('found unpermitted parameter: :max_age'),
			`${REFUSED}: max_age The service says: "found unpermitted parameter: :max_age". ${OWN_NAME('max_age')}`,
		],
		[
			fastApi(['source', 'field required'], ['country', 'field required']),
			`${REFUSED}: source, country The service says: "source: field required; country: field required". ${BODY('source')}`,
		],
		[
			rails({ source: ['is missing'], country: ['is missing'] }),
			`${REFUSED}: source, country The service says: "source: is missing; country: is missing". ${BODY('source')}`,
		],
		[
			rails([
				{ field: 'source', message: 'required' },
				{ field: 'country', message: 'required' },
			]),
			`${REFUSED}: source, country The service says: "source: required; country: required". ${BODY('source')}`,
		],
		// Everything is missing, even the value, so the value's form is not the reason.
		[
			rails(ALL),
			`${REFUSED}: topic, source, value The service says: "topic: is missing; source: is missing; value: is missing". ${BODY('topic')}`,
		],
		// Another form would not make the value longer.
		[plain(`The EAN ${EAN} is too short`), `${REFUSED} The service says: "The EAN ${EAN} is too short".`],
		[
			rails({ value: ['is too short (minimum is 14)'] }),
			`${REFUSED}: value The service says: "value: is too short (minimum is 14)".`,
		],
		[
			plain("Value '4006381333931' has a wrong check digit"),
			`${REFUSED}: value The service says: "Value '4006381333931' has a wrong check digit".`,
		],
		[
			plain('Your account is suspended.', 403),
			`${REFUSED} The service says: "Your account is suspended."`,
		],
		[plain('Not on a Monday'), `${REFUSED} The service says: "Not on a Monday".`],
		[
			rails({ marketplace: ["can't be blank"] }),
			`${REFUSED}: marketplace The service says: "marketplace: can't be blank". marketplace was not sent. If it is the service's name for a parameter such as source, enter it in Request Names ${HERE}; otherwise send it through Additional Parameters.`,
		],
	])('%j', async (reply, text) => {
		becomes({ [CREATE]: () => reply });
		const webhookUrl = 'https://n8n.example.test/x';
		const read = await told({ ...FIRST, options: { webhookUrl, maxAge: 60 } });
		expect(read.text).toBe(`${text} ${END} ${reply.status}.`);
		expect(read.asked).toEqual([{ ...SENT, max_age: 60, value: EAN, webhook_url: webhookUrl }]);
	});
});

describe('the forms of the lookup values', () => {
	const job = { body: { job_id: 'j1', status: 'new' } };
	const lookups = (sent: IDataObject[]) =>
		sent.map(({ value, values }) => (value === undefined ? { values } : { value }));
	const many = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
	const TERMS = (count: number): INodeParameters => ({
		...TERM_PARAMETERS,
		values: many(count).join('\n'),
	});
	const TOO_MANY = 'The job asks for too many values Lower Max Values per Job';

	test('are tried once each where the one that was sent is refused as one', async () => {
		becomes({
			[CREATE]: ({ value, values }) => {
				if (value !== undefined)
					return fastApi(['values', 'Field required'], ['value', 'Extra inputs are not permitted']);
				return Array.isArray(values) ? job : fastApi(['values', 'Input should be a valid list']);
			},
		});
		const { jobs, asked: sent } = await told(TERMS(1));
		expect(jobs).toMatchObject([{ job_id: 'j1' }]);
		expect(lookups(sent)).toEqual([{ value: 'v0' }, { values: 'v0' }, { values: ['v0'] }]);
	});

	test('are said where all were refused', async () => {
		becomes({ [CREATE]: () => plain('The parameter "value" is missing', 422) });
		const { text, asked: sent } = await told(TERMS(1));
		expect(sent).toHaveLength(3);
		expect(text).toBe(
			`${REFUSED}: value The service says: "The parameter "value" is missing". ${BODY('value')} The service also refused the other ways to send the values: "The parameter "value" is missing", "The parameter "value" is missing". ${END} 422.`,
		);
	});

	test('are named by Lookup Values where the user has set one', async () => {
		becomes({ [CREATE]: () => symfony('value', 'This value should be of type array.') });
		const { text, asked: sent } = await told(TERMS(1), { lookupValues: 'single' });
		expect(sent).toHaveLength(1);
		expect(text).toContain(
			`If the service expects the values in another form, choose it as Lookup Values ${HERE}. ${END}`,
		);
	});

	test.each([
		fastApi(['values', 'List should have at most 500 items after validation, not 501']),
		rails({ values: ['maximum is 500'] }),
		symfony('values', 'This collection should contain 500 elements or less.'),
		plain('At most 500 items', 413),
		plain('limit is 500'),
		xml('Too many values, maximum 500'),
	])('are not the reason where there are too many values: %j', async (refusal) => {
		becomes({
			[CREATE]: ({ values }) => {
				if (!Array.isArray(values)) return plain('values must be an array');
				return values.length > 500
					? refusal
					: { body: { job_id: `j${values.length}`, status: 'new' } };
			},
		});
		const { text, asked: sent } = await told(TERMS(501));
		expect(text).toContain(TOO_MANY);
		expect(text).toContain(
			'The job asked for 501 values. Set Max Values per Job in the credential to 500.',
		);
		expect(sent).toHaveLength(2);
		const next = await told(TERMS(501), valuesPerJob(500));
		expect(next.jobs.map((one) => one.job_id)).toEqual(['j500', 'j1']);
	});
});

test.each<[unknown, string]>([
	[
		['max_age', 'sort_by'],
		'The service ignored parameters of this run: max_age, sort_by. If it has other names for them, enter those as Request Names under Customize Service in the credential.',
	],
	[
		'webhook_url',
		'The service ignored parameters of this run: webhook_url. If it has other names for them, enter those as Webhook URL Parameter under Customize Service in the credential.',
	],
	[
		[{ name: 'max_age', message: 'unknown' }, { code: 7 }],
		'The service ignored parameters of this run: name: max_age; unknown, {"code":7}. If it has other names for them, enter those as Request Names under Customize Service in the credential.',
	],
	[[], ''],
])('what a creation ignores is a hint: %j', async (ignored_parameters, hint) => {
	const reply = { body: { job_id: 'j1', status: 'finished', ignored_parameters, results: [] } };
	becomes({
		[CREATE]: () => reply,
		'GET /v2/jobs/j1': () => reply,
		'GET /v2/jobs/j1/download': () => reply,
	});
	for (const operation of ['create', 'collect']) {
		const { hints } = await told({ ...FIRST, operation });
		expect(hints.filter((text) => text.includes('ignored'))).toEqual(hint === '' ? [] : [hint]);
	}
});

/** A step: the user's settings, the message that follows (blank on success), and the requests sent. */
type Step = [parameters: INodeParameters, credential: IDataObject, text: string, asked: IDataObject[]];

describe('a way to the first row, on which each message leads to the next step', () => {
	const PAGING = `per_page was sent. Enter the service's name for it as Page Size Parameter ${HERE}, or leave Page Size Parameter empty, so that it is not sent; Pagination there says how pages are requested.`;
	const callback = { ...FIRST, options: { webhookUrl: 'https://n8n.example.test/x' } };

	async function walk(steps: Step[]): Promise<void> {
		for (const [parameters, credential, text, sent] of steps) {
			const read = await told(parameters, credential);
			expect(read.text).toBe(text);
			expect(read.asked).toEqual(sent);
		}
	}

	test('of a marketplace that speaks JSON and takes lists', async () => {
		const known = ['topic', 'marketplace', 'country', 'key', 'values', 'callback'];
		becomes({
			[CREATE]: (sent, { headers }) => {
				if (headers.authorization !== `Bearer ${service.apiKey}`)
					return plain('No bearer token', 401);
				const extra = Object.keys(sent).filter((name) => !known.includes(name) && name !== 'value');
				const faults: Array<[string, string]> = extra.map((name) => [
					name,
					'Extra inputs are not permitted',
				]);
				if (sent.marketplace === undefined) faults.unshift(['marketplace', 'Field required']);
				if (faults.length > 0) return fastApi(...faults);
				if (sent.marketplace !== 'sandbox')
					return { status: 404, body: { detail: 'Unknown marketplace: test' } };
				if (sent.key !== 'ean') return fastApi(['key', "Input should be 'ean' or 'asin'"]);
				if (sent.values === undefined) return fastApi(['values', 'Field required']);
				if (!Array.isArray(sent.values)) return fastApi(['values', 'Input should be a valid list']);
				return { status: 201, body: { id: 'j1', status: 'queued' } };
			},
			'GET /v2/jobs': (sent) =>
				sent.per_page === undefined
					? { body: { jobs: [], has_more: false } }
					: {
							status: 422,
							body: {
								detail: [
									{ loc: ['query', 'per_page'], msg: 'Extra inputs are not permitted' },
								],
							},
						},
		});
		const credential = { authentication: 'bearer' };
		const own = { ...credential, requestNamesText: 'source: marketplace' };
		const tests = { ...own, testSource: 'sandbox' };
		const keys = { ...tests, requestNamesText: 'source: marketplace\ngtin: ean' };
		const others = { topic: SENT.topic, country: SENT.country, key: SENT.key };
		const renamed = { ...others, marketplace: 'sandbox', key: 'ean' };
		const url = 'https://n8n.example.test/x';
		await walk([
			[
				FIRST,
				{},
				`The service did not accept the key Check the key, and how it is sent (Authentication), in the credential. The service says: "No bearer token". ${END} 401.`,
				[{ ...SENT, value: EAN }],
			],
			[
				FIRST,
				credential,
				`${REFUSED}: marketplace, source The service says: "marketplace: Field required; source: Extra inputs are not permitted". marketplace was not sent. If it is the service's name for a parameter such as source, enter it in Request Names ${HERE}; otherwise send it through Additional Parameters. ${OWN_NAME('source')} ${END} 422.`,
				[{ ...SENT, value: EAN }],
			],
			[
				FIRST,
				own,
				`${REFUSED}: marketplace The service says: "Unknown marketplace: test". ${TEST_SOURCE} ${END} 404.`,
				[{ ...others, marketplace: 'test', value: EAN }],
			],
			[
				FIRST,
				tests,
				`${REFUSED}: key The service says: "key: Input should be 'ean' or 'asin'". ${WORD_OF_KEY} ${END} 422.`,
				[{ ...renamed, key: 'gtin', value: EAN }],
			],
			[
				FIRST,
				keys,
				'',
				[{ value: EAN }, { values: EAN }, { values: [EAN] }].map((one) => ({ ...renamed, ...one })),
			],
			[
				callback,
				keys,
				`${REFUSED}: webhook_url The service says: "webhook_url: Extra inputs are not permitted". ${WEBHOOK} ${END} 422.`,
				[{ ...renamed, value: EAN, webhook_url: url }],
			],
			[
				callback,
				{ ...keys, webhookUrlParameter: 'callback', lookupValues: 'array' },
				'',
				[{ ...renamed, values: [EAN], callback: url }],
			],
			[
				LIST,
				keys,
				`${REFUSED}: per_page The service says: "per_page: Extra inputs are not permitted". ${PAGING} Endpoint: GET /v2/jobs, HTTP 422.`,
				[{ per_page: '100' }],
			],
			[LIST, { ...keys, pageSizeParameter: '' }, '', [{}]],
		]);
	});

	test('of an enterprise that speaks XML and takes forms', async () => {
		const job = '<job><job-id>j1</job-id><status>NEW</status></job>';
		becomes({
			[CREATE]: (sent, { headers }) => {
				if (headers['content-type']?.includes('form') !== true)
					return {
						status: 400,
						body: '<errors><error><field>topic</field><message>is mandatory</message></error><error><field>country</field><message>is mandatory</message></error></errors>',
					};
				if (sent.webhook_url !== undefined) return xml('Parameter webhook_url is not known');
				if (sent.country !== 'DE') return xml(`Country '${String(sent.country)}' is not known`);
				if (sent.source !== 'TESTSHOP')
					return xml(`Source ${String(sent.source)} is not available to you`);
				if (sent.key !== 'ean') return xml(`There is no key '${String(sent.key)}'`);
				return { status: 201, body: job };
			},
			'GET /v2/jobs': (sent) => {
				if (sent.per_page !== undefined) return xml('unknown parameter per_page');
				if (sent.page !== undefined) return xml('unknown parameter page');
				return { body: `<jobs type="array">${job}</jobs>` };
			},
		});
		const form = { requestBody: 'form' };
		const upper = { ...form, countryCase: 'upper' };
		const tests = { ...upper, testSource: 'TESTSHOP' };
		const keys = { ...tests, requestNamesText: 'gtin: ean' };
		await walk([
			[
				FIRST,
				{},
				`${REFUSED}: topic, country The service says: "topic: is mandatory; country: is mandatory". ${BODY('topic')} ${END} 400.`,
				[{ ...SENT, value: EAN }],
			],
			[
				callback,
				form,
				`${REFUSED}: webhook_url The service says: "Parameter webhook_url is not known". ${WEBHOOK} ${END} 400.`,
				[{ ...SENT, value: EAN, webhook_url: 'https://n8n.example.test/x' }],
			],
			[
				FIRST,
				form,
				`${REFUSED}: country The service says: "Country 'de' is not known". ${COUNTRY_CASE} ${END} 400.`,
				[{ ...SENT, value: EAN }],
			],
			[
				FIRST,
				upper,
				`${REFUSED}: source The service says: "Source test is not available to you". ${TEST_SOURCE} ${END} 400.`,
				[{ ...SENT, country: 'DE', value: EAN }],
			],
			[
				FIRST,
				tests,
				`${REFUSED}: key The service says: "There is no key 'gtin'". ${WORD_OF_KEY} ${END} 400.`,
				[{ ...SENT, country: 'DE', source: 'TESTSHOP', value: EAN }],
			],
			[FIRST, keys, '', [{ ...SENT, country: 'DE', source: 'TESTSHOP', key: 'ean', value: EAN }]],
			[
				LIST,
				keys,
				`${REFUSED}: per_page The service says: "unknown parameter per_page". ${PAGING} Endpoint: GET /v2/jobs, HTTP 400.`,
				[{ per_page: '100' }],
			],
		]);
		// A rejected page parameter does not mean that the list has ended.
		const paged = await told(LIST, { ...keys, pageSizeParameter: '' });
		expect(paged.jobs).toMatchObject([{ job_id: 'j1' }]);
		expect(paged.hints).toEqual([
			`Received 1 job, but page 2 of the list could not be read: ${REFUSED}: page. The service says: "unknown parameter page". page was sent. Enter the service's name for it as Page Parameter ${HERE}, or leave Page Parameter empty, so that it is not sent; Pagination there says how pages are requested. Endpoint: GET /v2/jobs, HTTP 400.`,
		]);
		const one = await told(LIST, { ...keys, pageSizeParameter: '', pagination: 'none' });
		expect([one.hints, one.asked]).toEqual([[], [{}]]);
	});
});

test.each<[PlainReply, string]>([
	[
		plain('No bearer token', 401),
		'The service did not accept the key. Check the key, and how it is sent (Authentication), in the credential. The service says: "No bearer token". ',
	],
	[plain('Your account is suspended', 403), `${REFUSED}. The service says: "Your account is suspended". `],
	[
		{ ...xml('The contract has expired.'), status: 403 },
		`${REFUSED}. The service says: "The contract has expired." `,
	],
	[
		plain('Forbidden', 403),
		'The key has no access to this. Check in the credential that the key is the right one. The plan of its account may not include this. The service says: "Forbidden". ',
	],
	[
		{ status: 403, body: '<html>Blocked</html>' },
		`${REFUSED}. It gives no reason. A firewall, or the proxy that n8n uses, may have refused the request before it reached the service. `,
	],
])('the first message of all, that of the credential test: %j', async (reply, text) => {
	becomes({ 'GET /v2/me/usage_today': () => reply });
	expect(await tested()).toBe(`${text}Endpoint: GET /v2/me/usage_today, HTTP ${reply.status}.`);
});
