import type { Entry } from '../code/objects';
import { readPath } from '../code/parse';
import {
	flattenTemplate,
	mergedTexts,
	parseTemplate,
	type Part,
	renderTemplate,
	splitTemplate,
	type Template,
} from '../code/template';
import { withoutEnd } from '../../service/text';
import { fieldsRead, type SetField } from '../json/setNode';
import type { Workflow } from '../json/workflowJson';
import { type EndpointName, PATHS, readEndpoint } from './endpoints';
import { readPairs, writePairs } from './pairs';

/** The service's retired and current addresses, as {@link plainAddress} returns them. */
export interface Hosts {
	legacy: string;
	current: string;
}

/** The beginning of an address, before the path. */
interface Base {
	/** `unknown`: the host is in a variable or in data that cannot be read. */
	host: 'legacy' | 'current' | 'unknown';
	/** What precedes the path, if it contains code; otherwise empty. */
	code: Template;
	/** Set node fields that hold the beginning of the address. */
	fields: readonly SetField[];
	/** The path that these fields include in version 2. */
	fieldPath: string;
	/** Equal for addresses with the same unknown host. */
	identity?: string;
	/** `user:password` from the address itself; empty if it has none. */
	userInfo: string;
}

/** A parsed address of the service. */
export interface ServiceAddress {
	base: Base;
	/** 2 if the path begins with `/v2`. */
	version: 1 | 2;
	endpointName: EndpointName;
	/** Job ID for `get`, `download` and `cancel`, as an n8n parameter value. */
	jobId?: string;
	/** The format whose extension the path has, if any. */
	format?: string;
	query: Entry[];
}

const HTTP_SCHEME = /^(https?):\/\/(?:([^/@?#]*)@)?/i;

/**
 * Host and path of an address in lower case, without scheme, user, trailing `/` and `/v2`. Undefined if the text is not
 * an address, or has a query or fragment.
 */
export function plainAddress(address: string): string | undefined {
	const text = address.trim();
	if (!HTTP_SCHEME.test(text) || /[?#\s]/.test(text)) return undefined;
	const plain = withoutEnd(text.replace(HTTP_SCHEME, ''), '/').replace(/\/v2$/, '');
	return plain === '' ? undefined : plain.toLowerCase();
}

/** The rest of `text` after the address `plain`; undefined if it does not begin with that address. */
function restAfter(text: string, plain: string): string | undefined {
	const bare = text.trimStart().replace(HTTP_SCHEME, '');
	if (bare.length === text.trimStart().length || !bare.toLowerCase().startsWith(plain)) return undefined;
	const rest = bare.slice(plain.length);
	return rest === '' || /^[/?#]/.test(rest) ? rest : undefined;
}

/** The service address that a text begins with, and the rest of the text. */
function hostOf(text: string, hosts: Hosts): { host: 'legacy' | 'current'; rest: string } | undefined {
	for (const host of ['legacy', 'current'] as const) {
		const rest = restAfter(text, hosts[host]);
		if (rest !== undefined) return { host, rest };
	}
	return undefined;
}

/** A field's path in version 2, by the path that it holds now. */
const FIELD_PATHS: Readonly<Record<string, string>> = {
	'': '',
	'/v2': '/v2',
	'/jobs': '/v2/jobs',
	'/v2/jobs': '/v2/jobs',
	'/products/bulk': '/v2/jobs',
};

const userInfoOf = (text: string): string => HTTP_SCHEME.exec(text.trimStart())?.[2] ?? '';

/**
 * An address split after its beginning. `rest` includes a path that comes from a field. `'elsewhere'` if the address
 * belongs to another service; undefined if it cannot be read.
 */
type SplitAddress = { base: Base; rest: Template } | 'elsewhere' | undefined;

function fieldBase(fields: readonly SetField[], code: Template, after: Template, hosts: Hosts): SplitAddress {
	const [first, ...others] = fields.map(({ value }) => ({ value, ...hostOf(value, hosts) }));
	if (!first) return undefined;
	if (others.some(({ host }) => host !== first.host)) return undefined;
	const { host, rest = '' } = first;
	if (host === undefined) return plainAddress(first.value) === undefined ? undefined : 'elsewhere';
	const path = FIELD_PATHS[rest.replace(/\/$/, '')];
	if (path === undefined || others.some((other) => other.rest !== rest)) return undefined;
	const fieldPath = rest.endsWith('/') ? `${path}/` : path;
	const userInfo = userInfoOf(first.value);
	return {
		base: { host, code, fields, fieldPath, userInfo },
		rest: mergedTexts([{ text: rest }, ...after]),
	};
}

/** Splits an address after its beginning. Resolves code as the node `reader` would read it. */
function splitAddress(parts: Template, reader: string, workflow: Workflow, hosts: Hosts): SplitAddress {
	const [first, second, ...more] = parts;
	if (!first) return undefined;
	const defaults = { code: [], fields: [], fieldPath: '' };
	if ('text' in first && !('code' in (second ?? {}) && /^\s*https?:\/\/$/i.test(first.text))) {
		const match = hostOf(first.text, hosts);
		if (!match) return 'elsewhere';
		const base = { ...defaults, host: match.host, userInfo: userInfoOf(first.text) };
		return { base, rest: mergedTexts([{ text: match.rest }, ...parts.slice(1)]) };
	}
	const isCode = 'code' in first;
	const hole = isCode ? first : second;
	if (!hole || !('code' in hole)) return undefined;
	const path = readPath(hole.code);
	const fields = isCode ? fieldsRead(hole.code, reader, workflow) : undefined;
	const fromFields = fields && fieldBase(fields, [hole], parts.slice(1), hosts);
	if (fromFields) return fromFields;
	const isShared = path?.variable !== undefined || path?.node !== undefined;
	const identity = isShared ? JSON.stringify(path) : `${reader}: ${hole.code}`;
	const code: Part[] = isCode ? [first] : [first, hole];
	const rest = isCode ? parts.slice(1) : more;
	return { base: { ...defaults, host: 'unknown', code, identity, userInfo: '' }, rest };
}

/**
 * Reads the address of a request. Returns `'unclear'` for the retired address with an unknown path, and undefined for
 * any other address that is not a known endpoint of the service.
 *
 * @param url n8n parameter value
 * @param method in upper case
 * @param reader name of the node that sends the request
 */
export function readAddress(
	url: string,
	method: string,
	reader: string,
	workflow: Workflow,
	hosts: Hosts,
): ServiceAddress | 'unclear' | undefined {
	const split = splitAddress(flattenTemplate(url.trim()), reader, workflow, hosts);
	if (!split || split === 'elsewhere') return undefined;
	const { base } = split;
	const [withoutFragment = []] = splitTemplate(split.rest, '#');
	const [path = [], ...query] = splitTemplate(withoutFragment, '?');
	const startsPath = path[0] && 'text' in path[0] && path[0].text.startsWith('/');
	const meaning = startsPath ? readEndpoint(path, method) : undefined;
	const isUnderFieldPath =
		meaning && PATHS[meaning.endpointName].before.startsWith(base.fieldPath.replace(/\/$/, ''));
	if (!meaning || !isUnderFieldPath) return base.host === 'legacy' ? 'unclear' : undefined;
	const pairs = query.flatMap((part, index) => (index === 0 ? part : [{ text: '?' }, ...part]));
	return { base, ...meaning, query: readPairs(pairs) };
}

/** Writes a parsed address for version 2, as an n8n parameter value. */
export function writeAddress(address: ServiceAddress, baseUrl: string): string {
	const { before, after } = PATHS[address.endpointName];
	const { code, fieldPath } = address.base;
	const format = address.format && address.format !== 'json' ? `.${address.format}` : '';
	const path = mergedTexts([
		{ text: before },
		...parseTemplate(address.jobId ?? ''),
		{ text: after + format },
		...(address.query.length > 0 ? [{ text: '?' }, ...writePairs(address.query)] : []),
	]);
	const [first, ...rest] = path;
	const pathStart = first && 'text' in first ? first.text.slice(fieldPath.length) : '';
	return renderTemplate(
		mergedTexts([...(code.length > 0 ? code : [{ text: baseUrl }]), { text: pathStart }, ...rest]),
	);
}
