import type { IDataObject, INode } from 'n8n-workflow';

import type { Body, Case, Steps } from './build';
import {
	chain,
	condition,
	direct,
	http,
	ifNode,
	jsCode,
	KETTLE,
	KEY,
	links,
	node,
	OLD_URL,
	oldIf,
	READERS,
	rows,
	seconds,
	set,
	short,
	split,
	TERM,
	THREE,
	whole,
	workflow,
} from './build';
import { READER_CASES } from './readers';

const STYLES: Array<[number, Body[]]> = [
	[1, ['pairs', 'form', 'multipart', 'json', 'object']],
	[2, ['pairs', 'form', 'multipart', 'json', 'object']],
	[3, ['pairs', 'form', 'multipart', 'json', 'formText', 'rawJson']],
	[4, ['pairs', 'object', 'rawForm']],
	[4.1, ['stringify', 'formText', 'query']],
	[4.2, ['pairs', 'json', 'stringify']],
	[4.3, ['pairs', 'form', 'object']],
];

/** Every version of HTTP Request with every way to write a body. */
const bodies: Case[] = STYLES.flatMap(([version, styles]) => styles.map((style) => ({ version, style }))).map(
	({ version, style }, index) => {
		const { readers, wires, compared } = READERS[index % READERS.length]!();
		const steps = index % 2 === 0 ? chain({ version, style }) : short({ version, style });
		const differs = style === 'multipart' ? { differs: 'Create' } : {};
		return workflow(
			`HTTP Request ${version}, body as ${style}`,
			steps,
			readers,
			wires,
			compared,
			differs,
		);
	},
);

/** Every way for a key to travel. */
const keys: Case[] = [
	...(['url', 'header', 'bearer', 'basic', 'userinfo', 'body'] as const).map((key) => {
		const { readers, wires, compared } = split();
		const style = key === 'body' ? ('json' as const) : ('pairs' as const);
		const onlyStandIns = key !== 'url' && key !== 'body';
		return workflow(`The key as ${key}`, chain({ key, style }), readers, wires, compared, {
			onlyStandIns,
		});
	}),
	...([1, 2, 4.2] as const).map((version) => {
		const authentication =
			version === 1
				? { authentication: 'queryAuth' }
				: { authentication: 'genericCredentialType', genericAuthType: 'httpQueryAuth' };
		const request = {
			more: authentication,
			key: 'none',
			node: { credentials: { httpQueryAuth: { id: '1', name: 'Old key' } } },
		} as const;
		const steps = chain({ version, create: request, status: request, download: request });
		return workflow(
			`The key in a credential, HTTP Request ${version}`,
			steps,
			direct().readers,
			direct().wires,
			['Row'],
		);
	}),
];

const loopSteps = (version: number): Case => {
	const { nodes, wires } = chain();
	const [loop, done] = version < 3 ? [0, 1] : [1, 0];
	const rewired = wires.map((wire) => (wire === 'Start>Create' ? `Loop:${loop}>Create` : wire));
	return {
		name: `Split In Batches ${version} around the chain`,
		nodes: [
			...nodes,
			node('Loop', 'splitInBatches', { batchSize: 1, options: {} }, { typeVersion: version }),
			...split().readers,
		],
		// Version 1 has no output for what is done: there everything happens inside the loop.
		connections:
			version === 1
				? links('Start>Loop', ...rewired, 'Download>Split', 'Split>Row', 'Row>Loop')
				: links('Start>Loop', ...rewired, 'Download>Loop', `Loop:${done}>Split`, 'Split>Row'),
		compared: ['Row'],
		input: THREE,
	};
};

const switchNode = node(
	'Done?',
	'switch',
	{
		rules: {
			values: [
				{ conditions: condition('={{ $json.status }}', 'equals', 'finished'), outputKey: 'done' },
				{ conditions: condition('={{ $json.status }}', 'equals', 'cancelled'), outputKey: 'gone' },
			],
		},
		options: { fallbackOutput: 'extra' },
	},
	{ typeVersion: 3.2 },
);

/** All the loops that people wait with. */
const loops: Case[] = [
	...[1, 2, 3].map(loopSteps),
	...[
		oldIf('Done?', { string: [{ value1: '={{ $json.status }}', value2: 'finished' }] }),
		oldIf('Done?', { boolean: [{ value1: "={{ $json['status'] == 'finished' }}", value2: true }] }),
		ifNode('Done?', "={{ $('Status').item.json.status }}"),
		ifNode('Done?', '={{ $json.status === "finished" }}', 'true', '', 'boolean'),
	].map((test, index) =>
		workflow(`IF on the status, form ${index + 1}`, chain({ test }), split().readers, split().wires, [
			'Row',
		]),
	),
	(() => {
		const { nodes, wires } = chain({ test: ifNode('Done?', '={{ $json.status }}', 'notEquals') });
		const turned = wires.map((wire) =>
			wire.replace('Done?:0', 'x').replace('Done?:1', 'Done?:0').replace('x', 'Done?:1'),
		);
		return workflow(
			'IF that asks for what is not finished',
			{ nodes, wires: turned },
			direct().readers,
			direct().wires,
			['Row'],
		);
	})(),
	(() => {
		const { nodes, wires } = chain({ test: switchNode });
		const routed = wires.map((wire) => wire.replace('Done?:1', 'Done?:2'));
		return workflow('Switch on the status', { nodes, wires: routed }, split().readers, split().wires, [
			'Row',
		]);
	})(),
	(() => {
		const { nodes, wires } = chain();
		const own = [...nodes, seconds('Again', 5)];
		const back = wires.map((wire) => (wire === 'Done?:1>Wait' ? 'Done?:1>Again' : wire));
		return workflow(
			'A Wait of its own on the way back',
			{ nodes: own, wires: [...back, 'Again>Status'] },
			split().readers,
			split().wires,
			['Row'],
		);
	})(),
	(() => {
		const { nodes, wires } = chain();
		const slow = nodes.map((one) =>
			one.name === 'Wait'
				? node('Wait', 'wait', { amount: 5, unit: 'minutes' }, { typeVersion: 1.1 })
				: one,
		);
		return workflow(
			'A Wait that suspends, several times',
			{ nodes: slow, wires },
			split().readers,
			split().wires,
			['Row'],
			{
				duration: 1500,
			},
		);
	})(),
	(() => {
		const { nodes, wires } = chain({ fields: { ...TERM, timeout: 4320 } });
		const slow = nodes.map((one) => (one.name === 'Wait' ? node('Wait', 'wait', { amount: 6 }) : one));
		return workflow(
			'A job that takes two days',
			{ nodes: slow, wires },
			split().readers,
			split().wires,
			['Row'],
			{
				duration: 172_800,
			},
		);
	})(),
	(() => {
		const { nodes, wires } = chain();
		const counted = node(
			'Count',
			'set',
			{
				assignments: {
					assignments: [
						{ id: 't', name: 'tries', value: '={{ ($json.tries ?? 0) + 1 }}', type: 'number' },
					],
				},
				includeOtherFields: true,
				options: {},
			},
			{ typeVersion: 3.4 },
		);
		const rewired = wires.map((wire) => (wire === 'Wait>Status' ? 'Wait>Count' : wire));
		return workflow(
			'A counted loop',
			{ nodes: [...nodes, counted], wires: [...rewired, 'Count>Status'] },
			split().readers,
			split().wires,
			['Row'],
		);
	})(),
];

const creates = (
	name: string,
	body: object,
	style: Body,
	input: IDataObject[],
	rest: Partial<Case> = {},
	more: object = {},
): Case =>
	workflow(name, short({ create: { body, style, more } }), split().readers, split().wires, ['Row'], {
		input,
		...rest,
	});

/** What is looked up, in every way to write it. */
const lookups: Case[] = [
	creates(
		'JSON with a stringified hole',
		{},
		'json',
		[{ keyword: 'red "chair"' }],
		{},
		{
			jsonBody:
				'={ "source": "google-shopping", "country": "de", "key": "keyword", "values": {{ JSON.stringify($json.keyword) }} }',
		},
	),
	creates(
		'JSON with code that writes its own line breaks',
		{},
		'json',
		[{ terms: ['kettle', 'mug'] }],
		{ differs: 'Create' },
		{
			jsonBody:
				'={ "source": "google-shopping", "country": "de", "key": "keyword", "values": "{{ $json.terms.join(\'\\\\n\') }}" }',
		},
	),
	creates(
		'A form with an encoded hole',
		{},
		'formText',
		[{ term: 'red shoes & more' }],
		{},
		{
			body: '=source=google-shopping&country=de&key=keyword&values={{ encodeURIComponent($json.term) }}',
		},
	),
	creates(
		'A form with + for spaces',
		{},
		'formText',
		[{}],
		{},
		{ body: 'source=google-shopping&country=de&key=keyword&values=garden+chair%21' },
	),
	creates(
		'A query with + for spaces',
		{ source: 'google-shopping', country: 'de', key: 'keyword', values: 'garden+chair' },
		'query',
		[{}],
	),
	creates(
		'JSON with null',
		{},
		'json',
		[{ term: 'kettle' }],
		{ differs: 'Create' },
		{
			jsonBody:
				'={ "source": "google-shopping", "country": "de", "key": "keyword", "values": "{{ $json.term }}", "min_price": null }',
		},
	),
	creates(
		'JSON with a list',
		{},
		'json',
		[{ one: 'kettle', two: 'mug' }],
		{},
		{
			jsonBody:
				'={ "source": "google-shopping", "country": "de", "key": "keyword", "values": ["{{ $json.one }}", "{{ $json.two }}"] }',
		},
	),
	creates(
		'JSON with numbers and arithmetic',
		{},
		'json',
		[{ term: 'kettle', pages: 2 }],
		{},
		{
			jsonBody:
				'={ "source": "google-shopping", "country": "de", "key": "keyword", "values": "{{ $json.term }}", "max_age": {{ 60 * 24 }}, "max_pages": {{ $json.pages }} }',
		},
	),
	creates(
		'An object whose values are joined',
		{ ...TERM, values: "={{ $json.terms.join('\\n') }}" },
		'object',
		[{ terms: ['kettle', 'mug'] }],
	),
	creates(
		'An object that is spread',
		{},
		'object',
		[{ term: 'kettle' }],
		{ differs: 'Create' },
		{
			jsonBody:
				"={{ { ...$json, source: 'google-shopping', country: 'de', key: 'keyword', values: $json.term, topic: 'product_and_offers' } }}",
		},
	),
	creates(
		'Old options',
		{ ...TERM, currentness: 'daily_updated', completeness: 'one_page' },
		'form',
		KETTLE,
	),
	creates(
		'A kind of lookup and a source from data',
		{ source: '={{ $json.shop }}', country: 'de', key: '={{ $json.kind }}', values: '={{ $json.term }}' },
		'pairs',
		[{ shop: 'google-shopping', kind: 'keyword', term: 'kettle' }],
	),
	creates(
		'keyword as a parameter',
		{ source: 'google-shopping', country: 'de', keyword: '={{ $json.term }}' },
		'pairs',
		KETTLE,
	),
	creates('source_id as a parameter', { source: 'test', country: 'de', source_id: 'B000123456' }, 'form', [
		{},
	]),
	creates(
		'GTINs',
		{ source: 'google-shopping', country: 'de', key: 'gtin', values: '={{ $json.gtin }}' },
		'pairs',
		[{ gtin: '4006381333931' }, { gtin: '9780201379624' }],
	),
	creates('A text with code in it', { ...TERM, values: '=new {{ $json.term }}' }, 'form', KETTLE),
	creates('Code in a template string', { ...TERM, values: '={{ `new ${$json.term}` }}' }, 'object', KETTLE),
];

const settings = (fields: Record<string, unknown>) =>
	node(
		'Config',
		'set',
		{
			assignments: {
				assignments: rows(fields).map((row) => ({ id: row.name, type: 'string', ...row })),
			},
			includeOtherFields: true,
			options: {},
		},
		{ typeVersion: 3.4 },
	);

/** A workflow whose addresses begin with fields of a Set node. */
function configured(
	name: string,
	fields: Record<string, unknown>,
	urls: [create: string, download: string],
	more: INode[] = [],
	wires: string[] = [],
	rest: Partial<Case> = {},
): Case {
	const [create, download] = urls;
	const token = {
		key: 'none',
		more: {
			sendQuery: true,
			queryParameters: {
				parameters: [{ name: 'token', value: "={{ $('Config').item.json.apiKey }}" }],
			},
		},
	} as const;
	return {
		name,
		nodes: [
			node('Start', 'manualTrigger'),
			settings({ apiKey: KEY, ...fields }),
			http('Create', { method: 'POST', base: create, path: '', body: TERM, ...token }),
			seconds('Wait', 30),
			http('Download', { base: download, path: '', ...token }),
			...split().readers,
			...more,
		],
		connections: links(
			'Start>Config',
			'Config>Create',
			'Create>Wait',
			'Wait>Download',
			...split().wires,
			...wires,
		),
		compared: ['Row'],
		input: KETTLE,
		...rest,
	};
}

const BULK = "{{ $('Config').item.json.baseUrl }}/products/bulk/{{ $json.job_id }}";

const identity: Case[] = [
	configured('A base address in a field', { baseUrl: OLD_URL }, ['{{ $json.baseUrl }}/jobs', BULK]),
	configured('A base address that ends in a slash', { baseUrl: `${OLD_URL}/` }, [
		'{{ $json.baseUrl }}jobs',
		"{{ $('Config').item.json.baseUrl }}products/bulk/{{ $json.job_id }}",
	]),
	configured('An address of jobs in a field', { jobsUrl: `${OLD_URL}/jobs`, baseUrl: OLD_URL }, [
		'{{ $json.jobsUrl }}',
		BULK,
	]),
	configured('An address put together in code', { baseUrl: OLD_URL }, [
		"{{ $json.baseUrl + '/jobs' }}",
		"{{ `${$('Config').first().json.baseUrl}/products/bulk/${$json.job_id}` }}",
	]),
	configured(
		'Another service with fields of the same names',
		{ baseUrl: OLD_URL },
		['{{ $json.baseUrl }}/jobs', BULK],
		[
			set('Other config', { baseUrl: 'https://other.example', apiKey: 'KEYOFANOTHERSERVICE' }),
			http('Other', {
				method: 'POST',
				base: '{{ $json.baseUrl }}',
				path: '/jobs',
				key: 'none',
				body: {
					source: 'a',
					country: 'b',
					key: 'keyword',
					values: 'c',
					token: '={{ $json.apiKey }}',
				},
				node: { disabled: true },
			}),
		],
		['Row>Other config', 'Other config>Other'],
		{ untouched: ['Other config', 'Other'] },
	),
	workflow(
		'Other services beside the chain',
		chain(),
		[
			...split().readers,
			http('Shop', {
				base: 'https://shop.example',
				path: '/jobs/{{ $json.name }}',
				key: 'none',
				node: { disabled: true },
				more: {
					sendQuery: true,
					queryParameters: { parameters: [{ name: 'token', value: 'shopsecretshop' }] },
				},
			}),
		],
		[...split().wires, 'Row>Shop'],
		['Row'],
		{ untouched: ['Shop', 'Split', 'Row'] },
	),
];

const errorOutput = (steps: Steps) => {
	const { nodes, wires } = short(steps);
	const failing = nodes.map((one) =>
		one.name === 'Download' ? { ...one, onError: 'continueErrorOutput' as const } : one,
	);
	return { nodes: failing, wires };
};

const endings: Case[] = [
	workflow('Found, not found and failed', chain(), split().readers, split().wires, ['Row'], {
		input: THREE,
	}),
	workflow('Found, not found and failed, whole', chain(), whole().readers, whole().wires, ['Rows'], {
		input: THREE,
	}),
	workflow(
		'An error output behind a download that is fine',
		errorOutput({}),
		[...split().readers, set('Failed', { failed: 'yes' })],
		[...split().wires, 'Download:1>Failed'],
		['Row'],
		{ differs: 'Download' },
	),
	workflow(
		'An error output behind a download that fails',
		errorOutput({ download: { path: '/products/bulk/nothing' } }),
		[...split().readers, set('Failed', { failed: 'yes' })],
		[...split().wires, 'Download:1>Failed'],
		['Failed'],
		{ differs: 'Download' },
	),
	workflow(
		'A download that goes on after an error',
		(() => {
			const { nodes, wires } = short({ download: { path: '/products/bulk/nothing' } });
			return {
				nodes: nodes.map((one) =>
					one.name === 'Download' ? { ...one, onError: 'continueRegularOutput' as const } : one,
				),
				wires,
			};
		})(),
		[
			set('Row', {
				failed: '={{ $json.error !== undefined }}',
				none: '={{ $json.products === undefined }}',
			}),
		],
		['Download>Row'],
		['Row'],
		{ differs: 'Download' },
	),
	workflow(
		'The full response',
		short({ download: { more: { options: { response: { response: { fullResponse: true } } } } } }),
		[
			set('Row', {
				code: '={{ $json.statusCode }}',
				name: '={{ $json.body.products[0].name }}',
				key: '={{ $json.body.products[0].key }}',
			}),
		],
		['Download>Row'],
		['Row'],
	),
	workflow(
		'Results as text',
		short({ download: { more: { options: { response: { response: { responseFormat: 'text' } } } } } }),
		[jsCode('Rows', 'return JSON.parse($json.data).products.map((json) => ({ json }));')],
		['Download>Rows'],
		['Rows'],
		{ differs: 'Download' },
	),
	workflow('Pinned results', short(), split().readers, split().wires, ['Row'], {
		pinData: {
			Create: [{ json: { job_id: 'pinned' } }],
			Download: [
				{
					json: {
						job_id: 'pinned',
						status: 'finished',
						products: [
							{
								source: 'a-b',
								country: 'de',
								key: 'keyword',
								value: 'x',
								success: true,
								reason: null,
								name: 'Pinned',
								offers: [],
							},
						],
					},
				},
			],
		},
	}),
	workflow(
		'Requests in a Code node',
		{ nodes: [node('Start', 'manualTrigger')], wires: [] },
		[jsCode('Fetch', `const url = '${OLD_URL}/jobs?token=${KEY}';\nreturn [{ json: { url } }];`)],
		['Start>Fetch'],
		['Fetch'],
		{ differs: 'Fetch' },
	),
	workflow(
		'Notes, retries and empty output',
		(() => {
			const { nodes, wires } = chain();
			const more: Record<string, Partial<INode>> = {
				Create: { retryOnFail: true, notes: 'Costs money' },
				Wait: { notes: 'Be patient' },
				Download: { alwaysOutputData: true, retryOnFail: true },
			};
			return { nodes: nodes.map((one) => ({ ...one, ...more[one.name] })), wires };
		})(),
		split().readers,
		split().wires,
		['Row'],
	),
];

/** All workflows that are compared before and after their conversion. */
export const CASES: Case[] = [
	...bodies,
	...keys,
	...loops,
	...READER_CASES,
	...lookups,
	...identity,
	...endings,
];
