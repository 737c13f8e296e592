import type { Decoded } from '../../../nodes/PriceCollection/service/decode/body';
import { NO_REASON } from '../../../nodes/PriceCollection/service/decode/refusal';
import { ENDPOINTS, type Endpoint } from '../../../nodes/PriceCollection/service/endpoints';
import { classifyReply } from '../../../nodes/PriceCollection/service/classifyReply';
import type { Problem, ProblemKind } from '../../../nodes/PriceCollection/service/problems';

const { create, list, get, download, cancel, usageToday } = ENDPOINTS;
const JSON_BODY: Decoded = { ok: true, format: 'json', value: {}, head: '{}' };
const unreadable = (problem: 'empty' | 'html' | 'text' | 'malformed', head = ''): Decoded => ({
	...{ ok: false, problem, head, truncated: false, detail: 'It is nothing' },
});

/** What a refusal in these words comes to. */
function told(reason: string, status = 400, endpoint: Endpoint = create, comment?: string): Problem {
	const reply = { status, body: JSON_BODY, refusal: { reason, comment }, excerpt: 'EXCERPT' };
	const problem = classifyReply(reply, endpoint, (text) => text);
	if (problem === undefined) throw new Error('It is an answer');
	return problem;
}
/** What a reply without words of the service comes to. */
function wordless(status: number, body: Decoded, endpoint: Endpoint = create, excerpt = 'EXCERPT') {
	return classifyReply({ status, body, excerpt }, endpoint, (text) => text.replace('nothing', '***'));
}

describe('who may not', () => {
	test.each([
		...['API key not found', 'apikey expired', 'api-key unknown', 'API keys are missing'],
		...['token revoked', 'tokens required', 'wrong credentials', 'incorrect credential'],
		...['authorization required', 'account inactive', 'user disabled', 'client_unknown'],
		...['invalid key', 'Unauthorised', 'unauthorized', 'authentication needed'],
	])('is the one of the key: "%s"', (reason) => {
		expect(told(reason).kind).toBe('unauthorized');
	});

	test.each([
		...['subscription expired', 'invalid plan', 'license expired', 'licence expired'],
		...['trial expired', 'contract inactive', 'the plan of this account is inactive'],
	])('is the one whose plan is over: "%s"', (reason) => {
		expect(told(reason).kind).toBe('planLimit');
	});

	test('is nobody where nothing is wrong with the account', () => {
		expect(told('account is closing').kind).toBe('refused');
		expect(told('plan your jobs').kind).toBe('refused');
	});

	test('is the one of a mere key only where the status says so', () => {
		expect(told('key unknown', 401).kind).toBe('unauthorized');
		expect(told('key unknown', 403).kind).toBe('unauthorized');
		expect(told('key unknown', 400).kind).toBe('refused');
		expect(told('monkey unknown', 403).kind).toBe('forbidden');
	});

	test.each<[string, ProblemKind]>([
		['not enough credits', 'noCredits'],
		['no credit left', 'noCredits'],
		['no more free credits', 'noCredits'],
		['quota exceeded', 'noCredits'],
		['rate limit reached', 'rateLimited'],
		['too many values', 'tooManyValues'],
		['upgrade needed', 'planLimit'],
		['unsupported country', 'unsupported'],
		['source disabled', 'unsupported'],
		['unknown source', 'unknownSource'],
		['deprecated', 'retired'],
		['missing parameter', 'missingParameter'],
		['invalid value', 'invalidValue'],
	])('is told other things with 401 as well: "%s"', (reason, kind) => {
		expect(told(reason, 401).kind).toBe(kind);
	});

	test.each(['surprise', 'job not found', 'not finished', 'forbidden', 'cancelled'])(
		'is what 401 means for all else: "%s"',
		(reason) => {
			expect(told(reason, 401, get).kind).toBe('unauthorized');
		},
	);
});

describe('words that mean the same', () => {
	test.each<[ProblemKind, string[]]>([
		['missingParameter', ['missing parameter', 'Missing_parameter']],
		['noCredits', ['insufficient funds', 'payment required', 'No  credits']],
		[
			'unknownSource',
			[
				...['unknown source', 'invalid source', 'no such source', 'there is no source x'],
				...['source "x" was not found', 'the source is unknown', 'source x does not exist'],
			],
		],
		['rateLimited', ['Too-many--requests', 'rate limit']],
		['invalidValue', ['value invalid', 'parameter invalid', 'invalid parameter']],
		['notFinished', ['not ready', 'still running', 'still working', 'not complete', 'not yet complete']],
		['planLimit', ['not allowed']],
		['unavailable', ['unavailable', 'overloaded', 'internal error', 'please try again']],
		['retired', ['retired', 'shut down', 'shutdown', 'no longer served', 'v1 is over', 'version 1']],
		['cancelled', ['job canceled', 'was cancelled']],
	])('%s', (kind, reasons) => {
		for (const reason of reasons) expect([reason, told(reason).kind]).toEqual([reason, kind]);
	});

	test.each(['resources are short', 'version 12 is out', 'use v12', 'foregone', 'gone fishing'])(
		'but not "%s"',
		(reason) => {
			expect(told(reason).kind).toBe('refused');
		},
	);

	test('are told from what they are said of', () => {
		expect(told('invalid value: cancelled').kind).toBe('invalidValue');
		expect(told('invalid value: v1').kind).toBe('invalidValue');
		expect(told('not ready, and deprecated').kind).toBe('retired');
		expect(told('not found', 404, get, 'Version 1 was retired.').kind).toBe('retired');
		expect(told('surprise', 400, create, 'v1').kind).toBe('retired');
	});
});

describe('what is not found', () => {
	const BARE = [
		...[
			'Not Found',
			'not found.',
			'not found 404',
			'404 not found',
			'HTTP 404 Not Found',
			'http not found',
		],
		...[
			'page not found',
			'the page was not found',
			'the requested URL was not found',
			'requested url not found',
		],
		...[
			'resource is not found',
			'paths not found',
			'Cannot POST /v2/jobs',
			'cannot get this',
			'no route matches',
		],
		...['endpoint not found', 'address not found', 'route not found', 'path not found'],
	];
	const NAMED = [
		'category not found',
		'product page not found',
		'not found in the list',
		'url x not found',
	];

	test.each(BARE)('is the address on an endpoint without a job: "%s"', (reason) => {
		expect(told(reason, 400, create).kind).toBe(/not found/i.test(reason) ? 'wrongAddress' : 'refused');
		expect(told(reason, 404, create).kind).toBe('wrongAddress');
	});

	test.each(NAMED)('is what the request names, where it names something: "%s"', (reason) => {
		expect(told(reason, 404, create).kind).toBe('invalidValue');
		expect(told(reason, 400, list).kind).toBe('invalidValue');
		expect(told(reason, 404, list).kind).toBe('wrongAddress');
	});

	test('is the job on an endpoint of one, except where access is what is missing', () => {
		for (const reason of ['record not found', 'expired', 'no such job', 'unknown job', 'gone']) {
			expect(told(reason, 404, get).kind).toBe('jobNotFound');
		}
		expect(told('record not found', 403, get).kind).toBe('forbidden');
		expect(told('not found', 403, get).kind).toBe('jobNotFound');
		expect(told('this job was not found', 403, get).kind).toBe('jobNotFound');
	});

	test('is what is retired where all is gone', () => {
		expect(told('gone', 410, usageToday).kind).toBe('retired');
	});
});

describe('a cancel', () => {
	test.each(['over', 'already done', 'finished', 'has ended', 'is canceled', 'was cancelled', 'completed'])(
		'that is told "%s" came too late',
		(reason) => {
			expect(told(reason, 400, cancel).kind).toBe('jobOver');
			expect(told(reason, 400, get).kind).not.toBe('jobOver');
		},
	);

	test('that is refused for another reason did not', () => {
		expect(told('unauthorized: the session has ended', 400, cancel).kind).toBe('unauthorized');
		expect(told('job not found, already deleted', 404, cancel).kind).toBe('jobNotFound');
		expect(told('surprise', 400, cancel).kind).toBe('refused');
	});
});

describe('a status without words', () => {
	test.each<[number, Endpoint, ProblemKind]>([
		[404, list, 'wrongAddress'],
		[404, get, 'jobNotFound'],
		[405, list, 'wrongAddress'],
		[410, list, 'retired'],
		[410, get, 'jobNotFound'],
		[425, get, 'notFinished'],
		[400, cancel, 'refused'],
		[400, download, 'refused'],
		[409, get, 'refused'],
		[500, get, 'unavailable'],
		[499, get, 'refused'],
	])('%i of %j is %s', (status, endpoint, kind) => {
		expect(wordless(status, unreadable('empty'), endpoint)?.kind).toBe(kind);
		expect(wordless(status, JSON_BODY, endpoint)?.kind).toBe(kind);
	});

	test('may be of another server, whose words count', () => {
		expect(wordless(404, unreadable('html'), get)?.kind).toBe('wrongAddress');
		expect(wordless(410, unreadable('text'), get)?.kind).toBe('retired');
		expect(wordless(400, unreadable('html'), list, 'This API was shut down')?.kind).toBe('retired');
		expect(wordless(400, unreadable('html'), list, 'Sorry')?.kind).toBe('refused');
	});
});

describe('the detail', () => {
	test('is how an answer begins that says nothing', () => {
		expect(wordless(400, JSON_BODY)?.detail).toBe('Its answer begins with: EXCERPT');
		expect(wordless(500, JSON_BODY)?.detail).toBe('Its answer begins with: EXCERPT');
		expect(wordless(400, JSON_BODY, create, '')?.detail).toBeUndefined();
		expect(told(NO_REASON).detail).toBe('Its answer begins with: EXCERPT');
	});

	test('is none beside words of the service, or of pages and nothing', () => {
		expect(told('surprise').detail).toBeUndefined();
		for (const problem of ['empty', 'html'] as const) {
			expect(wordless(400, unreadable(problem))?.detail).toBeUndefined();
			expect(wordless(200, unreadable(problem))?.detail).toBeUndefined();
		}
	});

	test('is what is wrong with a body', () => {
		for (const status of [200, 400, 500]) {
			expect(wordless(status, unreadable('text'))?.detail).toBe('It is ***. It begins with: EXCERPT');
		}
	});
});

test('a request that is told 400 did nothing', () => {
	expect(wordless(400, JSON_BODY, create)?.effect).toBe('none');
	expect(wordless(399, unreadable('text'), create)?.effect).toBe('unknown');
});
