import { keysOf, QUERY_DEFAULTS, SOURCES } from './catalog.ts';
import type { QueryParameters } from './catalog.ts';
import { readLookup } from './lookupValues.ts';
import type { SandboxOptions } from './options.ts';
import { invalidParameter, missingParameter, Refusal } from './refusals.ts';

export interface WebhookOrder {
	url: string;
	method: 'POST' | 'PUT' | 'GET';
	format: string;
}

/** A create that passed every check. */
export interface JobRequest {
	topic: string;
	source: string;
	country: string;
	key: string;
	values: string[];
	query: QueryParameters;
	/** True when a parameter other than `max_pages` was changed from its default: doubles the price. */
	changed: boolean;
	timeoutMinutes: number;
	/** Everything else that was sent, as it was sent. */
	more: Record<string, unknown>;
	webhook: WebhookOrder | null;
}

export type Parameters = Record<string, unknown>;

const KNOWN = [
	'topic source country key value values id term max_pages max_age sort_by condition shipping timeout',
	'min_price max_price tag webhook_download_format',
].flatMap((line) => line.split(' '));

const FORMATS = ['json', 'xml', 'csv', 'xlsx'];

function text(parameters: Parameters, name: string): string {
	const value = parameters[name];
	if (value === undefined || value === null) return '';
	if (typeof value === 'object') throw invalidParameter(name, 'must be a string');
	return String(value);
}

function integer(parameters: Parameters, name: string, fallback: number, most: number): number {
	const given = text(parameters, name);
	if (given === '') return fallback;
	const number = Number(given);
	if (/^\d+$/.test(given) && number >= 1 && number <= most) return number;
	throw invalidParameter(name, `must be an integer from 1 to ${most}`);
}

function word(parameters: Parameters, name: 'sort_by' | 'condition' | 'shipping'): string {
	const given = text(parameters, name);
	if (given === '') return QUERY_DEFAULTS[name];
	if (/^[a-z][a-z_]*$/.test(given)) return given;
	throw invalidParameter(name, 'is not one of the allowed values');
}

/** Minutes, or an ISO 8601 duration or time. */
function maxAge(parameters: Parameters): number | string {
	const given = text(parameters, 'max_age');
	if (given === '') return QUERY_DEFAULTS.max_age;
	if (/^\d{1,7}$/.test(given)) return Number(given);
	if (/^P[\dA-Z.]+$/.test(given) || !Number.isNaN(Date.parse(given))) return given;
	throw invalidParameter('max_age', 'must be a number of minutes or an ISO 8601 time');
}

function queryOf(parameters: Parameters): QueryParameters {
	return {
		max_pages: integer(parameters, 'max_pages', QUERY_DEFAULTS.max_pages, 1000),
		max_age: maxAge(parameters),
		sort_by: word(parameters, 'sort_by'),
		condition: word(parameters, 'condition'),
		shipping: word(parameters, 'shipping'),
	};
}

function webhookOf(parameters: Parameters, options: SandboxOptions): WebhookOrder | null {
	const name = options.webhookUrlParameter;
	const url = text(parameters, name);
	if (url === '') return null;
	if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
		throw invalidParameter(name, 'must be an HTTP address');
	const method = (text(parameters, options.webhookMethodParameter) || 'POST').toUpperCase();
	if (method !== 'POST' && method !== 'PUT' && method !== 'GET') {
		throw invalidParameter(options.webhookMethodParameter, 'must be POST, PUT or GET');
	}
	const format = text(parameters, 'webhook_download_format') || 'json';
	if (!FORMATS.includes(format))
		throw invalidParameter('webhook_download_format', `must be one of ${FORMATS.join(', ')}`);
	return { url, method, format };
}

function checkNames(parameters: Parameters, options: SandboxOptions): Record<string, unknown> {
	const own = [options.webhookUrlParameter, options.webhookMethodParameter];
	const known = new Set([...KNOWN, ...own]);
	const stranger = Object.keys(parameters).find((name) => !known.has(name));
	if (stranger !== undefined && options.unknownParameters === 'refuse') {
		throw new Refusal('unknown parameter', stranger, `There is no parameter '${stranger}'.`);
	}
	const named = new Set([
		...own,
		'topic',
		'source',
		'country',
		'key',
		'value',
		'values',
		'id',
		'term',
		...Object.keys(QUERY_DEFAULTS),
	]);
	return Object.fromEntries(Object.entries(parameters).filter(([name]) => !named.has(name)));
}

function checkSource(source: string, country: string, options: SandboxOptions): void {
	const known = SOURCES[source];
	if (!known) throw new Refusal('unknown source', 'source', `There is no source '${source}'.`);
	if (options.disabledSources.includes(source)) {
		throw new Refusal(
			'source disabled',
			'source',
			`The source '${source}' is not available at the moment.`,
		);
	}
	if (!known.countries.includes(country)) {
		throw new Refusal(
			'unsupported country',
			'country',
			`The source '${source}' does not support the country '${country}'.`,
		);
	}
}

function checkKey(key: string, topic: string, options: SandboxOptions): void {
	const allowed = [...keysOf(topic), ...options.extraKeys];
	if (!allowed.includes(key)) {
		throw new Refusal(
			'unsupported key',
			'key',
			`The topic '${topic}' supports the keys ${allowed.join(', ')}.`,
		);
	}
	if (options.disabledKeys.includes(key)) {
		throw new Refusal('key disabled', 'key', `The key '${key}' is not available at the moment.`);
	}
}

/**
 * Checks the parameters of a create in the order of the document and gives the job to run.
 * Throws the refusal for the first that is wrong.
 */
export function readJobRequest(given: Parameters, options: SandboxOptions): JobRequest {
	// The document lists `id` and `term` as parameters too: they stand for key and value at once.
	const short =
		given.key === undefined ? ['id', 'term'].find((name) => given[name] !== undefined) : undefined;
	const parameters = short === undefined ? given : { ...given, key: short, value: given[short] };
	const more = checkNames(given, options);
	for (const name of options.requiredParameters) {
		if (name !== 'value' && text(parameters, name) === '') throw missingParameter(name);
	}
	const topic = text(parameters, 'topic');
	if (!options.topics.includes(topic))
		throw invalidParameter('topic', `must be one of ${options.topics.join(', ')}`);
	const named = text(parameters, 'source');
	const source = options.acceptHyphenSources ? named.replaceAll('-', '_') : named;
	const country = text(parameters, 'country');
	const key = text(parameters, 'key');
	checkSource(source, country, options);
	checkKey(key, topic, options);
	const values = readLookup(parameters, key, options);
	const query = queryOf(parameters);
	const changed = (['max_age', 'sort_by', 'condition', 'shipping'] as const).some(
		(name) => query[name] !== QUERY_DEFAULTS[name],
	);
	const timeoutMinutes = integer(parameters, 'timeout', 1440, 100_000);
	const webhook = webhookOf(parameters, options);
	return { topic, source, country, key, values, query, changed, timeoutMinutes, more, webhook };
}

/** The topic as results and jobs repeat it. */
export function echoedTopic(topic: string, options: SandboxOptions): string {
	return options.topicEcho[topic] ?? topic;
}
