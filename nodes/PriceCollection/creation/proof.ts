import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../service/connection';
import { documentedNames } from '../service/requestNames';
import { timeOf } from '../service/time';
import { isObject, type Job } from '../service/types';
import { readValues } from '../values/cells';
import { folded, identityOf } from '../values/identity';
import type { JobRequest } from '../run/record';

/*
 * Decides whether a listed job is ours. Our job carries our mark, or it shows every parameter and value that we sent,
 * nothing else, and a creation time during our request. Another request's job shows something that ours cannot have.
 */

/** A creation that was sent without a reply, or that may have been sent. Times in milliseconds since 1970. */
export interface LostCreation {
	/** The earliest time at which it was sent; absent if unknown. */
	from?: number;
	/** The latest time at which it can have reached the service. */
	to: number;
	/** The mark in its callback URL and label, if known. */
	nonce?: string;
	/** Whether it may have been sent again with another mark. */
	hasGaps: boolean;
	/** What was sent, as far as we know. */
	request: JobRequest;
	/** IDs of jobs that belong to other requests, with the time each request was sent; 0 for earlier rounds. */
	known: ReadonlyMap<string, number>;
}

export type Ownership = 'another' | 'ours' | 'unclear';

/** The service's parameter names, as set in the credential. */
type SentNames = Pick<ConnectionSettings, 'labelParameter' | 'requestNames' | 'webhookUrlParameter'>;

const queriesOf = (job: Job) => [job.query, job.request, job.params, job.parameters].filter(isObject);

/** The fields of a job and of its query, under documented names. Does not look into other objects, such as the account. */
export function documentedFields(job: Job, names: Pick<SentNames, 'requestNames'>): IDataObject {
	const parts = [...queriesOf(job), job];
	return Object.fromEntries(parts.flatMap((part) => Object.entries(documentedNames(part, names))));
}

const comparable = (text: unknown) => folded(String(text)).replaceAll(' ', '');

/** Whether two comparable texts are equal, or one may be part of the other: truncated, joined or spelled out. */
function mayBe(one: string, other: string): boolean {
	if (one === other) return one !== '';
	return Math.min(one.length, other.length) >= 2 && (one.includes(other) || other.includes(one));
}

type Comparison = 'same' | 'others' | 'unclear';

/** Version 1 of the service had other names for some keys, and services may still show them. */
const OLDER_KEYS: Readonly<Record<string, string>> = { keyword: 'term', source_id: 'id' };

/** If one of these differs, the job belongs to another request. The service may rewrite the others. */
const DECISIVE_PARAMETERS: readonly string[] = ['topic', 'source', 'country'];
/** Parameters that affect a job's results. A job that shows one we did not send may belong to another request. */
const RESULT_PARAMETERS = [
	...DECISIVE_PARAMETERS,
	'key',
	'max_pages',
	'max_age',
	'sort_by',
	'condition',
	'shipping',
	'timeout',
];

/** The documented default, in minutes. */
const TIMEOUT_DEFAULT = 1440;

/** How a list shows jobs, as learned from all its jobs. */
export interface Listed {
	/** Whether any job in the list shows this parameter value in our spelling. */
	spells: (name: string, value: unknown) => boolean;
	/** Whether all known jobs of this run show this parameter value, so that it is the service's default. */
	isDefault: (name: string, value: unknown) => boolean;
	/** Whether a job with this creation time is certainly older than our request. */
	isTooOld: (time: number) => boolean;
	/** Whether a job with this creation time was probably created while our request was under way. */
	isInTime: (time: number) => boolean;
}

/** Compares a parameter of a job with the requested one, in any spelling. One that the job does not show is unclear. */
function compareParameter(
	name: string,
	shown: IDataObject,
	requested: unknown,
	{ spells }: Pick<Listed, 'spells'>,
): Comparison {
	const value = shown[name];
	// A job that shows its values under the key's name also shows the key.
	if (name === 'key' && value === undefined && shown[String(requested)] !== undefined) return 'same';
	if (typeof value === 'object' || value === undefined) return 'unclear';
	const renamedKey = name === 'key' ? OLDER_KEYS[String(value)] : undefined;
	const [shownText, requestedText] = [comparable(renamedKey ?? value), comparable(requested)];
	if (shownText === requestedText) return 'same';
	if (!DECISIVE_PARAMETERS.includes(name) || shownText === '' || mayBe(shownText, requestedText))
		return 'unclear';
	// The list may show the value in another form, such as a number. Then a different text proves nothing.
	if (!spells(name, requested)) return 'unclear';
	// Different codes mean different countries, except for the two codes of the United Kingdom.
	const areCodes =
		shownText.length === 2 &&
		requestedText.length === 2 &&
		[shownText, requestedText].sort().join() !== 'gb,uk';
	return name === 'country' && !areCodes ? 'unclear' : 'others';
}

/** Whether a job shows a parameter that we did not send and that the service did not fill in by default. */
function showsMore(shown: IDataObject, sent: IDataObject, { isDefault }: Pick<Listed, 'isDefault'>): boolean {
	return RESULT_PARAMETERS.some((name) => {
		const value = shown[name] ?? '';
		if (name === 'timeout' && Number(value) === TIMEOUT_DEFAULT) return false;
		return sent[name] === undefined && value !== '' && !isDefault(name, value);
	});
}

/** Names under which services show a job's values, apart from the name of its key. */
const VALUE_NAMES = ['values', 'value', 'term', 'terms', 'keyword', 'keywords', 'gtin', 'gtins'];

/** Compares the values of a job with the requested ones. */
function compareValues(job: Job, { key, values }: JobRequest, names: SentNames): Comparison {
	const lists = [...queriesOf(job), job].flatMap((part) => {
		const fields = documentedNames(part, names);
		// In the job itself, `id` is its ID and not a value.
		const fieldNames = part === job && key === 'id' ? VALUE_NAMES : [...VALUE_NAMES, key];
		return fieldNames.map((name) => readValues(fields[name]).map(({ text }) => text));
	});
	if (lists.flat().length === 0) return 'unclear';
	const serialize = (texts: readonly string[]) =>
		JSON.stringify([...new Set(texts.map((text) => identityOf(key, text)))].sort());
	if (lists.some((texts) => serialize(texts) === serialize(values))) return 'same';
	const parts = lists.flat().flatMap((text) => [text, ...text.split(/[,;|\t]/)].map(comparable));
	const requestedTexts = values.map(comparable);
	return parts.some((part) => requestedTexts.some((value) => mayBe(part, value))) ? 'unclear' : 'others';
}

/** The marks that a job shows: in a callback URL, or as its label. */
function marksOf(fields: IDataObject, { labelParameter }: SentNames): string[] {
	const texts = Object.values(fields).filter((value) => typeof value === 'string');
	const nonces = [...texts.join('\n').matchAll(/[?&]pc_nonce=([\w-]+)/g)].flatMap(([, mark]) => mark ?? []);
	const label = labelParameter === '' ? undefined : fields[labelParameter];
	return typeof label === 'string' && label !== '' ? [...nonces, label] : nonces;
}

/** The creation time in a job, in milliseconds since 1970; undefined if missing, unreadable or without a time zone. */
export const creationTimeOf = (job: Job) => timeOf(job.created_at, 'unknown');

/** Decides whether a listed job is ours, another request's, or unclear. */
export function ownershipOf(
	job: Job,
	{ request, nonce, hasGaps, known, from }: LostCreation,
	listed: Listed,
	names: SentNames,
): Ownership {
	if (known.has(job.job_id)) return 'another';
	const fields = documentedFields(job, names);
	// A label that the user chose is not a mark.
	const isMark = request.parameters[names.labelParameter] === undefined;
	const marks = marksOf(fields, isMark ? names : { ...names, labelParameter: '' });
	if (nonce !== undefined && marks.includes(nonce)) return 'ours';
	// A list may truncate our mark or change its case.
	const mayShowOurs = marks.some((mark) => mayBe(comparable(mark), comparable(nonce)));
	if (nonce !== undefined && marks.length > 0 && !mayShowOurs && !hasGaps) return 'another';
	const created = creationTimeOf(job);
	const earliest = Math.min(created ?? Infinity, timeOf(job.downloaded_at, 'unknown') ?? Infinity);
	// The callback URL differs with every try, and the label is the mark.
	const notCompared = [names.webhookUrlParameter, names.labelParameter];
	const sent = Object.entries(request.parameters).filter(([name]) => !notCompared.includes(name));
	const compared = [
		compareValues(job, request, names),
		...sent.map(([name, requested]) => compareParameter(name, fields, requested, listed)),
	];
	if (compared.includes('others') || listed.isTooOld(earliest)) return 'another';
	const isInTime = from !== undefined && created !== undefined && listed.isInTime(created);
	const isEqual = compared.every((one) => one === 'same') && !showsMore(fields, request.parameters, listed);
	return isInTime && isEqual ? 'ours' : 'unclear';
}
