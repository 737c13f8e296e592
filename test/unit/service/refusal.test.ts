import { decodeBody } from '../../../nodes/PriceCollection/service/decode/body';
import { readRefusal, refusalIn } from '../../../nodes/PriceCollection/service/refusal';
import { ENDPOINTS, type Endpoint } from '../../../nodes/PriceCollection/service/types';
import type { Problem, ProblemKind } from '../../../nodes/PriceCollection/service/problems';

const { create, list, get } = ENDPOINTS;
const clean = (text: string) => text.replaceAll('KEYKEY', '***');

/** What a reply comes to. */
async function judged(status: number, text: string, endpoint: Endpoint = get): Promise<Problem | undefined> {
	const body = await decodeBody(Buffer.from(text), undefined, async () => {});
	return refusalIn({ status, body, excerpt: clean(text) }, endpoint, clean);
}

/** What a refusal in these words comes to. */
async function told(reason: string, status = 400, endpoint: Endpoint = create, more = {}) {
	return (await judged(status, JSON.stringify({ success: false, reason, ...more }), endpoint))?.kind;
}

/** What words mean by the request that they answer, and its statuses; a semicolon stands between two refusals. */
const MEANINGS: Record<string, Partial<Record<ProblemKind, string>>> = {
	'create 200 400': {
		unauthorized:
			'API key not found; apikey expired; api-key unknown; API keys are missing; token revoked; ' +
			'tokens required; wrong credentials; incorrect credential; authorization required; ' +
			'account inactive; user disabled; client_unknown; invalid key; Unauthorised; unauthorized; ' +
			'authentication needed; not authenticated',
		planLimit:
			'subscription expired; invalid plan; license expired; licence expired; trial expired; ' +
			'contract inactive; the plan is inactive; completeness not allowed; upgrade needed',
		missingParameter: 'missing parameter; Missing_parameter',
		noCredits:
			'not enough free credits; no credit left; no more free credits; No  credits; ' +
			'daily quota exceeded; insufficient funds; payment required',
		rateLimited: 'quota of requests per minute exceeded; Too-many--requests; rate limit reached',
		tooManyValues: 'too many values',
		unknownSource:
			'unknown source; invalid source; no such source; there is no source x; source "x" was not found; ' +
			'the source is unknown; source x does not exist',
		invalidValue: 'invalid value; parameter value invalid; invalid parameter',
		unsupported: 'unsupported country; source disabled; key_disabled; not supported',
		retired:
			'retired; deprecated; shut down; shutdown; no longer served; v1 is over; ' +
			'version 1 was shut down; not ready, and deprecated',
		notFinished: 'not finished; not ready; still running; still working; not yet complete; not complete',
		forbidden: 'job forbidden',
		cancelled: 'job canceled; was cancelled',
		unavailable: 'service under maintenance; overloaded; internal error; please try again',
		refused:
			'no product found; more exist; account is closing; plan your jobs; key unknown; ' +
			'resources are short; version 12 is out; use v12; foregone; gone fishing',
	},
	'get 401': {
		unauthorized: 'surprise; job not found; not finished; forbidden; cancelled; key unknown',
		noCredits: 'not enough credits',
		unsupported: 'unsupported country',
		retired: 'deprecated',
	},
	'create 403': {
		unauthorized: 'key unknown',
		forbidden: 'monkey unknown',
	},
	'create 429': {
		rateLimited: 'slow down',
	},
	'create 500': {
		unavailable: 'surprise',
	},
	'create 422': {
		refused: 'surprise',
	},
	'create 400': {
		invalidValue: 'invalid value: cancelled; invalid value: v1',
		refused: 'still collecting',
	},
	'create 400 404': {
		wrongAddress:
			'Not Found; not found 404; HTTP 404 Not Found; the requested URL was not found; ' +
			'resource is not found; paths not found',
	},
	'create 404': {
		invalidValue: 'category not found; product page not found; url x not found',
	},
	'list 400': {
		invalidValue: 'category not found; not found in the list; url x not found',
	},
	'list 404': {
		wrongAddress: 'category not found; not found in the list; url x not found',
	},
	'get 200 403 404': {
		jobNotFound:
			'record not found; expired; no such job; unknown job; gone; ' +
			"There is no job 'abc'. Jobs are kept for 72 hours.",
	},
	'usageToday 410': {
		retired: 'gone',
	},
	'download 200 404 409': {
		notFinished: 'results are not available yet; job is pending; too early',
	},
	'download 500': {
		unavailable: 'results are not available yet',
	},
	'cancel 400': {
		jobOver:
			'over; already done; finished; has ended; is canceled; was cancelled; completed; ' +
			'The job has already been terminated; Job cannot be cancelled',
		unauthorized: 'unauthorized: the session has ended',
		refused: 'surprise',
	},
	'cancel 404': {
		jobNotFound: 'job not found, already deleted',
	},
};
const cases = Object.entries(MEANINGS).flatMap(([where, meant]) =>
	Object.entries(meant).map(([kind, reasons]) => [kind, where, reasons] as const),
);

test.each(cases)('%s is what %s means by: %s', async (kind, where, reasons) => {
	const [name = '', ...statuses] = where.split(' ');
	for (const reason of reasons.split('; ')) {
		for (const status of statuses) {
			const meant = await told(reason, Number(status), ENDPOINTS[name as keyof typeof ENDPOINTS]);
			expect([reason, status, meant]).toEqual([reason, status, kind]);
		}
	}
});

test('what stands beside the words counts, too: version 1 is gone, not the job', async () => {
	const comment = 'This address was retired.';
	expect(await told('not found', 404, get, { comment })).toBe('retired');
	expect(await told('gone', 410, get, { comment })).toBe('retired');
	expect(await told('surprise', 400, create, { comment: 'Version 1' })).toBe('retired');
});

describe('without words', () => {
	test.each([
		['unauthorized', 'get 401'],
		['noCredits', 'get 402'],
		['forbidden', 'get 403'],
		['jobNotFound', 'get 404 410'],
		['wrongAddress', 'list 404 405'],
		['formatRefused', 'get 406 415'],
		['timedOut', 'get 408 504'],
		['jobOver', 'cancel 409'],
		['notFinished', 'download 409 425'],
		['retired', 'list 410'],
		['rateLimited', 'get 429'],
		['refused', 'get 400 409 499'],
		['refused', 'cancel 400'],
		['unavailable', 'get 500'],
	])('%s is meant by %s', async (kind, where) => {
		const [name = '', ...statuses] = where.split(' ');
		for (const status of statuses)
			for (const body of ['', '{}'])
				expect((await judged(Number(status), body, ENDPOINTS[name as 'get']))?.kind).toBe(kind);
	});

	test.each<[number, string, ProblemKind | undefined]>([
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
		[200, '{"job_id":"a","status":"new"}', undefined],
	])('%i around %j is %s', async (status, body, kind) => {
		expect((await judged(status, body))?.kind).toBe(kind);
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
	const comment = `KEYKEY ${'x'.repeat(900)}`;
	const body = { success: false, reason: 'bad KEYKEY', parameter: 'KEYKEY', comment };
	const problem = await judged(400, JSON.stringify(body));
	expect(problem).toMatchObject({ reason: 'bad ***', parameter: '***', detail: undefined });
	expect(problem?.comment).toMatch(/^\*\*\* x{496}$/);
	expect((await judged(200, '{"success":false}'))?.reason).toBe('no reason given');
});

describe('the words of a refusal', () => {
	it.each<[unknown, object]>([
		['not today', { reason: 'not today' }],
		[['no way', '', 'never'], { reason: 'no way; never' }],
		[{ error: 'no way', message: 'Not today.' }, { reason: 'no way; Not today.' }],
		[{ errors: [{ title: 'no way', detail: 'why' }] }, { reason: 'no way; why' }],
		[
			{ message: 'Invalid data.', errors: { Country: ['is missing'], key: ['is odd', 'is new'] } },
			{ reason: 'Invalid data. Country: is missing; key: is odd; key: is new' },
		],
		[
			{
				...{ type: 'about:blank', title: 'Constraint Violation', status: 400, instance: '/v2/jobs' },
				violations: [{ field: 'country', message: 'must not be blank' }],
				...{ trace: '4bf92f3577b34da6a3ce929d0e0e4736', timestamp: '2026-11-22T10:00:00.000Z' },
			},
			{ reason: 'Constraint Violation; field: country; must not be blank', status: 400 },
		],
		[{ blame: { weather: 'too hot' } }, { reason: 'weather: too hot' }],
		[
			{ reason: 'no way', violations: [{ message: 'is blank' }], comment: 'Try again' },
			{ reason: 'no way', comment: 'is blank; Try again' },
		],
	])('are the texts of the body in their order: %j', (body, refusal) => {
		for (const status of [400, 500]) expect(readRefusal(body, status)).toEqual(refusal);
	});

	it.each<unknown>([
		...[null, 7, '  ', '2026', [], {}, { status: 404 }],
		{ id: '8d3-11', url: 'https://h.example/x' },
	])('are none in %j', (body) => {
		expect(readRefusal(body, 404)).toBeUndefined();
	});

	it('are not looked for without end', () => {
		const wide = { success: false, errors: Array.from({ length: 100_000 }, (_, at) => `error ${at}`) };
		const [long, deep] = ['no '.repeat(400_000), {} as Record<string, unknown>];
		let inner = deep;
		for (let level = 0; level < 5_000; level++) inner = inner.error = {} as Record<string, unknown>;
		inner.message = 'far below';
		expect(readRefusal(wide, 200)?.reason.length).toBeLessThan(6_000);
		expect(readRefusal({ success: false, message: long }, 200)?.reason.length).toBeLessThan(6_000);
		expect(readRefusal({ ok: false, ...deep }, 200)?.reason).toBe('no reason given');
	});
});

describe('a refusal whatever the HTTP status is', () => {
	const missing = { reason: 'missing parameter', parameter: 'key', comment: "Provide 'key'!" };
	it.each<[object, object]>([
		[{ success: false, ...missing }, missing],
		[{ success: 'false', reason: 'unauthorized' }, { reason: 'unauthorized' }],
		[{ success: false, job_id: '1', reason: 'job not found' }, { reason: 'job not found' }],
		[{ Success: false, Reason: ' no ' }, { reason: 'no' }],
		[{ status: 'error', message: 'Invalid token' }, { reason: 'Invalid token' }],
		[{ status: 'fail', data: { id: 'Not enough credits' } }, { reason: 'id: Not enough credits' }],
		[{ state: ' Failed ' }, { reason: 'no reason given' }],
		[{ ok: false, error: 'no way' }, { reason: 'no way' }],
		[{ success: ' No ' }, { reason: 'no reason given' }],
		[{ success: 0, reason: 'no' }, { reason: 'no' }],
		[{ ok: '0', message: 'no way' }, { reason: 'no way' }],
		[{ error: 'no way' }, { reason: 'no way' }],
		[{ error: true }, { reason: 'no reason given' }],
		[{ data: { errors: [{ message: 'no way' }] } }, { reason: 'no way' }],
		[{ code: 1001, msg: 'no way' }, { reason: 'no way' }],
		[{ status: '410 Gone', message: 'It is gone' }, { status: 410 }],
		[{ meta: { code: 401 }, data: null }, { status: 401 }],
		[{ status: false, message: 'no way' }, { reason: 'no way' }],
		[{ result: 'false' }, { reason: 'no reason given' }],
		[{ status: { code: 403, message: 'Key is wrong' } }, { reason: 'Key is wrong', status: 403 }],
		[{ success: false, job_id: '', status: 'new' }, { reason: 'no reason given' }],
		[{ success: false, job_id: 'a', status: 'failed', reason: 'x' }, { reason: 'x' }],
		[{ success: false, results: [], reason: 'no' }, { reason: 'no' }],
	])('is %j', (body, refusal) => {
		for (const status of [200, 399]) expect(readRefusal(body, status)).toMatchObject(refusal);
	});

	it.each<unknown>([
		// Jobs that merely have such a field.
		{ job_id: 'a', status: 'failed' },
		{ job_id: 'a', status: 'error', errors: ['one of two'] },
		{ id: 7, error: 'minor', code: 500 },
		{ success: false, id: 'a', status: 'new' },
		{ error: 'minor', job: { job_id: 'a', status: 'new' } },
		{ status: 'error', data: { job_id: 'a', status: 'working' } },
		// Results, whose success is about what was looked up.
		{ job_id: 'a', status: 'finished', results: [{ success: false, reason: 'not found' }], error: 'x' },
		{ query: { value: '1' }, success: false, reason: 'not found' },
		// Figures.
		{ success: 120, error: 3 },
		{ success: '0', error: '1' },
		{ code: 5 },
		{ today: { ok: 0, errors: 0 } },
		// What says that all is well, or nothing.
		{ status: 'success', code: 0, message: 'fine' },
		{ code: 200, msg: 'fine' },
		{ code: true, msg: 'fine' },
		{ success: true, error: null, message: '' },
		{ error: 'none', errors: {}, credits: 1 },
		...[{ message: 'done' }, { reason: 'job not found' }, ['no way'], 'no way', null, {}],
	])('is none: %j', (body) => {
		for (const status of [200, 399]) expect(readRefusal(body, status)).toBeUndefined();
	});
});

const no = { success: false, reason: 'no way' };
const bare = { reason: 'no way', parameter: undefined, comment: undefined, status: undefined };

test.each<[object, object]>([
	[no, {}],
	[
		{ ...no, param: 'key' },
		{ parameter: 'key', comment: 'param: key' },
	],
	// A code is one of HTTP as a whole, and a name is ours as a whole.
	[{ ...no, code: 'E404' }, {}],
	[{ ...no, code: 404 }, { status: 404 }],
	[{ results_of: no }, {}],
	[{ sub_query: no }, {}],
])('the refusal in %j has %j', (body, more) => {
	expect(readRefusal(body, 200)).toEqual({ ...bare, ...more });
});

test.each([
	[{ job_name: 'x', query: no }],
	[{ results: no }],
	[{ content: no }],
	[{ error: '10', message: 'all is well' }],
	[{ status: 'failed_over', message: 'all is well' }],
	[{ status: 'not_failed', message: 'all is well' }],
])('there is no refusal in %j', (body) => {
	expect(readRefusal(body, 200)).toBeUndefined();
});

test('no more fields are read than a bound', () => {
	const fields = Array.from({ length: 5_000 }, (_, at) => [`f${at}`, at]);
	expect(readRefusal({ ...Object.fromEntries(fields), ...no }, 200)).toBeUndefined();
});

test.each([
	[200, 503, 'unavailable', 'unknown'],
	[200, 404, 'wrongAddress', 'none'],
	[400, 503, 'refused', 'none'],
	[500, 404, 'unavailable', 'unknown'],
])('HTTP %i around a refusal with the status %i', async (status, inner, kind, effect) => {
	const body = JSON.stringify({ success: false, error: 'it is so', status: inner });
	expect(await judged(status, body, create)).toMatchObject({ kind, effect, status });
});

describe('a body is a refusal', () => {
	const message = 'the words';
	test.each([
		...['status', 'state', 'result', 'outcome'].map((name) => ({ [name]: 'rejected' })),
		...['status', 'code', 'statusCode', 'http_status', 'error_code'].map((name) => ({ [name]: 403 })),
		...['unauthorised', 'unauthorized', 'exception', 'denied'].map((status) => ({ status })),
		...[-5, '17', '2000', '1200'].map((code) => ({ code })),
	])('by %j beside its words', (verdict) => {
		expect(readRefusal({ message, ...verdict }, 200)).toMatchObject({ reason: message });
	});

	test.each([
		...[200, '299', 'a5', '5a', 0, '007'].map((code) => ({ code })),
		...['casino', 'nobody', 'falsehood', 'unfalse'].map((success) => ({ success })),
		{ status: 'unauthoriXed' },
	])('not by %j', (verdict) => {
		expect(readRefusal({ message, ...verdict }, 200)).toBeUndefined();
	});

	test.each([
		...['see https://example.test', 'Note: it is over', 'either/or', 'ab 1', '«ab»', 'ab, cd', 'ab-1'],
		...['1 Fehler', 'für 2'],
	])('whose words are %j', (words) => {
		expect(readRefusal({ success: false, message: ` ${words} ` }, 200)?.reason).toBe(words);
	});

	test.each(['ab1', '1ab', 'a b', 'é1', '2026-11-23T10:00:00Z', '/v2/jobs', 'urn:ietf:rfc'])(
		'without words where there is %j',
		(text) => {
			const { reason } = readRefusal({ success: false, message: text }, 200) ?? {};
			expect(reason).toBe('no reason given');
		},
	);
});
