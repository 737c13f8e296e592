import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../service/connection';
import { LOOKUP_PARAMETERS } from '../service/meaning/parameterFaults';
import { traitsOf, type ParameterFault, type Problem } from '../service/problems';

/** How lookup values are sent: in `value`, as lines in `values`, or as a list in `values`. */
export type Encoding = Exclude<ConnectionSettings['lookupValues'], 'automatic'>;

/** Which encodings to try, in order, for this number of values. */
export function encodingsFor(
	setting: ConnectionSettings['lookupValues'],
	valueCount: number,
): readonly Encoding[] {
	if (setting !== 'automatic') return [setting];
	return valueCount === 1 ? ['single', 'list', 'array'] : ['list', 'array', 'single'];
}

export function encodedLookup(encoding: Encoding, values: readonly string[]): IDataObject {
	if (encoding === 'array') return { values: [...values] };
	return { [encoding === 'single' ? 'value' : 'values']: values.join('\n') };
}

const TOO_MANY = /\btoo many (elements|entries|items|lookups|products|queries|values)\b/i;
/** "at most 500", "maximum: 500", "between 1 and 500", "500 items", "500 or fewer"; the text after it may be its unit. */
const LIMITS = [
	/\b(?:at most|allows?|between \d+ and|exceeds?|from \d+ to|(?:fewer|less|more) than|limit|limited|max|maximum|only|up to)\b(?: (?:batch|equal|is|number|of|or|size|to|items|values))*[:=]?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?!\d)(?=([^\d.;]*))/gi,
	/\b(\d{1,9}) (?:(?:elements|entries|items|lookups|products|queries|values)\b|or (?:fewer|less)\b)/gi,
];
/** Units of numbers that limit something other than the number of values. */
const OTHER_UNIT =
	/^[\s-]*(?:(?!per\b)\w[\w-]* )?(bytes?|calls?|characters?|chars|credits?|days?|digits?|hours?|[km]b|jobs?|letters?|minutes?|pages?|requests?|seconds?|symbols?)\b/i;

/** The limit that a refusal names, if this number of values exceeds it; 0 if it reports too many without a number. */
function limitIn(
	{ reason = '', comment = '', faults = [] }: Problem,
	valueCount: number,
): number | undefined {
	if (faults.some(({ parameter }) => !LOOKUP_PARAMETERS.includes(parameter))) return undefined;
	const text = `${reason} ${comment}`;
	const limits = LIMITS.flatMap((limit) => [...text.matchAll(limit)])
		.filter(([, , unit = '']) => !OTHER_UNIT.test(unit))
		.map(([, number = '']) => Number(number.replaceAll(',', '')));
	const limit = limits.find((one) => one > 0 && one < valueCount);
	return limit ?? (TOO_MANY.test(text) && valueCount > 1 ? 0 : undefined);
}

/**
 * Turns a refusal into `tooManyValues` if its text reports a limit that this number of values exceeds; other problems
 * stay unchanged. Numbers in a refusal about the account, such as requests a minute or credits, limit something else.
 */
export function asTooMany(problem: Problem, valueCount: number): Problem {
	const isAboutAccount = traitsOf(problem).accountWide;
	const limit = problem.effect === 'none' && !isAboutAccount ? limitIn(problem, valueCount) : undefined;
	if (limit === undefined) return problem;
	const advice = limit === 0 ? '' : `. Set Max Values per Job in the credential to ${limit}`;
	return {
		...problem,
		kind: 'tooManyValues',
		setting: undefined,
		detail: `The job asked for ${valueCount} values${advice}`,
	};
}

/** Whether nothing was created and only the encoding of the lookup values is at fault, so another one may be accepted. */
export function refusesEncoding({ effect, faults = [], kind }: Problem): boolean {
	const isFormFault = ({ parameter, complaint }: ParameterFault) =>
		LOOKUP_PARAMETERS.includes(parameter) && complaint !== 'value';
	return effect === 'none' && kind !== 'tooManyValues' && faults.length > 0 && faults.every(isFormFault);
}

/** The refusal of the first encoding, with the service's words about the others. */
export function refusedInEveryEncoding(refusals: readonly Problem[]): Problem {
	const [first, ...others] = refusals as [Problem, ...Problem[]];
	const texts = others.map(({ reason, comment }) => `"${[reason, comment].filter(Boolean).join(': ')}"`);
	const detail = `The service also refused the other ways to send the values: ${texts.join(', ')}`;
	return others.length === 0 ? first : { ...first, detail };
}
