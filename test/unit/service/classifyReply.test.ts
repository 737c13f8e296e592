import { decodeBody } from '../../../nodes/PriceCollection/service/decode/body';
import { readRefusal } from '../../../nodes/PriceCollection/service/decode/refusal';
import { ENDPOINTS, type Endpoint } from '../../../nodes/PriceCollection/service/endpoints';
import { classifyReply } from '../../../nodes/PriceCollection/service/classifyReply';
import type { Problem } from '../../../nodes/PriceCollection/service/problems';

async function judged(
	status: number,
	text: string,
	endpoint: Endpoint = ENDPOINTS.get,
): Promise<Problem | undefined> {
	const body = await decodeBody(Buffer.from(text), undefined, async () => {});
	const refusal = body.ok ? readRefusal(body.value, status) : undefined;
	const excerpt = text.replaceAll('KEYKEY', '***');
	return classifyReply({ status, body, refusal, excerpt }, endpoint, (words) =>
		words.replaceAll('KEYKEY', '***'),
	);
}

const saying = (reason: string, more = {}) => JSON.stringify({ success: false, reason, ...more });

describe('the reason counts more than the status', () => {
	test.each([
		['unauthorized', 'unauthorized'],
		['Unauthorized', 'unauthorized'],
		['missing parameter', 'missingParameter'],
		['parameter value invalid', 'invalidValue'],
		['invalid value', 'invalidValue'],
		['unknown source', 'unknownSource'],
		['unsupported country', 'unsupported'],
		['unsupported key', 'unsupported'],
		['source disabled', 'unsupported'],
		['key_disabled', 'unsupported'],
		['value disabled', 'unsupported'],
		['not enough free credits', 'noCredits'],
		['daily quota exceeded', 'noCredits'],
		['too many values', 'tooManyValues'],
		['completeness not allowed', 'planLimit'],
		['job not found', 'jobNotFound'],
		['job forbidden', 'forbidden'],
		['too many requests', 'rateLimited'],
		['not finished', 'notFinished'],
		['job canceled', 'cancelled'],
		['gone', 'jobNotFound'],
		["There is no job 'abc'. Jobs are kept for 72 hours.", 'jobNotFound'],
		['version 1 was shut down', 'retired'],
		['service under maintenance', 'unavailable'],
		['no product found', 'refused'],
		['more exist', 'refused'],
	] as const)('%s', async (reason, kind) => {
		for (const status of [200, 400]) expect((await judged(status, saying(reason)))?.kind).toBe(kind);
	});

	test('an unknown one leaves it to the status', async () => {
		expect((await judged(429, saying('slow down')))?.kind).toBe('rateLimited');
		expect((await judged(500, saying('surprise')))?.kind).toBe('unavailable');
		expect((await judged(422, saying('surprise')))?.kind).toBe('refused');
	});

	test('what is gone without a job is the address', async () => {
		expect((await judged(404, saying('not found'), ENDPOINTS.list))?.kind).toBe('wrongAddress');
		expect((await judged(410, saying('gone'), ENDPOINTS.usageToday))?.kind).toBe('retired');
		const moved = saying('gone', { comment: 'This address was retired.' });
		expect((await judged(410, moved, ENDPOINTS.get))?.kind).toBe('retired');
	});

	test.each([
		'Job is already finished or canceled',
		'The job has already been terminated',
		'Job completed',
		'Job cannot be cancelled',
	])('a cancel that is told "%s" came too late', async (reason) => {
		expect((await judged(400, saying(reason), ENDPOINTS.cancel))?.kind).toBe('jobOver');
	});

	test('a cancel of an unknown job did not come too late', async () => {
		expect((await judged(404, saying('Not found'), ENDPOINTS.cancel))?.kind).toBe('jobNotFound');
	});
});

describe('without words the status decides', () => {
	test.each([
		[401, 'unauthorized'],
		[402, 'noCredits'],
		[403, 'forbidden'],
		[404, 'jobNotFound'],
		[406, 'formatRefused'],
		[408, 'timedOut'],
		[409, 'refused'],
		[410, 'jobNotFound'],
		[415, 'formatRefused'],
		[429, 'rateLimited'],
		[500, 'unavailable'],
		[503, 'unavailable'],
		[504, 'timedOut'],
	] as const)('%i', async (status, kind) => {
		expect((await judged(status, ''))?.kind).toBe(kind);
	});

	test.each([
		[404, 'wrongAddress'],
		[410, 'retired'],
		[503, 'unavailable'],
	] as const)('%i as a page of another server', async (status, kind) => {
		expect((await judged(status, '<html><h1>Sorry</h1></html>'))?.kind).toBe(kind);
	});

	test('by endpoint: a conflict', async () => {
		expect((await judged(409, '', ENDPOINTS.cancel))?.kind).toBe('jobOver');
		expect((await judged(409, '', ENDPOINTS.download))?.kind).toBe('notFinished');
	});
});

describe('a good status', () => {
	test('with data is an answer', async () => {
		expect(await judged(200, '{"job_id":"a","status":"new"}')).toBeUndefined();
	});

	test.each([
		['', 'unreadableBody'],
		['<!DOCTYPE html><p>Hi', 'htmlBody'],
		['Hi', 'unreadableBody'],
		['{"a":,}', 'unreadableBody'],
		['{"a":[1,2', 'truncatedBody'],
	] as const)('with %p is none', async (text, kind) => {
		expect((await judged(200, text))?.kind).toBe(kind);
	});
});

describe('whether something may have been done', () => {
	test.each([
		[400, saying('missing parameter'), 'none'],
		[429, '', 'none'],
		[408, '', 'unknown'],
		[500, '', 'unknown'],
		[500, saying('surprise'), 'unknown'],
		[503, '<html></html>', 'unknown'],
		[200, '', 'unknown'],
		[200, 'Hi', 'unknown'],
		[200, saying('invalid value'), 'none'],
	] as const)('by a creation that is told %i %s: %s', async (status, text, effect) => {
		expect((await judged(status, text, ENDPOINTS.create))?.effect).toBe(effect);
		expect((await judged(status, text, ENDPOINTS.list))?.effect).toBe('none');
	});
});

test('words of the service are cleaned, and cut', async () => {
	const problem = await judged(
		400,
		saying('bad KEYKEY', { parameter: 'KEYKEY', comment: `KEYKEY ${'x'.repeat(900)}` }),
	);
	expect(problem).toMatchObject({ reason: 'bad ***', parameter: '***' });
	expect(problem?.comment).toMatch(/^\*\*\* x{496}$/);
	expect((await judged(200, 'text with KEYKEY'))?.detail).toBe(
		'The body is plain text. It begins with: text with ***',
	);
});
