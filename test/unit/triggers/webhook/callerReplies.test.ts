import type { IWebhookFunctions } from 'n8n-workflow';

import { CALLER_REPLIES, replyTo } from '../../../../nodes/PriceCollection/triggers/webhook/callerReplies';

it.each<[keyof typeof CALLER_REPLIES, object, object?]>([
	['accepted', { status: 200, body: { success: true, message: 'Accepted' } }],
	[
		'badSignature',
		{
			status: 401,
			body: {
				success: false,
				message: 'The signature of this callback URL is wrong or has expired',
			},
		},
	],
	[
		'busy',
		{ status: 503, body: { success: false, message: 'Too many calls at once' } },
		{ 'Retry-After': '10' },
	],
])('a caller gets %s as %j, and %j tells when to call again', (name, answer, headers = {}) => {
	const sent: Record<string, unknown> = {};
	const response = {
		setHeader: (header: string, value: string) => (sent[header] = value),
		status: (status: number) => ({ json: (body: unknown) => Object.assign(sent, { status, body }) }),
	};
	const context = { getResponseObject: () => response } as unknown as IWebhookFunctions;
	expect(replyTo(context, CALLER_REPLIES[name])).toEqual({ noWebhookResponse: true });
	expect(sent).toEqual({ ...headers, ...answer });
});
