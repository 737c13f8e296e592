import { NO_REASON, readRefusal, reasonIn } from '../../../../nodes/PriceCollection/service/decode/refusal';
import { parseXml } from '../../../../nodes/PriceCollection/service/decode/xml';

describe("the service's own form", () => {
	const missing = {
		reason: 'missing parameter',
		parameter: 'key',
		comment: "Provide the mandatory parameter 'key'!",
	};

	it.each<[object, object]>([
		[{ success: false, ...missing }, missing],
		[{ success: 'false', reason: 'unauthorized' }, { reason: 'unauthorized' }],
		[{ success: false, job_id: '1', reason: 'job not found' }, { reason: 'job not found' }],
		[{ Success: false, Reason: ' no ' }, { reason: 'no' }],
	])('is read whatever the HTTP status is: %j', (body, refusal) => {
		for (const status of [200, 400, 500]) expect(readRefusal(body, status)).toMatchObject(refusal);
	});

	it('is read in XML', async () => {
		const xml = `<hash><success type="boolean">false</success><reason>missing parameter</reason>
<parameter>key</parameter><comment>Provide the mandatory parameter 'key'!</comment></hash>`;
		const parsed = await parseXml([xml], async () => {});
		expect(readRefusal(parsed.ok && parsed.value, 200)).toEqual(missing);
	});
});

describe('the words of a refusal', () => {
	it.each<[string, unknown, object]>([
		['a text', 'not today', { reason: 'not today' }],
		['a list of texts', ['no way', '', 'never'], { reason: 'no way; never' }],
		['an error', { error: 'no way', message: 'Not today.' }, { reason: 'no way; Not today.' }],
		['an error of its own', { Error: { Message: 'no way' } }, { reason: 'no way' }],
		['several', { errors: [{ title: 'no way', detail: 'why' }] }, { reason: 'no way; why' }],
		[
			'what is wrong with each field',
			{ message: 'Invalid data.', errors: { Country: ['is missing'], key: ['is odd', 'is new'] } },
			{ reason: 'Invalid data. Country: is missing; key: is odd; key: is new' },
		],
		[
			'the violations of RFC 9457',
			{
				...{ type: 'about:blank', title: 'Constraint Violation', status: 400, instance: '/v2/jobs' },
				violations: [{ field: 'country', message: 'must not be blank' }],
				trace: '4bf92f3577b34da6a3ce929d0e0e4736',
				timestamp: '2026-11-22T10:00:00.000Z',
			},
			{ reason: 'Constraint Violation; field: country; must not be blank', status: 400 },
		],
		[
			'the place and what is wrong there',
			{ detail: [{ loc: ['body', 'country'], msg: 'field required' }] },
			{ reason: 'loc: body; loc: country; field required' },
		],
		['a word that was never seen', { blame: { weather: 'too hot' } }, { reason: 'weather: too hot' }],
		[
			'what stands beside the reason',
			{ reason: 'no way', violations: [{ message: 'is blank' }], comment: 'Try again' },
			{ reason: 'no way', comment: 'is blank; Try again' },
		],
	])('are the texts of the body in their order: %s', (_name, body, refusal) => {
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
		expect(readRefusal({ ok: false, ...deep }, 200)?.reason).toBe(NO_REASON);
	});
});

describe('a refusal whatever the HTTP status is', () => {
	it.each<[object, object]>([
		[{ status: 'error', message: 'Invalid token' }, { reason: 'Invalid token' }],
		[{ status: 'fail', data: { id: 'Not enough credits' } }, { reason: 'id: Not enough credits' }],
		[{ state: ' Failed ' }, { reason: NO_REASON }],
		[{ ok: false, error: 'no way' }, { reason: 'no way' }],
		[{ success: ' No ' }, { reason: NO_REASON }],
		[{ success: 0, reason: 'no' }, { reason: 'no' }],
		[{ ok: '0', message: 'no way' }, { reason: 'no way' }],
		[{ error: 'no way' }, { reason: 'no way' }],
		[{ error: true }, { reason: NO_REASON }],
		[{ errors: ['no way', 'never'] }, { reason: 'no way; never' }],
		[{ data: { error: { message: 'no way' } } }, { reason: 'no way' }],
		[{ code: 1001, msg: 'no way' }, { reason: 'no way' }],
		[
			{ title: 'Unauthorized', status: 401 },
			{ reason: 'Unauthorized', status: 401 },
		],
		[
			{ status: '410 Gone', message: 'It is gone' },
			{ reason: 'It is gone', status: 410 },
		],
		[
			{ meta: { code: 401 }, data: null },
			{ reason: NO_REASON, status: 401 },
		],
		[{ status: { code: 403, message: 'Key is wrong' } }, { reason: 'Key is wrong', status: 403 }],
		[{ success: false, job_id: '', status: 'new' }, { reason: NO_REASON }],
		[{ success: false, job_id: 'a', status: 'failed', reason: 'x' }, { reason: 'x' }],
		[{ success: false, results: [], reason: 'no' }, { reason: 'no' }],
	])('is %j', (body, refusal) => {
		expect(readRefusal(body, 200)).toMatchObject(refusal);
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

test.each<[unknown, string | undefined]>([
	[' no ', 'no'],
	[['no way', 'never'], 'no way; never'],
	[{ message: 'no way' }, 'no way'],
	[{ a: ['no way'] }, 'a: no way'],
	[5, undefined],
	[null, undefined],
])('the reason in %j is %j', (value, reason) => {
	expect(reasonIn(value)).toBe(reason);
});

describe('a refusal is read from its own fields', () => {
	const no = { success: false, reason: 'no way' };
	const bare = { reason: 'no way', parameter: undefined, comment: undefined, status: undefined };

	it.each<[string, object, object]>([
		['nothing more', no, bare],
		['its parameter', { ...no, param: 'key' }, { ...bare, parameter: 'key', comment: 'param: key' }],
		['a code that only ends in one of HTTP', { ...no, code: 'E404' }, bare],
		['a code of HTTP', { ...no, code: 404 }, { ...bare, status: 404 }],
		['an object whose name only begins like one of ours', { results_of: no }, bare],
		['an object whose name only ends like one of ours', { sub_query: no }, bare],
	])('%s', (_what, body, refusal) => {
		expect(readRefusal(body, 200)).toEqual(refusal);
	});

	it('its field', () => {
		expect(readRefusal({ ...no, field: 'key' }, 200)?.parameter).toBe('key');
	});

	it.each<[string, object]>([
		['what was asked for', { job_name: 'x', query: no }],
		['results', { results: no }],
		['content', { content: no }],
		['a number as an error', { error: '10', message: 'all is well' }],
		['a status that only begins like a failure', { status: 'failed_over', message: 'all is well' }],
		['a status that only ends like a failure', { status: 'not_failed', message: 'all is well' }],
		[
			'more fields than are read',
			{ ...Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, i])), ...no },
		],
	])('is none: %s', (_what, body) => {
		expect(readRefusal(body, 200)).toBeUndefined();
	});
});
