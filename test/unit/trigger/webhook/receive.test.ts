import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import type { IWebhookFunctions } from 'n8n-workflow';

import { ANSWERS, handOver, send } from '../../../../nodes/PriceCollection/trigger/webhook/answers';

const contextOf = (response: object) =>
	({ getResponseObject: () => response }) as unknown as IWebhookFunctions;

const closing: Array<() => void> = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A call over a real connection: Node's response with the two methods of express that are used. */
async function realCall() {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
	caller.on('error', () => undefined);
	caller.write('GET / HTTP/1.1\r\nhost: n8n\r\n\r\n');
	const [, plain] = (await once(server, 'request')) as [unknown, ServerResponse];
	const response = Object.assign(plain, {
		status(code: number) {
			response.statusCode = code;
			return response;
		},
		json(body: unknown) {
			response.end(JSON.stringify(body));
			return response;
		},
	});
	const settled: boolean[] = [];
	const settle = (stored: boolean) => void settled.push(stored);
	closing.push(() => {
		caller.destroy();
		server.close();
	});
	return { caller, response, settled, handed: { settle } };
}

describe('an answer', () => {
	it.each([
		['success', ANSWERS.duplicate, undefined],
		['refusal', ANSWERS.badSignature, undefined],
		['request to come again', ANSWERS.unheardJob, '30'],
	] as const)(
		'that is a %s says so by status, words and Retry-After',
		async (_name, answer, retryAfter) => {
			const { caller, response } = await realCall();
			expect(send(contextOf(response), answer)).toEqual({ noWebhookResponse: true });
			expect([response.statusCode, response.getHeader('Retry-After')]).toEqual([
				answer.status,
				retryAfter,
			]);
			const [bytes] = (await once(caller, 'data')) as [Buffer];
			const body = JSON.stringify({ success: answer.status === 200, message: answer.message });
			expect(String(bytes)).toContain(body);
		},
	);
});

describe('handing items over', () => {
	it('leaves the answer to n8n, which gives it when the execution is stored', async () => {
		const { caller, response, settled, handed } = await realCall();
		expect(handOver(contextOf(response), [{ job_id: 'a' }], handed)).toEqual({
			webhookResponse: { success: true, message: 'Accepted' },
			workflowData: [[{ json: { job_id: 'a' } }]],
		});
		expect(settled).toEqual([]);
		response.json({ success: true, message: 'Accepted' });
		expect(settled).toEqual([true]);
		const [bytes] = (await once(caller, 'data')) as [Buffer];
		expect(String(bytes)).toContain('{"success":true,"message":"Accepted"}');
	});

	it('answers itself where there is nothing to start the workflow with', async () => {
		const { caller, response, settled, handed } = await realCall();
		expect(handOver(contextOf(response), [], handed)).toEqual({ noWebhookResponse: true });
		expect(settled).toEqual([true]);
		const [bytes] = (await once(caller, 'data')) as [Buffer];
		expect(String(bytes)).toContain('The settings leave out all results of this job');
	});

	it('holds the answer until the execution has begun', async () => {
		const { caller, response, settled, handed } = await realCall();
		let begin: () => void = () => undefined;
		const begun = async () => await new Promise<void>((resolve) => (begin = resolve));
		handOver(contextOf(response), [{ job_id: 'a' }], { ...handed, begun });
		response.json({ success: true });
		await new Promise((resolve) => setImmediate(resolve));
		expect([settled, response.writableEnded]).toEqual([[], false]);
		begin();
		const [bytes] = (await once(caller, 'data')) as [Buffer];
		expect(String(bytes)).toContain('{"success":true}');
		expect(settled).toEqual([true]);
	});

	it('says at once that an execution could not be stored', async () => {
		const { response, settled, handed } = await realCall();
		handOver(contextOf(response), [{}], {
			...handed,
			begun: async () => await new Promise(() => undefined),
		});
		response.status(500).json({});
		expect([settled, response.writableEnded]).toEqual([[false], true]);
	});

	it.each([
		[500, false],
		[200, true],
	])('to a caller who hangs up, %i later settles the end as stored: %s', async (status, stored) => {
		const { caller, response, settled, handed } = await realCall();
		handOver(contextOf(response), [{}], handed);
		caller.destroy();
		await once(response, 'close');
		// Nothing is known yet: n8n is still storing.
		expect(settled).toEqual([]);
		response.status(status).json({});
		expect(settled).toEqual([stored]);
	});
});
