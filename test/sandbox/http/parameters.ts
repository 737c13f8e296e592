import type { FastifyRequest } from 'fastify';
import type { SandboxOptions } from '../options.ts';
import { Refusal } from '../refusals.ts';

type Parameters = Record<string, unknown>;

/** Form and query fields: the last of several wins, `values[]` is a list. */
function fields(given: unknown): Parameters {
	const read: Parameters = {};
	for (const [name, value] of Object.entries((given ?? {}) as Record<string, string | string[]>)) {
		const list = Array.isArray(value) ? value : [value];
		if (name.endsWith('[]')) read[name.slice(0, -2)] = list;
		else read[name] = list.at(-1);
	}
	return read;
}

/**
 * The parameters of a request from all the places that are switched on; the body wins over the
 * query. A body in an encoding that is off is not seen at all, as with the real service.
 */
export function parametersOf(request: FastifyRequest, options: SandboxOptions): Parameters {
	const { bodyEncodings } = options;
	const query = bodyEncodings.includes('query') ? fields(request.query) : {};
	const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
	if (type === 'application/x-www-form-urlencoded') {
		return bodyEncodings.includes('form') ? { ...query, ...fields(request.body) } : query;
	}
	if (!/^application\/(.+\+)?json$/.test(type) || !bodyEncodings.includes('json')) return query;
	if (request.body === null || request.body === undefined) return query;
	if (typeof request.body !== 'object' || Array.isArray(request.body)) {
		throw new Refusal('invalid request body', undefined, 'The body must be a JSON object.');
	}
	return { ...query, ...request.body };
}

/** Parameters without those that select account and format. */
export function withoutTransport(parameters: Parameters, options: SandboxOptions): Parameters {
	const transport = [options.authParameter, options.formatParameter];
	return Object.fromEntries(Object.entries(parameters).filter(([name]) => !transport.includes(name)));
}
