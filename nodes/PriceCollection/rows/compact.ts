import type { IDataObject } from 'n8n-workflow';

import { bareName, isObject, setField, type Result } from '../service/types';
import { cheapestOffers } from './bestPrice';
import { requestedCondition } from './conditions';
import type { ContentReader } from './contentReader';
import type { RowChoice } from './rows';
import type { Steps } from './steps';

/** Default maximum length of an answer to an AI agent, in characters. */
export const DEFAULT_MAX_CHARACTERS = 20_000;
/** A shorter answer would have no room for a row and the note about omitted rows. */
const MIN_CHARACTERS = 1_000;
/** Room for the note about omitted rows, as an item of the answer. */
const NOTE_CHARACTERS = 400;

/** Whether an item concerns the agent's whole request, such as an error. Rows never displace it. */
const isAboutRequest = ({ still_running, error }: IDataObject) =>
	still_running === true || error !== undefined;

const jsonLength = (value: unknown) => JSON.stringify(value)?.length ?? 0;

/** Returns the first entries that fit into this many characters, with a comma each, after `show` has changed them. */
function firstThatFit<T>(entries: readonly T[], characters: number, show = (entry: T) => entry): T[] {
	const shown: T[] = [];
	let remaining = characters;
	for (const entry of entries) {
		const output = show(entry);
		remaining -= jsonLength(output) + 1;
		if (remaining < 0) break;
		shown.push(output);
	}
	return shown;
}

/** Shortens a row that is too long for any answer: keeps the fields that fit, and the first entries of lists. */
function shortenedRow(row: IDataObject, characters: number): IDataObject {
	const short: IDataObject = {};
	let remaining = characters;
	for (const [name, value] of Object.entries(row)) {
		const total = row[`${name}_total`] ?? (Array.isArray(value) ? value.length : null);
		const overhead = jsonLength({ [name]: '', [`${name}_total`]: total });
		const shown = Array.isArray(value) ? firstThatFit(value as unknown[], remaining - overhead) : value;
		if (jsonLength(shown) + overhead > remaining) continue;
		remaining -= jsonLength(shown) + overhead;
		setField(short, name, shown as IDataObject[string]);
		if (Array.isArray(shown) && Array.isArray(value) && shown.length < value.length)
			setField(short, `${name}_total`, total);
	}
	return short;
}

/**
 * Fits items into an answer for an AI agent: whole rows until it is full, then a note with the number of omitted rows. A row
 * is only shortened if it is too long for any answer.
 *
 * @param maxCharacters limit for the whole answer, which is the JSON list that n8n writes for the agent
 * @param hidden fields that the agent must not see, at any depth and in any spelling
 */
export function fitAnswer(
	items: readonly IDataObject[],
	maxCharacters: number,
	hidden: readonly string[] = [],
): IDataObject[] {
	const maxLength = Math.max(MIN_CHARACTERS, maxCharacters);
	const hiddenNames = hidden.map(bareName);
	const isShown = (name: string, value: unknown) =>
		hiddenNames.includes(bareName(name)) ? undefined : value;
	const visible = (item: IDataObject) =>
		hidden.length === 0 ? item : (JSON.parse(JSON.stringify(item, isShown)) as IDataObject);
	const whole = firstThatFit(items, maxLength - 1, visible);
	if (whole.length === items.length) return whole;
	const rows = [...items.filter(isAboutRequest), ...items.filter((item) => !isAboutRequest(item))];
	const room = maxLength - NOTE_CHARACTERS;
	const shown = firstThatFit(rows, room, visible);
	const cause = `because an answer is limited to ${maxLength} characters`;
	const notes: string[] = [];
	const [first] = rows;
	if (shown.length === 0 && first !== undefined) {
		shown.push(shortenedRow(visible(first), room));
		notes.push(`A row is shortened ${cause}: a field ending in _total says how many entries a list has.`);
	}
	const omitted = rows.length - shown.length;
	if (omitted > 0)
		notes.push(
			`${omitted} more ${omitted === 1 ? 'row is' : 'rows are'} left out ${cause}. Ask for fewer values at a time to see them all; a new question may cost credits.`,
		);
	return [...shown, { note: notes.join(' ') }];
}

/** How many entries of a list an agent sees. */
const MOST_ENTRIES = 10;

/** Sorts a list into the order in which its entries are shown. */
type Order = (list: readonly unknown[]) => Steps<unknown[]>;

/** Removes empty fields from a value and cuts its lists. `<name>_total` holds the original length of a cut list. */
function* compacted(value: unknown, order: Order): Steps<unknown> {
	if (Array.isArray(value)) {
		const compact: unknown[] = [];
		for (const entry of (yield* order(value)).slice(0, MOST_ENTRIES))
			compact.push(yield* compacted(entry, order));
		return compact.length === 0 ? undefined : compact;
	}
	if (!isObject(value)) return value;
	const compact: IDataObject = {};
	for (const [name, field] of Object.entries(value)) {
		const shown = field === null || field === '' ? undefined : yield* compacted(field, order);
		if (shown !== undefined) setField(compact, name, shown as IDataObject[string]);
		if (Array.isArray(field) && field.length > MOST_ENTRIES) compact[`${name}_total`] = field.length;
	}
	return compact;
}

/**
 * Compacts rows for an AI agent, which pays for every word: without empty fields, and with only the first entries of lists,
 * the cheapest offers first.
 *
 * @param results the rows' results, from one job and therefore with the same requested condition
 * @param parameters the job's request parameters, if they are known
 */
export function* compactRows(
	rows: readonly IDataObject[],
	{ bestPrice, columns, output }: Pick<RowChoice, 'bestPrice' | 'columns' | 'output'>,
	[result]: ReadonlyArray<Partial<Result>>,
	reader: ContentReader,
	parameters?: IDataObject,
): Steps<IDataObject[]> {
	const condition = requestedCondition(parameters, result);
	const order: Order = function* (list) {
		const cheapest = yield* cheapestOffers(list, bestPrice, { condition }, reader);
		const entries = new Set(list);
		const offers = new Set<unknown>(
			cheapest.map(({ object }) => object).filter((one) => entries.has(one)),
		);
		return [...offers, ...list.filter((entry) => !offers.has(entry))];
	};
	const compact: IDataObject[] = [];
	for (const row of output === 'entries' && columns !== 'raw' ? yield* order(rows) : rows) {
		compact.push((yield* compacted(row, order)) as IDataObject);
		yield 1;
	}
	return compact;
}

/**
 * Compacts a whole job into one item for an AI agent.
 *
 * @param parameters the job's request parameters, if they are known
 */
export function* compactJob(
	job: IDataObject,
	bestPrice: RowChoice['bestPrice'],
	reader: ContentReader,
	parameters?: IDataObject,
): Steps<IDataObject> {
	if (!Array.isArray(job.results)) return job;
	const results = job.results.filter(isObject);
	const choice = { bestPrice, columns: 'raw', output: 'results' } as const;
	return { ...job, results: yield* compactRows(results, choice, results, reader, parameters) };
}
