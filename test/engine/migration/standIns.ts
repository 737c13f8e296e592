import { runInNewContext } from 'node:vm';
import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
} from 'n8n-workflow';

import { nodeType } from '../harness';
import { time } from '../virtualClock';

/**
 * Small stand-ins for the nodes of n8n's own that version 1 workflows are made of: the engine, its expressions and its
 * HTTP are the real ones, these only do what the nodes of that name do. `test/e2e/migration.test.ts` runs the same
 * workflows with the real nodes.
 */
type Execute = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;

function standIn(parameters: string, execute: Execute, inputs = 1, outputs = 1): INodeType {
	const main = (count: number) => Array.from({ length: count }, () => 'main' as const);
	return nodeType('standIn', execute, {
		...{ inputs: main(inputs), outputs: main(outputs), ...(inputs > 1 && { requiredInputs: 1 }) },
		// Declared without a kind of its own, so that the engine keeps and resolves whatever is given.
		properties: parameters
			.split(' ')
			.filter(Boolean)
			.map((name) => ({ displayName: name, name, type: 'json', default: undefined as never })),
	});
}

const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field by a path with dots and indexes, as lodash reads it. */
export const at = (value: unknown, path: string): unknown =>
	path
		.split(/[.[\]]+/)
		.filter(Boolean)
		.reduce<unknown>((inner, name) => (inner as IDataObject | undefined)?.[name], value);

function put(target: IDataObject, path: string, value: unknown): void {
	const names = path.split('.');
	const last = names.pop() ?? '';
	let inner = target;
	for (const name of names)
		inner = (isRecord(inner[name]) ? inner[name] : (inner[name] = {})) as IDataObject;
	inner[last] = value as IDataObject[string];
}

/** A parameter, resolved; undefined where the node has none. */
const given = (context: IExecuteFunctions, name: string, index = 0): unknown =>
	context.getNodeParameter(name, index, null) ?? undefined;

const perItem = (
	one: (this: IExecuteFunctions, item: INodeExecutionData, index: number) => INodeExecutionData | undefined,
): Execute =>
	async function () {
		return [this.getInputData().flatMap((item, index) => one.call(this, item, index) ?? [])];
	};

const pairs = (value: unknown): Array<[string, unknown]> =>
	(Array.isArray(value) ? (value as IDataObject[]) : []).map(({ name, value: own }) => [String(name), own]);

const asObject = (value: unknown): IDataObject =>
	(typeof value === 'string' ? JSON.parse(value || '{}') : (value ?? {})) as IDataObject;

const FORM = 'application/x-www-form-urlencoded';

function multipart(fields: Array<[string, unknown]>): FormData {
	const form = new FormData();
	for (const [name, value] of fields) form.append(name, String(value));
	return form;
}

interface Sent {
	qs?: IDataObject;
	headers?: IDataObject;
	body?: unknown;
	contentType?: string;
}

const formText = (fields: Array<[string, unknown]>): string =>
	new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)])).toString();

/** What versions 1 and 2 of HTTP Request make of their parameters. */
function classic(read: (name: string) => unknown): Sent {
	const options = asObject(read('options'));
	const type = String(options.bodyContentType ?? 'json');
	const isJson = read('jsonParameters') === true;
	const fields = (kind: string): Array<[string, unknown]> =>
		isJson
			? Object.entries(asObject(read(`${kind}ParametersJson`)))
			: pairs(at(read(`${kind}ParametersUi`), 'parameter'));
	const body = fields('body');
	const sent: Sent = {
		qs: Object.fromEntries(fields('query')) as IDataObject,
		headers: Object.fromEntries(fields('header')) as IDataObject,
	};
	if (body.length === 0) return sent;
	if (type === 'form-urlencoded') return { ...sent, body: formText(body), contentType: FORM };
	if (type === 'multipart-form-data') return { ...sent, body: multipart(body) };
	return { ...sent, body: Object.fromEntries(body), contentType: 'application/json' };
}

/** What versions 3 and 4 make of theirs. */
function modern(read: (name: string) => unknown): Sent {
	const listed = (kind: string, specify: string): IDataObject =>
		read(specify) === 'json'
			? asObject(read(`json${kind}`))
			: (Object.fromEntries(
					pairs(at(read(`${kind === 'Query' ? 'query' : 'header'}Parameters`), 'parameters')),
				) as IDataObject);
	const sent: Sent = {
		qs: read('sendQuery') === true ? listed('Query', 'specifyQuery') : {},
		headers: read('sendHeaders') === true ? listed('Headers', 'specifyHeaders') : {},
	};
	if (read('sendBody') !== true) return sent;
	const type = read('contentType') ?? 'json';
	const fields = pairs(at(read('bodyParameters'), 'parameters'));
	if (type === 'raw') return { ...sent, body: read('body'), contentType: String(read('rawContentType')) };
	if (type === 'multipart-form-data') return { ...sent, body: multipart(fields) };
	if (type === 'form-urlencoded') {
		return {
			...sent,
			body: read('specifyBody') === 'string' ? read('body') : formText(fields),
			contentType: FORM,
		};
	}
	const body = read('specifyBody') === 'json' ? asObject(read('jsonBody')) : Object.fromEntries(fields);
	return { ...sent, body, contentType: 'application/json' };
}

async function sendRequest(this: IExecuteFunctions, index: number): Promise<unknown> {
	const read = (name: string) => given(this, name, index);
	const isClassic = this.getNode().typeVersion < 3;
	const sent = isClassic ? classic(read) : modern(read);
	const method = String((isClassic ? read('requestMethod') : read('method')) ?? 'GET');
	const reply = isClassic ? read('options') : at(read('options'), 'response.response');
	const isFile = at(reply, 'responseFormat') === 'file' || at(reply, 'responseFormat') === 'text';
	const url = new URL(String(read('url')).trim());
	const request: IHttpRequestOptions = {
		method: method as 'GET',
		url: url.href.replace(`${url.username}:${url.password}@`, ''),
		qs: sent.qs,
		headers: {
			accept: 'application/json',
			...sent.headers,
			...(sent.contentType ? { 'content-type': sent.contentType } : {}),
		},
		body: sent.body as IDataObject,
		...(url.username ? { auth: { username: url.username, password: url.password } } : {}),
		json: !isFile,
		returnFullResponse: true,
		ignoreHttpStatusErrors: at(reply, 'neverError') === true || at(reply, 'ignoreResponseCode') === true,
	};
	const authentication = read('authentication') ?? 'none';
	const classicType = `http${String(authentication).charAt(0).toUpperCase()}${String(authentication).slice(1)}`;
	const type = this.getNode().typeVersion < 2 ? classicType : String(read('genericAuthType') ?? '');
	if (authentication === 'predefinedCredentialType') {
		return await this.helpers.httpRequestWithAuthentication.call(this, 'priceCollectionApi', request);
	}
	if (authentication !== 'none') {
		const { name, value, user, password } = await this.getCredentials(type);
		if (type === 'httpQueryAuth') request.qs = { ...request.qs, [String(name)]: value as string };
		if (type === 'httpHeaderAuth') request.headers = { ...request.headers, [String(name)]: value };
		if (type === 'httpBasicAuth') request.auth = { username: String(user), password: String(password) };
	}
	return await this.helpers.httpRequest(request);
}

const httpRequest = standIn(
	'method requestMethod url authentication genericAuthType nodeCredentialType sendQuery specifyQuery jsonQuery ' +
		'queryParameters queryParametersUi queryParametersJson sendHeaders specifyHeaders jsonHeaders headerParameters ' +
		'headerParametersUi headerParametersJson sendBody contentType specifyBody jsonBody body rawContentType ' +
		'bodyParameters bodyParametersUi bodyParametersJson jsonParameters responseFormat options',
	async function () {
		const good: INodeExecutionData[] = [];
		const bad: INodeExecutionData[] = [];
		for (const [index] of this.getInputData().entries()) {
			const pairedItem = { item: index };
			try {
				const { body, statusCode } = (await sendRequest.call(this, index)) as {
					body: IDataObject;
					statusCode: number;
				};
				const options = this.getNodeParameter('options', index, {});
				const reply = this.getNode().typeVersion < 3 ? options : at(options, 'response.response');
				if (typeof body === 'string') good.push({ json: { data: body }, pairedItem });
				else if (at(reply, 'fullResponse') === true)
					good.push({ json: { body, statusCode }, pairedItem });
				else good.push(...[body].flat().map((json) => ({ json, pairedItem })));
			} catch (error) {
				if (!this.continueOnFail()) throw error;
				const isOutput = this.getNode().onError === 'continueErrorOutput';
				(isOutput ? bad : good).push({ json: { error: (error as Error).message }, pairedItem });
			}
		}
		return [good, bad];
	},
	1,
	2,
);

const set = standIn(
	'mode jsonOutput assignments fields values keepOnlySet include includeOtherFields includeFields excludeFields options',
	perItem(function ({ json, binary }, index) {
		const read = (name: string) => given(this, name, index);
		const { typeVersion } = this.getNode();
		const include = read('include') ?? 'all';
		const keeps =
			typeVersion < 3
				? read('keepOnlySet') !== true
				: typeVersion < 3.3
					? include === 'all'
					: read('includeOtherFields') === true;
		const result: IDataObject = keeps ? structuredClone(json) : {};
		if (read('mode') === 'raw')
			return {
				json: { ...result, ...asObject(read('jsonOutput')) },
				binary,
				pairedItem: { item: index },
			};
		const rows = [
			...pairs(at(read('assignments'), 'assignments')),
			...(isRecord(read('values')) ? Object.values(read('values') as IDataObject).flatMap(pairs) : []),
			...((at(read('fields'), 'values') ?? []) as IDataObject[]).map((row): [string, unknown] => [
				String(row.name),
				row.stringValue ?? row.numberValue,
			]),
		];
		for (const [name, value] of rows) put(result, name, value ?? null);
		return { json: result, binary, pairedItem: { item: index } };
	}),
);

const asItems = (result: unknown): INodeExecutionData[] =>
	[result]
		.flat()
		.map((one, index) =>
			isRecord(one) && 'json' in one
				? (one as unknown as INodeExecutionData)
				: { json: one as IDataObject, pairedItem: { item: index } },
		);

/** Runs the program of a Code node with what n8n puts into its scope. */
const code = standIn('mode jsCode language', async function () {
	const proxy = this.getWorkflowDataProxy(0) as unknown as Record<string, unknown>;
	const scope = { items: structuredClone(this.getInputData()) };
	for (const name of ['$json', '$input', '$', '$node', '$items']) {
		Object.defineProperty(scope, name, { get: () => proxy[name], enumerable: true });
	}
	const program = `(async () => {\n${String(given(this, 'jsCode'))}\n})()`;
	const result: unknown = await runInNewContext(program, scope);
	return [asItems(JSON.parse(JSON.stringify(result ?? [])))];
});

function compare(left: unknown, operation: string, right: unknown): boolean {
	switch (operation) {
		case 'equal':
		case 'equals':
			return left === right;
		case 'notEqual':
		case 'notEquals':
			return left !== right;
		case 'true':
			return left === true;
		default:
			throw new Error(`The stand-in does not know the operation ${operation}`);
	}
}

/** Conditions of IF, Filter and Switch, old and new. */
function holds(conditions: unknown): boolean {
	const rows = at(conditions, 'conditions') as IDataObject[] | undefined;
	if (Array.isArray(rows)) {
		return rows.every(({ leftValue, operator, rightValue }) =>
			compare(leftValue, String(at(operator, 'operation')), rightValue),
		);
	}
	return Object.values(conditions as Record<string, IDataObject[]>)
		.flat()
		.every(({ value1, operation = 'equal', value2 = false }) =>
			compare(value1, String(operation), value2),
		);
}

const split = (
	names: string,
	route: (this: IExecuteFunctions, index: number) => number,
	outputs: number,
): INodeType =>
	standIn(
		names,
		async function () {
			const routed = Array.from({ length: outputs }, (): INodeExecutionData[] => []);
			for (const [index, item] of this.getInputData().entries()) {
				routed[route.call(this, index)]?.push({ ...item, pairedItem: { item: index } });
			}
			return routed;
		},
		1,
		outputs,
	);

const ifNode = split(
	'conditions combineOperation options',
	function (index) {
		return holds(this.getNodeParameter('conditions', index)) ? 0 : 1;
	},
	2,
);

const switchNode = split(
	'rules options',
	function (index) {
		const rules = at(this.getNodeParameter('rules', index), 'values') as IDataObject[];
		const found = rules.findIndex(({ conditions }) => holds(conditions));
		return found < 0 ? rules.length : found;
	},
	3,
);

const splitOut = standIn('fieldToSplitOut options', async function () {
	const result: INodeExecutionData[] = [];
	for (const [index, { json }] of this.getInputData().entries()) {
		const field = String(this.getNodeParameter('fieldToSplitOut', index));
		const list = at(json, field);
		for (const one of Array.isArray(list)
			? (list as unknown[])
			: [list].filter((entry) => entry !== undefined)) {
			const own = isRecord(one) ? one : { [field]: one };
			result.push({ json: own as IDataObject, pairedItem: { item: index } });
		}
	}
	return [result];
});

/** By position, the only way that is used here. */
const merge = standIn(
	'mode combineBy options',
	async function () {
		const second = this.getInputData(1);
		const pairs = this.getInputData(0).slice(0, second.length);
		return [
			pairs.map(({ json }, index) => ({
				json: { ...json, ...second[index]?.json },
				pairedItem: [
					{ item: index, input: 0 },
					{ item: index, input: 1 },
				],
			})),
		];
	},
	2,
);

const splitInBatches = standIn(
	'batchSize options',
	async function () {
		const context = this.getContext('node') as {
			rest?: INodeExecutionData[];
			done?: INodeExecutionData[];
			source?: unknown;
		};
		const input = this.getInputData();
		const isFirst = context.rest === undefined;
		const source = isFirst ? structuredClone(this.getInputSourceData()) : context.source;
		context.source = source;
		if (isFirst) context.rest = input.map((item, index) => ({ ...item, pairedItem: { item: index } }));
		else context.done = [...(context.done ?? []), ...input];
		const size = Number(given(this, 'batchSize') ?? (this.getNode().typeVersion >= 3 ? 1 : 10));
		const batch = (context.rest ?? []).splice(0, size);
		if (!isFirst) {
			for (const item of batch)
				item.pairedItem = { ...(item.pairedItem as object), sourceOverwrite: source } as never;
		}
		const { typeVersion } = this.getNode();
		const done = batch.length > 0 ? [] : (context.done ?? []);
		if (batch.length === 0) delete context.rest;
		return typeVersion >= 3 ? [done, batch] : [batch, done];
	},
	1,
	2,
);

const SECONDS: Record<string, number> = { seconds: 1, minutes: 60, hours: 3600 };

const wait = standIn('amount unit resume', async function () {
	const isOld = this.getNode().typeVersion < 1.1;
	const amount = Number(given(this, 'amount') ?? (isOld ? 1 : 5));
	const unit = String(given(this, 'unit') ?? (isOld ? 'hours' : 'seconds'));
	time.skip(amount * (SECONDS[unit] ?? 1) * 1000);
	return [this.getInputData().map((item, index) => ({ ...item, pairedItem: { item: index } }))];
});

/** What reached a database or a sheet in a run. */
export const written: { queries: string[]; rows: IDataObject[]; header: string[] } = {
	queries: [],
	rows: [],
	header: [],
};

/** Resolves `{{ }}` in its query itself, whether or not the field is an expression. */
const postgres = standIn('operation query options', async function () {
	return [
		this.getInputData().map((_item, index) => {
			const raw = String(this.getNode().parameters.query).replace(/^=/, '');
			const query = raw.replace(/\{\{[\s\S]*?\}\}/g, (text) =>
				String(this.evaluateExpression(text, index)),
			);
			written.queries.push(query);
			return { json: { query }, pairedItem: { item: index } };
		}),
	];
});

/** Appends rows; with automatic mapping every field that comes is a column. */
const googleSheets = standIn('operation columns documentId sheetName options', async function () {
	const isAutomatic = at(this.getNodeParameter('columns', 0), 'mappingMode') === 'autoMapInputData';
	return [
		this.getInputData().map((item, index) => {
			const row = isAutomatic
				? item.json
				: (at(this.getNodeParameter('columns', index), 'value') as IDataObject);
			written.header = [...new Set([...written.header, ...Object.keys(row)])];
			written.rows.push(row);
			return { json: row, pairedItem: { item: index } };
		}),
	];
});

const passThrough = (): INodeType =>
	standIn('respondWith inputSource options content', async function () {
		return [this.getInputData()];
	});

const own = (types: Record<string, INodeType>): Record<string, INodeType> =>
	Object.fromEntries(Object.entries(types).map(([name, type]) => [`n8n-nodes-base.${name}`, type]));

/** All stand-ins by the type names that workflows have. */
export const standIns: Record<string, INodeType> = own({
	httpRequest,
	set,
	code,
	if: ifNode,
	switch: switchNode,
	splitOut,
	merge,
	splitInBatches,
	wait,
	postgres,
	googleSheets,
	executeWorkflowTrigger: passThrough(),
});
