import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import type { IWebhookFunctions } from 'n8n-workflow';

import { ANSWERS, send } from '../../../../nodes/PriceCollection/trigger/webhook/answers';
import { EndsInProgress } from '../../../../nodes/PriceCollection/trigger/webhook/endsInProgress';

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
	closing.push(() => {
		caller.destroy();
		server.close();
	});
	return { caller, response };
}

describe('an answer', () => {
	it.each([
		['success', ANSWERS.duplicate, undefined],
		['refusal', ANSWERS.badSignature, undefined],
		['request to come again', ANSWERS.unknownJob, '30'],
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

describe('the answer to a call that starts the workflow', () => {
	/** A call whose end is on its way; `executionsRunHere` as in regular mode. */
	async function started(executionsRunHere: boolean) {
		const call = await realCall();
		const ends = new EndsInProgress({
			now: Date.now,
			pause: async () => await new Promise(() => undefined),
		});
		ends.executionsRunHere = executionsRunHere;
		const end = ends.begin('t', 'a');
		ends.holdAnswer(call.response as unknown as Parameters<EndsInProgress['holdAnswer']>[0], end);
		const told: unknown[] = [];
		void end.outcome.then((answer) => told.push(answer));
		const tick = async () => await new Promise((resolve) => setImmediate(resolve));
		return { ...call, ends, end, told, tick };
	}

	it('goes out when the execution is stored, where it runs in another process', async () => {
		const { caller, response, told } = await started(false);
		expect(told).toEqual([]);
		response.json({ success: true, message: 'Accepted' });
		const [bytes] = (await once(caller, 'data')) as [Buffer];
		expect(String(bytes)).toContain('{"success":true,"message":"Accepted"}');
		expect(told).toEqual([ANSWERS.duplicate]);
	});

	it('is held until the execution has told of its job, where it runs here', async () => {
		const { caller, response, end, told, tick } = await started(true);
		response.json({ success: true });
		await tick();
		expect([told, response.writableEnded]).toEqual([[], false]);
		end.settle(ANSWERS.duplicate);
		const [bytes] = (await once(caller, 'data')) as [Buffer];
		expect(String(bytes)).toContain('{"success":true}');
	});

	it('says at once that an execution could not be stored, so that the end may come again', async () => {
		const { response, ends, told, tick } = await started(true);
		response.status(500).json({});
		await tick();
		expect([told, response.writableEnded]).toEqual([[ANSWERS.notStored], true]);
		expect(ends.find('t', 'a')).toBeUndefined();
	});

	it.each([
		[500, ANSWERS.notStored],
		[200, ANSWERS.duplicate],
	])('of a caller who hangs up, %i, still settles the end', async (status, outcome) => {
		const { caller, response, told, tick } = await started(false);
		caller.destroy();
		await once(response, 'close');
		// Nothing is known yet: n8n is still storing.
		expect(told).toEqual([]);
		response.status(status).json({});
		await tick();
		expect(told).toEqual([outcome]);
	});
});
