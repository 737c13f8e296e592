import type { IDataObject } from 'n8n-workflow';

import { TOPICS } from '../service/topics';
import type { LookupKey, TopicChoice } from '../service/topics';
import type { Report } from './report';
import type { ServiceRequest } from './request';
import { isExpression } from './template';
import type { WorkflowNode } from './workflowJson';
import { isRecord } from './workflowJson';

/** Type name of the node that takes a request's place. */
export const NODE_TYPE = 'n8n-nodes-price-collection.priceCollection';

/** Lets a locator field take a value that was typed or an expression. */
const locator = (mode: string, value: unknown): IDataObject => ({ __rl: true, mode, value: value as string });

type Values = Map<string, unknown>;

/** All parameters of a request; those in the body win, as they come last. */
function valuesOf({ http, address }: ServiceRequest): Values {
	const order = { query: 0, body: 1, headers: 2 } as const;
	const sections = http.sections
		.filter(({ place }) => place !== 'headers')
		.sort((a, b) => order[a.place] - order[b.place]);
	const entries = [...address.query, ...sections.flatMap((section) => section.entries)];
	return new Map(entries.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
}

const take = (values: Values, name: string): unknown => {
	const value = values.get(name);
	values.delete(name);
	return value;
};

/** A number where the text is one; expressions stay. */
const numeric = (value: unknown): unknown =>
	typeof value === 'string' && !isExpression(value) && /^\d+$/.test(value.trim()) ? Number(value) : value;

const isTopic = (topic: unknown): topic is TopicChoice =>
	topic !== 'custom' && typeof topic === 'string' && Object.hasOwn(TOPICS, topic);

/** Takes the kind and the values of the lookup, in whichever form they are given. */
function takeLookup(values: Values, topic: TopicChoice): IDataObject | undefined {
	const offered = (key: unknown): key is LookupKey => TOPICS[topic].keys.some((name) => name === key);
	const kind = (key: unknown): IDataObject =>
		offered(key) ? { lookupKey: key } : { lookupKey: 'custom', customKey: key as string };
	const text = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value));
	if (values.has('key')) {
		const value = take(values, values.has('values') ? 'values' : 'value');
		if (value === undefined || value === null || isRecord(value)) return undefined;
		return { ...kind(take(values, 'key')), values: text(value) };
	}
	const own = ['id', 'term', 'gtin'].filter((name) => values.has(name));
	const [key, more] = own;
	if (key === undefined || more !== undefined) return undefined;
	return { ...kind(key), values: text(take(values, key)) };
}

const OPTION_NAMES: ReadonlyArray<readonly [wire: string, option: string]> = [
	['condition', 'condition'],
	['max_age', 'maxAge'],
	['max_pages', 'maxPages'],
	['shipping', 'shipping'],
	['sort_by', 'sortBy'],
	['timeout', 'timeout'],
	['webhook_url', 'webhookUrl'],
];

function takeOptions(values: Values, topic: TopicChoice): IDataObject {
	const options: IDataObject = {};
	const offered = new Set<string>([...TOPICS[topic].options, 'timeout', 'webhookUrl']);
	for (const [wire, option] of OPTION_NAMES) {
		if (!values.has(wire) || !offered.has(option)) continue;
		options[option] = numeric(take(values, wire)) as string;
	}
	if (values.size > 0) {
		const rows = [...values].map(([name, value]) => ({ name, value: String(value) }));
		options.additionalParameters = { parameter: rows };
	}
	return options;
}

/** Parameters of `create` (and of the part it shares with `collect`), or why there are none. */
export function creationParameters(request: ServiceRequest): IDataObject | { obstacle: string } {
	const values = valuesOf(request);
	const topic = take(values, 'topic');
	const choice = isTopic(topic) ? topic : 'custom';
	const country = take(values, 'country');
	const source = take(values, 'source');
	if (source === undefined) return { obstacle: 'it names no datasource' };
	const lookup = takeLookup(values, choice);
	if (!lookup) return { obstacle: 'what it looks up is given in a way of its own' };
	if ([...values.values(), topic, country, source].some((value) => typeof value === 'object' && value)) {
		return { obstacle: 'a parameter holds a list or an object' };
	}
	return {
		topic: choice,
		...(choice === 'custom' ? { customTopic: topic as string } : {}),
		source: locator('name', source),
		...(country === undefined ? {} : { country: locator('code', country) }),
		...lookup,
		grouping: 'perItem',
		options: {
			...takeOptions(values, choice),
			...requestTimeout(request),
			// Version 1 answered a GTIN with a wrong check digit with a row; so does the new node then.
			...(['gtin', 'custom'].includes(String(lookup.lookupKey)) ? { validateValues: false } : {}),
		},
	};
}

/** The request's time limit, from milliseconds to seconds. */
function requestTimeout({ node }: ServiceRequest): IDataObject {
	const { options } = node.parameters;
	const timeout = isRecord(options) ? options.timeout : undefined;
	if (typeof timeout !== 'number') return {};
	return { requestTimeout: Math.max(1, Math.ceil(timeout / 1000)) };
}

/** How many jobs the list was asked for. */
function listParameters(request: ServiceRequest): IDataObject | { obstacle: string } {
	const values = valuesOf(request);
	const limit = numeric(take(values, 'per_page') ?? 50);
	const page = take(values, 'page');
	if (page !== undefined && String(page) !== '1')
		return { obstacle: 'it pages through the list by itself' };
	const rows = [...values].map(([name, value]) => ({ name, value: String(value) }));
	const queryParameters = rows.length > 0 ? { queryParameters: { parameter: rows } } : {};
	return { returnAll: false, limit: limit as number, options: { ...queryParameters } };
}

/** Resource, operation and parameters of the node that does what a request did, or why there is none. */
export function nodeParameters(request: ServiceRequest): IDataObject | { obstacle: string } {
	const { endpoint, jobId = '' } = request.address;
	if (endpoint === 'usageToday') return { resource: 'usage', operation: 'getToday' };
	if (endpoint === 'usageMonth') return { resource: 'usage', operation: 'getMonth' };
	const base = { resource: 'job', operation: endpoint === 'list' ? 'getAll' : endpoint };
	if (endpoint === 'create' || endpoint === 'list') {
		const own = endpoint === 'create' ? creationParameters(request) : listParameters(request);
		return 'obstacle' in own ? own : { ...base, ...own };
	}
	const job = { jobId: locator('id', jobId) };
	if (endpoint === 'get') return { ...base, ...job, options: {} };
	if (endpoint === 'cancel') return { ...base, ...job, options: {} };
	return { ...base, ...job, output: 'job', options: requestTimeout(request) };
}

const DROPPED = new Set([
	'parameters',
	'credentials',
	'extendsCredential',
	'webhookId',
	'type',
	'typeVersion',
]);

/** Puts a Price Collection node in a node's place; its id, name, position, notes and settings stay. */
export function replaceNode(node: WorkflowNode, parameters: IDataObject, report: Report): void {
	for (const name of Object.keys(node)) if (DROPPED.has(name)) delete node[name];
	Object.assign(node, { type: NODE_TYPE, typeVersion: 1, parameters });
	const operation = `${String(parameters.resource)}, ${String(parameters.operation)}`;
	report.changes.push({
		node: node.name,
		message: `The HTTP Request node became a Price Collection node (${operation}).`,
	});
}
