import type { Findings } from './json/findings';
import { noFindings } from './json/findings';
import type { SetField } from './json/setNode';
import type { Workflow, WorkflowNode } from './json/workflowJson';
import { readWorkflow } from './json/workflowJson';
import { keepRequests, replaceRequests } from './replace/replaceRequests';
import type { Hosts } from './request/address';
import { plainAddress } from './request/address';
import { isHttpRequest } from './request/httpRequest';
import {
	classicFields,
	collectKeys,
	collectUnreadableKeys,
	fieldsFor,
	noKeys,
	takeKeys,
} from './request/keys';
import type { ServiceRequest } from './request/request';
import { readRequests } from './request/request';
import { convertRequest, writeRequest } from './request/updateRequest';
import { markdownReport } from './report';
import type { KeptWords } from './results/adapter';
import { adaptDownload, isRead } from './results/adapter';
import { listMentions } from './results/mentions';
import { emptyKeyFields, redactWorkflow } from './secrets';

export interface ConvertOptions {
	/** `replaceNodes` puts Price Collection nodes in place, `updateRequests` keeps HTTP Request nodes. */
	conversion: 'replaceNodes' | 'updateRequests';
	/** Address of version 2, without `/v2`. */
	baseUrl: string;
	/** The retired address. */
	legacyBaseUrl: string;
	/** What version 1 collected, unless told otherwise. */
	topic?: string;
}

export interface ConvertedWorkflow extends Findings {
	workflow: Workflow;
	changed: boolean;
	/** The same as `changes` and `warnings`, as Markdown for a person, with how to finish. */
	report: string;
}

/** A conversion that could not begin, with the sentence that says why. */
export interface Refused {
	problem: string;
}

function readHosts({ legacyBaseUrl, baseUrl }: ConvertOptions): Hosts | Refused {
	const [legacy, current] = [plainAddress(legacyBaseUrl), plainAddress(baseUrl)];
	if (legacy === undefined) {
		return { problem: 'The Legacy Base URL is not an address. Enter the one your workflows use so far.' };
	}
	if (current === undefined) {
		return { problem: 'The Base URL is not an address. Enter that of version 2 of the service.' };
	}
	if (legacy === current) {
		return { problem: 'Base URL and Legacy Base URL are the same. Enter the new address in Base URL.' };
	}
	return { legacy, current };
}

/** The names that the workflow's own version 1 creations have in common with version 2, where both mean themselves. */
function keptWords(requests: readonly ServiceRequest[]): KeptWords {
	const entries = requests
		.filter(({ address }) => address.version === 1 && address.endpoint === 'create')
		.flatMap(({ address, http }) => [
			...address.query,
			...http.sections.flatMap((section) => section.entries),
		]);
	const texts = (name: string) =>
		entries.flatMap((entry) =>
			entry.name === name && typeof entry.value === 'string' ? [entry.value] : [],
		);
	return {
		sources: texts('source').filter((source) => /^[a-z0-9]+(_[a-z0-9]+)+$/.test(source)),
		keys: texts('key').filter((key) => key === 'id' || key === 'term'),
	};
}

/** Set nodes whose fields addresses are built from get the new address. */
function updateFields(requests: readonly ServiceRequest[], baseUrl: string, findings: Findings): void {
	const seen = new Map<string, [SetField, string]>();
	for (const { base } of requests.map(({ address }) => address)) {
		for (const field of base.fields)
			seen.set(JSON.stringify([field.node, field.name]), [field, base.fieldPath]);
	}
	for (const [field, path] of seen.values()) {
		if (field.value === baseUrl + path) continue;
		field.set(baseUrl + path);
		const message = `The field "${field.name}" holds the new address now.`;
		findings.changes.push({ node: field.node, parameter: field.name, message });
	}
}

/** A node that needs a credential which only a person can select, and how to make that. */
interface Need {
	node: string;
	credential: string;
}

/** Asks for each credential once, for all nodes that need it. */
function askForCredentials(needs: readonly Need[], findings: Findings): string[] {
	const byCredential = new Map<string, string[]>();
	for (const { node, credential } of needs) {
		byCredential.set(credential, [...(byCredential.get(credential) ?? []), node]);
	}
	return [...byCredential].map(([credential, nodes]) => {
		const named = `"${nodes.join('", "')}"`;
		const suggestion = `Create ${credential}. Select it in ${named}.`;
		findings.warnings.push({ message: `A credential has to be selected in ${named}.`, suggestion });
		return suggestion;
	});
}

/** Adapters behind the downloads of version 1 that something reads; gives the adapters' names. */
function adaptDownloads(
	workflow: Workflow,
	downloads: readonly ServiceRequest[],
	kept: KeptWords,
	findings: Findings,
): void {
	for (const { node, address, response } of downloads) {
		const isJson = response.isJson && (address.format ?? 'json') === 'json';
		const { name } = node;
		if (address.version !== 1 || !isJson || node.type.endsWith('Tool') || !isRead(workflow, name))
			continue;
		adaptDownload(workflow, node, response.prefix, kept);
		const message = `The request is called "${node.name}" now. "${name}" is an Edit Fields node behind it that gives the results in the shape of version 1, so that nothing else has to change.`;
		findings.changes.push({ node: name, message });
	}
}

/** Whether what a request gives is not that of version 1, and no adapter makes it so. */
function isBare({ node, address, response }: ServiceRequest): boolean {
	const { endpoint, format = 'json', version } = address;
	if (version !== 1 || endpoint === 'cancel' || endpoint === 'list') return false;
	return endpoint !== 'download' || format !== 'json' || !response.isJson || node.type.endsWith('Tool');
}

function convertRead(workflow: Workflow, hosts: Hosts, options: ConvertOptions): ConvertedWorkflow {
	const findings = noFindings();
	const keys = noKeys();
	const { requests, doubts } = readRequests(workflow, hosts);
	for (const { node, ...doubt } of doubts)
		findings.warnings.push({ node: node.name, parameter: 'url', ...doubt });
	const name = typeof workflow.name === 'string' ? workflow.name : 'Workflow';
	const isConcerned =
		requests.length > 0 || JSON.stringify(workflow.nodes).toLowerCase().includes(hosts.legacy);
	if (!isConcerned) {
		return { workflow, ...findings, changed: false, report: markdownReport(name, findings, []) };
	}
	const baseUrl = options.baseUrl.trim().replace(/\/+$/, '').replace(/\/v2$/, '');
	const nodes = new Set(requests.map(({ node }) => node));
	const foreign = new Set(workflow.nodes.filter((node) => isHttpRequest(node) && !nodes.has(node)));
	for (const { node } of doubts) foreign.delete(node);
	const texts = workflow.nodes.filter((node) => !foreign.has(node)).map(({ parameters }) => parameters);
	const isOurs = (text: string) =>
		Object.values(hosts).some((host: string) => text.toLowerCase().includes(host));
	collectKeys([texts, workflow.pinData], isOurs, keys);
	const kept = keptWords(requests);
	for (const request of requests) {
		takeKeys(request, workflow, keys, findings);
		collectUnreadableKeys(request, keys);
		convertRequest(request, options.topic ?? 'product_and_offers', findings);
	}
	updateFields(requests, baseUrl, findings);
	const replacement =
		options.conversion === 'replaceNodes'
			? replaceRequests(workflow, requests, kept, findings)
			: keepRequests(requests);
	for (const request of replacement.kept) writeRequest(request, baseUrl, findings);
	adaptDownloads(workflow, replacement.downloads, kept, findings);
	const credentials = askForCredentials(needsOf(replacement, baseUrl), findings);
	const consumed = new Set<WorkflowNode>([...nodes, ...replacement.replaced.map(({ node }) => node)]);
	const bare = new Set(requests.filter(isBare).map(({ node }) => node.name));
	listMentions(workflow, { legacy: hosts.legacy, consumed, bare }, findings);
	emptyKeyFields(workflow, keys, findings);
	redactWorkflow(workflow, keys, foreign, findings);
	const changed = findings.changes.length > 0;
	return { workflow, ...findings, changed, report: markdownReport(name, findings, credentials) };
}

function needsOf({ replaced, kept }: ReturnType<typeof keepRequests>, baseUrl: string): Need[] {
	const ours = (way: NonNullable<ServiceRequest['key']>['way']): string =>
		`a Price Collection API credential with Base URL "${baseUrl}", ${fieldsFor(way)}`;
	const forNew = replaced.flatMap(({ node, request: { key } }) =>
		key && node.parameters.resource !== 'migration'
			? [{ node: node.name, credential: ours(key.way) }]
			: [],
	);
	const forKept = kept.flatMap(({ node, key }) =>
		key?.wasInNode === true
			? [{ node: node.name, credential: node.typeVersion < 2 ? classicFields(key.way) : ours(key.way) }]
			: [],
	);
	return [...forNew, ...forKept];
}

/**
 * Converts a workflow that uses version 1 of the service, or its retired address. The input is not
 * altered; converting the result again changes nothing.
 * @param value the workflow's JSON, as n8n exports it
 */
export function convertWorkflow(value: unknown, options: ConvertOptions): ConvertedWorkflow | Refused {
	const read = readWorkflow(value);
	if ('problem' in read) return { problem: `This is not a workflow of n8n: ${read.problem}.` };
	const hosts = readHosts(options);
	return 'problem' in hosts ? hosts : convertRead(read.workflow, hosts, options);
}
