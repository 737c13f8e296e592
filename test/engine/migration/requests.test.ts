import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/json/workflowJson';
import { rows } from './build';
import {
	convert,
	createNode,
	downloadNode,
	getNode,
	LEGACY,
	links,
	messages,
	node,
	nodeOf,
	setNode,
	statusNode,
} from './convert';

const pairs = (parameters: object) => ({ parameters: rows(parameters) });

/** The node with more parameters. */
const having = (one: WorkflowNode, parameters: object): WorkflowNode => ({
	...one,
	parameters: { ...one.parameters, ...parameters } as WorkflowNode['parameters'],
});
const creation = (parameters: Record<string, unknown>) =>
	having(createNode(), { bodyParameters: pairs(parameters) });
const withHeaders = (one: WorkflowNode, headers: object) =>
	having(one, { sendHeaders: true, headerParameters: pairs(headers) });

const convertOne = (one: WorkflowNode, conversion?: 'replaceNodes' | 'updateRequests') => {
	const result = convert([one], {}, conversion);
	return { node: result.workflow.nodes[0], parameters: result.workflow.nodes[0]?.parameters, result };
};

const LOOKUP = { source: 'test', country: 'de', key: 'id', value: 'x' };

describe('a creation as a node', () => {
	it('keeps id, name, position, notes and error handling, and drops the credential', () => {
		const more = {
			notes: 'N',
			onError: 'continueRegularOutput',
			credentials: { httpQueryAuth: { id: '1' } },
		};
		const { node: replaced } = convertOne({ ...creation(LOOKUP), ...more, position: [7, 8] });
		expect(replaced).toEqual({
			...{
				id: 'Create',
				name: 'Create',
				position: [7, 8],
				notes: 'N',
				onError: 'continueRegularOutput',
			},
			...{ type: 'n8n-nodes-price-collection.priceCollection', typeVersion: 1 },
			parameters: {
				...{ resource: 'job', operation: 'create', topic: 'product_and_offers' },
				source: { __rl: true, mode: 'name', value: 'test' },
				country: { __rl: true, mode: 'code', value: 'de' },
				...{ lookupKey: 'id', values: 'x', options: { grouping: 'perItem' } },
			},
		});
	});

	it.each([
		[
			{ ...LOOKUP, key: 'asin' },
			{ lookupKey: 'custom', customKey: 'asin', values: 'x' },
		],
		[
			{ ...LOOKUP, topic: 'search', key: 'id' },
			{ topic: 'search', lookupKey: 'custom', customKey: 'id' },
		],
		[
			{ ...LOOKUP, topic: 'offers' },
			{ topic: 'custom', customTopic: 'offers' },
		],
	])('looks up as %j did', (given, expected) => {
		expect(convertOne(creation(given)).parameters).toMatchObject(expected);
	});

	it('carries options over, those that the node does not offer as additional parameters', () => {
		const webhookUrl = 'https://n8n.example/webhook/x';
		const others = { sort_by: 'price_ascending', min_price: '3' };
		const options = {
			max_age: '60',
			max_pages: '={{ $json.pages }}',
			timeout: 5,
			webhook_url: webhookUrl,
		};
		const one = creation({ ...LOOKUP, topic: 'bestsellers', ...options, ...others });
		expect(convertOne(one).parameters?.options).toEqual({
			...{ maxAge: 60, maxPages: '={{ $json.pages }}', grouping: 'perItem', timeout: 5, webhookUrl },
			additionalParameters: { parameter: rows(others) },
		});
	});

	it('lets a parameter in the body win over one in the address', () => {
		const one = creation(LOOKUP);
		one.parameters.url = `${LEGACY}/jobs?country=us&max_pages=2`;
		const { parameters } = convertOne(one);
		expect(parameters).toMatchObject({ country: { value: 'de' }, options: { maxPages: 2 } });
	});

	it.each([
		[{ country: 'de', key: 'id', value: 'x' }, 'it has no datasource'],
		[{ source: 'test', country: 'de' }, 'its lookup values are in an unknown form'],
		[{ source: 'test', id: 'a', term: 'b' }, 'its lookup values are in an unknown form'],
		[{ ...LOOKUP, max_pages: null }, '"max_pages" is null or an object'],
	])('stays a request for %j', (given, reason) => {
		const { node: kept, result } = convertOne(creation(given));
		expect(kept?.type).toBe('n8n-nodes-base.httpRequest');
		expect(kept?.parameters.url).toBe('https://api.example.test/v2/jobs');
		expect(messages(result.warnings)).toContain(`It stays an HTTP Request node, because ${reason}.`);
	});
});

describe('a request stays one', () => {
	const reply = (response: object) => ({ options: { response: { response } } });
	const query = { sendQuery: true, queryParameters: pairs({ details: 'yes' }) };
	const headers = { sendHeaders: true, headerParameters: pairs({ 'X-Team': 'a', Accept: 'x' }) };

	it.each<[object, string]>([
		[reply({ responseFormat: 'text' }), 'it reads the reply as text or as a file'],
		[reply({ fullResponse: true }), 'it outputs the full response with its headers'],
		[reply({ neverError: true }), 'it treats error replies as success'],
		[{ options: { proxy: 'http://p' } }, 'it uses the option "proxy"'],
		[headers, 'it sends additional headers'],
		[{ provideSslCertificates: true }, 'it uses a client certificate'],
		[query, 'it sends additional parameters'],
	])('that has %j', (parameters, reason) => {
		const { node: kept, result } = convertOne(having(statusNode(), parameters));
		expect(kept?.type).toBe('n8n-nodes-base.httpRequest');
		expect(kept?.parameters.url).toBe('=https://api.example.test/v2/jobs/{{ $json.job_id }}');
		expect(messages(result.warnings)).toEqual([`It stays an HTTP Request node, because ${reason}.`]);
	});
});

describe('keys', () => {
	const SECRET = 'QWERTZUIOPASDFGHJKLY';

	it('from a field, a header and a text are gone from the whole workflow', () => {
		const status = getNode('Status', `/jobs/a?token=${SECRET}`);
		const result = convert(
			[
				status,
				setNode('Note', `My key is ${SECRET}`),
				node('Code', 'code', { jsCode: `const url = 'https://x.example?token=${SECRET}';` }),
			],
			{},
			'updateRequests',
			{ pinData: { Status: [{ json: { url: `?token=${SECRET}` } }] } },
		);
		expect(JSON.stringify(result)).not.toContain(SECRET);
		expect(result.workflow.nodes[0]?.parameters).toEqual({
			url: 'https://api.example.test/v2/jobs/a',
			...{ authentication: 'predefinedCredentialType', nodeCredentialType: 'priceCollectionApi' },
			options: {},
		});
		expect(messages(result.changes)).toContain('A key in "jsCode" was replaced by REMOVED_KEY.');
	});

	it('leave the credential that sends one in the same way, and say so', () => {
		const credentials = { httpQueryAuth: { id: '1', name: 'Key' } };
		const generic = { authentication: 'genericCredentialType', genericAuthType: 'httpQueryAuth' };
		const one = having(getNode('Status', '/jobs/a?token=abc', { credentials }), generic);
		const { node: kept, result } = convertOne(one, 'updateRequests');
		expect(kept?.credentials).toEqual(credentials);
		expect(kept?.parameters.authentication).toBe('genericCredentialType');
		expect(messages(result.warnings)).toEqual([
			'The key was removed from the node, because the credential "Key" sends one in the same way.',
		]);
	});

	it('stay beside a credential of another kind, because a node has one credential', () => {
		const credentials = { httpBasicAuth: { id: '1', name: 'Gateway' } };
		const generic = { authentication: 'genericCredentialType', genericAuthType: 'httpBasicAuth' };
		const one = having(getNode('Status', '/jobs/a?token=abc', { credentials }), generic);
		const { node: kept, result } = convertOne(one);
		expect(kept).toMatchObject({ type: 'n8n-nodes-base.httpRequest', credentials });
		expect(kept?.parameters.url).toBe('https://api.example.test/v2/jobs/a?token=abc');
		expect(messages(result.warnings)).toContain(
			'The node has a key, and also the credential "Gateway". Both were kept.',
		);
	});

	it.each(['api_token', 'X-Auth-Token', 'apikey', 'access_token', 'auth-key'])(
		'called %s are gone',
		(name) => {
			const { result } = convertOne(creation({ ...LOOKUP, [name]: SECRET }), 'updateRequests');
			expect(JSON.stringify(result)).not.toContain(SECRET);
		},
	);

	it.each([
		"={{ { ...$json, token: 'abcdefghijklmnopqrst' } }}",
		'={{ Object.assign({}, $json, { "api_key": "abcdefghijklmnopqrst" }) }}',
	])('in the unreadable body %s are gone', (jsonBody) => {
		const one = having(createNode(), { specifyBody: 'json', jsonBody });
		expect(JSON.stringify(convertOne(one).result)).not.toContain('abcdefghijklmnopqrst');
	});

	it('in lower case are gone from code that names the service', () => {
		const jsCode = `await get('${LEGACY}/x', { headers: { 'X-API-Key': 'abcdefghijklmnopqrst' } })`;
		expect(JSON.stringify(convertOne(node('Code', 'code', { jsCode })).result)).not.toContain(
			'abcdefghijklmnopqrst',
		);
	});

	it.each([
		[`?api_key=${SECRET}`, {}, 'Authentication "Query Parameter", Parameter Name "api_key"'],
		['', { 'X-Auth-Token': SECRET }, 'Authentication "Header", Header Name "X-Auth-Token"'],
		['', { Authorization: `Bearer ${SECRET}` }, 'Authentication "Bearer Token"'],
		['', { Authorization: `Basic ${SECRET}` }, 'Authentication "Basic", User Name and Password'],
	])('that travelled in %j or %j are told as fields of the credential', (query, headers, fields) => {
		const one = withHeaders(getNode('Status', `/jobs/a${query}`), headers);
		const { result } = convertOne(one);
		const [credential] = result.warnings.filter(({ message }) => message.startsWith('A credential'));
		expect(credential?.suggestion).toContain(`Base URL "https://api.example.test", ${fields}`);
		expect(credential?.suggestion).toContain('Select it in "Status".');
		expect(result.report).toContain(credential?.suggestion);
	});
});

describe('fields of the same name', () => {
	const config = (name: string, fields: Record<string, string>) => {
		const assignments = Object.entries(fields).map(([field, value]) => ({ name: field, value }));
		const parameters = { assignments: { assignments }, includeOtherFields: true };
		return node(name, 'set', parameters, { typeVersion: 3.4 });
	};
	const reading = (name: string) => {
		const queryParameters = pairs({ token: '={{ $json.apiKey }}' });
		return having(getNode(name, ''), {
			url: '={{ $json.baseUrl }}/jobs/a',
			sendQuery: true,
			queryParameters,
		});
	};
	const nodes = [
		config('Ours', { baseUrl: LEGACY, apiKey: 'KEYOFTHESERVICE' }),
		reading('Status'),
		config('Theirs', { baseUrl: 'https://other.example', apiKey: 'KEYOFANOTHER' }),
		reading('Other'),
	];

	it('keep a key that another node reads too, and say so', () => {
		const more = [...nodes.slice(0, 2), setNode('Log', '={{ $json.apiKey }}')];
		const result = convert(more, links('Ours>Status', 'Ours>Log'), 'updateRequests');
		expect(messages(result.warnings)).toContain(
			'The field "apiKey" still holds the key, because "Log" may read it too.',
		);
	});

	it('are doubtful where two of them lead to one node', () => {
		const result = convert(nodes, links('Ours>Status', 'Theirs>Status'), 'updateRequests');
		expect(result.workflow.nodes[1]).toEqual(nodes[1]);
		expect(messages(result.warnings)).toContain(
			'This may be a request to the service: its path belongs to version 1, but its host cannot be read.',
		);
	});
});

describe('hosts that cannot be read', () => {
	it('are those of the service where a version 1 creation goes to them', () => {
		const host = '=https://{{ $vars.HOST }}';
		const create = having(creation(LOOKUP), { url: `${host}/jobs` });
		const download = having(downloadNode(), { url: `${host}/products/bulk/{{ $json.job_id }}` });
		const result = convert([create, download], {}, 'updateRequests');
		expect(result.workflow.nodes.map(({ parameters }) => parameters.url)).toEqual([
			'=https://{{ $vars.HOST }}/v2/jobs',
			'=https://{{ $vars.HOST }}/v2/jobs/{{ $json.job_id }}/download',
		]);
		expect(result.warnings.filter(({ suggestion }) => suggestion?.startsWith('Set it to'))).toHaveLength(
			2,
		);
	});
});

it.each([
	['in its path', '/products/bulk/abc.xml', {}],
	['in a parameter', '/products/bulk/abc?format=xml', {}],
	['in a header', '/products/bulk/abc', { Accept: 'text/xml, application/json;q=0.5' }],
	['by its media type', '/products/bulk/abc', { Accept: 'application/xml' }],
])('gets no adapter and a warning where XML is asked for %s', (_where, path, headers) => {
	const one = withHeaders(getNode('Download', path), headers);
	const result = convert([one, setNode('Set', '={{ $json.data }}')], links('Download>Set'));
	expect(result.workflow.nodes.map(({ name, type }) => [name, type])).toEqual([
		['Download', 'n8n-nodes-base.httpRequest'],
		['Set', 'n8n-nodes-base.set'],
	]);
	expect(messages(result.warnings)).toContain(
		'The results are read as XML, which has a new layout in version 2.',
	);
});

it('tells that nobody documents what a callback holds', () => {
	const { result } = convertOne(creation({ ...LOOKUP, webhook_url: '={{ $execution.resumeUrl }}' }));
	expect(messages(result.warnings)).toContain(
		'Neither version documents what the service sends to this address.',
	);
});

describe('what the new node would give differently', () => {
	const stays = 'It stays an HTTP Request node, because';

	it('keeps a list a request', () => {
		const { node: kept, result } = convertOne(getNode('Jobs', '/jobs'));
		expect(kept?.parameters.url).toBe('https://api.example.test/v2/jobs');
		expect(messages(result.warnings)).toEqual([
			`${stays} it outputs the list as one item, but the new node outputs one item per job.`,
		]);
	});

	it('keeps a cancel a request where it is read, and not elsewhere', () => {
		const cancel = having(getNode('Cancel', '/jobs/a/cancel'), { method: 'POST' });
		const read = convert([cancel, setNode('Set', 'x')], links('Cancel>Set'));
		expect(read.workflow.nodes[0]?.type).toBe('n8n-nodes-base.httpRequest');
		expect(messages(read.warnings)).toContain(
			`${stays} other nodes read its output, and the new node adds the job ID to it.`,
		);
		expect(convertOne(cancel).node?.type).toBe('n8n-nodes-price-collection.priceCollection');
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'])(
		'tells that errors read otherwise with %s',
		(onError) => {
			const { result } = convertOne({ ...creation(LOOKUP), onError });
			expect(messages(result.warnings)).toContain(
				'The node continues after an error, and the text in "error" has changed.',
			);
		},
	);
});

const MODES = ['replaceNodes', 'updateRequests'] as const;
const KEY = 'correct-horse-battery';
const listing = (headers: object, more = {}) => having(withHeaders(getNode('List', '/jobs'), headers), more);

describe.each(MODES)('a key in a header of a name of its own, %s', (mode) => {
	it('becomes the credential where nothing else signs the request in', () => {
		const result = convert([listing({ 'X-Shop-Secret': KEY, Accept: 'application/json' })], {}, mode);
		expect(JSON.stringify(result)).not.toContain(KEY);
		expect(result.report).toContain('Authentication "Header", Header Name "X-Shop-Secret"');
		expect(nodeOf(result, 'List').parameters).toMatchObject({ nodeCredentialType: 'priceCollectionApi' });
	});

	it.each([
		[{ token: KEY, 'X-Trace': 'abcdefghij' }, {}, ['X-Trace']],
		[{ 'X-Shop-Secret': KEY, 'X-Trace': 'abcdefghij' }, {}, ['X-Shop-Secret', 'X-Trace']],
		[
			{ 'X-Trace': 'abcdefghij' },
			{ authentication: 'predefinedCredentialType', nodeCredentialType: 'priceCollectionApi' },
			['X-Trace'],
		],
	])('stays with a warning that names it where %j can be told apart by nobody', (headers, more, named) => {
		const result = convert([listing(headers, more)], {}, mode);
		expect(messages(result.warnings).filter((text) => text.includes('may hold a key'))).toEqual(
			named.map((name) => `The header "${name}" was kept, although it may hold a key.`),
		);
		expect(JSON.stringify(nodeOf(result, 'List').parameters)).toContain('abcdefghij');
	});
});

it('tells XLSX from XML by its media type', () => {
	const accept = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
	const { result } = convertOne(withHeaders(getNode('Download', '/products/bulk/abc'), { Accept: accept }));
	expect(messages(result.warnings)).toContain(
		'The results are read as XLSX, which has a new layout in version 2.',
	);
});
