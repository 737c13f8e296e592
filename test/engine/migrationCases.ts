import type { IConnections, IDataObject, INode, IPinData } from 'n8n-workflow';

/** The addresses and the key that stand in the workflows; whoever runs them puts true ones in their place. */
export const OLD_URL = 'https://api.legacy.example';
export const KEY = 'ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF';

/** A workflow of version 1 and what has to be the same after its conversion. */
export interface Case {
	name: string;
	nodes: INode[];
	connections: IConnections;
	pinData?: IPinData;
	/** Nodes whose items are compared; those of the last step. */
	compared: string[];
	/** What the start gives; one empty item when absent. */
	input?: IDataObject[];
	/** Seconds that a job takes, where the default of 20 is not what is tested. */
	duration?: number;
	/** A node that the report must warn about, because what it gives or asks for cannot be the same. */
	differs?: string;
	/** Nodes that must come out byte for byte as they went in. */
	untouched?: string[];
	/** Whether it needs what only the stand-ins have: a database, a sheet, a caller, a service that takes the key so. */
	onlyStandIns?: boolean;
}

let count = 0;
export const node = (
	name: string,
	type: string,
	parameters: object = {},
	more: Partial<INode> = {},
): INode => ({
	id: `node-${++count}`,
	name,
	type: `n8n-nodes-base.${type}`,
	typeVersion: 1,
	position: [count * 10, 0],
	parameters: parameters as INode['parameters'],
	...more,
});

/** `A>B`, or `A:1>B` for another output, `A>B:1` for another input. */
export function links(...texts: string[]): IConnections {
	const connections: IConnections = {};
	for (const text of texts) {
		const [from = '', to = ''] = text.split('>');
		const [source = '', output = '0'] = from.split(':');
		const [target = '', input = '0'] = to.split(':');
		const main = ((connections[source] ??= { main: [] }).main ??= []);
		while (main.length <= Number(output)) main.push([]);
		main[Number(output)]?.push({ node: target, type: 'main', index: Number(input) });
	}
	return connections;
}

const rows = (values: object) =>
	Object.entries(values).map(([name, value]) => ({ name, value: value as string }));

/** How a request says what it sends, in the words of every version of HTTP Request. */
type Body =
	| 'pairs'
	| 'form'
	| 'multipart'
	| 'json'
	| 'object'
	| 'stringify'
	| 'formText'
	| 'rawForm'
	| 'rawJson'
	| 'query';
type KeyPlace = 'query' | 'url' | 'header' | 'bearer' | 'basic' | 'userinfo' | 'body' | 'apiKey';

const holed = (value: unknown): string => {
	const text = String(value);
	return text.startsWith('=') ? `"${text.slice(1)}"` : JSON.stringify(value);
};

const jsonText = (fields: object): string =>
	`={ ${Object.entries(fields)
		.map(([name, value]) => `"${name}": ${holed(value)}`)
		.join(', ')} }`;

const script = (value: unknown): string => {
	const text = String(value);
	return /^=\{\{(.*)\}\}$/.exec(text)?.[1]?.trim() ?? JSON.stringify(value);
};

const objectCode = (fields: object): string =>
	`{ ${Object.entries(fields)
		.map(([name, value]) => `${name}: ${script(value)}`)
		.join(', ')} }`;

const formText = (fields: object): string =>
	`=${Object.entries(fields)
		.map(([name, value]) => `${name}=${String(value).replace(/^=/, '')}`)
		.join('&')}`;

function modernBody(fields: object, style: Body): object {
	const send = { sendBody: true };
	const bodyParameters = { parameters: rows(fields) };
	switch (style) {
		case 'form':
			return { ...send, contentType: 'form-urlencoded', bodyParameters };
		case 'multipart':
			return { ...send, contentType: 'multipart-form-data', bodyParameters };
		case 'json':
			return { ...send, specifyBody: 'json', jsonBody: jsonText(fields) };
		case 'object':
			return { ...send, specifyBody: 'json', jsonBody: `={{ ${objectCode(fields)} }}` };
		case 'stringify':
			return { ...send, specifyBody: 'json', jsonBody: `={{ JSON.stringify(${objectCode(fields)}) }}` };
		case 'formText':
			return { ...send, contentType: 'form-urlencoded', specifyBody: 'string', body: formText(fields) };
		case 'rawForm':
			return {
				...send,
				contentType: 'raw',
				rawContentType: 'application/x-www-form-urlencoded',
				body: formText(fields),
			};
		case 'rawJson':
			return {
				...send,
				contentType: 'raw',
				rawContentType: 'application/json',
				body: jsonText(fields),
			};
		case 'query':
			return {};
		default:
			return { ...send, bodyParameters };
	}
}

function classicBody(fields: object, style: Body): object {
	if (style === 'json') return { jsonParameters: true, bodyParametersJson: jsonText(fields) };
	if (style === 'object')
		return { jsonParameters: true, bodyParametersJson: `={{ ${objectCode(fields)} }}` };
	const types = { form: 'form-urlencoded', multipart: 'multipart-form-data' } as Record<string, string>;
	const options = types[style] ? { options: { bodyContentType: types[style] } } : {};
	return { bodyParametersUi: { parameter: rows(fields) }, ...options };
}

export interface Request {
	version?: number;
	method?: string;
	path: string;
	base?: string;
	body?: object;
	style?: Body;
	key?: KeyPlace | 'none';
	more?: object;
	node?: Partial<INode>;
}

/** An HTTP Request node of any version that sends the key in any way. */
export function http(name: string, request: Request): INode {
	const {
		version = 4.2,
		method = 'GET',
		path,
		base = OLD_URL,
		body,
		style = 'pairs',
		key = 'query',
		more = {},
	} = request;
	const fields = key === 'body' ? { token: KEY, ...body } : (body ?? {});
	const host = key === 'userinfo' ? base.replace('://', `://${KEY}:x@`) : base;
	const inUrl = [
		...(key === 'url' ? [`token=${KEY}`] : []),
		...(style === 'query' && body ? [formText(body).slice(1)] : []),
	].join('&');
	const url = `${path.includes('{{') || inUrl.includes('{{') || host.includes('{{') ? '=' : ''}${host}${path}${inUrl ? `?${inUrl}` : ''}`;
	const query = key === 'query' ? { token: KEY } : key === 'apiKey' ? { api_key: KEY } : {};
	const headers = {
		...(key === 'header' ? { 'X-API-Key': KEY } : {}),
		...(key === 'bearer' ? { Authorization: `Bearer ${KEY}` } : {}),
		...(key === 'basic' ? { Authorization: `Basic ${Buffer.from(`${KEY}:x`).toString('base64')}` } : {}),
	};
	const isClassic = version < 3;
	const isJson = isClassic && (style === 'json' || style === 'object') && body;
	const [hasQuery, hasHeaders] = [Object.keys(query).length > 0, Object.keys(headers).length > 0];
	const parameters = isClassic
		? {
				...(method === 'GET' ? {} : { requestMethod: method }),
				...(hasQuery && !isJson ? { queryParametersUi: { parameter: rows(query) } } : {}),
				...(hasQuery && isJson ? { queryParametersJson: JSON.stringify(query) } : {}),
				...(hasHeaders && !isJson ? { headerParametersUi: { parameter: rows(headers) } } : {}),
				...(hasHeaders && isJson ? { headerParametersJson: JSON.stringify(headers) } : {}),
				options: {},
				...(body ? classicBody(fields, style) : {}),
			}
		: {
				...(method === 'GET' ? {} : { method }),
				...(hasQuery ? { sendQuery: true, queryParameters: { parameters: rows(query) } } : {}),
				...(hasHeaders ? { sendHeaders: true, headerParameters: { parameters: rows(headers) } } : {}),
				...(body ? modernBody(fields, style) : {}),
				options: {},
			};
	return node(
		name,
		'httpRequest',
		{ url, ...parameters, ...more },
		{ typeVersion: version, ...request.node },
	);
}

/** A Set node of any version that writes these fields and nothing else. */
export function set(name: string, fields: Record<string, unknown>, version = 3.4): INode {
	if (version < 3) {
		return node(
			name,
			'set',
			{ keepOnlySet: true, values: { string: rows(fields) }, options: {} },
			{ typeVersion: version },
		);
	}
	const assignments = rows(fields).map((row) => ({
		id: row.name,
		type: String(row.value).startsWith('=') ? 'object' : 'string',
		...row,
	}));
	const typed = assignments.map((row) => ({ ...row, type: 'string' }));
	return node(
		name,
		'set',
		{ assignments: { assignments: typed }, options: { ignoreConversionErrors: true } },
		{ typeVersion: version },
	);
}

export const jsCode = (name: string, text: string, more: object = {}): INode =>
	node(name, 'code', { jsCode: text, ...more }, { typeVersion: 2 });

const condition = (leftValue: string, operation: string, rightValue: unknown, type = 'string') => ({
	options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
	conditions: [{ id: 'c', leftValue, rightValue, operator: { type, operation } }],
	combinator: 'and',
});

export const ifNode = (
	name: string,
	leftValue: string,
	operation = 'equals',
	rightValue: unknown = 'finished',
	type?: string,
): INode =>
	node(
		name,
		'if',
		{ conditions: condition(leftValue, operation, rightValue, type), options: {} },
		{ typeVersion: 2.2 },
	);

const oldIf = (name: string, conditions: object): INode => node(name, 'if', { conditions });

const seconds = (name: string, amount: number): INode =>
	node(name, 'wait', { amount, unit: 'seconds' }, { typeVersion: 1.1 });

/** What a creation asks for, unless told otherwise. */
const TERM = { source: 'google-shopping', country: 'de', key: 'keyword', values: '={{ $json.term }}' };

interface Steps {
	version?: number;
	style?: Body;
	key?: KeyPlace;
	fields?: object;
	create?: Partial<Request>;
	status?: Partial<Request>;
	download?: Partial<Request>;
	test?: INode;
}

const requests = ({ version, style, key, fields = TERM, create, status, download }: Steps) => ({
	create: http('Create', { version, method: 'POST', path: '/jobs', body: fields, style, key, ...create }),
	status: http('Status', {
		version,
		path: '/jobs/{{ $json.job_id }}',
		key: key === 'body' ? 'query' : key,
		...status,
	}),
	download: http('Download', {
		version,
		path: '/products/bulk/{{ $json.job_id }}',
		key: key === 'body' ? 'query' : key,
		...download,
	}),
});

/** Start, create, wait, status, IF, download: back to the Wait node while the job runs. */
function chain(steps: Steps = {}): { nodes: INode[]; wires: string[] } {
	const { create, status, download } = requests(steps);
	const test = steps.test ?? ifNode('Done?', '={{ $json.status }}');
	return {
		nodes: [node('Start', 'manualTrigger'), create, seconds('Wait', 15), status, test, download],
		wires: [
			'Start>Create',
			'Create>Wait',
			'Wait>Status',
			'Status>Done?',
			'Done?:0>Download',
			'Done?:1>Wait',
		],
	};
}

/** Start, create, one fixed wait, download. */
function short(steps: Steps = {}): { nodes: INode[]; wires: string[] } {
	const { create, download } = requests(steps);
	return {
		nodes: [node('Start', 'manualTrigger'), create, seconds('Wait', 30), download],
		wires: ['Start>Create', 'Create>Wait', 'Wait>Download'],
	};
}

const KETTLE = [{ term: 'kettle', sku: 'A1' }];
const THREE = [
	{ term: 'kettle', sku: 'A1' },
	{ term: 'notfound-x', sku: 'A2' },
	{ term: 'fail-timeout', sku: 'A3' },
];

function workflow(
	name: string,
	{ nodes, wires }: { nodes: INode[]; wires: string[] },
	readers: INode[],
	more: string[],
	compared: string[],
	rest: Partial<Case> = {},
): Case {
	return {
		name,
		nodes: [...nodes, ...readers],
		connections: links(...wires, ...more),
		compared,
		input: KETTLE,
		...rest,
	};
}

const splitOut = (name = 'Split', field = 'products', more: object = {}): INode =>
	node(name, 'splitOut', { fieldToSplitOut: field, options: {}, ...more });

const ROW = {
	source: '={{ $json.source }}',
	key: '={{ $json.key }}',
	value: '={{ $json.value }}',
	ok: '={{ $json.success }}',
	reason: '={{ $json.reason }}',
	name: '={{ $json.name }}',
	offers: '={{ $json.offers?.length ?? 0 }}',
};

const split = () => ({
	readers: [splitOut(), set('Row', ROW)],
	wires: ['Download>Split', 'Split>Row'],
	compared: ['Row'],
});
const direct = () => ({
	readers: [
		set('Row', {
			name: '={{ $json.products[0].name }}',
			all: '={{ $json.products.map((p) => p.value).join() }}',
		}),
	],
	wires: ['Download>Row'],
	compared: ['Row'],
});
const whole = () => ({
	readers: [
		jsCode(
			'Rows',
			'return $input.all().flatMap(({ json }) => json.products.map((p) => ({ json: { ...p, job: json.job_id } })));',
		),
	],
	wires: ['Download>Rows'],
	compared: ['Rows'],
});
const READERS = [split, direct, whole];

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

/** A chain with these nodes behind its download, whose last is compared. */
const read = (name: string, readers: INode[], wires: string[], rest: Partial<Case> = {}): Case =>
	workflow(name, chain(), readers, wires, [rest.compared?.[0] ?? readers.at(-1)!.name], rest);

/** The same behind a download that stands alone, whose job comes from the item. */
const others = node(
	'Others',
	'set',
	{
		assignments: {
			assignments: [
				{ id: 's', name: 'sku', value: '={{ $json.sku }}', type: 'string' },
				{ id: 'v', name: 'value', value: '={{ $json.term }}', type: 'string' },
			],
		},
		options: {},
	},
	{ typeVersion: 3.4 },
);

const readers: Case[] = [
	read(
		'Split Out on a list in the first product',
		[
			splitOut('Split', 'products[0].offers'),
			set('Row', { price: '={{ $json.price }}', shop: '={{ $json.shop_name }}' }),
		],
		['Download>Split', 'Split>Row'],
	),
	read(
		'Split Out twice',
		[
			splitOut(),
			splitOut('Offers', 'offers'),
			set('Row', { price: '={{ $json.price }}', name: "={{ $('Split').item.json.name }}" }),
		],
		['Download>Split', 'Split>Offers', 'Offers>Row'],
	),
	read(
		'Split Out with all other fields',
		[
			splitOut('Split', 'products', { include: 'allOtherFields' }),
			set('Row', { job: '={{ $json.status }}', name: '={{ $json.products.name }}' }),
		],
		['Download>Split', 'Split>Row'],
	),
	read(
		'Item Lists',
		[node('Split', 'itemLists', { fieldToSplitOut: 'products', options: {} })],
		['Download>Split'],
	),
	read(
		'Code that destructures and spreads',
		[
			jsCode(
				'Rows',
				'const [{ json }] = $input.all();\nconst { products: [first, ...rest], ...root } = json;\nreturn [{ json: { ...root, ...first, more: rest.length, fields: Object.keys(first) } }];',
			),
		],
		['Download>Rows'],
	),
	read(
		'Code with regular expressions in front of its reads',
		[
			jsCode(
				'Rows',
				"const clean = (t) => String(t).replace(/\"/g, '').replace(/^https?:\\/\\//, '');\nreturn items.map((item) => ({ json: { url: clean(item.json.products[0].url), name: clean(item.json.products[0].name) } }));",
			),
		],
		['Download>Rows'],
	),
	read(
		'Code for each item',
		[
			jsCode(
				'Rows',
				'const row = $json.products[0];\nreturn { json: { name: row.name, reason: row.reason === null } };',
				{ mode: 'runOnceForEachItem' },
			),
		],
		['Download>Rows'],
	),
	read(
		'Code that keeps the item in a variable',
		[
			jsCode(
				'Rows',
				'const out = [];\nfor (const item of $input.all()) { const body = item.json; const list = body.products; for (let i = 0; i < list.length; i++) out.push({ json: list[i] }); }\nreturn out;',
			),
		],
		['Download>Rows'],
	),
	read(
		'A Function node',
		[
			node('Rows', 'function', {
				functionCode: 'return items[0].json.products.map((product) => ({ json: product }));',
			}),
		],
		['Download>Rows'],
	),
	read(
		'A Function Item node',
		[node('Rows', 'functionItem', { functionCode: 'item.count = item.products.length;\nreturn item;' })],
		['Download>Rows'],
	),
	read(
		'$items, $item and $node',
		[
			set('Row', {
				a: '={{ $items("Download")[0].json.products[0].name }}',
				b: '={{ $node["Download"].json["products"][0].value }}',
				c: '={{ $node.Download.json.products.length }}',
			}),
		],
		['Download>Row'],
	),
	read(
		'All items of a node, its name as a template string',
		[jsCode('Rows', 'return $(`Download`).all().map(({ json }) => ({ json: json.products[0] }));')],
		['Download>Rows'],
	),
	read(
		'First and last',
		[
			set('Row', {
				a: "={{ $('Download').first().json.products[0].key }}",
				b: "={{ $('Download').last().json.products.at(-1).source }}",
				c: "={{ $('Download').item.json.products[0]?.['name'] }}",
			}),
		],
		['Download>Row'],
	),
	read(
		'The job ID by the name of a removed node',
		[
			set('Row', {
				job: "={{ $('Status').item.json.job_id }}",
				same: '={{ $node["Create"].json.job_id === $json.job_id }}',
			}),
		],
		['Download>Row'],
	),
	read(
		'The status by the name of the status node',
		[
			set('Row', {
				status: "={{ $('Status').item.json.status }}",
				name: '={{ $json.products[0].name }}',
			}),
		],
		['Download>Row'],
	),
	read(
		'Merge by position',
		[
			others,
			splitOut(),
			node(
				'Merge',
				'merge',
				{ mode: 'combine', combineBy: 'combineByPosition', options: {} },
				{ typeVersion: 3 },
			),
		],
		['Start>Others', 'Others>Merge', 'Download>Split', 'Split>Merge:1'],
	),
	read(
		'Merge by field',
		[
			others,
			splitOut(),
			node(
				'Merge',
				'merge',
				{ mode: 'combine', fieldsToMatchString: 'value', options: {} },
				{ typeVersion: 3 },
			),
			set('Row', { sku: '={{ $json.sku }}', name: '={{ $json.name }}' }),
		],
		['Start>Others', 'Others>Merge', 'Download>Split', 'Split>Merge:1', 'Merge>Row'],
	),
	read(
		'Merge by appending',
		[
			others,
			node('Merge', 'merge', {}, { typeVersion: 3 }),
			set('Row', { sku: '={{ $json.sku }}', name: '={{ $json.products?.[0].name }}' }),
		],
		['Start>Others', 'Others>Merge', 'Download>Merge:1', 'Merge>Row'],
	),
	read(
		'SQL that its node resolves',
		[
			node('SQL', 'postgres', {
				operation: 'executeQuery',
				query: "INSERT INTO prices VALUES ('{{ $json.products[0].value }}', '{{ $json.products[0].source }}', {{ $json.products.length }})",
			}),
		],
		['Download>SQL'],
		{ onlyStandIns: true },
	),
	read(
		'SQL in an expression',
		[
			splitOut(),
			node('SQL', 'postgres', {
				operation: 'executeQuery',
				query: "=UPDATE p SET name = '{{ $json.name }}' WHERE k = '{{ $json.key }}'",
			}),
		],
		['Download>Split', 'Split>SQL'],
		{ onlyStandIns: true },
	),
	read(
		'A sheet with automatic columns',
		[
			splitOut(),
			node(
				'Sheet',
				'googleSheets',
				{ operation: 'append', columns: { mappingMode: 'autoMapInputData' } },
				{ typeVersion: 4.5 },
			),
		],
		['Download>Split', 'Split>Sheet'],
		{ onlyStandIns: true },
	),
	read(
		'A sheet with columns of its own',
		[
			splitOut(),
			node(
				'Sheet',
				'googleSheets',
				{
					operation: 'append',
					columns: {
						mappingMode: 'defineBelow',
						value: { Price: '={{ $json.offers?.[0]?.price }}', Key: '={{ $json.key }}' },
					},
				},
				{ typeVersion: 4.5 },
			),
		],
		['Download>Split', 'Split>Sheet'],
		{ onlyStandIns: true },
	),
	read(
		'Conditions on reason and key',
		[
			splitOut(),
			node(
				'Keep',
				'filter',
				{
					conditions: condition(
						'={{ $json.reason === null && $json.key === "keyword" }}',
						'true',
						'',
						'boolean',
					),
					options: {},
				},
				{ typeVersion: 2.2 },
			),
		],
		['Download>Split', 'Split>Keep'],
		{ input: THREE },
	),
	read(
		'Sort and aggregate by fields named as text',
		[
			splitOut(),
			node('Sort', 'sort', {
				sortFieldsUi: { sortField: [{ fieldName: 'value', order: 'ascending' }] },
				options: {},
			}),
			node('All', 'aggregate', {
				fieldsToAggregate: {
					fieldToAggregate: [{ fieldToAggregate: 'name' }, { fieldToAggregate: 'reason' }],
				},
				options: {},
			}),
		],
		['Download>Split', 'Split>Sort', 'Sort>All'],
	),
	read(
		'The whole reply as one item',
		[node('All', 'aggregate', { aggregate: 'aggregateAllItemData', options: {} })],
		['Download>All'],
	),
	read(
		'Several branches',
		[
			splitOut(),
			set('Mail', {
				text: "={{ $json.products.map((p) => p.name + ': ' + p.offers?.[0]?.price).join('\\n') }}",
			}),
			set('Row', ROW),
		],
		['Download>Split', 'Download>Mail', 'Split>Row'],
	),
	{
		name: 'A sub-workflow that collects',
		nodes: [
			...chain().nodes.map((one) =>
				one.name === 'Start' ? node('Start', 'executeWorkflowTrigger') : one,
			),
			splitOut(),
		],
		connections: links(...chain().wires, 'Download>Split'),
		compared: ['Split'],
		input: KETTLE,
		onlyStandIns: true,
	},
	{
		name: 'A workflow that gets job IDs from elsewhere',
		nodes: [
			node('Start', 'manualTrigger'),
			http('Create', { method: 'POST', path: '/jobs', body: TERM }),
			seconds('Wait', 30),
			set('Queue', { id: '={{ $json.job_id }}' }),
			http('Download', { path: '/products/bulk/{{ $json.id }}.json' }),
			splitOut(),
		],
		connections: links('Start>Create', 'Create>Wait', 'Wait>Queue', 'Queue>Download', 'Download>Split'),
		compared: ['Split'],
		input: KETTLE,
	},
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
export const CASES: Case[] = [...bodies, ...keys, ...loops, ...readers, ...lookups, ...identity, ...endings];
