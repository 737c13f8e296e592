import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../service/connection';
import { LOOKUPS } from '../service/meaning/parameterFaults';
import { traitsOf, type ParameterFault, type Problem } from '../service/problems';

/** How the lookup values are sent: as `value`, as lines of `values`, or as a list in `values`. */
export type Encoding = Exclude<ConnectionSettings['lookupValues'], 'automatic'>;

/** The forms to try, in their order, for a job with so many values. */
export function encodingsFor(
	setting: ConnectionSettings['lookupValues'],
	values: number,
): readonly Encoding[] {
	if (setting !== 'automatic') return [setting];
	return values === 1 ? ['single', 'list', 'array'] : ['list', 'array', 'single'];
}

export function encodedLookup(encoding: Encoding, values: readonly string[]): IDataObject {
	if (encoding === 'array') return { values: [...values] };
	return { [encoding === 'single' ? 'value' : 'values']: values.join('\n') };
}

const TOO_MANY = /\btoo many (elements|entries|items|lookups|products|queries|values)\b/i;
/** "at most 500", "maximum: 500", "between 1 and 500", "500 items", "500 or fewer"; what follows may be its unit. */
const LIMITS = [
	/\b(?:at most|allows?|between \d+ and|exceeds?|from \d+ to|(?:fewer|less|more) than|limit|limited|max|maximum|only|up to)\b(?: (?:batch|equal|is|number|of|or|size|to|items|values))*[:=]?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?!\d)(?=([^\d.;]*))/gi,
	/\b(\d{1,9}) (?:(?:elements|entries|items|lookups|products|queries|values)\b|or (?:fewer|less)\b)/gi,
];
/** What numbers in a refusal may limit instead. */
const OTHER_UNIT =
	/^[\s-]*(?:(?!per\b)\w[\w-]* )?(bytes?|calls?|characters?|chars|credits?|days?|digits?|hours?|[km]b|jobs?|letters?|minutes?|pages?|requests?|seconds?|symbols?)\b/i;

/** The limit that a refusal names, if so many values exceed it; 0 where it names none, but says that there is one. */
function limitIn({ reason = '', comment = '', faults = [] }: Problem, values: number): number | undefined {
	if (faults.some(({ parameter }) => !LOOKUPS.includes(parameter))) return undefined;
	const words = `${reason} ${comment}`;
	const limits = LIMITS.flatMap((limit) => [...words.matchAll(limit)])
		.filter(([, , unit = '']) => !OTHER_UNIT.test(unit))
		.map(([, number = '']) => Number(number.replaceAll(',', '')));
	const limit = limits.find((one) => one > 0 && one < values);
	return limit ?? (TOO_MANY.test(words) && values > 1 ? 0 : undefined);
}

/**
 * A refusal of so many values names the limit as one of their number, whatever its words are. Numbers in a refusal that
 * is about the account, such as its requests a minute or its credits, limit something else.
 */
export function asTooMany(problem: Problem, values: number): Problem {
	const isAboutAccount = traitsOf(problem).accountWide;
	const limit = problem.effect === 'none' && !isAboutAccount ? limitIn(problem, values) : undefined;
	if (limit === undefined) return problem;
	const number = limit === 0 ? '' : `. Set Max Values per Job in the credential to ${limit}`;
	return {
		...problem,
		kind: 'tooManyValues',
		setting: undefined,
		detail: `The job asked for ${values} values${number}`,
	};
}

/** Whether nothing was created because of the form of the lookup values alone, so that another one may be accepted. */
export function refusesEncoding({ effect, faults = [], kind }: Problem): boolean {
	const isOfForm = ({ parameter, says }: ParameterFault) => LOOKUPS.includes(parameter) && says !== 'value';
	return effect === 'none' && kind !== 'tooManyValues' && faults.length > 0 && faults.every(isOfForm);
}

/** The refusal of the usual form, with what the service said to the others. */
export function refusedInEveryEncoding(refusals: readonly Problem[]): Problem {
	const [usual, ...others] = refusals as [Problem, ...Problem[]];
	const words = others.map(({ reason, comment }) => `"${[reason, comment].filter(Boolean).join(': ')}"`);
	const detail = `The other forms of the lookup values were refused as well: ${words.join(', ')}`;
	return others.length === 0 ? usual : { ...usual, detail };
}
