import fc from 'fast-check';

import { decodeBody } from '../../../../nodes/PriceCollection/service/http/decode/body';
import type { Problem, ProblemKind } from '../../../../nodes/PriceCollection/service/problems';
import {
	refusalIn,
	speaksOfError,
	type RequestInfo,
} from '../../../../nodes/PriceCollection/service/meaning/refusal';
import { errorIn, reasonIn } from '../../../../nodes/PriceCollection/service/text';
import { ENDPOINTS } from '../../../../nodes/PriceCollection/service/types';
import { dialectOf } from '../../fakeClient';

type Name = keyof typeof ENDPOINTS;

const clean = (text: string) => text.replaceAll('KEYKEY', '***');
const JOB_ID = 'a1';

/** What a reply comes to, given as text or as JSON. */
async function judged(status: number, given: unknown, name: Name = 'get', more: Partial<RequestInfo> = {}) {
	const text = typeof given === 'string' ? given : JSON.stringify(given);
	const body = await decodeBody(Buffer.from(text), undefined, async () => {});
	const endpoint = ENDPOINTS[name];
	const asked = { endpoint, ...(endpoint.ofJob && { jobId: JOB_ID }), ...more };
	return refusalIn({ status, body, excerpt: clean(text) }, asked, dialectOf(), clean);
}

const refusedFor = (reason: string, more = {}) => ({ success: false, reason, ...more });

describe('a documented phrase says what a refusal means, whatever the HTTP status below 500 is', () => {
	test.each<[ProblemKind, Name, string]>([
		['unauthorized', 'create', 'unauthorized'],
		['missingParameter', 'create', 'missing parameter'],
		['invalidValue', 'create', 'parameter value invalid; invalid value'],
		['unknownSource', 'create', 'unknown source'],
		['unsupported', 'create', 'unsupported country; unsupported key'],
		['unsupported', 'create', 'source disabled; key disabled; value disabled'],
		['noCredits', 'create', 'not enough free credits; daily quota exceeded'],
		['tooManyValues', 'create', 'too many values'],
		['rateLimited', 'get', 'too many requests'],
		['forbidden', 'get', 'job forbidden'],
		['jobNotFound', 'get', 'job not found; not found; Not found'],
		['notFinished', 'download', 'not finished'],
		['jobOver', 'cancel', 'Job is already finished or canceled; job is already finished or cancelled.'],
	])('%s at %s: %s', async (kind, name, phrases) => {
		for (const phrase of phrases.split('; '))
			for (const status of [200, 400, 401, 403, 404, 409, 410, 422])
				expect([phrase, status, (await judged(status, refusedFor(phrase), name))?.kind]).toEqual([
					phrase,
					status,
					kind,
				]);
	});

	test.each(['Missing Parameter', 'missing_parameter', 'MISSING-PARAMETER!', ' missing  parameter. '])(
		'in any spelling: %s',
		async (reason) => {
			expect((await judged(400, refusedFor(reason), 'create'))?.kind).toBe('missingParameter');
			expect((await judged(400, { error: reason }, 'create'))?.kind).toBe('missingParameter');
		},
	);

	test('only as a whole, and only as the reason', async () => {
		for (const body of [
			refusedFor('not enough free credits for this source'),
			refusedFor('surprise', { comment: 'unauthorized' }),
			{ error: 'surprise', message: 'too many requests' },
		])
			expect((await judged(400, body, 'create'))?.kind).toBe('refused');
		expect((await judged(400, refusedFor('not finished'), 'list'))?.kind).toBe('refused');
	});

	test.each([500, 502, 503, 408])('never against a %i, which may have taken effect', async (status) => {
		for (const reason of [
			'context canceled',
			'not found',
			'unauthorized',
			'missing parameter',
			'retired',
		]) {
			const problem = await judged(status, refusedFor(reason), 'create');
			const kind = status === 408 ? 'timedOut' : 'unavailable';
			expect(problem).toMatchObject({ kind, effect: 'unknown', reason });
		}
	});
});

test.each([
	...['"foo" is not allowed', "key 'gtin' is not allowed for topic search", 'upgrade your plan'],
	...['subscription expired', 'this version is retired', 'shut down for maintenance', 'was cancelled'],
	...[
		'contact your account manager',
		'API key not found',
		'no credits left',
		'rate limit',
		'not ready yet',
	],
])('other words are shown and never interpreted: %s', async (reason) => {
	for (const [status, kind] of [
		...([200, 400, 422, 499] as const).map((one) => [one, 'refused'] as const),
		...([500, 503] as const).map((one) => [one, 'unavailable'] as const),
	])
		for (const name of ['create', 'get', 'download', 'cancel', 'usageToday'] as const)
			expect(await judged(status, refusedFor(reason), name)).toMatchObject({ kind, reason });
});

describe('where no phrase fits, the HTTP status decides', () => {
	const [words, nothing, page] = [{ message: 'Surprise' }, '', '<html><h1>Sorry</h1></html>'];
	const naming = { message: `There is no job "${JOB_ID}".` };
	/** Of servers that know nothing of jobs. */
	const gateways = [
		{ message: 'no Route matched with those values' },
		{ message: `Cannot GET /v2/jobs/${JOB_ID}` },
		{ status: 404, error: 'Not Found', path: `/v2/jobs/${JOB_ID}` },
		{ detail: 'Not Found' },
		{ message: 'not found' },
		{ message: `The route v2/jobs/${JOB_ID}/download is gone` },
		{ message: `No job ${JOB_ID}x` },
	];
	test.each<[ProblemKind, Name, number[], unknown[]]>([
		['unauthorized', 'get', [401], [words, nothing, page]],
		['noCredits', 'create', [402], [words, nothing, page]],
		['forbidden', 'get', [403], [naming, { message: 'Forbidden' }, { error: 'Access denied.' }]],
		['forbidden', 'usageToday', [403], [{ message: 'Forbidden' }]],
		// Other words say themselves what is forbidden.
		['refused', 'get', [403], [words]],
		// A page may come from any server in between.
		['refused', 'get', [403], [nothing, page]],
		['jobNotFound', 'get', [404, 410], [naming]],
		['jobNotFound', 'download', [404, 410], [naming]],
		['nothingThere', 'get', [404, 410], [words, nothing, page, '{}', 'Not Found', ...gateways]],
		['nothingThere', 'download', [404, 410], [words, nothing, page, ...gateways]],
		['nothingThere', 'cancel', [404, 410], [nothing, page]],
		['wrongAddress', 'list', [404, 405, 410], [words, nothing, page]],
		['wrongAddress', 'create', [404, 405, 410], [words, nothing, page]],
		['refused', 'create', [404], [refusedFor('category not found')]],
		['refused', 'cancel', [405], [words, nothing, page]],
		['formatRefused', 'download', [406], [words, nothing, page]],
		['timedOut', 'get', [408, 504], [words, nothing, page]],
		['jobOver', 'cancel', [409], [words, nothing]],
		['notFinished', 'download', [409, 425], [words, nothing]],
		['rateLimited', 'get', [429], [words, nothing, page]],
		['refused', 'get', [400, 409, 415, 422, 499], [words, nothing, page]],
		['unavailable', 'get', [500, 502, 503], [words, nothing, page]],
	])('%s at %s: %j', async (kind, name, statuses, bodies) => {
		for (const status of statuses)
			for (const body of bodies)
				expect([status, body, (await judged(status, body, name))?.kind]).toEqual([
					status,
					body,
					kind,
				]);
	});

	test('whatever characters the ID of the job has', async () => {
		for (const jobId of ['3f2b-11', '$(*)+.?[\\]^{|}-', 'ü', 'a\ud800'])
			expect(
				await judged(404, { message: `There is no job ${jobId}.` }, 'get', { jobId }),
			).toMatchObject({
				...{ kind: 'jobNotFound', about: 'job' },
			});
	});

	test.each<[number, number, ProblemKind, Problem['effect']]>([
		[200, 503, 'unavailable', 'unknown'],
		[200, 404, 'wrongAddress', 'none'],
		[400, 503, 'refused', 'none'],
		[500, 404, 'unavailable', 'unknown'],
	])('HTTP %i around a refusal with the status %i', async (status, inner, kind, effect) => {
		const body = { success: false, error: 'it is so', status: inner };
		expect(await judged(status, body, 'create')).toMatchObject({ kind, effect, status });
	});
});

test.each<[number, string, ProblemKind | undefined]>([
	[200, '', 'emptyBody'],
	[200, '<!DOCTYPE html><p>Hi', 'htmlBody'],
	[200, 'Hi', 'unreadableBody'],
	[200, '{"a":,}', 'unreadableBody'],
	[200, '{"a":[1,2', 'truncatedBody'],
	[200, '{"job_id":"a","status":"new"}', undefined],
])('%i with %j is %s', async (status, body, kind) => {
	expect((await judged(status, body))?.kind).toBe(kind);
});

test.each<[number, string, Problem['effect']]>([
	[400, '{"success":false,"reason":"missing parameter"}', 'none'],
	[400, '{"error":"no way"}', 'none'],
	[400, '{}', 'unknown'],
	[403, '<html><h1>Request blocked</h1></html>', 'unknown'],
	[422, '<html><h1>Sorry</h1></html>', 'unknown'],
	[401, '<html></html>', 'none'],
	[404, '<html></html>', 'none'],
	[405, '', 'none'],
	[413, 'Too large', 'none'],
	[429, '', 'none'],
	[408, '', 'unknown'],
	[500, '', 'unknown'],
	[503, '<html></html>', 'unknown'],
	[200, '', 'unknown'],
	[399, 'Hi', 'unknown'],
	[200, '{"success":false,"reason":"invalid value"}', 'none'],
])('a creation that is answered %i %s may have taken effect: %s', async (status, text, effect) => {
	expect((await judged(status, text, 'create'))?.effect).toBe(effect);
	expect((await judged(status, text, 'list'))?.effect).toBe('none');
});

test.each<[number, string, string | undefined]>([
	[400, '{"a":"KEYKEY"}', undefined],
	[400, '{"a":1}', 'Its answer begins with: {"a":1}'],
	[400, '{"success":false}', 'Its answer begins with: {"success":false}'],
	[200, '{"success":false}', 'Its answer begins with: {"success":false}'],
	[
		400,
		'<html>KEYKEY',
		'It gives no reason. A firewall, or the proxy that n8n uses, may have refused the request before the service',
	],
	[401, '<html>KEYKEY', undefined],
	[200, '', undefined],
	[200, 'text with KEYKEY', 'The body is plain text. It begins with: text with ***'],
	[500, 'text with KEYKEY', 'The body is plain text. It begins with: text with ***'],
])('of a reply %i %s without words it is shown: %s', async (status, text, detail) => {
	expect((await judged(status, text))?.detail).toBe(detail);
});

describe('a reply with a success status is a refusal only if it speaks of an error', () => {
	test.each([
		refusedFor('no way'),
		{ Success: false, Reason: 'no way' },
		...[false, 'false', ' No ', 0].map((success) => ({ success })),
		...['error', 'FAIL', ' Failed ', 'failure', false, 400, '422', '410 Gone'].map((status) => ({
			status,
		})),
		...['no way', true, ['no way'], { message: 'no way' }].map((error) => ({ error })),
		{ errors: [{ message: 'no way' }] },
	])('as in %j, at its root or in an envelope', async (part) => {
		expect(speaksOfError(part)).toBe(true);
		for (const body of [part, { data: part }, { response: part, version: 2 }])
			for (const status of [200, 399]) expect(await judged(status, body, 'create')).toBeDefined();
	});

	test.each<unknown>([
		{ success: true, error: null, message: '' },
		{ success: 120, error: 3 },
		{ success: '1', error: '1' },
		{ error: 'none', errors: {}, credits: 1 },
		{ status: 'success', code: 0, message: 'fine' },
		...[200, '299', 'a5', '5a', 4000].map((code) => ({ code, message: 'fine' })),
		...['casino', 'nobody', 'unfalse'].map((success) => ({ success })),
		...['failed_over', 'not_failed', 'finished'].map((status) => ({ status, message: 'fine' })),
		{ today: { ok: 0, errors: 0 } },
		...[{ message: 'maintenance' }, { reason: 'job not found' }, ['no way'], 'no way', null, {}],
	])('not as in %j', async (body) => {
		for (const status of [200, 399])
			expect(await judged(status, JSON.stringify(body), 'usageToday')).toBeUndefined();
	});

	test('beside the status of a job that runs may be that of the new job, so that the outcome is unknown', async () => {
		const body = { success: false, id: 'a', status: 'new' };
		expect(await judged(200, body, 'create')).toMatchObject({ kind: 'refused', effect: 'unknown' });
		const spelled = { ...body, status: 'In-Progress' };
		expect(await judged(200, spelled, 'create')).toMatchObject({ kind: 'refused', effect: 'unknown' });
		expect(await judged(400, body, 'create')).toMatchObject({ kind: 'refused', effect: 'none' });
	});

	test.each([
		{ status: 'error', message: 'Unknown parameter', id: 'req-19' },
		{ type: 'about:blank', title: 'Bad', status: 400, detail: 'why', instance: '/v2/jobs', id: 'req-19' },
		{ status: 'fail', data: { id: '17' }, message: 'no' },
		{ success: false, job_id: '', status: 'new' },
		{ success: false, job_id: 'x', reason: 'no way' },
	])('whose ID is that of the request: %j', async (body) => {
		expect(await judged(200, body, 'create')).toMatchObject({ kind: 'refused', effect: 'none' });
		expect(await judged(200, body, 'get')).toBeDefined();
	});

	test.each([
		{ job_id: JOB_ID, status: 'failed', error: 'source down' },
		{ job_id: JOB_ID, status: 'error', errors: ['one of two'] },
		{ id: JOB_ID, status: 'failed', message: 'source down' },
		{ success: false, job_id: JOB_ID, status: 'cancelled', reason: 'x' },
		{ error: 'minor', job: { job_id: JOB_ID, status: 'new' } },
		{ status: 'error', data: { job_id: JOB_ID, status: 'working' } },
		{ error: 'minor', results: [{ success: false }] },
	])('not where it is the job that was asked for, or has results: %j', async (body) => {
		expect(await judged(200, body, 'get')).toBeUndefined();
		expect(await judged(200, body, 'download')).toBeUndefined();
	});

	test('not where a creation names its job', async () => {
		expect(await judged(200, { job_id: 'x', error: 'no webhook' }, 'create')).toBeUndefined();
	});

	test('but a cancellation that ends in an error is no cancelled job', async () => {
		const body = { job_id: JOB_ID, status: 'error', message: 'Cannot do this' };
		expect(await judged(200, body, 'cancel')).toMatchObject({
			kind: 'refused',
			reason: 'Cannot do this',
		});
		for (const status of ['cancelled', 'finished', 'working'])
			expect(await judged(200, { job_id: JOB_ID, status, error: 'x' }, 'cancel')).toBeUndefined();
	});
});

describe('a refusal proves something by words of the service that are about the job or the key', () => {
	const gone = (more: object) => ({ success: false, ...more });
	test.each<[Problem['about'], Name, number, unknown]>([
		['job', 'get', 404, gone({ reason: 'job not found' })],
		['job', 'get', 404, gone({ error: 'Job not found.' })],
		['job', 'get', 404, { message: 'job not found' }],
		['job', 'get', 404, gone({ reason: 'not found' })],
		['job', 'get', 200, gone({ reason: 'not found' })],
		['job', 'get', 410, { message: `Job ${JOB_ID} was deleted` }],
		['job', 'get', 403, { message: `(${JOB_ID}) is not yours` }],
		['job', 'get', 403, { message: 'job forbidden' }],
		['job', 'cancel', 409, gone({ reason: 'Job is already finished or canceled' })],
		['key', 'get', 401, gone({ reason: 'unauthorized' })],
		[undefined, 'get', 401, { message: 'Unauthorized' }],
		[undefined, 'get', 401, { message: 'invalid token' }],
		[undefined, 'get', 404, { message: 'not found' }],
		[undefined, 'get', 404, { detail: 'Not Found' }],
		[undefined, 'get', 404, { message: `Cannot GET /v2/jobs/${JOB_ID}` }],
		[undefined, 'get', 403, { message: 'Forbidden' }],
		[undefined, 'get', 500, gone({ reason: 'job not found' })],
		[undefined, 'get', 503, { message: `Job ${JOB_ID} is unknown` }],
		[undefined, 'cancel', 409, { message: `Job ${JOB_ID} is locked` }],
		[undefined, 'get', 429, gone({ reason: 'too many requests' })],
		[undefined, 'create', 400, gone({ reason: 'missing parameter' })],
	])('%s, at %s with %i: %j', async (about, name, status, body) => {
		expect((await judged(status, body, name))?.about).toBe(about);
	});
});

describe('an object beside the data that reports an error', () => {
	const error = 'not today';
	test.each([
		{ meta: { code: 402, message: error }, data: { id: 'req-19' } },
		{ meta: { code: '402', message: error }, data: { job_id: 'req-19' } },
		{ head: { status: 402, message: error }, data: null },
		{ status: { code: 402, message: error }, data: null },
		{ Status: { Code: 402, Message: error }, Data: null },
		{ data: { meta: { code: 402, message: error }, jobs: null } },
	])('makes it a refusal, whatever the data is: %j', async (body) => {
		for (const name of ['create', 'get', 'list', 'cancel', 'usageToday'] as const) {
			const problem = await judged(200, body, name);
			expect([name, problem?.kind, problem?.effect]).toEqual([name, 'noCredits', 'none']);
			expect(problem?.reason).toContain(error);
		}
	});

	test('leaves open what a creation did, where a job that runs stands beside it', async () => {
		const body = { meta: { code: 402, message: error }, data: { job_id: 'a', status: 'new' } };
		expect(await judged(200, body, 'create')).toMatchObject({ kind: 'noCredits', effect: 'unknown' });
		const outage = { meta: { code: 503 }, data: null };
		expect(await judged(200, outage, 'create')).toMatchObject({ kind: 'unavailable', effect: 'unknown' });
	});

	test.each([
		{ meta: { code: 200, total: 450, page: 1 }, data: [] },
		{ meta: { total: 404, errors: 0 }, data: [] },
		{ head: { status: 'success' }, data: { job_id: JOB_ID, status: 'new' } },
		{ status: { code: 0 }, data: { job_id: JOB_ID, state: 'new' } },
	])('is none without such a code: %j', async (body) => {
		expect(await judged(200, body, 'list')).toBeUndefined();
	});
});

describe('the words of a refusal', () => {
	it.each<[unknown, object]>([
		[
			refusedFor('no way', { parameter: 'key', comment: 'Why' }),
			{ reason: 'no way', comment: 'Why', parameter: 'key' },
		],
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
			{ reason: 'Constraint Violation; country: must not be blank' },
		],
		[{ blame: { weather: 'too hot' } }, { reason: 'weather: too hot' }],
		[
			{
				detail: ['source', 'country'].map((name) => ({
					...{
						type: 'missing',
						loc: ['body', name],
						msg: 'field required',
						input: { topic: 'search' },
					},
				})),
			},
			{ reason: 'source: field required; country: field required' },
		],
		[
			{ errors: [{ parameter: 'country', message: 'is odd', code: 'ODD', allowed: ['DE', 'AT'] }] },
			{ reason: 'country: is odd; allowed: DE; allowed: AT' },
		],
		[
			{ reason: 'no way', violations: [{ message: 'is blank' }], comment: 'Try again' },
			{ reason: 'no way', comment: 'is blank; Try again' },
		],
		[{ status: 'error', result: 'Failed', message: 'no' }, { reason: 'no' }],
	])('are the texts of the body in their order: %j', async (body, said) => {
		expect(await judged(400, body)).toMatchObject(said);
	});

	test.each([
		'see https://example.test',
		'Note: it is over',
		'either/or',
		'ab 1',
		'«ab»',
		'ab, cd',
		'für 2',
	])('are %j', async (message) => {
		expect((await judged(200, { success: false, message: ` ${message} ` }))?.reason).toBe(message);
	});

	test.each(['ab1', 'a b', '2026-11-23T10:00:00Z', '/v2/jobs', 'urn:ietf:rfc'])(
		'are none in %j',
		async (message) => {
			expect((await judged(400, { success: false, message }))?.reason).toBeUndefined();
		},
	);

	it('are cleaned and cut', async () => {
		const more = { parameter: 'KEYKEY', comment: `KEYKEY ${'x'.repeat(900)}` };
		const problem = await judged(400, refusedFor('bad KEYKEY', more));
		expect(problem).toMatchObject({ reason: 'bad ***', parameter: '***', detail: undefined });
		expect(problem?.comment).toMatch(/^\*\*\* x{496}$/);
	});

	it('are looked for in the beginning of a text', () => {
		expect(reasonIn({ message: 'no '.repeat(400_000) })?.length).toBeLessThan(6_000);
	});

	it('are those of the first value that speaks of an error', () => {
		expect(errorIn(null, 'none', ' OK ', '0', {}, ['no way'], 'never')).toBe('no way');
		expect(errorIn(undefined, 'false', [])).toBeUndefined();
	});
});

describe('a refusal for a parameter that was not sent', () => {
	const body = { topic: 'search' };
	test.each<[unknown, string, ProblemKind]>([
		[refusedFor('unknown source'), 'source', 'missingParameter'],
		[refusedFor('odd', { parameter: 'Land' }), 'country', 'missingParameter'],
		[{ errors: { land: ['is required'] } }, 'country', 'missingParameter'],
		[refusedFor('odd', { parameter: 'topic' }), 'topic', 'refused'],
	])('is no misspelling: %j', async (given, parameter, kind) => {
		const decoded = await decodeBody(Buffer.from(JSON.stringify(given)), undefined, async () => {});
		const connection = dialectOf({ requestNames: { names: [{ meaning: 'country', fields: 'land' }] } });
		const reply = { status: 422, body: decoded, excerpt: '' };
		const problem = refusalIn(reply, { endpoint: ENDPOINTS.create, body }, connection, clean);
		expect(problem).toMatchObject({ kind, parameter });
	});

	test.each(['the source of it', 'no country for old men'])('is no such one: %s', async (message) => {
		const problem = await judged(422, { message }, 'create', { body });
		expect(problem).toMatchObject({ kind: 'refused', reason: message });
		expect(problem?.faults).toBeUndefined();
	});

	test('shows no secret in place of its name', async () => {
		const long = 'x'.repeat(60);
		const given = { errors: { KEYKEY: ['is missing'], [`${long}KEYKEY`]: ['is missing'] } };
		const problem = await judged(422, given, 'create', { body });
		expect(problem?.faults?.map(({ serviceName }) => serviceName)).toEqual(['***', long.slice(0, 40)]);
		expect(JSON.stringify(problem)).not.toContain('KEY');
	});

	test('is about a parameter, not an address, where the words name one', async () => {
		const sent = { body: { topic: 'search', source: 'KEYKEY' } };
		const unknown = await judged(404, { detail: 'Unknown source x' }, 'create', sent);
		expect(unknown?.kind).toBe('refused');
		const topic = await judged(422, { message: 'Unknown topic' }, 'create', {
			body: { topic: 'KEYKEY' },
		});
		expect(topic?.setting).toMatch(/^topic was sent as "\*\*\*"/);
		expect(
			(await judged(503, { error: 'topic is missing' }, 'create', { body }))?.setting,
		).toBeUndefined();
		expect(
			(await judged(401, { error: 'key is missing' }, 'create', { body: { key: 'a' } }))?.faults,
		).toBeUndefined();
	});
});

describe('whatever the words, the status and the envelope are', () => {
	const word = fc.constantFrom(
		...[
			'plan',
			'retired',
			'cancelled',
			'canceled',
			'API',
			'key',
			'credits',
			'quota',
			'source',
			'unknown',
		],
		...['not', 'found', 'allowed', 'finished', 'already', 'expired', 'account', 'job', 'Version', 'gone'],
	);
	// Longer than any documented phrase.
	const sentence = fc.array(word, { minLength: 8, maxLength: 12 }).map((words) => words.join(' '));
	const sentences = fc.uniqueArray(sentence, { minLength: 1, maxLength: 3 });
	const around = fc.constantFrom<(part: object) => object>(
		(part) => part,
		(part) => ({ data: part }),
		(part) => ({ response: part, took: 3 }),
	);
	const names = fc.constant<Name[]>(['create', 'list', 'get', 'download', 'cancel', 'usageToday']);
	const status = fc.constantFrom(200, 400, 401, 402, 403, 404, 409, 410, 422, 429, 500, 503);

	test('free words never change what a refusal means, and are shown in their order', async () => {
		await fc.assert(
			fc.asyncProperty(sentences, around, names, status, async (words, wrap, endpoints, code) => {
				for (const name of endpoints) {
					const meant = await judged(
						code,
						wrap({ success: false, errors: ['Surprise here'] }),
						name,
					);
					const problem = await judged(code, wrap({ success: false, errors: words }), name);
					expect(problem).toEqual({ ...meant, reason: words.join('; ') });
				}
			}),
		);
	});

	test('no job is taken for a refusal, and no refusal for a job', async () => {
		const verdict = fc.constantFrom(
			{ status: 'error' },
			{ success: false },
			{ error: true },
			{ status: 422 },
		);
		const jobStatus = fc.constantFrom('new', 'finished', 'failed', 'error', 'cancelled', 'odd');
		await fc.assert(
			fc.asyncProperty(sentence, around, verdict, jobStatus, async (message, wrap, said, state) => {
				const refusal = { id: 'req-19', message, ...said };
				for (const name of ['create', 'get', 'download', 'cancel'] as const)
					expect(await judged(200, wrap(refusal), name)).toMatchObject({
						reason: expect.stringContaining(message),
					});
				for (const job of [{ job_id: JOB_ID }, { id: JOB_ID }])
					expect(
						await judged(200, wrap({ ...said, ...job, message, status: state })),
					).toBeUndefined();
				expect(
					await judged(200, wrap({ job_id: 'x', message, status: state }), 'create'),
				).toBeUndefined();
			}),
		);
	});
});
