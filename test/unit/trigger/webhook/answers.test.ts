import type { IWebhookFunctions } from 'n8n-workflow';

import { ANSWERS, send } from '../../../../nodes/PriceCollection/trigger/webhook/answers';

it.each([
	['success', ANSWERS.duplicate, {}],
	['refusal', ANSWERS.badSignature, {}],
	['request to come again', ANSWERS.notEnded, { 'Retry-After': '30' }],
] as const)('an answer that is a %s says so by status, words and Retry-After', (_name, answer, headers) => {
	const sent: Record<string, unknown> = {};
	const response = {
		setHeader: (name: string, value: string) => (sent[name] = value),
		status: (status: number) => ({ json: (body: unknown) => Object.assign(sent, { status, body }) }),
	};
	const context = { getResponseObject: () => response } as unknown as IWebhookFunctions;
	expect(send(context, answer)).toEqual({ noWebhookResponse: true });
	const { status, message } = answer;
	expect(sent).toEqual({ ...headers, status, body: { success: status === 200, message } });
});
