import { withoutEnd } from '../service/text';
import { type Findings, noFindings } from './json/findings';
import { literal } from './json/texts';
import { readWorkflow, type Workflow, type WorkflowNode } from './json/workflowJson';
import { keepRequests, type Replacement, replaceRequests } from './replace/replaceRequests';
import { markdownReport } from './report';
import { type Hosts, plainAddress } from './request/address';
import { isHttpRequest } from './request/httpRequest';
import { collectKeys, fieldsFor, type Keys, takeKeys } from './request/keys';
import { formatOf, parametersOf, readRequests, type ServiceRequest, type Way } from './request/request';
import { convertRequest, writeRequest } from './request/updateRequest';
import { adaptDownload, isRead, type KeptWords } from './results/adapter';
import { listMentions } from './results/mentions';
import { emptyKeyFields, redactWorkflow } from './secrets';

export interface ConvertOptions {
	/** `replaceNodes` turns requests into Price Collection nodes; `updateRequests` keeps the HTTP Request nodes. */
	conversion: 'replaceNodes' | 'updateRequests';
	/** Address of version 2; `/v2` at its end is ignored. */
	baseUrl: string;
	/** The retired address. */
	legacyBaseUrl: string;
}

export interface ConvertedWorkflow extends Findings {
	workflow: Workflow;
	changed: boolean;
	/** `changes` and `warnings` as Markdown, with the steps to finish. */
	report: string;
}

function readHosts({ legacyBaseUrl, baseUrl }: ConvertOptions): Hosts | { problem: string } {
	const [legacy, current] = [plainAddress(legacyBaseUrl), plainAddress(baseUrl)];
	if (legacy === undefined) {
		return { problem: 'The Legacy Base URL is not an address. Enter the one your workflows still use.' };
	}
	if (current === undefined) {
		return { problem: 'The Base URL is not an address. Enter the address of version 2 of the service.' };
	}
	if (legacy === current) {
		return { problem: 'Base URL and Legacy Base URL are the same. Enter the new address in Base URL.' };
	}
	return { legacy, current };
}

/** Names in the version 1 creations that adapters must not convert back to version 1. */
function keptWords(requests: readonly ServiceRequest[]): KeptWords {
	const entries = requests
		.filter(({ address }) => address.version === 1 && address.endpointName === 'create')
		.flatMap(parametersOf);
	const texts = (wanted: string, pattern: RegExp) =>
		entries.flatMap(({ name, value }) =>
			name === wanted && typeof value === 'string' && pattern.test(value) ? [value] : [],
		);
	return { sources: texts('source', /^[a-z0-9]+(_[a-z0-9]+)+$/), keys: texts('key', /^(id|term)$/) };
}

/** Writes the new address to the Set node fields that hold the beginning of addresses. */
function updateFields(requests: readonly ServiceRequest[], baseUrl: string, findings: Findings): void {
	for (const { base } of requests.map(({ address }) => address)) {
		for (const { node, name: parameter, value, set } of base.fields) {
			const address = baseUrl + base.fieldPath;
			const message = `The field "${parameter}" now holds the new address.`;
			const isReported = findings.changes.some(
				(one) => one.node === node && one.parameter === parameter,
			);
			set(address);
			if (value !== address && !isReported) findings.changes.push({ node, parameter, message });
		}
	}
}

/** Asks the user for each credential once, for all nodes that need it. Returns one text per credential. */
function askForCredentials({ replaced, kept }: Replacement, baseUrl: string, findings: Findings): string[] {
	const nodesByCredential = new Map<string, string[]>();
	const addNode = (node: WorkflowNode, way: Way) => {
		const credential = `Create a Price Collection API credential with Base URL "${baseUrl}", ${fieldsFor(way)}.`;
		nodesByCredential.set(credential, [...(nodesByCredential.get(credential) ?? []), node.name]);
	};
	for (const { node, request } of replaced) if (request.key) addNode(node, request.key.way);
	for (const { node, key } of kept) if (key?.wasInNode) addNode(node, key.way);
	return [...nodesByCredential].map(([credential, names]) => {
		const nodes = `"${names.join('", "')}"`;
		const suggestion = `${credential} Select it in ${nodes}.`;
		findings.warnings.push({ message: `A credential has to be selected in ${nodes}.`, suggestion });
		return suggestion;
	});
}

/** Whether an adapter can restore the version 1 output of a download. */
const isAdaptable = (request: ServiceRequest): boolean =>
	request.response.isJson && formatOf(request) === 'json' && !request.node.type.endsWith('Tool');

/** Adds adapters after the version 1 downloads whose output is read. */
function adaptDownloads(
	workflow: Workflow,
	downloads: readonly ServiceRequest[],
	kept: KeptWords,
	findings: Findings,
): void {
	for (const request of downloads) {
		const { node, address, response } = request;
		const { name } = node;
		if (address.version !== 1 || !isAdaptable(request) || !isRead(workflow, name)) continue;
		adaptDownload(workflow, node, response.prefix, kept);
		const message = `The request is now called "${node.name}". "${name}" is now an Edit Fields node after it, which outputs the results in the shape of version 1, so nothing else has to change.`;
		findings.changes.push({ node: name, message });
	}
}

/** Whether a version 1 request's output changes and gets no adapter. */
function isBare(request: ServiceRequest): boolean {
	const { endpointName, version } = request.address;
	const isJob = endpointName === 'create' || endpointName === 'get';
	return version === 1 && (isJob || (endpointName === 'download' && !isAdaptable(request)));
}

function convertRead(workflow: Workflow, hosts: Hosts, options: ConvertOptions): ConvertedWorkflow {
	const findings = noFindings();
	const { requests, doubts } = readRequests(workflow, hosts);
	findings.warnings.push(...doubts);
	const finish = (credentials: readonly string[] = []): ConvertedWorkflow => {
		const name = typeof workflow.name === 'string' ? workflow.name : 'Workflow';
		const report = markdownReport(name, findings, credentials);
		return { workflow, ...findings, changed: findings.changes.length > 0, report };
	};
	if (requests.length === 0 && !literal(hosts.legacy).test(JSON.stringify(workflow.nodes))) return finish();
	const baseUrl = withoutEnd(options.baseUrl.trim(), '/').replace(/\/v2$/, '');
	const requestNames = new Set([
		...requests.map(({ node }) => node.name),
		...doubts.map(({ node }) => node),
	]);
	const foreign = new Set(
		workflow.nodes.filter((node) => isHttpRequest(node) && !requestNames.has(node.name)),
	);
	const keys: Keys = { values: new Set(), fields: [] };
	const serviceHosts = literal(hosts.legacy, hosts.current);
	for (const node of workflow.nodes)
		if (!foreign.has(node)) collectKeys(node.parameters, serviceHosts, keys);
	collectKeys(workflow.pinData, serviceHosts, keys);
	const kept = keptWords(requests);
	for (const request of requests) {
		takeKeys(request, workflow, keys, findings);
		collectKeys(
			request.unreadable.map((name) => request.node.parameters[name]),
			/^/,
			keys,
		);
		convertRequest(request, findings);
	}
	updateFields(requests, baseUrl, findings);
	const bare = new Set(requests.filter(isBare).map(({ node }) => node.name));
	const isReplacing = options.conversion === 'replaceNodes';
	const outcome = isReplacing
		? replaceRequests(workflow, requests, kept, findings)
		: keepRequests(requests);
	for (const request of outcome.kept) writeRequest(request, baseUrl, findings);
	adaptDownloads(workflow, outcome.downloads, kept, findings);
	const credentials = askForCredentials(outcome, baseUrl, findings);
	const consumed = new Set([...requests, ...outcome.replaced].map(({ node }) => node));
	listMentions(workflow, { legacy: hosts.legacy, consumed, bare }, findings);
	emptyKeyFields(workflow, keys, findings);
	redactWorkflow(workflow, keys, foreign, findings);
	return finish(credentials);
}

/**
 * Converts a workflow that uses version 1 of the service, or its retired address. Does not change the input. Converting
 * the result again changes nothing.
 *
 * @param value the workflow's JSON as exported by n8n
 * @returns `problem`, as one or more sentences, if the conversion cannot begin
 */
export function convertWorkflow(
	value: unknown,
	options: ConvertOptions,
): ConvertedWorkflow | { problem: string } {
	const read = readWorkflow(value);
	if ('problem' in read) return { problem: `The workflow cannot be converted: ${read.problem}.` };
	const hosts = readHosts(options);
	return 'problem' in hosts ? hosts : convertRead(read.workflow, hosts, options);
}
