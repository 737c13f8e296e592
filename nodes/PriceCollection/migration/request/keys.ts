import type { Entry } from '../code/objects';
import { flattenTemplate, isExpression } from '../code/template';
import type { Findings } from '../json/findings';
import { fieldsRead, type SetField } from '../json/setNode';
import { textsWithPaths } from '../json/texts';
import { within, type Workflow, type WorkflowNode } from '../json/workflowJson';
import { isKeyName } from './creation';
import { isOwnHeader, type ServiceRequest, type Way } from './request';

/** Shorter texts are not searched elsewhere, because they may be ordinary words. */
export const SHORTEST_KEY = 8;

/** The service's keys that were found: their texts, and the fields of Set nodes that contain one. */
export interface Keys {
	values: Set<string>;
	fields: SetField[];
}

/** The fields of a Price Collection API credential that sends a key in the same way. */
export function fieldsFor({ kind, name, credential }: Way): string {
	const named = name === undefined ? `the Name in the credential "${credential ?? ''}"` : `"${name}"`;
	const from = credential === undefined ? 'that was used so far' : `of the credential "${credential}"`;
	if (kind === 'query')
		return `Authentication "Query Parameter", Parameter Name ${named}, API Key: the key ${from}`;
	if (kind === 'header') return `Authentication "Header", Header Name ${named}, API Key: the key ${from}`;
	if (kind === 'bearer') return `Authentication "Bearer Token", API Key: the key ${from}`;
	if (kind === 'basic') return `Authentication "Basic", User Name and Password: those ${from}`;
	return 'Authentication: as the service tells you, because the workflow does not show how its key travels';
}

/** n8n credentials that send a key as this package can: `httpQueryAuth`, `httpHeaderAuth` … */
const KEY_CREDENTIALS = ['query', 'header', 'bearer', 'basic'] as const;

/** Type and name of a node's credential; undefined when it has none. */
export function keyCredentialOf(node: WorkflowNode): { type: string; way: Way } | undefined {
	const { authentication = 'none', genericAuthType, nodeCredentialType } = node.parameters;
	if (authentication === 'none' || typeof authentication !== 'string') return undefined;
	const classic = `http${authentication.charAt(0).toUpperCase()}${authentication.slice(1)}`;
	const newer = authentication === 'genericCredentialType' ? genericAuthType : nodeCredentialType;
	const type = node.typeVersion < 2 ? classic : String(newer);
	const name = within(node.credentials, type, 'name');
	const credential = typeof name === 'string' ? name : type;
	const kind = KEY_CREDENTIALS.find((one) => type.toLowerCase() === `http${one}auth`) ?? 'other';
	return { type, way: { kind, credential } };
}

/** Records a key from a parameter: its text, or the fields that its expression reads. */
function noteKey(keys: Keys, value: unknown, reader: string, workflow: Workflow): void {
	if (typeof value !== 'string') return;
	for (const part of flattenTemplate(value)) {
		if ('code' in part) keys.fields.push(...(fieldsRead(part.code, reader, workflow) ?? []));
		else {
			const key = part.text.trim().replace(/^(?:bearer|basic|token)\s+/i, '');
			// In an address, user name and password are next to each other.
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
 * Removes the keys from a request's entries and records in `request.key` how they were sent. A key beside a
 * credential of another kind stays, as a node can have one credential; `request.obstacle` then says so.
 */
export function takeKeys(request: ServiceRequest, workflow: Workflow, keys: Keys, findings: Findings): void {
	const { node, sections, address, unreadable } = request;
	const all = sections.flatMap(({ place, parameter, entries }) =>
		entries.map((entry) => ({ place, at: `${parameter}.${entry.name}`, entry })),
	);
	const { userInfo } = address.base;
	const used = keyCredentialOf(node);
	const isSignedIn =
		used !== undefined || userInfo !== '' || all.some(({ entry }) => isKeyName(entry.name));
	const mayBeKey = (value: unknown): boolean =>
		typeof value === 'string' && (isExpression(value) || value.trim().length >= SHORTEST_KEY);
	const own = all.filter(
		({ place, entry }) => place === 'headers' && isOwnHeader(entry) && mayBeKey(entry.value),
	);
	// Something must authenticate the request: without other candidates, it is its only unusual header.
	const [only] = isSignedIn || unreadable.length > 0 || own.length > 1 ? [] : own;
	const isKey = (entry: Entry): boolean => isKeyName(entry.name) || entry === only?.entry;
	const found = all
		.filter(({ entry }) => isKey(entry))
		.map(({ place, at, entry: { name, value } }) => ({ at, value, way: wayOf(place, name, value) }));
	if (userInfo !== '') found.push({ at: 'url', value: userInfo, way: { kind: 'basic' } });
	const credential = used?.type === 'priceCollectionApi' ? undefined : used;
	const [first] = found;
	const way = credential?.way ?? first?.way ?? { kind: 'other' };
	if (!used || credential) request.key = { way, wasInNode: first !== undefined && !credential };
	if (credential?.way.kind === 'other') request.obstacle = `it signs in with "${credential.type}"`;
	const warn = (parameter: string, message: string, suggestion: string) =>
		findings.warnings.push({ node: node.name, parameter, message, suggestion });
	for (const { at, entry } of own.filter((one) => one !== only)) {
		warn(at, `The header "${entry.name}" may hold a key, and stays.`, 'Remove it if it does.');
	}
	if (!first) return;
	const sent = `the credential "${credential?.way.credential ?? ''}"`;
	if (credential && first.way.kind !== credential.way.kind) {
		request.obstacle =
			'there is a key beside a credential of another kind, and a node can have one credential';
		warn(
			first.at,
			`The key is in the node, beside ${sent}. Both were left.`,
			`If the service needs only the key: remove it, and select a Price Collection API credential with ${fieldsFor(first.way)}.`,
		);
		return;
	}
	for (const { at, value } of found) {
		noteKey(keys, value, node.name, workflow);
		const message = 'The key was removed; the credential holds it now.';
		findings.changes.push({ node: node.name, parameter: at, message });
	}
	for (const section of sections) section.entries = section.entries.filter((entry) => !isKey(entry));
	if (!credential) return;
	const message = `The key was removed from the node, because ${sent} sends one in the same way.`;
	warn('authentication', message, 'Check that it is the key of the service.');
}

/** Gives a remaining HTTP Request node a credential in place of its key. */
export function useCredential({ node, key }: ServiceRequest): void {
	if (key?.wasInNode !== true) return;
	// Version 2 of the node is version 1 with this kind of authentication.
	node.typeVersion = Math.max(node.typeVersion, 2);
	Object.assign(node.parameters, {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'priceCollectionApi',
	});
}

const KEY_NAMES = '(?:(?:x[-_])?(?:api|access|auth)[-_]?(?:key|token)|token|authorization)';
const VALUE = '(?:(?:bearer|basic) )?([\\w+/=-]{12,})';
/** A key in code, in JSON or in an address. */
const KEY_IN_TEXT = new RegExp(
	`\\b${KEY_NAMES}["'\`\\]]*\\s*[:=]\\s*["'\`]${VALUE}["'\`]|[?&]${KEY_NAMES}=([\\w-]{12,})`,
	'gi',
);

/** Collects keys from texts that match `ours`; keys of other services must stay. */
export function collectKeys(value: unknown, ours: RegExp, keys: Keys): void {
	if (!ours.test(JSON.stringify(value) ?? '')) return;
	for (const { text } of textsWithPaths(value).filter((one) => ours.test(one.text))) {
		for (const [, quoted, inAddress] of text.matchAll(KEY_IN_TEXT))
			keys.values.add(quoted ?? inAddress ?? '');
	}
}
