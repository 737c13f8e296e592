import type { SandboxOptions } from '../options.ts';
import { Refusal } from '../refusals.ts';
import type { Asked, Fields } from './reply.ts';

/** Form and query fields: the last of several wins, `values[]` is a list. */
export function fieldsOf(given: URLSearchParams): Fields {
	const fields: Fields = {};
	for (const name of new Set(given.keys())) {
		const all = given.getAll(name);
		if (name.endsWith('[]')) fields[name.slice(0, -2)] = all;
		else fields[name] = all.at(-1);
	}
	return fields;
}

function jsonOf(body: string): Fields {
	let value: unknown;
	try {
		value = body === '' ? {} : (JSON.parse(body) as unknown);
	} catch {
		throw new Refusal('invalid request body', undefined, 'The body is not valid JSON.');
	}
	if (typeof value !== 'object' || Array.isArray(value))
		throw new Refusal('invalid request body', undefined, 'The body must be a JSON object.');
	return (value ?? {}) as Fields;
}

/**
 * The parameters of a request from all places that are switched on; the body wins over the query. A body in an encoding
 * that is off is ignored, as by the real service.
 */
export function parametersOf(asked: Asked, { bodyEncodings }: SandboxOptions): Fields {
	const query = bodyEncodings.includes('query') ? asked.query : {};
	const type = (asked.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
	const isForm = type === 'application/x-www-form-urlencoded';
	if (isForm && bodyEncodings.includes('form'))
		return { ...query, ...fieldsOf(new URLSearchParams(asked.body)) };
	const isJson = /^application\/(.+\+)?json$/.test(type);
	return isJson && bodyEncodings.includes('json') ? { ...query, ...jsonOf(asked.body) } : query;
}

function basicKey(header: string, { username, password, apiKey }: SandboxOptions): string | undefined {
	const pair = /^Basic (.+)$/i.exec(header)?.[1];
	const isRight = Buffer.from(pair ?? '', 'base64').toString() === `${username}:${password}`;
	return pair !== undefined && isRight ? apiKey : undefined;
}

/** The requesting account's key; throws the documented refusal if there is no valid key. */
export function accountOf(
	{ query, headers }: Asked,
	parameters: Fields,
	options: SandboxOptions,
	reason = 'unauthorized',
): string {
	const { authentication, authHeader, authParameter: name, apiKey, secondApiKey } = options;
	const authorization = headers.authorization ?? '';
	const places: Record<(typeof authentication)[number], unknown> = {
		query: query[name],
		body: parameters[name],
		header: headers[authHeader.toLowerCase()],
		bearer: /^Bearer (.+)$/i.exec(authorization)?.[1],
		basic: basicKey(authorization, options),
	};
	const keys = authentication.map((place) => places[place]);
	const found = [apiKey, secondApiKey].find((key) => keys.includes(key));
	if (found !== undefined) return found;
	throw new Refusal(reason, name, `Provide your API key with the parameter '${name}'!`);
}
