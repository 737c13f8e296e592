import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../connection';
import { words } from '../names';
import type { ParameterFault } from '../problems';
import { documentedName, PARAMETERS } from '../requestNames';
import type { ReplyText } from '../text';
import { bareName } from '../types';

/*
 * Finds out what a refusal says about the request's parameters. A message that names no parameter is only shown.
 */

/** How many texts are examined, and how many characters of each are searched for names. */
const [MOST_TEXTS, MOST_CHARACTERS] = [50, 1_000];

const MISSING =
	/\b(absent|blank|empty|mandatory|missing|null|required)\b|\b(been|was|were) not (given|present|provided)\b|\bnot been (given|provided)\b/i;
const UNKNOWN =
	/\b(additional|extra|unexpected|unknown|unpermitted|unrecogni[sz]ed)\b|\bnot (allowed|expected|known|permitted|recogni[sz]ed)\b/i;
const A_PARAMETER =
	/\b(arguments?|attributes?|fields?|inputs?|param(eter)?s?|propert(y|ies))\b(?! values?\b)/i;
/** Validators write: "source" is not allowed. */
const NOT_ALLOWED = /^["'`] is not allowed/i;
const FORM =
	/\b(a|an|be|expected|type|valid) (array|list|scalar|str|string|text)\b|\b(array|list|str|string) (type )?expected\b/i;
/** Complaints about a value's content rather than its form. */
const CONTENT =
	/\d|\b(characters?|check ?(digit|sum)|digits?|ean|format|gtin|invalid value|isbn|length|long|pattern|short|upc)\b/i;
/** A value that the service has switched off is not wrong. */
const DISABLED = /\bdisabled\b/i;

/** Parameters whose value, not only name, services may call unknown or not allowed. */
const CHOICE_PARAMETERS = PARAMETERS.filter((name) => !/^(max_|timeout)/.test(name));
/** Parameters that the user must choose. */
export const REQUIRED_PARAMETERS = ['source', 'country'];
export const LOOKUP_PARAMETERS = ['value', 'values'];

/** Words that may precede a parameter's name at the start of a sentence. */
const LEADING = words(
	'a an argument attribute bad body field illegal invalid missing no param parameter property query request required such the this unexpected unknown unrecognised unrecognized unsupported wrong',
);
const MOST_LEADING = 60;
const A_PARAMETER_BEFORE = /\b(?:argument|attribute|field|param(?:eter)?|propert(?:y|ie))s?\W{1,3}$/i;
const QUOTED = /^["'`«»“”„]$/;
/** A name that cannot be an ordinary word, such as `per_page`. */
const COMPOUND = /[_-]|[a-z][A-Z]/;

/** The refused request, as sent. */
export interface RefusedRequest {
	body?: IDataObject;
	query?: IDataObject;
}

/** The settings that hold a parameter's name. */
type NameField =
	'cursorParameter' | 'labelParameter' | 'pageParameter' | 'pageSizeParameter' | 'webhookUrlParameter';

/** The settings that decide under which name a parameter is sent. */
type ServiceNameSettings = Pick<ConnectionSettings, 'pagination' | 'requestNames' | NameField>;

type KnownParameter = Pick<ParameterFault, 'isSent' | 'serviceName' | 'parameter'> & { value?: unknown };

/** The parameters that a refusal may name, by bare name: those sent and, for a creation, those that every job needs. */
function knownIn(
	{ body, query = {} }: RefusedRequest,
	connection: ServiceNameSettings,
): Map<string, KnownParameter> {
	const { requestNames } = connection;
	const known = new Map<string, KnownParameter>();
	const add = (found: KnownParameter) => known.set(bareName(found.serviceName.replace('[]', '')), found);
	const settingsByName = (...settings: NameField[]) =>
		new Map<string, string>(settings.map((setting) => [connection[setting], setting]));
	if (body !== undefined)
		for (const parameter of [...REQUIRED_PARAMETERS, ...LOOKUP_PARAMETERS])
			add({ serviceName: requestNames[parameter] || parameter, parameter, isSent: false });
	const jobNames = settingsByName('labelParameter', 'webhookUrlParameter');
	for (const [serviceName, value] of Object.entries(body ?? {}))
		add({
			serviceName,
			value,
			parameter: jobNames.get(serviceName) ?? documentedName(serviceName, connection),
			isSent: true,
		});
	const listNames = settingsByName('cursorParameter', 'pageSizeParameter', 'pageParameter');
	// Offset pagination sends the page parameter under this name unless the user has changed its name.
	if (connection.pagination === 'offset') listNames.set('offset', 'pageParameter');
	for (const [serviceName, value] of Object.entries(query))
		add({ serviceName, value, parameter: listNames.get(serviceName) ?? serviceName, isSent: true });
	return known;
}

/** What a text says about a parameter, if it complains about it; `after`: the text after the parameter's name. */
function complaintIn(text: string, parameter: string, after = ''): ParameterFault['complaint'] | undefined {
	if (DISABLED.test(text)) return undefined;
	if (MISSING.test(text)) return 'missing';
	const isAboutName =
		A_PARAMETER.test(text) || !CHOICE_PARAMETERS.includes(parameter) || NOT_ALLOWED.test(after);
	if (isAboutName && UNKNOWN.test(text)) return 'unknown';
	return LOOKUP_PARAMETERS.includes(parameter) && FORM.test(text) && !CONTENT.test(text) ? 'form' : 'value';
}

/**
 * Yields the parameters that a sentence names, each with the text after it. A name counts if it is quoted, cannot be an
 * ordinary word, follows a word such as "parameter", or is the subject at the start. A value only counts if it is quoted.
 */
function* namedIn(
	sentence: string,
	known: ReadonlyMap<string, KnownParameter>,
): Generator<[KnownParameter, after: string]> {
	for (const { 0: word, index } of sentence.matchAll(/[a-z][\w-]*/gi)) {
		const [before, after] = [sentence.slice(0, index), sentence.slice(index + word.length)];
		const isQuoted =
			QUOTED.test(before.slice(-1)) && QUOTED.test(after.slice(0, 3).replace('[]', '').slice(0, 1));
		const isName =
			isQuoted ||
			COMPOUND.test(word) ||
			A_PARAMETER_BEFORE.test(before.slice(-20)) ||
			(before.length < MOST_LEADING &&
				(before.match(/\p{L}+/gu) ?? []).every((one) => LEADING.includes(one.toLowerCase())));
		const byName = isName ? known.get(bareName(word)) : undefined;
		const parameter =
			byName ?? (isQuoted ? [...known.values()].find(({ value }) => value === word) : undefined);
		if (parameter !== undefined) yield [parameter, after];
	}
}

/**
 * Returns what a refusal complaint about the parameters of its request, each parameter once.
 *
 * @param texts the texts in the refusal
 * @param parameter the one named in the documented field; all texts are then taken to be about it
 */
export function faultsIn(
	texts: readonly ReplyText[],
	parameter: string | undefined,
	sent: RefusedRequest,
	connection: ServiceNameSettings,
): ParameterFault[] {
	const known = knownIn(sent, connection);
	const faults = new Map<string, ParameterFault>();
	const add = (
		{ serviceName, parameter: name, isSent }: KnownParameter,
		complaint: ParameterFault['complaint'] | undefined,
	) => {
		const earlier = faults.get(name);
		// A specific complaint replaces the vague `value`; otherwise the first complaint counts.
		if (complaint !== undefined && (earlier === undefined || earlier.complaint === 'value'))
			faults.set(name, { serviceName, parameter: name, complaint, isSent });
	};
	const addUnsent = (serviceName: string, text: string) => {
		if (sent.body !== undefined && MISSING.test(text))
			add({ serviceName, parameter: serviceName, isSent: false }, 'missing');
	};
	const findKnown = (name: string) => known.get(bareName(name.split(/[.[]/)[0] ?? ''));
	if (parameter !== undefined) {
		const wholeText = texts.map(({ text }) => text).join('. ');
		const match = findKnown(parameter);
		if (match === undefined) addUnsent(parameter, wholeText);
		else add(match, complaintIn(wholeText, match.parameter));
		return [...faults.values()];
	}
	for (const { field, isOfField, text } of texts.slice(0, MOST_TEXTS)) {
		const match = findKnown(field);
		if (match !== undefined) {
			add(match, complaintIn(text, match.parameter));
			continue;
		}
		const faultsBefore = faults.size;
		for (const sentence of text.slice(0, MOST_CHARACTERS).split(/(?<=[.!?;])\s+/))
			for (const [candidate, after] of namedIn(sentence, known)) {
				const says = complaintIn(sentence, candidate.parameter, after);
				// A vague complaint about a parameter that was not sent is probably not about this request.
				if (candidate.isSent || says !== 'value' || /^unknown source$/i.test(sentence.trim()))
					add(candidate, says);
			}
		if (isOfField && faults.size === faultsBefore) addUnsent(field, text);
	}
	return [...faults.values()];
}
