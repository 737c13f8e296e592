import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Version 1 of the service: its own paths, names and shapes, but the data of the sandbox behind it. */
export interface OldService {
	url: string;
	close: () => Promise<void>;
}

const KEY_NAMES = /^(token|api_key|api_token)$/;

/** Parameters of a request body in any encoding, as texts. A `null` in JSON is left out. */
async function parametersOf(body: string, contentType: string): Promise<Record<string, string>> {
	if (body === '') return {};
	if (contentType.includes('multipart')) {
		const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
		return Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
	}
	if (contentType.includes('urlencoded')) return Object.fromEntries(new URLSearchParams(body));
	const fields = Object.entries(JSON.parse(body) as Record<string, unknown>).filter(
		([, value]) => value !== null,
	);
	return Object.fromEntries(
		fields.map(([name, value]) => [name, Array.isArray(value) ? value.join('\n') : String(value)]),
	);
}

const NEW_NAMES: Record<string, string> = { source_id: 'id', keyword: 'term' };
const OLD_NAMES: Record<string, string> = { id: 'source_id', term: 'keyword' };
const AGES: Record<string, string> = { daily_updated: '1440', realtime: '15' };

/** A version 1 creation in version 2, by the documented renames; `value` and `values` mean the same. */
function renamed(parameters: Record<string, string>): Record<string, string> {
	const {
		currentness,
		completeness,
		values,
		value = values,
		source = '',
		key,
		source_id: id,
		keyword,
		...rest
	} = parameters;
	const given = id === undefined ? (keyword === undefined ? undefined : ['term', keyword]) : ['id', id];
	const [kind = key === undefined ? undefined : (NEW_NAMES[key] ?? key), asked = value] = given ?? [];
	return {
		...rest,
		topic: 'product_and_offers',
		source: source.replaceAll('-', '_'),
		...(kind === undefined ? {} : { key: kind }),
		...(asked === undefined ? {} : { value: asked }),
		...(currentness === undefined ? {} : { max_age: AGES[currentness] ?? currentness }),
		...(completeness === 'one_page' ? { max_pages: '1' } : {}),
	};
}

type Json = Record<string, unknown>;

/** A version 2 object in the words of version 1. */
function oldWords(given: Json): Json {
	const { key, source, ...rest } = given;
	delete rest.topic;
	return {
		...rest,
		...(typeof source === 'string' ? { source: source.replaceAll('_', '-') } : {}),
		...(typeof key === 'string' ? { key: OLD_NAMES[key] ?? key } : {}),
	};
}

function asProduct({ query, success, reason = null, content }: Json): Json {
	const { source, country, key, value } = oldWords(query as Json);
	return { source, country, key, value, success, reason, ...(content as Json | null) };
}

function asDownload(root: Json): Json {
	const entries = Object.entries(root).map(([name, value]): [string, unknown] =>
		name === 'results' ? ['products', (value as Json[]).map(asProduct)] : [name, value],
	);
	return Object.fromEntries(entries);
}

/** Whether a request carries the key in a way that version 1 accepted. */
function hasKey(request: IncomingMessage, parameters: Record<string, string>, key: string): boolean {
	const { authorization = '' } = request.headers;
	const [scheme, given = ''] = authorization.split(' ');
	const basic = scheme === 'Basic' ? Buffer.from(given, 'base64').toString() : '';
	const named = Object.entries(parameters).find(([name]) => KEY_NAMES.test(name))?.[1];
	return [named, request.headers['x-api-key'], given, ...basic.split(':')].includes(key);
}

/** Starts version 1 in front of the sandbox at `url`, which it calls with `key`. */
export async function startOldService(target: { url: string; key: string }): Promise<OldService> {
	const ask = async (path: string, body?: Json): Promise<Response> =>
		await fetch(`${target.url}${path}?token=${target.key}`, {
			...(body && { method: 'POST', body: JSON.stringify(body) }),
			headers: { 'content-type': 'application/json' },
		});
	const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://old.invalid');
		const all = {
			...Object.fromEntries(searchParams),
			...(await parametersOf(await text(request), request.headers['content-type'] ?? '')),
		};
		const send = (status: number, body: Json | string, type = 'application/json') => {
			response.writeHead(status, { 'content-type': type });
			response.end(typeof body === 'string' ? body : JSON.stringify(body));
		};
		if (!hasKey(request, all, target.key))
			return send(401, { success: false, reason: 'unauthorized', parameter: 'token' });
		const parameters = Object.fromEntries(Object.entries(all).filter(([name]) => !KEY_NAMES.test(name)));
		const { method = 'GET' } = request;
		const forward = async (path: string, change: (body: Json) => Json, body?: Json) => {
			const reply = await ask(path, body);
			const [type, given] = [reply.headers.get('content-type') ?? '', await reply.text()];
			const isJson = reply.status === 200 && type.includes('json');
			send(reply.status, isJson ? change(JSON.parse(given) as Json) : given, type);
		};
		const [, first, second, third] = pathname.split('/');
		if (method === 'POST' && pathname === '/jobs') {
			const { value: values, ...asked } = renamed(parameters);
			return await forward('/v2/jobs', oldWords, { ...asked, values });
		}
		if (first === 'jobs' && second) return await forward(`/v2/jobs/${second}`, oldWords);
		if (first === 'products' && second === 'bulk' && third) {
			const [id = '', format = ''] = third.split('.');
			const suffix = format === '' || format === 'json' ? '' : `.${format}`;
			return await forward(`/v2/jobs/${id}/download${suffix}`, asDownload);
		}
		return send(404, { success: false, reason: 'not found' });
	};
	const server = createServer((request, response) => {
		answer(request, response).catch((error: Error) => {
			response.writeHead(500);
			response.end(error.message);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		close: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
}
