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

/** The service's two addresses, without scheme and `/v2`. */
export interface Hosts {
	legacy: string;
	current: string;
}

/** The beginning of an address. */
interface Base {
	/** `unknown`: the host is in a variable or in data that cannot be read. */
	host: 'legacy' | 'current' | 'unknown';
	/** The part before the path, if it is not fixed text. */
	code: Template;
	/** Set node fields with the beginning of the address, and the path that they include in version 2. */
	fields: readonly SetField[];
	fieldPath: string;
	/** Equal for two addresses with the same unknown host. */
	identity?: string;
	/** User name and password in the address itself. */
	userInfo: string;
}

/** A parsed address of the service. */
export interface ServiceAddress {
	base: Base;
	version: 1 | 2;
	endpoint: EndpointName;
	/** The job of `get`, `download` and `cancel`, as an n8n parameter value. */
	jobId?: string;
	/** `json`, `xml` or `csv`, if the path ends with it. */
	format?: string;
	query: Entry[];
}

const HTTP_SCHEME = /^(https?):\/\/(?:([^/@?#]*)@)?/i;

/** Host and path of an address, without scheme, user, trailing `/` and `/v2`; undefined for other text. */
export function plainAddress(address: string): string | undefined {
	const text = address.trim();
	if (!HTTP_SCHEME.test(text) || /[?#\s]/.test(text)) return undefined;
	const plain = withoutEnd(text.replace(HTTP_SCHEME, ''), '/').replace(/\/v2$/, '');
	return plain === '' ? undefined : plain.toLowerCase();
}

/** The part of `text` after the address `plain`, if it begins with that. */
function restUnder(text: string, plain: string): string | undefined {
	const bare = text.trimStart().replace(HTTP_SCHEME, '');
	if (bare.length === text.trimStart().length || !bare.toLowerCase().startsWith(plain)) return undefined;
	const rest = bare.slice(plain.length);
	return rest === '' || /^[/?#]/.test(rest) ? rest : undefined;
}

/** Which of the service's addresses a text begins with, and the rest. */
function hostOf(text: string, hosts: Hosts): { host: 'legacy' | 'current'; rest: string } | undefined {
	for (const host of ['legacy', 'current'] as const) {
		const rest = restUnder(text, hosts[host]);
		if (rest !== undefined) return { host, rest };
	}
	return undefined;
}

/** The path in a field for version 2, by its path for version 1. */
const FIELD_PATHS: Readonly<Record<string, string>> = {
	'': '',
	'/v2': '/v2',
	'/jobs': '/v2/jobs',
	'/v2/jobs': '/v2/jobs',
	'/products/bulk': '/v2/jobs',
};

const userInfoOf = (text: string): string => HTTP_SCHEME.exec(text.trimStart())?.[2] ?? '';

/** An address split after its beginning; the rest includes a field's path. */
type Begun = { base: Base; rest: Template } | 'elsewhere' | undefined;

function fieldBase(fields: readonly SetField[], code: Template, after: Template, hosts: Hosts): Begun {
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

/** Reads the beginning of an address; code in it is resolved from the node that reads it. */
function begin(parts: Template, reader: string, workflow: Workflow, hosts: Hosts): Begun {
	const [first, second, ...more] = parts;
	if (!first) return undefined;
	const fixed = { code: [], fields: [], fieldPath: '' };
	if ('text' in first && !('code' in (second ?? {}) && /^\s*https?:\/\/$/i.test(first.text))) {
		const known = hostOf(first.text, hosts);
		if (!known) return 'elsewhere';
		const base = { ...fixed, host: known.host, userInfo: userInfoOf(first.text) };
		return { base, rest: mergedTexts([{ text: known.rest }, ...parts.slice(1)]) };
	}
	const isCode = 'code' in first;
	const hole = isCode ? first : second;
	if (!hole || !('code' in hole)) return undefined;
	const path = readPath(hole.code);
	const fields = isCode ? fieldsRead(hole.code, reader, workflow) : undefined;
	const based = fields && fieldBase(fields, [hole], parts.slice(1), hosts);
	if (based) return based;
	const isShared = path?.variable !== undefined || path?.node !== undefined;
	const identity = isShared ? JSON.stringify(path) : `${reader}: ${hole.code}`;
	const code: Part[] = isCode ? [first] : [first, hole];
	const rest = isCode ? parts.slice(1) : more;
	return { base: { ...fixed, host: 'unknown', code, identity, userInfo: '' }, rest };
}

/**
 * Reads the address of a node's request: `url` is an n8n parameter value, `method` is in upper case.
 * Undefined when it is not an address of the service; `'unclear'` when it is the retired address with an
 * unknown path.
 */
export function readAddress(
	url: string,
	method: string,
	reader: string,
	workflow: Workflow,
	hosts: Hosts,
): ServiceAddress | 'unclear' | undefined {
	const begun = begin(flattenTemplate(url.trim()), reader, workflow, hosts);
	if (!begun || begun === 'elsewhere') return undefined;
	const { base } = begun;
	const [withoutFragment = []] = splitTemplate(begun.rest, '#');
	const [path = [], ...query] = splitTemplate(withoutFragment, '?');
	const startsPath = path[0] && 'text' in path[0] && path[0].text.startsWith('/');
	const meaning = startsPath ? readEndpoint(path, method) : undefined;
	const holdsPath = meaning && PATHS[meaning.endpoint].before.startsWith(base.fieldPath.replace(/\/$/, ''));
	if (!meaning || !holdsPath) return base.host === 'legacy' ? 'unclear' : undefined;
	const pairs = query.flatMap((part, index) => (index === 0 ? part : [{ text: '?' }, ...part]));
	return { base, ...meaning, query: readPairs(pairs) };
}

/** The version 2 form of a parsed address, as an n8n parameter value. */
export function writeAddress(address: ServiceAddress, baseUrl: string): string {
	const { before, after } = PATHS[address.endpoint];
	const { code, fieldPath } = address.base;
	const format = address.format && address.format !== 'json' ? `.${address.format}` : '';
	const path = mergedTexts([
		{ text: before },
		...parseTemplate(address.jobId ?? ''),
		{ text: after + format },
		...(address.query.length > 0 ? [{ text: '?' }, ...writePairs(address.query)] : []),
	]);
	const [first, ...rest] = path;
	const begun = first && 'text' in first ? first.text.slice(fieldPath.length) : '';
	return renderTemplate(
		mergedTexts([...(code.length > 0 ? code : [{ text: baseUrl }]), { text: begun }, ...rest]),
	);
}
