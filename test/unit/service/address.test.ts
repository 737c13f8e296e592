import { loopbackWarning } from '../../../nodes/PriceCollection/service/address';

test.each([
	['http://localhost:5678/webhook', 'https://api.example.com', true],
	['http://127.0.0.1:5678/webhook', 'https://api.example.com', true],
	['http://[::1]:5678/webhook', 'https://api.example.com', true],
	['http://localhost:5678/webhook', 'http://127.0.0.1', false],
	['https://n8n.example.com/webhook', 'https://api.example.com', false],
	['nowhere', 'https://api.example.com', false],
])('the service cannot reach %s from %s: %s', (url, service, expected) => {
	const warning = loopbackWarning(url, service) ?? '';
	expect(warning.startsWith(`The service cannot reach ${url.replace('/webhook', ':')}`)).toBe(expected);
});
