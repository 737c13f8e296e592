import { warnAboutLoopback } from '../../../nodes/PriceCollection/run/receiveCallback';
import type { ServiceClient } from '../../../nodes/PriceCollection/service/client';
import { nodeContext } from '../nodeContext';

describe('the callback address', () => {
	it.each<[string, string, boolean]>([
		['http://localhost:5678/x', 'https://api.example.com', true],
		['http://127.0.0.1:5678/x', 'https://api.example.com', true],
		['http://[::1]:5678/x', 'https://api.example.com', true],
		['https://n8n.example.com/x', 'https://api.example.com', false],
		['http://localhost:5678/x', 'http://127.0.0.1:8080', false],
	])('is warned of where the service cannot reach it: %s from %s', (url, origin, isWarned) => {
		const { context, hints } = nodeContext({});
		warnAboutLoopback(context, { connection: { origin } } as unknown as ServiceClient, url);
		const warning = expect.stringContaining('Set WEBHOOK_URL in n8n to its public address') as string;
		expect(hints.map(({ message }) => message)).toEqual(isWarned ? [warning] : []);
	});
});
