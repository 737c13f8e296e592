import type { SandboxOptions } from './options.ts';
import type { Client } from './support.ts';
import { order, startStill } from './support.ts';

const WORDS = "Provide the mandatory parameter 'key'!";
const JSON_TYPE = 'application/json; charset=utf-8';

describe('a refusal', () => {
	let client: Client;

	beforeEach(async () => {
		client = await startStill();
	});
	afterEach(() => client.sandbox.close());

	const refused = (changes: Partial<SandboxOptions>, path = '/v2/jobs') => {
		client.sandbox.setOptions(changes);
		return client.post(path, { ...order(), key: undefined });
	};

	it.each<[SandboxOptions['refusalShape'], unknown]>([
		['documented', { success: false, reason: 'missing parameter', parameter: 'key', comment: WORDS }],
		['rails', { errors: { key: [WORDS] } }],
		['fastapi', { detail: [{ loc: ['body', 'key'], msg: WORDS, type: 'value_error' }] }],
		['code', { code: 1001, msg: WORDS }],
		['nested', { Error: { Code: 'missing parameter', Message: WORDS } }],
		['list', [WORDS]],
		['text', WORDS],
		[
			'problem',
			{
				type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
				title: 'One or more validation errors occurred.',
				status: 400,
				errors: { Key: [WORDS] },
			},
		],
		['laravel', { message: 'The given data was invalid.', errors: { key: [WORDS] } }],
	])('is in the style %s, with its status or as HTTP 200', async (refusalShape, expected) => {
		const { status, text, headers } = await refused({ refusalShape });
		expect([status, JSON.parse(text)]).toEqual([400, expected]);
		expect(headers.get('content-type')).toBe(
			refusalShape === 'problem' ? 'application/problem+json; charset=utf-8' : JSON_TYPE,
		);
		const good = await refused({ refusalStyle: 'ok' });
		expect(good.status).toBe(200);
	});

	it('is XML even for those who ask for JSON when told to', async () => {
		const { status, text, headers } = await refused({ refusalShape: 'xmlError' });
		expect(status).toBe(400);
		expect(text).toBe(
			'<?xml version="1.0" encoding="UTF-8"?>\n<error>Provide the mandatory parameter &apos;key&apos;!</error>\n',
		);
		expect(headers.get('content-type')).toBe('application/xml; charset=utf-8');
	});

	it('follows the format that is asked for where the style has both', async () => {
		const { text } = await refused({ refusalShape: 'rails', xmlIndent: false }, '/v2/jobs.xml');
		expect(text).toContain('<errors><key type="array"><key>Provide');
	});

	it.each([
		['list', '60, 60'],
		['past', 'Thu, 01 Jan 1970 00:01:00 GMT'],
		['words', 'soon'],
	] as const)('of too many requests says when to come again as %s', async (retryAfter, expected) => {
		client.sandbox.setOptions({ statusRateLimit: 1, retryAfter });
		const id = await client.finished();
		await client.send(`/v2/jobs/${id}`);
		expect((await client.send(`/v2/jobs/${id}`)).headers.get('retry-after')).toBe(expected);
	});
});
