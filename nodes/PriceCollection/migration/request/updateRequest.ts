import type { IDataObject } from 'n8n-workflow';

import type { Findings } from '../json/findings';
import type { WorkflowNode } from '../json/workflowJson';
import { writeAddress } from './address';
import { convertEntries } from './creation';
import { isClassic, type Section } from './httpRequest';
import { useCredential } from './keys';
import { formatOf, parametersOf, type ServiceRequest } from './request';

/** The topic that version 1 always collected. */
const OLD_TOPIC = 'product_and_offers';

/**
 * Converts a version 1 request's creation parameters to version 2. Changes only the request's entries, not the node.
 * Warns about replies that may differ.
 */
export function convertRequest(request: ServiceRequest, findings: Findings): void {
	const { address, node, response } = request;
	if (address.version !== 1) return;
	const { endpointName } = address;
	const format = formatOf(request);
	if (endpointName === 'create') convertCreation(request, findings);
	const warn = (message: string, suggestion: string) =>
		findings.warnings.push({ node: node.name, parameter: 'url', message, suggestion });
	if (endpointName === 'download' && (format !== 'json' || !response.isJson)) {
		warn(
			`The results are read as ${format === 'json' ? 'text or a file' : format.toUpperCase()}, which has a new layout in version 2.`,
			'Check the nodes that read them: "products" is now "results". In XML, the root is "results" and contains "result".',
		);
	}
	if (endpointName === 'usageToday' || endpointName === 'usageMonth') {
		warn('The reply about usage is not documented.', 'Check the nodes that read it.');
	}
}

function convertCreation(request: ServiceRequest, findings: Findings): void {
	const { node, sections, unreadable } = request;
	const all = parametersOf(request);
	for (const section of sections.filter(({ place }) => place !== 'headers')) {
		const outcome = convertEntries(section.entries, all);
		section.entries = outcome.entries;
		for (const kind of ['changes', 'warnings'] as const) {
			for (const finding of outcome.findings[kind]) {
				const parameter = `${section.parameter}.${finding.parameter ?? ''}`;
				findings[kind].push({ ...finding, node: node.name, parameter });
			}
		}
	}
	for (const parameter of unreadable) {
		findings.warnings.push({
			node: node.name,
			parameter,
			message: 'The parameters are built at run time and were not changed.',
			suggestion:
				'Version 2 needs "topic", "id" instead of "source_id" and "term" instead of "keyword". Put a Price Collection node (Migration, Convert Parameters) before this node.',
		});
	}
	if (!all.some(({ name }) => name === 'topic') && all.length > 0) addTopic(request, findings);
}

/** Adds the topic next to the other creation parameters. */
function addTopic({ node, sections }: ServiceRequest, findings: Findings): void {
	const candidates = sections.filter(({ place, entries }) => place !== 'headers' && entries.length > 0);
	const section = candidates.find(({ place }) => place === 'body') ?? candidates[0];
	if (!section) return;
	const name = 'topic';
	section.entries = [{ name, value: OLD_TOPIC }, ...section.entries];
	findings.changes.push({
		node: node.name,
		parameter: section.parameter,
		message: `"topic: ${OLD_TOPIC}" was added.`,
	});
}

/** Writes a converted request back to its HTTP Request node. */
export function writeRequest(request: ServiceRequest, baseUrl: string, findings: Findings): void {
	const { node, sections, address } = request;
	const [query, ...otherSections] = sections;
	const url = writeAddress({ ...address, query: query?.entries ?? [] }, baseUrl);
	if (url !== node.parameters.url) {
		node.parameters.url = url;
		const message = 'The address was changed to that of version 2.';
		findings.changes.push({ node: node.name, parameter: 'url', message });
	}
	if (address.base.host === 'unknown') {
		findings.warnings.push({
			node: node.name,
			parameter: 'url',
			message: 'The host of the address comes from a variable or from data that cannot be read here.',
			suggestion: `Set it to ${baseUrl}, without a path.`,
		});
	}
	if (JSON.stringify(node.parameters).includes('"multipart-form-data"')) {
		findings.warnings.push({
			node: node.name,
			message: 'The parameters are sent as multipart form data, which version 2 may not accept.',
			suggestion: 'Send them as JSON or form-urlencoded.',
		});
	}
	for (const section of otherSections) writeSection(section, node);
	useCredential(request);
}

const SEND_SWITCHES = { query: 'sendQuery', headers: 'sendHeaders', body: 'sendBody' } as const;

/** Writes a section if it changed. Switches it off if it is empty. */
function writeSection(section: Section, node: WorkflowNode): void {
	const { entries, original, parameter, place } = section;
	if (entries.length === original.length && entries.every((entry, index) => entry === original[index]))
		return;
	section.write(node.parameters, entries);
	if (entries.length > 0) return;
	const parameters: IDataObject = node.parameters;
	delete parameters[parameter];
	if (!isClassic(node)) parameters[SEND_SWITCHES[place]] = false;
}
