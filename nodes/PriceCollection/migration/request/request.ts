import { ACCEPT, DOWNLOAD_FORMATS, type DownloadFormat } from '../../service/formats';
import type { Finding } from '../json/findings';
import type { Entry } from '../code/objects';
import { within, type Workflow, type WorkflowNode } from '../json/workflowJson';
import { type Hosts, readAddress, type ServiceAddress } from './address';
import { isKeyName } from './creation';
import { type HttpParameters, isClassic, isHttpRequest, readHttpRequest } from './httpRequest';

/** How an HTTP Request node handles the reply. */
export interface ResponseHandling {
	/** Whether the node reads the body as JSON. */
	isJson: boolean;
	/** Where the item holds the body: `['body']` for a full response, otherwise `[]`, the item itself. */
	prefix: string[];
	/** Whether error replies count as success. */
	toleratesErrors: boolean;
}

/** How a key is sent, in the terms of the credential that will replace it. */
export interface Way {
	kind: 'query' | 'header' | 'bearer' | 'basic' | 'other';
	/** Name of the parameter or header; undefined if none is needed or only an n8n credential contains it. */
	name?: string;
	/** Name of the n8n credential that holds the key. */
	credential?: string;
}

/** An HTTP Request node that calls the service. */
export interface ServiceRequest extends Omit<HttpParameters, 'url'> {
	node: WorkflowNode;
	address: ServiceAddress;
	response: ResponseHandling;
	/** How its key is sent, and whether it was in the node. Set by `takeKeys`, unless the node uses our credential. */
	key?: { way: Way; wasInNode: boolean };
	/** Why its authentication prevents a replacement. */
	obstacle?: string;
}

/** A request's parameters except headers. If a name occurs twice, the later one counts. */
export const parametersOf = ({ sections }: ServiceRequest): Entry[] =>
	sections.filter(({ place }) => place !== 'headers').flatMap(({ entries }) => entries);

const OTHER_FORMATS = DOWNLOAD_FORMATS.filter((format) => format !== 'json');

/** The requested format, from path, parameter or header; `json` by default. */
export function formatOf({ address, sections }: ServiceRequest): DownloadFormat {
	const requested = sections
		.flatMap(({ entries }) => entries)
		.filter(({ name }) => /^(format|accept)$/i.test(name));
	const text = [address.format, ...requested.map(({ value }) => value)].join(' ').toLowerCase();
	// By the media type first: that of XLSX contains "xml".
	const named = (isNamed: (format: DownloadFormat) => boolean) => OTHER_FORMATS.find(isNamed);
	return (
		named((format) => text.includes(ACCEPT[format])) ?? named((format) => text.includes(format)) ?? 'json'
	);
}

function readResponse(node: WorkflowNode): ResponseHandling {
	const { options } = node.parameters;
	const reply = isClassic(node) ? options : within(options, 'response', 'response');
	const format = isClassic(node) ? node.parameters.responseFormat : within(reply, 'responseFormat');
	return {
		isJson: format === undefined || format === 'json' || format === 'autodetect',
		prefix: within(reply, 'fullResponse') === true ? ['body'] : [],
		toleratesErrors: within(reply, isClassic(node) ? 'ignoreResponseCode' : 'neverError') === true,
	};
}

/** Whether path and parameters identify a creation, whatever the host. */
function looksLikeCreation(request: ServiceRequest): boolean {
	const names = new Set(parametersOf(request).map(({ name }) => name));
	const hasValue = ['value', 'values', 'source_id', 'keyword', 'gtin'].some((name) => names.has(name));
	return (
		request.address.endpointName === 'create' && names.has('source') && names.has('country') && hasValue
	);
}

/**
 * Finds the requests to convert: to the retired address, with a version 1 path to the current address, and to an unknown
 * host (in a variable, for example) to which a creation is sent. `doubts` reports nodes that may call the service too.
 */
export function readRequests(
	workflow: Workflow,
	hosts: Hosts,
): { requests: ServiceRequest[]; doubts: Finding[] } {
	const read: ServiceRequest[] = [];
	const doubts: Finding[] = [];
	for (const node of workflow.nodes.filter(isHttpRequest)) {
		const http = readHttpRequest(node);
		const location = { node: node.name, parameter: 'url' };
		const address = http && readAddress(http.url, http.method, node.name, workflow, hosts);
		if (address === 'unclear') {
			const message = 'The request goes to the retired address, but its path is unknown.';
			doubts.push({
				...location,
				message,
				suggestion: 'Write the new address with its path under /v2.',
			});
		} else if (http && address) {
			const query = { entries: address.query, original: address.query, write: () => undefined };
			const sections = [{ place: 'query' as const, parameter: 'url', ...query }, ...http.sections];
			read.push({ ...http, sections, node, address, response: readResponse(node) });
		}
	}
	const trusted = new Set(read.filter(looksLikeCreation).map(({ address }) => address.base.identity));
	const requests: ServiceRequest[] = [];
	for (const request of read) {
		const { base, version } = request.address;
		if (base.host === 'legacy' || (base.host === 'current' && version === 1)) requests.push(request);
		else if (base.host === 'unknown' && trusted.has(base.identity)) requests.push(request);
		else if (base.host === 'unknown' && version === 1) {
			doubts.push({
				node: request.node.name,
				parameter: 'url',
				message:
					'This may be a request to the service: its path belongs to version 1, but its host cannot be read.',
				suggestion: 'If it is, write the new address into the node and convert again.',
			});
		}
	}
	return { requests, doubts };
}

const PLAIN_HEADERS = new Set(['accept', 'content-type', 'user-agent', 'cache-control', 'accept-encoding']);

/** Whether a header is neither one that HTTP clients usually send nor named like a key. */
export const isOwnHeader = ({ name }: Entry): boolean =>
	name !== '' && !PLAIN_HEADERS.has(name.toLowerCase()) && !isKeyName(name);

const UNSUPPORTED_OPTIONS = ['proxy', 'pagination', 'allowUnauthorizedCerts'];

/** Why no Price Collection node can replace a request; undefined if one can. Call it after `takeKeys`. */
export function obstacleOf(request: ServiceRequest): string | undefined {
	const { node, sections, unreadable, address, response, obstacle } = request;
	const { parameters } = node;
	const bound = sections.flatMap(({ entries }) => entries).find(({ isBound }) => isBound);
	const headers = sections.filter(({ place }) => place === 'headers').flatMap(({ entries }) => entries);
	const option = UNSUPPORTED_OPTIONS.find(
		(name) => within(parameters.options, name) || parameters[name] === true,
	);
	if (node.type.endsWith('Tool')) return 'it is a tool of an AI agent';
	if (!response.isJson || formatOf(request) !== 'json') return 'it reads the reply as text or as a file';
	if (response.prefix.length > 0) return 'it outputs the full response with its headers';
	if (response.toleratesErrors) return 'it treats error replies as success';
	if (unreadable.length > 0) return `"${unreadable.join('", "')}" cannot be read`;
	if (address.endpointName !== 'create' && parametersOf(request).length > 0)
		return 'it sends additional parameters';
	if (bound) return `"${bound.name}" is an expression that also writes part of the text around it`;
	if (parameters.provideSslCertificates === true) return 'it uses a client certificate';
	if (option !== undefined) return `it uses the option "${option}"`;
	return headers.some(isOwnHeader) ? 'it sends additional headers' : obstacle;
}
