import type { KnownAddresses, ServiceAddress } from './address';
import { readAddress } from './address';
import type { HttpParameters } from './httpRequest';
import { isClassic, isHttpRequest, readHttpRequest } from './httpRequest';
import type { WorkflowNode } from './workflowJson';
import { isRecord } from './workflowJson';

/** What an HTTP Request node makes of the reply. */
export interface ResponseHandling {
	/** Whether the JSON body becomes the item, or `prefix` a part of it. */
	isJson: boolean;
	prefix: string[];
	/** Whether error replies count as success. */
	toleratesErrors: boolean;
}

/** An HTTP Request node that speaks to the service. */
export interface ServiceRequest {
	node: WorkflowNode;
	address: ServiceAddress;
	http: HttpParameters;
	response: ResponseHandling;
}

const within = (value: unknown, ...path: string[]): unknown =>
	path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);

function readResponse(node: WorkflowNode): ResponseHandling {
	const { parameters } = node;
	const options = isClassic(node)
		? parameters.options
		: within(parameters, 'options', 'response', 'response');
	const format = isClassic(node) ? parameters.responseFormat : within(options, 'responseFormat');
	const full = within(options, 'fullResponse') === true;
	const tolerant = within(options, isClassic(node) ? 'ignoreResponseCode' : 'neverError') === true;
	return {
		isJson: format === undefined || format === 'json' || format === 'autodetect',
		prefix: full ? ['body'] : [],
		toleratesErrors: tolerant,
	};
}

/** Whether a version 1 creation is recognisable by its parameters, whatever its address. */
const looksLikeCreation = (http: HttpParameters): boolean => {
	const names = new Set(http.sections.flatMap(({ entries }) => entries.map(({ name }) => name)));
	const value = ['value', 'values', 'source_id', 'keyword', 'gtin'].some((name) => names.has(name));
	return names.has('source') && names.has('country') && value;
};

/** The requests of a workflow to the service, and the nodes that may send more of them. */
export interface ReadRequests {
	requests: ServiceRequest[];
	/** Version 1 paths on a host that cannot be read, in a workflow that tells no more about it. */
	doubtful: WorkflowNode[];
}

/** Reads all nodes that send requests to the service, among them those with its host in a variable. */
export function readRequests(nodes: readonly WorkflowNode[], known: KnownAddresses): ReadRequests {
	const read = nodes.filter(isHttpRequest).flatMap((node): ServiceRequest[] => {
		const http = readHttpRequest(node);
		const address = http && readAddress(http.url, http.method, known);
		return http && address ? [{ node, http, address, response: readResponse(node) }] : [];
	});
	const trusted = new Set(
		read
			.filter(({ address, http }) => address.endpoint === 'create' && looksLikeCreation(http))
			.map(({ address }) => address.baseCode),
	);
	const isCertain = ({ address }: ServiceRequest): boolean => {
		if (address.base === 'current') return address.version === 1;
		return address.base === 'legacy' || trusted.has(address.baseCode);
	};
	const requests = read.filter(isCertain);
	const doubtful = read
		.filter((request) => !isCertain(request) && request.address.base === 'unknown')
		.filter(
			({ address }) =>
				address.version === 1 && (requests.length > 0 || address.endpoint === 'download'),
		)
		.map(({ node }) => node);
	return { requests, doubtful };
}

const PLAIN_HEADERS = new Set(['accept', 'content-type', 'user-agent', 'cache-control', 'accept-encoding']);

/** Why a request cannot be replaced by a Price Collection node; empty when it can. Keys are out already. */
export function replacementObstacles({ node, http, address, response }: ServiceRequest): string[] {
	const { parameters } = node;
	const { options } = parameters;
	const obstacles: string[] = [];
	if (node.type.endsWith('Tool')) obstacles.push('it is a tool of an AI agent');
	if (!response.isJson || (address.format ?? 'json') !== 'json')
		obstacles.push('it takes the reply as text or file');
	if (response.prefix.length > 0) obstacles.push('it gives the full response with its headers');
	if (response.toleratesErrors) obstacles.push('it treats error replies as success');
	if (http.unreadable.length > 0) obstacles.push(`"${http.unreadable.join('", "')}" cannot be read`);
	if (parameters.provideSslCertificates === true) obstacles.push('it uses a client certificate');
	for (const name of ['proxy', 'pagination', 'allowUnauthorizedCerts']) {
		if (within(options, name)) obstacles.push(`it uses the option "${name}"`);
	}
	if (parameters.allowUnauthorizedCerts === true)
		obstacles.push('it uses the option "allowUnauthorizedCerts"');
	const headers = http.sections
		.filter(({ place }) => place === 'headers')
		.flatMap(({ entries }) => entries);
	const own = headers.filter(({ name }) => name !== '' && !PLAIN_HEADERS.has(name.toLowerCase()));
	if (own.length > 0) obstacles.push('it sends headers of its own');
	return obstacles;
}
