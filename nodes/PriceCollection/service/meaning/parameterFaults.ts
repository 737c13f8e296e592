import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../connection';
import { words } from '../names';
import type { ParameterFault } from '../problems';
import { documentedName, PARAMETERS } from '../requestNames';
import type { ReplyText } from '../text';
import { bareName, isTextOrNumber } from '../types';

/*
 * What a refusal says about the parameters of its request, and which setting helps. Words that name no parameter are
 * only shown.
 */

/** Texts that are examined, and characters of each in which names are looked for. */
const [MOST_TEXTS, MOST_CHARACTERS] = [50, 1_000];

const MISSING =
	/\b(absent|blank|empty|mandatory|missing|null|required)\b|\b(been|was|were) not (given|present|provided)\b|\bnot been (given|provided)\b/i;
const UNKNOWN =
	/\b(additional|extra|unexpected|unknown|unpermitted|unrecogni[sz]ed)\b|\bnot (allowed|expected|known|permitted|recogni[sz]ed)\b/i;
const A_PARAMETER =
	/\b(arguments?|attributes?|fields?|inputs?|param(eter)?s?|propert(y|ies))\b(?! values?\b)/i;
/** As validators write it: "source" is not allowed. */
const NOT_ALLOWED = /^["'`] is not allowed/i;
const FORM =
	/\b(a|an|be|expected|type|valid) (array|list|scalar|str|string|text)\b|\b(array|list|str|string) (type )?expected\b/i;
/** What is said of a content, whatever its form is. */
const CONTENT =
	/\d|\b(characters?|check ?(digit|sum)|digits?|ean|format|gtin|invalid value|isbn|length|long|pattern|short|upc)\b/i;
/** A value that the service has switched off is the right one. */
const DISABLED = /\bdisabled\b/i;

/** Parameters of whose value services say that it is unknown or not allowed. */
const CHOICE_PARAMETERS = PARAMETERS.filter((name) => !/^(max_|timeout)/.test(name));
/** Parameters that the user must choose. */
export const CHOSEN = ['source', 'country'];
export const LOOKUPS = ['value', 'values'];

/** Words before a name with which a sentence begins. */
const LEADING = words(
	'a an argument attribute bad body field illegal invalid missing no param parameter property query request required such the this unexpected unknown unrecognised unrecognized unsupported wrong',
);
const MOST_LEADING = 60;
const A_PARAMETER_BEFORE = /\b(?:argument|attribute|field|param(?:eter)?|propert(?:y|ie))s?\W{1,3}$/i;
const QUOTED = /^["'`«»“”„]$/;
/** A name that is no ordinary word, such as `per_page`. */
const COMPOUND = /[_-]|[a-z][A-Z]/;

/** The request that was refused, as it was sent. */
interface RefusedRequest {
	body?: IDataObject;
	query?: IDataObject;
}

/** The settings that are the name of a parameter. */
type Naming =
	'cursorParameter' | 'labelParameter' | 'pageParameter' | 'pageSizeParameter' | 'webhookUrlParameter';

type NameSettings = Pick<
	ConnectionSettings,
	'countryCase' | 'lookupValues' | 'pagination' | 'requestBody' | 'requestNames' | 'testSource' | Naming
>;

type KnownParameter = Pick<ParameterFault, 'isSent' | 'wireName' | 'parameter'> & { value?: unknown };

/** The parameters that a refusal may name, by their bare names: those that were sent, and those that a job needs. */
function knownIn(
	{ body, query = {} }: RefusedRequest,
	connection: NameSettings,
): Map<string, KnownParameter> {
	const { requestNames } = connection;
	const known = new Map<string, KnownParameter>();
	const add = (one: KnownParameter) => known.set(bareName(one.wireName.replace('[]', '')), one);
	const named = (...settings: Naming[]) =>
		new Map<string, string>(settings.map((setting) => [connection[setting], setting]));
	if (body !== undefined)
		for (const parameter of [...CHOSEN, ...LOOKUPS])
			add({ wireName: requestNames[parameter] || parameter, parameter, isSent: false });
	const ofJob = named('labelParameter', 'webhookUrlParameter');
	for (const [wireName, value] of Object.entries(body ?? {}))
		add({
			wireName,
			value,
			parameter: ofJob.get(wireName) ?? documentedName(wireName, connection),
			isSent: true,
		});
	const ofList = named('cursorParameter', 'pageSizeParameter', 'pageParameter');
	// So is the page called where it is the number of jobs to skip.
	if (connection.pagination === 'offset') ofList.set('offset', 'pageParameter');
	for (const [wireName, value] of Object.entries(query))
		add({ wireName, value, parameter: ofList.get(wireName) ?? wireName, isSent: true });
	return known;
}

/** What a text says about a parameter; `after`: what follows its name. */
function saying(text: string, parameter: string, after = ''): ParameterFault['says'] | undefined {
	if (DISABLED.test(text)) return undefined;
	if (MISSING.test(text)) return 'missing';
	const isAboutName =
		A_PARAMETER.test(text) || !CHOICE_PARAMETERS.includes(parameter) || NOT_ALLOWED.test(after);
	if (isAboutName && UNKNOWN.test(text)) return 'unknown';
	return LOOKUPS.includes(parameter) && FORM.test(text) && !CONTENT.test(text) ? 'form' : 'value';
}

/** The parameters that a sentence names: where its subject is one, in quotes, or by a name or value that is no ordinary word. */
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
		const one =
			byName ?? (isQuoted ? [...known.values()].find(({ value }) => value === word) : undefined);
		if (one !== undefined) yield [one, after];
	}
}

/**
 * What the words of a refusal say about the parameters of its request, each parameter once.
 *
 * @param parameter the one that the refusal names in its documented field, whatever its words are about
 */
export function faultsIn(
	said: readonly ReplyText[],
	parameter: string | undefined,
	sent: RefusedRequest,
	connection: NameSettings,
): ParameterFault[] {
	const known = knownIn(sent, connection);
	const faults = new Map<string, ParameterFault>();
	const add = (
		{ wireName, parameter: name, isSent }: KnownParameter,
		says: ParameterFault['says'] | undefined,
	) => {
		const earlier = faults.get(name);
		// What says only that there is something about it adds nothing.
		if (says !== undefined && (earlier === undefined || earlier.says === 'value'))
			faults.set(name, { wireName, parameter: name, says, isSent });
	};
	const addUnsent = (wireName: string, text: string) => {
		if (sent.body !== undefined && MISSING.test(text))
			add({ wireName, parameter: wireName, isSent: false }, 'missing');
	};
	const find = (name: string) => known.get(bareName(name.split(/[.[]/)[0] ?? ''));
	if (parameter !== undefined) {
		const all = said.map(({ text }) => text).join('. ');
		const one = find(parameter);
		if (one === undefined) addUnsent(parameter, all);
		else add(one, saying(all, one.parameter));
		return [...faults.values()];
	}
	for (const { field, isOfField, text } of said.slice(0, MOST_TEXTS)) {
		const one = find(field);
		if (one !== undefined) {
			add(one, saying(text, one.parameter));
			continue;
		}
		const count = faults.size;
		for (const sentence of text.slice(0, MOST_CHARACTERS).split(/(?<=[.!?;])\s+/))
			for (const [named, after] of namedIn(sentence, known)) {
				const says = saying(sentence, named.parameter, after);
				// Of what was not sent, only that it is missing is about this request.
				if (named.isSent || says !== 'value' || /^unknown source$/i.test(sentence.trim()))
					add(named, says);
			}
		if (isOfField && faults.size === count) addUnsent(field, text);
	}
	return [...faults.values()];
}

const HERE = 'under Customize Service in the credential';
const OTHER_NAME = `If the service has another name for it, enter that in Request Names ${HERE}`;

/** A sentence, without full stop, about the setting that helps. */
type Advice = (fault: ParameterFault, connection: NameSettings, value: string) => string | undefined;

/** What helps where a parameter is said to be missing: perhaps the service did not read the body. */
const asMissing: Advice = ({ isSent, wireName, parameter }, { requestBody }) => {
	if (!isSent && CHOSEN.includes(parameter)) return undefined;
	if (!isSent)
		return `${wireName} was not sent. If it is the service's own name for a parameter such as source, enter it in Request Names ${HERE}; otherwise send it through Additional Parameters`;
	const [reads, other] = requestBody === 'form' ? ['JSON', 'JSON'] : ['forms', 'Form'];
	return `${wireName} was sent. If the service reads ${reads}, set Request Body to ${other} ${HERE}`;
};

const asUnknown: Advice = ({ wireName, parameter }) =>
	PARAMETERS.includes(parameter)
		? `${wireName} was sent. ${OTHER_NAME}; with an empty name it is not sent`
		: `${wireName} was sent as you entered it. Correct or remove it in Additional Parameters or Query Parameters`;

const asForm: Advice = (fault, connection, value) => {
	const { isSent, wireName, says } = fault;
	if (connection.lookupValues !== 'automatic')
		return `If the service expects the values in another form, choose it as Lookup Values ${HERE}`;
	if (!isSent || says === 'form') return undefined;
	return says === 'missing' ? asMissing(fault, connection, value) : `${wireName} was sent. ${OTHER_NAME}`;
};

const asPaging =
	(setting: string): Advice =>
	({ wireName }) =>
		`${wireName} was sent. Enter the service's own name for it as ${setting} ${HERE}, or leave ${setting} empty, so that it is not sent; Pagination there says how pages are requested`;

/** Which setting helps: by parameter, and by what is said about it. */
const SETTINGS: Readonly<Record<string, Partial<Record<ParameterFault['says'], Advice>>>> = {
	topic: {
		value: ({ wireName }, _, value) =>
			`${wireName} was sent as "${value}". If the service has another word for it, set Topic to Custom`,
	},
	source: {
		value: (_, { testSource }, value) =>
			value === testSource
				? `The test source was sent as "${value}". If the service has another name for it, enter that as Test Source ${HERE}`
				: undefined,
	},
	country: {
		value: ({ wireName }, { countryCase }, value) => {
			const [other, name] =
				countryCase === 'lower'
					? [value.toUpperCase(), 'Upper Case']
					: [value.toLowerCase(), 'Lower Case'];
			if (other === value) return undefined;
			return `${wireName} was sent as "${value}". If the service writes it ${other}, set Country Case to ${name} ${HERE}. Countries are ISO codes, such as gb instead of uk`;
		},
	},
	key: {
		value: ({ wireName }, _, value) =>
			`${wireName} was sent as "${value}". If the service has another word for it, such as ean for gtin, enter that in Request Names ${HERE}, or set Look Up By to Custom`,
	},
	value: { form: asForm, missing: asForm, unknown: asForm },
	values: { form: asForm, missing: asForm, unknown: asForm },
	webhookUrlParameter: {
		unknown: ({ wireName }) =>
			`${wireName} was sent. Enter the service's own name for it as Webhook URL Parameter ${HERE}`,
	},
	labelParameter: {
		unknown: ({ wireName }) =>
			`${wireName} was sent. Enter the service's own name for it as Label Parameter ${HERE}, or leave that empty`,
	},
	pageParameter: {
		unknown: asPaging('Page Parameter'),
		value: ({ wireName }, _, value) =>
			`${wireName} was sent as "${value}". Set First Page and Pagination ${HERE} as the service counts`,
	},
	pageSizeParameter: { unknown: asPaging('Page Size Parameter'), value: asPaging('Page Size Parameter') },
	cursorParameter: { unknown: asPaging('Cursor Parameter') },
};

/** The settings that help against what is said about parameters; undefined where none is known. */
export function settingsFor(
	faults: readonly ParameterFault[],
	{ body, query }: RefusedRequest,
	connection: NameSettings,
): string | undefined {
	const sent = { ...query, ...body };
	const sentences = new Map<string, string>();
	for (const fault of faults) {
		const { isSent, wireName, parameter, says } = fault;
		const usual = { missing: asMissing, unknown: asUnknown, form: undefined, value: undefined }[says];
		const advice = SETTINGS[parameter]?.[says] ?? usual;
		const text = advice?.(
			fault,
			connection,
			isTextOrNumber(sent[wireName]) ? String(sent[wireName]) : '',
		);
		// Where the body was not read, one sentence says so for all that it holds.
		const key = isSent && says === 'missing' ? says : wireName;
		if (text !== undefined && !sentences.has(key)) sentences.set(key, text);
	}
	return sentences.size === 0 ? undefined : [...sentences.values()].join('. ');
}
