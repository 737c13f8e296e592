import { parseXml } from '../../../../nodes/PriceCollection/service/decode/xml';
import { readRefusal } from '../../../../nodes/PriceCollection/service/schemas';

describe('readRefusal', () => {
	const missing = {
		reason: 'missing parameter',
		parameter: 'key',
		comment: "Provide the mandatory parameter 'key'!",
	};

	it("reads the service's own form, whatever the HTTP status is", () => {
		expect(readRefusal({ success: false, ...missing })).toEqual(missing);
		expect(readRefusal({ success: false, ...missing }, 200)).toEqual(missing);
		expect(readRefusal({ success: 'false', reason: 'unauthorized' }, 200)).toEqual({
			reason: 'unauthorized',
		});
		expect(readRefusal({ success: false }, 200)).toEqual({ reason: 'no reason given' });
		expect(readRefusal({ success: false, job_id: '1', reason: 'job not found' }, 200)).toEqual({
			reason: 'job not found',
		});
	});

	it('reads it in XML', async () => {
		const xml = `<hash><success type="boolean">false</success><reason>missing parameter</reason>
<parameter>key</parameter><comment>Provide the mandatory parameter 'key'!</comment></hash>`;
		const parsed = await parseXml(xml, async () => {});
		expect(readRefusal(parsed.ok && parsed.value, 200)).toEqual(missing);
	});

	it.each([
		[{ error: 'no' }, { reason: 'no' }],
		[
			{ error: 'no', message: 'Not today.' },
			{ reason: 'no', comment: 'Not today.' },
		],
		[{ error: true, message: 'no' }, { reason: 'no' }],
		[{ error: { message: 'no' } }, { reason: 'no' }],
		[
			{ error: { reason: 'no', parameter: 'key', comment: 'why' } },
			{ reason: 'no', parameter: 'key', comment: 'why' },
		],
		[{ errors: ['no', 'never'] }, { reason: 'no; never' }],
		[
			{ errors: { country: ["can't be blank"] } },
			{ reason: "country: can't be blank", parameter: 'country' },
		],
		[
			{ message: 'Invalid data.', errors: { Country: ['The field is required.'] } },
			{ reason: 'Country: The field is required.', parameter: 'country', comment: 'Invalid data.' },
		],
		[{ Error: { Message: 'no' } }, { reason: 'no' }],
		[{ code: 1001, msg: 'no' }, { reason: 'no' }],
		[{ data: { error: 'no' } }, { reason: 'no' }],
		[{ errors: [{ title: 'no', detail: 'why' }] }, { reason: 'no', comment: 'why' }],
		[
			{ detail: [{ loc: ['body', 'country'], msg: 'field required' }] },
			{ reason: 'field required', parameter: 'country' },
		],
	])('reads the error body %j, also with status 200', (body, refusal) => {
		expect(readRefusal(body)).toEqual(refusal);
		expect(readRefusal(body, 200)).toEqual(refusal);
		expect(readRefusal(body, 500)).toEqual(refusal);
	});

	it.each([
		[{ message: 'done' }, { reason: 'done' }],
		[
			{ title: 'Too many', detail: 'Wait' },
			{ reason: 'Too many', comment: 'Wait' },
		],
		[{ reason: 'job not found' }, { reason: 'job not found' }],
		[{ job_id: '1', status: 'working', error: 'one of 2' }, { reason: 'one of 2' }],
	])('takes %j for a refusal only when the status says so', (body, refusal) => {
		expect(readRefusal(body, 404)).toEqual(refusal);
		expect(readRefusal(body, 200)).toBeUndefined();
	});

	it('takes a code that is none of an error for success', () => {
		expect(readRefusal({ code: 200, msg: 'fine' }, 200)).toBeUndefined();
	});

	it('takes a job for a job, whatever success says beside it', () => {
		expect(readRefusal({ success: false, job_id: 'abc', status: 'new' }, 201)).toBeUndefined();
		expect(readRefusal({ success: false, job_id: 'abc', status: 'error', reason: 'x' }, 200)).toEqual({
			reason: 'x',
		});
	});

	it.each<[unknown, object]>([
		['not today', { reason: 'not today' }],
		[['no', 'never'], { reason: 'no; never' }],
		[[{ success: false, reason: 'x' }], { reason: 'x' }],
		[{ detail: ['no'] }, { reason: 'no' }],
	])('finds the words of %j once the status says that it is a refusal', (body, refusal) => {
		expect(readRefusal(body, 422)).toEqual(refusal);
		expect(readRefusal(body, 200)).toBeUndefined();
	});

	it.each([
		{ job_id: '1', status: 'finished', errors: 3 },
		{
			job_id: '1',
			status: 'finished',
			results: [{ query: {}, success: false, reason: 'not found' }],
			message: 'x',
		},
		{ query: { value: '1' }, success: false, reason: 'not found' },
		{ success: true },
		{ error: null, message: '' },
		{ error: 0, data: { job_id: 'abc' } },
		{ success: 120, error: 3 },
		{ status: 'working', error: 2 },
		// Numbers in XML without types.
		{ status: 'finished', success: '0', error: '1' },
		{ success: 0, error: 0 },
		{ error: 'none', credits: 1 },
		{ errors: {}, error: {} },
		null,
		{},
	])('finds none in %j', (body) => {
		expect(readRefusal(body)).toBeUndefined();
		expect(readRefusal(body, 200)).toBeUndefined();
	});
});
