import type { IDataObject } from 'n8n-workflow';

import { ANSWERS } from '../../../../nodes/PriceCollection/trigger/webhook/answers';
import { CallbackMemory } from '../../../../nodes/PriceCollection/trigger/webhook/callbackMemory';
import type { Verdict } from '../../../../nodes/PriceCollection/trigger/webhook/callbackMemory';

const accepted = (job_id: string): Verdict => ({
	answer: ANSWERS.accepted,
	job: { job_id, status: 'finished' },
});

describe('the memory of callbacks', () => {
	it('keeps triggers apart', async () => {
		const memory = new CallbackMemory();
		await memory.once('one', 'a', {}, async () => accepted('a'));
		expect(await memory.once('two', 'a', {}, async () => accepted('a'))).toEqual(accepted('a'));
	});

	it('does not remember a job that was not accepted', async () => {
		const memory = new CallbackMemory();
		const data: IDataObject = {};
		await memory.once('t', 'a', data, async () => ({ answer: ANSWERS.running }));
		expect(data).toEqual({});
		expect(await memory.once('t', 'a', data, async () => accepted('a'))).toEqual(accepted('a'));
	});

	it('gives a duplicate the outcome of the call that is under way', async () => {
		const memory = new CallbackMemory();
		let finish: (verdict: Verdict) => void = () => undefined;
		const first = memory.once(
			't',
			'a',
			{},
			async () => await new Promise((resolve) => (finish = resolve)),
		);
		const second = memory.once('t', 'a', {}, async () => accepted('never asked'));
		finish(accepted('a'));
		expect(await first).toEqual(accepted('a'));
		expect(await second).toEqual({ answer: ANSWERS.duplicate });
	});

	it('looks again after a call that broke off', async () => {
		const memory = new CallbackMemory();
		const broken = memory.once('t', 'a', {}, async () => await Promise.reject(new Error('broken')));
		await expect(broken).rejects.toThrow('broken');
		expect(await memory.once('t', 'a', {}, async () => accepted('a'))).toEqual(accepted('a'));
	});

	it('lets a job come again whose execution could not be stored', async () => {
		const memory = new CallbackMemory();
		await memory.once('t', 'a', {}, async () => accepted('a'));
		memory.forget('t', 'a');
		expect(await memory.once('t', 'a', {}, async () => accepted('a'))).toEqual(accepted('a'));
	});

	it('keeps the latest 1,000 jobs with the workflow', async () => {
		const memory = new CallbackMemory();
		const data: IDataObject = {};
		for (let n = 0; n < 1_005; n++) await memory.once('t', `j${n}`, data, async () => accepted(`j${n}`));
		const kept = String((data.handled as IDataObject).jobIds).split('\n');
		expect(kept).toHaveLength(1_000);
		expect([kept[0], kept[999]]).toEqual(['j5', 'j1004']);
	});

	it('remembers in the process what is not kept with the workflow any more', async () => {
		const memory = new CallbackMemory();
		for (let n = 0; n < 1_005; n++) await memory.once('t', `j${n}`, {}, async () => accepted(`j${n}`));
		expect(await memory.once('t', 'j0', {}, async () => accepted('j0'))).toEqual({
			answer: ANSWERS.duplicate,
		});
	});

	it('adds what another process stored meanwhile', async () => {
		const memory = new CallbackMemory();
		await memory.once('t', 'a', {}, async () => accepted('a'));
		const data: IDataObject = { handled: { version: 1, jobIds: 'b' } };
		expect(await memory.once('t', 'b', data, async () => accepted('b'))).toEqual({
			answer: ANSWERS.duplicate,
		});
		await memory.once('t', 'c', data, async () => accepted('c'));
		expect(data.handled).toEqual({ version: 1, jobIds: 'a\nb\nc' });
	});

	it('looks into a limited number of calls at once', async () => {
		const memory = new CallbackMemory();
		let finish: (verdict: Verdict) => void = () => undefined;
		const waiting = new Promise<Verdict>((resolve) => (finish = resolve));
		const calls = Array.from(
			{ length: 500 },
			async (_, n) => await memory.once('t', `j${n}`, {}, async () => await waiting),
		);
		expect(await memory.once('t', 'one more', {}, async () => accepted('x'))).toEqual({
			answer: ANSWERS.busy,
		});
		finish({ answer: ANSWERS.unknownJob });
		await Promise.all(calls);
		expect(await memory.once('t', 'one more', {}, async () => accepted('x'))).toEqual(accepted('x'));
	});
});
