import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../service/connection';
import { documentedNames } from '../service/requestNames';
import { timeOf } from '../service/time';
import { isObject, type Job } from '../service/types';
import { readValues } from '../values/cells';
import { folded, identityOf } from '../values/identity';
import type { JobRequest } from '../run/record';

/*
 * Whose a job of the list is. Ours contains our mark, or shows every parameter and value that we sent, nothing that we
 * did not send, and a creation time within our request. Another one's contains something that our request cannot have.
 */

/** A creation whose reply was lost, or of which it is unknown whether it was sent. Times in milliseconds since 1970. */
export interface LostCreation {
	/** When it was sent at the earliest; absent where that is unknown. */
	from?: number;
	/** When it can have reached the service at the latest. */
	to: number;
	/** The mark in its callback URL and label, if it is known. */
	nonce?: string;
	/** Whether it may have been sent again with another mark. */
	hasGaps: boolean;
	/** What was sent, as far as is known. */
	request: JobRequest;
	/** Jobs that belong to other requests, and when those were sent; 0 for those of earlier rounds. */
	known: ReadonlyMap<string, number>;
}

export type Ownership = 'another' | 'ours' | 'unclear';

/** What the service calls what it is sent, as the credential says. */
type SentNames = Pick<ConnectionSettings, 'labelParameter' | 'requestNames' | 'webhookUrlParameter'>;

const queriesOf = (job: Job) => [job.query, job.request, job.params, job.parameters].filter(isObject);

/** The fields of a job that may hold the query, in documented names; other objects, such as the account, do not. */
export function documentedFields(job: Job, names: Pick<SentNames, 'requestNames'>): IDataObject {
	const parts = [...queriesOf(job), job];
	return Object.fromEntries(parts.flatMap((part) => Object.entries(documentedNames(part, names))));
}

const comparable = (text: unknown) => folded(String(text)).replaceAll(' ', '');

/** Whether two bare texts are equal, or one may be a part of the other: truncated, joined or written in full. */
function mayBe(one: string, other: string): boolean {
	if (one === other) return one !== '';
	return Math.min(one.length, other.length) >= 2 && (one.includes(other) || other.includes(one));
}

type Comparison = 'same' | 'others' | 'unclear';

/** Version 1 named some kinds of values differently, and services still show them so. */
const OLDER_KEYS: Readonly<Record<string, string>> = { keyword: 'term', source_id: 'id' };

/** If one of these differs, the job belongs to another request. The service may rewrite the others. */
const DECISIVE_PARAMETERS: readonly string[] = ['topic', 'source', 'country'];
/** Parameters that change what a job gives. A job that shows one that was not sent may be another request's. */
const CHANGING = [
	...DECISIVE_PARAMETERS,
	'key',
	'max_pages',
	'max_age',
	'sort_by',
	'condition',
	'shipping',
	'timeout',
];

/** The document's own default, in minutes. */
const TIMEOUT_DEFAULT = 1440;

/** What the other jobs of a list say about how it shows jobs. */
export interface Listed {
	/** Whether some job of the list shows this value of a parameter as we spell it. */
	spells: (name: string, value: unknown) => boolean;
	/** Whether all known jobs of this run show this value of a parameter: the service's default. */
	isDefault: (name: string, value: unknown) => boolean;
	/** Whether a job that was created then, by its own time, is certainly older than the request. */
	isTooOld: (time: number) => boolean;
	/** Whether a job that was created then was created while the request was under way. */
	isInTime: (time: number) => boolean;
}

/** Compares a parameter of a job with the requested one, in any spelling. What the job does not show is unclear. */
function compareParameter(
	name: string,
	shown: IDataObject,
	asked: unknown,
	{ spells }: Pick<Listed, 'spells'>,
): Comparison {
	const value = shown[name];
	// A job that shows its values under the name of the key shows the key as well.
	if (name === 'key' && value === undefined && shown[String(asked)] !== undefined) return 'same';
	if (typeof value === 'object' || value === undefined) return 'unclear';
	const older = name === 'key' ? OLDER_KEYS[String(value)] : undefined;
	const [said, wanted] = [comparable(older ?? value), comparable(asked)];
	if (said === wanted) return 'same';
	if (!DECISIVE_PARAMETERS.includes(name) || said === '' || mayBe(said, wanted)) return 'unclear';
	// The list may show it in its own way, such as a number: then another spelling says nothing.
	if (!spells(name, asked)) return 'unclear';
	// Different codes mean different countries, except for the two codes of the United Kingdom.
	const areCodes = said.length === 2 && wanted.length === 2 && [said, wanted].sort().join() !== 'gb,uk';
	return name === 'country' && !areCodes ? 'unclear' : 'others';
}

/** Whether a job shows a parameter that was not sent, other than as the service fills it in itself. */
function showsMore(shown: IDataObject, sent: IDataObject, { isDefault }: Pick<Listed, 'isDefault'>): boolean {
	return CHANGING.some((name) => {
		const value = shown[name] ?? '';
		if (name === 'timeout' && Number(value) === TIMEOUT_DEFAULT) return false;
		return sent[name] === undefined && value !== '' && !isDefault(name, value);
	});
}

/** Names under which services show a job's values, besides its key. */
const VALUE_NAMES = ['values', 'value', 'term', 'terms', 'keyword', 'keywords', 'gtin', 'gtins'];

/** Compares the values of a job with the requested ones. */
function compareValues(job: Job, { key, values }: JobRequest, own: SentNames): Comparison {
	const lists = [...queriesOf(job), job].flatMap((part) => {
		const fields = documentedNames(part, own);
		// The job's own ID is not a value.
		const names = part === job && key === 'id' ? VALUE_NAMES : [...VALUE_NAMES, key];
		return names.map((name) => readValues(fields[name]).map(({ text }) => text));
	});
	if (lists.flat().length === 0) return 'unclear';
	const written = (texts: readonly string[]) =>
		JSON.stringify([...new Set(texts.map((text) => identityOf(key, text)))].sort());
	if (lists.some((texts) => written(texts) === written(values))) return 'same';
	const parts = lists.flat().flatMap((text) => [text, ...text.split(/[,;|\t]/)].map(comparable));
	const ours = values.map(comparable);
	return parts.some((part) => ours.some((value) => mayBe(part, value))) ? 'unclear' : 'others';
}

/** The marks that a job shows: in a callback URL, or as its label. */
function marksOf(fields: IDataObject, { labelParameter }: SentNames): string[] {
	const texts = Object.values(fields).filter((value) => typeof value === 'string');
	const nonces = [...texts.join('\n').matchAll(/[?&]pc_nonce=([\w-]+)/g)].flatMap(([, mark]) => mark ?? []);
	const label = labelParameter === '' ? undefined : fields[labelParameter];
	return typeof label === 'string' && label !== '' ? [...nonces, label] : nonces;
}

/** When a job was created, as it says itself; undefined for a time without a zone. */
export const createdBetween = (job: Job) => timeOf(job.created_at, 'unknown');

/** Decides whose job this is. */
export function ownershipOf(
	job: Job,
	{ request, nonce, hasGaps, known, from }: LostCreation,
	listed: Listed,
	names: SentNames,
): Ownership {
	if (known.has(job.job_id)) return 'another';
	const fields = documentedFields(job, names);
	// A label of the user's own is no mark.
	const isMark = request.parameters[names.labelParameter] === undefined;
	const shown = marksOf(fields, isMark ? names : { ...names, labelParameter: '' });
	if (nonce !== undefined && shown.includes(nonce)) return 'ours';
	// A list may cut our mark, or show it in other letters.
	const mayShowOurs = shown.some((mark) => mayBe(comparable(mark), comparable(nonce)));
	if (nonce !== undefined && shown.length > 0 && !mayShowOurs && !hasGaps) return 'another';
	const created = createdBetween(job);
	const earliest = Math.min(created ?? Infinity, timeOf(job.downloaded_at, 'unknown') ?? Infinity);
	// The callback URL differs from try to try, and the label is the mark.
	const unsent = [names.webhookUrlParameter, names.labelParameter];
	const sent = Object.entries(request.parameters).filter(([name]) => !unsent.includes(name));
	const compared = [
		compareValues(job, request, names),
		...sent.map(([name, asked]) => compareParameter(name, fields, asked, listed)),
	];
	if (compared.includes('others') || listed.isTooOld(earliest)) return 'another';
	const isInTime = from !== undefined && created !== undefined && listed.isInTime(created);
	const isEqual = compared.every((one) => one === 'same') && !showsMore(fields, request.parameters, listed);
	return isInTime && isEqual ? 'ours' : 'unclear';
}
