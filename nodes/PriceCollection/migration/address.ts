import type { Endpoint } from './endpoints';
import { PATHS, readPath } from './endpoints';
import type { QueryPair } from './pairs';
import { readPairs, splitTemplate, writePairs } from './pairs';
import type { Part } from './scan';
import type { Template } from './template';
import { flattenTemplate, parseTemplate, renderTemplate } from './template';

/** An address of the service, understood. */
export interface ServiceAddress {
	/** `unknown`: the path is the service's, the host comes from a variable that cannot be read. */
	base: 'legacy' | 'current' | 'unknown';
	/** The expression that gives the host, when the address begins with one. */
	baseCode?: string;
	version: 1 | 2;
	endpoint: Endpoint;
	/** The job of `get`, `download` and `cancel`, as an n8n parameter value. */
	jobId?: string;
	/** `json`, `xml` or `csv` when the path ends in it. */
	format?: string;
	query: QueryPair[];
	/** Whether the address itself held a user name and password. */
	hadUserInfo: boolean;
}

/** The two addresses of the service, and the fields of earlier nodes that hold one of them. */
export interface KnownAddresses {
	legacy: string;
	current: string;
	/** Field name to the address that a Set node gives it. */
	fields: ReadonlyMap<string, 'legacy' | 'current'>;
}

const ENTITY = /^(https?):\/\/(?:([^/@?#]*)@)?/i;

/** Host and path of an address, without scheme, user, trailing `/` and `/v2`; undefined when it is none. */
export function plainAddress(address: string): string | undefined {
	const text = address.trim();
	if (!ENTITY.test(text) || /[?#\s]/.test(text)) return undefined;
	const plain = text.replace(ENTITY, '').replace(/\/+$/, '').replace(/\/v2$/, '');
	return plain === '' ? undefined : plain.toLowerCase();
}

/** What follows `plain` in `text`, when `text` is an address under it. */
export function restUnder(text: string, plain: string): string | undefined {
	const bare = text.trimStart().replace(ENTITY, '');
	if (bare.length === text.trimStart().length && /^[a-z]+:/i.test(bare)) return undefined;
	if (!bare.toLowerCase().startsWith(plain)) return undefined;
	const rest = bare.slice(plain.length);
	return rest === '' || /^[/?#]/.test(rest) ? rest : undefined;
}

interface Based {
	base: ServiceAddress['base'];
	baseCode?: string;
	rest: Template;
	hadUserInfo: boolean;
}

const fieldOf = (code: string): string | undefined =>
	/(?:\.|\[["'])([A-Za-z_$][\w$]*)(?:["']\])?$/.exec(code.trim())?.[1];

function readBase(parts: Template, known: KnownAddresses): Based | undefined {
	const first = parts[0];
	if (!first) return undefined;
	if ('code' in first) {
		const field = fieldOf(first.code);
		const base = (field === undefined ? undefined : known.fields.get(field)) ?? 'unknown';
		return { base, baseCode: first.code, rest: parts.slice(1), hadUserInfo: false };
	}
	for (const base of ['legacy', 'current'] as const) {
		const rest = restUnder(first.text, known[base]);
		if (rest === undefined) continue;
		const tail: Part[] = rest === '' ? [] : [{ text: rest }];
		const hadUserInfo = (ENTITY.exec(first.text.trimStart())?.[2] ?? '') !== '';
		return { base, rest: [...tail, ...parts.slice(1)], hadUserInfo };
	}
	return undefined;
}

/**
 * Reads the address of a request: `url` is an n8n parameter value, `method` upper case.
 * Undefined when it is not an address of the service, or cannot be told to be one.
 */
export function readAddress(url: string, method: string, known: KnownAddresses): ServiceAddress | undefined {
	const based = readBase(flattenTemplate(url.trim()), known);
	if (!based) return undefined;
	const [withoutFragment = []] = splitTemplate(based.rest, '#');
	const [path = [], ...query] = splitTemplate(withoutFragment, '?');
	const startsPath = path[0] && 'text' in path[0] && path[0].text.startsWith('/');
	const meaning = startsPath ? readPath(path, method) : undefined;
	if (!meaning) return undefined;
	const { base, baseCode, hadUserInfo } = based;
	const pairs = query.flatMap((part, index) => (index === 0 ? part : [{ text: '?' }, ...part]));
	return { base, baseCode, hadUserInfo, ...meaning, query: readPairs(pairs) };
}

/** The version 2 address of an understood one, as an n8n parameter value. */
export function writeAddress(address: ServiceAddress, baseUrl: string): string {
	const { before, after } = PATHS[address.endpoint];
	const format = address.format && address.format !== 'json' ? `.${address.format}` : '';
	const base: Template =
		address.baseCode === undefined ? [{ text: baseUrl }] : [{ code: address.baseCode }];
	return renderTemplate([
		...base,
		{ text: before },
		...parseTemplate(address.jobId ?? ''),
		{ text: after + format },
		...(address.query.length > 0 ? [{ text: '?' }, ...writePairs(address.query)] : []),
	]);
}
