import { keysOf, QUERY_DEFAULTS, SOURCES, TIMEOUT_DEFAULT } from './catalog.ts';
import type { QueryParameters } from './catalog.ts';
import type { SandboxOptions } from './options.ts';
import { invalidParameter, missingParameter, Refusal } from './refusals.ts';
import { documentedParameters, inOwnNames, ownKey } from './requestNames.ts';

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
	/** Names of the parameters that were sent. */
	sent: string[];
	/** Everything else that was sent, as it was sent. */
	more: Parameters;
	/** The value of `labelParameter`. */
	label: string | null;
	webhook: WebhookOrder | null;
}

type Parameters = Record<string, unknown>;

/** Parameters with a field in the job request, and parameters that a job repeats as sent. */
const PLACED = [
	'topic source country key value values id term',
	'max_pages max_age sort_by condition shipping webhook_method',
].flatMap((line) => line.split(' '));
const REPEATED = ['timeout', 'min_price', 'max_price', 'tag', 'webhook_download_format'];

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
	const method = (text(parameters, 'webhook_method') || 'POST').toUpperCase();
	if (method !== 'POST' && method !== 'PUT' && method !== 'GET') {
		throw invalidParameter('webhook_method', 'must be POST, PUT or GET');
	}
	const format = text(parameters, 'webhook_download_format') || 'json';
	if (!FORMATS.includes(format))
		throw invalidParameter('webhook_download_format', `must be one of ${FORMATS.join(', ')}`);
	return { url, method, format };
}

/** The parameters that a job repeats. */
const repeatedOf = (parameters: Parameters, { labelParameter }: SandboxOptions): Parameters =>
	Object.fromEntries(
		Object.entries(parameters).filter(([name]) => REPEATED.includes(name) && name !== labelParameter),
	);

function checkSource(source: string, country: string, { countryCase }: SandboxOptions): void {
	const known = SOURCES[source];
	if (!known) throw new Refusal('unknown source', 'source', `There is no source '${source}'.`);
	const code = country.toLowerCase();
	const taken = { lower: code, any: country, upper: code.toUpperCase() };
	if (country === taken[countryCase] && known.countries.includes(code)) return;
	const words = `The source '${source}' does not support the country '${country}'.`;
	throw new Refusal('unsupported country', 'country', words);
}

/** The document's key for a word of the service. Throws if the topic does not support it. */
function readKey(word: string, topic: string, options: SandboxOptions): string {
	const allowed = keysOf(topic);
	const key = allowed.find((one) => ownKey(one, options) === word);
	if (key !== undefined) return key;
	const own = allowed.map((one) => ownKey(one, options));
	const words = `The topic '${topic}' supports the keys ${own.join(', ')}.`;
	throw new Refusal('unsupported key', 'key', words);
}

function tooManyValues({ maxValues, tooManyWords }: SandboxOptions): Refusal {
	if (tooManyWords === '')
		return new Refusal('too many values', 'values', `A job takes at most ${maxValues} values.`);
	const body = { success: false, error: tooManyWords } as const;
	return new Refusal('too many values', undefined, undefined, { code: 422, body });
}

/** The lookup values of a create. Throws if there are none, too many, or one that cannot be looked up. */
function readLookup(parameters: Parameters, key: string, options: SandboxOptions): string[] {
	const { lookupValues, maxValues } = options;
	const isList = lookupValues !== 'value' && (parameters.values ?? undefined) !== undefined;
	const needsList = ['values', 'array'].includes(lookupValues);
	const name = isList ? 'values' : 'value';
	const asked = (): unknown[] => {
		if (!isList) return needsList ? [] : [parameters.value];
		const isArray = Array.isArray(parameters.values);
		if (lookupValues === 'array' && !isArray) throw invalidParameter('values', 'must be an array');
		if (lookupValues === 'values' && isArray) throw invalidParameter('values', 'must be a string');
		return isArray ? (parameters.values as unknown[]) : text(parameters, name).split(/\r?\n/);
	};
	const values = asked()
		.map((entry) => text({ [name]: entry }, name))
		.filter((entry) => entry !== '');
	if (values.length === 0) throw missingParameter(needsList ? 'values' : 'value');
	if (values.length > maxValues) throw tooManyValues(options);
	for (const value of values) {
		if (/^disabled/i.test(value))
			throw new Refusal('value disabled', name, `'${value}' is not available at the moment.`);
		if (/^noproduct/i.test(value))
			throw new Refusal('no product found', name, `No product belongs to '${value}'.`);
		if (key === 'gtin' && !/^\d{1,14}$/.test(value))
			throw new Refusal('invalid value', name, `'${value}' is not a GTIN.`);
	}
	return values;
}

function requestOf(given: Parameters, options: SandboxOptions): JobRequest {
	// The document also lists `id` and `term` as parameters; each sets key and value at once.
	const short =
		given.key === undefined ? ['id', 'term'].find((name) => given[name] !== undefined) : undefined;
	const parameters =
		short === undefined ? given : { ...given, key: ownKey(short, options), value: given[short] };
	for (const name of ['topic', ...options.requiredParameters])
		if (text(parameters, name) === '') throw missingParameter(name);
	const topic = text(parameters, 'topic');
	if (!options.topics.includes(topic))
		throw invalidParameter('topic', `must be one of ${options.topics.join(', ')}`);
	const source = text(parameters, 'source') || 'google_shopping';
	const country = text(parameters, 'country') || (options.countryCase === 'upper' ? 'DE' : 'de');
	checkSource(source, country, options);
	const key = readKey(text(parameters, 'key') || ownKey('term', options), topic, options);
	const values = readLookup(parameters, key, options);
	const query = queryOf(parameters);
	const changed = (['max_age', 'sort_by', 'condition', 'shipping'] as const).some(
		(name) => query[name] !== QUERY_DEFAULTS[name],
	);
	const timeoutMinutes = integer(parameters, 'timeout', TIMEOUT_DEFAULT, 100_000);
	const webhook = webhookOf(parameters, options);
	const { labelParameter } = options;
	return {
		...{ topic, source, country, key, values, query, changed, timeoutMinutes, webhook },
		sent: Object.keys(given).filter((name) => (given[name] ?? '') !== ''),
		more: repeatedOf(given, options),
		label: (labelParameter !== '' && text(parameters, labelParameter)) || null,
	};
}

/**
 * Checks the parameters of a create in the document's order and returns the job request. Throws the refusal for
 * the first wrong one.
 */
export function readJobRequest(given: Parameters, options: SandboxOptions): JobRequest {
	const { webhookUrlParameter, labelParameter } = options;
	const own = labelParameter === '' ? [] : [labelParameter];
	const known = [...PLACED, ...REPEATED, webhookUrlParameter, ...own];
	const parameters = documentedParameters(given, known, options);
	try {
		return requestOf(parameters, options);
	} catch (error) {
		throw error instanceof Refusal ? inOwnNames(error, options) : error;
	}
}

/** The topic as results and jobs repeat it. */
export function echoedTopic(topic: string, options: SandboxOptions): string {
	return options.topicEcho[topic] ?? topic;
}
