import { writeAddress } from './address';
import type { Section } from './httpRequest';
import { isClassic } from './httpRequest';
import type { Entry } from './parameters';
import { convertEntries, isKeyName } from './parameters';
import type { Report } from './report';
import type { ServiceRequest } from './request';
import type { Keys } from './secrets';
import { noteKey } from './secrets';
import type { WorkflowNode } from './workflowJson';

/**
 * Takes keys out of a request and turns its creation parameters into version 2, in the request's
 * own entries; the node is not written yet.
 * @returns whether there was a key
 */
export function convertRequest(request: ServiceRequest, topic: string, keys: Keys, report: Report): boolean {
	const hadKey = takeKeys(request, keys, report);
	const { address, node } = request;
	if (address.version === 1 && address.endpoint === 'create') {
		convertCreation(request, topic, report);
	}
	if (address.format === 'csv' || address.format === 'xml') {
		report.warnings.push({
			node: node.name,
			parameter: 'url',
			message: `The results are read as ${address.format.toUpperCase()}, whose layout is new in version 2.`,
			suggestion: 'Check the nodes that read them. XML: the root is "results" with "result" inside.',
		});
	}
	return hadKey;
}

function takeKeys({ node, http, address }: ServiceRequest, keys: Keys, report: Report): boolean {
	let found = address.hadUserInfo;
	const removed = (place: string) => {
		found = true;
		const message = 'The key was removed; the credential holds it now.';
		report.changes.push({ node: node.name, parameter: place, message });
	};
	if (found) removed('url');
	for (const section of http.sections) {
		for (const { name, value } of section.entries.filter((entry) => isKeyName(entry.name))) {
			noteKey(keys, value);
			removed(`${section.parameter}.${name}`);
		}
		section.entries = section.entries.filter(({ name }) => !isKeyName(name));
	}
	for (const { name, value } of address.query.filter((pair) => isKeyName(pair.name))) {
		noteKey(keys, value);
		removed(`url.${name}`);
	}
	address.query = address.query.filter(({ name }) => !isKeyName(name));
	return found;
}

function convertCreation(request: ServiceRequest, topic: string, report: Report): void {
	const { node, http, address } = request;
	const places = http.sections.filter(({ place }) => place !== 'headers');
	const all = [...places.flatMap(({ entries }) => entries), ...address.query];
	const names = new Set(all.map(({ name }) => name));
	const convert = (entries: readonly Entry[], where: string): Entry[] => {
		const outcome = convertEntries(entries, names);
		const about = (parameter = '') => ({ node: node.name, parameter: `${where}.${parameter}` });
		for (const kind of ['changes', 'warnings'] as const) {
			for (const entry of outcome.report[kind]) {
				report[kind].push({ ...entry, ...about(entry.parameter) });
			}
		}
		return outcome.entries;
	};
	for (const section of places) section.entries = convert(section.entries, section.parameter);
	address.query = convert(address.query, 'url').map(({ name, value }) => ({ name, value: String(value) }));
	if (http.unreadable.length > 0) warnOfUnreadable(request, report);
	if (!names.has('topic') && all.length > 0) addTopic(request, topic, report);
}

function warnOfUnreadable({ node, http }: ServiceRequest, report: Report): void {
	for (const parameter of http.unreadable) {
		report.warnings.push({
			node: node.name,
			parameter,
			message: 'The parameters are put together at run time and were left as they are.',
			suggestion:
				'Version 2 needs "topic", and calls "source_id" "id" and "keyword" "term". Put a Price Collection node (Migration, Convert Parameters) in front.',
		});
	}
}

/** Where the creation parameters stand, there the topic goes. */
function addTopic({ node, http, address }: ServiceRequest, topic: string, report: Report): void {
	const name = 'topic';
	const section =
		http.sections.find(({ place, entries }) => place === 'body' && entries.length > 0) ??
		http.sections.find(({ place, entries }) => place === 'query' && entries.length > 0);
	if (section) section.entries = [{ name, value: topic }, ...section.entries];
	else address.query = [{ name, value: topic }, ...address.query];
	report.changes.push({
		node: node.name,
		parameter: section?.parameter ?? 'url',
		message: `"topic: ${topic}" was added.`,
	});
}

/** Writes a converted request back into its HTTP Request node. */
export function writeRequest(
	request: ServiceRequest,
	baseUrl: string,
	hadKey: boolean,
	report: Report,
): void {
	const { node, http, address } = request;
	const { parameters } = node;
	const url = writeAddress(address, baseUrl);
	if (url !== parameters.url) {
		parameters.url = url;
		const message = 'The address is that of version 2 now.';
		report.changes.push({ node: node.name, parameter: 'url', message });
	}
	if (address.base === 'unknown') {
		report.warnings.push({
			node: node.name,
			parameter: 'url',
			message: 'The host of the address comes from a variable or from data that cannot be read here.',
			suggestion: `Set it to ${baseUrl}, without a path.`,
		});
	}
	for (const section of http.sections) writeSection(section, node);
	if (hadKey) useCredential(request, report);
}

const SWITCHES = { query: 'sendQuery', headers: 'sendHeaders', body: 'sendBody' } as const;

/** Writes a place of parameters when it changed; one that became empty is switched off. */
function writeSection(section: Section, node: WorkflowNode): void {
	const { entries, original, parameter, place } = section;
	if (entries.length === original.length && entries.every((entry, at) => entry === original[at])) return;
	section.write(node.parameters, entries);
	if (entries.length > 0) return;
	delete node.parameters[parameter];
	if (!isClassic(node)) node.parameters[SWITCHES[place]] = false;
}

/** The key now comes from a credential that a person has to choose, unless the node has one. */
function useCredential({ node }: ServiceRequest, report: Report): void {
	const { parameters } = node;
	const has = parameters.authentication !== undefined && parameters.authentication !== 'none';
	if (has && node.credentials !== undefined) return;
	if (node.typeVersion < 2) {
		parameters.authentication = 'queryAuth';
		report.warnings.push({
			node: node.name,
			parameter: 'authentication',
			message: 'The node has no key any more.',
			suggestion:
				'Create a Query Auth credential called "token" with the key and select it in the node.',
		});
		return;
	}
	parameters.authentication = 'predefinedCredentialType';
	parameters.nodeCredentialType = 'priceCollectionApi';
	report.warnings.push({
		node: node.name,
		parameter: 'authentication',
		message: 'The node has no key any more.',
		suggestion: 'Create a Price Collection API credential with the key and select it in the node.',
	});
}
