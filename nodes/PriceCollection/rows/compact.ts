import type { IDataObject } from 'n8n-workflow';

import { isObject, setField, type Result } from '../service/types';
import { cheapestOffers } from './bestPrice';
import { conditionClass } from './conditions';
import type { ContentReader } from './contentReader';
import type { RowChoice } from './rows';
import type { Steps } from './steps';

/** Default length of an answer to an AI agent, in characters. */
export const DEFAULT_MAX_CHARACTERS = 20_000;
/** Below this, not even the note about omitted rows would fit beside a row. */
const FEWEST_CHARACTERS = 1_000;
/** Longest note about omitted rows, as an item among others. */
const NOTE_CHARACTERS = 400;

/** Whether an item concerns the whole question, such as an error; rows never displace it. */
const isAboutQuestion = ({ still_running, error }: IDataObject) =>
	still_running === true || error !== undefined;

const jsonLength = (value: unknown) => JSON.stringify(value)?.length ?? 0;

/** The first entries that fit into so many characters, with a comma each; `show` changes them before. */
function firstThatFit<T>(entries: readonly T[], room: number, show = (entry: T) => entry): T[] {
	const shown: T[] = [];
	let left = room;
	for (const entry of entries) {
		const one = show(entry);
		left -= jsonLength(one) + 1;
		if (left < 0) break;
		shown.push(one);
	}
	return shown;
}

/** What fits of a row that is too long for any answer: whole fields, and of its lists the first entries. */
function shortened(row: IDataObject, room: number): IDataObject {
	const short: IDataObject = {};
	let left = room;
	for (const [name, value] of Object.entries(row)) {
		const total = row[`${name}_total`] ?? (Array.isArray(value) ? value.length : null);
		const around = jsonLength({ [name]: '', [`${name}_total`]: total });
		const shown = Array.isArray(value) ? firstThatFit(value as unknown[], left - around) : value;
		if (jsonLength(shown) + around > left) continue;
		left -= jsonLength(shown) + around;
		setField(short, name, shown as IDataObject[string]);
		if (Array.isArray(shown) && Array.isArray(value) && shown.length < value.length)
			setField(short, `${name}_total`, total);
	}
	return short;
}

/**
 * Fits the items into an answer for an AI agent: whole rows until it is full, and an additional item that says
 * how many are left out. Only a row that is too long for any answer is shortened itself.
 *
 * @param maxCharacters limit of the whole answer, the JSON list that n8n writes for the agent
 * @param hidden fields that the agent must not see, at any depth
 */
export function fitAnswer(
	items: readonly IDataObject[],
	maxCharacters: number,
	hidden: readonly string[] = [],
): IDataObject[] {
	const most = Math.max(FEWEST_CHARACTERS, maxCharacters);
	const isShown = (name: string, value: unknown) => (hidden.includes(name) ? undefined : value);
	const visible = (item: IDataObject) =>
		hidden.length === 0 ? item : (JSON.parse(JSON.stringify(item, isShown)) as IDataObject);
	const whole = firstThatFit(items, most - 1, visible);
	if (whole.length === items.length) return whole;
	const rows = [...items.filter(isAboutQuestion), ...items.filter((item) => !isAboutQuestion(item))];
	const room = most - NOTE_CHARACTERS;
	const shown = firstThatFit(rows, room, visible);
	const limit = `because an answer has ${most} characters at the most`;
	const notes: string[] = [];
	const [first] = rows;
	if (shown.length === 0 && first !== undefined) {
		shown.push(shortened(visible(first), room));
		notes.push(`A row is shortened ${limit}: a field ending in _total says how many entries a list has.`);
	}
	const left = rows.length - shown.length;
	if (left > 0)
		notes.push(
			`${left} more ${left === 1 ? 'row is' : 'rows are'} left out ${limit}. Ask for fewer values at a time to see them all; a new question may cost credits.`,
		);
	return [...shown, { note: notes.join(' ') }];
}

/** Entries of a list that an agent sees. */
const MOST_ENTRIES = 10;

/** Brings a list into the order in which its entries are shown. */
type Order = (list: readonly unknown[]) => Steps<unknown[]>;

/** A value without empty fields, with the first entries of its lists and the original lengths of cut ones. */
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
 * Rows for an AI agent, which pays for every word: without empty fields, and only with the first entries of
 * lists, the cheapest offers first.
 *
 * @param results the results of the rows; all of them were requested in the same condition
 */
export function* compactRows(
	rows: readonly IDataObject[],
	{ bestPrice, columns, output }: Pick<RowChoice, 'bestPrice' | 'columns' | 'output'>,
	[result]: ReadonlyArray<Partial<Result>>,
	reader: ContentReader,
): Steps<IDataObject[]> {
	const condition = conditionClass(result?.query?.condition);
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

/** A whole job as one item for an AI agent. */
export function* compactJob(
	job: IDataObject,
	bestPrice: RowChoice['bestPrice'],
	reader: ContentReader,
): Steps<IDataObject> {
	if (!Array.isArray(job.results)) return job;
	const results = job.results.filter(isObject);
	const choice = { bestPrice, columns: 'raw', output: 'results' } as const;
	return { ...job, results: yield* compactRows(results, choice, results, reader) };
}
