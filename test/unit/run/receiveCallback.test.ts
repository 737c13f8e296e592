import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { ServiceClient } from '../../../nodes/PriceCollection/service/client';
import { resumeUrl, warnAboutLoopback } from '../../../nodes/PriceCollection/run/receiveCallback';

function warningsFor(url: string, origin: string): string[] {
	const hints: NodeExecutionHint[] = [];
	const context: Partial<IExecuteFunctions> = { addExecutionHints: (...more) => void hints.push(...more) };
	const client = { dialect: { origin } } as Partial<ServiceClient>;
	warnAboutLoopback(context as IExecuteFunctions, client as ServiceClient, url);
	return hints.map(({ message }) => message);
}

describe('the callback address', () => {
	it('is the resume URL of the execution with the node as last part of the path', () => {
		const context = {
			getWorkflowDataProxy: () => ({
				$execution: { resumeUrl: 'https://n8n.test/hooks/webhook-waiting/7?signature=abc' },
			}),
			getNode: () => ({ id: 'node-1' }),
		} as unknown as IExecuteFunctions;
		expect(resumeUrl(context)).toBe('https://n8n.test/hooks/webhook-waiting/7/node-1?signature=abc');
	});

	it.each(['http://localhost:5678/x', 'http://127.0.0.1:5678/x', 'http://[::1]:5678/x'])(
		'is warned of when a service elsewhere cannot reach it: %s',
		(url) => {
			expect(warningsFor(url, 'https://api.example.com')).toEqual([
				expect.stringContaining('Set WEBHOOK_URL in n8n to its public address'),
			]);
		},
	);

	it('is fine on a public host, and for a service on the same machine', () => {
		expect(warningsFor('https://n8n.example.com/x', 'https://api.example.com')).toEqual([]);
		expect(warningsFor('http://localhost:5678/x', 'http://127.0.0.1:8080')).toEqual([]);
	});
});
