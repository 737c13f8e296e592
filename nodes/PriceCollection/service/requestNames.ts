import type { IDataObject } from 'n8n-workflow';

import { words } from './names';
import { readCustomNames } from './customNames';
import { success, type Outcome } from './problems';
import { bareName, isFilled } from './types';

/** The parameters of a creation that Request Names can rename. */
export const PARAMETERS = words(
	'topic source country key value values max_age max_pages sort_by condition shipping timeout',
);
/** The values of `key` that Request Names can rename. */
export const KEYS = words('gtin id term');

/** Maps a documented parameter, or a documented value of `key`, to the service's name. If that is blank, it is not sent. */
export type RequestNames = Readonly<Record<string, string>>;

interface NameSettings {
	requestNames: RequestNames;
}

/** Reads the setting Request Names, which may be n8n's collection, text or both. */
export function readRequestNames(inputs: readonly unknown[]): Outcome<RequestNames, string> {
	const read = readCustomNames(['Request Names', 'gtin: ean'], [...PARAMETERS, ...KEYS], inputs);
	if (!read.ok) return read;
	const ambiguous = read.value.find(({ names }) => names.includes(','));
	const fault = (problem: string) => ({ ok: false, problem }) as const;
	if (ambiguous !== undefined) {
		const line = `${ambiguous.meaning}: ${ambiguous.names}`;
		return fault(`The line "${line}" of Request Names has more than one name. Only one can be sent.`);
	}
	const requestNames = Object.fromEntries(read.value.map(({ meaning, names }) => [meaning, names]));
	const parameterByWireName = new Map<string, string>();
	for (const name of PARAMETERS) {
		const serviceName = requestNames[name] ?? name;
		const earlier = serviceName === '' ? undefined : parameterByWireName.get(serviceName);
		// A job has either `value` or `values`, so both may have the same name.
		if (earlier !== undefined && !(earlier === 'value' && name === 'values'))
			return fault(`Request Names gives ${earlier} and ${name} the same name, "${serviceName}".`);
		parameterByWireName.set(serviceName, name);
	}
	return success(requestNames);
}

/** Lists the parameters to send unchanged. A symbol, because it survives copies and is never sent. */
const SENT_UNCHANGED = Symbol('sent unchanged');

/**
 * Marks the parameters that the user entered in the service's terms (Additional Parameters), so that they are sent
 * unchanged. A `key` that Request Names can translate is replaced by the documented one instead.
 */
export function markUnrenamed(
	parameters: IDataObject,
	additional: IDataObject,
	settings: NameSettings,
): IDataObject {
	const key = typeof additional.key === 'string' ? documentedKey(additional.key, settings) : additional.key;
	const isTranslated = key !== additional.key;
	const names = PARAMETERS.filter(
		(name) => Object.hasOwn(additional, name) && !(isTranslated && name === 'key'),
	);
	const documented = isTranslated ? { ...parameters, key } : parameters;
	if (names.length === 0 || Object.keys(settings.requestNames).length === 0) return documented;
	return Object.assign(documented, { [SENT_UNCHANGED]: names });
}

/** The body of a creation as sent: documented names replaced by the service's. */
export function inServiceNames(body: IDataObject, { requestNames }: NameSettings): IDataObject {
	const { [SENT_UNCHANGED]: unchanged = [] } = body as { [SENT_UNCHANGED]?: readonly string[] };
	const renamed: IDataObject = {};
	const others: IDataObject = {};
	for (const [name, value] of Object.entries(body)) {
		const isDocumented = PARAMETERS.includes(name) && !unchanged.includes(name);
		const documentedWord =
			isDocumented && name === 'key' && KEYS.includes(String(value)) ? String(value) : '';
		const [serviceName, serviceWord] = [
			isDocumented ? requestNames[name] : undefined,
			requestNames[documentedWord],
		];
		if (serviceName === '' || serviceWord === '') continue;
		if (serviceName === undefined) others[name] = serviceWord ?? value;
		else renamed[serviceName] = serviceWord ?? value;
	}
	return { ...renamed, ...others };
}

/** Maps the service's names, as bare names, to the documented ones. */
function meaningsIn(requestNames: RequestNames, names: readonly string[]): ReadonlyMap<string, string> {
	return new Map(
		names.flatMap((name) => {
			const serviceName = requestNames[name];
			return serviceName === undefined || serviceName === '' ? [] : [[bareName(serviceName), name]];
		}),
	);
}

/** The documented name for the service's name of a parameter, in any spelling; any other name unchanged. */
export function documentedName(name: string, { requestNames }: NameSettings): string {
	return meaningsIn(requestNames, PARAMETERS).get(bareName(name.replace('[]', ''))) ?? name;
}

/** The documented value of `key` for the service's word, in any spelling; any other word unchanged. */
export function documentedKey(word: string, { requestNames }: NameSettings): string {
	return meaningsIn(requestNames, KEYS).get(bareName(word)) ?? word;
}

/**
 * The fields of a job, or of an object in it, under their documented names: the inverse of {@link inServiceNames}. The
 * service's names match in any spelling. Beside a `job_id`, no field is renamed from or to `id`, which is the job's ID.
 */
export function documentedNames(fields: IDataObject, settings: NameSettings): IDataObject {
	const { requestNames } = settings;
	// Some services also show the lookup values under the key's name.
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
	return typeof key === 'string' ? { ...documented, key: documentedKey(key, settings) } : documented;
}
