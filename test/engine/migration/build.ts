import type { IConnections, IDataObject, INode, INodeParameters, IPinData } from 'n8n-workflow';

import { node as anyNode } from '../support/workflow';

/** Placeholders for the address and the key in the workflows. To run a workflow, replace them with real ones. */
export const OLD_URL = 'https://api.legacy.example';
export const KEY = 'ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF';

/** A version 1 workflow, and what must stay the same after its conversion. */
export interface Case {
	name: string;
	nodes: INode[];
	connections: IConnections;
	pinData?: IPinData;
	/** Nodes of the last step, whose items are compared. */
	compared: string[];
	/** What the start node outputs. Default: one empty item. */
	input?: IDataObject[];
	/** A node that the report must warn about, because its output or its request cannot stay the same. */
	differs?: string;
	/** Nodes that must not change by a single byte. */
	untouched?: string[];
}

let count = 0;
/** One of n8n's own nodes, placed to the right of the previous one. */
export const node = (name: string, type: string, parameters: object = {}, more: Partial<INode> = {}): INode =>
	anyNode(name, `n8n-nodes-base.${type}`, parameters as INodeParameters, {
		...{ id: name, position: [++count * 10, 0] },
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

export const rows = (values: object) =>
	Object.entries(values).map(([name, value]) => ({ name, value: value as string }));

/** How a request writes its body, in any version of HTTP Request. */
export type Body =
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

const joined = (fields: object, one: (name: string, value: unknown) => string, mark = ', ') =>
	Object.entries(fields)
		.map(([name, value]) => one(name, value))
		.join(mark);

const jsonText = (fields: object): string =>
	`={ ${joined(fields, (name, value) => `"${name}": ${holed(value)}`)} }`;

const script = (value: unknown): string =>
	/^=\{\{(.*)\}\}$/.exec(String(value))?.[1]?.trim() ?? JSON.stringify(value);

const objectCode = (fields: object): string =>
	`{ ${joined(fields, (name, value) => `${name}: ${script(value)}`)} }`;

const formText = (fields: object): string =>
	`=${joined(fields, (name, value) => `${name}=${String(value).replace(/^=/, '')}`, '&')}`;

function modernBody(fields: object, style: Body): object {
	const raw = (rawContentType: string, body: string) => ({ contentType: 'raw', rawContentType, body });
	const typed = (contentType: string, body: object) => ({ contentType, ...body });
	const pairs = { bodyParameters: { parameters: rows(fields) } };
	const json = (jsonBody: string) => ({ specifyBody: 'json', jsonBody });
	const bodies: Record<Body, object> = {
		pairs,
		form: typed('form-urlencoded', pairs),
		multipart: typed('multipart-form-data', pairs),
		json: json(jsonText(fields)),
		object: json(`={{ ${objectCode(fields)} }}`),
		stringify: json(`={{ JSON.stringify(${objectCode(fields)}) }}`),
		formText: typed('form-urlencoded', { specifyBody: 'string', body: formText(fields) }),
		rawForm: raw('application/x-www-form-urlencoded', formText(fields)),
		rawJson: raw('application/json', jsonText(fields)),
		query: {},
	};
	return style === 'query' ? {} : { sendBody: true, ...bodies[style] };
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
	const assignments = rows(fields).map((row) => ({ id: row.name, type: 'string', ...row }));
	const parameters = { assignments: { assignments }, options: { ignoreConversionErrors: true } };
	return node(name, 'set', parameters, { typeVersion: version });
}

export const jsCode = (name: string, text: string, more: object = {}): INode =>
	node(name, 'code', { jsCode: text, ...more }, { typeVersion: 2 });

const isDone = {
	options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
	conditions: [
		{
			...{ id: 'c', leftValue: '={{ $json.status }}', rightValue: 'finished' },
			operator: { type: 'string', operation: 'equals' },
		},
	],
	combinator: 'and',
};

export const oldIf = (name: string, conditions: object): INode => node(name, 'if', { conditions });

export const seconds = (name: string, amount: number): INode =>
	node(name, 'wait', { amount, unit: 'seconds' }, { typeVersion: 1.1 });

/** What a creation asks for by default. */
export const TERM = { source: 'google-shopping', country: 'de', key: 'keyword', values: '={{ $json.term }}' };

export interface Steps {
	version?: number;
	style?: Body;
	key?: KeyPlace;
	fields?: object;
	create?: Partial<Request>;
	status?: Partial<Request>;
	download?: Partial<Request>;
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

/** Start, create, wait, status, IF, download. IF leads back to the Wait node while the job runs. */
export function chain(steps: Steps = {}): Flow {
	const { create, status, download } = requests(steps);
	const test = node('Done?', 'if', { conditions: isDone, options: {} }, { typeVersion: 2.2 });
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
export function short(steps: Steps = {}): Flow {
	const { create, download } = requests(steps);
	return {
		nodes: [node('Start', 'manualTrigger'), create, seconds('Wait', 30), download],
		wires: ['Start>Create', 'Create>Wait', 'Wait>Download'],
	};
}

export const KETTLE = [{ term: 'kettle', sku: 'A1' }];
export const THREE = [
	{ term: 'kettle', sku: 'A1' },
	{ term: 'notfound-x', sku: 'A2' },
	{ term: 'fail-timeout', sku: 'A3' },
];

/** Nodes and the wires between them. */
export interface Flow {
	nodes: INode[];
	wires: string[];
}

/** Nodes that read the results, and which of them are compared. */
export interface Readers extends Flow {
	compared: string[];
}

/** Nodes behind those that fetch the results. The last one is compared. */
export const reading = (nodes: INode[], ...wires: string[]): Readers => ({
	...{ nodes, wires, compared: [nodes.at(-1)?.name ?? ''] },
});

/** A workflow that fetches results and reads them. */
export function workflow(name: string, flow: Flow, readers = split(), rest: Partial<Case> = {}): Case {
	return {
		name,
		nodes: [...flow.nodes, ...readers.nodes],
		connections: links(...flow.wires, ...readers.wires),
		compared: readers.compared,
		input: KETTLE,
		...rest,
	};
}

/** The flow with some of its nodes replaced or changed. */
export const replacing = ({ nodes, wires }: Flow, others: Record<string, INode | Partial<INode>>): Flow => ({
	nodes: nodes.map((one) => ({ ...one, ...others[one.name] })),
	wires,
});

/** The flow with more nodes, and with some of its wires replaced. */
export const rewired = (
	{ nodes, wires }: Flow,
	others: Record<string, string>,
	more: INode[] = [],
): Flow => ({
	nodes: [...nodes, ...more],
	wires: wires.flatMap((wire) => (others[wire] ?? wire).split(' ')),
});

export const splitOut = (name = 'Split', field = 'products', more: object = {}): INode =>
	node(name, 'splitOut', { fieldToSplitOut: field, options: {}, ...more });

export const ROW = {
	source: '={{ $json.source }}',
	key: '={{ $json.key }}',
	value: '={{ $json.value }}',
	ok: '={{ $json.success }}',
	reason: '={{ $json.reason }}',
	name: '={{ $json.name }}',
	offers: '={{ $json.offers?.length ?? 0 }}',
};

export const split = () => reading([splitOut(), set('Row', ROW)], 'Download>Split', 'Split>Row');
export const direct = () => {
	const all = '={{ $json.products.map((p) => p.value).join() }}';
	return reading([set('Row', { name: '={{ $json.products[0].name }}', all })], 'Download>Row');
};
export const whole = () => {
	const code =
		'return $input.all().flatMap(({ json }) => json.products.map((p) => ({ json: { ...p, job: json.job_id } })));';
	return reading([jsCode('Rows', code)], 'Download>Rows');
};
export const READERS = [split, direct, whole];
