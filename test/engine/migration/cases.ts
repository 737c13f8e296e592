import type { IDataObject, INode } from 'n8n-workflow';

import type { Body, Case } from './build';
import { chain, direct, http, KEY, KETTLE, links, node, OLD_URL } from './build';
import { READERS, reading, replacing, rewired, rows, seconds, set, short, split, TERM } from './build';
import { THREE, whole, workflow } from './build';
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
	(steps, index) => {
		const name = `HTTP Request ${steps.version}, body as ${steps.style}`;
		const flow = index % 2 === 0 ? chain(steps) : short(steps);
		const differs = steps.style === 'multipart' ? { differs: 'Create' } : {};
		return workflow(name, flow, READERS[index % READERS.length]!(), differs);
	},
);

/** Every way to send the key. */
const keys: Case[] = [
	...(['url', 'header', 'bearer', 'basic', 'userinfo', 'body'] as const).map((key) => {
		const style = key === 'body' ? ('json' as const) : ('pairs' as const);
		return workflow(`The key as ${key}`, chain({ key, style }));
	}),
	...([1, 2, 4.2] as const).map((version) => {
		const generic = { authentication: 'genericCredentialType', genericAuthType: 'httpQueryAuth' };
		const more = version === 1 ? { authentication: 'queryAuth' } : generic;
		const credentials = { httpQueryAuth: { id: '1', name: 'Old key' } };
		const request = { more, key: 'none', node: { credentials } } as const;
		const flow = chain({ version, create: request, status: request, download: request });
		return workflow(`The key in a credential, HTTP Request ${version}`, flow, direct());
	}),
];

const loopAround = (version: number): Case => {
	const [loop, done] = version < 3 ? [0, 1] : [1, 0];
	const batches = node('Loop', 'splitInBatches', { batchSize: 1, options: {} }, { typeVersion: version });
	// Version 1 has no output for what is done, so everything happens inside the loop.
	const wires =
		version === 1
			? ['Download>Split', 'Split>Row', 'Row>Loop']
			: ['Download>Loop', `Loop:${done}>Split`, 'Split>Row'];
	const flow = rewired(chain(), { 'Start>Create': `Start>Loop Loop:${loop}>Create` }, [batches]);
	const readers = { ...split(), wires };
	return workflow(`Split In Batches ${version} around the chain`, flow, readers, { input: THREE });
};

const pause = (parameters: object, typeVersion = 1) => ({
	Wait: node('Wait', 'wait', parameters, { typeVersion }),
});

/** All the loops that people use to wait. */
const loops: Case[] = [
	...[1, 2, 3].map(loopAround),
	workflow(
		'A Wait that suspends, several times',
		replacing(chain(), pause({ amount: 5, unit: 'minutes' }, 1.1)),
	),
	workflow(
		'A job that takes two days',
		replacing(chain({ fields: { ...TERM, timeout: 4320 } }), pause({ amount: 6 })),
	),
];

/** A short flow whose creation has this body. */
function creates(
	name: string,
	input: IDataObject[],
	style: Body,
	body: object,
	more: object = {},
	rest = {},
): Case {
	return workflow(name, short({ create: { body, style, more } }), split(), { input, ...rest });
}
const asJson = (name: string, input: IDataObject, values: string, rest = {}) => {
	const jsonBody = `={ "source": "google-shopping", "country": "de", "key": "keyword", "values": ${values} }`;
	return creates(name, [input], 'json', {}, { jsonBody }, rest);
};
const asForm = (name: string, input: IDataObject, prefix: string, values: string) =>
	creates(
		name,
		[input],
		'formText',
		{},
		{
			body: `${prefix}source=google-shopping&country=de&key=keyword&values=${values}`,
		},
	);
const BY_CREATE = { differs: 'Create' };
const SHOP = { source: 'google-shopping', country: 'de' };

/** Every way to write what is looked up. */
const lookups: Case[] = [
	asJson('JSON with a stringified hole', { keyword: 'red "chair"' }, '{{ JSON.stringify($json.keyword) }}'),
	asJson(
		'JSON with code that writes its own line breaks',
		{ terms: ['kettle', 'mug'] },
		'"{{ $json.terms.join(\'\\\\n\') }}"',
		BY_CREATE,
	),
	asForm(
		'A form with an encoded hole',
		{ term: 'red shoes & more' },
		'=',
		'{{ encodeURIComponent($json.term) }}',
	),
	asForm('A form with + for spaces', {}, '', 'garden+chair%21'),
	creates('A query with + for spaces', [{}], 'query', { ...SHOP, key: 'keyword', values: 'garden+chair' }),
	asJson('JSON with null', { term: 'kettle' }, '"{{ $json.term }}", "min_price": null', BY_CREATE),
	asJson('JSON with a list', { one: 'kettle', two: 'mug' }, '["{{ $json.one }}", "{{ $json.two }}"]'),
	asJson(
		'JSON with numbers and arithmetic',
		{ term: 'kettle', pages: 2 },
		'"{{ $json.term }}", "max_age": {{ 60 * 24 }}, "max_pages": {{ $json.pages }}',
	),
	creates('An object whose values are joined', [{ terms: ['kettle', 'mug'] }], 'object', {
		...{ ...TERM, values: "={{ $json.terms.join('\\n') }}" },
	}),
	creates('Old options', KETTLE, 'form', {
		...TERM,
		currentness: 'daily_updated',
		completeness: 'one_page',
	}),
	creates(
		'A kind of lookup and a source from data',
		[{ shop: 'google-shopping', kind: 'keyword', term: 'kettle' }],
		'pairs',
		{ ...TERM, source: '={{ $json.shop }}', key: '={{ $json.kind }}' },
	),
	creates('keyword as a parameter', KETTLE, 'pairs', { ...SHOP, keyword: '={{ $json.term }}' }),
	creates('source_id as a parameter', [{}], 'form', { ...SHOP, source: 'test', source_id: 'B000123456' }),
	creates('GTINs', [{ gtin: '4006381333931' }, { gtin: '9780201379624' }], 'pairs', {
		...{ ...SHOP, key: 'gtin', values: '={{ $json.gtin }}' },
	}),
	creates('A text with code in it', KETTLE, 'form', { ...TERM, values: '=new {{ $json.term }}' }),
	creates('Code in a template string', KETTLE, 'object', { ...TERM, values: '={{ `new ${$json.term}` }}' }),
];

const settings = (fields: Record<string, unknown>) => {
	const assignments = rows(fields).map((row) => ({ id: row.name, type: 'string', ...row }));
	const parameters = { assignments: { assignments }, includeOtherFields: true, options: {} };
	return node('Config', 'set', parameters, { typeVersion: 3.4 });
};

/** A workflow whose addresses begin with fields of a Set node. */
function configured(name: string, fields: Record<string, unknown>, create: string, download: string): Case {
	const parameters = [{ name: 'token', value: "={{ $('Config').item.json.apiKey }}" }];
	const token = { key: 'none', more: { sendQuery: true, queryParameters: { parameters } } } as const;
	const nodes = [
		node('Start', 'manualTrigger'),
		settings({ apiKey: KEY, ...fields }),
		http('Create', { method: 'POST', base: create, path: '', body: TERM, ...token }),
		seconds('Wait', 30),
		http('Download', { base: download, path: '', ...token }),
	];
	return workflow(name, {
		nodes,
		wires: ['Start>Config', 'Config>Create', 'Create>Wait', 'Wait>Download'],
	});
}

const BULK = "{{ $('Config').item.json.baseUrl }}/products/bulk/{{ $json.job_id }}";
const besideConfig = (name: string): Case => {
	const base = configured(name, { baseUrl: OLD_URL }, '{{ $json.baseUrl }}/jobs', BULK);
	const lookup = { source: 'a', country: 'b', key: 'keyword', values: 'c', token: '={{ $json.apiKey }}' };
	const request = { method: 'POST', base: '{{ $json.baseUrl }}', path: '/jobs', key: 'none' } as const;
	return {
		...base,
		nodes: [
			...base.nodes,
			set('Other config', { baseUrl: 'https://other.example', apiKey: 'KEYOFANOTHERSERVICE' }),
			http('Other', { ...request, body: lookup, node: { disabled: true } }),
		],
		connections: { ...base.connections, ...links('Row>Other config', 'Other config>Other') },
		untouched: ['Other config', 'Other'],
	};
};
const identity: Case[] = [
	configured('A base address in a field', { baseUrl: OLD_URL }, '{{ $json.baseUrl }}/jobs', BULK),
	configured(
		'An address put together in code',
		{ baseUrl: OLD_URL },
		"{{ $json.baseUrl + '/jobs' }}",
		"{{ `${$('Config').first().json.baseUrl}/products/bulk/${$json.job_id}` }}",
	),
	besideConfig('Another service with fields of the same names'),
];

const NOTHING = { download: { path: '/products/bulk/nothing' } };
const BY_DOWNLOAD = { differs: 'Download' };
const onError = (flow: ReturnType<typeof short>, how: INode['onError']) =>
	replacing(flow, { Download: { onError: how } });
const failed = (compared: string) => ({
	...{ nodes: [...split().nodes, set('Failed', { failed: 'yes' })], compared: [compared] },
	wires: [...split().wires, 'Download:1>Failed'],
});
const replyAs = (response: object) => short({ download: { more: { options: { response: { response } } } } });
const product = { source: 'a-b', country: 'de', key: 'keyword', value: 'x', success: true, reason: null };
const pinned = {
	job_id: 'pinned',
	status: 'finished',
	products: [{ ...product, name: 'Pinned', offers: [] }],
};

const endings: Case[] = [
	workflow('Found, not found and failed', chain(), split(), { input: THREE }),
	workflow('Found, not found and failed, whole', chain(), whole(), { input: THREE }),
	workflow(
		'An error output behind a download that fails',
		onError(short(NOTHING), 'continueErrorOutput'),
		failed('Failed'),
		BY_DOWNLOAD,
	),
	workflow(
		'A download that continues after an error',
		onError(short(NOTHING), 'continueRegularOutput'),
		reading(
			[
				set('Row', {
					failed: '={{ $json.error !== undefined }}',
					none: '={{ $json.products === undefined }}',
				}),
			],
			'Download>Row',
		),
		BY_DOWNLOAD,
	),
	workflow(
		'The full response',
		replyAs({ fullResponse: true }),
		reading(
			[
				set('Row', {
					code: '={{ $json.statusCode }}',
					name: '={{ $json.body.products[0].name }}',
					key: '={{ $json.body.products[0].key }}',
				}),
			],
			'Download>Row',
		),
	),
	workflow('Pinned results', short(), split(), {
		pinData: { Create: [{ json: { job_id: 'pinned' } }], Download: [{ json: pinned }] },
	}),
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
