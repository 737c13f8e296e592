import type { Entry } from '../code/objects';
import { flattenTemplate, isExpression } from '../code/template';
import type { Findings } from '../json/findings';
import { fieldsRead, type SetField } from '../json/setNode';
import { textsWithPaths } from '../json/texts';
import { within, type Workflow, type WorkflowNode } from '../json/workflowJson';
import { isKeyName } from './creation';
import { isOwnHeader, type ServiceRequest, type Way } from './request';

/** Shorter texts are not searched for as keys, because they may be ordinary words. */
export const SHORTEST_KEY = 8;

/** The service's keys that were found: their texts, and the Set node fields that hold one. */
export interface Keys {
	values: Set<string>;
	fields: SetField[];
}

/** Describes the fields of a Price Collection API credential that sends the key in the same way. */
export function fieldsFor({ kind, name, credential }: Way): string {
	const nameText = name === undefined ? `as in the credential "${credential ?? ''}"` : `"${name}"`;
	const source = credential === undefined ? 'used so far' : `of the credential "${credential}"`;
	if (kind === 'query')
		return `Authentication "Query Parameter", Parameter Name ${nameText}, API Key: the key ${source}`;
	if (kind === 'header')
		return `Authentication "Header", Header Name ${nameText}, API Key: the key ${source}`;
	if (kind === 'bearer') return `Authentication "Bearer Token", API Key: the key ${source}`;
	if (kind === 'basic') return `Authentication "Basic", User Name and Password: the ones ${source}`;
	return 'Authentication: ask the service, because the workflow does not show how it sends the key';
}

/** Kinds of n8n credentials that ours can replace; their types are `httpQueryAuth`, `httpHeaderAuth` … */
const CREDENTIAL_KINDS = ['query', 'header', 'bearer', 'basic'] as const;

/** The type of a node's credential, and how it sends the key; undefined if the node has none. */
export function keyCredentialOf(node: WorkflowNode): { type: string; way: Way } | undefined {
	const { authentication = 'none', genericAuthType, nodeCredentialType } = node.parameters;
	if (authentication === 'none' || typeof authentication !== 'string') return undefined;
	const classic = `http${authentication.charAt(0).toUpperCase()}${authentication.slice(1)}`;
	const current = authentication === 'genericCredentialType' ? genericAuthType : nodeCredentialType;
	const type = node.typeVersion < 2 ? classic : String(current);
	const name = within(node.credentials, type, 'name');
	const credential = typeof name === 'string' ? name : type;
	const kind = CREDENTIAL_KINDS.find((one) => type.toLowerCase() === `http${one}auth`) ?? 'other';
	return { type, way: { kind, credential } };
}

/** Records a key from a parameter: its text, or the Set node fields that its expression reads. */
function recordKey(keys: Keys, value: unknown, reader: string, workflow: Workflow): void {
	if (typeof value !== 'string') return;
	for (const part of flattenTemplate(value)) {
		if ('code' in part) keys.fields.push(...(fieldsRead(part.code, reader, workflow) ?? []));
		else {
			const key = part.text.trim().replace(/^(?:bearer|basic|token)\s+/i, '');
			// An address holds `user:password`, and either part may be the key.
			for (const one of [key, ...key.split(':')]) if (one.length >= SHORTEST_KEY) keys.values.add(one);
		}
	}
}

/** How a parameter or header with this name sends a key. */
function wayOf(place: 'query' | 'body' | 'headers', name: string, value: unknown): Way {
	if (place !== 'headers') return { kind: 'query', name };
	const scheme = /^=?\s*(bearer|basic)\s/i.exec(String(value))?.[1]?.toLowerCase();
	if (name.toLowerCase() === 'authorization' && scheme !== undefined) {
		return { kind: scheme === 'basic' ? 'basic' : 'bearer' };
	}
	return { kind: 'header', name };
}

/**
 * Removes the keys from a request's entries and records in `request.key` how they were sent. If the node also has a
 * credential of another kind, the key stays and `request.obstacle` holds the reason: a node can have one credential.
 */
export function takeKeys(request: ServiceRequest, workflow: Workflow, keys: Keys, findings: Findings): void {
	const { node, sections, address, unreadable } = request;
	const all = sections.flatMap(({ place, parameter, entries }) =>
		entries.map((entry) => ({ place, path: `${parameter}.${entry.name}`, entry })),
	);
	const { userInfo } = address.base;
	const nodeCredential = keyCredentialOf(node);
	const isAuthenticated =
		nodeCredential !== undefined || userInfo !== '' || all.some(({ entry }) => isKeyName(entry.name));
	const mayBeKey = (value: unknown): boolean =>
		typeof value === 'string' && (isExpression(value) || value.trim().length >= SHORTEST_KEY);
	const customHeaders = all.filter(
		({ place, entry }) => place === 'headers' && isOwnHeader(entry) && mayBeKey(entry.value),
	);
	// Something must authenticate the request. Without another candidate, it is the only unusual header.
	const [assumedKey] =
		isAuthenticated || unreadable.length > 0 || customHeaders.length > 1 ? [] : customHeaders;
	const isKey = (entry: Entry): boolean => isKeyName(entry.name) || entry === assumedKey?.entry;
	const found = all
		.filter(({ entry }) => isKey(entry))
		.map(({ place, path, entry: { name, value } }) => ({ path, value, way: wayOf(place, name, value) }));
	if (userInfo !== '') found.push({ path: 'url', value: userInfo, way: { kind: 'basic' } });
	const credential = nodeCredential?.type === 'priceCollectionApi' ? undefined : nodeCredential;
	const [first] = found;
	const way = credential?.way ?? first?.way ?? { kind: 'other' };
	if (!nodeCredential || credential) request.key = { way, wasInNode: first !== undefined && !credential };
	if (credential?.way.kind === 'other') request.obstacle = `it authenticates with "${credential.type}"`;
	const warn = (parameter: string, message: string, suggestion: string) =>
		findings.warnings.push({ node: node.name, parameter, message, suggestion });
	for (const { path, entry } of customHeaders.filter((one) => one !== assumedKey)) {
		warn(
			path,
			`The header "${entry.name}" was kept, although it may hold a key.`,
			'Remove it if it does.',
		);
	}
	if (!first) return;
	const credentialText = `the credential "${credential?.way.credential ?? ''}"`;
	if (credential && first.way.kind !== credential.way.kind) {
		request.obstacle =
			'it has both a key and a credential of another kind, and the new node can use only one';
		warn(
			first.path,
			`The node has a key, and also ${credentialText}. Both were kept.`,
			`If the service needs only the key, remove it from the node and select a Price Collection API credential with ${fieldsFor(first.way)}.`,
		);
		return;
	}
	for (const { path, value } of found) {
		recordKey(keys, value, node.name, workflow);
		const message = 'The key was removed; the credential now holds it.';
		findings.changes.push({ node: node.name, parameter: path, message });
	}
	for (const section of sections) section.entries = section.entries.filter((entry) => !isKey(entry));
	if (!credential) return;
	const message = `The key was removed from the node, because ${credentialText} sends one in the same way.`;
	warn('authentication', message, 'Check that it is the key of the service.');
}

/** Makes an HTTP Request node that stays use a credential in place of its key. The user selects the credential. */
export function useCredential({ node, key }: ServiceRequest): void {
	if (key?.wasInNode !== true) return;
	// Version 2 of the node differs from version 1 only in offering this kind of authentication.
	node.typeVersion = Math.max(node.typeVersion, 2);
	Object.assign(node.parameters, {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'priceCollectionApi',
	});
}

const KEY_NAMES = '(?:(?:x[-_])?(?:api|access|auth)[-_]?(?:key|token)|token|authorization)';
const VALUE = '(?:(?:bearer|basic) )?([\\w+/=-]{12,})';
/** Matches a key in code, in JSON or in an address. */
const KEY_IN_TEXT = new RegExp(
	`\\b${KEY_NAMES}["'\`\\]]*\\s*[:=]\\s*["'\`]${VALUE}["'\`]|[?&]${KEY_NAMES}=([\\w-]{12,})`,
	'gi',
);

/** Collects keys from texts that match the pattern, because other services' keys must stay. */
export function collectKeys(value: unknown, pattern: RegExp, keys: Keys): void {
	if (!pattern.test(JSON.stringify(value) ?? '')) return;
	for (const { text } of textsWithPaths(value).filter((one) => pattern.test(one.text))) {
		for (const [, quoted, inAddress] of text.matchAll(KEY_IN_TEXT))
			keys.values.add(quoted ?? inAddress ?? '');
	}
}
