import { EventEmitter } from 'node:events';

import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { handOver, onFailedHandOver } from '../../../../nodes/PriceCollection/trigger/webhook/handOver';

/** A call with a response that records what is written to it, and the workflow that n8n will save. */
function callOf(staticData?: IDataObject) {
	const response = Object.assign(new EventEmitter(), {
		statusCode: 200,
		sent: [] as unknown[],
		status(code: number) {
			response.statusCode = code;
			return response;
		},
		json(body: unknown) {
			response.sent.push(body);
		},
	});
	const workflow = staticData === undefined ? undefined : { staticData };
	const context = { getResponseObject: () => response, workflow } as unknown as IWebhookFunctions;
	return { context, response, workflow };
}

describe('handing items over', () => {
	it('leaves the answer to n8n, which gives it when the execution is stored', async () => {
		const { context, response } = callOf();
		expect(await handOver(context, Promise.resolve([{ job_id: 'a' }]))).toEqual({
			webhookResponse: { success: true, message: 'Accepted' },
			workflowData: [[{ json: { job_id: 'a' } }]],
		});
		expect(response.sent).toEqual([]);
	});

	it('answers before items that take long', async () => {
		const { context, response } = callOf();
		let finish: (items: IDataObject[]) => void = () => undefined;
		const items = new Promise<IDataObject[]>((resolve) => (finish = resolve));
		const handing = handOver(context, items);
		while (response.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
		finish([{ job_id: 'a' }]);
		expect(await handing).toEqual({
			noWebhookResponse: true,
			workflowData: [[{ json: { job_id: 'a' } }]],
		});
		expect(response.sent).toEqual([{ success: true, message: 'Accepted' }]);
	});

	it('answers itself where there is nothing to start the workflow with', async () => {
		const { context, response } = callOf();
		expect(await handOver(context, Promise.resolve([]))).toEqual({ noWebhookResponse: true });
		expect(response.sent).toEqual([{ success: true, message: 'Accepted' }]);
	});

	it('gives n8n a copy of the static data to save, which the execution cannot unmark', async () => {
		const shared = { 'node:Ends': { handled: 'a' }, global: { mine: 1 } };
		const { context, workflow } = callOf(shared);
		await handOver(context, Promise.resolve([{}]));
		expect(workflow?.staticData).toEqual(shared);
		expect(workflow?.staticData).not.toBe(shared);
		expect(workflow?.staticData.__dataChanged).toBe(true);
		expect(Object.keys(workflow?.staticData ?? {})).toEqual(['node:Ends', 'global']);
	});
});

describe('an execution that could not be stored', () => {
	it.each([
		[500, 1],
		[200, 0],
	])('with the answer %i undoes %i times', (status, times) => {
		const { context, response } = callOf();
		const undo = jest.fn();
		onFailedHandOver(context, undo);
		response.statusCode = status;
		response.emit('finish');
		expect(undo).toHaveBeenCalledTimes(times);
	});
});
