import type { KnownAddresses } from './address';
import { plainAddress, readAddress, restUnder, writeAddress } from './address';
import { listLeftovers, listOldAddresses } from './leftovers';
import { convertPinData } from './pinData';
import { rewriteReaders } from './readers';
import type { Replacement } from './replaceRequests';
import { originOf, replaceRequests } from './replaceRequests';
import type { Report } from './report';
import { newReport } from './report';
import type { ServiceRequest } from './request';
import { readRequests } from './request';
import type { Keys } from './secrets';
import { collectKeysInTexts, emptyKeyFields, noKeys, redactWorkflow } from './secrets';
import { setFields } from './setNode';
import { followShapes } from './shapes';
import { updateSplits } from './splits';
import { convertRequest, writeRequest } from './updateRequest';
import type { WorkflowJson, WorkflowNode } from './workflowJson';
import { readWorkflow } from './workflowJson';

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

export interface ConvertedWorkflow extends Report {
	workflow: WorkflowJson;
	changed: boolean;
}

/** A conversion that could not begin, with the sentence that says why. */
export interface Refused {
	problem: string;
}

function knownAddresses(options: ConvertOptions, workflow: WorkflowJson): KnownAddresses | Refused {
	const legacy = plainAddress(options.legacyBaseUrl);
	const current = plainAddress(options.baseUrl);
	if (legacy === undefined) {
		return { problem: 'The Legacy Base URL is not an address. Enter the one your workflows use so far.' };
	}
	if (current === undefined) {
		return { problem: 'The Base URL is not an address. Enter that of version 2 of the service.' };
	}
	if (legacy === current) {
		return { problem: 'Base URL and Legacy Base URL are the same. Enter the new address in Base URL.' };
	}
	const fields = new Map<string, 'legacy' | 'current'>();
	for (const { name, value } of workflow.nodes.flatMap(setFields)) {
		const plain = plainAddress(value);
		if (plain === legacy) fields.set(name, 'legacy');
		else if (plain === current) fields.set(name, 'current');
	}
	return { legacy, current, fields };
}

/** Set nodes that hold the retired address get the new one. */
function updateFields(workflow: WorkflowJson, known: KnownAddresses, baseUrl: string, report: Report): void {
	for (const node of workflow.nodes) {
		for (const field of setFields(node)) {
			const rest = restUnder(field.value, known.legacy);
			if (rest === undefined) continue;
			const address = /^\/(v2\/?)?$/.test(rest) ? undefined : readAddress(field.value, 'GET', known);
			if (rest !== '' && !/^\/(v2\/?)?$/.test(rest) && !address) continue;
			field.set(address ? writeAddress({ ...address, baseCode: undefined }, baseUrl) : baseUrl);
			const message = `The field "${field.name}" holds the new address now.`;
			report.changes.push({ node: node.name, parameter: field.name, message });
		}
	}
}

function reportDoubtful(nodes: readonly WorkflowNode[], report: Report): void {
	for (const { name } of nodes) {
		report.warnings.push({
			node: name,
			parameter: 'url',
			message:
				'This may be a request to the service: the path is one of version 1, the host cannot be read.',
			suggestion: 'If it is, write the new address into the node and convert again.',
		});
	}
}

/** The one thing that only a person can do. */
function askForCredential({ replaced }: Replacement, baseUrl: string, report: Report): void {
	if (replaced.length === 0) return;
	report.warnings.push({
		message: `The new nodes need a credential: "${replaced.map(({ name }) => name).join('", "')}".`,
		suggestion: `Create one Price Collection API credential with the Base URL ${baseUrl} and your key, and select it in each of them.`,
	});
}

function updateRequests(requests: readonly ServiceRequest[]): Replacement {
	const origins: Replacement['origins'] = new Map();
	for (const request of requests) {
		const origin = originOf(request);
		if (origin) origins.set(request.node.name, origin);
	}
	return { origins, kept: [...requests], replaced: [] };
}

function finish(
	workflow: WorkflowJson,
	known: KnownAddresses,
	keys: Keys,
	report: Report,
): ConvertedWorkflow {
	emptyKeyFields(workflow, keys, report);
	listOldAddresses(workflow.nodes, known.legacy, report);
	redactWorkflow(workflow, keys, report);
	return { workflow, ...report, changed: report.changes.length > 0 };
}

function convertRead(
	workflow: WorkflowJson,
	known: KnownAddresses,
	options: ConvertOptions,
): ConvertedWorkflow {
	const report = newReport();
	const keys = noKeys();
	const { requests, doubtful } = readRequests(workflow.nodes, known);
	reportDoubtful(doubtful, report);
	const isConcerned =
		requests.length > 0 || JSON.stringify(workflow.nodes).toLowerCase().includes(known.legacy);
	if (!isConcerned) return { workflow, ...report, changed: false };
	const baseUrl = options.baseUrl.trim().replace(/\/+$/, '').replace(/\/v2$/, '');
	const texts = [workflow.nodes.map(({ parameters }) => parameters), workflow.pinData];
	collectKeysInTexts(texts, [known.legacy, known.current], keys);
	const topic = options.topic ?? 'product_and_offers';
	const hadKey = new Map(
		requests.map((request) => [request, convertRequest(request, topic, keys, report)]),
	);
	const replacement =
		options.conversion === 'replaceNodes'
			? replaceRequests(workflow, requests, report)
			: updateRequests(requests);
	for (const request of replacement.kept) {
		writeRequest(request, baseUrl, hadKey.get(request) === true, report);
		const origin = originOf(request);
		if (origin) replacement.origins.set(request.node.name, origin);
	}
	askForCredential(replacement, baseUrl, report);
	const flows = followShapes(workflow.nodes, workflow.connections, replacement.origins);
	rewriteReaders(workflow.nodes, flows, report);
	listLeftovers(workflow.nodes, flows, report);
	updateSplits(workflow.nodes, flows, report);
	convertPinData(workflow, flows, report);
	updateFields(workflow, known, baseUrl, report);
	return finish(workflow, known, keys, report);
}

/**
 * Converts a workflow that uses version 1 of the service, or its retired address. The input is not
 * altered; converting the result again changes nothing.
 * @param value the workflow's JSON, as n8n exports it
 */
export function convertWorkflow(value: unknown, options: ConvertOptions): ConvertedWorkflow | Refused {
	const read = readWorkflow(value);
	if ('problem' in read) return { problem: `This is not a workflow of n8n: ${read.problem}.` };
	const known = knownAddresses(options, read.workflow);
	return 'problem' in known ? known : convertRead(read.workflow, known, options);
}
