import type { IDataObject } from 'n8n-workflow';

import { isExpression } from '../code/template';
import { isRecord } from '../json/workflowJson';
import { parametersOf, type ServiceRequest } from '../request/request';
import { type LookupKey, type TopicChoice, TOPICS } from '../../service/topics';

/** A node's parameters, or the reason why no node can replace the request. */
export type NodeParameters = { parameters: IDataObject } | { obstacle: string };

/** A resource locator that holds a fixed value or an expression. */
export const locator = (mode: string, value: unknown): IDataObject => ({
	__rl: true,
	mode,
	value: value as string,
});

type Values = Map<string, unknown>;

const parameterValues = (request: ServiceRequest): Values =>
	new Map(
		parametersOf(request).flatMap(({ name, value }) => (name === '' ? [] : [[name, value] as const])),
	);

const take = (values: Values, name: string): unknown => {
	const value = values.get(name);
	values.delete(name);
	return value;
};

/** Converts a text of digits to a number; returns any other value, such as an expression, unchanged. */
const numeric = (value: unknown): unknown =>
	typeof value === 'string' && !isExpression(value) && /^\d+$/.test(value.trim()) ? Number(value) : value;

const isTopic = (topic: unknown): topic is TopicChoice =>
	typeof topic === 'string' && topic !== 'custom' && Object.hasOwn(TOPICS, topic);

/**
 * Takes the lookup key and its values out of the parameters: `key` with `value` or `values`, or one of `id`, `term` and
 * `gtin`. Undefined if they are written in any other form.
 */
function takeLookup(values: Values, topic: TopicChoice): IDataObject | undefined {
	const isOffered = (key: unknown): key is LookupKey => TOPICS[topic].keys.some((name) => name === key);
	const keyParameters = (key: unknown): IDataObject =>
		isOffered(key) ? { lookupKey: key } : { lookupKey: 'custom', customKey: key as string };
	const asLines = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value));
	if (values.has('key')) {
		const value = take(values, values.has('values') ? 'values' : 'value');
		if (value === undefined || value === null || isRecord(value)) return undefined;
		return { ...keyParameters(take(values, 'key')), values: asLines(value) };
	}
	const [key, more] = ['id', 'term', 'gtin'].filter((name) => values.has(name));
	if (key === undefined || more !== undefined) return undefined;
	return { ...keyParameters(key), values: asLines(take(values, key)) };
}

/** Request parameters that are options of the node: the last two for all topics, the others if the topic offers them. */
const OPTION_PARAMETERS = 'condition max_age max_pages shipping sort_by timeout webhook_url'.split(' ');

function takeOptions(values: Values, topic: TopicChoice): IDataObject {
	const options: IDataObject = {};
	const offered = new Set<string>([...TOPICS[topic].options, 'timeout', 'webhookUrl']);
	for (const parameter of OPTION_PARAMETERS) {
		const option = parameter.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
		if (values.has(parameter) && offered.has(option))
			options[option] = numeric(take(values, parameter)) as string;
	}
	const rows = [...values].map(([name, value]) => ({ name, value: String(value) }));
	if (rows.length > 0) options.additionalParameters = { parameter: rows };
	return options;
}

/** The HTTP Request node's timeout in milliseconds as the option Request Timeout, in seconds. */
function requestTimeout({ node }: ServiceRequest): IDataObject {
	const timeout = isRecord(node.parameters.options) ? node.parameters.options.timeout : undefined;
	return typeof timeout === 'number' ? { requestTimeout: Math.max(1, Math.ceil(timeout / 1000)) } : {};
}

/** Parameters for `create`, all of which `collect` has too. */
export function creationParameters(request: ServiceRequest): NodeParameters {
	const values = parameterValues(request);
	const unsupported = [...values].find(([, value]) => value === null || isRecord(value));
	if (unsupported) return { obstacle: `"${unsupported[0]}" is null or an object` };
	const topic = take(values, 'topic');
	const choice = isTopic(topic) ? topic : 'custom';
	const country = take(values, 'country');
	const source = take(values, 'source');
	if (source === undefined) return { obstacle: 'it has no datasource' };
	const lookup = takeLookup(values, choice);
	if (!lookup) return { obstacle: 'its lookup values are in an unknown form' };
	if ([...values.values(), topic, country, source].some((value) => typeof value === 'object')) {
		return { obstacle: 'a parameter holds a list' };
	}
	const parameters = {
		topic: choice,
		...(choice === 'custom' ? { customTopic: topic as string } : {}),
		source: locator('name', source),
		...(country === undefined ? {} : { country: locator('code', country) }),
		...lookup,
		options: {
			...takeOptions(values, choice),
			...requestTimeout(request),
			grouping: 'perItem',
			// As in version 1, which returned a row for a GTIN with a wrong check digit.
			...(['gtin', 'custom'].includes(String(lookup.lookupKey)) ? { validateValues: false } : {}),
		},
	};
	return { parameters };
}

/** Resource, operation and parameters of the node that replaces a request. */
export function nodeParameters(request: ServiceRequest): NodeParameters {
	const { endpointName, jobId = '' } = request.address;
	if (endpointName === 'list')
		return { obstacle: 'it outputs the list as one item, but the new node outputs one item per job' };
	if (endpointName === 'usageToday') return { parameters: { resource: 'usage', operation: 'getToday' } };
	if (endpointName === 'usageMonth') return { parameters: { resource: 'usage', operation: 'getMonth' } };
	const base = { resource: 'job', operation: endpointName };
	if (endpointName === 'create') {
		const creation = creationParameters(request);
		return 'obstacle' in creation ? creation : { parameters: { ...base, ...creation.parameters } };
	}
	const extra =
		endpointName === 'download' ? { output: 'job', options: requestTimeout(request) } : { options: {} };
	return { parameters: { ...base, jobId: locator('id', jobId), ...extra } };
}
