import type { IDataObject } from 'n8n-workflow';

import type { ConnectionSettings } from '../service/connection';
import { traitsOf, type Problem } from '../service/problems';

/** How the lookup values are sent: as `value`, as lines of `values`, or as a list in `values`. */
export type Form = Exclude<ConnectionSettings['lookupValues'], 'automatic'>;

/** The forms to try, in their order, for a job with so many values. */
export function formsFor(setting: ConnectionSettings['lookupValues'], values: number): readonly Form[] {
	if (setting !== 'automatic') return [setting];
	return values === 1 ? ['single', 'list', 'array'] : ['list', 'array', 'single'];
}

export function lookupIn(form: Form, values: readonly string[]): IDataObject {
	if (form === 'array') return { values: [...values] };
	return { [form === 'single' ? 'value' : 'values']: values.join('\n') };
}

/** Documented reasons that are about a value itself or the number of values, in whatever form they are sent. */
const ABOUT_VALUES = /^(invalid value|value disabled|too many values|no product)/i;
/** A documented reason that is about any parameter. */
const ABOUT_PARAMETER = /parameter value invalid/i;

/** What a limit may count. */
const COUNTED = /\b(entries|items?|lookups?|products?|queries|values?)\b/i;

/** The limit that a refusal names, if so many values exceed it: "at most 500 items". */
function limitIn({ reason = '', comment = '' }: Problem, values: number): number | undefined {
	const words = `${reason} ${comment}`;
	const numbers = (words.match(/\d{1,9}/g) ?? []).map(Number);
	return COUNTED.test(words) ? numbers.find((one) => one > 0 && one < values) : undefined;
}

/**
 * A refusal of so many values names the limit as one of their number, whatever its words are. Numbers in a refusal that
 * is about the account, such as its requests a minute or its credits, limit something else.
 */
export function asTooMany(problem: Problem, values: number): Problem {
	const isAboutAccount = traitsOf(problem).accountWide;
	const limit = problem.effect === 'none' && !isAboutAccount ? limitIn(problem, values) : undefined;
	if (limit === undefined) return problem;
	const detail = `The job asked for ${values} values. Set Max Values per Job in the credential to ${limit}`;
	return { ...problem, kind: 'tooManyValues', detail };
}

/** Whether nothing was created because of the form of the lookup values, so that another one may be accepted. */
export function refusesForm(problem: Problem): boolean {
	const { effect, kind, parameter, reason = '', comment = '' } = problem;
	if (effect !== 'none' || traitsOf(problem).accountWide || kind === 'tooManyValues') return false;
	if (ABOUT_VALUES.test(reason)) return false;
	if (parameter !== undefined) return /^values?(\[\])?$/i.test(parameter);
	return /\bvalues?\b/i.test(`${reason.replace(ABOUT_PARAMETER, '')} ${comment}`);
}

/** The refusal of the usual form, with what the service said to the others. */
export function inEveryForm(refusals: readonly Problem[]): Problem {
	const [usual, ...others] = refusals as [Problem, ...Problem[]];
	const words = others.map(({ reason, comment }) => `"${[reason, comment].filter(Boolean).join(': ')}"`);
	const detail = `The other forms of the lookup values were refused as well: ${words.join(', ')}`;
	return others.length === 0 ? usual : { ...usual, detail };
}
