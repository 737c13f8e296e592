import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { triggerMemories } from '../../../../nodes/PriceCollection/trigger/memories';
import { handOver } from '../../../../nodes/PriceCollection/trigger/webhook/handOver';

/** A call with a response that records what is written to it, and the workflow that n8n will save. */
function callOf(staticData?: IDataObject) {
	const response = {
		statusCode: 200,
		sent: [] as unknown[],
		ended: 0,
		setHeader: () => response,
		status(code: number) {
			response.statusCode = code;
			return response;
		},
		json(body: unknown) {
			response.sent.push(body);
			return response.end();
		},
		end() {
			response.ended++;
			return response;
		},
	};
	const workflow = staticData === undefined ? undefined : { staticData };
	const context = {
		getResponseObject: () => response,
		getWorkflow: () => ({ id: 'w' }),
		workflow,
	} as unknown as IWebhookFunctions;
	const settled: boolean[] = [];
	const claim = { settle: (stored: boolean) => settled.push(stored) };
	return { context, response, workflow, claim, settled };
}

describe('handing items over', () => {
	it('leaves the answer to n8n, which gives it when the execution is stored', () => {
		const { context, response, claim, settled } = callOf();
		expect(handOver(context, [{ job_id: 'a' }], claim)).toEqual({
			webhookResponse: { success: true, message: 'Accepted' },
			workflowData: [[{ json: { job_id: 'a' } }]],
		});
		expect(response.sent).toEqual([]);
		expect(settled).toEqual([]);
	});

	it('answers itself where there is nothing to start the workflow with', () => {
		const { context, response, claim, settled } = callOf();
		expect(handOver(context, [], claim)).toEqual({ noWebhookResponse: true });
		expect(response.sent).toEqual([
			{ success: true, message: 'The settings leave out all results of this job' },
		]);
		expect(settled).toEqual([true]);
	});

	it('gives n8n a copy of the static data to save, which the execution cannot unmark', () => {
		const shared = { 'node:Ends': { own: 1 }, global: { mine: 1 } };
		const { context, workflow, claim } = callOf(shared);
		handOver(context, [{}], claim);
		expect(workflow?.staticData).toEqual(shared);
		expect(workflow?.staticData).not.toBe(shared);
		expect(workflow?.staticData.__dataChanged).toBe(true);
	});

	it('has saved what all triggers of the workflow remember when n8n saves, the end itself included', () => {
		const { context, workflow, claim, settled } = callOf({ 'node:Ends': { own: 1 }, global: {} });
		triggerMemories.note('w', 'Ends', () => ({ handled: settled.length }));
		triggerMemories.note('w', 'Polled', () => ({ known: 'abc' }));
		handOver(context, [{}], claim);
		expect(settled).toEqual([]);
		expect(JSON.parse(JSON.stringify(workflow?.staticData))).toEqual({
			'node:Ends': { own: 1, handled: 1 },
			'node:Polled': { known: 'abc' },
			global: {},
		});
		expect(settled).toEqual([true]);
	});
});

describe("n8n's answer", () => {
	it.each([
		[500, false],
		[200, true],
	])('%i settles the end as stored: %s, also when the caller has hung up', (status, stored) => {
		const { context, response, claim, settled } = callOf();
		handOver(context, [{}], claim);
		response.status(status).end();
		expect(settled).toEqual([stored]);
		expect(response.ended).toBe(1);
	});
});
