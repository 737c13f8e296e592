import type { WorkflowNode } from '../../../nodes/PriceCollection/migration/workflowJson';
import {
	convert,
	createNode,
	downloadNode,
	getNode,
	LEGACY,
	links,
	messages,
	node,
	setNode,
	statusNode,
} from './builder';

const pairs = (parameters: Record<string, unknown>) => ({
	parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
});

const creation = (parameters: Record<string, unknown>) =>
	createNode('Create', {
		parameters: {
			method: 'POST',
			url: `${LEGACY}/jobs`,
			sendBody: true,
			bodyParameters: pairs(parameters),
		} as WorkflowNode['parameters'],
	});

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
			id: 'Create',
			name: 'Create',
			position: [7, 8],
			notes: 'N',
			onError: 'continueRegularOutput',
			type: 'n8n-nodes-price-collection.priceCollection',
			typeVersion: 1,
			parameters: {
				resource: 'job',
				operation: 'create',
				topic: 'product_and_offers',
				source: { __rl: true, mode: 'name', value: 'test' },
				country: { __rl: true, mode: 'code', value: 'de' },
				lookupKey: 'id',
				values: 'x',
				grouping: 'perItem',
				options: {},
			},
		});
	});

	it.each([
		[
			{ ...LOOKUP, key: 'asin' },
			{ lookupKey: 'custom', customKey: 'asin', values: 'x' },
		],
		[
			{ ...LOOKUP, key: 'keyword', values: 'a\nb', value: undefined },
			{ lookupKey: 'term', values: 'a\nb' },
		],
		[
			{ source: 'test', keyword: 'chair' },
			{ lookupKey: 'term', values: 'chair' },
		],
		[
			{ source: 'test', gtin: '={{ $json.g }}' },
			{ lookupKey: 'gtin', values: '={{ $json.g }}' },
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
		const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
		expect(convertOne(creation(present)).parameters).toMatchObject(expected);
	});

	it('carries options over, those that the node does not offer as additional parameters', () => {
		const options = {
			max_age: '60',
			max_pages: '={{ $json.pages }}',
			sort_by: 'price_ascending',
			timeout: 5,
			webhook_url: 'https://n8n.example/webhook/x',
			min_price: '3',
		};
		expect(
			convertOne(creation({ ...LOOKUP, topic: 'bestsellers', ...options })).parameters?.options,
		).toEqual({
			maxAge: 60,
			maxPages: '={{ $json.pages }}',
			timeout: 5,
			webhookUrl: 'https://n8n.example/webhook/x',
			additionalParameters: {
				parameter: [
					{ name: 'sort_by', value: 'price_ascending' },
					{ name: 'min_price', value: '3' },
				],
			},
		});
	});

	it('lets a parameter in the body win over one in the address', () => {
		const one = creation(LOOKUP);
		one.parameters.url = `${LEGACY}/jobs?country=us&max_pages=2`;
		const { parameters } = convertOne(one);
		expect(parameters).toMatchObject({ country: { value: 'de' }, options: { maxPages: 2 } });
	});

	it.each([
		[{ country: 'de', key: 'id', value: 'x' }, 'it names no datasource'],
		[{ source: 'test', country: 'de' }, 'what it looks up is given in a way of its own'],
		[{ source: 'test', id: 'a', term: 'b' }, 'what it looks up is given in a way of its own'],
	])('stays a request for %j', (given, reason) => {
		const { node: kept, result } = convertOne(creation(given));
		expect(kept?.type).toBe('n8n-nodes-base.httpRequest');
		expect(kept?.parameters.url).toBe('https://api.example.test/v2/jobs');
		expect(messages(result.warnings)).toContain(`It stays an HTTP Request node, because ${reason}.`);
	});
});

describe('a request stays one', () => {
	const withOptions = (options: object, more: object = {}) => {
		const status = statusNode();
		status.parameters = { ...status.parameters, ...more, options } as WorkflowNode['parameters'];
		return status;
	};

	it.each([
		[
			'its text',
			withOptions({ response: { response: { responseFormat: 'text' } } }),
			'it takes the reply as text or file',
		],
		[
			'full responses',
			withOptions({ response: { response: { fullResponse: true } } }),
			'it gives the full response with its headers',
		],
		[
			'tolerance',
			withOptions({ response: { response: { neverError: true } } }),
			'it treats error replies as success',
		],
		['a proxy', withOptions({ proxy: 'http://p' }), 'it uses the option "proxy"'],
		[
			'own headers',
			withOptions({}, { sendHeaders: true, headerParameters: pairs({ 'X-Team': 'a', Accept: 'x' }) }),
			'it sends headers of its own',
		],
		['a certificate', withOptions({}, { provideSslCertificates: true }), 'it uses a client certificate'],
	])('that needs %s', (_what, one, reason) => {
		const { node: kept, result } = convertOne(one);
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
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'priceCollectionApi',
		});
		expect(messages(result.changes)).toContain('A key in "jsCode" was replaced by REMOVED_KEY.');
	});

	it('of other services stay', () => {
		const other = node('Other', 'httpRequest', {
			url: 'https://other.example/jobs?token=OTHERSERVICEKEYOFMINE',
		});
		const result = convert([other, statusNode()], {});
		expect(result.workflow.nodes[0]).toEqual(other);
	});

	it('in the user name of an address are gone', () => {
		const status = getNode('Status', '');
		status.parameters.url = 'https://me:secretword@api.legacy.example/jobs/a';
		const { parameters, result } = convertOne(status, 'updateRequests');
		expect(parameters?.url).toBe('https://api.example.test/v2/jobs/a');
		expect(JSON.stringify(result)).not.toContain('secretword');
	});

	it('leave the credential that a node has', () => {
		const credentials = { httpQueryAuth: { id: '1', name: 'Key' } };
		const one = getNode('Status', '/jobs/a?token=abc', { credentials });
		one.parameters = {
			...one.parameters,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpQueryAuth',
		};
		const { node: kept, result } = convertOne(one, 'updateRequests');
		expect(kept?.credentials).toEqual(credentials);
		expect(kept?.parameters.authentication).toBe('genericCredentialType');
		expect(result.warnings).toEqual([]);
	});
});

describe('hosts that cannot be read', () => {
	it('are told when the path is that of results', () => {
		const one = getNode('Download', '');
		one.parameters.url = '={{ $json.host }}/products/bulk/{{ $json.job_id }}';
		const { node: kept, result } = convertOne(one);
		expect(kept?.parameters).toEqual(one.parameters);
		expect(result).toMatchObject({ changed: false, warnings: [{ node: 'Download', parameter: 'url' }] });
	});

	it('are no matter elsewhere', () => {
		const one = getNode('Jobs', '');
		one.parameters.url = '={{ $json.host }}/jobs';
		expect(convertOne(one).result).toMatchObject({ changed: false, warnings: [] });
	});
});

it('keeps a Split Out node that others read beside a download of which they read more', () => {
	const nodes = [
		downloadNode(),
		node('Split', 'splitOut', { fieldToSplitOut: 'products' }),
		setNode('Set', "={{ $('Download').item.json.products.length }}"),
	];
	const result = convert(nodes, links('Download>Split', 'Split>Set'));
	expect(
		result.workflow.nodes.map(({ parameters }) => parameters.output ?? parameters.fieldToSplitOut),
	).toEqual(['job', 'results', undefined]);
});
