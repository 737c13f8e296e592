import type { IDataObject } from 'n8n-workflow';

import { words } from '../service/topics';
import { isObject, setField, type Result } from '../service/types';
import { cheapestOffers, conditionClass } from './bestPrice';
import type { RowChoice } from './rows';

/** Default length of an answer to an AI agent, in characters. */
export const DEFAULT_MAX_CHARACTERS = 20_000;
/** Below this, not even the note about omitted rows would fit beside a row. */
const FEWEST_CHARACTERS = 1_000;
/** Longest note about omitted rows, as an item among others. */
const NOTE_CHARACTERS = 400;

/** How much of an item is shown. */
interface Detail {
	/** Entries of a list. */
	entries: number;
	/** Characters of a text. Longer addresses are omitted, because a part of one is useless. */
	text: number;
	/** The only fields that are shown, including those of nested objects. */
	fieldsOf?: (item: IDataObject) => ReadonlySet<string>;
	/** Brings a list into the order in which its entries are shown. */
	order?: <T>(list: readonly T[]) => readonly T[];
}

/** Fields that show where something is cheapest, or why that is unknown. */
const LEAST_OF_ROW: ReadonlySet<string> = new Set(
	words(
		'value found reason name best_price best_total best_currency best_shop price price_with_shipping ' +
			'min_price currency shop_name condition_code type',
	),
);
const OF_JOB = words('job_id status still_running error message note');
const LEAST: ReadonlySet<string> = new Set([...LEAST_OF_ROW, ...OF_JOB]);
const MORE = words(
	'best_condition topic source country created_at offers search_results bestsellers reviews results content ' +
		'query best_url url shop_domain',
);
const MAIN: ReadonlySet<string> = new Set([...LEAST, ...MORE]);

/** Whether an item concerns the whole question, such as an error; rows never displace it. */
const isAboutQuestion = ({ still_running, error }: IDataObject) =>
	still_running === true || error !== undefined;

/** The job of a row is of no use to the agent and takes much space. */
const leastFields = (item: IDataObject) =>
	item.value === undefined || isAboutQuestion(item) ? LEAST : LEAST_OF_ROW;

/** From much to little; the first with which everything fits is used. */
const DETAILS: readonly Detail[] = [
	{ entries: 10, text: 1_000 },
	{ entries: 5, text: 300 },
	{ entries: 3, text: 200, fieldsOf: () => MAIN },
	{ entries: 1, text: 120, fieldsOf: () => MAIN },
	{ entries: 0, text: 80, fieldsOf: leastFields },
	{ entries: 0, text: 40, fieldsOf: leastFields },
];

/** A value reduced to a detail level; undefined when nothing of it is shown. */
function shorten(value: unknown, detail: Detail, fields?: ReadonlySet<string>): unknown {
	if (typeof value === 'string') {
		if (value.length <= detail.text) return value;
		return /^https?:\/\//i.test(value) ? undefined : `${value.slice(0, detail.text - 1)}…`;
	}
	if (Array.isArray(value)) {
		const list: readonly unknown[] = detail.order?.(value) ?? value;
		const entries = list.slice(0, detail.entries).map((entry) => shorten(entry, detail, fields));
		return entries.length === 0 ? undefined : entries.filter((entry) => entry !== undefined);
	}
	return isObject(value) ? shortenItem(value, detail, fields) : value;
}

/** An object reduced to a detail level, with the original lengths of shortened lists. */
function shortenItem(item: IDataObject, detail: Detail, fields = detail.fieldsOf?.(item)): IDataObject {
	const short: IDataObject = {};
	for (const [name, value] of Object.entries(item)) {
		if (value === null || value === '' || fields?.has(name) === false) continue;
		const shown = shorten(value, detail, fields);
		if (shown !== undefined) setField(short, name, shown as IDataObject[string]);
		if (Array.isArray(value) && value.length > detail.entries) {
			short[`${name}_total`] = item[`${name}_total`] ?? value.length;
		}
	}
	return short;
}

/** The first items, converted by `show`, that fit into `most` characters as a JSON list. */
function firstThatFit(
	items: readonly IDataObject[],
	show: (item: IDataObject) => IDataObject,
	most: number,
): IDataObject[] {
	const shown: IDataObject[] = [];
	let left = most - 1;
	for (const item of items) {
		const short = show(item);
		left -= JSON.stringify(short).length + 1;
		if (left < 0) break;
		shown.push(short);
	}
	return shown;
}

/**
 * Fits the items into an answer for an AI agent: unchanged if they fit, otherwise with shorter texts and
 * lists, then with main columns only, then without the last items. An additional item says what is omitted.
 * Lists are cut at their end, so the cheapest offers must come first. The time depends on the size of the
 * answer, not of the items.
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
	const whole = firstThatFit(items, visible, most);
	if (whole.length === items.length) return whole;
	const cap = `because an answer has ${most} characters at the most`;
	const room = most - NOTE_CHARACTERS;
	const first = [...items.filter(isAboutQuestion), ...items.filter((item) => !isAboutQuestion(item))];
	let shown: IDataObject[] = [];
	for (const detail of DETAILS) {
		shown = firstThatFit(first, (item) => shortenItem(visible(item), detail), room);
		if (shown.length === items.length) {
			const note = `Shortened, ${cap}: long lists show their first entries, offers the cheapest ones, and a field ending in _total says how many there are. Ask for fewer values at a time to see more.`;
			return [...shown, { note }];
		}
	}
	const left = items.length - shown.length;
	const note = `${left} more ${left === 1 ? 'row is' : 'rows are'} left out, and the others show their main columns only, ${cap}. Ask for fewer values at a time to see them all; a new question may cost credits.`;
	return [...shown, { note }];
}

/** The cheapest entry of each value first, then the second ones, and so on. */
function inTurns(rows: readonly IDataObject[], order: NonNullable<Detail['order']>): IDataObject[] {
	const byValue = new Map<unknown, IDataObject[]>();
	for (const row of rows) {
		const entries = byValue.get(row.value) ?? [];
		byValue.set(row.value, entries);
		entries.push(row);
	}
	const turns = [...byValue.values()].flatMap((entries) =>
		order(entries).map((row, turn) => ({ row, turn })),
	);
	return turns.sort((one, other) => one.turn - other.turn).map(({ row }) => row);
}

/**
 * Rows for an AI agent, which pays for every word: without empty fields, and only with the first entries of
 * lists, the cheapest offers first.
 *
 * @param results the results of the rows; all of them were requested in the same condition
 */
export function compactRows(
	rows: readonly IDataObject[],
	{ bestPrice, columns, output }: Pick<RowChoice, 'bestPrice' | 'columns' | 'output'>,
	[result]: ReadonlyArray<Partial<Result>>,
): IDataObject[] {
	const condition = conditionClass(result?.query?.condition);
	const order = <T>(list: readonly T[]): readonly T[] => {
		const offers = cheapestOffers(list, bestPrice, { condition });
		const ranks = new Map<unknown, number>(offers.map(({ offer }, rank) => [offer, rank]));
		const rankOf = (entry: T) => ranks.get(entry) ?? ranks.size;
		return list.toSorted((one, other) => rankOf(one) - rankOf(other));
	};
	const ordered = output === 'entries' && columns !== 'raw' ? inTurns(rows, order) : rows;
	return ordered.map((row) => shortenItem(row, { entries: 10, text: Infinity, order }));
}

/** Maximum results of a job that becomes one item. */
const MOST_RESULTS = 100;

/** A whole job as one item for an AI agent. */
export function compactJob(job: IDataObject, bestPrice: RowChoice['bestPrice']): IDataObject {
	if (!Array.isArray(job.results)) return job;
	const results = job.results.filter(isObject);
	const shown = results.slice(0, MOST_RESULTS);
	return {
		...job,
		results: compactRows(shown, { bestPrice, columns: 'raw', output: 'results' }, shown),
		...(results.length > MOST_RESULTS && { results_total: results.length }),
	};
}
