import { Logger } from '@n8n/backend-common';
import { LoggerProxy } from 'n8n-workflow';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { inspect } from 'node:util';

import type { Fault } from '../../fakes/sandbox/faults';
import type { Sandbox } from '../../fakes/sandbox/sandbox';
import { useSandbox } from '../../support/useSandbox';
import { errorOf, runWorkflow } from '../support/harness';
import { fail, forJob, reply, seedJob, TERM_PARAMETERS } from '../support/core';
import { credentialFor, scenario } from '../support/common';

/** Secrets with every kind of character that some encoder changes. */
const KEY = 'KEYOFTHEACCOUNT/1+2=3&4"5\'6<7>8:9 0$,;%';
const PASSWORD = 'PASSWORDOFTHEUSER/+=&"\'<>:$,; %';
const WEBHOOK_SECRET = 'SECRETOFTHEWEBHOOKS/+=&"\'<> %';
const USERNAME = 'someone';

const escapeXml = (text: string) =>
	text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const base64 = Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64');

/** What must never appear. The parts that no encoder changes represent all spellings. */
const FORBIDDEN = [
	'KEYOFTHEACCOUNT',
	'PASSWORDOFTHEUSER',
	'SECRETOFTHEWEBHOOKS',
	base64,
	encodeURIComponent(base64),
];

const sandbox = useSandbox({
	...{ autoFinish: false, apiKey: KEY, username: USERNAME, password: PASSWORD },
	authentication: ['query', 'header', 'bearer', 'basic'],
});
let logged: unknown[];
beforeEach(() => {
	logged = [];
	const log = (...words: unknown[]) => void logged.push(words);
	LoggerProxy.init({ error: log, warn: log, info: log, debug: log });
	for (const level of ['error', 'warn', 'info', 'debug'] as const) {
		jest.spyOn(Logger.prototype, level).mockImplementation(log);
		jest.spyOn(console, level).mockImplementation(log);
	}
	jest.spyOn(console, 'log').mockImplementation(log);
});
afterEach(() => jest.restoreAllMocks());

/** Everything a run leaves behind, errors with all their fields and causes included. */
async function traces(parameters: INodeParameters, credential: IDataObject, more = {}): Promise<string> {
	const messages: string[] = [];
	const secrets = { apiKey: KEY, username: USERNAME, password: PASSWORD, webhookSecret: WEBHOOK_SECRET };
	const whole = { ...secrets, ...credential };
	const run = await runWorkflow({
		...scenario(credentialFor(sandbox, whole), parameters, [{ term: 'drill' }], more),
		messages,
	});
	const error = errorOf(run);
	const shown = inspect([run, error, logged, messages], {
		depth: Infinity,
		showHidden: true,
		maxStringLength: null,
	});
	return `${shown}\n${JSON.stringify([run, messages])}`;
}

function expectNothing(text: string): void {
	for (const secret of FORBIDDEN) {
		const at = text.indexOf(secret);
		if (at >= 0) throw new Error(`There is a secret: …${text.slice(Math.max(0, at - 300), at + 100)}…`);
	}
}

const WAYS = ['queryParameter', 'header', 'bearer', 'basic'].map((authentication) => ({ authentication }));

/** Every form in which a careless service is likely to give the secrets back. */
const ECHOES = [KEY, PASSWORD, WEBHOOK_SECRET].flatMap((secret) => [
	secret,
	encodeURIComponent(secret),
	new URLSearchParams({ secret }).toString(),
	Buffer.from(secret).toString('base64'),
]);
ECHOES.push(base64, encodeURIComponent(base64));

const echo = ECHOES.join(' | ');
const FAULTS: Record<string, Fault | undefined> = {
	nothing: undefined,
	reset: { type: 'reset' },
	'reset after': { type: 'reset', when: 'after' },
	500: { type: 'serverError' },
	page: { type: 'htmlUnavailable' },
	truncated: { type: 'truncate' },
	'refusal that repeats everything': {
		...{ type: 'refusal', reason: echo, parameter: echo, comment: echo, status: 422 },
	},
	'good reply that repeats everything': reply(
		JSON.stringify({
			...{ job_id: 'a', status: 'finished', [KEY]: PASSWORD, echo },
			results: [{ query: { value: KEY }, success: false, reason: echo }],
		}).replaceAll('/', '\\/'),
		200,
		{ 'content-type': 'application/json' },
	),
	'XML that repeats everything': reply(
		`<hash><job-id>a</job-id><status>finished</status><x>${ECHOES.map(escapeXml).join(' ')}</x></hash>`,
	),
	'text that repeats everything': reply(`Bad ${echo}`),
	'page that repeats everything': reply(`<html>${escapeXml(echo)}</html>`, 404),
	'redirect to another origin': { type: 'redirect', to: 'otherOrigin', keepQuery: true },
	'redirect with the key in its path': reply('', 302, {
		location: `https://cdn.example.test/${encodeURIComponent(KEY)}/x`,
	}),
	loop: { type: 'redirect', to: 'loop' },
};

/** A Max Wait of one second, because this service's jobs do not end by themselves. */
const BRIEFLY = { maxWait: 1 / 60 };

const OPERATIONS: Record<string, (jobId: string) => INodeParameters> = {
	create: () => ({ ...TERM_PARAMETERS, options: { webhookUrl: 'https://n8n.example.test/webhook/x' } }),
	get: (id) => forJob('get', id),
	getAll: () => ({ resource: 'job', operation: 'getAll' }),
	cancel: (id) => forJob('cancel', id),
	download: (id) => forJob('download', id),
	'download job': (id) => forJob('download', id, { output: 'job' }),
	'download file': (id) => forJob('download', id, { output: 'file' }),
	usage: () => ({ resource: 'usage', operation: 'getMonth' }),
	collect: () => ({ ...TERM_PARAMETERS, operation: 'collect', waitOptions: BRIEFLY }),
	'collect by callback': () => ({
		...{ ...TERM_PARAMETERS, operation: 'collect', waitMode: 'webhook' },
		waitOptions: BRIEFLY,
	}),
	wait: (id) => forJob('wait', id, { waitOptions: BRIEFLY }),
};

/** Faults that must leave a `***`; otherwise the test would see nothing of the replies. */
const hiddenWith = (name: string) => [
	'redirect with the key in its path',
	// A good file is passed on byte by byte.
	`${name === 'download file' ? 'refusal' : 'good reply'} that repeats everything`,
];

// Each fault at each operation; the ways to send the key take turns.
test.each(Object.entries(OPERATIONS).map(([name, parameters], index) => ({ name, parameters, index })))(
	'$name leaves no secret anywhere',
	async ({ name, parameters, index }) => {
		/** The faults under which something hidden was seen. */
		const hidden = new Set<string>();
		for (const [at, [named, fault]] of Object.entries(FAULTS).entries()) {
			sandbox.faults.clear();
			const jobId = await seedJob({ ...sandbox, apiKey: encodeURIComponent(KEY) } as Sandbox);
			if (fault) fail(sandbox, 'any', fault, 'always');
			for (const [nth, onError] of (['stopWorkflow', 'continueErrorOutput'] as const).entries()) {
				sandbox.clearRequests();
				const way = WAYS[(index + at + nth) % WAYS.length] ?? {};
				const text = await traces(parameters(jobId), way, { onError });
				expectNothing(text);
				expect([named, sandbox.requests.length > 0]).toEqual([named, true]);
				if (text.includes('***')) hidden.add(named);
			}
		}
		expectNothing(JSON.stringify(sandbox.otherOriginRequests));
		expect([...hidden]).toEqual(expect.arrayContaining(hiddenWith(name)));
	},
);

test('no network leaves no secret anywhere', async () => {
	for (const credential of WAYS) {
		for (const baseUrl of [
			'http://127.0.0.1:9',
			'https://127.0.0.1:9',
			'https://user:KEYOFTHEACCOUNT@host',
			'nonsense',
		]) {
			const usage = { resource: 'usage', operation: 'getToday' };
			expectNothing(await traces(usage, { ...credential, baseUrl }));
		}
	}
});

test('the callback URL is signed with the webhook secret, which is never sent', async () => {
	const parameters = OPERATIONS.create?.('') ?? {};
	expectNothing(await traces(parameters, WAYS[0] ?? {}));
	const [request] = sandbox.requests;
	expect(request?.body).toMatch(/pc_expires=\d+&pc_nonce=[^&]+&pc_signature=/);
	expect(JSON.stringify(sandbox.requests)).not.toContain('SECRETOFTHEWEBHOOKS');
});
