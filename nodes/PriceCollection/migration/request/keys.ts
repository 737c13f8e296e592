import { fieldsRead } from '../code/names';
import { flattenTemplate } from '../code/template';
import type { Findings } from '../json/findings';
import type { SetField } from '../json/setNode';
import type { Workflow, WorkflowNode } from '../json/workflowJson';
import { isRecord, within } from '../json/workflowJson';
import { isKeyName } from './creation';
import { isClassic } from './httpRequest';
import type { ServiceRequest, Way } from './request';

/** Shorter texts are not searched for elsewhere: they could be ordinary words. */
const SHORTEST = 8;

/** Keys of the service that were met: their texts, and the fields of Set nodes that hold one. */
export interface Keys {
	values: Set<string>;
	fields: SetField[];
}

export const noKeys = (): Keys => ({ values: new Set(), fields: [] });

/** The fields of the Price Collection API credential that sends a key in the same way. */
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

/** What a node's authentication setting stands for, in all versions of HTTP Request. */
const CREDENTIAL_KINDS: Readonly<Record<string, Way['kind']>> = {
	httpQueryAuth: 'query',
	httpHeaderAuth: 'header',
	httpBearerAuth: 'bearer',
	httpBasicAuth: 'basic',
};

/** Type and name of the credential that a node uses; undefined when it uses none. */
export function credentialOf(node: WorkflowNode): { type: string; way: Way } | undefined {
	const { authentication = 'none', genericAuthType, nodeCredentialType } = node.parameters;
	if (authentication === 'none' || typeof authentication !== 'string') return undefined;
	const classic = `http${authentication.charAt(0).toUpperCase()}${authentication.slice(1)}`;
	const newer = authentication === 'genericCredentialType' ? genericAuthType : nodeCredentialType;
	const type = node.typeVersion < 2 ? classic : String(newer);
	const name = within(node.credentials, type, 'name');
	const credential = typeof name === 'string' ? name : type;
	return { type, way: { kind: CREDENTIAL_KINDS[type] ?? 'other', credential } };
}

/** Notes a key that stood in a parameter: its text, or the fields that its expression reads. */
function noteKey(keys: Keys, value: unknown, reader: string, workflow: Workflow): void {
	if (typeof value !== 'string') return;
	for (const part of flattenTemplate(value)) {
		if ('text' in part) {
			const key = part.text.trim().replace(/^(bearer|basic|token)\s+/i, '');
			if (key.length >= SHORTEST) keys.values.add(key);
			continue;
		}
		keys.fields.push(...(fieldsRead(part.code, reader, workflow) ?? []));
	}
}

/** How a parameter or header called so carries a key. */
function wayOf(place: 'query' | 'body' | 'headers', name: string, value: unknown): Way {
	if (place !== 'headers') return { kind: 'query', name };
	const scheme = /^=?\s*(bearer|basic)\s/i.exec(String(value))?.[1]?.toLowerCase();
	if (name.toLowerCase() === 'authorization' && scheme !== undefined) {
		return { kind: scheme === 'basic' ? 'basic' : 'bearer' };
	}
	return { kind: 'header', name };
}

/**
 * Takes the keys out of a request's entries and notes how they travelled in `request.key`. A key beside a credential
 * of another kind stays, because a node has only one credential: `request.obstacle` then says so.
 */
export function takeKeys(request: ServiceRequest, workflow: Workflow, keys: Keys, findings: Findings): void {
	const { node, http, address } = request;
	const places = [
		...http.sections.map((section) => ({ ...section, holder: section })),
		{ place: 'query' as const, parameter: 'url', entries: address.query, holder: undefined },
	];
	const found = places.flatMap(({ place, parameter, entries }) =>
		entries
			.filter(({ name }) => isKeyName(name))
			.map(({ name, value }) => ({
				at: `${parameter}.${name}`,
				value,
				way: wayOf(place, name, value),
			})),
	);
	if (address.base.hadUserInfo) found.push({ at: 'url', value: '', way: { kind: 'basic' } });
	const credential = credentialOf(node);
	const isOurs = credential?.type === 'priceCollectionApi';
	const [first] = found;
	request.key = isOurs
		? undefined
		: { way: credential?.way ?? first?.way ?? { kind: 'other' }, wasInNode: first !== undefined };
	if (credential?.way.kind === 'other' && !isOurs)
		request.obstacle = `it signs in with "${credential.type}"`;
	if (!first) return;
	if (credential && !isOurs && first.way.kind !== credential.way.kind) {
		request.obstacle =
			'a key stands beside a credential of another kind, and a node can have one credential';
		findings.warnings.push({
			node: node.name,
			parameter: first.at,
			message: `The key stands in the node, beside the credential "${credential.way.credential ?? ''}". Both were left.`,
			suggestion: `If the service needs only the key: remove it, and select a Price Collection API credential with ${fieldsFor(first.way)}.`,
		});
		return;
	}
	for (const { at, value } of found) {
		noteKey(keys, value, node.name, workflow);
		findings.changes.push({
			node: node.name,
			parameter: at,
			message: 'The key was removed; the credential holds it now.',
		});
	}
	for (const section of http.sections)
		section.entries = section.entries.filter(({ name }) => !isKeyName(name));
	address.query = address.query.filter(({ name }) => !isKeyName(name));
	if (!credential || isOurs) return;
	findings.warnings.push({
		node: node.name,
		parameter: 'authentication',
		message: `The key was removed from the node, because the credential "${credential.way.credential ?? ''}" sends one in the same way.`,
		suggestion: 'Check that it is the key of the service.',
	});
	request.key = { way: credential.way, wasInNode: false };
}

/** What a node that stays an HTTP Request node gets in the place of its key. */
export function useCredential({ node, key }: ServiceRequest): void {
	if (!key?.wasInNode) return;
	if (node.typeVersion >= 2) {
		node.parameters.authentication = 'predefinedCredentialType';
		node.parameters.nodeCredentialType = 'priceCollectionApi';
		return;
	}
	const { kind } = key.way;
	node.parameters.authentication =
		kind === 'basic' ? 'basicAuth' : kind === 'query' ? 'queryAuth' : 'headerAuth';
}

/** The credential of n8n that an HTTP Request node of version 1 takes, which knows no other. */
export function classicFields({ kind, name = '' }: Way): string {
	if (kind === 'basic')
		return 'a Basic Auth credential with the user name and password that were used so far';
	if (kind === 'query') return `a Query Auth credential with the Name "${name}" and the key as its Value`;
	const header =
		kind === 'bearer'
			? 'the Name "Authorization" and "Bearer " with the key'
			: `the Name "${name}" and the key`;
	return `a Header Auth credential with ${header} as its Value`;
}

const NAMES = '(?:(?:x[-_])?(?:api|access|auth)[-_]?(?:key|token)|token|authorization)';
const VALUE = '(?:(?:bearer|basic) )?([\\w+/=-]{12,})';
/** A key in code, in JSON or in an address. */
const KEY_IN_TEXT = new RegExp(
	`\\b${NAMES}["'\`\\]]*\\s*[:=]\\s*["'\`]${VALUE}["'\`]|[?&]${NAMES}=([\\w-]{12,})`,
	'gi',
);

/** Finds keys in texts for which `isOurs` holds; other services' keys are not ours to touch. */
export function collectKeys(value: unknown, isOurs: (text: string) => boolean, keys: Keys): void {
	if (typeof value === 'string') {
		if (!isOurs(value)) return;
		for (const [, quoted, inAddress] of value.matchAll(KEY_IN_TEXT))
			keys.values.add(quoted ?? inAddress ?? '');
	} else if (Array.isArray(value)) {
		for (const one of value) collectKeys(one, isOurs, keys);
	} else if (isRecord(value)) {
		for (const one of Object.values(value)) collectKeys(one, isOurs, keys);
	}
}

/** Finds keys in what could not be read of a request. */
export function collectUnreadableKeys({ node, http }: ServiceRequest, keys: Keys): void {
	for (const parameter of http.unreadable) collectKeys(node.parameters[parameter], () => true, keys);
	if (isClassic(node)) collectKeys(node.parameters.options, () => true, keys);
}
