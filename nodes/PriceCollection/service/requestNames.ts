import type { IDataObject } from 'n8n-workflow';

import { words } from './names';
import { readCustomNames } from './customNames';
import { success, type Outcome } from './problems';
import { bareName, isFilled } from './types';

/** The parameters of a creation that can have a name of the service's own. */
export const PARAMETERS = words(
	'topic source country key value values max_age max_pages sort_by condition shipping timeout',
);
/** The words of `key` that can have one. */
export const KEYS = words('gtin id term');

/** What the service calls a parameter or a word of `key`, by its documented name. Blank: it is not sent. */
export type RequestNames = Readonly<Record<string, string>>;

interface Named {
	requestNames: RequestNames;
}

/** Reads the setting Request Names, which can be given in several forms. */
export function readRequestNames(given: readonly unknown[]): Outcome<RequestNames, string> {
	const read = readCustomNames(['Request Names', 'gtin: ean'], [...PARAMETERS, ...KEYS], given);
	if (!read.ok) return read;
	const several = read.value.find(({ names }) => names.includes(','));
	const fault = (problem: string) => ({ ok: false, problem }) as const;
	if (several !== undefined) {
		const line = `${several.meaning}: ${several.names}`;
		return fault(`The line "${line}" of Request Names has more than one name. Only one can be sent.`);
	}
	const requestNames = Object.fromEntries(read.value.map(({ meaning, names }) => [meaning, names]));
	const taken = new Map<string, string>();
	for (const name of PARAMETERS) {
		const wireName = requestNames[name] ?? name;
		const other = wireName === '' ? undefined : taken.get(wireName);
		// A job has one or the other.
		if (other !== undefined && !(other === 'value' && name === 'values'))
			return fault(`Request Names gives ${other} and ${name} the same name, "${wireName}".`);
		taken.set(wireName, name);
	}
	return success(requestNames);
}

/** Where parameters note which of them are sent as given. A symbol survives copies and is never sent. */
const AS_GIVEN = Symbol('sent as given');

/**
 * Notes which parameters the user gives in the service's own words (Additional Parameters). A key that has such a word
 * in Request Names is the documented one.
 */
export function markAsGiven(parameters: IDataObject, given: IDataObject, named: Named): IDataObject {
	const key = typeof given.key === 'string' ? documentedKey(given.key, named) : given.key;
	const isKnown = key !== given.key;
	const names = PARAMETERS.filter((name) => Object.hasOwn(given, name) && !(isKnown && name === 'key'));
	const documented = isKnown ? { ...parameters, key } : parameters;
	if (names.length === 0 || Object.keys(named.requestNames).length === 0) return documented;
	return Object.assign(documented, { [AS_GIVEN]: names });
}

/** The body of a creation as it is sent: in the service's own names, which nothing else in this package uses. */
export function inOwnNames(body: IDataObject, { requestNames }: Named): IDataObject {
	const { [AS_GIVEN]: asGiven = [] } = body as { [AS_GIVEN]?: readonly string[] };
	const renamed: IDataObject = {};
	const others: IDataObject = {};
	for (const [name, value] of Object.entries(body)) {
		const isOurs = PARAMETERS.includes(name) && !asGiven.includes(name);
		const word = isOurs && name === 'key' && KEYS.includes(String(value)) ? String(value) : '';
		const [names, ownWord] = [isOurs ? requestNames[name] : undefined, requestNames[word]];
		if (names === '' || ownWord === '') continue;
		if (names === undefined) others[name] = ownWord ?? value;
		else renamed[names] = ownWord ?? value;
	}
	return { ...renamed, ...others };
}

/** The documented names by the service's own ones. */
function meaningsIn(requestNames: RequestNames, names: readonly string[]): ReadonlyMap<string, string> {
	return new Map(
		names.flatMap((name) => {
			const names = requestNames[name];
			return names === undefined || names === '' ? [] : [[bareName(names), name]];
		}),
	);
}

/** The documented name of a parameter that the service names; any other name as it is. */
export function documentedName(name: string, { requestNames }: Named): string {
	return meaningsIn(requestNames, PARAMETERS).get(bareName(name.replace('[]', ''))) ?? name;
}

/** The documented word of `key` for the service's own one, in any spelling; any other word as it is. */
export function documentedKey(word: string, { requestNames }: Named): string {
	return meaningsIn(requestNames, KEYS).get(bareName(word)) ?? word;
}

/**
 * The fields of a job, or of an object in it, in documented names: the inverse of {@link inOwnNames}. The service's
 * own names count in any spelling. The ID of the job stays what it is, whatever parameter has the name `id`.
 */
export function documentedNames(fields: IDataObject, named: Named): IDataObject {
	const { requestNames } = named;
	// Services also show values under the name of the key.
	const meanings = meaningsIn(requestNames, [...KEYS, ...PARAMETERS]);
	if (meanings.size === 0) return fields;
	const isJobId = (name: string | undefined) => name === 'id' && Object.hasOwn(fields, 'job_id');
	const meaningOf = (name: string) => {
		const meaning = isJobId(name) ? undefined : meanings.get(bareName(name));
		return isJobId(meaning) ? undefined : meaning;
	};
	const documented: IDataObject = {};
	for (const [name, value] of Object.entries(fields))
		if (meaningOf(name) === undefined) documented[name] = value;
	for (const [name, value] of Object.entries(fields)) {
		const meaning = meaningOf(name);
		if (meaning !== undefined && (isFilled(value) || !Object.hasOwn(documented, meaning)))
			documented[meaning] = value;
	}
	const { key } = documented;
	return typeof key === 'string' ? { ...documented, key: documentedKey(key, named) } : documented;
}
