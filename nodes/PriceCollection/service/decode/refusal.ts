import { isFilled, isObject, wordOf } from '../types';

/** Why the service refused a request, in its own words, which may be long and span several lines. */
export interface Refusal {
	/** The service's `reason`, or else all texts of the body in their order. */
	reason: string;
	/** The creation parameter concerned. */
	parameter?: string;
	/** The texts beside `reason`. */
	comment?: string;
	/** The HTTP status that the body states. */
	status?: number;
}

/** The reason of a refusal without any words. */
export const NO_REASON = 'no reason given';

/** Limits: fields examined per object or list, depth, and characters of words kept. */
const [MOST_FIELDS, DEEPEST, MOST_CHARACTERS] = [50, 6, 5_000];
/** Text for people; addresses, times and identifiers are not. */
const WORDS = /(?<![\p{L}\d])\p{L}{2,}(?![\p{L}\d])/u;
const ADDRESS = /^[a-z]{1,9}:\S*$|^\//i;
/** Field names that only announce words. Other names are included, as in `country: is missing`. */
const NAMES_WORDS =
	/(^|error|message|msg|reason|title|details?|description|comment|text|failure|violation)s?$/;
/** Fields that say whether the request succeeded. They and the parameter's name are not a reason. */
const VERDICTS = ['status', 'state', 'result', 'outcome'];
const NO_WORDS = new Set([...VERDICTS, 'success', 'ok', 'parameter']);
const CODES = ['status', 'code', 'statuscode', 'httpstatus', 'errorcode'];
const REFUSED =
	/^(error|exception|fail|failed|failure|refused|rejected|invalid|denied|forbidden|unauthori[sz]ed)$/;
const NO_ERROR = /^(\d+|false|no|none|null|nil|ok|)$/i;

const bare = (name: string) => name.slice(0, 40).toLowerCase().replace(/[_-]/g, '');
const isText = (value: unknown): value is string => typeof value === 'string' && isFilled(value);
const httpError = (value: unknown) => /^[45]\d\d(?!\d)/.exec(wordOf(value))?.[0];

/** An object's fields, with normalised names. */
type Part = Readonly<Record<string, unknown>>;

/** An object and its nested objects, outermost first, without results and queries. */
function partsOf(value: unknown, levels = 3): Part[] {
	if (!isObject(value) || levels === 0) return [];
	const fields = Object.entries(value).slice(0, MOST_FIELDS);
	const inner = fields.filter(([name]) => !/^(results|content|query)$/.test(name));
	const part = Object.fromEntries(fields.reverse().map(([name, field]) => [bare(name), field]));
	return [part, ...inner.flatMap(([, field]) => partsOf(field, levels - 1))];
}

/** All words in a value, in order. */
function* textsIn(value: unknown, name = '', levels = DEEPEST): Generator<string> {
	if (typeof value === 'string') {
		const text = value.slice(0, MOST_CHARACTERS).trim();
		const isSaid = WORDS.test(text) && !ADDRESS.test(text);
		if (isSaid) yield NAMES_WORDS.test(bare(name)) ? text : `${name.slice(0, 40)}: ${text}`;
	} else if (typeof value === 'object' && value !== null && levels > 0) {
		for (const [key, field] of Object.entries(value).slice(0, MOST_FIELDS)) {
			const isList = Array.isArray(value);
			if (isList || isObject(field) || !NO_WORDS.has(bare(key)))
				yield* textsIn(field, isList ? name : key, levels - 1);
		}
	}
}

function wordsIn(value: unknown): string[] {
	const words = new Set<string>();
	let left = MOST_CHARACTERS;
	for (const text of textsIn(value)) {
		words.add(text);
		left -= text.length;
		if (left <= 0) break;
	}
	return [...words];
}

/** Joins texts, with a semicolon after those that have no full stop. */
const joined = (words: readonly string[]) => words.join('; ').replace(/([.!?]); /g, '$1 ');

/** The words of a reason of any shape. */
export function reasonIn(value: unknown): string | undefined {
	return isText(value) ? value.trim() : joined(wordsIn(value)) || undefined;
}

/** The words of an error field, unless it says that there is no error. */
export function errorIn(...values: unknown[]): string | undefined {
	return values.map(reasonIn).find((text = '') => !NO_ERROR.test(text));
}

/** Whether a part reports an error: by a status, a code or an error field. */
function saysError(part: Part): boolean {
	if (VERDICTS.some((name) => REFUSED.test(wordOf(part[name])))) return true;
	if (CODES.some((name) => httpError(part[name])) || part.error === true) return true;
	const { error, errors, message, msg } = part;
	if (errorIn(error, errors) !== undefined) return true;
	return /^(?!2\d\d$)-?[1-9]\d*$/.test(wordOf(part.code)) && [message, msg].some(isText);
}

const hasId = ({ jobid, id }: Part) => wordOf(jobid ?? id) !== '';
/** A job with its status: that it exists counts for more than any error beside it. */
const isJob = (part: Part) =>
	hasId(part) && isText(part.status) && !REFUSED.test(wordOf(part.status)) && !httpError(part.status);
const isAboutResults = ({ query, results }: Part) =>
	isObject(query) || (Array.isArray(results) && results.length > 0);

/**
 * Reads the refusal in a decoded body of any shape. With an HTTP status below 400 the body itself must say
 * that the request failed; an error beside a job ID is not enough.
 */
export function readRefusal(value: unknown, status: number): Refusal | undefined {
	const parts = partsOf(value);
	if (parts.some(isAboutResults)) return undefined;
	const flags = parts.flatMap(({ success, ok }) => [wordOf(success), wordOf(ok)]);
	const saysNo = flags.some((flag) => flag === 'false' || flag === 'no');
	const failed = parts.some((part) => saysError(part) && !hasId(part));
	if (status < 400 && (parts.some(isJob) || !(saysNo || failed || flags.includes('0')))) return undefined;
	const words = wordsIn(value);
	// A zero only means failure if there are words beside it: it may be the number of successes.
	if (words.length === 0 && !saysNo && !(status < 400 && failed)) return undefined;
	const firstText = (...names: string[]) =>
		parts
			.flatMap((part) => names.map((name) => part[name]))
			.find(isText)
			?.trim();
	const told = firstText('reason');
	const comment = joined(words.filter((text) => text !== told));
	const inner = parts.flatMap((part) => CODES.map((name) => httpError(part[name]))).find(isText);
	return {
		...{ reason: told ?? (comment || NO_REASON), parameter: firstText('parameter', 'param', 'field') },
		comment: told === undefined || comment === '' ? undefined : comment,
		status: failed && inner !== undefined ? Number(inner) : undefined,
	};
}
