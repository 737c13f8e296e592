import { fieldsAround, nestedParts } from '../../../../nodes/PriceCollection/service/decode/shapes';
import { readRefusal, reasonIn } from '../../../../nodes/PriceCollection/service/decode/refusal';

describe('a refusal that the status says', () => {
	it.each<[unknown, object | undefined]>([
		['no', { reason: 'no' }],
		[' no ', { reason: 'no' }],
		['  ', undefined],
		[null, undefined],
		[[], undefined],
		[['', 'no'], { reason: 'no' }],
		[['no', { parameter: 'key' }, 'never'], { reason: 'no; never' }],
		[[{ reason: 'no', parameter: 'key' }, 'never'], { reason: 'no; never', parameter: 'key' }],
		[{ title: 'Title', message: 'no' }, { reason: 'no' }],
		[{ title: 'Title', msg: 'no' }, { reason: 'no' }],
		[
			{ title: 'Title', detail: 'why' },
			{ reason: 'Title', comment: 'why' },
		],
		[
			{ title: 'Title', description: 'why' },
			{ reason: 'Title', comment: 'why' },
		],
		[
			{ title: 'Title', error_description: 'why' },
			{ reason: 'Title', comment: 'why' },
		],
		[
			{ title: 'Title', 'Error-Message': 'why' },
			{ reason: 'Title', comment: 'why' },
		],
		[
			{ reason: 'no', param: 'key' },
			{ reason: 'no', parameter: 'key' },
		],
		[
			{ reason: 'no', field: 'key' },
			{ reason: 'no', parameter: 'key' },
		],
		[{ Reason: 'other', reason: 'no' }, { reason: 'no' }],
		[{ reason: 'no', comment: 'no' }, { reason: 'no' }],
		[{ error: '12', message: 'no' }, { reason: 'no' }],
		[
			{ error: 'none of these', message: 'why' },
			{ reason: 'none of these', comment: 'why' },
		],
		[{ details: 'x', message: 'no' }, { reason: 'no' }],
		...['details', 'fault', 'failure', 'problem'].map((name): [unknown, object] => [
			{ [name]: { message: 'no' } },
			{ reason: 'no' },
		]),
		[{ errors: { a: [], b: ['no'] } }, { reason: 'b: no', parameter: 'b' }],
		[{ errors: { a: 'no', b: 'never' } }, { reason: 'a: no; b: never', parameter: 'a' }],
		[{ detail: [{ loc: ['body', 'query', 'key'], msg: 'no' }] }, { reason: 'no', parameter: 'key' }],
	])('is read from %j', (body, refusal) => {
		for (const status of [400, 500]) expect(readRefusal(body, status)).toStrictEqual(refusal);
	});
});

describe('a refusal that only the body says', () => {
	it.each<[unknown, object]>([
		[{ success: false, data: { credits: 1 } }, { reason: 'no reason given' }],
		[{ success: ' No ' }, { reason: 'no reason given' }],
		[{ success: 0, reason: 'no' }, { reason: 'no' }],
		[{ success: '0', message: 'no' }, { reason: 'no' }],
		[{ success: false, job_id: '', status: 'new' }, { reason: 'no reason given' }],
		[{ success: false, job_id: null, status: 'new' }, { reason: 'no reason given' }],
		[{ success: false, job_id: 'a', status: ' ' }, { reason: 'no reason given' }],
		[{ success: false, job_id: 'a', status: ' Failed ' }, { reason: 'no reason given' }],
		[{ success: false, results: [], reason: 'no' }, { reason: 'no' }],
		[{ code: 100, msg: 'no' }, { reason: 'no' }],
		[{ code: 300, message: 'no' }, { reason: 'no' }],
		[{ detail: ['x', { loc: ['body'], msg: 'no' }] }, { reason: 'x; no' }],
	])('is read from %j', (body, refusal) => {
		expect(readRefusal(body, 200)).toMatchObject(refusal);
	});

	it.each([
		{ success: 'none' },
		{ success: 'is no' },
		{ success: false, job_id: 7, status: 'new' },
		{ success: false, id: 'a', status: 'failed later' },
		{ success: false, id: 'a', status: 'not refused' },
		{ success: false, data: { query: {} } },
		{ error: 'minor', job: { job_id: 'a', status: 'new' } },
		{ error: 'minor', job_id: 'a' },
		{ error: 'minor', id: 'a' },
		{ error: true },
		{ code: 299, msg: 'fine' },
		{ code: true, msg: 'fine' },
		{ code: 5 },
		{ detail: [{ loc: ['body'], msg: 5 }], message: 'fine' },
	])('is none in %j', (body) => {
		expect(readRefusal(body, 200)).toBeUndefined();
		expect(readRefusal(body, 399)).toBeUndefined();
	});

	it('needs no other word where nobody says the status', () => {
		expect(readRefusal({ message: 'done' })).toEqual({ reason: 'done' });
		expect(readRefusal('done')).toBeUndefined();
	});
});

test.each<[unknown, string | undefined]>([
	[' no ', 'no'],
	[['no', 'never'], 'no; never'],
	[{ message: 'no' }, 'no'],
	[{ a: ['no'] }, 'a: no'],
	[5, undefined],
	[null, undefined],
])('the reason in %j is %j', (value, reason) => {
	expect(reasonIn(value)).toBe(reason);
});

describe('envelopes', () => {
	const job = { job_id: 'a' };

	it('are opened by two levels, from the outside in', () => {
		const inner = { job };
		const deep = { payload: { response: { result: job } } };
		expect(nestedParts({ data: inner })).toEqual([{ data: inner }, inner, job]);
		expect(nestedParts(deep)).toEqual([deep, deep.payload, deep.payload.response]);
		expect(nestedParts({ other: job })).toEqual([{ other: job }]);
	});

	it('may be lists of one', () => {
		expect(nestedParts([job])).toEqual([job]);
		expect(nestedParts({ data: [job] })[1]).toBe(job);
		for (const none of [[job, job], [], 'x', null]) expect(nestedParts(none)).toEqual([]);
	});

	it('have fields around what they hold, the inner ones first', () => {
		const value = { success: true, total: 1, data: { total: 2, job } };
		expect(fieldsAround(value, job)).toEqual({ success: true, total: 2 });
		expect(fieldsAround(job, job)).toEqual({});
		expect(fieldsAround([{ success: true, job: [job] }], job)).toEqual({ success: true });
	});
});
