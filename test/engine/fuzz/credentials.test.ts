import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { CredentialTestContext } from 'n8n-core';

import { PriceCollection } from '../../../nodes/PriceCollection/PriceCollection.node';
import { usePlainService } from '../plainService';
import { anyJson, casesOf, PATIENCE_MS } from './fuzz';

const service = usePlainService();

const anyText = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 20 }),
	fc.constantFrom(
		'',
		' ',
		'token',
		'a b',
		'x: y\r\nz: 1',
		'ü€',
		'__proto__',
		'%',
		'&',
		'\n',
		'A'.repeat(5_000),
	),
);

/** Long and unlike anything else, so that it is found wherever it turns up. */
const anySecret = fc
	.tuple(fc.stringMatching(/^[a-z]{24}$/), fc.constantFrom('', ' ', '%', '"', 'ü', '&='))
	.map(([start, end]) => `${start}${end}`);

/** What is behind the address of the service, or a text that is none. */
const anyAddress = fc.oneof(
	fc.constantFrom(
		'URL',
		'URL/',
		'URL/v2',
		'URL/v1/',
		' URL ',
		'URL/a/b?c=d',
		'URL#x',
		'URL/v2/jobs',
		'URL/%zz',
	),
	fc.constantFrom(
		'http://example.com',
		'ftp://127.0.0.1',
		'https://',
		'//',
		'https://user:pass@127.0.0.1:1',
	),
	fc.constantFrom('http://127.0.0.1:99999', 'javascript:alert(1)', 'file:///etc/passwd', 'http://[::1'),
	anyText.filter((text) => !/https?:/i.test(text)),
);

const anyCredential = fc.record(
	{
		baseUrl: anyAddress,
		authentication: fc.constantFrom('basic', 'bearer', 'header', 'queryParameter'),
		parameterName: anyText,
		headerName: anyText,
		apiKey: anySecret,
		username: anyText,
		password: anySecret,
		webhookSecret: fc.oneof(anySecret, fc.constant('')),
		requestBody: fc.constantFrom('json', 'form'),
		formatSelection: fc.constantFrom('acceptHeader', 'pathSuffix', 'queryParameter'),
		formatParameter: anyText,
		lookupValues: fc.constantFrom('automatic', 'single', 'list'),
		testSource: anyText,
		webhookUrlParameter: anyText,
		legacyBaseUrl: anyText,
		customizeService: fc.boolean(),
		allowInsecureHttp: fc.boolean(),
	},
	{ requiredKeys: ['baseUrl', 'apiKey', 'password'] },
);

/** A credential as it is typed, or with a field that an expression makes something else of. */
const anyFields = fc
	.tuple(
		anyCredential,
		fc.option(fc.tuple(fc.constantFrom('apiKey', 'username', 'parameterName', 'baseUrl'), anyJson)),
	)
	.map(([credential, other]): IDataObject => {
		return { ...credential, ...(other === null ? {} : { [other[0]]: other[1] as string }) };
	});

const USAGE = { 'GET /v2/me/usage_today': { body: { credits: 3 } }, 'GET /v2/jobs': { body: [] } };

/** The credential at this service; one that leads elsewhere is spoken to by nobody in these tests. */
function atService(fields: IDataObject): IDataObject {
	const { baseUrl } = fields;
	return typeof baseUrl === 'string' ? { ...fields, baseUrl: baseUrl.replace('URL', service.url) } : fields;
}

/** Secrets of a credential that stand in a text. */
const secretsIn = (text: string, { apiKey, password }: IDataObject) =>
	[apiKey, password]
		.filter((secret) => typeof secret === 'string' && secret.trim().length > 20)
		.filter((secret) => text.includes(String(secret).trim()));

test(
	'any credential passes its test or is refused in a sentence without its secrets',
	async () => {
		await fc.assert(
			fc.asyncProperty(anyFields, async (generated) => {
				service.reset(USAGE);
				const data = atService(generated);
				const credential = { id: '1', name: 'Test', type: 'priceCollectionApi', data } as never;
				const { status, message } =
					await new PriceCollection().methods.credentialTest.priceCollectionApiTest.call(
						new CredentialTestContext() as never,
						credential,
					);
				expect(['OK', 'Error']).toContain(status);
				expect(message).toMatch(/^\p{Lu}.{10}/u);
				expect(secretsIn(message, data)).toEqual([]);
			}),
			{ numRuns: casesOf(0.05) },
		);
	},
	PATIENCE_MS,
);
