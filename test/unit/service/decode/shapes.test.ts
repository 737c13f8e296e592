import { fieldsAround, nestedParts } from '../../../../nodes/PriceCollection/service/decode/shapes';

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
