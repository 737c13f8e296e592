import { decodeBody } from '../../../nodes/PriceCollection/service/decode/body';
import { NO_REASON, readRefusal } from '../../../nodes/PriceCollection/service/decode/refusal';
import { ENDPOINTS, type Endpoint } from '../../../nodes/PriceCollection/service/endpoints';
import { classifyReply } from '../../../nodes/PriceCollection/service/classifyReply';
import type { Problem, ProblemKind } from '../../../nodes/PriceCollection/service/problems';

const { create, list, get, download, cancel, usageToday } = ENDPOINTS;
const clean = (text: string) => text.replaceAll('KEYKEY', '***');

/** What a reply comes to. */
async function judged(status: number, text: string, endpoint: Endpoint = get): Promise<Problem | undefined> {
	const body = await decodeBody(Buffer.from(text), undefined, async () => {});
	const refusal = body.ok ? readRefusal(body.value, status) : undefined;
	return classifyReply({ status, body, refusal, excerpt: clean(text) }, endpoint, clean);
}

/** What a refusal in these words comes to. */
async function told(reason: string, status = 400, endpoint: Endpoint = create, more = {}) {
	return (await judged(status, JSON.stringify({ success: false, reason, ...more }), endpoint))?.kind;
}

describe('words of a refusal mean', () => {
	test.each<[ProblemKind, string]>([
		[
			'unauthorized',
			'API key not found; apikey expired; api-key unknown; API keys are missing; token revoked',
		],
		['unauthorized', 'tokens required; wrong credentials; incorrect credential; authorization required'],
		['unauthorized', 'account inactive; user disabled; client_unknown; invalid key; Unauthorised'],
		['unauthorized', 'unauthorized; authentication needed'],
		['planLimit', 'subscription expired; invalid plan; license expired; licence expired; trial expired'],
		['planLimit', 'contract inactive; the plan is inactive; completeness not allowed; upgrade needed'],
		['missingParameter', 'missing parameter; Missing_parameter'],
		['noCredits', 'not enough free credits; no credit left; no more free credits; No  credits'],
		['noCredits', 'daily quota exceeded; insufficient funds; payment required'],
		['tooManyValues', 'too many values'],
		['rateLimited', 'Too-many--requests; rate limit reached'],
		['unknownSource', 'unknown source; invalid source; no such source; there is no source x'],
		['unknownSource', 'source "x" was not found; the source is unknown; source x does not exist'],
		['invalidValue', 'invalid value; parameter value invalid; invalid parameter'],
		['unsupported', 'unsupported country; source disabled; key_disabled; not supported'],
		['retired', 'retired; deprecated; shut down; shutdown; no longer served; v1 is over'],
		['retired', 'version 1 was shut down; not ready, and deprecated'],
		['notFinished', 'not finished; not ready; still running; still working; not yet complete'],
		['forbidden', 'job forbidden'],
		['cancelled', 'job canceled; was cancelled'],
		['unavailable', 'service under maintenance; overloaded; internal error; please try again'],
		['refused', 'no product found; more exist; account is closing; plan your jobs; key unknown'],
		['refused', 'resources are short; version 12 is out; use v12; foregone; gone fishing'],
	])('%s, whatever the status is: %s', async (kind, reasons) => {
		for (const reason of reasons.split('; ')) {
			for (const status of [200, 400])
				expect([reason, await told(reason, status)]).toEqual([reason, kind]);
		}
	});

	test.each<[ProblemKind, string]>([
		['unauthorized', 'surprise; job not found; not finished; forbidden; cancelled; key unknown'],
		['noCredits', 'not enough credits'],
		['unknownSource', 'unknown source'],
		['unsupported', 'unsupported country'],
		['retired', 'deprecated'],
	])('%s with a 401: %s', async (kind, reasons) => {
		for (const reason of reasons.split('; '))
			expect([reason, await told(reason, 401, get)]).toEqual([reason, kind]);
	});

	test.each<[string, number, ProblemKind]>([
		['key unknown', 403, 'unauthorized'],
		['monkey unknown', 403, 'forbidden'],
		['slow down', 429, 'rateLimited'],
		['surprise', 500, 'unavailable'],
		['surprise', 422, 'refused'],
		['invalid value: cancelled', 400, 'invalidValue'],
		['invalid value: v1', 400, 'invalidValue'],
	])('"%s" with %i: %s', async (reason, status, kind) => {
		expect(await told(reason, status)).toBe(kind);
	});

	test('what stands beside them, too: version 1 is gone, not the job', async () => {
		const comment = 'This address was retired.';
		expect(await told('not found', 404, get, { comment })).toBe('retired');
		expect(await told('gone', 410, get, { comment })).toBe('retired');
		expect(await told('surprise', 400, create, { comment: 'Version 1' })).toBe('retired');
	});
});

describe('what is not found', () => {
	test.each([
		...[
			'Not Found',
			'not found.',
			'not found 404',
			'404 not found',
			'HTTP 404 Not Found',
			'http not found',
		],
		...['page not found', 'the page was not found', 'the requested URL was not found'],
		...['resource is not found', 'paths not found', 'endpoint not found', 'route not found'],
	])('is the address on an endpoint without a job: "%s"', async (reason) => {
		for (const status of [400, 404]) expect(await told(reason, status, create)).toBe('wrongAddress');
	});

	test.each(['category not found', 'product page not found', 'not found in the list', 'url x not found'])(
		'is what the request names, where it names something: "%s"',
		async (reason) => {
			expect(await told(reason, 404, create)).toBe('invalidValue');
			expect(await told(reason, 400, list)).toBe('invalidValue');
			expect(await told(reason, 404, list)).toBe('wrongAddress');
		},
	);

	test.each([
		...['record not found', 'expired', 'no such job', 'unknown job', 'gone'],
		"There is no job 'abc'. Jobs are kept for 72 hours.",
	])('is the job on an endpoint of one: "%s"', async (reason) => {
		for (const status of [200, 403, 404]) expect(await told(reason, status, get)).toBe('jobNotFound');
	});

	test('is what is retired where all is gone', async () => {
		expect(await told('gone', 410, usageToday)).toBe('retired');
	});
});

describe('a cancel', () => {
	test.each([
		...['over', 'already done', 'finished', 'has ended', 'is canceled', 'was cancelled', 'completed'],
		...['Job is already finished or canceled', 'The job has already been terminated'],
		'Job cannot be cancelled',
	])('that is told "%s" came too late', async (reason) => {
		expect(await told(reason, 400, cancel)).toBe('jobOver');
		expect(await told(reason, 400, get)).not.toBe('jobOver');
	});

	test.each<[string, number, ProblemKind]>([
		['unauthorized: the session has ended', 400, 'unauthorized'],
		['job not found, already deleted', 404, 'jobNotFound'],
		['surprise', 400, 'refused'],
	])('that is told "%s" did not', async (reason, status, kind) => {
		expect(await told(reason, status, cancel)).toBe(kind);
	});
});

describe('without words', () => {
	test.each<[number, Endpoint, ProblemKind]>([
		[400, cancel, 'refused'],
		[401, get, 'unauthorized'],
		[402, get, 'noCredits'],
		[403, get, 'forbidden'],
		[404, get, 'jobNotFound'],
		[404, list, 'wrongAddress'],
		[405, list, 'wrongAddress'],
		[406, get, 'formatRefused'],
		[408, get, 'timedOut'],
		[409, get, 'refused'],
		[409, cancel, 'jobOver'],
		[409, download, 'notFinished'],
		[410, get, 'jobNotFound'],
		[410, list, 'retired'],
		[415, get, 'formatRefused'],
		[425, get, 'notFinished'],
		[429, get, 'rateLimited'],
		[499, get, 'refused'],
		[500, get, 'unavailable'],
		[504, get, 'timedOut'],
	])('%i of %j is %s', async (status, endpoint, kind) => {
		for (const body of ['', '{}']) expect((await judged(status, body, endpoint))?.kind).toBe(kind);
	});

	test.each<[number, string, ProblemKind]>([
		[404, '<html><h1>Sorry</h1></html>', 'wrongAddress'],
		[410, 'Sorry', 'retired'],
		[503, '<html><h1>Sorry</h1></html>', 'unavailable'],
		[400, '<html>This API was shut down', 'retired'],
		[400, '<html>Sorry', 'refused'],
		[200, '', 'unreadableBody'],
		[200, '<!DOCTYPE html><p>Hi', 'htmlBody'],
		[200, 'Hi', 'unreadableBody'],
		[200, '{"a":,}', 'unreadableBody'],
		[200, '{"a":[1,2', 'truncatedBody'],
	])('%i around %j, which is not of the service, is %s', async (status, body, kind) => {
		expect((await judged(status, body))?.kind).toBe(kind);
	});

	test('a good status with data is an answer', async () => {
		expect(await judged(200, '{"job_id":"a","status":"new"}')).toBeUndefined();
	});
});

test.each<[number, string, Problem['effect']]>([
	[400, '{"success":false,"reason":"missing parameter"}', 'none'],
	[400, '{}', 'none'],
	[429, '', 'none'],
	[408, '', 'unknown'],
	[500, '', 'unknown'],
	[500, '{"success":false,"reason":"surprise"}', 'unknown'],
	[503, '<html></html>', 'unknown'],
	[200, '', 'unknown'],
	[399, 'Hi', 'unknown'],
	[200, '{"success":false,"reason":"invalid value"}', 'none'],
])('a creation that is told %i %s has taken effect: %s', async (status, text, effect) => {
	expect((await judged(status, text, create))?.effect).toBe(effect);
	expect((await judged(status, text, list))?.effect).toBe('none');
});

test.each<[number, string, string | undefined]>([
	[400, '{"a":"KEYKEY"}', undefined],
	[400, '{"a":1}', 'Its answer begins with: {"a":1}'],
	[500, '{"a":1}', 'Its answer begins with: {"a":1}'],
	[400, '{"success":false}', 'Its answer begins with: {"success":false}'],
	[400, '<html>KEYKEY', undefined],
	[200, '', undefined],
	[200, 'text with KEYKEY', 'The body is plain text. It begins with: text with ***'],
	[500, 'text with KEYKEY', 'The body is plain text. It begins with: text with ***'],
])('of a reply %i %s it is shown: %s', async (status, text, detail) => {
	expect((await judged(status, text))?.detail).toBe(detail);
});

test('words of the service are cleaned, and cut', async () => {
	const body = {
		success: false,
		reason: 'bad KEYKEY',
		parameter: 'KEYKEY',
		comment: `KEYKEY ${'x'.repeat(900)}`,
	};
	const problem = await judged(400, JSON.stringify(body));
	expect(problem).toMatchObject({ reason: 'bad ***', parameter: '***', detail: undefined });
	expect(problem?.comment).toMatch(/^\*\*\* x{496}$/);
	expect((await judged(200, '{"success":false}'))?.reason).toBe(NO_REASON);
});
