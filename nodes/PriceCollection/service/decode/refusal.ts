import { isObject } from '../types';

/** Why the service did not do what it was asked, in its own words, which may be long and on several lines. */
export interface Refusal {
	/** The service's `reason`; where it has none, all texts of the body in their order. */
	reason: string;
	/** The creation parameter it is about. */
	parameter?: string;
	/** The texts beside `reason`. */
	comment?: string;
	/** The HTTP status that the body names. */
	status?: number;
}

/** The reason of a refusal that has no words of its own. */
export const NO_REASON = 'no reason given';

/** So many values of a body are looked at for words, and so many characters of them are kept. */
const [MOST_VALUES, MOST_CHARACTERS] = [500, 5_000];
/** What a person would read: addresses, times and identifiers are not. */
const WORDS = /(?<![\p{L}\d])\p{L}{2,}(?![\p{L}\d])/u;
const ADDRESS = /^[a-z]{1,9}:\S*$|^\//i;
/** Fields whose names only say that they hold words. Other names are said as well, as in `country: is missing`. */
const NAMES_WORDS =
	/(^|error|message|msg|reason|title|details?|description|comment|text|failure|violation)s?$/;
/** Fields that say whether the request succeeded, not why, and what the words are about. */
const VERDICTS = ['status', 'state', 'result', 'outcome', 'success', 'ok', 'parameter'];
const CODES = ['status', 'code', 'statuscode', 'httpstatus', 'errorcode'];
const REFUSED =
	/^(error|exception|fail|failed|failure|refused|rejected|invalid|denied|forbidden|unauthori[sz]ed)$/;
const NO_ERROR = /^(\d+|false|none|null|nil|ok|)$/;

const bare = (name: string) => name.slice(0, 40).toLowerCase().replace(/[_-]/g, '');
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
/** A field of one word; no word for anything else. */
const wordOf = (value: unknown) =>
	typeof value === 'object'
		? ''
		: String(value ?? '')
				.slice(0, 100)
				.trim()
				.toLowerCase();
const httpError = (value: unknown) => /^[45]\d\d(?!\d)/.exec(wordOf(value))?.[0];

/** An object's fields, by names that are spelt in one way. */
type Part = Readonly<Record<string, unknown>>;

/** An object and those in it, from the outside in; what was collected and asked for is not about the request. */
function partsOf(value: unknown, levels = 3): Part[] {
	if (!isObject(value) || levels === 0) return [];
	const fields = Object.entries(value).slice(0, MOST_VALUES);
	const inner = fields.filter(([name]) => !/^(results|content|query)$/.test(name));
	const part = Object.fromEntries(fields.reverse().map(([name, field]) => [bare(name), field]));
	return [part, ...inner.flatMap(([, field]) => partsOf(field, levels - 1))];
}

/** All words in a value, in their order. */
function wordsIn(root: unknown): string[] {
	const open: Array<readonly [name: string, value: unknown]> = [['', root]];
	const words = new Set<string>();
	for (
		let [count, left] = [0, MOST_CHARACTERS];
		open.length > 0 && count < MOST_VALUES && left > 0;
		count++
	) {
		const [name, value] = open.pop() ?? ['', undefined];
		const isList = Array.isArray(value);
		for (const [key, one] of Object.entries(isList || isObject(value) ? value : {})
			.slice(0, MOST_VALUES)
			.reverse())
			if (isList || isObject(one) || !VERDICTS.includes(bare(key)))
				open.push([isList ? name : key, one]);
		const text = typeof value === 'string' ? value.slice(0, left).trim() : '';
		if (!WORDS.test(text) || ADDRESS.test(text)) continue;
		words.add(NAMES_WORDS.test(bare(name)) ? text : `${name.slice(0, 40)}: ${text}`);
		left -= text.length;
	}
	return [...words];
}

/** Texts as one, with a mark between them where the first has none. */
const joined = (words: readonly string[]) => words.join('; ').replace(/([.!?]); /g, '$1 ');

/** The words of a reason, whatever it is made of. */
export function reasonIn(value: unknown): string | undefined {
	return isText(value) ? value.trim() : joined(wordsIn(value)) || undefined;
}

/** Whether a part says no. A zero only does beside words: it may be the number of successes. */
function denies({ success, ok }: Part, hasWords: boolean): boolean {
	return [success, ok].map(wordOf).some((flag) => /^(false|no)$/.test(flag) || (hasWords && flag === '0'));
}

/** Whether a part says that something went wrong: by a status, a code or an error. */
function saysError(part: Part): boolean {
	if (VERDICTS.some((name) => REFUSED.test(wordOf(part[name])))) return true;
	if (CODES.some((name) => httpError(part[name])) || part.error === true) return true;
	const { error, errors, code, message, msg } = part;
	if ([error, errors].some((one) => !NO_ERROR.test(reasonIn(one)?.toLowerCase() ?? ''))) return true;
	return /^-?[1-9]\d*$/.test(wordOf(code)) && !/^2\d\d$/.test(wordOf(code)) && [message, msg].some(isText);
}

const hasId = ({ jobid, id }: Part) => wordOf(jobid ?? id) !== '';
/** A job with its status: that it exists counts for more than what is said beside it. */
const isJob = (part: Part) =>
	hasId(part) && isText(part.status) && !REFUSED.test(wordOf(part.status)) && !httpError(part.status);
const isAboutResults = ({ query, results }: Part) =>
	isObject(query) || (Array.isArray(results) && results.length > 0);

/**
 * The refusal in a decoded body, whatever wrote it. With an HTTP status below 400 the body itself must say that the
 * request failed; a job that merely has an error beside its ID does not.
 */
export function readRefusal(value: unknown, status: number): Refusal | undefined {
	const parts = partsOf(value);
	if (parts.some(isAboutResults)) return undefined;
	const words = wordsIn(value);
	const denied = parts.some((part) => denies(part, words.length > 0));
	const failed = parts.some((part) => saysError(part) && !hasId(part));
	if (status < 400 ? parts.some(isJob) || !(denied || failed) : words.length === 0 && !denied)
		return undefined;
	const told = parts
		.map(({ reason }) => reason)
		.find(isText)
		?.trim();
	const comment = joined(words.filter((text) => text !== told));
	const parameter = parts.map((part) => part.parameter ?? part.param ?? part.field).find(isText);
	const inner = parts.flatMap((part) => CODES.map((name) => httpError(part[name]))).find(isText);
	return {
		reason: told ?? (comment || NO_REASON),
		...(parameter !== undefined && { parameter: parameter.trim() }),
		...(told !== undefined && comment !== '' && { comment }),
		...(failed && inner !== undefined && { status: Number(inner) }),
	};
}
